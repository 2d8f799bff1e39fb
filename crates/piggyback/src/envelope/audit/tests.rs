//! Tests of the findings about missing audit objects and members.

use expect_test::{Expect, expect};

use crate::envelope::testing::check;

#[track_caller]
fn packet(version: &str, members: &str, expect: Expect) {
    let text = format!(
        concat!(
            r#"{{"piggyback_version": "{}", "control_packet": {{"intent_classification": {{"category": "/mutation", "#,
            r#""verb": "/fix", "target": "a.go", "constraint": "none", "confidence": 0.9}}, "mangle_updates": [], "#,
            r#""memory_operations": []{}}}, "surface_response": "ok"}}"#
        ),
        version, members
    );
    check(&text, expect);
}

/// All recommended objects, so that a test covers a single object.
const REST: &str = concat!(
    r#", "execution_metadata": {"shard_type": "coder", "execution_time_ms": 1, "tokens_used": 1, "retry_count": 0, "#,
    r#""blocked_by_constitution": false}, "impact_analysis": {"files_affected": [], "dependencies_broken": [], "#,
    r#""tests_impacted": [], "estimated_scope": "minor"}, "safety_gates": {"requires_user_approval": false, "#,
    r#""chesterton_fence_warning": null, "dangerous_action_blocked": null, "constitutional_override": null}"#
);

fn with(members: &str) -> String {
    format!("{REST}, {members}")
}

#[test]
fn recommended_objects_that_are_absent_are_one_hint() {
    packet(
        "1.2",
        "",
        expect![[r#"
            "\"control_packet\"" warning gates-absent: control packet has no `safety_gates`
              note: an audit cannot tell whether anything dangerous was requested or blocked
              fix: insert empty safety gates
            "\"control_packet\"" hint audit-absent: 3 recommended audit objects are missing in the control packet
              note: missing: `execution_metadata`, `state_transitions`, `impact_analysis`
        "#]],
    );
    packet("1.2", &with(r#""state_transitions": []"#), expect![[r#""#]]);
    // Earlier versions and the current version have no such objects.
    packet("1.2-go", "", expect![[r#""#]]);
    packet(
        "1.3-draft",
        "",
        expect![[r#"
            "\"control_packet\"" hint audit-absent: 4 recommended audit objects are missing in the control packet
              note: missing: `execution_metadata`, `state_transitions`, `impact_analysis`, `safety_gates`
        "#]],
    );
}

#[test]
fn members_that_an_object_lacks_are_hints() {
    packet(
        "1.2",
        &with(r#""state_transitions": [{"from": "", "to": "task_status(\"t\", /done)", "reason": " "}, {}]"#),
        expect![[r#"
            "{" hint audit-incomplete: 3 recommended fields are missing in a state transition
              note: missing: `from`, `timestamp`, `reason`
            "\"\"" hint blank-atom: update is blank
              note: the runtime ignores it, but counts it against the limits
            "\"task_status(\\\"t\\\", /done)\"" warning transition-unbacked: no update asserts this state
              note: the audit trail records a change that the fact store does not have
              fix: add the update
            "{" hint audit-incomplete: 4 recommended fields are missing in a state transition
              note: missing: `from`, `to`, `timestamp`, `reason`
        "#]],
    );
    packet(
        "1.2",
        &with(r#""state_transitions": [], "learning_signals": {}"#),
        expect![[r#"
            "{" hint audit-incomplete: 2 recommended fields are missing in the learning signals
              note: missing: `pattern_id`, `success`
        "#]],
    );
    // A member with a similar name is reported as a near miss.
    packet(
        "1.2",
        &with(r#""state_transitions": [], "learning_signals": {"patternId": "p", "success": true}"#),
        expect![[r#"
            "\"patternId\"" warning near-miss: unknown key `patternId`
              note: the runtime ignores its value
              help: did you mean `pattern_id`?
              fix: rename it to `pattern_id`
        "#]],
    );
}

#[test]
fn learning_from_a_rejection_is_a_hint() {
    packet(
        "1.2",
        &with(
            r#""state_transitions": [], "learning_signals": {"pattern_id": "p", "success": true, "user_accepted": false, "should_promote_to_learned": true}"#,
        ),
        expect![[r#"
            "false" hint learning-mismatch: rejection has no reason
              note: `rejection_reason` is empty
            "true" hint learning-mismatch: rejected pattern is marked for learning
              note: `user_accepted` is `false`
        "#]],
    );
    packet(
        "1.2",
        &with(
            r#""state_transitions": [], "learning_signals": {"pattern_id": "p", "success": true, "user_accepted": false, "rejection_reason": "too long", "should_promote_to_learned": false}"#,
        ),
        expect![[r#""#]],
    );
}

/// Missing gates have the same severity as empty gates.
#[test]
fn absent_gates_are_reported_for_a_dangerous_action() {
    let asks = |tool: &str| {
        format!(r#", "tool_requests": [{{"id": "r", "tool_name": "{tool}", "tool_args": {{"path": "a"}}}}]"#)
    };
    packet(
        "1.3-draft",
        &asks("delete_file"),
        expect![[r#"
            "\"control_packet\"" hint trace-missing: packet with changes has no reasoning trace
              note: codeNERD expects one, so that an audit can tell the reason for the changes
            "\"control_packet\"" warning gates-absent: dangerous action has no `safety_gates`
              note: the request for `delete_file` is dangerous
            "\"control_packet\"" hint audit-absent: 3 recommended audit objects are missing in the control packet
              note: missing: `execution_metadata`, `state_transitions`, `impact_analysis`
        "#]],
    );
    packet(
        "1.3-draft",
        &asks("read_file"),
        expect![[r#"
            "\"control_packet\"" hint trace-missing: packet with changes has no reasoning trace
              note: codeNERD expects one, so that an audit can tell the reason for the changes
            "\"control_packet\"" hint audit-absent: 4 recommended audit objects are missing in the control packet
              note: missing: `execution_metadata`, `state_transitions`, `impact_analysis`, `safety_gates`
        "#]],
    );
}

#[test]
fn empty_gates_are_as_good_as_none_for_a_dangerous_action() {
    let gates = |gates: &str, scope: &str| {
        REST.replace("\"minor\"", scope).replace(
            r#"{"requires_user_approval": false, "chesterton_fence_warning": null, "dangerous_action_blocked": null, "constitutional_override": null}"#,
            gates,
        ) + r#", "state_transitions": []"#
    };
    packet(
        "1.2",
        &gates("{}", "\"critical\""),
        expect![[r#"
            "\"critical\"" warning scope-mismatch: scope `critical` contradicts a change without approval
              note: a critical change requires the user's approval
            "{}" warning gates-absent: `safety_gates` is empty for a dangerous action
              note: the scope is `critical`
        "#]],
    );
    packet(
        "1.2",
        &gates(r#"{"dangerous_action_blocked": null}"#, "\"critical\""),
        expect![[r#"
            "\"critical\"" warning scope-mismatch: scope `critical` contradicts a change without approval
              note: a critical change requires the user's approval
            "{\"dangerous_action_blocked\": n" warning gates-absent: `safety_gates` is empty for a dangerous action
              note: the scope is `critical`
        "#]],
    );
    packet(
        "1.2",
        &gates("{}", "\"minor\""),
        expect![[r#"
            "{" hint audit-incomplete: 4 recommended fields are missing in the safety gates
              note: missing: `requires_user_approval`, `chesterton_fence_warning`, `dangerous_action_blocked`, `constitutional_override`
        "#]],
    );
    packet(
        "1.2",
        &gates(r#"{"requires_user_approval": true}"#, "\"critical\""),
        expect![[r#"
            "{" hint audit-incomplete: 3 recommended fields are missing in the safety gates
              note: missing: `chesterton_fence_warning`, `dangerous_action_blocked`, `constitutional_override`
        "#]],
    );
    let asks = |tool: &str| {
        format!(r#"{}, "tool_requests": [{{"id": "r", "tool_name": {tool}}}]"#, gates("{}", "\"minor\""))
    };
    packet(
        "1.3-draft",
        &asks(r#""delete_file", "tool_args": {"path": "a"}"#),
        expect![[r#"
            "\"control_packet\"" hint trace-missing: packet with changes has no reasoning trace
              note: codeNERD expects one, so that an audit can tell the reason for the changes
            "{}" warning gates-absent: `safety_gates` is empty for a dangerous action
              note: the request for `delete_file` is dangerous
        "#]],
    );
    packet(
        "1.3-draft",
        &asks(r#""run_command", "tool_args": {"command": "sudo rm a"}"#),
        expect![[r#"
            "\"control_packet\"" hint trace-missing: packet with changes has no reasoning trace
              note: codeNERD expects one, so that an audit can tell the reason for the changes
            "{}" warning gates-absent: `safety_gates` is empty for a dangerous action
              note: the request for `run_command` is dangerous
            "sudo rm" error shell-danger: command matches the dangerous pattern `sudo\s+rm`
              note: codeNERD rejects such a command, and its result never comes
        "#]],
    );
    packet(
        "1.3-draft",
        &asks(r#""read_file", "tool_args": {"path": "a"}"#),
        expect![[r#"
            "\"control_packet\"" hint trace-missing: packet with changes has no reasoning trace
              note: codeNERD expects one, so that an audit can tell the reason for the changes
            "{" hint audit-incomplete: 4 recommended fields are missing in the safety gates
              note: missing: `requires_user_approval`, `chesterton_fence_warning`, `dangerous_action_blocked`, `constitutional_override`
        "#]],
    );
}
