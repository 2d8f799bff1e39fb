//! An assembled prompt: sections of lines, each with its origin.

use super::line::{LineRole, PromptLine};
use super::origin::LineOrigin;
use super::wording::Wording;
pub use mangle_settings::PromptMode as Mode;

/// The kinds of sections that a prompt can have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// What stands above everything when `inception` is set.
    Inception,
    /// Who the shard is.
    Base,
    /// What the kernel injects.
    Context,
    /// What the kernel knows for a specialist.
    Knowledge,
    /// What the session knows.
    Session,
    /// What the person wants.
    Intent,
    /// The envelope instructions.
    Suffix,
    /// What asks for reasons.
    Reasoning,
    /// Of which turn a compressed input is.
    Title,
    /// What the constitution says.
    Core,
    /// The facts of a turn.
    State,
    /// What is left of older turns.
    History,
    /// The last turns, without their words.
    Recent,
    /// What the person says.
    Message,
    /// What a turn is to be answered with.
    Answer,
    /// Results that are to be put into words.
    Results,
    /// What an articulation has to do.
    Requirements,
    /// The atoms of a category.
    Category(String),
}

impl SectionKind {
    /// The word in JSON.
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

/// Who gave the text of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SectionSource {
    /// The text comes from the kernel's facts.
    Kernel,
    /// A built-in text of this name.
    Builtin(String),
    /// A template of the configuration.
    Configured(String),
    /// The text comes from prompt atoms.
    Atoms,
    /// The text comes from the session.
    Session,
    /// The text comes from the intent.
    Intent,
    /// The preview itself.
    Preview,
}

impl SectionSource {
    /// The word in JSON.
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
    /// Which of the known sections it is.
    pub kind: SectionKind,
    /// Who gave its text.
    pub from: SectionSource,
    /// What it is called.
    pub title: String,
    /// Its lines, banner and blank lines included.
    pub lines: Vec<PromptLine>,
}

impl Section {
    /// A section without lines.
    #[must_use]
    pub fn new(kind: SectionKind, from: SectionSource, title: impl Into<String>) -> Self {
        Self { kind, from, title: title.into(), lines: Vec::new() }
    }

    /// Adds the lines of a text that an origin gave.
    pub fn push_text(&mut self, text: &str, origin: &LineOrigin) {
        self.lines.extend(text.split('\n').map(|line| PromptLine::plain(line, origin.clone())));
    }

    /// Adds an empty line.
    pub fn push_blank(&mut self) {
        self.lines.push(PromptLine::layout(""));
    }

    /// Adds the banner with a title.
    pub(super) fn push_banner(&mut self, wording: Wording<'_>, title: &str) {
        for name in ["banner.rule", title, "banner.rule"] {
            self.lines.extend(wording.fixed(name, LineRole::Layout));
        }
    }

    /// The lines that are content.
    pub fn content(&self) -> impl Iterator<Item = &PromptLine> {
        self.lines.iter().filter(|line| line.role == LineRole::Text)
    }

    /// Its text, each line with its line end.
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

/// The predicate that holds context atoms: shard, text.
pub(crate) const INJECTED: &str = "injectable_context";

/// The predicate that holds the knowledge of specialists: shard, topic, text.
pub(crate) const KNOWLEDGE: &str = "specialist_knowledge";
