//! Built-in lists of predicates that a packet should not assert. Settings can replace the first two
//! lists.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use mangle_settings::AtomSettings;

/// Predicates of the agent's core, and inputs of its constitution.
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

/// Predicates that determine the content of the next prompt.
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

/// Predicates that the agent's rules derive, even if those rules are not loaded.
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

/// Predicates whose facts are lost when the agent restarts.
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

/// Parameters, with indices from zero, that accept a word as well as a number.
pub(super) const PRIORITIES: [(&str, usize); 3] =
    [("agenda_item", 2), ("atom_priority", 1), ("prompt_atom", 2)];

/// The accepted words for these parameters.
pub(super) const PRIORITY_WORDS: [&str; 5] = ["/critical", "/high", "/low", "/medium", "/normal"];

/// The list that contains a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// [`PROTECTED`]
    Protected,
    /// [`SENSITIVE`]
    Sensitive,
    /// [`DERIVED`]
    Derived,
}

/// Returns the built-in list that contains a predicate.
pub(super) fn why(predicate: &str) -> Option<ListKind> {
    static LISTS: LazyLock<FxHashMap<&str, ListKind>> = LazyLock::new(|| {
        let protected = PROTECTED.iter().map(|name| (*name, ListKind::Protected));
        let sensitive = SENSITIVE.iter().map(|name| (*name, ListKind::Sensitive));
        protected.chain(sensitive).chain(DERIVED.iter().map(|name| (*name, ListKind::Derived))).collect()
    });
    LISTS.get(predicate).copied()
}

/// True if facts of a predicate are lost when the agent restarts.
#[must_use]
pub fn is_ephemeral(predicate: &str) -> bool {
    EPHEMERAL.contains(&predicate)
}

/// A predicate that replies must not assert, with its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedPredicate<'s> {
    /// The name of the predicate.
    pub predicate: &'s str,
    /// A description of the list.
    pub why: &'static str,
}

/// Returns the predicates that replies must not assert under these settings, sorted and without
/// duplicates.
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

/// Returns the entries of a list, or of its replacement in the settings.
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

/// True if the safety of the agent depends on a predicate: a built-in list or a list in the
/// settings contains it.
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
