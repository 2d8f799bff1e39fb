//! The program of a log without a configuration, verdicts, and logs that are recognized by their content.

use expect_test::expect;

use super::support::{check, folder, run, write};

const SCHEMAS: (&str, &str) = (
    "schemas.gl",
    "Decl pending_action(Id, Action, Target, Payload, At)\n  bound [/string, /name, /string, /string, /number].\n\
     Decl permitted(Action, Target, Payload) bound [/name, /string, /string].\n\
     Decl task_status(Task, Status) bound [/string, /name].\n",
);
const CONSTITUTION: (&str, &str) = (
    "constitution.mg",
    "safe_action(/read_file).\npermitted(Action, Target, Payload) :-\n    \
     pending_action(_, Action, Target, Payload, _),\n    safe_action(Action).\n",
);
const CAPTURED: (&str, &str) = (
    "captured.json",
    concat!(
        "[{\"role\":\"user\",\"content\":\"Look.\"},{\"role\":\"assistant\",\"content\":\"{\\\"control_packet\\\":",
        "{\\\"intent_classification\\\":{\\\"category\\\":\\\"/query\\\",\\\"verb\\\":\\\"/read\\\",\\\"target\\\":\\\"a.go\\\",",
        "\\\"constraint\\\":\\\"none\\\",\\\"confidence\\\":0.9},\\\"mangle_updates\\\":[\\\"task_status(\\\\\\\"t\\\\\\\", /done).\\\"],",
        "\\\"memory_operations\\\":[],\\\"tool_requests\\\":[{\\\"id\\\":\\\"r1\\\",\\\"tool_name\\\":\\\"read_file\\\",",
        "\\\"tool_args\\\":{\\\"path\\\":\\\"a.go\\\"}}]},\\\"surface_response\\\":\\\"I look.\\\"}\"}]\n",
    ),
);

/// Exit status and both streams of a command.
fn output(folder: &tempfile::TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(folder.path(), arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_log_is_replayed_against_all_mangle_files_of_its_folder() {
    let folder = folder(&[SCHEMAS, CONSTITUTION, CAPTURED]);
    let (status, out, errors) = output(&folder, &["replay", "captured.json"]);
    assert_eq!(status, Some(0), "{out}{errors}");
    assert!(out.contains("PERMIT   /read_file a.go"), "{out}");
    assert_eq!(errors, "policy: 2 files (schemas.gl, constitution.mg)\n");
    write(folder.path(), "mangle-ls.toml", "");
    assert_eq!(output(&folder, &["replay", "captured.json"]), (status, out, errors));
}

#[test]
fn each_command_about_logs_uses_the_same_program() {
    let files = [SCHEMAS, CONSTITUTION, ("transcripts/captured.json", CAPTURED.1), ("rules_test.mg", "")];
    let folder = folder(&files);
    for command in [
        &["replay"][..],
        &["transcript", "show"],
        &["transcript", "stats"],
        &["transcript", "parse"],
        &["transcript", "repair"],
    ] {
        let arguments = [command, &["transcripts/captured.json"]].concat();
        let (status, out, errors) = output(&folder, &arguments);
        assert_eq!(status, Some(0), "{command:?}: {out}{errors}");
        let expected = "policy: 2 files (schemas.gl, constitution.mg); left out: rules_test.mg\n";
        assert!(errors.starts_with(expected), "{command:?}: {errors}");
        assert_eq!(errors.matches("policy:").count(), 1, "{command:?}: {errors}");
    }
}

#[test]
fn undeclared_updates_are_found_below_schemas() {
    let log = CAPTURED.1.replace("task_status", "tsk_status");
    let folder = folder(&[SCHEMAS, ("logs/captured.json", &log)]);
    let (status, out, _) = output(&folder, &["check", "logs/captured.json"]);
    assert!(status == Some(1) && out.contains("tsk_status"), "{out}");
}

#[test]
fn a_named_file_is_checked_with_its_folder() {
    let folder = folder(&[SCHEMAS, CONSTITUTION, ("inner/schemas.gl", "Decl q(X) bound [/name].\n")]);
    let (status, out, errors) = output(&folder, &["check", "constitution.mg"]);
    assert_eq!(status, Some(0), "{out}{errors}");
    assert_eq!(errors, "policy: 2 files (schemas.gl, constitution.mg); left out: inner/schemas.gl\n");
}

#[test]
fn named_policies_are_taken_exactly() {
    let folder = folder(&[SCHEMAS, CONSTITUTION, CAPTURED, ("more.mg", "permitted(/run, \"x\", \"y\").\n")]);
    let named = ["replay", "captured.json", "--policy", "schemas.gl", "--policy", "constitution.mg"];
    let (status, out, errors) = output(&folder, &named);
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{out}");
    let (status, out, _) = output(&folder, &["replay", "captured.json", "--policy", "schemas.gl"]);
    assert_eq!((status, out.as_str()), (Some(2), ""));
}

#[test]
fn a_policy_without_rules_gives_no_verdict() {
    check(
        &[SCHEMAS, CAPTURED],
        &["replay", "captured.json"],
        expect![[r#"
            0 turns, 0 requests; 0 updates asserted, 0 lost; 0 errors, 0 warnings
            policy: 1 file (schemas.gl)
            error: no rule permits or blocks anything: there is no rule for `permitted/3` or `blocked_action`
            exit 2
        "#]],
    );
    check(
        &[CAPTURED],
        &["replay", "captured.json"],
        expect![[r#"
        0 turns, 0 requests; 0 updates asserted, 0 lost; 0 errors, 0 warnings
        error: captured.json: no policy: there is no Mangle file in `.` or above; name one with `--policy`
        exit 2
    "#]],
    );
}

const BLOCKING: (&str, &str) = (
    "constitution.mg",
    "Decl task_status(Task, Status) bound [/string, /name].\nDecl user_confirmed(Task) bound [/string].\n\
     Decl blocked_action(Task, Why) bound [/string, /name].\n\
     blocked_action(Task, /unconfirmed) :- task_status(Task, /done), !user_confirmed(Task).\n",
);

#[test]
fn rules_that_block_are_a_constitution() {
    check(
        &[BLOCKING, CAPTURED],
        &["replay", "captured.json"],
        expect![[r#"
            turn 1  captured.json:1  json
              user     Look.
              says     I look.
              shown    [SAFETY NOTICE: the policy derives `blocked_action("t",/unconfirmed)`]  I look.
              update + task_status("t", /done).  asserted, although the policy denies the reply
              DENY     the whole reply
                       the policy derives `blocked_action("t",/unconfirmed)`  by constitution.mg:4
                        task_status("t",/done)  [turn 1, update 1]
                        no user_confirmed("t")
              unjudged 1 request: no rule permits requests
              state    +2 -0
                + task_status("t",/done)
                + blocked_action("t",/unconfirmed)  by constitution.mg:4
              error[PB502 denied]: the reply is denied, but its updates are asserted
                --> captured.json:1:67
                = note: reason: the policy derives `blocked_action("t",/unconfirmed)`
                = note: `override = "runtime"` does not withdraw the updates
              warning[PB501 override]: safety notice added
                --> captured.json:1:423
                = note: the user reads this reason: the policy derives `blocked_action("t",/unconfirmed)`

            1 turn, 1 request: 0 permitted, 0 denied, 1 unjudged; 1 reply denied as a whole; 1 surface rewritten; 1 update asserted (1 although the policy denies the reply), 0 lost; 1 error, 1 warning
            policy: 1 file (constitution.mg)
            warning: the policy: requests that nothing blocks have no verdict: no rule derives `permitted/3`
            exit 1
        "#]],
    );
    let folder = folder(&[BLOCKING, CAPTURED]);
    let (_, shown, _) = output(&folder, &["transcript", "show", "captured.json"]);
    assert!(shown.contains("blocked_action"), "{shown}");
}

#[test]
fn predicates_that_lift_a_block_are_not_offered_to_a_model() {
    let log = CAPTURED.1.replace("task_status", "task_statuz");
    let folder = folder(&[BLOCKING, ("captured.json", &log)]);
    let (_, message, errors) = output(&folder, &["transcript", "repair", "captured.json"]);
    assert!(message.contains("task_status") && !message.contains("user_confirmed"), "{message}{errors}");
    let (status, grammar, errors) = output(&folder, &["grammar", "constitution.mg", "--target", "gbnf"]);
    assert_eq!(status, Some(0), "{errors}");
    assert!(!grammar.contains("user_confirmed"), "{grammar}");
    assert!(errors.contains("user_confirmed"), "{errors}");
}

#[test]
fn logs_below_a_folder_are_recognized_by_their_content() {
    let log = CAPTURED.1.replace("task_status", "tsk_status");
    let lines = "{\"a\": 1}\n{\"a\": 2}\n";
    let files = [
        SCHEMAS,
        ("day.json", log.as_str()),
        ("data.json", "[1]\n"),
        ("rows.jsonl", lines),
        ("package.json", "{}"),
    ];
    check(
        &files,
        &["check"],
        expect![[r#"
            information[PB105 profile-inferred]: checked as `current`: has `tool_requests`
             --> day.json:1:67
              |
            1 | …{"role":"assistant","content":"{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/read\",\"target\"...
              |                                 ^
              |
              = help: insert `piggyback_version` with `current`

            hint[PB130 trace-missing]: packet with changes has no reasoning trace
             --> day.json:1:68
              |
            1 | …{"role":"assistant","content":"{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/read\",\"target\"...
              |                                  ^^^^^^^^^^^^^^^^^^
              |
              = note: codeNERD expects one, so that an audit can tell the reason for the changes

            error[PB210 undeclared]: predicate `tsk_status/2` is not declared
             --> day.json:1:244
              |
            1 | ...traint\":\"none\",\"confidence\":0.9},\"mangle_updates\":[\"tsk_status(\\\"t\\\", /done).\"],\"memory_operations\":[],\"tool_reque...
              |                                                                ^^^^^^^^^^
              |
             ::: schemas.gl:4:6
              |
            4 | Decl task_status(Task, Status) bound [/string, /name].
              |      ----------- similar name
              |
              = note: no file of the policy declares or defines it, so the runtime rejects the fact
              = help: write `task_status`

            1 error, 1 information, 1 hint in 2 files (0 clauses, 1 envelope); engine 2026-04; runtime codenerd-2026-03; 2 JSON files without model replies
            exit 1
        "#]],
    );
    check(
        &[("data.json", "[1]\n")],
        &["check"],
        expect![[r#"
        Nothing to check; 1 JSON file without model replies
        warning: nothing to check: looked for Mangle files (`.mg`, `.gl`) and transcripts (`**/transcripts/**`, `**/*.piggyback.{json,jsonl,ndjson,md,txt,log}`) that git does not ignore; there is no `mangle-ls.toml` here or above
        exit 0
    "#]],
    );
}

#[test]
fn a_property_of_constants_is_vacuous() {
    let files = [
        (
            "policy.mg",
            "Decl request(Id) bound [/string].\nDecl signed(Id) bound [/string].\npermitted(Id) :- request(Id).\n",
        ),
        ("facts.mg", "request(\"r1\").\nsigned(\"r1\").\n"),
        ("policy_test.mg", "# @never name: nothing unsigned is permitted\n#   permitted(Id), !signed(Id)\n"),
    ];
    check(
        &files,
        &["verify", "."],
        expect![[r#"
        policy_test.mg:1 @never nothing unsigned is permitted
          vacuous: it depends on no input, because the program has the facts: `request/1` has 1 fact in facts.mg; `signed/1` has 1 fact in facts.mg; leave these facts out of the program, or add `# @inputs request/1, signed/1` with the predicates that others supply (reading `engine`)

        0 as expected, 0 not, 0 not decided, 1 vacuous
        exit 2
    "#]],
    );
}

#[test]
fn comments_of_tests_that_cannot_be_read_are_findings_with_a_cure() {
    for (name, text) in [
        ("policy_test.mg", "# @never p(X\n"),
        ("policy_test.mg", "# @never p(X) q(X)\n"),
        ("policy_test.mg", "# @test\nq(/b).\n# @expect p(/b)\n"),
        ("policy_test.mg", "# test:\nq(/b).\n"),
        ("policy_test.mg", "# @test name: a\nq(/b).\n# @expect not p(/c)\n"),
    ] {
        let folder = folder(&[("policy.mg", "p(X) :- q(X).\nq(/a).\n"), (name, text)]);
        let (status, out, errors) = output(&folder, &["check"]);
        assert!(out.contains("policy_test.mg") && out.contains("= help: write"), "{text}{out}{errors}");
        assert!(status == Some(1) || out.contains("warning"), "{text}{out}");
    }
}
