//! An assembled prompt.

use std::sync::Arc;

use crate::jit::Compilation;
use crate::line::PromptLine;
use crate::sections::Section;
use mangle_settings::PromptMode as Mode;

/// An assembled prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prompt {
    /// How it was assembled.
    pub mode: Mode,
    /// Its sections, in order.
    pub sections: Vec<Section>,
    /// Whether the envelope instructions were appended.
    pub suffix: bool,
    /// What the prompt compiler did, where it made the prompt.
    pub compilation: Option<Arc<Compilation>>,
    /// Why the compiler was not used although it was asked for, as the runtime records it (400 bytes at most).
    pub fallback: Option<String>,
    /// Queries that failed: the predicate, and why. Their sections are missing.
    pub failed: Vec<(&'static str, String)>,
}

impl Prompt {
    /// The text that the shard reads, section by section.
    #[must_use]
    pub fn text(&self) -> String {
        self.sections.iter().map(Section::text).collect()
    }

    /// All lines, with the index of their section.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &PromptLine)> {
        self.sections
            .iter()
            .enumerate()
            .flat_map(|(at, section)| section.lines.iter().map(move |line| (at, line)))
    }
}
