//! Tests of updates, memory operations and hypotheses.

use super::*;

#[test]
fn what_a_filter_refuses_reaches_no_rule() {
    let updates = [
        "admin_override(\"me\").",
        "p(/a) :- q(/a).",
        "unknown(/a).",
        "task_status(\"t\").",
        "task_status(\"t\", /done)",
        " ",
        "task_status(\"t\", /open).",
    ];
    check(
        &[reply(&updates, &asks("delete_file", "{}"), "ok")],
        "",
        expect![[r#"
            turn 1
              admin_override("me"). blocked by the update filter: no reply may assert this predicate
              p(/a) :- q(/a). blocked by the update filter: it has `:-` in it, and a reply may assert no rules
              unknown(/a). blocked by the kernel: the policy does not declare this predicate
              task_status("t"). blocked by the kernel: the policy declares this predicate with another number of arguments
              task_status("t", /done) dropped by the cap filter: no parenthesis, or no full stop at its end
                dropped by the cap filter: it is blank
              task_status("t", /open). asserted
              shown: "[SAFETY NOTICE: blocked unsafe mangle_updates]\n\nok"
              DENY 2 r1 /delete_file unknown {}: It needs an override
              + task_status("t",/open)
              override: safety notice added; 4 updates ignored | the user reads this reason: blocked unsafe mangle_updates
              denied: `/delete_file` is denied | reason: It needs an override
        "#]],
    );
}

#[test]
fn what_was_filled_in_counts_where_the_model_says_nothing() {
    let lines = [reply(&[], "", "ok"), reply(&["task_status(\"b\", /open)."], "", "ok")];
    let text = "{\"turn\":1,\"updates\":[\"task_status(\\\"a\\\", /done).\"]}\n\
                {\"turn\":2,\"updates\":[\"task_status(\\\"x\\\", /done).\"]}";
    let filled = Case { prefill: Prefill::read(text).unwrap(), ..case(&lines, "") };
    expect![[r#"
        turn 1
          task_status("a", /done). asserted
          + task_status("a",/done)
          + done("a")
        turn 2
          task_status("b", /open). asserted
          + task_status("b",/open)
    "#]]
    .assert_eq(&filled.told());
}

#[test]
fn memory_operations_forget_what_was_asserted() {
    let forget = ",\"memory_operations\":[{\"op\":\"forget\",\"key\":\"task_status\",\"value\":\"\"}]";
    let lines = [
        reply(&["task_status(\"a\", /done).", "task_status(\"b\", /open)."], "", "ok"),
        reply(&["task_status(\"c\", /open)."], forget, "ok"),
    ];
    check(
        &lines,
        "task_status(\"given\", /done).\n",
        expect![[r#"
        turn 1
          task_status("a", /done). asserted
          task_status("b", /open). asserted
          + task_status("a",/done)
          + task_status("b",/open)
          + done("a")
        turn 2
          task_status("c", /open). asserted
          - done("a")
          - task_status("a",/done)
          - task_status("b",/open)
    "#]],
    );
}

#[test]
fn a_hypothesis_leads_to_actions() {
    let correction = ",\"self_correction\":{\"triggered\":true,\"hypothesis\":\"import is missing\"}";
    let lines = [reply(&[], correction, "Oh."), reply(&[], "", "Well.")];
    check(
        &lines,
        "",
        expect![[r#"
        turn 1
          recovery: recovery_action(/ask_user), recovery_action(/look)
        turn 2
    "#]],
    );
    let kept = Case { abduce: true, ..case(&lines, "") };
    expect![[r#"
        turn 1
          recovery: recovery_action(/ask_user), recovery_action(/look)
          + abductive_hypothesis("import is missing")
          + recovery_action(/look)
          + recovery_action(/ask_user)
        turn 2
    "#]]
    .assert_eq(&kept.told());
}

/// A forgotten and repeated fact has the repetition as its origin.
#[test]
fn what_is_forgotten_comes_from_nowhere() {
    let forget = ",\"memory_operations\":[{\"op\":\"forget\",\"key\":\"admin_override\",\"value\":\"\"}]";
    let granting = |rest: &str| reply(&["admin_override(\"me\")."], rest, "ok");
    let lines =
        [granting(forget), reply(&[], "", "ok"), granting(&asks("delete_file", "{\"path\":\"a.go\"}"))];
    let told = case(&lines, "#- mangle-ls.toml\n[transcripts]\nconsumer = \"compressor\"\n").told();
    assert!(told.contains("the permission rests on `admin_override(\"me\")` (turn 3, update 1)"), "{told}");
}

/// A log of both channels has surfaces with updates, and no envelopes.
#[test]
fn updates_of_a_log_of_both_channels_reach_the_kernel() {
    let log =
        "[USER] hi\n[KERNEL] task_status(\"a\", /open).\n[KERNEL] bad(\n[USER] bye\n[KERNEL]\n".to_owned();
    check(
        &[log],
        "",
        expect![[r#"
        turn 1
          task_status("a", /open). asserted
          bad( dropped by the cap filter: no parenthesis, or no full stop at its end
          + task_status("a",/open)
        turn 2
    "#]],
    );
}
