//! Predicates that a packet has no business to assert, and why; settings may replace the first two lists.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use mangle_settings::AtomSettings;

/// What the core of the agent owns, and what its constitution is fed with.
const PROTECTED: [&str; 28] = [
    "action_denied",
    "active_override",
    "admin_override",
    "allowed_domain",
    "appeal_granted",
    "blocked_pattern",
    "current_time",
    "current_user",
    "dangerous_action",
    "dangerous_content",
    "execution_result",
    "final_action",
    "forbidden",
    "has_active_override",
    "mutation_approved",
    "network_permitted",
    "pending_action",
    "permission_check_result",
    "permitted",
    "permitted_action",
    "requires_permission",
    "routing_result",
    "safe_action",
    "safety_check",
    "security_violation",
    "signed_approval",
    "system_shard_state",
    "temporary_override",
];

/// What decides what stands in the next prompt.
const SENSITIVE: [&str; 12] = [
    "activation",
    "atom_tag",
    "campaign_prompt_policy",
    "injectable_context",
    "is_mandatory",
    "learned_exemplar",
    "prompt_atom",
    "prompt_customization",
    "prompt_exemplar",
    "shard_context_atom",
    "shard_prompt_base",
    "specialist_knowledge",
];

/// What rules of the agent derive, whether or not they are loaded.
const DERIVED: [&str; 12] = [
    "action_type",
    "activation_spread",
    "blocked",
    "context_atom",
    "detected_framework",
    "policy_allows",
    "policy_denies",
    "relevant_fact",
    "route_to_shard",
    "route_to_tool",
    "test_framework",
    "unsafe_action",
];

/// What the agent forgets when it starts again.
const EPHEMERAL: [&str; 37] = [
    "action_blocked",
    "action_executed",
    "activation_score",
    "active_shard",
    "campaign_active_phase",
    "campaign_turn",
    "clarification_need",
    "clarification_option",
    "clarification_question",
    "context_priority",
    "current_turn",
    "dream_exploration",
    "dream_hypothesis",
    "dream_simulation",
    "hypothesis_active",
    "intent_unknown",
    "intent_unmapped",
    "learning_candidate",
    "learning_candidate_count",
    "learning_candidate_fact",
    "next_action",
    "no_action_reason",
    "ooda_timeout",
    "pending_action",
    "selected_context",
    "session_active",
    "shard_executing",
    "subagent_active",
    "subagent_result",
    "subagent_task",
    "tool_invoked",
    "tool_pending",
    "tool_result",
    "turn_context",
    "user_input_string",
    "user_intent",
    "verification_state",
];

/// Parameters, counted from zero, for which the agent takes a word as well as a number.
pub(super) const PRIORITIES: [(&str, usize); 3] =
    [("agenda_item", 2), ("atom_priority", 1), ("prompt_atom", 2)];

/// Those words.
pub(super) const PRIORITY_WORDS: [&str; 5] = ["/critical", "/high", "/low", "/medium", "/normal"];

/// Why a packet should not assert a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// [`PROTECTED`]
    Protected,
    /// [`SENSITIVE`]
    Sensitive,
    /// [`DERIVED`]
    Derived,
}

/// Why a packet should not assert a predicate, as long as the settings have no lists of their own.
pub(super) fn why(predicate: &str) -> Option<ListKind> {
    static LISTS: LazyLock<FxHashMap<&str, ListKind>> = LazyLock::new(|| {
        let protected = PROTECTED.iter().map(|name| (*name, ListKind::Protected));
        let sensitive = SENSITIVE.iter().map(|name| (*name, ListKind::Sensitive));
        protected.chain(sensitive).chain(DERIVED.iter().map(|name| (*name, ListKind::Derived))).collect()
    });
    LISTS.get(predicate).copied()
}

/// Whether the agent forgets facts of a predicate when it starts again.
#[must_use]
pub fn is_ephemeral(predicate: &str) -> bool {
    EPHEMERAL.contains(&predicate)
}

/// A predicate that no reply may assert, and which list has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedPredicate<'s> {
    /// Its name.
    pub predicate: &'s str,
    /// The list, as a sentence for people.
    pub why: &'static str,
}

/// The predicates that no reply may assert under some settings, each with the list that has it; sorted, each once.
#[must_use]
pub fn protected(settings: &AtomSettings) -> Vec<ListedPredicate<'_>> {
    let whys = ["built-in list of protected predicates", "`protected` in the configuration"];
    let mut all = of_list(settings.protected.as_deref(), &PROTECTED, whys);
    let extra = settings.protected_extra.iter();
    all.extend(
        extra.map(|predicate| ListedPredicate { predicate, why: "`protected_extra` in the configuration" }),
    );
    let whys = ["built-in list of predicates that shape prompts", "`sensitive` in the configuration"];
    all.extend(of_list(settings.sensitive.as_deref(), &SENSITIVE, whys));
    let derived = DERIVED.iter();
    all.extend(
        derived
            .map(|predicate| ListedPredicate { predicate, why: "built-in list of what the agent derives" }),
    );
    all.sort_by_key(|one| one.predicate);
    all.dedup_by_key(|one| one.predicate);
    all
}

/// The entries of a list, or of the one that the settings have in its place.
fn of_list<'s>(
    own: Option<&'s [String]>,
    usual: &'static [&'static str],
    [usually, configured]: [&'static str; 2],
) -> Vec<ListedPredicate<'s>> {
    match own {
        Some(own) => own.iter().map(|predicate| ListedPredicate { predicate, why: configured }).collect(),
        None => usual.iter().map(|predicate| ListedPredicate { predicate, why: usually }).collect(),
    }
}

/// Whether the safety of the agent rests on a predicate: one of the lists above, or of those in the settings, has it.
#[must_use]
pub fn is_delicate(predicate: &str, settings: &AtomSettings) -> bool {
    let own = [&settings.protected, &settings.sensitive].into_iter().flatten().flatten();
    let own = own.chain(&settings.protected_extra);
    let listed = match why(predicate) {
        Some(ListKind::Protected) => settings.protected.is_none(),
        Some(ListKind::Sensitive) => settings.sensitive.is_none(),
        Some(ListKind::Derived) => true,
        None => false,
    };
    listed || own.into_iter().any(|one| one == predicate)
}
