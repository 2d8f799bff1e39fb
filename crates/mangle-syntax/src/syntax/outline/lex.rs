//! Lexer of the outline: tokens and comments of a text that can have syntax errors.
//!
//! It shares no code with the grammar or the lexer of foreign syntax, which both decide early on a
//! meaning of broken text.

use crate::syntax::plain_sign;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word that starts with a lower-case letter, or with `:` or `.` like names of the language.
    Word,
    Variable,
    /// `/a/b`, without a period at its end.
    Name,
    /// A number, a date or a duration.
    Number,
    Text,
    Open,
    Close,
    Comma,
    Stop,
    /// Other characters.
    Sign,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// The text with lookalike characters replaced.
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
    /// True if nothing separates the token from the previous one.
    pub(super) glued: bool,
    /// True for the first token of a line.
    pub(super) first: bool,
    /// The number of characters before the token on its line.
    pub(super) column: usize,
    /// True if a comment separates the token from the previous one.
    pub(super) after_comment: bool,
    /// True if an empty line separates the token from the previous one.
    pub(super) after_gap: bool,
    /// True if the previous line is empty.
    pub(super) below_gap: bool,
    /// True for a multi-line string.
    pub(super) breaks: bool,
    /// The index of the bracket that closes this one.
    pub(super) close: Option<usize>,
}

impl Token {
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text && self.kind != Kind::Text
    }

    /// True for a variable with the sigil of another language.
    pub(super) fn has_sigil(&self) -> bool {
        self.kind == Kind::Variable && self.text.starts_with(SIGILS)
    }

    pub(super) fn is_operand(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Variable | Kind::Name | Kind::Number | Kind::Text)
    }
}

/// One line of a comment.
#[derive(Debug, Clone)]
pub(super) struct Comment {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The text after the sign.
    pub(super) body: String,
    /// The sign at the start of the comment.
    pub(super) sign: &'static str,
    /// The number of tokens before the comment.
    pub(super) tokens_before: usize,
    /// True if nothing precedes the comment on its line.
    pub(super) alone: bool,
    /// True if the comment can be code: it directly follows an operand, like a percent sign, or is
    /// unterminated.
    pub(super) is_unclear: bool,
    /// True if the previous line is empty or does not exist.
    pub(super) after_gap: bool,
}

/// Sigils before variables in other languages.
pub(super) const SIGILS: [char; 3] = ['$', '?', '@'];

/// Signs of several characters, longer ones before their prefixes.
const SIGNS: &[&str] = &[
    "<==>", "=:=", "=\\=", "\\==", "===", "!==", "==>", "<==", "-->", "::=", "::-", "...", ":-", ":=", "==",
    "!=", "<>", "=<", ">=", "<=", "=>", "->", "-:", "|>", "||", "&&", "\\+", "\\=", "\\/", "/\\", "**", "<-",
    "<+",
];

struct Lexer<'t> {
    text: &'t str,
    /// Offset, original character and plain character. Invisible characters are omitted.
    chars: Vec<(usize, char, char)>,
    at: usize,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    /// The open brackets.
    open: Vec<char>,
    /// The index of the first character of the line.
    line: usize,
    /// The number of line endings since the last token or comment.
    breaks: usize,
    /// True if a comment follows the last token.
    commented: bool,
    /// True if an empty line follows the last token.
    gap: bool,
    /// True if the line already has a token or comment.
    begun: bool,
    /// Comment signs without an end in the remaining text, so that the text is not searched again.
    unclosed: Vec<&'static str>,
}

/// Splits a text into tokens and comments.
pub(super) fn lex(text: &str) -> (Vec<Token>, Vec<Comment>) {
    let mut chars = Vec::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match plain_sign(c) {
            None => chars.push((at, c, c)),
            Some(plain) => chars.extend(plain.chars().map(|sign| (at, c, sign))),
        }
    }
    let mut lexer = Lexer {
        text,
        chars,
        at: 0,
        tokens: Vec::new(),
        comments: Vec::new(),
        open: Vec::new(),
        line: 0,
        breaks: 2,
        commented: false,
        gap: true,
        begun: false,
        unclosed: Vec::new(),
    };
    while lexer.step() {}
    match_brackets(&mut lexer.tokens);
    (lexer.tokens, lexer.comments)
}

/// Sets [`Token::close`] of all brackets. No bracket is closed after a period at the end of a line.
pub(super) fn match_brackets(tokens: &mut [Token]) {
    let mut open: Vec<usize> = Vec::new();
    for at in 0..tokens.len() {
        let ends_line = tokens.get(at + 1).is_none_or(|next| next.first);
        let Some(token) = tokens.get_mut(at) else { return };
        token.close = None;
        match token.kind {
            Kind::Open => open.push(at),
            Kind::Close => {
                if let Some(opened) = open.pop().and_then(|opened| tokens.get_mut(opened)) {
                    opened.close = Some(at);
                }
            }
            Kind::Stop if ends_line => open.clear(),
            _ => {}
        }
    }
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).map_or('\0', |(_, _, c)| *c)
    }

    fn offset(&self, at: usize) -> usize {
        self.chars.get(at).map_or(self.text.len(), |(offset, ..)| *offset)
    }

    fn starts_with(&self, sign: &str) -> bool {
        sign.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == c)
    }

    /// The number of consecutive characters from `ahead` on that satisfy `test`.
    fn run(&self, ahead: usize, test: impl Fn(char) -> bool) -> usize {
        let rest = self.chars.get(self.at + ahead..).unwrap_or_default();
        rest.iter().take_while(|(_, _, c)| test(*c)).count()
    }

    fn step(&mut self) -> bool {
        let c = self.peek(0);
        if self.at >= self.chars.len() {
            return false;
        }
        if c == '\n' {
            self.at += 1;
            self.line = self.at;
            self.breaks += 1;
            self.gap |= self.breaks > 1;
            self.begun = false;
            return true;
        }
        if c.is_whitespace() {
            self.at += 1;
            return true;
        }
        if !self.comment() && !self.fence() {
            self.token();
        }
        self.breaks = 0;
        self.begun = true;
        true
    }

    /// True if the current position directly follows the last token.
    fn is_glued(&self) -> bool {
        self.tokens.last().is_some_and(|token| token.end == self.offset(self.at)) && !self.commented
    }

    fn is_after_operand(&self) -> bool {
        let ends = |token: &Token| token.is_operand() || token.kind == Kind::Close;
        self.tokens.last().is_some_and(ends)
    }

    /// Reads a comment. Returns false if none starts here. `%` and `//` directly after a value are
    /// ambiguous, see [`Comment::is_unclear`].
    fn comment(&mut self) -> bool {
        let starts_statement = self.tokens.last().is_none_or(|token| token.kind == Kind::Stop);
        let blank_behind = |ahead| self.peek(ahead).is_whitespace() || matches!(self.peek(ahead), '\0' | '-');
        let sign = match self.peek(0) {
            '#' => "#",
            '/' if self.starts_with("/*") => "/*",
            '/' if self.starts_with("//") => "//",
            '%' => "%",
            '-' if self.starts_with("--") && !self.starts_with("-->") && blank_behind(2) => "--",
            ';' if starts_statement && !self.begun => ";",
            '<' if self.starts_with("<!--") => "<!--",
            _ => return false,
        };
        let close = match sign {
            "/*" => Some("*/"),
            "<!--" => Some("-->"),
            _ => None,
        };
        let line_end = self.run(0, |c| c != '\n');
        let closed = close.filter(|_| !self.unclosed.contains(&sign)).and_then(|close| {
            (sign.len()..self.chars.len() - self.at)
                .find(|ahead| close.chars().enumerate().all(|(inner, c)| self.peek(ahead + inner) == c))
        });
        let (body_end, end) = closed.map_or((line_end, line_end), |at| (at, at + close.map_or(0, str::len)));
        let repeated =
            if matches!(sign, "%" | "//" | "--" | ";") { self.run(0, |c| sign.starts_with(c)) } else { 0 };
        let is_unclosed = close.is_some() && closed.is_none();
        if is_unclosed {
            self.unclosed.push(sign);
        }
        let from = self.comments.len();
        self.comment_lines(sign, repeated.max(sign.len()), body_end.max(sign.len()), end.max(sign.len()));
        if let Some(comment) = self.comments.get_mut(from) {
            comment.is_unclear |= is_unclosed;
        }
        true
    }

    /// Adds a comment for each line between the sign and its end.
    fn comment_lines(&mut self, sign: &'static str, start: usize, body_end: usize, end: usize) {
        let glued = self.is_glued() && self.is_after_operand();
        let (from, to) = (self.at, self.at + end);
        let mut line_start = from;
        let mut begun = self.begun;
        let mut gap = self.breaks > 1;
        for at in from..=to {
            let ends = at == to || self.chars.get(at).is_some_and(|(_, _, c)| *c == '\n');
            if !ends {
                continue;
            }
            let inner = line_start.max(from + start.min(body_end))..at.min(from + body_end);
            let body: String = self.chars.get(inner).unwrap_or_default().iter().map(|(_, c, _)| *c).collect();
            // The last line of a block can contain only its end.
            if line_start == from || !body.trim().is_empty() || at < to {
                self.comments.push(Comment {
                    start: self.offset(line_start),
                    end: self.offset(at),
                    body: body.trim().to_owned(),
                    sign,
                    tokens_before: self.tokens.len(),
                    alone: !begun,
                    is_unclear: glued,
                    after_gap: gap,
                });
            }
            line_start = at + 1;
            begun = false;
            gap = false;
        }
        if sign == "/*" && self.chars.get(from..to).unwrap_or_default().iter().any(|(_, _, c)| *c == '\n') {
            self.line = line_start.min(to);
        }
        self.at = to;
        self.commented = true;
    }

    /// Skips a Markdown code fence. Returns false if none starts here.
    fn fence(&mut self) -> bool {
        let is_fence = !self.begun && (self.starts_with("```") || self.starts_with("~~~"));
        if is_fence {
            self.at += self.run(0, |c| c != '\n');
        }
        is_fence
    }

    fn token(&mut self) {
        let start = self.at;
        let (kind, len) = self.scan();
        let len = len.max(1);
        let part = self.chars.get(start..start + len).unwrap_or_default();
        let raw = kind == Kind::Text;
        let mut text: String =
            part.iter().map(|(_, written, plain)| if raw { *written } else { *plain }).collect();
        if raw {
            text = canonical_text(&text);
        }
        let breaks = raw && text.contains('\n');
        match kind {
            Kind::Open => self.open.extend(text.chars().next()),
            Kind::Close => drop(self.open.pop()),
            _ => {}
        }
        self.tokens.push(Token {
            kind,
            glued: self.is_glued(),
            text,
            start: self.offset(start),
            end: self.offset(start + len),
            first: !self.begun,
            column: start - self.line,
            after_comment: self.commented,
            after_gap: self.gap,
            below_gap: self.breaks > 1,
            breaks,
            close: None,
        });
        self.at += len;
        (self.commented, self.gap) = (false, false);
    }

    /// Kind and length of the token at the current position, in characters.
    fn scan(&self) -> (Kind, usize) {
        let (c, next) = (self.peek(0), self.peek(1));
        let after_operand = self.is_after_operand();
        let glued_behind = after_operand && self.is_glued();
        match c {
            '(' | '{' => (Kind::Open, 1),
            '[' if matches!(next, '-' | '+') && self.peek(2) == '[' => (Kind::Sign, 2),
            '[' => (Kind::Open, 1),
            ')' | ']' | '}' => (Kind::Close, 1),
            ',' => (Kind::Comma, 1),
            '"' | '\'' | '`' => self.quoted(0),
            'a'..='z' | 'A'..='Z' if self.prefix() > 0 => self.quoted(self.prefix()),
            'a'..='z' => (Kind::Word, self.word(0)),
            'A'..='Z' | '_' => (Kind::Variable, self.run(0, |c| c.is_ascii_alphanumeric() || c == '_')),
            '0'..='9' => (Kind::Number, self.number(0)),
            '-' if next.is_ascii_digit() && !after_operand => (Kind::Number, 1 + self.number(1)),
            '$' | '?' | '@' if !after_operand && (next.is_ascii_alphabetic() || next == '_') => {
                (Kind::Variable, 1 + self.run(1, |c| c.is_ascii_alphanumeric() || c == '_'))
            }
            '/' if !glued_behind && is_name(next) => (Kind::Name, self.name()),
            ':' if next.is_ascii_lowercase() && !self.is_colon_of_pair() => (Kind::Word, 1 + self.word(1)),
            '.' if next.is_ascii_uppercase() && !glued_behind => (Kind::Word, 1 + self.word(1)),
            '.' if next.is_ascii_lowercase() && !self.begun => (Kind::Word, 1 + self.word(1)),
            '.' if self.starts_with("...") => (Kind::Sign, 3),
            '.' => (Kind::Stop, 1),
            '<' if next == '-' && self.peek(2).is_ascii_digit() => (Kind::Sign, 1),
            _ => {
                let sign = SIGNS.iter().find(|sign| self.starts_with(sign));
                (Kind::Sign, sign.map_or(1, |sign| sign.chars().count()))
            }
        }
    }

    /// True if a colon separates a key and its value.
    fn is_colon_of_pair(&self) -> bool {
        self.is_after_operand() && (self.is_glued() || matches!(self.open.last(), Some('[' | '{')))
    }

    fn word(&self, from: usize) -> usize {
        let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
        let mut len = self.run(from, |c| c.is_ascii_alphanumeric() || c == '_');
        while matches!(self.peek(from + len), '.' | ':') && inner(self.peek(from + len + 1)) {
            len += 1 + self.run(from + len + 1, |c| c.is_ascii_alphanumeric() || c == '_');
        }
        len
    }

    fn number(&self, from: usize) -> usize {
        let digits = self.run(from, |c| c.is_ascii_digit());
        let is_date = digits == 4 && self.peek(from + 4) == '-' && self.peek(from + 5).is_ascii_digit();
        if is_date {
            let part = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | 'T' | 'Z');
            let len = self.run(from, part);
            let fraction = self.peek(from + len) == '.' && self.peek(from + len + 1).is_ascii_digit();
            return if fraction { len + 1 + self.run(from + len + 1, part) } else { len };
        }
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut len = self.run(from, part);
        if self.peek(from + len) == '.' && self.peek(from + len + 1).is_ascii_digit() {
            len += 1 + self.run(from + len + 1, part);
        }
        let is_exponent = len > 0 && matches!(self.peek(from + len - 1), 'e' | 'E');
        if is_exponent
            && matches!(self.peek(from + len), '+' | '-')
            && self.peek(from + len + 1).is_ascii_digit()
        {
            len += 1 + self.run(from + len + 1, part);
        }
        len
    }

    /// The length of a name without a final period, in characters.
    fn name(&self) -> usize {
        let len = self.run(1, |c| is_name(c) || c == '/');
        let dots = (1..=len).rev().take_while(|at| self.peek(*at) == '.').count();
        (1 + len - dots).max(1)
    }

    /// The number of letters before a quote: `b"…"`, and `f"…"` of other languages.
    fn prefix(&self) -> usize {
        let letters = self.run(0, |c| c.is_ascii_alphabetic());
        let is_prefix = ["b", "f", "r", "u", "F", "R", "L", "s", "raw"]
            .iter()
            .any(|prefix| prefix.len() == letters && self.starts_with(prefix));
        if is_prefix && matches!(self.peek(letters), '"' | '\'' | '`') { letters } else { 0 }
    }

    fn quoted(&self, from: usize) -> (Kind, usize) {
        let quote = self.peek(from);
        let is_plain = self.chars.get(self.at + from).is_some_and(|(_, written, plain)| written == plain);
        if self.peek(from + 1) == quote && self.peek(from + 2) == quote {
            let inside = from + 3;
            let end = (inside..self.chars.len() - self.at)
                .find(|at| (0..3).all(|inner| self.peek(at + inner) == quote));
            return end.map_or((Kind::Sign, from + 1), |end| (Kind::Text, end + 3));
        }
        let mut escaped = false;
        for (ahead, (_, written, plain)) in
            self.chars.get(self.at + from + 1..).unwrap_or_default().iter().enumerate()
        {
            let closes = *plain == quote && (!is_plain || written == plain);
            if closes && !escaped {
                return (Kind::Text, from + ahead + 2);
            }
            escaped = *plain == '\\' && !escaped;
        }
        (Kind::Sign, from + 1)
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '~' | '%' | '-')
}

/// A string with plain quotes and without a foreign prefix.
fn canonical_text(written: &str) -> String {
    let bytes = if written.starts_with('b') { "b" } else { "" };
    let quoted = written.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let quote = |c: char| match c {
        '"' | '\'' | '`' => Some(c),
        _ => plain_sign(c).and_then(|plain| plain.chars().next()),
    };
    let Some(mark) = quoted.chars().next().and_then(quote) else { return written.to_owned() };
    let count = quoted.chars().count();
    let is_triple = count > 5 && quoted.chars().take(3).all(|c| quote(c) == Some(mark));
    let marks = if is_triple { 3 } else { 1 };
    let inner: String = quoted.chars().skip(marks).take(count.saturating_sub(2 * marks)).collect();
    format!("{bytes}{mark}{inner}{mark}")
}
