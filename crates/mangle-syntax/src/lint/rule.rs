//! The description of a rule: the single source of its code, name, severity and documentation.

use std::fmt;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A suggestion.
    Hint,
    /// Strange, or worth knowing; nothing is broken.
    Information,
    /// Accepted by the engine, probably a mistake.
    Warning,
    /// The engine rejects it, or accepts it and computes something other than what is written.
    Error,
}

impl Severity {
    /// All severities, the gravest first.
    pub const ALL: [Self; 4] = [Self::Error, Self::Warning, Self::Information, Self::Hint];

    /// The word used in output and configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }

    /// The severity that [`Severity::as_str`] spells so.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.as_str() == word)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The family of a rule: `MG` codes are about Mangle, `PB` codes about transcripts, `PP` codes about prompts; the hundreds say which family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// `MG0xx`: what does not parse.
    Syntax,
    /// `MG1xx`: `Decl`s and their parts.
    Declarations,
    /// `MG2xx`: which variables have a value, and when.
    Safety,
    /// `MG3xx`: predicates, functions, packages: does the name exist, with this arity, in sight.
    Predicates,
    /// `MG4xx`: `|>` transforms and aggregation.
    Transforms,
    /// `MG5xx`: negation and aggregation through recursion.
    Stratification,
    /// `MG6xx`: values of the wrong type.
    Types,
    /// `MG7xx`: temporal predicates, intervals and operators.
    Temporal,
    /// `MG8xx`: idioms and quality.
    Quality,
    /// `MG9xx`: configuration and suppression.
    Configuration,
    /// `PB0xx`: what holds an envelope, and how the runtime finds it.
    Replies,
    /// `PB1xx`: the members of an envelope and of its control packet.
    Fields,
    /// `PB2xx`: updates, the atoms for the kernel.
    Atoms,
    /// `PB3xx`: memory operations.
    Memory,
    /// `PB4xx`: self-correction, tools, knowledge and feedback.
    Requests,
    /// `PB5xx`: what the constitution says of a session that is replayed.
    Replay,
    /// `PB6xx`: what is kept from turn to turn.
    State,
    /// `PB7xx`: limits of the runtime and its configuration.
    Limits,
    /// `PP0xx`: sample kernels, and what becomes of the prompts of shards.
    Prompts,
}

impl Group {
    /// All groups, in the order of their codes.
    pub const ALL: [Self; 19] = [
        Self::Syntax,
        Self::Declarations,
        Self::Safety,
        Self::Predicates,
        Self::Transforms,
        Self::Stratification,
        Self::Types,
        Self::Temporal,
        Self::Quality,
        Self::Configuration,
        Self::Replies,
        Self::Fields,
        Self::Atoms,
        Self::Memory,
        Self::Requests,
        Self::Replay,
        Self::State,
        Self::Limits,
        Self::Prompts,
    ];

    /// The word used in output and configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Declarations => "declarations",
            Self::Safety => "safety",
            Self::Predicates => "predicates",
            Self::Transforms => "transforms",
            Self::Stratification => "stratification",
            Self::Types => "types",
            Self::Temporal => "temporal",
            Self::Quality => "quality",
            Self::Configuration => "configuration",
            Self::Replies => "replies",
            Self::Fields => "fields",
            Self::Atoms => "atoms",
            Self::Memory => "memory",
            Self::Requests => "requests",
            Self::Replay => "replay",
            Self::State => "state",
            Self::Limits => "limits",
            Self::Prompts => "prompts",
        }
    }

    /// What its rules are about, for a heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Syntax => "Syntax errors",
            Self::Declarations => "Declarations and their parts",
            Self::Safety => "Bound and unbound variables",
            Self::Predicates => "Predicates, functions and packages",
            Self::Transforms => "Transforms and aggregation",
            Self::Stratification => "Negation and aggregation through recursion",
            Self::Types => "Values of the wrong type",
            Self::Temporal => "Times, intervals and temporal operators",
            Self::Quality => "Idioms and quality",
            Self::Configuration => "Configuration and unreadable files",
            Self::Replies => "Detection of the envelope by the runtime",
            Self::Fields => "Members of envelopes",
            Self::Atoms => "Atoms in envelopes",
            Self::Memory => "Memory operations",
            Self::Requests => "Self-correction, tools, knowledge and feedback",
            Self::Replay => "Verdicts of the constitution on a session",
            Self::State => "State over several turns",
            Self::Limits => "Limits of the runtime and its configuration",
            Self::Prompts => "Sample kernels and the prompts of shards",
        }
    }
}

/// What kind of fix a rule offers when it offers one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FixKind {
    /// The rule offers no fix.
    None,
    /// The meaning after the fix is what was evidently meant.
    Safe,
    /// The fix guesses; a person should look at it.
    Unsafe,
    /// It says what to do and edits nothing: what is to be written is not in the capture, or something would be deleted
    /// from it.
    Suggestion,
}

impl FixKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::None, Self::Safe, Self::Unsafe, Self::Suggestion];

    /// The word used in output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
            Self::Suggestion => "suggestion",
        }
    }
}

/// The effect of a mistake on the engine that loads the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EngineOutcome {
    /// The engine rejects the whole program, or `mangle-ls` cannot read a part of it: the program does not load.
    Rejects,
    /// The engine loads the program. Its evaluation may abort, or derive other facts than intended.
    Accepts,
    /// One or the other: each finding says it ([`Finding::rejected_if`](super::Finding::rejected_if)).
    Depends,
}

impl EngineOutcome {
    /// All outcomes.
    pub const ALL: [Self; 3] = [Self::Rejects, Self::Accepts, Self::Depends];

    /// The word in the document of a rule.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rejects => "rejects",
            Self::Accepts => "accepts",
            Self::Depends => "depends",
        }
    }
}

/// The address on the web of a file of the repository, as it is in this version; `None` as long as the package
/// names no repository.
#[must_use]
pub fn address(path: &str) -> Option<String> {
    let repository = env!("CARGO_PKG_REPOSITORY").trim_end_matches('/');
    let version = env!("CARGO_PKG_VERSION");
    (!repository.is_empty()).then(|| format!("{repository}/blob/v{version}/{path}"))
}

/// A rule. Each is a `static` beside the code that applies it, read from a document beside that ([`rule!`](crate::rule)),
/// and a row in its family's table.
///
/// `bad` and `good` are programs; a line `#- NAME` starts a file of that name. Tests run them:
/// `bad` gives this finding and no other error, `good` gives nothing.
#[derive(Debug)]
pub struct Rule {
    /// Stable code, `MG101`. Never reused.
    pub code: &'static str,
    /// Unique kebab-case name.
    pub name: &'static str,
    /// Family.
    pub group: Group,
    /// Severity unless configured otherwise; `None` is off by default.
    pub severity: Option<Severity>,
    /// One line: what is wrong.
    pub summary: &'static str,
    /// Why it matters: what the engine does with it.
    pub rationale: &'static str,
    /// A program that has this mistake.
    pub bad: &'static str,
    /// What `check` or `replay` shows of this finding in the bad example, as text without colours.
    pub finding: &'static str,
    /// The same program without it.
    pub good: &'static str,
    /// The kind of fix on offer.
    pub fix: FixKind,
    /// The effect of a finding on the engine. `None`: the rule is not about mistakes that keep a program from loading.
    pub engine: Option<EngineOutcome>,
    /// What its fix does, as a sentence; empty where there is none, or nothing to add.
    pub fix_text: &'static str,
}

impl Rule {
    /// The page about this rule, as a path from the root of the repository: `docs/rules/NAME.md`.
    #[must_use]
    pub fn page(&self) -> String {
        format!("docs/rules/{}.md", self.name)
    }

    /// The [`address`] of the page.
    #[must_use]
    pub fn address(&self) -> Option<String> {
        address(&self.page())
    }

    /// Where somebody can read more: [`Rule::address`], else [`Rule::page`], which at least names the
    /// page of the copy that somebody has.
    #[must_use]
    pub fn url(&self) -> String {
        self.address().unwrap_or_else(|| self.page())
    }

    /// The word for the default severity: `off` for a rule that has none.
    #[must_use]
    pub fn default_word(&self) -> &'static str {
        self.severity.map_or("off", Severity::as_str)
    }
}

impl Rule {
    /// Whether it is about what the engine cannot even read, so that it loads nothing of the file.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.group == Group::Syntax && self.severity == Some(Severity::Error)
    }

    /// Whether comments may silence it. What cannot be read stays visible, and so does what is wrong
    /// with the settings and with the comments themselves.
    #[must_use]
    pub fn is_silenceable(&self) -> bool {
        self.group != Group::Configuration && !self.is_unreadable()
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Rule {}
