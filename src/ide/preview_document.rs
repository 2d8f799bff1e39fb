//! A prompt as a document: its text, which of its lines come from where, and its sections as folds. And what stands above
//! the comments that ask for prompts.
//!
//! Takes what a preview shows; gives ranges of the text and places of files, for an editor to go back and forth.

use crate::prompt::{Common, Header, OriginPlace, Shown};
use crate::text::{TextRange, text_len};

/// A prompt as a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptDocument {
    /// The prompt.
    pub text: String,
    /// Its lines, as far as what they come from can be opened.
    pub origins: Vec<PromptOrigin>,
    /// The ranges of its sections that have more than one line, each with what the section is called.
    pub sections: Vec<(TextRange, String)>,
}

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptOrigin {
    /// The line, without its line end.
    pub range: TextRange,
    /// Where its words are.
    pub place: OriginPlace,
    /// What it is there: `fact`, `derived`, `session`, …
    pub kind: &'static str,
}

/// Lays out a prompt.
#[must_use]
pub fn prompt_document(common: &Common, shown: &Shown) -> PromptDocument {
    let mut document = PromptDocument::default();
    for section in &shown.prompt.sections {
        let start = text_len(&document.text);
        for line in &section.lines {
            let range = TextRange::at(text_len(&document.text), text_len(&line.text));
            if let Some(place) = common.place(shown, &line.origin) {
                document.origins.push(PromptOrigin { range, place, kind: line.origin.kind() });
            }
            document.text.push_str(&line.text);
            document.text.push('\n');
        }
        let end = text_len(document.text.trim_end_matches('\n')).max(start);
        let range = TextRange::new(start, end);
        if crate::text::slice(&document.text, range).contains('\n') {
            document.sections.push((range, section.kind.as_str().to_owned()));
        }
    }
    document
}

/// A line above a comment that asks for a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewLens {
    /// The comment.
    pub range: TextRange,
    /// What the preview is called.
    pub name: String,
}

/// The previews that the comments at the top of a file ask for; `stem` is what one is called that has no name.
#[must_use]
pub fn preview_lenses(text: &str, stem: &str) -> Vec<PreviewLens> {
    if !text.contains("@preview") {
        return Vec::new();
    }
    let groups = Header::read(text).groups.into_iter().filter(|group| group.shard.is_some());
    let lens = |group: crate::prompt::Group| {
        let name = if group.name.is_empty() { stem.to_owned() } else { group.name };
        PreviewLens { range: group.range, name }
    };
    groups.map(lens).collect()
}
