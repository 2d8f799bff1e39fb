//! References from the Mangle texts of a transcript.

use memchr::memmem;

use super::TranscriptView;
use crate::subject::Subject;
use mangle_engine::program::Program;
use mangle_syntax::text::TextRange;

/// Returns the ranges in the file that mention the subject. Variables are local to their update, so
/// they have no references.
#[must_use]
pub fn mentions(opened: TranscriptView<'_>, subject: Subject, program: &Program) -> Vec<TextRange> {
    let Some(word) = word(subject) else { return Vec::new() };
    let finder = memmem::Finder::new(word);
    let mut found = Vec::new();
    for entry in opened.records.list() {
        if finder.find(opened.records.bytes(entry)).is_none() {
            continue;
        }
        for text in opened.records.mangle(entry, opened.settings) {
            if finder.find(text.embedded.text.as_bytes()).is_none() {
                continue;
            }
            let occurrences = subject.occurrences_in(program, text.summary()).into_iter();
            let place = |range| entry.place(text.to_source(range));
            found.extend(occurrences.map(|occurrence| place(occurrence.range)));
        }
    }
    for text in opened.records.fences() {
        let occurrences = subject.occurrences_in(program, text.summary()).into_iter();
        found.extend(occurrences.map(|occurrence| text.to_source(occurrence.range)));
    }
    found
}

/// True if a transcript with this text may mention the subject. Scans the bytes of the text.
#[must_use]
pub fn may_mention(text: &str, subject: Subject) -> bool {
    word(subject).is_some_and(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// Returns a word that every mention contains verbatim, at any level of escaping.
fn word(subject: Subject) -> Option<&'static str> {
    let symbol = match subject {
        Subject::Predicate(key) => key.name,
        Subject::Builtin(name)
        | Subject::Function(name)
        | Subject::Name(name)
        | Subject::Package(name)
        | Subject::Descriptor(name) => name,
        Subject::Variable(_) | Subject::Wildcard => return None,
    };
    let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '_';
    symbol.as_str().rsplit(|char| !is_plain(char)).find(|word| !word.is_empty())
}
