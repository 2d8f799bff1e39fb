//! Sections of a prompt: lines with their roles, values and origins, and the wording of headings and
//! sentences.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::origin::LineOrigin;
use super::texts::Block;
use mangle_settings::phrase;
use mangle_syntax::text::{TextRange, size, text_len};

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

/// The role of a line in its section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineRole {
    /// Content.
    Text,
    /// The heading of a part.
    Heading,
    /// Part of a banner, or an empty line.
    Layout,
}

/// A line of a prompt, or a list entry with several lines.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptLine {
    /// The text in the prompt without the final line end. Contains line ends if its origin does.
    pub text: String,
    /// The role of the line in its section.
    pub role: LineRole,
    /// The block of the session section.
    pub block: Option<Block>,
    /// The name of the value; `None` for a line without a value of its own.
    pub tag: Option<&'static str>,
    /// The range of the value in [`PromptLine::text`], without label and indent.
    pub value: TextRange,
    /// The origin of the value.
    pub origin: LineOrigin,
}

impl PromptLine {
    /// A line that consists of its value.
    #[must_use]
    pub fn plain(text: impl Into<String>, origin: LineOrigin) -> Self {
        let text = text.into();
        let value = TextRange::up_to(text_len(&text));
        Self { text, role: LineRole::Text, block: None, tag: None, value, origin }
    }

    /// A line with a label before the value.
    #[must_use]
    pub fn labelled(label: &str, value: &str, tag: Option<&'static str>, origin: LineOrigin) -> Self {
        let mut text = String::with_capacity(label.len() + value.len());
        let _ = write!(text, "{label}{value}");
        let value = TextRange::at(size(label.len()), text_len(value));
        Self { text, role: LineRole::Text, block: None, tag, value, origin }
    }

    /// A built-in line without content: part of a banner, or empty.
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

/// The phrases of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct Wording<'t> {
    templates: &'t BTreeMap<String, String>,
}

impl<'t> Wording<'t> {
    /// The phrases of templates. Default: the built-in phrases.
    #[must_use]
    pub fn new(templates: &'t BTreeMap<String, String>) -> Self {
        Self { templates }
    }

    /// Only the built-in phrases.
    #[must_use]
    pub fn built_in() -> Self {
        static NONE: BTreeMap<String, String> = BTreeMap::new();
        Self { templates: &NONE }
    }

    pub(super) fn text(self, name: &str) -> &'t str {
        match self.templates.get(name) {
            Some(text) => text,
            None => phrase(name).map_or("", |phrase| phrase.text),
        }
    }

    /// A phrase with its values, and the range of `{value}`. Without `{value}`, the range of all
    /// text except indent and bullet.
    fn filled(self, name: &str, values: &[(&str, &str)]) -> (String, TextRange) {
        let (mut text, mut rest) = (String::new(), self.text(name));
        let mut shown = None;
        while let Some(start) = rest.find('{') {
            let (before, hole) = rest.split_at(start);
            text.push_str(before);
            let found = values.iter().find(|(name, _)| {
                hole.strip_prefix('{')
                    .is_some_and(|hole| hole.strip_prefix(*name).is_some_and(|after| after.starts_with('}')))
            });
            match found {
                Some((name, value)) => {
                    if *name == "value" {
                        shown = Some(TextRange::at(text_len(&text), text_len(value)));
                    }
                    text.push_str(value);
                    rest = hole.get(name.len() + 2..).unwrap_or_default();
                }
                None => {
                    text.push('{');
                    rest = hole.get(1..).unwrap_or_default();
                }
            }
        }
        text.push_str(rest);
        let bare = text.trim_start();
        let bare = bare.strip_prefix("- ").unwrap_or(bare);
        let all = TextRange::at(size(text.len() - bare.len()), text_len(bare));
        (text, shown.unwrap_or(all))
    }

    /// A phrase with its values as text.
    pub(super) fn sentence(self, name: &str, values: &[(&str, &str)]) -> String {
        self.filled(name, values).0
    }

    /// A content line: a phrase with its values.
    pub(super) fn line(
        self,
        name: &str,
        values: &[(&str, &str)],
        tag: Option<&'static str>,
        origin: LineOrigin,
    ) -> PromptLine {
        let (text, value) = self.filled(name, values);
        PromptLine { value, tag, ..PromptLine::plain(text, origin) }
    }

    pub(super) fn heading(self, name: &str) -> Vec<PromptLine> {
        self.fixed(name, LineRole::Heading)
    }

    /// The lines of a phrase without values; empty if its text is empty.
    pub(super) fn fixed(self, name: &str, role: LineRole) -> Vec<PromptLine> {
        let text = Some(self.text(name)).filter(|text| !text.is_empty());
        let lines = text.into_iter().flat_map(|text| text.split('\n'));
        lines.map(|line| PromptLine { role, ..PromptLine::plain(line, LineOrigin::builtin(name)) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mangle_syntax::text::slice;

    #[test]
    fn values_are_filled_in_and_have_their_bytes() {
        let templates = BTreeMap::from([
            ("session.retry".to_owned(), "  TDD Retry: {value} (fix {cause})".to_owned()),
            ("session.output".to_owned(), "  - {shard}/{task}: {outcome}".to_owned()),
            ("session.tests".to_owned(), "TEST STATE:\nFAILING".to_owned()),
            ("session.git".to_owned(), String::new()),
        ]);
        let wording = Wording::new(&templates);
        let (text, value) = wording.filled("session.retry", &[("value", "2")]);
        assert_eq!((text.as_str(), slice(&text, value)), ("  TDD Retry: 2 (fix {cause})", "2"));
        let values = [("shard", "coder"), ("outcome", "{task}"), ("task", "run"), ("summary", "x")];
        let (text, value) = wording.filled("session.output", &values);
        assert_eq!((text.as_str(), slice(&text, value)), ("  - coder/run: {task}", "coder/run: {task}"));
        let lines = |name| wording.heading(name).into_iter().map(|line| line.text).collect::<Vec<_>>();
        assert_eq!(lines("session.tests"), ["TEST STATE:", "FAILING"]);
        assert_eq!((lines("session.git"), lines("session.tools")), (vec![], vec!["TOOLS:".to_owned()]));
    }
}
