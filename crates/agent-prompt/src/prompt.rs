//! Assembled prompt: sections with origins, and problems of the assembly.

use std::sync::Arc;

use crate::jit::Compilation;
use crate::line::PromptLine;
use crate::sections::Section;
use mangle_settings::PromptMode as Mode;

/// An assembled prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prompt {
    /// The assembly mode.
    pub mode: Mode,
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// True if the envelope instructions were appended.
    pub suffix: bool,
    /// The decisions of the prompt compiler, if it made the prompt.
    pub compilation: Option<Arc<Compilation>>,
    /// The reason why the requested compiler was not used, as the runtime records it (at most 400
    /// bytes).
    pub fallback: Option<String>,
    /// Failed queries: predicate and error message. Their sections are missing.
    pub failed: Vec<(&'static str, String)>,
}

impl Prompt {
    /// The text of all sections.
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
