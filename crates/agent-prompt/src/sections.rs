//! An assembled prompt: sections of lines, each with its origin.

use std::fmt::Write as _;
use std::sync::Arc;

use super::jit::Compilation;
use super::origin::LineOrigin;
use super::texts::Block;
use super::wording::Wording;
pub use mangle_settings::PromptMode as Mode;
use mangle_syntax::text::{TextRange, size, text_len};

/// What a section is.
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
    /// The kernel.
    Kernel,
    /// A built-in text of this name.
    Builtin(String),
    /// A template of the configuration.
    Configured(String),
    /// Atoms.
    Atoms,
    /// The session.
    Session,
    /// The intent.
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

/// What a line is to its section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineRole {
    /// What the section is about.
    Text,
    /// The heading of a part.
    Heading,
    /// Part of a banner, or nothing at all.
    Layout,
}

/// A line, or a list entry of several lines.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptLine {
    /// The line as it is in the prompt, without its line end. It may hold line ends where its origin does.
    pub text: String,
    /// What it is to its section.
    pub role: LineRole,
    /// The part of the session that it belongs to.
    pub block: Option<Block>,
    /// What the value is called, for a line with a value of its own.
    pub tag: Option<&'static str>,
    /// The bytes of [`PromptLine::text`] that the origin gave, without label and indent.
    pub value: TextRange,
    /// Where it comes from.
    pub origin: LineOrigin,
}

impl PromptLine {
    /// A line that its origin gave as it is.
    #[must_use]
    pub fn plain(text: impl Into<String>, origin: LineOrigin) -> Self {
        let text = text.into();
        let value = TextRange::up_to(text_len(&text));
        Self { text, role: LineRole::Text, block: None, tag: None, value, origin }
    }

    /// A line with something in front of the value.
    #[must_use]
    pub fn labelled(label: &str, value: &str, tag: Option<&'static str>, origin: LineOrigin) -> Self {
        let mut text = String::with_capacity(label.len() + value.len());
        let _ = write!(text, "{label}{value}");
        let value = TextRange::at(size(label.len()), text_len(value));
        Self { text, role: LineRole::Text, block: None, tag, value, origin }
    }

    /// A line of ours that is no content: of a banner, or empty.
    #[must_use]
    pub fn layout(text: &str) -> Self {
        Self { role: LineRole::Layout, ..Self::plain(text, LineOrigin::builtin("layout")) }
    }

    /// The value, without label and indent.
    #[must_use]
    pub fn value(&self) -> &str {
        mangle_syntax::text::slice(&self.text, self.value)
    }
}

/// A section.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// What it is.
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
    /// All of its text.
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
