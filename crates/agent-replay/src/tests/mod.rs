//! Tests of sessions under small policies, turn by turn.
#![allow(clippy::unwrap_used)]

mod denials;
mod grants;
mod native_calls;
mod own_facts;
mod requests;
mod sessions;
mod updates;
mod words;

use expect_test::{Expect, expect};

use super::testing::Case;
use super::*;
use mangle_engine::kernel::{Reading, RuleId};

/// A policy in the form of the runtime's policy: safe actions, dangerous content, overrides,
/// reasons.
const POLICY: &str = r#"#- policy.mg
Decl pending_action(Id, Action, Target, Payload, At) descr [extensional()]
  bound [/string, /name, /string, /string, /number].
Decl permitted(Action, Target, Payload) bound [/name, /string, /string].
Decl task_status(Task, Status) bound [/string, /name].
Decl admin_override(User) bound [/string].
Decl abductive_hypothesis(Text) bound [/string].
Decl intent(Kind, Target) bound [/name, /string].
safe_action(/read_file).
safe_action(/run_command).
blocked_pattern("rm -rf").
permitted(Action, Target, Payload) :-
    pending_action(Id, Action, Target, Payload, _),
    safe_action(Action),
    !has_danger(Id).
permitted(Action, Target, Payload) :-
    pending_action(_, Action, Target, Payload, _),
    dangerous_action(Action),
    admin_override(_).
has_danger(Id) :-
    pending_action(Id, _, _, Payload, _),
    blocked_pattern(Pattern),
    :string:contains(Payload, Pattern).
dangerous_action(/delete_file).
permission_denied(Action, "It needs an override.") :-
    pending_action(_, Action, _, _, _),
    dangerous_action(Action),
    !has_override().
has_override() :- admin_override(_).
done(Task) :- task_status(Task, /done).
recovery_action(/look) :- abductive_hypothesis("import is missing").
recovery_action(/ask_user) :- abductive_hypothesis(_).
"#;

/// A reply with its updates, other packet members, and surface.
fn reply(updates: &[&str], rest: &str, surface: &str) -> String {
    let updates = serde_json::to_string(updates).unwrap();
    format!(
        "{{\"role\":\"assistant\",\"content\":{{\"control_packet\":{{\"mangle_updates\":{updates}{rest}}},\
         \"surface_response\":{surface:?}}}}}\n"
    )
}

fn asks(tool: &str, args: &str) -> String {
    format!(",\"tool_requests\":[{{\"id\":\"r1\",\"tool_name\":{tool:?},\"tool_args\":{args}}}]")
}

fn case(lines: &[String], more: &str) -> Case {
    Case::new(&format!("#- session.jsonl\n{}{POLICY}{more}", lines.concat()))
}

#[track_caller]
fn check(lines: &[String], more: &str, expected: Expect) {
    expected.assert_eq(&case(lines, more).told());
}
