//! Where a line of a prompt comes from.

use std::sync::Arc;

use mangle_engine::kernel::RuleId;
use mangle_engine::program::PredicateId;
use mangle_syntax::text::{FileId, TextRange};

use super::sourced_text::{SourcedText, TextSource};

/// Where a line comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum LineOrigin {
    /// A fact of the kernel.
    Fact(FactOrigin),
    /// A value of the session.
    Session {
        /// Its JSON pointer.
        pointer: String,
        /// Its bytes in the session file; empty when the caller gave it.
        range: TextRange,
    },
    /// What the person wants.
    Intent {
        /// Which part of the intent it is.
        part: &'static str,
        /// Where that was said.
        source: TextSource,
        /// Its JSON pointer, in a session file.
        pointer: String,
        /// Its bytes there.
        range: TextRange,
    },
    /// A text of ours, or one that the configuration has in its place.
    Builtin {
        /// What it is called: `coder`, `session.tests`.
        name: String,
    },
    /// The envelope instructions, and why they are there.
    Suffix {
        /// The condition that holds.
        because: &'static str,
    },
    /// A turn of a captured session.
    Turn {
        /// Its number, from 1 on.
        number: u64,
        /// The file that it was captured in, as output calls it.
        file: Arc<str>,
        /// The line of its record there, from 1 on.
        line: usize,
    },
    /// A prompt atom.
    Atom {
        /// The id of the prompt atom.
        id: String,
        /// Its file; `None` for one that was made on the way.
        file: Option<FileId>,
        /// Its bytes there.
        range: TextRange,
    },
}

/// A fact of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactOrigin {
    /// The fact as the engine prints it.
    pub fact: String,
    /// Its predicate, and its number there; `None` outside of a kernel.
    pub key: Option<(PredicateId, u32)>,
    /// The clause that gave it first; [`RuleId::ASSERTED`] for a fact that was given.
    pub rule: RuleId,
    /// How it came to be there.
    pub kind: FactOriginKind,
    /// Which of its arguments is shown, counted from 0; all of it where there is no such argument.
    pub argument: usize,
}

/// How a fact came to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FactOriginKind {
    /// A clause of the program says so.
    Stated,
    /// It follows by a rule.
    Derived,
    /// The preview added it.
    Synthetic,
    /// The caller gave it.
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

    /// The same fact, which is shown as a whole.
    #[must_use]
    pub fn whole(&self) -> Self {
        self.showing(usize::MAX)
    }

    /// The same fact, of which another argument is shown.
    #[must_use]
    pub fn showing(&self, argument: usize) -> Self {
        Self { argument, ..self.clone() }
    }
}

impl LineOrigin {
    /// A text of ours.
    #[must_use]
    pub fn builtin(name: impl Into<String>) -> Self {
        Self::Builtin { name: name.into() }
    }

    /// A value of the session.
    #[must_use]
    pub fn session(said: &SourcedText) -> Self {
        Self::Session { pointer: said.pointer.clone(), range: said.range }
    }

    /// The word for its kind, as in JSON.
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
