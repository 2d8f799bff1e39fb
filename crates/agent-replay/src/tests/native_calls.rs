//! Tests of replies with native tool calls.

use super::*;
use mangle_settings::Runtime;

/// A reply with a tool call in the format of OpenAI.
fn native(updates: &[&str], rest: &str) -> String {
    let updates = serde_json::to_string(updates).unwrap();
    let content =
        format!("{{\"control_packet\":{{\"mangle_updates\":{updates}{rest}}},\"surface_response\":\"ok\"}}");
    let call = "{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"ping\",\"arguments\":\"{}\"}}";
    let content = serde_json::to_string(&content).unwrap();
    format!("{{\"role\":\"assistant\",\"content\":{content},\"tool_calls\":[{call}]}}\n")
}

fn case_of(lines: &[String], more: &str, has_path: bool) -> Case {
    let mut case = case(lines, more);
    let is_it = |runtime: &Runtime| runtime.update_filters && runtime.native_path == has_path;
    case.settings.caps.runtime = Runtime::all().find(is_it).unwrap();
    case
}

/// The outcome of the session as text, without the name of the runtime.
fn told(lines: &[String], more: &str, has_path: bool) -> String {
    let case = case_of(lines, more, has_path);
    case.told().replace(case.settings.caps.runtime.name(), "RUNTIME")
}

const MEMORY: &str = ",\"memory_operations\":[{\"op\":\"forget\",\"key\":\"task_status\",\"value\":\"\"},\
    {\"op\":\"note\",\"key\":\"/focus\",\"value\":\"tests\"}]";

const DECLARED: &str = "Decl memory_operation(Op, Key, Value).
Decl self_correction(Hypothesis, At) bound [/string, /number].
noted(Key) :- memory_operation(\"note\", Key, _).
";

#[test]
fn the_notice_is_not_shown_beside_native_calls() {
    let lines = [native(&["admin_override(\"me\")."], "")];
    expect![[r#"
        turn 1
          admin_override("me"). blocked by the update filter: no reply may assert this predicate
          not shown: blocked unsafe mangle_updates
          override: no safety notice is shown; 1 update ignored | the user does not read this reason: blocked unsafe mangle_updates | runtime RUNTIME does not show the notice on the path of native tool calls
    "#]].assert_eq(&told(&lines, "", true));
    expect![[r#"
        turn 1
          admin_override("me"). blocked by the update filter: no reply may assert this predicate
          shown: "[SAFETY NOTICE: blocked unsafe mangle_updates]\n\nok"
          override: safety notice added; 1 update ignored | the user reads this reason: blocked unsafe mangle_updates
    "#]].assert_eq(&told(&lines, "", false));
}

#[test]
fn memory_operations_beside_native_calls_are_facts_and_forget_nothing() {
    let lines = [native(&["task_status(\"a\", /done)."], ""), native(&[], MEMORY)];
    expect![[r#"
        turn 1
          task_status("a", /done). asserted
          + task_status("a",/done)
          + done("a")
        turn 2
          memory: forget task_status Asserted
          memory: note /focus Asserted
          + memory_operation("forget","task_status","")
          + memory_operation("note",/focus,"tests")
          + noted(/focus)
    "#]]
    .assert_eq(&told(&lines, DECLARED, true));
    expect![[r#"
        turn 1
          task_status("a", /done). asserted
          + task_status("a",/done)
          + done("a")
        turn 2
          - done("a")
          - task_status("a",/done)
    "#]]
    .assert_eq(&told(&lines, DECLARED, false));
}

#[test]
fn facts_of_undeclared_predicates_reach_no_rule() {
    let lines = [native(&["task_status(\"a\", /done)."], MEMORY)];
    expect![[r#"
        turn 1
          task_status("a", /done). asserted
          memory: forget task_status Undeclared
          memory: note /focus Undeclared
          + task_status("a",/done)
          + done("a")
    "#]]
    .assert_eq(&told(&lines, "", true));
}

#[test]
fn a_self_correction_beside_native_calls_is_a_fact() {
    let correction = ",\"self_correction\":{\"triggered\":true,\"hypothesis\":\"import is missing\"}";
    let lines = [native(&[], correction)];
    expect![[r#"
        turn 1
          recovery: recovery_action(/ask_user), recovery_action(/look)
          + self_correction("import is missing",0)
    "#]]
    .assert_eq(&told(&lines, DECLARED, true));
}

/// A user-chosen style applies on every path.
#[test]
fn a_chosen_style_is_followed_beside_native_calls() {
    let lines = [native(&["admin_override(\"me\")."], "")];
    let style = "#- mangle-ls.toml\n[replay]\noverride = \"replace\"\n";
    let told = told(&lines, style, true);
    assert!(told.contains("shown: \"I cannot do that"), "{told}");
}

#[test]
fn a_permission_that_rests_on_a_memory_operation_is_self_granted() {
    let more = "Decl memory_operation(Op, Key, Value).
permitted(/deploy, T, P) :- pending_action(_, /deploy, T, P, _), memory_operation(\"note\", \"approved\", _).
";
    let rest = ",\"memory_operations\":[{\"op\":\"note\",\"key\":\"approved\",\"value\":\"yes\"}]";
    let rest = format!("{rest}{}", asks("deploy", "{\"path\":\"prod\"}"));
    let told = told(&[native(&[], &rest)], more, true);
    assert!(told.contains("(turn 1, a memory operation)"), "{told}");
}
