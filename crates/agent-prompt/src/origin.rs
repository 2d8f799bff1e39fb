//! Origin of a prompt line, and texts with their source.

use std::sync::Arc;

use mangle_engine::kernel::RuleId;
use mangle_engine::program::PredicateId;
use mangle_syntax::text::{FileId, TextRange};

/// The origin of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum LineOrigin {
    /// A fact of the kernel.
    Fact(FactOrigin),
    /// A value of the session.
    Session {
        /// The JSON pointer of the value.
        pointer: String,
        /// The range in the session file; empty for a value from the caller.
        range: TextRange,
    },
    /// A part of the user's intent.
    Intent {
        /// The part of the intent.
        part: &'static str,
        /// The source of the value.
        source: TextSource,
        /// The JSON pointer in a session file.
        pointer: String,
        /// The range in the source.
        range: TextRange,
    },
    /// A built-in text, or its replacement in the configuration.
    Builtin {
        /// The name of the text, for example `coder` or `session.tests`.
        name: String,
    },
    /// The envelope instructions.
    Suffix {
        /// The condition that requires the instructions.
        because: &'static str,
    },
    /// A turn of a captured session.
    Turn {
        /// The number of the turn, from 1.
        number: u64,
        /// The display name of the captured file.
        file: Arc<str>,
        /// The line of the record in the file, from 1.
        line: usize,
    },
    /// A prompt atom.
    Atom {
        /// The id of the prompt atom.
        id: String,
        /// The file; `None` for a generated atom.
        file: Option<FileId>,
        /// The range in the file.
        range: TextRange,
    },
}

/// A fact of the kernel, as the origin of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactOrigin {
    /// The fact as the engine prints it.
    pub fact: String,
    /// The predicate, and the number of the fact in its relation; `None` outside of a kernel.
    pub key: Option<(PredicateId, u32)>,
    /// The clause that first derived the fact; [`RuleId::ASSERTED`] for an asserted fact.
    pub rule: RuleId,
    /// The kind of source.
    pub kind: FactOriginKind,
    /// The index of the shown argument, from 0. An index out of range means the whole fact.
    pub argument: usize,
}

/// The kind of source of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FactOriginKind {
    /// A clause of the program states the fact.
    Stated,
    /// A rule derives the fact.
    Derived,
    /// The preview added the fact.
    Synthetic,
    /// The caller supplied the fact.
    Given,
}

impl FactOrigin {
    /// A fact outside of any kernel.
    #[must_use]
    pub fn listed(fact: impl Into<String>) -> Self {
        Self {
            fact: fact.into(),
            key: None,
            rule: RuleId::ASSERTED,
            kind: FactOriginKind::Given,
            argument: 0,
        }
    }

    /// The same origin, for the whole fact.
    #[must_use]
    pub fn whole(&self) -> Self {
        self.showing(usize::MAX)
    }

    /// The same origin, for another argument.
    #[must_use]
    pub fn showing(&self, argument: usize) -> Self {
        Self { argument, ..self.clone() }
    }
}

impl LineOrigin {
    /// The origin of a built-in text.
    #[must_use]
    pub fn builtin(name: impl Into<String>) -> Self {
        Self::Builtin { name: name.into() }
    }

    /// The origin of a session value.
    #[must_use]
    pub fn session(said: &SourcedText) -> Self {
        Self::Session { pointer: said.pointer.clone(), range: said.range }
    }

    /// The name of the kind in JSON output.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Fact(held) => match held.kind {
                FactOriginKind::Stated | FactOriginKind::Given => "fact",
                FactOriginKind::Derived => "derived",
                FactOriginKind::Synthetic => "synthetic",
            },
            Self::Session { .. } => "session",
            Self::Intent { .. } => "intent",
            Self::Builtin { .. } => "builtin",
            Self::Suffix { .. } => "suffix",
            Self::Turn { .. } => "turn",
            Self::Atom { .. } => "atom",
        }
    }
}

/// The source of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TextSource {
    /// The `# @preview` comments of a sample kernel.
    Header,
    /// A session file.
    Session,
    /// The caller: an option of a command, or a member of a request.
    #[default]
    Caller,
}

/// A text with its source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourcedText {
    /// The text.
    pub text: String,
    /// The range in [`SourcedText::source`]; empty for a text of the caller.
    pub range: TextRange,
    /// The JSON pointer in a session file, for example `/failing_tests/0`. Empty for other sources.
    pub pointer: String,
    /// The source of the text.
    pub source: TextSource,
}

impl SourcedText {
    /// A text of the caller.
    #[must_use]
    pub fn by_caller(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A text in the header of a sample kernel.
    #[must_use]
    pub fn in_header(text: impl Into<String>, range: TextRange) -> Self {
        Self { text: text.into(), range, pointer: String::new(), source: TextSource::Header }
    }

    /// True if the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}
