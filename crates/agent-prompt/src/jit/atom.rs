//! A prompt atom: a piece of prompt, when it is wanted, and what it goes with.

use std::sync::Arc;

use super::category::Category;
use mangle_syntax::text::{FileId, TextRange};

/// A word of an atom's file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// The word.
    pub text: String,
    /// Its bytes in the file; empty for what was made on the way.
    pub range: TextRange,
}

/// Where an atom was collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AtomKind {
    /// In the corpus of the runtime or of the project.
    Corpus,
    /// Among those of an agent (`.nerd/agents/NAME/prompts.yaml`).
    Agent,
    /// Among those that the runtime wrote itself.
    Evolved,
    /// In a `PROMPT:` line of a policy.
    Directive,
    /// In the kernel: injected context or knowledge.
    Kernel,
}

impl AtomKind {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Corpus => "embedded",
            Self::Agent => "shard",
            Self::Evolved => "evolved",
            Self::Directive => "directive",
            Self::Kernel => "kernel",
        }
    }
}

/// One of the eleven ways to say when an atom is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // Each is the key of the same name.
pub enum Dimension {
    OperationalModes,
    CampaignPhases,
    BuildLayers,
    InitPhases,
    NorthstarPhases,
    OuroborosStages,
    IntentVerbs,
    ShardTypes,
    Languages,
    Frameworks,
    WorldStates,
}

impl Dimension {
    /// All of them, in the order in which the reference runtime looks at them.
    pub const ALL: [Self; 11] = [
        Self::OperationalModes,
        Self::CampaignPhases,
        Self::BuildLayers,
        Self::InitPhases,
        Self::NorthstarPhases,
        Self::OuroborosStages,
        Self::IntentVerbs,
        Self::ShardTypes,
        Self::Languages,
        Self::Frameworks,
        Self::WorldStates,
    ];

    /// Its key in an atom's file.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::OperationalModes => "operational_modes",
            Self::CampaignPhases => "campaign_phases",
            Self::BuildLayers => "build_layers",
            Self::InitPhases => "init_phases",
            Self::NorthstarPhases => "northstar_phases",
            Self::OuroborosStages => "ouroboros_stages",
            Self::IntentVerbs => "intent_verbs",
            Self::ShardTypes => "shard_types",
            Self::Languages => "languages",
            Self::Frameworks => "frameworks",
            Self::WorldStates => "world_states",
        }
    }

    /// Its name among the facts of the prompt compiler: `/mode`, without the `/`.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::OperationalModes => "mode",
            Self::CampaignPhases => "phase",
            Self::BuildLayers => "layer",
            Self::InitPhases => "init_phase",
            Self::NorthstarPhases => "northstar_phase",
            Self::OuroborosStages => "ouroboros_stage",
            Self::IntentVerbs => "intent",
            Self::ShardTypes => "shard",
            Self::Languages => "lang",
            Self::Frameworks => "framework",
            Self::WorldStates => "state",
        }
    }

    /// The values that the reference runtime knows; empty where any word is one.
    #[must_use]
    pub fn values(self) -> &'static [&'static str] {
        match self {
            Self::OperationalModes => {
                &["active", "dream", "debugging", "creative", "scaffolding", "shadow", "tdd_repair"]
            }
            Self::CampaignPhases => {
                &["planning", "decomposing", "validating", "active", "completed", "paused", "failed"]
            }
            Self::BuildLayers => {
                &["scaffold", "domain_core", "data_layer", "service", "transport", "integration"]
            }
            Self::InitPhases => &[
                "migration",
                "setup",
                "scanning",
                "analysis",
                "profile",
                "facts",
                "agents",
                "kb_agent",
                "kb_complete",
            ],
            Self::NorthstarPhases => &[
                "doc_ingestion",
                "problem",
                "vision",
                "requirements",
                "architecture",
                "roadmap",
                "validation",
            ],
            Self::OuroborosStages => &[
                "detection",
                "specification",
                "safety_check",
                "simulation",
                "codegen",
                "testing",
                "deployment",
            ],
            Self::WorldStates => &[
                "failing_tests",
                "diagnostics",
                "large_refactor",
                "security_issues",
                "new_files",
                "high_churn",
                "reflection_hits",
            ],
            Self::IntentVerbs | Self::ShardTypes | Self::Languages | Self::Frameworks => &[],
        }
    }
}

/// A text of an atom, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomText {
    /// The text that goes into a prompt, with its placeholders.
    pub text: Arc<str>,
    /// Its file; `None` for one that was made on the way.
    pub file: Option<FileId>,
    /// For each of its lines, the bytes in the file; where the file writes it in another way, those of the whole
    /// text.
    pub lines: Vec<TextRange>,
}

impl AtomText {
    /// How many tokens it has, as the prompt compiler counts: a quarter of its bytes, rounded up.
    #[must_use]
    pub fn tokens(&self) -> i64 {
        i64::try_from(self.text.len().div_ceil(4)).unwrap_or(i64::MAX)
    }
}

/// A prompt atom: a piece of text with the situations that it is meant for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptAtom {
    /// Its id, the path-like name by which others refer to it.
    pub id: Word,
    /// What it is about.
    pub category: Category,
    /// Where it was collected.
    pub kind: AtomKind,
    /// The agent that it is for, of [`AtomKind::Agent`]: only shards of this name get it.
    pub agent: Option<Arc<str>>,
    /// Its file; `None` for one that was made on the way.
    pub file: Option<FileId>,
    /// All of its bytes there.
    pub range: TextRange,
    /// The text that is used unless the budget asks for a shorter one.
    pub content: AtomText,
    /// The same in fewer words.
    pub concise: Option<AtomText>,
    /// The same in very few.
    pub min: Option<AtomText>,
    /// The higher, the earlier.
    pub priority: i64,
    /// Whether it is in every prompt that it is wanted in.
    pub is_mandatory: bool,
    /// The group of which there should be one.
    pub exclusive: Option<Word>,
    /// The atoms that it needs.
    pub depends_on: Vec<Word>,
    /// The atoms that it does not go with.
    pub conflicts_with: Vec<Word>,
    /// When it is wanted, by [`Dimension`].
    pub selectors: [Vec<Word>; 11],
    /// How many tokens the reference runtime takes it to have.
    pub tokens: i64,
}

impl PromptAtom {
    /// When it is wanted.
    #[must_use]
    pub fn selector(&self, dimension: Dimension) -> &[Word] {
        &self.selectors[dimension as usize]
    }

    /// The texts that the budget may choose from: the whole one, and those that are there of the shorter ones.
    pub(super) fn variants(&self) -> impl Iterator<Item = (Variant, i64)> + '_ {
        let shorter = [(Variant::Concise, &self.concise), (Variant::Min, &self.min)];
        let shorter =
            shorter.into_iter().filter_map(|(variant, body)| Some((variant, body.as_ref()?.tokens())));
        std::iter::once((Variant::Standard, self.tokens)).chain(shorter)
    }
}

/// Which text of an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Variant {
    Standard,
    Concise,
    Min,
}

impl Variant {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Concise => "concise",
            Self::Min => "min",
        }
    }
}
