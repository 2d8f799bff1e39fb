//! Fault-tolerant lexer for text that is nearly Mangle, including signs of other languages.

use std::ops::Range;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::syntax) enum LexemeKind {
    /// A word that starts with a lower-case letter: a predicate, a function, a keyword.
    Word,
    /// A word that starts with a capital letter or an underscore.
    Variable,
    /// `/a/b`.
    Name,
    /// An integer or a float, including directly adjacent characters.
    Number,
    /// A string in any quotes.
    Text,
    /// A sign from [`SIGNS`], or a single character.
    Sign,
    /// A foreign comment.
    Comment,
}

#[derive(Debug, Clone, Copy)]
pub(in crate::syntax) struct Lexeme<'t> {
    pub(in crate::syntax) kind: LexemeKind,
    pub(in crate::syntax) text: &'t str,
    pub(in crate::syntax) start: usize,
    pub(in crate::syntax) end: usize,
    /// The number of open brackets around the token. An opening bracket and its closing bracket
    /// have the same depth.
    pub(in crate::syntax) depth: u32,
    /// True if nothing separates the token from the previous one.
    pub(in crate::syntax) glued: bool,
    /// True for the first token of a line.
    pub(in crate::syntax) first: bool,
}

impl Lexeme<'_> {
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    pub(in crate::syntax) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    pub(in crate::syntax) fn is_operand(&self) -> bool {
        !matches!(self.kind, LexemeKind::Sign | LexemeKind::Comment)
    }
}

/// Signs of several characters, longer ones before their prefixes.
const SIGNS: &[&str] = &[
    "```", "\"\"\"", "'''", "<==>", "=\\=", "=:=", "\\==", "===", "!==", "==>", "<==", "-->", "::=", "::-",
    "...", "=..", "@=<", "@>=", "@<", "@>", ":-", ":=", "==", "!=", "<>", "=<", ">=", "<=", "=>", "->", "-:",
    "|>", "//", "||", "&&", "\\+", "\\=", "\\/", "/\\", "+=", "-=", "++", "**", "[-", "[+", "<-", "<+", "!~",
    "::",
];

/// The tokens of `text`, without comments.
pub(in crate::syntax) fn tokens(text: &str) -> Vec<Lexeme<'_>> {
    let mut lexer = Lexer { text, at: 0, depth: 0, first: true };
    let mut tokens: Vec<Lexeme<'_>> = Vec::new();
    while let Some(token) = lexer.next(tokens.last()) {
        tokens.push(token);
    }
    tokens
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
    /// True if the line has no token yet.
    first: bool,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn next(&mut self, before: Option<&Lexeme<'t>>) -> Option<Lexeme<'t>> {
        let end_before = before.map_or(0, |token| token.end);
        self.skip_blanks();
        let rest = self.rest();
        let first_char = rest.chars().next()?;
        // `p.q` is one word, and `r"` the start of a string. After an operand, a slash is a
        // division.
        let after_operand = before.is_some_and(|token| {
            token.end == self.at && (token.kind != LexemeKind::Sign || matches!(token.text, ")" | "]"))
        });
        let is_glued = before.is_some() && end_before == self.at;
        let is_apart = !is_glued && (self.first || before.is_none_or(|token| is_joint(token)));
        let (kind, len) = match comment_length(rest, before.is_none(), is_apart) {
            Some(len) => (LexemeKind::Comment, len),
            None => scan(rest, first_char, after_operand),
        };
        let text = rest.get(..len)?;
        let closes = matches!(text, ")" | "]" | "}");
        if closes {
            self.depth = self.depth.saturating_sub(1);
        }
        let token = Lexeme {
            kind,
            text,
            start: self.at,
            end: self.at + len,
            depth: self.depth,
            glued: before.is_some() && end_before == self.at,
            first: self.first,
        };
        if matches!(text, "(" | "[" | "{" | "[-" | "[+") {
            self.depth += 1;
        }
        self.at += len;
        self.first = false;
        Some(token)
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{c}']).len();
            self.first |= rest.get(..blank).unwrap_or("").contains('\n');
            self.at += blank;
            let rest = self.rest();
            if !rest.starts_with('#') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }
}

/// True if the token is a sign that no operator follows.
fn is_joint(token: &Lexeme<'_>) -> bool {
    token.kind == LexemeKind::Comment
        || matches!(token.text, "," | "." | ":-" | "⟸" | "(" | "[" | "{" | "|>" | ";")
}

/// The length of a foreign comment: `-- …`, `<!-- … -->`, or `; …` at the very start. `% …`, `// …`
/// and `/* … */` are comments if no operator is possible.
fn comment_length(rest: &str, at_start: bool, is_apart: bool) -> Option<usize> {
    let line = || rest.lines().next().unwrap_or("").trim_end().len();
    if is_apart && rest.starts_with("/*") {
        return Some(rest.find("*/").map_or_else(line, |end| end + "*/".len()));
    }
    if is_apart && (rest.starts_with('%') || rest.starts_with("//")) {
        return Some(line());
    }
    if rest.starts_with("<!--") {
        return Some(rest.find("-->").map_or_else(line, |end| end + "-->".len()));
    }
    let dashes = rest.strip_prefix("--").is_some_and(|rest| rest.starts_with([' ', '\t', '-', '\r', '\n']));
    (dashes || (at_start && rest.starts_with(';'))).then(line)
}

/// Kind and length of the token at the start of `rest`, which is not empty.
fn scan(rest: &str, first: char, after_operand: bool) -> (LexemeKind, usize) {
    let run = |test: fn(char) -> bool| rest.find(|c: char| !test(c)).unwrap_or(rest.len());
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return (LexemeKind::Sign, sign.len());
    }
    match first {
        'a'..='z' => (LexemeKind::Word, word_length(rest)),
        ':' if rest.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase())) => {
            (LexemeKind::Word, 1 + word_length(rest.get(1..).unwrap_or("")))
        }
        'A'..='Z' | '_' => (LexemeKind::Variable, run(|c| c.is_ascii_alphanumeric() || c == '_')),
        '0'..='9' => (LexemeKind::Number, number_length(rest)),
        '"' | '\'' | '`' => match string_length(rest, first) {
            Some(len) => (LexemeKind::Text, len),
            None => (LexemeKind::Sign, 1),
        },
        '/' if !after_operand && name_length(rest) > 1 => (LexemeKind::Name, name_length(rest)),
        _ => (LexemeKind::Sign, first.len_utf8()),
    }
}

/// The length of letters, digits, `_`, and `:` or `.` before one of these.
fn word_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let joined = matches!(byte, b'.' | b':') && bytes.get(at + 1).is_some_and(inner);
        if !inner(byte) && !joined {
            break;
        }
        at += 1;
    }
    at
}

fn number_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let fraction = *byte == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        let date = *byte == b'-' && matches!(at, 4 | 7) && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if !byte.is_ascii_alphanumeric() && *byte != b'_' && !fraction && !date {
            break;
        }
        at += 1;
    }
    at
}

fn name_length(rest: &str) -> usize {
    let name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '~' | '%' | '-' | '/');
    let len = rest.find(|c: char| !name(c)).unwrap_or(rest.len());
    // The last period was probably meant to end the statement.
    let text = rest.get(..len).unwrap_or("");
    text.trim_end_matches('.').len()
}

fn string_length(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !escaped {
            return Some(at + 1);
        }
        escaped = c == '\\' && !escaped;
    }
    None
}
