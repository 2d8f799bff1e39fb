//! Tokens of a statement with syntax errors.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::RegionEdit;
use super::statement_kind::Foreign;
use super::token::{Lexeme, LexemeKind, tokens};

/// Maximum length of a statement, in bytes. Longer statements were not written by hand.
const MAX_LEN: usize = 4096;

/// Signs and words that a clause continues after.
const GOES_ON: [&str; 14] = [",", "(", "[", "{", ":-", "⟸", "and", "or", "&&", "||", "=", "|>", "if", "|"];

/// A premise that replaces an unreadable one.
pub(super) const NEUTRAL: &str = "1 = 1";

/// The presumed text of one statement.
pub(in crate::syntax) struct Region<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: Vec<Lexeme<'t>>,
    /// Foreign comments between the tokens.
    pub(super) comments: Vec<Lexeme<'t>>,
    /// For each token, the next closing bracket of the same depth.
    closes: Vec<Option<usize>>,
}

impl<'t> Region<'t> {
    /// The statement at the start of `rest`. `None` if there is no statement.
    pub(in crate::syntax) fn parse(rest: &'t str) -> Option<Self> {
        // Most statements are short, and a file can have many.
        [MAX_LEN / 16, MAX_LEN].into_iter().find_map(|longest| Self::within(rest, longest))
    }

    fn within(rest: &'t str, longest: usize) -> Option<Self> {
        let mut limit = rest.len().min(longest);
        while !rest.is_char_boundary(limit) {
            limit -= 1;
        }
        let window = rest.get(..limit)?;
        let mut tokens = tokens(window);
        let count = extent(window, &tokens);
        let reaches_the_limit = count == tokens.len() && limit < rest.len();
        tokens.truncate(count);
        let is_quote =
            |token: &Lexeme<'_>| token.kind == LexemeKind::Sign && matches!(token.text, "\"" | "'" | "`");
        let cuts_string = limit < rest.len() && longest < MAX_LEN && tokens.iter().any(is_quote);
        if count == 0 || reaches_the_limit || cuts_string {
            return None;
        }
        let end = tokens.last()?.end;
        let (comments, tokens): (Vec<_>, Vec<_>) =
            tokens.into_iter().partition(|token| token.kind == LexemeKind::Comment);
        let closes = closes(&tokens);
        Some(Self { text: window.get(..end)?, tokens, comments, closes })
    }

    /// The text from the start of the statement to its end.
    pub(in crate::syntax) fn text(&self) -> &'t str {
        self.text
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or("")
    }

    pub(super) fn token(&self, index: usize) -> Option<&Lexeme<'t>> {
        self.tokens.get(index)
    }

    /// The text of a token. Empty past the end.
    pub(super) fn at(&self, index: usize) -> &'t str {
        self.tokens.get(index).map_or("", |token| token.text)
    }

    pub(super) fn kind(&self, index: usize) -> Option<LexemeKind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    /// The text of the previous token.
    pub(super) fn before(&self, index: usize) -> &'t str {
        index.checked_sub(1).map_or("", |before| self.at(before))
    }

    pub(super) fn kind_before(&self, index: usize) -> Option<LexemeKind> {
        index.checked_sub(1).and_then(|before| self.kind(before))
    }

    pub(super) fn glued(&self, index: usize) -> bool {
        self.token(index).is_some_and(|token| token.glued)
    }

    /// The index of the bracket that closes `open`.
    pub(super) fn close(&self, open: usize) -> Option<usize> {
        *self.closes.get(open)?
    }

    /// The replacement for a deleted bracket at `close`: empty, or a blank that separates a name
    /// from a following period.
    pub(super) fn instead_of(&self, close: usize) -> &'static str {
        let is_name = close.checked_sub(1).is_some_and(|before| self.kind(before) == Some(LexemeKind::Name));
        if is_name && self.at(close + 1) == "." && self.glued(close + 1) { " " } else { "" }
    }

    /// The first index at or after `from` that satisfies `test`, at the depth of the statement.
    pub(super) fn top_level(&self, from: usize, test: impl Fn(&Lexeme<'t>) -> bool) -> Option<usize> {
        (from..self.tokens.len())
            .find(|&at| self.token(at).is_some_and(|token| token.depth == 0 && test(token)))
    }

    /// The index of the arrow between head and body.
    pub(super) fn arrow(&self) -> Option<usize> {
        self.top_level(0, |token| matches!(token.text, ":-" | "⟸"))
    }

    /// True if an atom starts at `index`: a word and a parenthesis.
    pub(super) fn is_atom(&self, index: usize) -> bool {
        self.kind(index) == Some(LexemeKind::Word) && self.at(index + 1) == "(" && self.glued(index + 1)
    }

    /// The index of the last token of the atom that starts at `index`. The atom can lack
    /// parentheses.
    pub(super) fn atom_end(&self, index: usize) -> Option<usize> {
        if self.kind(index) != Some(LexemeKind::Word) {
            return None;
        }
        if self.at(index + 1) == "(" { self.close(index + 1) } else { Some(index) }
    }

    /// True if the clause has exactly one atom before `index`.
    pub(super) fn is_head(&self, index: usize) -> bool {
        index > 0 && self.atom_end(0) == Some(index - 1)
    }

    /// True if a premise can start at this token.
    pub(super) fn starts_premise(&self, index: usize) -> bool {
        matches!(self.before(index), ":-" | "⟸" | "," | ";" | "&&" | "and" | "AND" | "||" | "or" | "OR")
            && self.token(index).is_some_and(|token| token.depth == 0)
    }

    /// True if a premise can end before this token.
    pub(super) fn ends_premise(&self, index: usize) -> bool {
        index >= self.stop()
            || matches!(self.at(index), "," | ";" | "|>" | "&&" | "and" | "AND" | "||" | "or" | "OR")
    }

    /// The premise that contains the token at `index`, which must not be inside of brackets.
    pub(super) fn premise_at(&self, index: usize) -> Range<usize> {
        let start = (0..=index).rev().find(|&at| self.starts_premise(at)).unwrap_or(index);
        let is_end =
            |at: &usize| self.ends_premise(*at) && self.token(*at).is_none_or(|token| token.depth == 0);
        start..(index..=self.tokens.len()).find(is_end).unwrap_or(index)
    }

    /// The end of the premise or argument with the token at `index`: the index after its last
    /// token.
    pub(super) fn part_end(&self, index: usize) -> usize {
        let depth = self.token(index).map_or(0, |token| token.depth);
        let ends = |at: &usize| {
            let Some(token) = self.token(*at) else { return true };
            let stops =
                matches!(token.text, "," | ";" | "|>" | "|" | "!") || (token.is(".") && !self.glued(at + 1));
            token.depth < depth || (token.depth == depth && stops)
        };
        (index + 1..self.tokens.len()).find(ends).unwrap_or(self.tokens.len())
    }

    /// The index of the period that ends the statement, or the index after the last token.
    pub(super) fn stop(&self) -> usize {
        let last = self.tokens.len().saturating_sub(1);
        if matches!(self.at(last), "." | ";" | "!" | "?") { last } else { self.tokens.len() }
    }

    /// The byte range of the tokens. The end is exclusive.
    pub(super) fn range(&self, tokens: Range<usize>) -> Range<usize> {
        let start = self.token(tokens.start).map_or(self.text.len(), |token| token.start);
        let end =
            tokens.end.checked_sub(1).and_then(|last| self.token(last)).map_or(start, |token| token.end);
        start..end.max(start)
    }

    /// True if only white space precedes the token at `index`, up to its predecessor.
    pub(super) fn only_blanks_before(&self, index: usize) -> bool {
        let Some(token) = self.token(index) else { return true };
        let start = index.checked_sub(1).and_then(|before| self.token(before)).map_or(0, |before| before.end);
        self.slice(start..token.start).trim().is_empty()
    }

    /// True if the region has a comment.
    pub(super) fn has_comment(&self) -> bool {
        (0..self.tokens.len()).any(|index| !self.only_blanks_before(index))
    }

    pub(super) fn is_multi_line(&self) -> bool {
        self.tokens.iter().skip(1).any(|token| token.first)
    }

    /// True if the region has this word.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.tokens.iter().any(|token| token.text == word)
    }
}

/// For each token, the next closing bracket of the same depth. One pass, because brackets can be
/// nested hundreds of levels deep.
fn closes(tokens: &[Lexeme<'_>]) -> Vec<Option<usize>> {
    let mut next: FxHashMap<_, usize> = FxHashMap::default();
    let mut all = vec![None; tokens.len()];
    for (at, token) in tokens.iter().enumerate().rev() {
        if let Some(close) = all.get_mut(at) {
            *close = next.get(&token.depth).copied();
        }
        if matches!(token.text, ")" | "]" | "}") {
            next.insert(token.depth, at);
        }
    }
    all
}

/// The number of tokens in the first statement.
fn extent(text: &str, tokens: &[Lexeme<'_>]) -> usize {
    let at = |index: usize| tokens.get(index).map_or("", |token: &Lexeme<'_>| token.text);
    let foreign = Foreign::parse(tokens);
    let directive = foreign.is_none()
        && matches!(at(0), "." | "@")
        && tokens.get(1).is_some_and(|t| t.kind == LexemeKind::Word && t.glued);
    let line = directive
        || foreign.as_ref().is_some_and(Foreign::is_line)
        || at(0) == "```"
        || tokens.first().is_some_and(|token| token.kind == LexemeKind::Comment);
    let has_indented_lines = foreign.as_ref().is_some_and(Foreign::has_indented_lines);
    let beginning = foreign.as_ref().map_or(0, Foreign::beginning);
    let ends_with_semicolon = foreign.as_ref().is_some_and(Foreign::ends_with_semicolon);
    let numbered = tokens.first().is_some_and(|token| token.kind == LexemeKind::Number);
    let is_braced = foreign.as_ref().is_some_and(Foreign::is_braced);
    let prose = foreign.is_none() && is_prose(tokens);
    for (index, token) in tokens.iter().enumerate() {
        let next = tokens.get(index + 1);
        let new_line = next.is_none_or(|next| next.first);
        let ends = match token.text {
            _ if prose => false,
            "." if index == 1 && numbered => false,
            "." if index > 0 => new_line || (token.depth == 0 && !next.is_some_and(|next| next.glued)),
            "!" | "?" if index > 1 => new_line && token.depth == 0,
            "}" if is_braced => new_line && token.depth == 0,
            ";" if ends_with_semicolon => token.depth == 0,
            _ => false,
        };
        // An indented next line continues a statement of Rego or Python.
        let is_continued = has_indented_lines && next.is_some_and(|next| !is_first_column(text, next));
        let line_ends = new_line && token.depth == 0 && !is_continued;
        if ends || (line && line_ends) {
            return index + 1;
        }
        let Some(next) = next.filter(|next| next.first) else { continue };
        let between = text.get(token.end..next.start).unwrap_or("");
        if prose && between.matches('\n').count() > 1 {
            return index + 1;
        }
        if index + 1 >= beginning
            && is_first_column(text, next)
            && starts_statement(tokens, index + 1)
            && !(GOES_ON.contains(&token.text) && token.text != ",")
        {
            return index + 1;
        }
    }
    tokens.len()
}

fn is_first_column(text: &str, token: &Lexeme<'_>) -> bool {
    text.as_bytes().get(token.start.wrapping_sub(1)) == Some(&b'\n')
}

/// True for prose: three consecutive words without a meaning in a program.
pub(super) fn is_prose(tokens: &[Lexeme<'_>]) -> bool {
    const KNOWN: [&str; 14] = [
        "Decl", "Package", "Use", "not", "if", "If", "IF", "rule", "fact", "decl", "select", "SELECT",
        "exists", "when",
    ];
    let word = |token: &Lexeme<'_>| {
        matches!(token.kind, LexemeKind::Word | LexemeKind::Variable)
            && !token.text.contains(':')
            && !KNOWN.contains(&token.text)
    };
    tokens.len() > 3
        && tokens.iter().take(3).all(|token| word(token) && !token.text.contains('_'))
        && tokens.get(3).is_some_and(|token| !matches!(token.text, "(" | ":-"))
}

/// True if a statement seems to start at a token that is the first of its line.
fn starts_statement(tokens: &[Lexeme<'_>], index: usize) -> bool {
    let at = |index: usize| tokens.get(index).map_or("", |token: &Lexeme<'_>| token.text);
    match tokens.get(index).map(|token| token.kind) {
        Some(LexemeKind::Word) => {
            at(index + 1) == "("
                || at(index + 1) == ":-"
                || tokens.get(index..).is_some_and(|rest| Foreign::rego(rest).is_some())
        }
        Some(LexemeKind::Variable) => matches!(at(index), "Decl" | "Package" | "Use"),
        Some(LexemeKind::Sign) => matches!(at(index), "." | "@" | "```" | ":-"),
        _ => false,
    }
}

/// The edit that deletes the premise at these tokens with an adjacent comma, or a whole body with
/// its arrow. A blank remains if a name would absorb the period after the premise.
pub(super) fn without_premise(region: &Region<'_>, tokens: &Range<usize>) -> Option<RegionEdit> {
    let range = region.range(tokens.clone());
    let edit = |range: Range<usize>, text: &str| Some(RegionEdit { range, text: text.to_owned() });
    if matches!(region.at(tokens.end), "," | "&&" | "and" | "AND") {
        let next = region.token(tokens.end + 1).map_or(region.token(tokens.end)?.end, |next| next.start);
        return edit(range.start..next, "");
    }
    let before = tokens.start.checked_sub(1)?;
    match region.at(before) {
        "," | "&&" | "and" | "AND" => {
            let is_swallowed =
                region.at(tokens.end) == "." && region.kind_before(before) == Some(LexemeKind::Name);
            edit(region.token(before)?.start..range.end, if is_swallowed { " " } else { "" })
        }
        ":-" | "⟸" => edit(region.token(before.checked_sub(1)?)?.end..range.end, ""),
        _ => None,
    }
}
