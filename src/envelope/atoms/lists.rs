//! Predicates that a packet has no business to assert, and why; settings may replace the first two lists.

/// What the core of the agent owns, and what its constitution is fed with.
pub(super) const PROTECTED: [&str; 28] = [
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
pub(super) const SENSITIVE: [&str; 12] = [
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
pub(super) const DERIVED: [&str; 12] = [
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

/// Whether the agent forgets facts of a predicate when it starts again.
#[must_use]
pub fn is_ephemeral(predicate: &str) -> bool {
    EPHEMERAL.contains(&predicate)
}
