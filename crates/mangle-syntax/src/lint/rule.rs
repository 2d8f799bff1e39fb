//! Metadata of a rule: the single source of its code, name, severity and documentation.

use std::fmt;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A suggestion.
    Hint,
    /// Unusual or informative; nothing is broken.
    Information,
    /// Accepted by the engine, but probably a mistake.
    Warning,
    /// Rejected by the engine, or evaluated differently than written.
    Error,
}

impl Severity {
    /// All severities, the most severe first.
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

    /// Parses a word of [`Severity::as_str`].
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

/// The group of a rule. `MG` codes are about Mangle, `PB` codes about transcripts, `PP` codes about
/// prompts. The hundreds digit identifies the group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// `MG0xx`: syntax errors.
    Syntax,
    /// `MG1xx`: `Decl`s and their parts.
    Declarations,
    /// `MG2xx`: variables that need a value.
    Safety,
    /// `MG3xx`: names of predicates, functions and packages, and their arity and visibility.
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
    /// `PB0xx`: files with replies, and the detection of JSON replies (envelopes).
    Replies,
    /// `PB1xx`: the members of an envelope and of its control packet.
    Fields,
    /// `PB2xx`: updates, the atoms for the kernel.
    Atoms,
    /// `PB3xx`: memory operations.
    Memory,
    /// `PB4xx`: self-correction, tools, knowledge and feedback.
    Requests,
    /// `PB5xx`: results of a replayed session according to the constitution.
    Replay,
    /// `PB6xx`: state that is kept between turns.
    State,
    /// `PB7xx`: limits of the runtime and its configuration.
    Limits,
    /// `PP0xx`: sample kernels and the prompts of agent roles (shards).
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

    /// The topic of its rules, for a heading.
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

/// The kind of fix of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FixKind {
    /// The rule offers no fix.
    None,
    /// The result certainly has the intended meaning.
    Safe,
    /// The fix is a guess that needs review.
    Unsafe,
    /// Advice without an edit: the correct text is not in the capture, or the fix would delete a
    /// part of the capture.
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

/// The effect of a mistake when the engine loads the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EngineOutcome {
    /// The engine rejects the whole program, or `mangle-ls` cannot parse a part of it: the program
    /// does not load.
    Rejects,
    /// The engine loads the program. The evaluation can abort, or derive other facts than intended.
    Accepts,
    /// The effect varies, and each finding specifies it
    /// ([`Finding::rejected_if`](super::Finding::rejected_if)).
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

/// The web address of a file of the repository in this version. `None` if the package metadata
/// names no repository.
#[must_use]
pub fn address(path: &str) -> Option<String> {
    let repository = env!("CARGO_PKG_REPOSITORY").trim_end_matches('/');
    let version = env!("CARGO_PKG_VERSION");
    (!repository.is_empty()).then(|| format!("{repository}/blob/v{version}/{path}"))
}

/// A rule. Each rule is a `static` next to its implementation, parsed from a document
/// ([`rule!`](crate::rule)), and a row in the table of its family.
///
/// `bad` and `good` are programs. A line `#- NAME` starts a file of that name. Tests check that
/// `bad` has this finding and no other error, and that `good` has no finding.
#[derive(Debug)]
pub struct Rule {
    /// Stable code, for example `MG101`. Never reused.
    pub code: &'static str,
    /// Unique kebab-case name.
    pub name: &'static str,
    /// Group of the rule.
    pub group: Group,
    /// Default severity. `None` is off by default.
    pub severity: Option<Severity>,
    /// Summary of the problem in one line.
    pub summary: &'static str,
    /// The reason that the problem matters: the behavior of the engine.
    pub rationale: &'static str,
    /// A program with the problem.
    pub bad: &'static str,
    /// The output of `check` or `replay` for the bad example, as text without colors.
    pub finding: &'static str,
    /// The same program without the problem.
    pub good: &'static str,
    /// The kind of fix.
    pub fix: FixKind,
    /// The effect of a finding on the engine. `None` if the rule is not about mistakes that prevent
    /// a program from loading.
    pub engine: Option<EngineOutcome>,
    /// Description of the fix, as a sentence. Empty if the rule has no fix or the description adds
    /// nothing.
    pub fix_text: &'static str,
}

impl Rule {
    /// The documentation page, as a path from the root of the repository: `docs/rules/NAME.md`.
    #[must_use]
    pub fn page(&self) -> String {
        format!("docs/rules/{}.md", self.name)
    }

    /// The web address of the page ([`address`]).
    #[must_use]
    pub fn address(&self) -> Option<String> {
        address(&self.page())
    }

    /// The location of further information: [`Rule::address`], or [`Rule::page`] as the path in a
    /// local copy.
    #[must_use]
    pub fn url(&self) -> String {
        self.address().unwrap_or_else(|| self.page())
    }

    /// The word for the default severity, or `off`.
    #[must_use]
    pub fn default_word(&self) -> &'static str {
        self.severity.map_or("off", Severity::as_str)
    }
}

impl Rule {
    /// True if the rule is about text that the engine cannot parse, so that it loads nothing of the
    /// file.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.group == Group::Syntax && self.severity == Some(Severity::Error)
    }

    /// True if comments can suppress the rule. Syntax errors and problems of settings and
    /// suppression comments cannot be suppressed.
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
