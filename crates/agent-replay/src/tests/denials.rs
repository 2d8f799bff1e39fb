//! Tests of replies that the policy denies as a whole.

use super::*;

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
              intent(/mutation, "prod.db"). asserted, although the policy denies the reply
              shown: "[SAFETY NOTICE: the policy derives `blocked_action(\"prod.db\")`]\n\nDropping it."
              DENY 2 turn 1   : the policy derives `blocked_action("prod.db")`
              PERMIT 2 r1 /read_file unknown {}: permitted by the constitution
              + intent(/mutation,"prod.db")
              + blocked_action("prod.db")
              override: safety notice added | the user reads this reason: the policy derives `blocked_action("prod.db")`
              permitted: `/read_file` is permitted
              denied: the reply is denied, but its updates are asserted | reason: the policy derives `blocked_action("prod.db")` | `override = "runtime"` does not withdraw the updates
            turn 2
              PERMIT 2 r1 /read_file unknown {}: permitted by the constitution
              permitted: `/read_file` is permitted
        "#]],
    );
    let replace = format!("{rule}#- mangle-ls.toml\n[replay]\noverride = \"replace\"\n");
    check(
        &lines,
        &replace,
        expect![[r#"
            turn 1
              intent(/mutation, "prod.db"). denied with the whole reply
              shown: "I cannot do that: the policy derives `blocked_action(\"prod.db\")`."
              DENY 2 turn 1   : the policy derives `blocked_action("prod.db")`
              DENY 2 r1 /read_file unknown {}: the whole reply is denied
              override: text replaced by a refusal; 1 update ignored | the user reads this reason: the policy derives `blocked_action("prod.db")`
              denied: `/read_file` is denied | reason: the whole reply is denied
              denied: the whole reply is denied | reason: the policy derives `blocked_action("prod.db")`
            turn 2
              PERMIT 2 r1 /read_file unknown {}: permitted by the constitution
              permitted: `/read_file` is permitted
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
    let why = "the policy derives `blocked_action(\"prod.db\")`";
    // A fact that blocked an earlier reply still holds at the repetition.
    assert_eq!(envelopes, [None, Some(why), None, Some(why)]);
}

/// A derived fact is also asserted while a reply repeats it. After the withdrawal, it is derived
/// again.
#[test]
fn what_a_denied_reply_said_is_withdrawn_though_it_held_before() {
    let policy = "intent(/mutation, What) :- task_status(What, /open).\nblocked_action(What) :- task_status(What, /done).\n\
                  #- mangle-ls.toml\n[replay]\noverride = \"replace\"\n";
    let forget = ",\"memory_operations\":[{\"op\":\"forget\",\"key\":\"task_status\",\"value\":\"\"}]";
    check(
        &[
            reply(&["task_status(\"a\", /open)."], "", "ok"),
            reply(&["intent(/mutation, \"a\").", "task_status(\"b\", /done)."], "", "ok"),
            reply(&[], forget, "ok"),
        ],
        policy,
        expect![[r#"
            turn 1
              task_status("a", /open). asserted
              + task_status("a",/open)
              + intent(/mutation,"a")
            turn 2
              intent(/mutation, "a"). denied with the whole reply
              task_status("b", /done). denied with the whole reply
              shown: "I cannot do that: the policy derives `blocked_action(\"b\")`."
              DENY 2 turn 2   : the policy derives `blocked_action("b")`
              override: text replaced by a refusal; 2 updates ignored | the user reads this reason: the policy derives `blocked_action("b")`
              denied: the whole reply is denied | reason: the policy derives `blocked_action("b")`
            turn 3
              - intent(/mutation,"a")
              - task_status("a",/open)
        "#]],
    );
}

/// The proof of a withdrawn fact has the update that asserted it, even after a repetition.
#[test]
fn a_withdrawn_fact_comes_from_its_turn() {
    let policy = "blocked_action(What) :- intent(/mutation, What).\n#- mangle-ls.toml\n[replay]\noverride = \"replace\"\n";
    let said = || reply(&["intent(/mutation, \"a\")."], "", "ok");
    let case = case(&[said(), said(), reply(&[], "", "ok")], policy);
    let constitution = case.constitution();
    let mut origins = Vec::new();
    case.each(&constitution, &mut |replay, event| {
        if let Event::Turn(_) = event {
            origins.push(replay.origin("intent(/mutation,\"a\")").map(|origin| origin.to_string()));
        }
    });
    let at = |turn: u64| Some(format!("turn {turn}, update 1"));
    assert_eq!(origins, [at(1), at(2), None]);
}

/// The text that the user reads for a reply with a denied request, for each value of `override`.
#[test]
fn a_denied_request_changes_what_the_user_reads_if_override_says_so() {
    let lines = [
        reply(&[], &asks("delete_file", "{\"path\":\"a\"}"), "Okay, deleting files…"),
        reply(&["task_status(\"a\", /open)."], &asks("read_file", "{\"path\":\"a\"}"), "Reading it."),
        reply(&["safe_action(/delete_file)."], &asks("delete_file", "{\"path\":\"a\"}"), "Done."),
    ];
    let shown = |style: &str| {
        let case = case(&lines, &format!("#- mangle-ls.toml\n[replay]\n{style}"));
        let (turns, found) = case.run(&case.constitution());
        let count = |code: &str| found.iter().filter(|found| found.1.rule.code == code).count();
        let rewritten = turns.iter().filter(|turn| turn.rewritten.is_some()).count();
        assert_eq!(count("PB501"), rewritten, "{style}");
        let permitted = turns.iter().flat_map(|turn| &turn.verdicts).filter(|one| one.is_permitted).count();
        assert_eq!(count("PB503"), permitted, "{style}");
        let reads = turns.iter().map(|turn| turn.rewritten.as_ref().map_or(&turn.surface, |it| &it.shown));
        reads.map(|text| text.replace('\n', " ")).collect::<Vec<_>>().join("\n") + "\n"
    };
    expect![[r#"
        Okay, deleting files…
        Reading it.
        [SAFETY NOTICE: blocked unsafe mangle_updates]  Done.
    "#]]
    .assert_eq(&shown(""));
    expect![[r#"
        [SAFETY NOTICE: tool call blocked by safety gate: delete_file]  Okay, deleting files…
        Reading it.
        [SAFETY NOTICE: blocked unsafe mangle_updates]  Done.
    "#]]
    .assert_eq(&shown("override = \"prepend\"\n"));
    expect![[r#"
        I cannot do that: It needs an override.
        Reading it.
        I cannot do that: It needs an override.
    "#]]
    .assert_eq(&shown("override = \"replace\"\n"));
}

/// A denied request is described as done.
#[test]
fn work_that_is_denied_is_not_spoken_of_as_under_way() {
    for surface in
        ["Okay, deleting files…", "Sure, I am deleting src/a.go now...", "OK, removing it.", "Deleted."]
    {
        let case = case(&[reply(&[], &asks("delete_file", "{\"path\":\"a\"}"), surface)], "");
        let (_, found) = case.run(&case.constitution());
        assert!(found.iter().any(|found| found.1.rule.code == "PB520"), "{surface}");
    }
    for surface in ["Deleting files is dangerous. May I?", "I have not deleted anything.", "May I delete it?"]
    {
        let case = case(&[reply(&[], &asks("delete_file", "{\"path\":\"a\"}"), surface)], "");
        let (_, found) = case.run(&case.constitution());
        assert!(!found.iter().any(|found| found.1.rule.code == "PB520"), "{surface}");
    }
}

/// Only claims in the past tense count. Questions, plans and statements about others are ignored.
#[test]
fn denied_work_is_claimed_in_the_past_tense() {
    let is_found = |surface: &str, code: &str| {
        let case = case(&[reply(&[], &asks("delete_file", "{\"path\":\"a\"}"), surface)], "");
        let (_, found) = case.run(&case.constitution());
        found.iter().any(|found| found.1.rule.code == code)
    };
    for claim in [
        "I removed the folder.",
        "Committed and pushed.",
        "I have updated the file.",
        "Deployed to production.",
        "I deleted it, anything else?",
        "Which one? I removed it.",
        "All files have been moved.",
    ] {
        assert!(is_found(claim, "PB520"), "{claim}");
    }
    for other in [
        "Shall I mark it as completed?",
        "Shall I mark it as completed, or leave it?",
        "It can be removed.",
        "It will have moved by then.",
        "If I removed it, the build would break.",
        "The removed lines are here.",
        "The file that you created is there.",
        "Is v1.2 deployed?",
    ] {
        assert!(!is_found(other, "PB520"), "{other}");
    }
}

#[test]
fn a_replaced_surface_is_not_read_by_the_user() {
    let note = |style: &str| {
        let lines = [reply(&[], &asks("delete_file", "{\"path\":\"a\"}"), "Let me think.")];
        let case = case(&lines, &format!("#- mangle-ls.toml\n[replay]\noverride = \"{style}\"\n"));
        let (_, found) = case.run(&case.constitution());
        let found = found.into_iter().find(|found| found.1.rule.code == "PB521");
        found.map(|mut found| found.1.notes.remove(0))
    };
    assert_eq!(note("prepend").as_deref(), Some("the user reads this text"));
    assert_eq!(note("replace").as_deref(), Some("the user reads a refusal in its place"));
}

#[test]
fn a_surface_does_not_show_what_the_agent_does_inside() {
    let is_found = |surface: &str| {
        let case = case(&[reply(&[], "", surface)], "");
        let (_, found) = case.run(&case.constitution());
        found.iter().any(|found| found.1.rule.code == "PB521")
    };
    for inside in [
        "Searching file…",
        "Searching files...",
        "Error in tool read_file",
        "Retrying…",
        "Retrying the call...",
    ] {
        assert!(is_found(inside), "{inside}");
    }
    for plain in
        ["I searched the file.", "Searching for it would take long.", "Try again later.", "The tests fail."]
    {
        assert!(!is_found(plain), "{plain}");
    }
}
