//! Cursor context inside a possibly incomplete clause, for completion and signature help.
//!
//! The input is a [`Place`]. The output contains the word at the cursor, the tokens of the
//! statement, the open brackets with their callees, and the positions of variables.
//!
//! The analysis only uses tokens, because the syntax tree is unreliable in half-typed clauses. A
//! parenthesis or full stop may be missing.

mod scan;
mod word;

use super::Place;
use mangle_syntax::syntax::{Token, TokenKind};
use mangle_syntax::text::{TextRange, TextSize, size};

pub(crate) use scan::DECLARATION_PARTS;
pub use scan::{BodyPredicate, Bracket, Callee, CursorPart, Frame, Occurrence, Scan};
pub use word::CursorWord;

/// Maximum distance in bytes to the start and to the end of the statement.
const REACH: usize = 32 * 1024;

#[derive(Debug)]
pub struct Cursor {
    /// The word at the cursor. Empty between words.
    pub word: CursorWord,
    /// Start of the statement, or of the word if the statement is empty.
    pub start: TextSize,
    /// State after the tokens before the word.
    pub before: Scan,
    /// State at the end of the statement, including the tokens after the word.
    pub whole: Scan,
    /// True if the statement continues after the word.
    pub has_rest: bool,
    /// Number of arguments after the word, if a parenthesis follows it.
    pub called_with: Option<usize>,
    /// Number of arguments of the innermost open bracket, if it is closed later.
    pub arguments: Option<usize>,
}

#[derive(Debug)]
pub enum CursorPlace {
    Code(Box<Cursor>),
    /// A comment, including its `#`.
    Comment(TextRange),
    /// A string, including its opening quote.
    String(TextRange),
}

/// Analyzes the surroundings of a place.
#[must_use]
pub fn analyze(place: Place<'_>) -> CursorPlace {
    let (text, offset) = (place.text(), place.offset);
    let tokens = place.source.tokens(TextRange::new(beginning(place), offset));
    if let Some(spot) = tokens.last().and_then(|last| enclosing(*last, text, offset)) {
        return spot;
    }
    let word = CursorWord::at(text, offset);
    let mut left: Vec<Token> =
        tokens.into_iter().filter(|token| token.range.end() <= word.range.start()).collect();
    left.retain(|token| token.kind != TokenKind::Comment);
    let statement = left.split_off(statement_start(&left, text));
    let start = statement.first().map_or(word.range.start(), |first| first.range.start());
    let before = Scan::new(&statement, text);
    let right = following(place, word.end);
    let called_with = right.first().and_then(|open| {
        let is_called = open.kind == TokenKind::Open && open.range.start() == word.end;
        (is_called && open.text(text) == "(").then(|| scan::arguments(&right))
    });
    let (whole, arguments) = before.clone().extend(&right, text);
    let goes_on = !right.is_empty();
    CursorPlace::Code(Box::new(Cursor {
        word,
        start,
        before,
        whole,
        has_rest: goes_on,
        called_with,
        arguments,
    }))
}

/// Returns the offset where tokenization starts: one statement before the one in the tree, because
/// its end may be wrong.
fn beginning(place: Place<'_>) -> TextSize {
    let items = &place.file.items;
    let at = items.partition_point(|item| item.start < place.offset);
    let start = items.get(at.saturating_sub(2)).map_or(TextSize::new(0), |item| item.start);
    let start = if at < 2 { TextSize::new(0) } else { start };
    let mut limit = usize::from(place.offset).saturating_sub(REACH).max(start.into());
    while !place.text().is_char_boundary(limit) {
        limit += 1;
    }
    size(limit)
}

/// Returns the comment or string that contains the cursor.
fn enclosing(token: Token, text: &str, offset: TextSize) -> Option<CursorPlace> {
    let spelled = token.text(text);
    let inside = token.range.start() < offset && offset < token.range.end();
    match token.kind {
        TokenKind::Comment if token.range.start() < offset && offset <= token.range.end() => {
            Some(CursorPlace::Comment(token.range))
        }
        TokenKind::String if inside || offset == token.range.end() && !is_closed(spelled) => {
            Some(CursorPlace::String(token.range))
        }
        // Remains of an unterminated string.
        TokenKind::Other if inside && spelled.contains(['"', '`', '\'']) && !spelled.contains('\n') => {
            Some(CursorPlace::String(token.range))
        }
        _ => None,
    }
}

fn is_closed(string: &str) -> bool {
    let string = string.strip_prefix('b').unwrap_or(string);
    let quote = string.chars().next().unwrap_or('"');
    let inner = string.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inner.is_some_and(|inner| {
        let backslashes = inner.bytes().rev().take_while(|byte| *byte == b'\\').count();
        backslashes % 2 == 0
    })
}

/// Returns the tokens from `from` to the end of the statement.
fn following(place: Place<'_>, from: TextSize) -> Vec<Token> {
    let text = place.text();
    let items = &place.file.items;
    // An incomplete statement may have absorbed the next one, but not more.
    let next = items.get(items.partition_point(|item| item.start < from) + 1);
    let reach = usize::from(from).saturating_add(REACH).min(text.len());
    let end = next.map_or(reach, |item| usize::from(item.start).min(reach));
    let mut tokens = place.source.tokens(TextRange::new(from, size(end)));
    tokens.retain(|token| token.range.start() >= from && token.kind != TokenKind::Comment);
    tokens.truncate(statement_end(&tokens, text));
    tokens
}

/// Returns the index of the first token of the last statement.
fn statement_start(tokens: &[Token], text: &str) -> usize {
    let mut start = 0;
    let mut names_package = false;
    let mut before: Option<Token> = None;
    for (index, token) in (0..).zip(tokens) {
        let spelled = token.text(text);
        if starts_statement(*token, text) && before.is_none_or(|before| can_end(before, *token, text)) {
            start = index;
            names_package = matches!(spelled, "Package" | "Use");
        }
        if ends_statement(*token, text) || token.kind == TokenKind::Bang && names_package {
            start = index + 1;
            names_package = false;
        }
        before = Some(*token);
    }
    start.min(tokens.len())
}

/// Returns the number of tokens after the cursor that belong to its statement.
fn statement_end(tokens: &[Token], text: &str) -> usize {
    let ends = |token: &Token| {
        ends_statement(*token, text) || starts_statement(*token, text) || is_at_margin(*token, text)
    };
    tokens.iter().position(ends).unwrap_or(tokens.len())
}

/// True for a full stop, except the dot of an unparsed type constructor.
fn ends_statement(token: Token, text: &str) -> bool {
    if token.kind != TokenKind::Dot {
        return false;
    }
    let after = text.get(token.range.end().into()..).unwrap_or("");
    let before = text.get(..token.range.start().into()).unwrap_or("");
    let of_type = after.starts_with(|c: char| c.is_ascii_uppercase())
        && before.ends_with(['[', '<', '(', ',', ' ', ':'])
        && !["Decl", "Use", "Package"].iter().any(|word| after.starts_with(word));
    !of_type
}

/// True if a token starts a statement: a keyword, or an atom at the left margin.
fn starts_statement(token: Token, text: &str) -> bool {
    match token.kind {
        TokenKind::Keyword => matches!(token.text(text), "Decl" | "Package" | "Use"),
        TokenKind::Identifier => {
            let after = text.get(token.range.end().into()..).unwrap_or("");
            after.starts_with('(') && is_at_margin(token, text)
        }
        _ => false,
    }
}

fn is_at_margin(token: Token, text: &str) -> bool {
    let letters = matches!(token.kind, TokenKind::Identifier | TokenKind::Keyword);
    let start = token.range.start();
    let before = text.get(..start.into()).unwrap_or("");
    letters && (start == size(0) || before.ends_with('\n'))
}

/// True if a statement without a full stop may end before `next`.
fn can_end(last: Token, next: Token, text: &str) -> bool {
    next.kind == TokenKind::Keyword
        || match last.kind {
            TokenKind::Comma
            | TokenKind::Arrow
            | TokenKind::Bang
            | TokenKind::Operator
            | TokenKind::Open
            | TokenKind::Pipe
            | TokenKind::Colon
            | TokenKind::At => false,
            TokenKind::Keyword => last.text(text) == "temporal",
            _ => true,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;
    use expect_test::{Expect, expect};
    use std::fmt::Write as _;

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(fixture: &str, expect: Expect) {
        let fixture = Fixture::new(fixture);
        let place = fixture.place();
        let found = match analyze(place) {
            CursorPlace::Code(cursor) => describe(&cursor, place.text()),
            CursorPlace::Comment(_) => "comment".to_owned(),
            CursorPlace::String(_) => "string".to_owned(),
        };
        expect.assert_eq(&found);
    }

    fn describe(cursor: &Cursor, text: &str) -> String {
        let mut out = format!("{:?} `{}`", cursor.before.part, cursor.word.typed(text));
        for frame in &cursor.before.frames {
            let name = frame.callee.map_or("", |callee| callee.name.as_str());
            let _ = write!(out, " > {name} {:?} {}", frame.bracket, frame.commas);
        }
        if let Some(count) = cursor.arguments {
            let _ = write!(out, " of {count}");
        }
        out
    }

    #[test]
    fn in_sound_clauses() {
        check("p(X) :- q(X, $0Y, Z).", expect!["Body `` > q Call 1 of 3"]);
        check(
            "p(X) :- q(X), r(fn:plus(X, [1, $0]), 2).",
            expect!["Body `` > r Call 0 > fn:plus Call 1 >  List 1 of 2"],
        );
        check("p(1). q$0(2).", expect!["Start `q`"]);
        check(
            "p(N) :- q(X) |> do fn:group_by($0), let N = fn:count().",
            expect!["Transform `` > fn:group_by Call 0 of 1"],
        );
        check(
            "Decl p(X, Y) bound [.Map</a, $0>, /b].",
            expect!["Declaration `` >  Bound 0 > .Map Type 1 of 2"],
        );
        check("p(X) :- <-[0s, $0] q(X).", expect!["Body `` >  Span 1 of 2"]);
    }

    #[test]
    fn in_damage() {
        check("p(X) :- q(X, r(Y), $0\nz(1) :- y(2).", expect!["Body `` > q Call 2"]);
        check("p(X :- q($0", expect!["Body `` > q Call 0"]);
        check("p(1)\nq(2, $0", expect!["Head `` > q Call 1"]);
        check("Decl p(X bound [.Li$0", expect!["Declaration `.Li` >  Bound 0"]);
        check("Decl p(X) bound [.List<$0", expect!["Declaration `` >  Bound 0 > .List Type 0"]);
        check("q(X) :- p(X)\nDecl $0", expect!["Declaration ``"]);
    }

    #[test]
    fn not_in_code() {
        check("# p($0", expect!["comment"]);
        check("p(1). # p$0\n", expect!["comment"]);
        check("p(\"a$0b\").", expect!["string"]);
        check("p(\"a$0", expect!["string"]);
        check("p(\"a\"$0", expect!["Head `` > p Call 0"]);
    }
}
