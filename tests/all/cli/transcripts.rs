//! The commands about transcripts: `check`, `parse`, `split`, `stats` and `repair`.

use std::io::Write as _;
use std::process::Stdio;

use expect_test::expect;
use tempfile::TempDir;

use super::support::{check, command, folder};

/// Standard output, standard error and the exit status with this on standard input.
pub(super) fn run(folder: &TempDir, arguments: &[&str], input: &str) -> (String, String, Option<i32>) {
    let mut command = command(folder.path(), arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (out, error, output.status.code())
}

pub(super) const SCHEMAS: (&str, &str) =
    ("schemas.gl", "Decl task_status(Task, Status) bound [/string, /name].\n");

/// One good envelope and one that loses an update, a line each.
pub(super) const SESSION: (&str, &str) = (
    "session.jsonl",
    "{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"x\",\
     \"constraint\":\"none\",\"confidence\":0.9},\"mangle_updates\":[\"task_status(\\\"é1\\\", /done).\"],\
     \"memory_operations\":[]},\"surface_response\":\"All fine.\"}\n\
     {\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"x\",\
     \"constraint\":\"none\",\"confidence\":0.9},\"mangle_updates\":[\"task_status(\\\"é2\\\", /done)\"],\
     \"memory_operations\":[{\"op\":\"note\",\"key\":\"a:b\",\"value\":\"password: hunter2x\"}]},\
     \"surface_response\":\"Half fine.\"}\n",
);

const QUIET: (&str, &str) =
    ("mangle-ls.toml", "[rules]\nfields = \"off\"\nstate = \"off\"\nmemory = \"off\"\n");

/// What a reply of the chat in a test is.
pub(super) fn line(surface: &str, updates: &[&str], model: &str) -> String {
    let envelope = serde_json::json!({
        "control_packet": {
            "intent_classification": {
                "category": "/query", "verb": "/explain", "target": "x", "constraint": "none", "confidence": 0.9
            },
            "mangle_updates": updates, "memory_operations": [], "tool_requests": [],
        },
        "surface_response": surface,
    });
    let record = serde_json::json!({ "role": "assistant", "content": envelope.to_string(), "model": model });
    format!("{record}\n")
}

#[test]
fn a_finding_has_its_place_and_its_path() {
    check(
        &[SCHEMAS, SESSION, QUIET],
        &["check", "session.jsonl"],
        expect![[r#"
            warning[PB203 no-period]: update does not end with a full stop
             --> session.jsonl:2:178
              |
            2 | ...","confidence":0.9},"mangle_updates":["task_status(\"é2\", /done)"],"memory_operations":[{"op":"note","key":"a:b","value":"passwor...
              |                                                                    ^
              |
              = note: the runtime silently ignores the update
              = help: add the full stop (edits evidence)

            1 warning in 1 file (0 clauses, 2 envelopes); engine 2026-04; runtime codenerd-2026-03
            exit 0
        "#]],
    );
    let folder = folder(&[SCHEMAS, SESSION, QUIET]);
    let (out, _, code) = run(&folder, &["check", "session.jsonl", "--format", "json"], "");
    let line = out.lines().find(|line| line.contains("PB203")).unwrap();
    let found: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(found["path"], serde_json::json!(["/control_packet/mangle_updates/0"]));
    let text = SESSION.1;
    let (start, end) = (found["start"].as_u64().unwrap() as usize, found["end"].as_u64().unwrap() as usize);
    assert!(text.get(start..end).is_some(), "{start}..{end}");
    let line_start = text[..start].rfind('\n').unwrap() + 1;
    assert_eq!(
        (found["line"].as_u64(), found["column"].as_u64()),
        (Some(2), Some(text[line_start..start].chars().count() as u64 + 1))
    );
    let summary: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!((summary["summary"]["envelopes"].as_u64(), code), (Some(2), Some(0)));
}

#[test]
fn what_is_silenced() {
    let silenced = SESSION.1.replace(
        "\"surface_response\":\"Half",
        "\"x_mangle_ls_ignore\":\"PB203, PB311 -- ours\",\"surface_response\":\"Half",
    );
    check(
        &[SCHEMAS, ("session.jsonl", &silenced), QUIET],
        &["check", "session.jsonl"],
        expect![[r#"
            No findings in 1 file (0 clauses, 2 envelopes); engine 2026-04; runtime codenerd-2026-03
            exit 0
        "#]],
    );
}

#[test]
fn transcripts_beside_policies() {
    let folder = folder(&[
        SCHEMAS,
        ("a/transcripts/session.jsonl", SESSION.1),
        ("notes.txt", "no envelope"),
        ("a.csv", "1,2\n"),
    ]);
    let (out, _, _) =
        run(&folder, &["check", "--show-program", "--fail-on", "never", "--format", "github"], "");
    assert!(out.contains("file=a/transcripts/session.jsonl,line=2"), "{out}");
    let (_, warned, code) = run(&folder, &["check", "a.csv"], "");
    assert!(warned.contains("a.csv: it is neither Mangle") && code == Some(2), "{warned}");
    let (out, _, code) = run(&folder, &["check", "--transcripts", "notes.txt"], "");
    assert!(out.contains("PB001") && code == Some(1), "{out}");
}

#[test]
fn parse_tells_what_the_runtime_keeps() {
    check(
        &[SCHEMAS, SESSION],
        &["transcript", "parse", "session.jsonl"],
        expect![[r#"
            session.jsonl:1: P1 json 1.0, surface 9 bytes, 1 atom kept, 1 finding
            session.jsonl:2: P1 json 1.0, surface 10 bytes, 0 atoms kept and 1 lost, 1 memory operation, 3 findings
            policy: 1 file (schemas.gl)
            exit 0
        "#]],
    );
    check(
        &[SCHEMAS, SESSION],
        &["transcript", "parse", "session.jsonl", "--explain"],
        expect![[r#"
            session.jsonl:1: a reply of 238 bytes
              P1  all of it is one JSON value: taken
                  method json, confidence 1.0
                  surface: All fine.
                  asserted: task_status("é1", /done).
                  hint PB130 trace-missing: packet with changes has no reasoning trace

            session.jsonl:2: a reply of 292 bytes
              P1  all of it is one JSON value: taken
                  method json, confidence 1.0
                  surface: Half fine.
                  lost: update 0, dropped by the cap filter: no parenthesis, or no full stop at its end: task_status("é2", /done)
                  warning: an update was dropped: it has no `(`, or no full stop at its end
                  hint PB130 trace-missing: packet with changes has no reasoning trace
                  warning PB203 no-period: update does not end with a full stop
                  warning PB311 secret-stored: stored value looks like a password

            policy: 1 file (schemas.gl)
            exit 0
        "#]],
    );
    let folder = folder(&[SESSION]);
    let (out, _, _) = run(&folder, &["transcript", "parse", "-", "--format", "json"], SESSION.1);
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[1]["atoms"]["dropped"][0]["reason"], "syntax");
    assert_eq!(lines[1]["memory_ops"][0]["value"], "password: [redacted]");
    assert!(!out.contains("hunter2x"));
    let range = |at: usize| lines[1]["surface"]["range"][at].as_u64().unwrap() as usize;
    assert_eq!(&SESSION.1[range(0)..range(1)], "Half fine.");
}

#[test]
fn the_strict_mode_and_other_readers() {
    check(
        &[("a.txt", "hello {\"a\": 1}")],
        &["transcript", "parse", "a.txt", "--require-valid-json"],
        expect![[r#"
        a.txt:1: P5 error: `surface_response` is missing or empty
        exit 1
    "#]],
    );
    check(
        &[("a.txt", "hello {\"a\": 1}")],
        &["transcript", "parse", "a.txt", "--extractor", "perception"],
        expect![[r#"
        a.txt:1: bytes 6 to 14, JSON: {\"a\": 1}
        exit 1
    "#]],
    );
}

#[test]
fn figures() {
    check(
        &[SESSION],
        &["transcript", "stats", "session.jsonl"],
        expect![[r#"
            session.jsonl
              answers                   2
              prompts                   0
              read as                   2 json
              parse errors              none
              atoms                     1 dropped, 1 passed
              not judged                no policy is loaded, so neither its declarations nor its verdict about the reply are considered
              atoms that are no Mangle  none
              constitutional blocks     not known: no policy judges the replies
              memory operations         1 note
              self-corrections          0
              decoys                    0
              control packets shown     0
              rounds of repair          0
              findings                  1 PB203, 1 PB311
              answers by                2 current
              tokens said               4
              kept by the runtime       76 tokens, 0.1:1
              kept as atoms             6 tokens, 0.7:1
              state in the end          6 tokens, 0.7:1
            exit 0
        "#]],
    );
    let folder = folder(&[SESSION]);
    let (out, _, _) = run(&folder, &["transcript", "stats", "session.jsonl", "--metrics", "prom"], "");
    assert!(
        out.contains("atoms_total{file=\"session.jsonl\",result=\"dropped\",version=\"current\"} 1\n"),
        "{out}"
    );
}

#[test]
fn words_that_do_not_exist() {
    check(
        &[SESSION],
        &["transcript", "parse", "session.jsonl", "--consumer", "nobody"],
        expect![[r#"
        error: there is no consumer `nobody`; it is one of open, session, planner, perception, compressor
        exit 2
    "#]],
    );
    check(
        &[SESSION],
        &["transcript", "parse", "none.jsonl"],
        expect![[r#"
        error: none.jsonl: no such file or directory
        exit 2
    "#]],
    );
}

/// The configuration of the agent that works in a folder: found in its hidden folder, and held against what it recorded.
#[test]
fn the_configuration_of_the_runtime() {
    let config = "{\"anthropic_api_key\": \"sk-ant-api03-XYZabc0123456789xyzXYZ\", \"thme\": \"dark\",\n \
         \"core_limits\": {\"max_facts_in_kernel\": 500},\n \
         \"shard_profiles\": {\"coder\": {\"max_retrys\": 5, \"max_execution_time_sec\": 1}}}\n";
    let session = "{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/explain\",\
         \"target\":\"x\",\"constraint\":\"none\",\"confidence\":0.9},\"mangle_updates\":[],\"memory_operations\":[],\
         \"execution_metadata\":{\"shard_type\":\"coder\",\"execution_time_ms\":1001,\"tokens_used\":9,\
         \"retry_count\":0,\"blocked_by_constitution\":false}},\"surface_response\":\"All fine.\"}\n";
    let files = [SCHEMAS, QUIET, (".nerd/config.json", config), ("transcripts/a.jsonl", session)];
    check(
        &files,
        &["check"],
        expect![[r#"
            warning[PB703 config-key]: unknown setting `thme`
             --> .nerd/config.json:1:62
              |
            1 | {"anthropic_api_key": "***********************************", "thme": "dark",
              |                                                              ^^^^^^
              |
              = note: the runtime ignores it
              = help: write `theme` (a guess, look before you apply it)

            error[PB701 limit-low]: `core_limits.max_facts_in_kernel` is below its minimum
             --> .nerd/config.json:2:41
              |
            2 |  "core_limits": {"max_facts_in_kernel": 500},
              |                                         ^^^ less than 1000
              |
              = note: the runtime's own check of its limits fails
              = help: set it to 1000 (a guess, look before you apply it)

            warning[PB703 config-key]: unknown setting `shard_profiles.coder.max_retrys`
             --> .nerd/config.json:3:31
              |
            3 |  "shard_profiles": {"coder": {"max_retrys": 5, "max_execution_time_sec": 1}}}
              |                               ^^^^^^^^^^^^
              |
              = note: the runtime ignores it
              = help: write `max_retries` (a guess, look before you apply it)

            warning[PB710 time-over]: `coder` used 1001 ms, over its limit of 1000
             --> transcripts/a.jsonl:1:240
              |
            1 | ..."execution_metadata":{"shard_type":"coder","execution_time_ms":1001,"tokens_used":9,"retry_count":0,"blocked_by_constitution":fals...
              |                                                                   ^^^^
              |
              = note: the runtime stops a shard after `max_execution_time_sec`: the number or the limit is wrong

            1 error, 3 warnings in 3 files (0 clauses, 1 envelope); engine 2026-04; runtime codenerd-2026-03
            exit 1
        "#]],
    );
    // Of its own it says the same; who names something else does not hear of it, and its limits hold.
    let folder = folder(&files);
    let (out, error, code) = run(&folder, &["check", ".nerd/config.json", "--format", "github"], "");
    assert_eq!((error.as_str(), code), ("", Some(1)), "{out}");
    expect![[r#"
        ::warning file=.nerd/config.json,line=1,col=62,endColumn=68,title=PB703 config-key::unknown setting `thme`%0Athe runtime ignores it%0AFix: write `theme` (a guess)
        ::error file=.nerd/config.json,line=2,col=41,endColumn=44,title=PB701 limit-low::`core_limits.max_facts_in_kernel` is below its minimum%0Athe runtime's own check of its limits fails%0AFix: set it to 1000 (a guess)
        ::warning file=.nerd/config.json,line=3,col=31,endColumn=43,title=PB703 config-key::unknown setting `shard_profiles.coder.max_retrys`%0Athe runtime ignores it%0AFix: write `max_retries` (a guess)
        1 error, 2 warnings in 1 file (0 clauses)
    "#]].assert_eq(&out);
    let (out, _, _) = run(&folder, &["check", "transcripts/a.jsonl", "--format", "github"], "");
    assert!(out.contains("PB710") && !out.contains("PB701"), "{out}");
    for format in ["text", "json", "sarif", "junit", "github"] {
        let (out, _, code) = run(&folder, &["check", "--format", format], "");
        assert!(out.contains("limit-low") && !out.contains("XYZabc"), "{format}: {out}");
        assert_eq!(code, Some(1), "{format}");
    }
}

/// What nobody should send stays unsent: the attempts are made, or the last round changed nothing.
#[test]
fn no_message_without_end() {
    let arguments = ["transcript", "repair", "session.jsonl:2", "--attempt", "4"];
    check(
        &[SCHEMAS, SESSION],
        &arguments,
        expect![[r#"
            policy: 1 file (schemas.gl)
            no message for record 2: all 3 attempts were made; go on with what the runtime makes of the reply
            exit 0
        "#]],
    );
    let folder = folder(&[SCHEMAS, SESSION]);
    let (out, ..) = run(&folder, &[&arguments[..], &["--format", "json"]].concat(), "");
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&value["retryable"], value["errors"].as_array().unwrap().len()), (&false.into(), 1));
    let chat = "{\"role\":\"user\",\"content\":\"Fix it.\"}\n\
         {\"role\":\"assistant\",\"content\":\"On it!\"}\n\
         {\"role\":\"user\",\"content\":\"Your previous reply could not be used by the control parser. Send it again.\"}\n\
         {\"role\":\"assistant\",\"content\":\"On it, really!\"}\n";
    check(
        &[SCHEMAS, ("chat.jsonl", chat)],
        &["transcript", "repair", "chat.jsonl:4"],
        expect![[r#"
            policy: 1 file (schemas.gl)
            no message for record 4: the last round of repair repeated the errors of the reply before it; go on with what the runtime makes of the reply
            exit 0
        "#]],
    );
}

/// A chat record with an envelope of 1.2, and when it was recorded.
fn recorded(verb: &str, members: &str, when: &str) -> String {
    let reply = format!(
        "{{\"control_packet\":{{\"intent_classification\":{{\"category\":\"/mutation\",\"verb\":\"{verb}\",\"target\":\"x\",\
         \"constraint\":\"none\",\"confidence\":0.9}},{members},\"memory_operations\":[]}},\"surface_response\":\"Ok.\"}}"
    );
    let content = serde_json::to_string(&reply).unwrap();
    format!("{{\"role\":\"assistant\",\"content\":{content},\"timestamp\":{when}}}\n")
}

/// The codes and messages of what is found of these rules.
fn found(files: &[(&str, &str)], codes: &[&str]) -> String {
    let folder = folder(files);
    let (out, ..) = run(&folder, &["check", "--profile", "1.2", "--format", "json"], "");
    let lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let wanted = lines.filter(|line| codes.iter().any(|code| line["code"] == *code));
    wanted
        .map(|line| {
            let fix = if line["fix"].is_null() { &line["help"] } else { &line["fix"] };
            format!("{} {}: {}\n  {fix}\n", line["code"], line["severity"], line["message"])
        })
        .collect()
}

#[test]
fn a_predicate_that_nothing_declares_can_be_declared_where_the_others_are() {
    let policy = ("a.mg", "Decl a(X).\nb(X) :- a(X).\n");
    let schemas = ("schemas.gl", "Decl one(X).\r\nDecl two(X). # twice\r\n\r\n# The end.\r\n");
    let updates = "\"mangle_updates\":[\"lease_seen(\\\"é\\\", 3, /open, [1]).\"]";
    let session = recorded("/fix", updates, "1");
    let files = [policy, schemas, ("mangle-ls.toml", ""), ("transcripts/a.jsonl", session.as_str())];
    expect![[r#"
        "PB210" "error": "predicate `lease_seen/4` is not declared"
          {"title":"declare `lease_seen/4` in the policy","applicability":"unsafe","edits":[{"file":"schemas.gl","start":34,"end":34,"text":"\r\nDecl lease_seen(Arg1, Arg2, Arg3, Arg4) bound [/string, /number, /name, /any]."}]}
    "#]].assert_eq(&found(&files, &["PB210"]));
    let folder = folder(&files);
    let (out, warned, _) = run(&folder, &["check", "--fix", "--unsafe-fixes"], "");
    assert!(out.contains("PB210") && out.trim_end().ends_with(" left") && warned.is_empty(), "{out}{warned}");
    assert_eq!(std::fs::read_to_string(folder.path().join("schemas.gl")).unwrap(), schemas.1);
}

#[test]
fn the_verbs_of_a_program_are_its_taxonomy() {
    let verbs = "Decl verb_def(Verb, Category, Shard, Priority).\n\
         verb_def(/mend, /mutation, /coder, 90).\nverb_def(/mend, /query, /none, 10).\nverb_def(/look, /query, /none, 10).\n";
    let updates = "\"mangle_updates\":[]";
    let session: String =
        ["/mend", "/look", "/fix", "/mned"].iter().map(|verb| recorded(verb, updates, "1")).collect();
    let files = [("taxonomy.mg", verbs), ("mangle-ls.toml", ""), ("transcripts/a.jsonl", session.as_str())];
    expect![[r#"
        "PB133" "hint": "usual category of `/look` is `/query`, not `/mutation`"
          "write `/query`"
        "PB128" "warning": "verb `/fix` is in no `verb_def` of the policy"
          null
        "PB128" "warning": "verb `/mned` is in no `verb_def` of the policy"
          "write `/mend`"
    "#]]
    .assert_eq(&found(&files, &["PB128", "PB133"]));
}

#[test]
fn a_change_is_not_later_than_its_record() {
    let at = |time: &str, when: &str| {
        let members = format!(
            "\"mangle_updates\":[\"test_state(/passing).\"],\"state_transitions\":[{{\"from\":\"test_state(/failing)\",\
             \"to\":\"test_state(/passing)\",\"timestamp\":\"{time}\",\"reason\":\"run\"}}]"
        );
        recorded("/fix", &members, when)
    };
    let late = "2026-03-01T12:00:00Z";
    let session = [
        at(late, "\"2026-03-01T10:00:00Z\""),
        at(late, "1772359200"),
        at(late, "\"2026-03-01T11:58:00Z\""),
        at(late, "\"2026-03-01T14:00:00+01:00\""),
        at(late, "\"2026/03/01 10:00:00\""),
    ]
    .concat();
    let files = [("mangle-ls.toml", ""), ("transcripts/a.jsonl", session.as_str())];
    expect![[r#"
        "PB151" "warning": "timestamp is after the time of the reply"
          null
        "PB151" "warning": "timestamp is after the time of the reply"
          null
    "#]]
    .assert_eq(&found(&files, &["PB151"]));
}

/// Nothing that decides what the agent may do is offered; what was probably meant comes first.
#[test]
fn predicates_that_decide_are_not_offered() {
    let policy = "Decl override(Who) bound [/string].\nDecl valid_override(Who) bound [/string].\n\
        Decl waived(What) bound [/string].\nDecl pending_action(Id, Action, Target, Payload, At).\n\
        Decl unrelated(A, B, C).\nDecl build_state(State) bound [/name].\nDecl test_note(Text) bound [/string].\n\
        permitted(A, T, P) :- pending_action(_, A, T, P, _), valid_override(_), !locked(T).\n\
        valid_override(Who) :- override(Who).\nlocked(T) :- pending_action(_, _, T, _, _), !waived(T).\n";
    let reply = |update: &str| {
        let reply = SESSION.1.lines().next().unwrap();
        reply.replace("task_status(\\\"é1\\\", /done).", update).replace(
            "\"memory_operations\":[]",
            "\"memory_operations\":[{\"op\":\"keep\",\"key\":\"a:b\",\"value\":\"c\"}]",
        )
    };
    let json = |settings: &str, update: &str| {
        let folder =
            folder(&[("policy.mg", policy), ("mangle-ls.toml", settings), ("a.jsonl", &reply(update))]);
        let (out, ..) = run(&folder, &["transcript", "repair", "a.jsonl", "--format", "json"], "");
        let value: serde_json::Value = serde_json::from_str(&out).unwrap();
        let allowed = value["allowed"].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned());
        (allowed.map(|one| one.split('(').next().unwrap().to_owned()).collect::<Vec<_>>(), value)
    };
    let (allowed, value) = json("", "notes_of_test(\\\"x\\\").");
    assert_eq!(allowed, ["test_note", "build_state", "unrelated"]);
    assert_eq!(
        (&value["record"], &value["errors"][0]["pointer"]),
        (&1.into(), &"/control_packet/mangle_updates/0".into())
    );
    assert_eq!(
        value["operations"],
        serde_json::json!(["promote_to_long_term", "forget", "store_vector", "note"])
    );
    for update in ["overide(\\\"me\\\").", "waved(\\\"x\\\").", "valid_overide(\\\"me\\\").", "override(me)."]
    {
        let (allowed, value) = json("", update);
        let deciding = ["override", "valid_override", "waived", "permitted", "pending_action", "locked"];
        assert!(!allowed.iter().any(|name| deciding.contains(&name.as_str())), "{allowed:?}");
        let told: Vec<_> = value["errors"].as_array().unwrap().iter().collect();
        let suggested = |one: &&&serde_json::Value| {
            let text = one["suggestion"].as_str().unwrap_or_default();
            deciding
                .iter()
                .any(|name| text.contains(&format!("{name}(")) || text.contains(&format!("`{name}`")))
        };
        assert_eq!(told.iter().filter(suggested).count(), 0, "{value}");
    }
    let own = "[transcripts]\nconsumer = \"own\"\n[transcripts.consumers.own]\npredicates = [\"override\", \"test_note\"]\n";
    assert_eq!(json(own, "overide(\\\"me\\\").").0, ["override", "test_note"]);
}

#[test]
fn named_paths_without_a_reply_are_problems() {
    let folder = folder(&[
        ("none/README.md", "# Notes\n"),
        ("logs/x.jsonl", "{\"role\":\"user\",\"content\":\"hello\"}\n"),
    ]);
    for command in ["transcript parse", "transcript stats", "transcript split", "transcript repair", "replay"]
    {
        for path in ["none", "logs/x.jsonl"] {
            let arguments: Vec<&str> = command.split(' ').chain([path]).collect();
            let (out, complaint, code) = run(&folder, &arguments, "");
            assert!(
                code == Some(2) && complaint.contains("no reply is recognised"),
                "{command} {path}: {out}{complaint}"
            );
        }
    }
}

/// The metrics of a session with its policy: five of the specification, with a sample each.
#[test]
fn metrics_have_a_sample_for_everything() {
    let policy = "Decl pending_action(Id, Action, Target, Payload, At).\nDecl permitted(Action, Target, Payload).\n\
                  Decl safe_action(A) bound [/name].\nDecl task_status(T, S) bound [/string, /name].\nsafe_action(/read_file).\n\
                  permitted(A, T, P) :- pending_action(_, A, T, P, _), safe_action(A).\n";
    let config = "[[program]]\nname = \"a\"\ninclude = [\"*.mg\"]\n[rules]\nprofile-inferred = \"off\"\n";
    let asks = line("I look.", &["bad(", "safe_action(/x)."], "m1").replace(
        "\\\"tool_requests\\\":[]",
        "\\\"tool_requests\\\":[{\\\"id\\\":\\\"r1\\\",\\\"tool_name\\\":\\\"delete_file\\\",\\\"tool_args\\\":{\\\"path\\\":\\\"a\\\"}}]",
    );
    let session = [asks, line("Fine.", &["task_status(\"a\", /open)."], "m2")].concat();
    let folder = folder(&[("policy.mg", policy), ("mangle-ls.toml", config), ("a.jsonl", &session)]);
    let (out, _, code) = run(&folder, &["transcript", "stats", "a.jsonl", "--metrics", "prom"], "");
    assert_eq!(code, Some(0));
    expect![[r##"
        # HELP piggyback_parse_errors Replies that could not be decoded at once
        # TYPE piggyback_parse_errors counter
        piggyback_parse_errors{file="a.jsonl"} 0
        # HELP mangle_syntax_errors Updates that are no Mangle
        # TYPE mangle_syntax_errors counter
        mangle_syntax_errors{file="a.jsonl",predicate="bad",model="m1",version="current"} 1
        # HELP constitutional_blocks Rewritten surfaces, denied replies and denied requests, where a policy judges them
        # TYPE constitutional_blocks counter
        constitutional_blocks{file="a.jsonl",lock="1",action="surface",model="m1",version="current"} 1
        constitutional_blocks{file="a.jsonl",lock="2",action="/delete_file",model="m1",version="current"} 1
        # HELP memory_operations_total Memory operations
        # TYPE memory_operations_total counter
        memory_operations_total{file="a.jsonl",op="promote_to_long_term"} 0
        memory_operations_total{file="a.jsonl",op="forget"} 0
        memory_operations_total{file="a.jsonl",op="archive"} 0
        memory_operations_total{file="a.jsonl",op="rehydrate"} 0
        memory_operations_total{file="a.jsonl",op="store_vector"} 0
        memory_operations_total{file="a.jsonl",op="note"} 0
        # HELP envelopes_total Replies by how the runtime read them
        # TYPE envelopes_total counter
        envelopes_total{file="a.jsonl",method="json",model="m1",version="current"} 1
        envelopes_total{file="a.jsonl",method="json",model="m2",version="current"} 1
        # HELP atoms_total Updates by what became of them
        # TYPE atoms_total counter
        atoms_total{file="a.jsonl",result="kept",model="m1",version="current"} 0
        atoms_total{file="a.jsonl",result="dropped",model="m1",version="current"} 1
        atoms_total{file="a.jsonl",result="blocked",model="m1",version="current"} 1
        atoms_total{file="a.jsonl",result="withdrawn",model="m1",version="current"} 0
        atoms_total{file="a.jsonl",result="kept",model="m2",version="current"} 1
        atoms_total{file="a.jsonl",result="dropped",model="m2",version="current"} 0
        atoms_total{file="a.jsonl",result="blocked",model="m2",version="current"} 0
        atoms_total{file="a.jsonl",result="withdrawn",model="m2",version="current"} 0
        # HELP decoys_total Envelopes beside the one that counts
        # TYPE decoys_total counter
        decoys_total{file="a.jsonl",model="m1",version="current"} 0
        decoys_total{file="a.jsonl",model="m2",version="current"} 0
        # HELP control_leaks_total Replies that show their control packet
        # TYPE control_leaks_total counter
        control_leaks_total{file="a.jsonl",model="m1",version="current"} 0
        control_leaks_total{file="a.jsonl",model="m2",version="current"} 0
        # HELP self_corrections_total Replies that take something back
        # TYPE self_corrections_total counter
        self_corrections_total{file="a.jsonl",model="m1",version="current"} 0
        self_corrections_total{file="a.jsonl",model="m2",version="current"} 0
        # HELP repair_rounds_total Replies that were sent back
        # TYPE repair_rounds_total counter
        repair_rounds_total{file="a.jsonl"} 0
        # HELP diagnostics_total Findings
        # TYPE diagnostics_total counter
        diagnostics_total{file="a.jsonl",code="PB130",model="m1",version="current"} 1
        diagnostics_total{file="a.jsonl",code="PB202",model="m1",version="current"} 1
        diagnostics_total{file="a.jsonl",code="PB205",model="m1",version="current"} 1
        diagnostics_total{file="a.jsonl",code="PB501",model="m1",version="current"} 1
        diagnostics_total{file="a.jsonl",code="PB502",model="m1",version="current"} 1
        diagnostics_total{file="a.jsonl",code="PB130",model="m2",version="current"} 1
        # HELP compression_ratio Tokens of conversation for each token of state
        # TYPE compression_ratio gauge
        compression_ratio{file="a.jsonl",estimator="runtime"} 0.33
    "##]]
    .assert_eq(&out);
    // `check` finds as many.
    let (found, ..) = run(&folder, &["check", "a.jsonl", "--format", "json"], "");
    assert_eq!(found.matches("\"PB202\"").count(), 1, "{found}");
    assert!(!out.contains("PB105"), "a rule that is off is not counted");
    let without = super::support::folder(&[("a.jsonl", &session)]);
    let (out, ..) = run(&without, &["transcript", "stats", "a.jsonl", "--metrics", "prom"], "");
    assert!(out.contains("constitutional_blocks{file=\"a.jsonl\"} 0\n"), "{out}");
    let (out, ..) = run(&without, &["transcript", "stats", "a.jsonl", "--format", "json"], "");
    assert!(out.contains("\"constitutional_blocks\":null"), "{out}");
}
