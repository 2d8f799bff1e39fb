//! Categories of prompt atoms: their order in a prompt, and their shares of the budget.

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
