//! Problems for people: where they are shown, and in words.

use super::{Json, JsonProblem, JsonProblemKind};
use mangle_syntax::text::{TextRange, TextSize, size, whole_characters};

/// How much is shown of something long.
const LONGEST: TextSize = TextSize::new(80);

impl Json<'_> {
    /// The bytes of a problem, the first of many; where something is missing, what stands before it.
    #[must_use]
    pub fn place(&self, problem: &JsonProblem) -> TextRange {
        whole_characters(self.text(), self.near(problem))
    }

    /// The same, which may begin or end inside of a character.
    fn near(&self, problem: &JsonProblem) -> TextRange {
        let range = problem.range;
        if !range.is_empty() {
            return TextRange::new(range.start(), range.end().min(range.start() + LONGEST));
        }
        let before = self.text().get(..usize::from(range.start())).unwrap_or(&[]).trim_ascii_end().len();
        match before.checked_sub(1) {
            Some(last) if problem.kind != JsonProblemKind::NoKey => TextRange::new(size(last), size(before)),
            _ => TextRange::at(range.start(), TextSize::new(1)),
        }
    }

    /// What is wrong, as the beginning of a sentence in lower case. `count` problems are told at once, if they are control
    /// characters of one string.
    #[must_use]
    pub fn said(&self, problem: &JsonProblem, count: usize) -> String {
        let range = usize::from(problem.range.start())..usize::from(problem.range.end());
        let text = String::from_utf8_lossy(self.text().get(range).unwrap_or(&[]));
        let short: String = text.chars().take(30).collect();
        match problem.kind {
            JsonProblemKind::NoValue => "a value is missing here".to_owned(),
            JsonProblemKind::NoComma => "a comma is missing behind this".to_owned(),
            JsonProblemKind::ExtraComma => "JSON allows no comma here".to_owned(),
            JsonProblemKind::NoColon => "a colon is missing behind this key".to_owned(),
            JsonProblemKind::NoKey => "a key is missing in front of this value".to_owned(),
            JsonProblemKind::Word => format!(
                "`{short}` is no JSON: keys and texts need double quotes, words are `true`, `false`, `null`"
            ),
            JsonProblemKind::BadNumber => format!("`{short}` is not how JSON writes a number"),
            JsonProblemKind::SingleQuotes => "JSON strings need double quotes".to_owned(),
            JsonProblemKind::RawControl => match (count, &*text) {
                (1, "\n" | "\r") => "a line break inside a string must be written `\\n`".to_owned(),
                (_, "\n" | "\r") => {
                    format!("line breaks inside a string must be written `\\n` ({count} control characters)")
                }
                _ => "a control character inside a string must be escaped".to_owned(),
            },
            JsonProblemKind::BadEscape => format!("`{short}` is no escape of JSON"),
            JsonProblemKind::Comment => "JSON has no comments".to_owned(),
            JsonProblemKind::Stray => format!("`{short}` means nothing here"),
            JsonProblemKind::WrongBracket => "this bracket does not close what was opened last".to_owned(),
            JsonProblemKind::Unclosed => "this is never closed".to_owned(),
            JsonProblemKind::TooDeep => "more than 10,000 levels of nesting".to_owned(),
        }
    }
}
