//! Sections of a prompt: lines with their origins.

use super::line::{LineRole, PromptLine};
use super::origin::LineOrigin;
use super::wording::Wording;
pub use mangle_settings::PromptMode as Mode;

/// The kind of a section.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// The preamble if `inception` is set.
    Inception,
    /// The identity of the shard.
    Base,
    /// The injected context.
    Context,
    /// The knowledge of specialists.
    Knowledge,
    /// The session data.
    Session,
    /// The user's intent.
    Intent,
    /// The envelope instructions.
    Suffix,
    /// The reasoning request.
    Reasoning,
    /// The title of a compressed input.
    Title,
    /// The core facts of the constitution.
    Core,
    /// The facts of a turn.
    State,
    /// The history of older turns.
    History,
    /// The recent turns without their text.
    Recent,
    /// The user's message.
    Message,
    /// The requested reply format of a turn.
    Answer,
    /// The results to put into words.
    Results,
    /// The requirements of an articulation.
    Requirements,
    /// The atoms of this category.
    Category(String),
}

impl SectionKind {
    /// The name in JSON output.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Inception => "inception",
            Self::Base => "base",
            Self::Context => "context",
            Self::Knowledge => "knowledge",
            Self::Session => "session",
            Self::Intent => "intent",
            Self::Suffix => "suffix",
            Self::Reasoning => "reasoning",
            Self::Title => "title",
            Self::Core => "core",
            Self::State => "state",
            Self::History => "history",
            Self::Recent => "recent",
            Self::Message => "message",
            Self::Answer => "answer",
            Self::Results => "results",
            Self::Requirements => "requirements",
            Self::Category(name) => name,
        }
    }
}

/// The source of the text of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SectionSource {
    /// Facts of the kernel.
    Kernel,
    /// A built-in text with this name.
    Builtin(String),
    /// A template of the configuration with this name.
    Configured(String),
    /// Prompt atoms.
    Atoms,
    /// The session.
    Session,
    /// The intent.
    Intent,
    /// The preview itself.
    Preview,
}

impl SectionSource {
    /// The name in JSON output.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Builtin(_) => "builtin",
            Self::Configured(_) => "configured",
            Self::Atoms => "atoms",
            Self::Session => "session",
            Self::Intent => "intent",
            Self::Preview => "preview",
        }
    }

    /// The name of the text, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Builtin(name) | Self::Configured(name) => Some(name),
            _ => None,
        }
    }
}

/// A part of a prompt under one heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The kind of the section.
    pub kind: SectionKind,
    /// The source of the text.
    pub from: SectionSource,
    /// The title of the section.
    pub title: String,
    /// The lines, including banner and blank lines.
    pub lines: Vec<PromptLine>,
}

impl Section {
    /// A section without lines.
    #[must_use]
    pub fn new(kind: SectionKind, from: SectionSource, title: impl Into<String>) -> Self {
        Self { kind, from, title: title.into(), lines: Vec::new() }
    }

    /// Appends the lines of a text with one origin.
    pub fn push_text(&mut self, text: &str, origin: &LineOrigin) {
        self.lines.extend(text.split('\n').map(|line| PromptLine::plain(line, origin.clone())));
    }

    /// Appends an empty line.
    pub fn push_blank(&mut self) {
        self.lines.push(PromptLine::layout(""));
    }

    /// Appends the banner with a title.
    pub(super) fn push_banner(&mut self, wording: Wording<'_>, title: &str) {
        for name in ["banner.rule", title, "banner.rule"] {
            self.lines.extend(wording.fixed(name, LineRole::Layout));
        }
    }

    /// The content lines.
    pub fn content(&self) -> impl Iterator<Item = &PromptLine> {
        self.lines.iter().filter(|line| line.role == LineRole::Text)
    }

    /// The text, with a line end after each line.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        text
    }
}

/// The predicate of context atoms: shard, text.
pub(crate) const INJECTED: &str = "injectable_context";

/// The predicate of specialist knowledge: shard, topic, text.
pub(crate) const KNOWLEDGE: &str = "specialist_knowledge";
