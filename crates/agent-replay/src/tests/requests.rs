//! Tests of requests at the gates.

use super::*;

#[test]
fn requests_are_judged_and_leave_nothing_behind() {
    check(
        &[
            reply(&["task_status(\"t\", /done)."], &asks("read_file", "{\"path\":\"a.go\"}"), "ok"),
            reply(&[], &asks("delete_file", "{\"path\":\"a.go\"}"), "I have deleted it."),
            reply(&[], &asks("run_command", "{\"command\":\"rm -rf /\"}"), "ok"),
        ],
        "",
        expect![[r#"
            turn 1
              task_status("t", /done). asserted
              PERMIT 2 r1 /read_file a.go {"path":"a.go"}: permitted by the constitution
              + task_status("t",/done)
              + done("t")
              permitted: `/read_file` on `a.go` is permitted
            turn 2
              DENY 2 r1 /delete_file a.go {"path":"a.go"}: It needs an override
              speech-contradicts-verdict: reply claims `deleted`, but `/delete_file` is denied | reason: It needs an override | the user reads this text
              denied: `/delete_file` on `a.go` is denied | reason: It needs an override
            turn 3
              DENY 2 r1 /run_command unknown {"command":"rm -rf /"}: no rule permits it, because `has_danger("r1")` holds
              denied: `/run_command` with `{"command":"rm -rf /"}` is denied | reason: no rule permits it, because `has_danger("r1")` holds
        "#]],
    );
}

#[test]
fn the_gate_in_front_of_the_constitution() {
    let lines = [
        reply(&[], &asks("run_command", "{\"target\":\"sudo rm x\"}"), "ok"),
        reply(&[], &asks("fetch", "{\"url\":\"https://evil.example\"}"), "ok"),
        reply(&[], &asks("", "{}"), "ok"),
    ];
    check(
        &lines,
        "",
        expect![[r#"
            turn 1
              DENY gate r1 /run_command sudo rm x {"target":"sudo rm x"}: the gate rejects targets that match `sudo\s+rm`
              denied: `/run_command` on `sudo rm x` is denied | reason: the gate rejects targets that match `sudo\s+rm`
            turn 2
              DENY gate r1 /fetch https://evil.example {"url":"https://evil.example"}: the gate's list of domains lacks that of the target
              denied: `/fetch` on `https://evil.example` is denied | reason: the gate's list of domains lacks that of the target
            turn 3
              DENY 1 r1 / unknown {}: `/` is not a name, so the request reaches no rule
              denied: `/` is denied | reason: `/` is not a name, so the request reaches no rule
        "#]],
    );
}

#[test]
fn a_short_path_is_a_name_to_the_gate() {
    let lines = [
        reply(&[], &asks("read_file", "{\"path\":\"/etc\"}"), "ok"),
        reply(&[], &asks("read_file", "{\"path\":\"/etc/ssh/keys\"}"), "ok"),
    ];
    let rule =
        "blocked_action(Id) :- pending_action(Id, _, Target, _, _), :string:starts_with(Target, \"/etc\").\n";
    check(
        &lines,
        rule,
        expect![[r#"
            turn 1
              PERMIT 2 r1 /read_file /etc {"path":"/etc"}: permitted by the constitution
              permitted: `/read_file` on `/etc` is permitted
            turn 2
              PERMIT 2 r1 /read_file /etc/ssh/keys {"path":"/etc/ssh/keys"}: permitted by the constitution
              permitted: `/read_file` on `/etc/ssh/keys` is permitted
        "#]],
    );
}

#[test]
fn a_negation_that_is_dropped_permits() {
    let lines = [reply(&[], &asks("write", "{\"path\":\"a\"}"), "ok")];
    let rule = "permitted(/write, Target, Payload) :-\n    pending_action(Id, /write, Target, Payload, At),\n    \
                !locked(Id, _).\nDecl locked(Id, By) bound [/string, /string].\nlocked(\"r1\", \"root\").\n";
    check(
        &lines,
        rule,
        expect![[r#"
            turn 1
              PERMIT 2 r1 /write a {"path":"a"}: permitted by the constitution, in which the engine ignores `!locked(Id, _)`
              permitted: `/write` on `a` is permitted | the engine ignores `!locked(Id, _)`
        "#]],
    );
    let written = Case { reading: Reading::Intended, ..case(&lines, rule) };
    assert!(written.told().contains("DENY"), "{}", written.told());
}

#[test]
fn endless_rules_deny() {
    let lines = [
        reply(&["task_status(\"t\", /open)."], &asks("read_file", "{}"), "ok"),
        reply(&[], &asks("read_file", "{}"), "ok"),
    ];
    let rule = "Decl count(N) bound [/number].\ncount(0) :- task_status(_, /open).\ncount(N) :- count(M), N = fn:plus(M, 1).\n";
    let told = case(&lines, rule).told();
    assert_eq!(told.matches("DENY 2 r1 /read_file").count(), 2, "{told}");
    assert!(told.contains("more than 10000 derived facts"), "{told}");
}

/// As in the runtime, a request that makes the evaluation fail is not retracted, and all later
/// requests are denied.
#[test]
fn a_request_that_cannot_be_evaluated_stays() {
    let divide = asks("divide", "{}");
    let read = asks("read_file", "{}");
    let forget = ",\"memory_operations\":[{\"op\":\"forget\",\"key\":\"pending_action\",\"value\":\"\"}]";
    let lines = [
        reply(&[], &read, "ok"),
        reply(&[], &divide, "ok"),
        reply(&[], &read, "ok"),
        reply(&[], &format!("{read}{forget}"), "ok"),
    ];
    let rule = "rate(N) :- pending_action(_, /divide, _, _, At), N = fn:div(1, At).\n";
    check(
        &lines,
        rule,
        expect![[r#"
            turn 1
              PERMIT 2 r1 /read_file unknown {}: permitted by the constitution
              permitted: `/read_file` is permitted
            turn 2
              DENY 2 r1 /divide unknown {}: the evaluation stopped: division by zero
              denied: `/divide` is denied | reason: the evaluation stopped: division by zero
            turn 3
              DENY 2 r1 /read_file unknown {}: the evaluation stopped: division by zero
              denied: `/read_file` is denied | reason: the evaluation stopped: division by zero
            turn 4
              PERMIT 2 r1 /read_file unknown {}: permitted by the constitution
              - pending_action("r1",/divide,"unknown","{}",0)
              - pending_action("r1",/read_file,"unknown","{}",0)
              - permitted(/read_file,"unknown","{}")
              permitted: `/read_file` is permitted
        "#]],
    );
}

/// If a request makes the rules diverge, they are evaluated once and not for each request.
#[test]
fn a_request_that_never_ends_is_the_last_one() {
    let asked: Vec<_> = ["read_file", "loop", "read_file", "loop", "read_file"]
        .map(|tool| format!("{{\"id\":\"r\",\"tool_name\":{tool:?},\"tool_args\":{{}}}}"))
        .into();
    let requests = format!(",\"tool_requests\":[{}]", asked.join(","));
    let rule = "Decl count(N) bound [/number].\ncount(0) :- pending_action(_, /loop, _, _, _).\n\
                count(N) :- count(M), N = fn:plus(M, 1).\n";
    let case = case(&[reply(&[], &requests, "ok"), reply(&[], &requests, "ok")], rule);
    let constitution = case.constitution();
    let (turns, _) = case.run(&constitution);
    let permitted: Vec<Vec<bool>> =
        turns.iter().map(|turn| turn.verdicts.iter().map(|one| one.is_permitted).collect()).collect();
    assert_eq!(permitted, [[true, false, false, false, false], [false; 5]]);
    assert!(turns.iter().all(|turn| turn.stopped.is_some()));
}

/// The gate compares domains like the runtime, letter by letter.
#[test]
fn domains_in_any_case() {
    let fetch = |url: &str| {
        let case = case(&[reply(&[], &asks("fetch", &format!("{{\"url\":{url:?}}}")), "ok")], "");
        let (turns, _) = case.run(&case.constitution());
        turns[0].verdicts[0].lock
    };
    assert_eq!(fetch("https://evil.example"), Authority::Gate);
    assert_eq!(fetch("https://GitHub.COM/x"), Authority::Constitution);
    assert_eq!(fetch("https://g\u{130}thub.com/x"), Authority::Constitution);
}

/// The patterns use the syntax of Go, with ASCII white space.
#[test]
fn patterns_of_the_gate() {
    let lock = |target: &str| {
        let args = serde_json::json!({ "path": target }).to_string();
        let case = case(&[reply(&[], &asks("read_file", &args), "ok")], "");
        let (turns, _) = case.run(&case.constitution());
        turns[0].verdicts[0].lock
    };
    assert_eq!(lock("rm  -rf x"), Authority::Gate);
    assert_eq!(lock("rm\u{a0}-rf x"), Authority::Constitution);
}
