# What must not follow from codeNERD's kernel program, whatever the facts are. The numbered properties are broken because the engine ignores
# a negation of the rule that each is about; as the rules are written, they hold. `tests/all/policies/worlds.rs` checks them.

# @never name: nothing dangerous is permitted without an override
#   permitted(Action, _, _), dangerous_action(Action), !admin_override(_)

# @never name: no action is permitted and denied at once
#   permitted(Action, _, _), permission_denied(Action, _)

# A shard is a string in one of its declarations and a name in another, so that no world has both without this input.
# @never name: 1 the final shard is the one that an override names
#   final_shard_for_task(T, S), campaign_task_shard_override(T, Other), !campaign_task_shard_override(T, S)
# @inputs + campaign_task_shard_override/2

# @never name: 2 a healthy campaign is not blocked
#   campaign_healthy(C), campaign_blocked(C, _)

# @never name: 3 no phase of a healthy campaign is stuck
#   campaign_healthy(C), phase_stuck(_)

# @never name: 4 an override with a signature lifts the denial
#   permission_denied(A, _), admin_override(_), signed_approval(A)

# @never name: 5 what is permitted is not denied for the lack of a permission
#   action_denied(A, "Not constitutionally permitted"), permitted(A, _, _)

# @never name: 6 denied actions are counted
#   blocked_learned_action_count(0), action_denied(_, _)

# @never name: 7 nothing is blocked while it is being healed
#   block_action(/validation_pending), needs_self_healing(X, _)
#   unless action_failed_validation(Y), !needs_self_healing(Y, _)

# @never name: 8 an escalated failure is resolved
#   unresolved_failure(X), action_escalated(X, _, _)

# @never name: 9 a handler has no medium risk
#   breaking_change_risk(R, /medium, /public_function), api_handler_function(R, _, _)

# @never name: 10 the work is not complete while an edit lacks tests
#   next_coder_action(/complete), edit_needs_tests(_), !coder_state(/tests_passed)
