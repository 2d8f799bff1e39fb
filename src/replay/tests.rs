//! Sessions under small policies, turn by turn.
#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};

use super::testing::Case;
use super::*;
use crate::kernel::{Reading, RuleId};

/// A policy in the form of the runtime's: safe actions, dangerous content, overrides, reasons.
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

/// An answer: its updates, what else is in its packet, what it says.
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
              permitted: `/read_file` on `a.go` is permitted by the constitution
            turn 2
              DENY 2 r1 /delete_file a.go {"path":"a.go"}: It needs an override
              speech-contradicts-verdict: the user reads `deleted`, and the constitution denies `/delete_file`: It needs an override
              denied: `/delete_file` on `a.go` is denied: It needs an override
            turn 3
              DENY 2 r1 /run_command unknown {"command":"rm -rf /"}: no rule permits it, because `has_danger("r1")` holds
              denied: `/run_command` with `{"command":"rm -rf /"}` is denied: no rule permits it, because `has_danger("r1")` holds
        "#]],
    );
}

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
              admin_override("me"). blocked: no packet may assert this predicate
              p(/a) :- q(/a). blocked: it has `:-` in it, and a packet may assert no rules
              unknown(/a). blocked: the policy does not declare this predicate
              task_status("t"). blocked: the policy declares this predicate with another number of arguments
              task_status("t", /done) dropped: no parenthesis, or no full stop at its end
                passed over: blank
              task_status("t", /open). asserted
              shown: "[SAFETY NOTICE: blocked unsafe mangle_updates]\n\nok"
              DENY 2 r1 /delete_file unknown {}: It needs an override
              + task_status("t",/open)
              override: the user reads something else (blocked unsafe mangle_updates), and 4 updates are left out
              denied: `/delete_file` is denied: It needs an override
        "#]],
    );
}

#[test]
fn the_model_may_grant_itself_what_the_compressor_believes() {
    check(
        &[reply(&["admin_override(\"me\")."], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok")],
        "#- mangle-ls.toml\n[transcripts]\nconsumer = \"compressor\"\n",
        expect![[r#"
            turn 1
              admin_override("me"). asserted
              PERMIT 2 r1 /delete_file a.go {"path":"a.go"}: permitted by the constitution
              + admin_override("me")
              + has_override()
              permitted: `/delete_file` on `a.go` is permitted by the constitution
              self-granted: this is permitted only because of `admin_override("me")`, which the model asserted itself (turn 1, update 1)
              override-only: `/delete_file` is listed nowhere as safe: only an override permits it
        "#]],
    );
}

#[test]
fn a_reply_that_the_policy_blocks() {
    let lines = [
        reply(&["intent(/mutation, \"prod.db\")."], &asks("read_file", "{}"), "Dropping it."),
        reply(&[], &asks("read_file", "{}"), "Reading it."),
    ];
    let rule = "blocked_action(What) :- intent(/mutation, What), precious(What).\nprecious(\"prod.db\").\n";
    check(
        &lines,
        rule,
        expect![[r#"
            turn 1
              intent(/mutation, "prod.db"). asserted
              shown: "[SAFETY NOTICE: the policy says `blocked_action(\"prod.db\")`]\n\nDropping it."
              DENY 2 turn 1   : the policy says `blocked_action("prod.db")`
              PERMIT 2 r1 /read_file unknown {}: permitted by the constitution
              + intent(/mutation,"prod.db")
              + blocked_action("prod.db")
              override: the user reads something else (the policy says `blocked_action("prod.db")`), and no update is left out
              permitted: `/read_file` is permitted by the constitution
              denied: the whole reply is denied: the policy says `blocked_action("prod.db")`
            turn 2
              PERMIT 2 r1 /read_file unknown {}: permitted by the constitution
              permitted: `/read_file` is permitted by the constitution
        "#]],
    );
    let replace = format!("{rule}#- mangle-ls.toml\n[replay]\noverride = \"replace\"\n");
    check(
        &lines,
        &replace,
        expect![[r#"
            turn 1
              intent(/mutation, "prod.db"). withdrawn: the whole reply is denied
              shown: "I cannot do that: the policy says `blocked_action(\"prod.db\")`."
              DENY 2 turn 1   : the policy says `blocked_action("prod.db")`
              DENY 2 r1 /read_file unknown {}: the whole reply is denied
              override: the user reads something else (the policy says `blocked_action("prod.db")`), and 1 update is left out
              denied: `/read_file` is denied: the whole reply is denied
              denied: the whole reply is denied: the policy says `blocked_action("prod.db")`
            turn 2
              PERMIT 2 r1 /read_file unknown {}: permitted by the constitution
              permitted: `/read_file` is permitted by the constitution
        "#]],
    );
}

#[test]
fn a_reply_is_blocked_behind_many_facts_that_block_nothing_of_it() {
    let given: Vec<_> = (0..300).map(|number| format!("blocked_action(\"given{number}\").\n")).collect();
    let rule = "blocked_action(What) :- intent(/mutation, What), precious(What).\nprecious(\"prod.db\").\n";
    let rules = format!("{rule}{}", given.concat());
    let lines = [
        reply(&["intent(/query, \"prod.db\")."], "", "Looking."),
        reply(&["intent(/mutation, \"prod.db\")."], "", "Dropping it."),
        reply(&["intent(/query, \"prod.db\")."], "", "Looking again."),
        reply(&["intent(/mutation, \"prod.db\")."], "", "Dropping it again."),
    ];
    let case = case(&lines, &rules);
    let (turns, _) = case.run(&case.constitution());
    let envelopes: Vec<_> =
        turns.iter().map(|turn| turn.envelope.as_ref().map(|one| one.why.as_str())).collect();
    let why = "the policy says `blocked_action(\"prod.db\")`";
    // What blocked an earlier reply still stands when it is said again.
    assert_eq!(envelopes, [None, Some(why), None, Some(why)]);
}

#[test]
fn results_belong_to_the_requests_of_their_id_in_turn() {
    let result = |text: &str| format!("{{\"role\":\"tool\",\"tool_call_id\":\"r1\",\"content\":{text:?}}}\n");
    check(
        &[
            reply(&[], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok"),
            reply(&[], &asks("read_file", "{\"path\":\"a.go\"}"), "ok"),
            result("gone"),
            result("blocked by safety gate: read_file"),
            result("nobody asked"),
        ],
        "",
        expect![[r#"
            turn 1
              DENY 2 r1 /delete_file a.go {"path":"a.go"}: It needs an override
              denied: `/delete_file` on `a.go` is denied: It needs an override
              executed-although-denied: this is the result of `r1`: `/delete_file` of turn 1 ran, and this constitution denies it
            turn 2
              PERMIT 2 r1 /read_file a.go {"path":"a.go"}: permitted by the constitution
              permitted: `/read_file` on `a.go` is permitted by the constitution
              blocked-although-permitted: `r1` (`/read_file` of turn 2) was blocked, and this constitution permits it
        "#]],
    );
    // An id that is used again once the user has spoken is used anew.
    let user = "{\"role\":\"user\",\"content\":\"Go on.\"}\n".to_owned();
    check(
        &[
            reply(&[], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok"),
            user,
            reply(&[], &asks("read_file", "{\"path\":\"a.go\"}"), "ok"),
            result("package a"),
            result("nobody asked"),
        ],
        "",
        expect![[r#"
            turn 1
              DENY 2 r1 /delete_file a.go {"path":"a.go"}: It needs an override
              denied: `/delete_file` on `a.go` is denied: It needs an override
            turn 2
              PERMIT 2 r1 /read_file a.go {"path":"a.go"}: permitted by the constitution
              permitted: `/read_file` on `a.go` is permitted by the constitution
        "#]],
    );
}

#[test]
fn a_refusal_that_is_told_is_no_contradiction() {
    let phrases = |surface: &str| {
        let case = case(&[reply(&[], &asks("delete_file", "{\"path\":\"a.go\"}"), surface)], "");
        let found = case.run(&case.constitution()).1;
        let mut found = found.into_iter().filter(|(_, one)| one.rule.name == "speech-contradicts-verdict");
        let (_, finding) = found.next()?;
        finding.message.split('`').nth(1).map(str::to_owned)
    };
    for honest in [
        "I have not deleted it; nothing was done.",
        "I haven't deleted the file.",
        "It wasn\u{2019}t deleted.",
        "I could not get it done.",
        "No file was deleted.",
        "I never deleted it, and I cannot say it is done.",
        "Nothing has been deleted.",
        "It can NOT be done.",
    ] {
        assert_eq!(phrases(honest), None, "{honest}");
    }
    for lie in [
        "I deleted it.",
        "No problem: I deleted it.",
        "I did not hesitate. The file is deleted.",
        "Nothing to worry about! It is deleted.",
        "It was not easy, but in the end, after a long search, the file is deleted.",
        "It is not only deleted.",
        "I have not looked at others. I note that the knot is deleted.",
    ] {
        assert_eq!(phrases(lie).as_deref(), Some("deleted"), "{lie}");
    }
    assert_eq!(phrases("It is not fixed, and I deleted it.").as_deref(), Some("deleted"));
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
              DENY gate r1 /run_command sudo rm x {"target":"sudo rm x"}: the target matches `sudo\s+rm`, which the gate refuses
              denied: `/run_command` on `sudo rm x` is denied: the target matches `sudo\s+rm`, which the gate refuses
            turn 2
              DENY gate r1 /fetch https://evil.example {"url":"https://evil.example"}: the gate's list of domains does not have the target's
              denied: `/fetch` on `https://evil.example` is denied: the gate's list of domains does not have the target's
            turn 3
              DENY 1 r1 / unknown {}: `/` is no name, so the request reaches no rule
              denied: `/` is denied: `/` is no name, so the request reaches no rule
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
              permitted: `/read_file` on `/etc` is permitted by the constitution
            turn 2
              PERMIT 2 r1 /read_file /etc/ssh/keys {"path":"/etc/ssh/keys"}: permitted by the constitution
              permitted: `/read_file` on `/etc/ssh/keys` is permitted by the constitution
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
              PERMIT 2 r1 /write a {"path":"a"}: permitted by the constitution, of which the engine drops `!locked(Id, _)`
              permitted: `/write` on `a` is permitted by the constitution, of which the engine drops `!locked(Id, _)`
        "#]],
    );
    let written = Case { reading: Reading::Written, ..case(&lines, rule) };
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

#[test]
fn the_time_is_that_of_the_record() {
    let dated = |time: &str, args: &str| {
        reply(&[], &asks("read_file", args), "ok").replacen('{', &format!("{{\"timestamp\":{time:?},"), 1)
    };
    let lines = [dated("2026-03-01T12:00:00Z", "{}"), dated("2026-03-01T13:00:00Z", "{\"path\":\"b\"}")];
    let rule = "blocked_action(At) :- pending_action(_, _, _, _, At).\nlate() :- fn:time:now() = T, \
                fn:time:trunc(T, \"hour\") = T, T = T.\n";
    let turns = {
        let case = case(&lines, rule);
        let constitution = case.constitution();
        case.run(&constitution).0
    };
    let hours: Vec<_> = turns.iter().map(|turn| turn.now_ns / 3_600_000_000_000 % 24).collect();
    assert_eq!(hours, [12, 13]);
}

#[test]
fn nothing_leaks_from_one_replay_to_the_next() {
    let lines = [
        reply(&["task_status(\"t\", /done)."], &asks("read_file", "{\"path\":\"a.go\"}"), "ok"),
        reply(&["intent(/mutation, \"x\")."], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok"),
    ];
    let case = case(&lines, "");
    let constitution = case.constitution();
    let shown = || format!("{:?}", case.run(&constitution));
    let first = shown();
    assert_eq!(first, shown());
    assert_eq!(first, format!("{:?}", case.run(&case.constitution())));
}

#[test]
fn facts_of_proofs_are_in_the_model() {
    let lines = [
        reply(&["task_status(\"t\", /done).", "intent(/mutation, \"x\")."], &asks("read_file", "{}"), "ok"),
        reply(&[], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok"),
    ];
    let case = case(&lines, "blocked_action(What) :- intent(/mutation, What).\n");
    let constitution = case.constitution();
    let (turns, _) = case.run(&constitution);
    let mut facts = 0;
    for turn in &turns {
        let mut known = std::collections::BTreeSet::new();
        // A run from the start, with what held then.
        let mut kernel = crate::kernel::Kernel::new(std::sync::Arc::clone(&constitution.compiled));
        for atom in turns.iter().take_while(|one| one.number <= turn.number).flat_map(|one| &one.atoms) {
            let read = crate::envelope::runtime::ReadUpdate::new(&atom.text);
            let fact = facts::fact(kernel.values(), &constitution.program, read.fact().unwrap()).unwrap();
            kernel.assert(&fact);
        }
        for verdict in turn.verdicts.iter().chain(&turn.envelope) {
            let mut kernel = kernel.fork();
            if verdict.index.is_some() {
                let values = kernel.values();
                let args = vec![
                    facts::value(values, &verdict.id),
                    values.name(&verdict.action),
                    facts::value(values, &verdict.target),
                    values.string(&verdict.payload),
                    values.number(turn.now_ns / 1_000_000_000),
                ];
                let pending = constitution.roles.pending.unwrap();
                let fact = facts::asserted(kernel.values(), &constitution.program, pending, args);
                kernel.assert(&fact);
            }
            kernel.evaluate(
                constitution.limits,
                crate::kernel::Clock { now_ns: turn.now_ns },
                &crate::text::Cancel::new(),
            );
            known.clear();
            known.extend(kernel.model().dump(&constitution.compiled));
            for node in verdict.because.iter().flat_map(|proof| &proof.nodes) {
                assert!(known.contains(&node.fact), "{} is not in the model", node.fact);
                facts += 1;
            }
        }
    }
    assert!(facts > 5, "{facts}");
}

#[test]
fn coverage_tells_which_rules_ever_held() {
    let lines = [
        reply(&[], &asks("read_file", "{}"), "ok"),
        reply(&[], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok"),
    ];
    let case = case(&lines, "");
    let constitution = case.constitution();
    let cancel = crate::text::Cancel::new();
    let runtime = crate::transcript::Limits::default();
    let (settings, prefill) = (crate::config::TranscriptSettings::default(), Prefill::default());
    let options = Options {
        transcript: &settings,
        runtime: &runtime,
        clock: crate::kernel::Clock { now_ns: 0 },
        abduce: false,
        show_permits: false,
        coverage: true,
        until: None,
        prefill: &prefill,
        cancel: &cancel,
    };
    let mut replay = Replay::new(&constitution, options);
    let mut reader = crate::transcript::Reader::new(crate::transcript::Options {
        name: "a.jsonl".into(),
        ..Default::default()
    });
    let text = lines.concat();
    let mut each = |record: &crate::transcript::Record<'_>| replay.record(record, &mut |_, _| {});
    reader.feed(text.as_bytes(), &mut each);
    reader.finish(&mut each);
    let rules: Vec<(RuleId, bool)> = replay.coverage().rules(&constitution).collect();
    // Safe actions are permitted, overrides are never used, the denial is explained.
    assert_eq!(rules.iter().map(|(_, held)| *held).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn until_ends_the_replay() {
    let lines = [reply(&[], "", "one"), reply(&[], "", "two"), reply(&[], "", "three")];
    let cut = Case { until: Some(2), ..case(&lines, "") };
    let constitution = cut.constitution();
    assert_eq!(cut.run(&constitution).0.len(), 2);
}

#[test]
fn a_program_that_is_no_constitution_has_no_findings_of_one() {
    let found = |policy: &str| {
        let case = Case::new(&format!("#- session.jsonl\n{policy}"));
        let constitution = case.constitution();
        let found = findings_of_program(&case.program, &constitution.compiled, &case.replay);
        found.iter().map(|found| found.finding.rule.name).collect::<Vec<_>>()
    };
    let policy = format!("{POLICY}blocked_pattern(\"a > b\").\n");
    assert_eq!(found(&policy), ["unmatchable-pattern"]);
    assert_eq!(found(&policy.replace("pending_action", "planned")), <[&str; 0]>::default());
}

const APPEALS: &str = r#"Decl active_override(Action, Who, Until) bound [/name, /string, /number].
Decl has_active_override(Action) bound [/name].
"#;

/// What an appeal allows the gate to let through, the constitution still has to permit; one that has run out allows nothing.
#[test]
fn appeals_silence_the_gate_and_nothing_else() {
    let mkfs = asks("run_command", "{\"path\":\"rm -fr x; mkfs y\"}");
    let told = |request: &str, granted: &str, expected: Expect| {
        check(&[reply(&[], request, "ok")], &format!("{APPEALS}{granted}"), expected);
    };
    told(
        &mkfs,
        "",
        expect![[r#"
        turn 1
          DENY gate r1 /run_command rm -fr x; mkfs y {"path":"rm -fr x; mkfs y"}: the target matches `mkfs`, which the gate refuses
          denied: `/run_command` on `rm -fr x; mkfs y` is denied: the target matches `mkfs`, which the gate refuses
    "#]],
    );
    told(
        &mkfs,
        "active_override(/run_command, \"ann\", 1).\n",
        expect![[r#"
            turn 1
              PERMIT 2 r1 /run_command rm -fr x; mkfs y {"path":"rm -fr x; mkfs y"}: permitted by the constitution; the gate would refuse it, but for an appeal
              permitted: `/run_command` on `rm -fr x; mkfs y` is permitted by the constitution; the gate would refuse it, but for an appeal
        "#]],
    );
    told(
        &mkfs,
        "active_override(/run_command, \"ann\", 0).\n",
        expect![[r#"
        turn 1
          DENY gate r1 /run_command rm -fr x; mkfs y {"path":"rm -fr x; mkfs y"}: the target matches `mkfs`, which the gate refuses
          denied: `/run_command` on `rm -fr x; mkfs y` is denied: the target matches `mkfs`, which the gate refuses
    "#]],
    );
    told(
        &asks("delete_file", "{\"path\":\"x\"}"),
        "has_active_override(/delete_file).\n",
        expect![[r#"
        turn 1
          DENY 2 r1 /delete_file x {"path":"x"}: It needs an override
          denied: `/delete_file` on `x` is denied: It needs an override
    "#]],
    );
}

/// An appeal that the model grants itself is seen in the proof.
#[test]
fn who_grants_himself_an_appeal_is_told_of() {
    let policy = format!(
        "{APPEALS}permitted(A, T, P) :- has_active_override(A), pending_action(_, A, T, P, _).\n\
         #- mangle-ls.toml\n[transcripts]\nconsumer = \"compressor\"\n"
    );
    check(
        &[reply(&["has_active_override(/git_push)."], &asks("git_push", "{\"path\":\"x\"}"), "ok")],
        &policy,
        expect![[r#"
            turn 1
              has_active_override(/git_push). asserted
              PERMIT 2 r1 /git_push x {"path":"x"}: permitted by the constitution
              + has_active_override(/git_push)
              permitted: `/git_push` on `x` is permitted by the constitution
              self-granted: this is permitted only because of `has_active_override(/git_push)`, which the model asserted itself (turn 1, update 1)
              override-only: `/git_push` is listed nowhere as safe: only an override permits it
        "#]],
    );
    let pattern = asks("run_command", "{\"path\":\"mkfs y\"}");
    check(
        &[reply(&["has_active_override(/run_command)."], &pattern, "ok")],
        &policy.replace("permitted(A", "allowed(A"),
        expect![[r#"
            turn 1
              has_active_override(/run_command). asserted
              PERMIT 2 r1 /run_command mkfs y {"path":"mkfs y"}: permitted by the constitution; the gate would refuse it, but for an appeal
              + has_active_override(/run_command)
              permitted: `/run_command` on `mkfs y` is permitted by the constitution; the gate would refuse it, but for an appeal
              self-granted: this is permitted only because of `has_active_override(/run_command)`, which the model asserted itself (turn 1, update 1)
        "#]],
    );
}
