//! `--compare-engine` and `--compare-runtime`: policies, replies and verdicts under two versions.

use expect_test::{Expect, expect};
use mangle_settings::Runtime;

use super::support::{check, command, folder, render, run};

const CONFIGURED: (&str, &str) = ("mangle-ls.toml", "[transcripts]\ninclude = [\"*.jsonl\"]\n");

/// A reply with an update that newer runtimes keep, one that they refuse, and a surface after the envelope.
const SESSION: (&str, &str) = (
    "session.jsonl",
    concat!(
        r#"{"role":"assistant","content":"{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"x\",\"constraint\":\"none\",\"confidence\":0.9},\"mangle_updates\":[\"observation(\\\"a\\\", \\\"x; y\\\").\",\"test_state(/passing).\"],\"memory_operations\":[{\"op\":\"promote_to_long_term\",\"key\":\"k\",\"value\":\"v\"}]},\"surface_response\":\"Done.\"}"}"#,
        "\n",
        r#"{"role":"assistant","content":"{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"x\",\"constraint\":\"none\",\"confidence\":0.9},\"mangle_updates\":[]},\"surface_response\":\"A long answer that is cut"}"#,
        "\n",
        r#"{"role":"assistant","content":"{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"x\",\"constraint\":\"none\",\"confidence\":0.9},\"mangle_updates\":[]},\"surface_response\":\"Read by both.\"}"}"#,
        "\n",
    ),
);

/// The default runtime and the newest one.
fn runtimes() -> [&'static str; 2] {
    [Runtime::default(), Runtime::newest()].map(Runtime::name)
}

/// The output of a command that compares both runtimes, which are called `OLD` and `NEW`.
fn compare_runtimes(files: &[(&str, &str)], arguments: &[&str], expected: Expect) {
    let [old, new] = runtimes();
    let arguments = [arguments, &["--runtime", old, "--compare-runtime", new]].concat();
    let output = render(&run(folder(files).path(), &arguments));
    expected.assert_eq(&output.replace(old, "OLD").replace(new, "NEW"));
}

#[test]
fn replies_that_are_read_differently_are_shown() {
    compare_runtimes(
        &[CONFIGURED, SESSION],
        &["transcript", "parse", "session.jsonl"],
        expect![[r#"
        session.jsonl:1
          update     `observation("a", "x; y").`: dropped by the cap filter: it has one of ` $ ; | in it → blocked by the update filter: a string argument has a character of a shell, and the predicate is not `prose_only`
          update     `test_state(/passing).`: passes the filters; not checked by a policy → blocked by the update filter: only the host asserts this predicate
          warning    only OLD: an update was dropped: it has one of the characters ` $ ; |
          finding    only OLD: information[PB032 atoms-dropped] runtime ignores 1 of 2 updates
          finding    only OLD: error[PB206 metachar] `;` makes the runtime ignore the update
          finding    only NEW: error[PB230 host-witness] a reply may not assert `test_state`, which only the host observes
        session.jsonl:2
          surface    "{"control_packet":{"intent_classification":{"category":"/query","verb":"/explain","target":"x","constraint":"none","confidence":0.9},"mangle…" → "A long answer that is cut […truncated]"
          warning    only OLD: there is no valid JSON; the text itself is shown
          warning    only NEW: the surface of an incomplete envelope is shown
          finding    only OLD: error[PB110 control-leak] control packet is visible to the user
        2 of 3 replies read differently: finding 2, surface 1, update 1, warning 2
        exit 1
    "#]],
    );
}

#[test]
fn differences_are_lines_of_json() {
    compare_runtimes(
        &[CONFIGURED, SESSION],
        &["transcript", "parse", "session.jsonl", "--format", "json"],
        expect![[r#"
        {"file":"session.jsonl","record":1,"path":["/content"],"runtimes":["OLD","NEW"],"differences":[{"part":"update","text":"observation(\"a\", \"x; y\").","old":{"fate":"dropped","why":"dropped by the cap filter: it has one of ` $ ; | in it","fact":null},"new":{"fate":"blocked","why":"blocked by the update filter: a string argument has a character of a shell, and the predicate is not `prose_only`","fact":null}},{"part":"update","text":"test_state(/passing).","old":{"fate":"passed","why":"passes the filters; not checked by a policy","fact":"test_state(/passing)"},"new":{"fate":"blocked","why":"blocked by the update filter: only the host asserts this predicate","fact":null}},{"part":"warning","old":"an update was dropped: it has one of the characters ` $ ; |","new":null},{"part":"finding","old":{"code":"PB032","rule":"atoms-dropped","severity":"information","message":"runtime ignores 1 of 2 updates"},"new":null},{"part":"finding","old":{"code":"PB206","rule":"metachar","severity":"error","message":"`;` makes the runtime ignore the update"},"new":null},{"part":"finding","old":null,"new":{"code":"PB230","rule":"host-witness","severity":"error","message":"a reply may not assert `test_state`, which only the host observes"}}]}
        {"file":"session.jsonl","record":2,"path":["/content"],"runtimes":["OLD","NEW"],"differences":[{"part":"surface","old":"{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"x\",\"constraint\":\"none\",\"confidence\":0.9},\"mangle_updates\":[]},\"surface_response\":\"A long answer that is cut","new":"A long answer that is cut […truncated]"},{"part":"warning","old":"there is no valid JSON; the text itself is shown","new":null},{"part":"warning","old":null,"new":"the surface of an incomplete envelope is shown"},{"part":"finding","old":{"code":"PB110","rule":"control-leak","severity":"error","message":"control packet is visible to the user"},"new":null}]}
        {"summary":{"replies":3,"different":2,"parts":{"finding":2,"surface":1,"update":1,"warning":2}}}
        exit 1
    "#]],
    );
}

#[test]
fn equal_runtimes_read_equally() {
    let [_, runtime] = runtimes();
    let arguments =
        ["transcript", "parse", "session.jsonl", "--runtime", runtime, "--compare-runtime", runtime];
    check(
        &[CONFIGURED, SESSION],
        &arguments,
        expect![[r#"
        0 of 3 replies read differently
        exit 0
    "#]],
    );
}

#[test]
fn standard_input_is_read_once() {
    let folder = folder(&[CONFIGURED, SESSION]);
    let file = std::fs::File::open(folder.path().join("session.jsonl")).unwrap();
    let [old, new] = runtimes();
    let arguments = |file| ["transcript", "parse", file, "--runtime", old, "--compare-runtime", new];
    let output = command(folder.path(), &arguments("-")).stdin(file).output().unwrap();
    let named = run(folder.path(), &arguments("session.jsonl"));
    assert_eq!(render(&output).replace("<stdin>", "session.jsonl"), render(&named));
}

const POLICY: (&str, &str) = (
    "policy.mg",
    "Decl person(Name) bound [/name].\n\
     Decl banned(Name, Why) bound [/name, /string].\n\
     Decl age(Name, Years) bound [/name, /number].\n\
     person(/ann).\n\
     age(/ann, 30).\n\
     other(X, Y) :- X != Y, person(X), age(Y, _).\n\
     guest(X) :- person(X), !banned(X, _).\n",
);

const SAMPLE: (&str, &str) = ("party.kernel.mg", "person(/bob).\n");

/// The same without the rule that newer engines reject.
fn accepted() -> String {
    POLICY.1.lines().take(6).map(|line| format!("{line}\n")).collect()
}

const ENGINES: [&str; 4] = ["--engine", "2026-06", "--compare-engine", "2026-09"];

#[test]
fn findings_that_differ_between_engines_are_shown() {
    check(
        &[POLICY],
        &[&["check"], &ENGINES[..]].concat(),
        expect![[r#"
        Findings only with engine 2026-06:
          error[MG205 inequality-before-binding]: `X` is compared before it is bound
            --> policy.mg:6:16
            = note: the comparison is false for every fact, so this rule for `other` derives nothing
            = note: engines since 2026-09 compare after its variables are bound
            = help: move the premise after `age(Y, _)`
          error[MG205 inequality-before-binding]: `Y` is compared before it is bound
            --> policy.mg:6:21
            = note: the comparison is false for every fact, so this rule for `other` derives nothing
            = note: engines since 2026-09 compare after its variables are bound
            = help: move the premise after `age(Y, _)`

        Evaluation of the given paths:
          with engine 2026-09: the program does not load

        engine 2026-06 → engine 2026-09: findings that appear 0, that disappear 2, with another severity 0; facts that differ 0
        errors only with engine 2026-06: 2; only with engine 2026-09: 0
        programs that load only with engine 2026-06: 1
        exit 1
    "#]],
    );
}

#[test]
fn derived_facts_of_samples_are_compared() {
    let accepted = accepted();
    let files = [(POLICY.0, accepted.as_str()), SAMPLE];
    check(
        &files,
        &[&["check"], &ENGINES[..]].concat(),
        expect![[r#"
        Findings only with engine 2026-06:
          error[MG205 inequality-before-binding]: `X` is compared before it is bound
            --> policy.mg:6:16
            = note: the comparison is false for every fact, so this rule for `other` derives nothing
            = note: engines since 2026-09 compare after its variables are bound
            = help: move the premise after `age(Y, _)`
          error[MG205 inequality-before-binding]: `Y` is compared before it is bound
            --> policy.mg:6:21
            = note: the comparison is false for every fact, so this rule for `other` derives nothing
            = note: engines since 2026-09 compare after its variables are bound
            = help: move the premise after `age(Y, _)`

        Evaluation of the given paths with party.kernel.mg:
          only with engine 2026-09: other(/bob,/ann)

        engine 2026-06 → engine 2026-09: findings that appear 0, that disappear 2, with another severity 0; facts that differ 1
        errors only with engine 2026-06: 2; only with engine 2026-09: 0
        exit 1
    "#]],
    );
}

#[test]
fn findings_and_facts_that_differ_are_lines_of_json() {
    let accepted = accepted();
    let files = [(POLICY.0, accepted.as_str())];
    check(
        &files,
        &[&["check", "--format", "json"], &ENGINES[..]].concat(),
        expect![[r#"
        {"change":"disappears","finding":{"file":"policy.mg","code":"MG205","rule":"inequality-before-binding","severity":"error","message":"`X` is compared before it is bound","line":6,"column":16,"end_line":6,"end_column":17,"start":170,"end":171,"path":[],"label":"not bound yet","related":[{"file":"policy.mg","line":6,"column":24,"message":"bound here"}],"notes":["the comparison is false for every fact, so this rule for `other` derives nothing","engines since 2026-09 compare after its variables are bound"],"help":"move the premise after `age(Y, _)`","fix":{"title":"move the premise after `age(Y, _)`","applicability":"safe","edits":[{"file":"policy.mg","start":170,"end":178,"text":""},{"file":"policy.mg","start":198,"end":198,"text":", X != Y"}]}}}
        {"change":"disappears","finding":{"file":"policy.mg","code":"MG205","rule":"inequality-before-binding","severity":"error","message":"`Y` is compared before it is bound","line":6,"column":21,"end_line":6,"end_column":22,"start":175,"end":176,"path":[],"label":"not bound yet","related":[{"file":"policy.mg","line":6,"column":35,"message":"bound here"}],"notes":["the comparison is false for every fact, so this rule for `other` derives nothing","engines since 2026-09 compare after its variables are bound"],"help":"move the premise after `age(Y, _)`","fix":{"title":"move the premise after `age(Y, _)`","applicability":"safe","edits":[{"file":"policy.mg","start":170,"end":178,"text":""},{"file":"policy.mg","start":198,"end":198,"text":", X != Y"}]}}}
        {"summary":{"versions":["engine 2026-06","engine 2026-09"],"appear":0,"disappear":2,"severity":0,"errors_only_old":2,"errors_only_new":0,"facts":0,"load_only_old":0,"load_only_new":0}}
        exit 1
    "#]],
    );
}

#[test]
fn equal_engines_find_the_same() {
    check(
        &[POLICY],
        &["check", "--engine", "2026-09", "--compare-engine", "2026-09"],
        expect![[r#"
        engine 2026-09, runtime none → engine 2026-09, runtime none: findings that appear 0, that disappear 0, with another severity 0; facts that differ 0
        errors only with engine 2026-09, runtime none: 0; only with engine 2026-09, runtime none: 0
        exit 0
    "#]],
    );
}

#[test]
fn findings_in_transcripts_are_compared() {
    compare_runtimes(
        &[CONFIGURED, SESSION],
        &["check"],
        expect![[r#"
        Findings only with runtime NEW:
          error[PB230 host-witness]: a reply may not assert `test_state`, which only the host observes
            --> session.jsonl:1:251
            = note: runtime NEW rejects the update for every consumer
            = help: delete the update

        Findings only with runtime OLD:
          information[PB032 atoms-dropped]: runtime ignores 1 of 2 updates
            --> session.jsonl:1:187
            = note: its first filter removes them; each of them has a finding of its own
          error[PB206 metachar]: `;` makes the runtime ignore the update
            --> session.jsonl:1:237
            = note: an update must not contain a backtick, `$`, `;` or `|`, not even in a string
            = help: write it as an escape, which the runtime accepts
          error[PB110 control-leak]: control packet is visible to the user
            --> session.jsonl:2:35
            = note: no envelope can be read, so the runtime shows the whole text

        runtime OLD → runtime NEW: findings that appear 1, that disappear 3, with another severity 0; facts that differ 0
        errors only with runtime OLD: 2; only with runtime NEW: 1
        exit 1
    "#]],
    );
}

#[test]
fn options_that_change_files_or_select_findings_are_refused() {
    let folder = folder(&[POLICY]);
    for option in [&["--fix"][..], &["--since", "HEAD"], &["--statistics"], &["--format", "sarif"]] {
        let output = run(folder.path(), &[&["check"], &ENGINES[..], option].concat());
        assert_eq!(output.status.code(), Some(2), "{option:?}");
    }
    compare_runtimes(
        &[SESSION],
        &["transcript", "parse", "session.jsonl", "--explain"],
        expect![[r#"
        error: `--compare-runtime` cannot be used with `--explain` and `--extractor`
        exit 2
    "#]],
    );
    let unknown = run(folder.path(), &["transcript", "parse", "session.jsonl", "--compare-runtime", "newer"]);
    assert_eq!(unknown.status.code(), Some(2));
    check(
        &[POLICY],
        &["check", "--compare-engine", "2026-9"],
        expect![[r#"
        error: invalid value '2026-9' for '--compare-engine <VERSION>': did you mean `2026-09`? the versions are `auto`, `2026-04`, `2026-06`, `2026-09-19`, `2026-09`, `0.1.0`, `0.2.0`, `0.3.0`, `0.4.0`, `0.5.0`, `0.6.0`; a day such as 2026-06-30 is the engine of that day

        For more information, try '--help'.
        exit 2
    "#]],
    );
}

const REPLAYED: (&str, &str) = (
    "policy.mg",
    "Decl pending_action(Id, Action, Target, Payload, Time) bound [/any, /any, /any, /any, /any].\n\
     Decl observation(Kind, Text) bound [/string, /string].\n\
     Decl permitted(Action, Target, Payload) bound [/any, /any, /any].\n\
     permitted(Action, Target, Payload) :- pending_action(_, Action, Target, Payload, _), observation(\"a\", \"b\").\n",
);

/// A reply whose confidence only newer runtimes read.
const CALL: (&str, &str) = (
    "session.jsonl",
    concat!(
        r#"{"role":"assistant","content":"{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"x\",\"constraint\":\"none\",\"confidence\":\"high\"},\"mangle_updates\":[\"observation(\\\"a\\\", \\\"b\\\").\"],\"tool_requests\":[{\"id\":\"r1\",\"tool_name\":\"read_file\",\"tool_args\":{\"path\":\"a.txt\"},\"purpose\":\"p\",\"required\":true}]},\"surface_response\":\"Done.\"}"}"#,
        "\n",
    ),
);

#[test]
fn verdicts_that_differ_between_runtimes_are_shown() {
    compare_runtimes(
        &[CONFIGURED, REPLAYED, CALL],
        &["replay", "session.jsonl"],
        expect![[r#"
            turn 1  session.jsonl:1  fallback
              says     {"control_packet":{"intent_classification":{"category":"/query","verb":"/explain","target":"x","constraint":"n…
              changes  /read_file a.txt: not read here, PERMIT there: permitted by the constitution
              error[PB522 leak-on-replay]: control packet is shown to the user
                --> session.jsonl:1:35
                = note: the runtime finds no envelope in this reply, and asserts nothing of it

            1 turn, 0 requests; 0 updates asserted, 0 lost; 1 error, 0 warnings
            policy: 1 file (policy.mg)
            exit 1
        "#]],
    );
}

#[test]
fn other_policies_and_other_versions_are_not_compared_at_once() {
    let arguments = ["replay", "session.jsonl", "--compare", "policy.mg"];
    compare_runtimes(
        &[CONFIGURED, REPLAYED, CALL],
        &arguments,
        expect![[r#"
            policy: 1 file (policy.mg)
            error: `--compare` cannot be used with `--compare-engine` and `--compare-runtime`
            exit 2
        "#]],
    );
}

#[test]
fn the_version_that_rejects_a_policy_is_named() {
    let rule = "lonely(Kind) :- kind(Kind), !observation(Kind, _).\nkind(\"a\").\n";
    let policy = format!("{}{rule}", REPLAYED.1);
    let files = [CONFIGURED, ("policy.mg", policy.as_str()), CALL];
    check(
        &files,
        &[&["replay", "session.jsonl"], &ENGINES[..]].concat(),
        expect![[r#"
            policy: 1 file (policy.mg)
            error: the program does not load
              policy.mg:5:48: wildcard in a negation makes the engine reject the rule (MG210); engine 2026-09 rejects it
              `--anyway` evaluates the rest of it
            exit 2
        "#]],
    );
    let other = ["--engine", "2026-09", "--compare-engine", "2026-06"];
    check(
        &files,
        &[&["replay", "session.jsonl"], &other[..]].concat(),
        expect![[r#"
            policy: 1 file (policy.mg)
            error: the program does not load
              policy.mg:5:48: wildcard in a negation makes the engine reject the rule (MG210); engine 2026-09 rejects it
              `--anyway` evaluates the rest of it
            exit 2
        "#]],
    );
}

#[test]
fn verdicts_that_differ_between_engines_are_shown() {
    let rule = "permitted(Action, Target, Payload) :- Kind != \"b\", pending_action(_, Action, Target, Payload, _), observation(Kind, _).\n";
    let policy: String = REPLAYED.1.lines().take(3).map(|line| format!("{line}\n")).collect();
    let policy = policy + rule + "observation(\"a\", \"b\").\n";
    let call = CALL.1.replace(r#"\"high\""#, "0.9");
    let files = [CONFIGURED, ("policy.mg", policy.as_str()), ("session.jsonl", call.as_str())];
    check(
        &files,
        &[&["replay", "session.jsonl"], &ENGINES[..]].concat(),
        expect![[r#"
            turn 1  session.jsonl:1  json
              says     Done.
              update + observation("a", "b").
              DENY     /read_file a.txt  r1
                       no rule permits it, because no fact matches `a premise that never holds`
                       policy.mg:4 lacks a premise that never holds
              changes  /read_file a.txt: DENY here, PERMIT there: permitted by the constitution
              error[PB502 denied]: `/read_file` on `a.txt` is denied
                --> session.jsonl:1:295
                = note: reason: no rule permits it, because no fact matches `a premise that never holds`
              warning[PB520 speech-contradicts-verdict]: reply claims `done`, but `/read_file` is denied
                --> session.jsonl:1:406
                = note: reason: no rule permits it, because no fact matches `a premise that never holds`
                = note: the user reads this text

            1 turn, 1 request: 0 permitted, 1 denied; 1 update asserted, 0 lost; 1 error, 1 warning
            policy: 1 file (policy.mg)
            exit 1
        "#]],
    );
}
