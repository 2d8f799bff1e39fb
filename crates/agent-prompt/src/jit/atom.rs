//! Prompt atom: a piece of prompt text with selectors, dependencies and conflicts, and its category
//! with a place in the prompt and a share of the budget.

use std::sync::Arc;

use mangle_syntax::text::{FileId, TextRange};

/// A word in the file of an atom.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// The text of the word.
    pub text: String,
    /// The range in the file; empty for a generated word.
    pub range: TextRange,
}

/// The source of an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AtomKind {
    /// The corpus of the runtime or of the project.
    Corpus,
    /// The atoms of an agent (`.nerd/agents/NAME/prompts.yaml`).
    Agent,
    /// The atoms that the runtime wrote itself.
    Evolved,
    /// A `PROMPT:` line of a policy.
    Directive,
    /// The kernel: injected context or knowledge.
    Kernel,
}

impl AtomKind {
    /// The name of the kind in the runtime.
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

/// One of the eleven selector dimensions of an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // Each variant is the key with the same name.
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
    /// All dimensions, in the evaluation order of the reference runtime.
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

    /// The key in the file of an atom.
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

    /// The name in the facts of the prompt compiler, without the leading `/`.
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

    /// The values that the reference runtime recognizes; empty if any word is valid.
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

/// A text of an atom, with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomText {
    /// The prompt text with its placeholders.
    pub text: Arc<str>,
    /// The file; `None` for a generated text.
    pub file: Option<FileId>,
    /// The range of each line in the file. A line that is written differently in the file has the
    /// range of the whole text.
    pub lines: Vec<TextRange>,
}

impl AtomText {
    /// The number of tokens as the prompt compiler counts: a quarter of the bytes, rounded up.
    #[must_use]
    pub fn tokens(&self) -> i64 {
        i64::try_from(self.text.len().div_ceil(4)).unwrap_or(i64::MAX)
    }
}

/// A prompt atom: a piece of text with the situations that select it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptAtom {
    /// The path-like id in references to the atom.
    pub id: Word,
    /// The category of the atom.
    pub category: Category,
    /// The source of the atom.
    pub kind: AtomKind,
    /// The agent of an atom of [`AtomKind::Agent`]. Only shards with this name get the atom.
    pub agent: Option<Arc<str>>,
    /// The file; `None` for a generated atom.
    pub file: Option<FileId>,
    /// The range of the atom in the file.
    pub range: TextRange,
    /// The standard text.
    pub content: AtomText,
    /// A shorter variant of the text.
    pub concise: Option<AtomText>,
    /// The shortest variant of the text.
    pub min: Option<AtomText>,
    /// The priority. Atoms with a higher priority come first.
    pub priority: i64,
    /// True if every prompt of a matching situation includes the atom.
    pub is_mandatory: bool,
    /// The exclusive group: a prompt should include one atom of the group.
    pub exclusive: Option<Word>,
    /// The ids of the atoms that this atom depends on.
    pub depends_on: Vec<Word>,
    /// The ids of the atoms that conflict with this atom.
    pub conflicts_with: Vec<Word>,
    /// The selector values, indexed by [`Dimension`].
    pub selectors: [Vec<Word>; 11],
    /// The number of tokens that the reference runtime uses for the budget.
    pub tokens: i64,
}

impl PromptAtom {
    /// The selector values of a dimension.
    #[must_use]
    pub fn selector(&self, dimension: Dimension) -> &[Word] {
        &self.selectors[dimension as usize]
    }

    /// The variants for the budget with their tokens: the standard text, then the shorter ones that
    /// exist.
    pub(super) fn variants(&self) -> impl Iterator<Item = (Variant, i64)> + '_ {
        let shorter = [(Variant::Concise, &self.concise), (Variant::Min, &self.min)];
        let shorter =
            shorter.into_iter().filter_map(|(variant, body)| Some((variant, body.as_ref()?.tokens())));
        std::iter::once((Variant::Standard, self.tokens)).chain(shorter)
    }
}

/// A variant of the text of an atom.
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

/// The class of a category, which determines the allocation order of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CategoryClass {
    /// A share of the whole budget, before all other classes.
    Mandatory,
    /// A share of the tokens that [`CategoryClass::Mandatory`] leaves.
    High,
    /// A share of the tokens that [`CategoryClass::High`] leaves.
    Medium,
    /// A share of the tokens that [`CategoryClass::Medium`] leaves, together with
    /// [`CategoryClass::Conditional`].
    Low,
    /// See [`CategoryClass::Low`].
    Conditional,
}

/// The topic of an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // Each variant is the category with the same name.
pub enum Category {
    Identity,
    Safety,
    Protocol,
    Capability,
    Methodology,
    Hallucination,
    Language,
    Framework,
    Domain,
    Campaign,
    Init,
    Northstar,
    Ouroboros,
    Autopoiesis,
    Context,
    Reviewer,
    Eval,
    Exemplar,
    Knowledge,
    BuildLayer,
    Intent,
    WorldState,
}

/// The share of a category in the budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Share {
    pub(super) class: CategoryClass,
    /// The percentage of the whole budget or of the remaining budget.
    pub(super) percent: f64,
    /// The minimum number of tokens.
    pub(super) min_tokens: i64,
    /// The maximum number of tokens.
    pub(super) max_tokens: i64,
}

/// All categories in the order of the prompt.
///
/// The assembler of the reference runtime does not list the last four. It appends them in random
/// order.
const CATEGORIES: [(Category, &str, Share); 22] = {
    use Category as C;
    use CategoryClass::{Conditional, High, Low, Mandatory, Medium};
    const fn share(class: CategoryClass, percent: f64, least: i64, most: i64) -> Share {
        Share { class, percent, min_tokens: least, max_tokens: most }
    }
    [
        (C::Identity, "identity", share(Mandatory, 8.0, 1_000, 8_000)),
        (C::Safety, "safety", share(Mandatory, 5.0, 500, 5_000)),
        (C::Protocol, "protocol", share(High, 10.0, 500, 10_000)),
        (C::Capability, "capability", share(High, 6.0, 300, 6_000)),
        (C::Methodology, "methodology", share(High, 8.0, 500, 8_000)),
        (C::Hallucination, "hallucination", share(High, 5.0, 500, 5_000)),
        (C::Language, "language", share(Medium, 15.0, 1_000, 15_000)),
        (C::Framework, "framework", share(Medium, 10.0, 500, 10_000)),
        (C::Domain, "domain", share(Medium, 10.0, 500, 10_000)),
        (C::Campaign, "campaign", share(Conditional, 5.0, 0, 5_000)),
        (C::Init, "init", share(Conditional, 3.0, 0, 3_000)),
        (C::Northstar, "northstar", share(Conditional, 3.0, 0, 3_000)),
        (C::Ouroboros, "ouroboros", share(Conditional, 3.0, 0, 3_000)),
        (C::Autopoiesis, "autopoiesis", share(Conditional, 2.0, 0, 3_000)),
        (C::Context, "context", share(Medium, 15.0, 500, 15_000)),
        (C::Reviewer, "reviewer", share(Low, 2.0, 0, 2_000)),
        (C::Eval, "eval", share(Conditional, 2.0, 0, 2_000)),
        (C::Exemplar, "exemplar", share(Low, 5.0, 0, 5_000)),
        (C::Knowledge, "knowledge", share(Medium, 5.0, 300, 8_000)),
        (C::BuildLayer, "build_layer", share(Conditional, 3.0, 0, 3_000)),
        (C::Intent, "intent", share(Conditional, 3.0, 0, 3_000)),
        (C::WorldState, "world_state", share(Conditional, 3.0, 0, 3_000)),
    ]
};

impl Category {
    /// All categories, in the order of the prompt.
    pub const ALL: [Self; 22] = {
        let mut all = [Self::Identity; 22];
        let mut at = 0;
        while at < all.len() {
            all[at] = CATEGORIES[at].0;
            at += 1;
        }
        all
    };

    /// The categories that every prompt requires. Their atoms are chosen first, and without search
    /// results.
    pub const SKELETON: [Self; 4] = [Self::Identity, Self::Protocol, Self::Safety, Self::Methodology];

    /// Parses the name of a category like the reference runtime: trimmed and case-insensitive.
    /// `domain_knowledge` is an old name of `domain`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase();
        let word = if word == "domain_knowledge" { "domain" } else { &word };
        CATEGORIES.iter().find(|(_, name, _)| *name == word).map(|(category, ..)| *category)
    }

    /// The name of the category.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        CATEGORIES[self as usize].1
    }

    /// True if the category is one of [`Category::SKELETON`].
    #[must_use]
    pub fn is_skeleton(self) -> bool {
        Self::SKELETON.contains(&self)
    }

    pub(super) fn share(self) -> Share {
        CATEGORIES[self as usize].2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_in_any_case() {
        for (at, category) in Category::ALL.into_iter().enumerate() {
            assert_eq!(category as usize, at, "the table is in the order of the categories");
            assert_eq!(Category::parse(&format!(" {} ", category.as_str().to_uppercase())), Some(category));
        }
        assert_eq!(Category::parse("Domain_Knowledge"), Some(Category::Domain));
        assert_eq!(Category::parse("identities"), None);
    }
}
