//! Diagnostics as output: text with excerpts, and JSON lines; and rules as output ([`rules`]).
//!
//! Takes placed diagnostics and the texts that they point into ([`Sources`]); gives strings. Does
//! no IO and knows nothing of programs.

mod excerpt;
mod json;
pub mod rules;
mod sources;
mod summary;
mod text;

#[cfg(test)]
mod tests;

pub use json::{json_line, json_summary};
pub use sources::{SourceText, Sources};
pub use summary::{Summary, count};
pub use text::text;

use crate::lint::Diagnostic;
use crate::text::FileId;

/// A diagnostic and the file that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The file.
    pub file: FileId,
    /// What was found in it.
    pub diagnostic: Diagnostic,
}

/// Puts entries in the order of all output (file name, start, end, code) and drops those that are
/// there twice, as those of a file of two programs are.
pub fn sort(entries: &mut Vec<Entry>, sources: &Sources) {
    fn key<'a>(entry: &'a Entry, sources: &'a Sources) -> impl Ord + use<'a> {
        let Entry { file, diagnostic } = entry;
        let (range, rule) = (diagnostic.range, diagnostic.rule);
        (sources.name(*file), range.start(), range.end(), rule.code, diagnostic.message.as_str())
    }
    entries.sort_by(|a, b| key(a, sources).cmp(&key(b, sources)));
    entries.dedup_by(|a, b| key(a, sources) == key(b, sources));
}
