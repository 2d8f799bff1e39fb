//! Violations of the JSON grammar, with their positions and messages.

use super::Json;
use mangle_syntax::text::{TextRange, TextSize, size, whole_characters};

/// A violation of the JSON grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonProblem {
    /// The kind of the violation.
    pub kind: JsonProblemKind,
    /// The affected bytes, relative to the start of the text.
    pub range: TextRange,
}

/// The kinds of violations of the JSON grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JsonProblemKind {
    /// A missing value.
    NoValue,
    /// A missing comma between members or elements.
    NoComma,
    /// A leading, trailing or repeated comma.
    ExtraComma,
    /// A missing colon after a key.
    NoColon,
    /// A missing key before a value.
    NoKey,
    /// An unknown word, for example `True`, `NaN` or an unquoted key.
    Word,
    /// A number in a syntax that JSON does not allow, for example `01`, `+1` or `.5`.
    BadNumber,
    /// A string in single quotes.
    SingleQuotes,
    /// A string delimiter other than `"`.
    WrongQuote,
    /// A quote inside a string without a backslash.
    UnescapedQuote,
    /// A missing quote at the start or end of a string.
    NoQuote,
    /// White space that JSON does not allow, for example U+00A0.
    WrongSpace,
    /// A comma or colon of another script.
    WrongSign,
    /// A missing `]` before the next key of the surrounding object.
    NoBracket,
    /// A byte below U+0020 inside a string.
    RawControl,
    /// An unknown escape sequence.
    BadEscape,
    /// A comment.
    Comment,
    /// Bytes that do not start a value or key.
    Stray,
    /// A closing bracket of the wrong kind.
    WrongBracket,
    /// A value that is not closed at the end of the text.
    Unclosed,
    /// A value nested deeper than 10,000 levels.
    TooDeep,
}

/// The maximum length of a reported range.
const MAX_LEN: TextSize = TextSize::new(80);

impl Json<'_> {
    /// Returns the range to report for a problem, at most 80 bytes plus partial characters.
    ///
    /// If a token is missing, the range is the character before it. For a missing key, the range is
    /// the character after it.
    #[must_use]
    pub fn problem_range(&self, problem: &JsonProblem) -> TextRange {
        whole_characters(self.text(), self.near(problem))
    }

    /// Returns the range like [`Json::problem_range`], but it may begin or end inside a character.
    fn near(&self, problem: &JsonProblem) -> TextRange {
        let range = problem.range;
        if !range.is_empty() {
            return TextRange::new(range.start(), range.end().min(range.start() + MAX_LEN));
        }
        let before = self.text().get(..usize::from(range.start())).unwrap_or(&[]).trim_ascii_end().len();
        match before.checked_sub(1) {
            Some(last) if problem.kind != JsonProblemKind::NoKey => TextRange::new(size(last), size(before)),
            _ => TextRange::at(range.start(), TextSize::new(1)),
        }
    }

    /// Describes a problem in lower case, for the start of a message.
    ///
    /// `count` is the number of problems with the same cause that the message covers.
    #[must_use]
    pub fn problem_message(&self, problem: &JsonProblem, count: usize) -> String {
        let range = usize::from(problem.range.start())..usize::from(problem.range.end());
        let text = String::from_utf8_lossy(self.text().get(range).unwrap_or(&[]));
        let short: String = text.chars().take(30).collect();
        match problem.kind {
            JsonProblemKind::NoValue => "missing value".to_owned(),
            JsonProblemKind::NoComma => "missing comma".to_owned(),
            JsonProblemKind::ExtraComma => "unexpected comma".to_owned(),
            JsonProblemKind::NoColon => "missing colon after the key".to_owned(),
            JsonProblemKind::NoKey => "missing key before the value".to_owned(),
            JsonProblemKind::Word => format!("`{short}` is not JSON"),
            JsonProblemKind::BadNumber => format!("`{short}` is not a JSON number"),
            JsonProblemKind::SingleQuotes => match count {
                1 => "JSON string is in single quotes".to_owned(),
                _ => format!("{count} JSON strings are in single quotes"),
            },
            JsonProblemKind::WrongQuote => format!("{} is not a quote of JSON", character(&text)),
            JsonProblemKind::UnescapedQuote => match count {
                1 => "quote inside a string is not escaped".to_owned(),
                _ => format!("{count} quotes inside a string are not escaped"),
            },
            JsonProblemKind::NoQuote => "missing quote of a string".to_owned(),
            JsonProblemKind::WrongSpace => format!("{} is not white space of JSON", character(&text)),
            JsonProblemKind::WrongSign => format!("{} is not a sign of JSON", character(&text)),
            JsonProblemKind::NoBracket => "list is not closed before the next key".to_owned(),
            JsonProblemKind::RawControl => match (count, &*text) {
                (1, "\n" | "\r") => "string contains a raw line break".to_owned(),
                (_, "\n" | "\r") => format!("string contains raw line breaks ({count} control characters)"),
                _ => "string contains a raw control character".to_owned(),
            },
            JsonProblemKind::BadEscape => format!("`{short}` is not a JSON escape"),
            JsonProblemKind::Comment => "JSON has no comments".to_owned(),
            JsonProblemKind::Stray => format!("unexpected `{short}`"),
            JsonProblemKind::WrongBracket => "bracket does not match the last open one".to_owned(),
            JsonProblemKind::Unclosed => "string, list or object is not closed".to_owned(),
            JsonProblemKind::TooDeep => "more than 10,000 levels of nesting".to_owned(),
        }
    }
}

/// Formats the first character of a text with its code point. Invisible characters are shown only
/// as a code point.
fn character(text: &str) -> String {
    let first = text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
    let is_visible = first != '`' && !first.is_whitespace() && !first.is_control();
    let has_no_width = matches!(first, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    let number = format!("U+{:04X}", u32::from(first));
    if is_visible && !has_no_width { format!("`{first}` ({number})") } else { number }
}
