//! Tests of the findings about updates, and of their fixes.

#![allow(clippy::unwrap_used)]
use std::fmt::Write as _;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::envelope::json::Json;
use mangle_settings::{Profile, TranscriptSettings};
use mangle_syntax::lint::{Anchor, Finding, Fix, Severity};
use mangle_syntax::text::apply;

/// Declarations of a real agent, for the examples of the protocol.
const AGENT: &str = "\
    Decl user_intent(ID, Category, Verb, Target, Constraint) bound [/string, /name, /name, /string, /string].\n\
    Decl observation(Key, Value) bound [/string, /string].\n\
    # Status: /pending, /in_progress, /completed, /blocked, /failed\n\
    Decl task_status(TaskID, Status) bound [/string, /name].\n\
    Decl diagnostic(Severity, Path, Line, Code, Message) bound [/name, /string, /number, /string, /string].\n\
    Decl test_state(State) bound [/name].\nDecl retry_count(Count) bound [/number].\n\
    Decl modified(Path) bound [/string].\n\
    Decl file_topology(Path, Hash, Language, Time, IsTest) bound [/string, /string, /name, /number, /name].\n\
    Decl ambiguity_flag(Param, Clue, Hypothesis) bound [/string, /string, /string].\n\
    Decl campaign_phase(ID, Campaign, Name, Order, Status, Profile)\n\
      bound [/string, /string, /string, /number, /name, /string].\n\
    Decl campaign_progress(ID, A, B, C, D) bound [/string, /number, /number, /number, /number].\n\
    Decl blocked_action(Action, Reason) bound [/name, /string].\n\
    Decl missing_tool_for(Intent, Capability) bound [/name, /name].\n\
    Decl promote_to_long_term(Type, Value) bound [/name, /string].\n\
    Decl score(Value) bound [/float64].\nDecl agenda_item(A, B, Priority) bound [/string, /string, /number].\n\
    Decl tagged(State) bound [/status].\n";

/// Returns a packet with these updates in JSON syntax, and its findings.
fn judged(
    updates: &str,
    settings: &TranscriptSettings,
    profile: Profile,
    policy: &str,
) -> (String, Vec<Finding>) {
    let raw = format!("[{updates}]");
    let json = Json::parse(raw.as_bytes());
    assert!(json.problems.is_empty(), "{raw}");
    let declarations = declarations::tests::declarations(policy);
    let updates = Update::all(&json, json.root());
    let mut out = Vec::new();
    super::check(&updates, &UpdateContext { settings, declarations: Some(&declarations), profile }, &mut out);
    (raw, out)
}

fn show(raw: &str, findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let severity = finding.severity.or(finding.rule.severity).unwrap();
        let at = &raw[usize::from(finding.range.start())..usize::from(finding.range.end())];
        let _ = writeln!(out, "{severity} {} at {at}: {}", finding.rule.code, finding.message);
        for note in &finding.notes {
            let _ = writeln!(out, "  note: {note}");
        }
        for (word, text) in [("label", &finding.label), ("help", &finding.help)] {
            if let Some(text) = text {
                let _ = writeln!(out, "  {word}: {text}");
            }
        }
        if let Some(fix) = &finding.fix {
            let _ = writeln!(out, "  {}: {}", fix.title, fixed(raw, fix));
        }
    }
    out
}

/// Returns the updates after a fix, or the text that the fix adds to the program.
fn fixed(raw: &str, fix: &Fix) -> String {
    if let Some(edit) = fix.edits.iter().find(|edit| edit.span.anchor != Anchor::Own) {
        return format!("{:?} in the program", edit.text);
    }
    let mut edits: Vec<_> = fix.edits.iter().map(|edit| (edit.span.range, edit.text.as_str())).collect();
    edits.sort_by_key(|(range, _)| range.start());
    apply(raw, edits).unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(updates: &str, expect: Expect) {
    let (raw, found) = judged(updates, &TranscriptSettings::default(), Profile::Current, AGENT);
    expect.assert_eq(&show(&raw, &found));
}

/// Checks one update, which is encoded as JSON here.
fn check_atom(atom: &str, expect: Expect) {
    check(&serde_json::to_string(atom).unwrap(), expect);
}

/// Returns the codes of the findings about one update.
fn codes(atom: &str, profile: Profile, policy: &str) -> Vec<&'static str> {
    let atom = serde_json::to_string(atom).unwrap();
    let (_, found) = judged(&atom, &TranscriptSettings::default(), profile, policy);
    found.iter().map(|finding| finding.rule.code).collect()
}

/// Checks the updates in the protocol's documents against the declarations of the agent.
#[test]
fn updates_of_the_documents() {
    let cases: &[(&str, &[&str])] = &[
        ("user_intent(/mutation, \"fix it\").", &["PB211"]),
        ("user_intent(/current_intent, /query, /read, \"x\", \"\").", &["PB212"]),
        ("observation(/mood, \"calm\").", &["PB212"]),
        ("task_status(/queue, /in_progress).", &["PB212"]),
        ("task_status(/queue).", &["PB211"]),
        ("diagnostic(/error, \"a.rs\", 3, \"E1\", \"m\").", &[]),
        ("test_state(/failing).", &[]),
        ("retry_count(2).", &[]),
        ("modified(\"a.rs\").", &[]),
        ("file_topology(\"a\", \"h\", /rust, 1, false).", &["PB202"]),
        ("file_state(\"a\", /open).", &["PB210"]),
        ("shard_state(/coder, /idle).", &["PB210"]),
        ("git_commit(\"abc\").", &["PB210"]),
        ("intent(/fix).", &["PB210"]),
        ("abductive_hypothesis(\"x\").", &["PB210"]),
        ("recovery_action(/retry).", &["PB210"]),
        ("ambiguity_flag(/target).", &["PB211"]),
        ("campaign_phase(/p1, /c1, \"n\", 1, /active, /pro).", &["PB212", "PB212", "PB212"]),
        ("campaign_progress(/c1, 1, 2, 3, 4).", &["PB212"]),
        ("blocked_action(\"rm\").", &["PB211"]),
        ("missing_tool_for(\"lint\", \"proto\")", &["PB203", "PB212", "PB212"]),
        ("promote_to_long_term(/style, \"tabs\").", &[]),
    ];
    for (atom, expected) in cases {
        assert_eq!(codes(atom, Profile::Current, AGENT), *expected, "{atom}");
    }
}

/// Checks the codes that the protocol lists for single updates without declarations.
#[test]
fn updates_without_declarations() {
    let cases: &[(&str, &[&str])] = &[
        ("v(/a).", &[]),
        ("v(/a)", &["PB203"]),
        ("v.", &["PB202"]),
        ("p(`a`).", &["PB206"]),
        ("p($a).", &["PB206"]),
        ("p(\"a;b\").", &["PB206"]),
        ("p(1) | q.", &["PB206"]),
        ("p(\"a\"). # x.", &[]),
        ("p(1) # x.", &["PB202"]),
        ("p(1)..", &["PB202"]),
        ("p(X) ⟸ q(X).", &["PB215"]),
        ("p(X) :- q(X), X = \"a;b\".", &["PB206", "PB215"]),
        ("p(\"a :- b\").", &["PB217"]),
        ("Decl p(X) :- q(X).", &["PB226"]),
        ("import x.", &["PB226"]),
        ("Package a!", &["PB226"]),
        ("p(X, [Y], fn:f(Z)).", &["PB208", "PB208", "PB209", "PB225"]),
        ("p(1)@[2026-01-02].", &["PB225"]),
        ("p(\"\\x24\\u{003b}\").", &["PB207", "PB207"]),
    ];
    for (atom, expected) in cases {
        let mut found = codes(atom, Profile::Current, "");
        found.sort_unstable();
        assert_eq!(found, *expected, "{atom}");
    }
}

#[test]
fn what_a_period_costs_depends_on_the_profile() {
    let severity = |profile| {
        let (_, found) = judged(r#""test_state(/x)""#, &TranscriptSettings::default(), profile, "");
        found[0].severity.or(found[0].rule.severity).unwrap().as_str()
    };
    assert_eq!([Profile::Current, Profile::V1_2, Profile::V1_1].map(severity), ["warning", "hint", "hint"]);
}

#[test]
fn words_that_are_no_terms() {
    check_atom(
        "file_topology(\"a\", \"h\", rust, 1, false).",
        expect![[r#"
            error PB202 at rust: `rust` is not a term
              note: a name begins with a slash
              note: the runtime cannot read the update and ignores it
              write `/rust`: ["file_topology(\"a\", \"h\", /rust, 1, false)."]
            error PB202 at false: `false` is not a term
              note: a name begins with a slash
              note: the runtime cannot read the update and ignores it
              write `/false`: ["file_topology(\"a\", \"h\", rust, 1, /false)."]
        "#]],
    );
    check_atom(
        "modified(main).",
        expect![[r#"
            error PB202 at main: `main` is not a term
              note: a string has quotes
              note: the runtime cannot read the update and ignores it
              write `"main"`: ["modified(\"main\")."]
        "#]],
    );
    check_atom(
        "modified(main-file, x_y).",
        expect![[r#"
            error PB202 at main-file: `main-file` is not a term
              note: a string has quotes
              note: the runtime cannot read the update and ignores it
              write `"main-file"`: ["modified(\"main-file\", x_y)."]
            error PB202 at x_y: `x_y` is not a term
              note: a name begins with a slash
              note: the runtime cannot read the update and ignores it
              write `/x_y`: ["modified(main-file, /x_y)."]
        "#]],
    );
}

#[test]
fn the_grammar_says_what_is_wrong() {
    check_atom(
        "modified(\"a\"",
        expect![[r#"
            error PB202 at \": missing `)` after `modified("a"`
              note: the runtime cannot read the update and ignores it
              label: expected `)` after this
              insert `)`: ["modified(\"a\")"]
        "#]],
    );
    check_atom(
        "modified(\"a).",
        expect![[r#"
            error PB202 at \": string is never closed
              note: the runtime cannot read the update and ignores it
              close the string on its first line: ["modified(\"a\")."]
        "#]],
    );
    check_atom(
        "modified(“a”).",
        expect![[r#"
            error PB202 at “: `“` (U+201C) is not `"`
              note: the runtime cannot read the update and ignores it
              write plain characters: ["modified(\"a\")."]
        "#]],
    );
    check_atom(
        "not modified(\"a\").",
        expect![[r#"
            error PB202 at not: `not` cannot be parsed here
              note: the runtime cannot read the update and ignores it
        "#]],
    );
    check_atom(
        "Modified(\"a\").",
        expect![[r#"
            error PB202 at Modified: predicate `Modified` starts with a capital letter
              note: the runtime cannot read the update and ignores it
              rename to `modified`: ["modified(\"a\")."]
        "#]],
    );
    check_atom(
        "modified(\"a\" \"b\").",
        expect![[r#"
            error PB202 at \": missing `,` after `modified("a"`
              note: the runtime cannot read the update and ignores it
              label: expected `,` after this
              insert `,`: ["modified(\"a\", \"b\")."]
        "#]],
    );
    check_atom(
        "ready.",
        expect![[r#"
            error PB202 at ready: atom `ready` has no parentheses
              note: the runtime cannot read the update and ignores it
              add `()`: ["ready()."]
        "#]],
    );
    check_atom(
        "the tests are green.",
        expect![[r#"
            error PB202 at the tests are green.: prose outside of a comment
              note: the runtime cannot read the update and ignores it
              label: comments start with `#`
        "#]],
    );
    check_atom(
        "{\"predicate\": \"modified\"}",
        expect![[r#"
            error PB202 at {\"predicate\": \"modified\"}: JSON in a program
              note: the runtime cannot read the update and ignores it
        "#]],
    );
    check_atom(
        "# modified(\"a\").",
        expect![[r#"
            error PB202 at # modified(\"a\").: update contains no fact
              note: the runtime cannot read the update and ignores it
        "#]],
    );
    check_atom(
        ".",
        expect![[r#"
            error PB202 at .: `.` cannot be parsed here
              note: the runtime cannot read the update and ignores it
        "#]],
    );
}

#[test]
fn types_of_arguments() {
    check_atom(
        "task_status(/queue, \"in_progress\").",
        expect![[r#"
            warning PB212 at /queue: expected a string for argument 1 (`TaskID`), found a name
              note: the fact is stored, but rules that expect the declared type never match it
              write `"queue"`: ["task_status(\"queue\", \"in_progress\")."]
            warning PB212 at \"in_progress\": expected a name for argument 2 (`Status`), found a string
              note: the fact is stored, but rules that expect the declared type never match it
              write `/in_progress`: ["task_status(/queue, /in_progress)."]
        "#]],
    );
    check_atom(
        "task_status(\"queue\", \"/completed\").",
        expect![[r#"
            warning PB212 at \"/completed\": expected a name for argument 2 (`Status`), found a string
              note: the fact is stored, but rules that expect the declared type never match it
              write `/completed`: ["task_status(\"queue\", /completed)."]
        "#]],
    );
    check_atom(
        "task_status(\"queue\", \"two words\").",
        expect![[r#"
            warning PB212 at \"two words\": expected a name for argument 2 (`Status`), found a string
              note: the fact is stored, but rules that expect the declared type never match it
        "#]],
    );
    check_atom(
        "retry_count(0.95).",
        expect![[r#"
            warning PB212 at 0.95: expected an integer for argument 1 (`Count`), found a float
              note: the runtime does not store floats
              help: scale it to an integer, such as 95 for 0.95
              write `95`: ["retry_count(95)."]
        "#]],
    );
    check_atom(
        "retry_count(\"3\").",
        expect![[r#"
            warning PB212 at \"3\": expected an integer for argument 1 (`Count`), found a string
              note: the fact is stored, but rules that expect the declared type never match it
              write `3`: ["retry_count(3)."]
        "#]],
    );
    check_atom(
        "modified(3).",
        expect![[r#"
            warning PB212 at 3: expected a string for argument 1 (`Path`), found an integer
              note: the fact is stored, but rules that expect the declared type never match it
              write `"3"`: ["modified(\"3\")."]
        "#]],
    );
    check_atom(
        "modified(/src/main/a.rs).",
        expect![[r#"
            warning PB212 at /src/main/a.rs: expected a string for argument 1 (`Path`), found a name
              note: the fact is stored, but rules that expect the declared type never match it
              write `"/src/main/a.rs"`: ["modified(\"/src/main/a.rs\")."]
        "#]],
    );
    check_atom(
        "score(1).",
        expect![[r#"
            hint PB212 at 1: expected a float for argument 1 (`Value`), found an integer
              note: the engine compares integers with floats only in some places
        "#]],
    );
    check_atom(
        "agenda_item(\"a\", \"b\", /high).",
        expect![[r#"
            hint PB212 at /high: expected an integer for argument 3 (`Priority`), found a name
              note: the runtime converts this word to the declared type
        "#]],
    );
    check_atom(
        "tagged(/state/open).",
        expect![[r#"
            warning PB212 at /state/open: expected a name below `/status/` for argument 1 (`State`), found a name
              note: the fact is stored, but rules that expect the declared type never match it
        "#]],
    );
}

#[test]
fn names_and_kinds() {
    check_atom(
        "task_status(\"queue\", /complete).",
        expect![[r#"
            hint PB224 at /complete: `/complete` is not a documented value of argument 2 (`Status`)
              note: `task_status` is documented with `/pending`, `/in_progress`, `/completed`, `/blocked`, `/failed`
              note: rules that match a documented value do not match this one
              write `/completed`: ["task_status(\"queue\", /completed)."]
        "#]],
    );
    check_atom(
        "modified(\"/auth\").",
        expect![[r#"
            warning PB225 at \"/auth\": runtime stores this string as the name `/auth`
              note: rules that compare it with a string never match
        "#]],
    );
    check_atom(
        "test_state(/a/b/c).",
        expect![[r#"
            warning PB225 at /a/b/c: runtime stores `/a/b/c` as a string
              note: the name looks like a path, and rules that compare it with a name never match
        "#]],
    );
    check_atom(
        "score(0.5).",
        expect![[r#"
            warning PB225 at 0.5: runtime does not store floats
              note: it stores a text in place of the number
              help: scale it to an integer, such as 95 for 0.95
        "#]],
    );
}

#[test]
fn predicates() {
    check_atom(
        "task_statsu(\"a\", /failed).",
        expect![[r#"
            error PB210 at task_statsu: predicate `task_statsu/2` is not declared
              note: no file of the policy declares or defines it, so the runtime rejects the fact
              help: did you mean `task_status(TaskID /string, Status /name)`?
              write `task_status`: ["task_status(\"a\", /failed)."]
        "#]],
    );
    check_atom(
        "task_status(\"a\").",
        expect![[r#"
            error PB211 at (\"a\"): `task_status` is not declared with 1 argument
              note: the policy has `task_status(TaskID /string, Status /name)`
              note: the runtime rejects the fact
        "#]],
    );
    check_atom(
        "permitted(/x, \"\", \"\").",
        expect![[r#"
            error PB205 at permitted: a reply may not assert `permitted`
              note: it would grant itself permission
              note: only the agent's core or its constitution may assert this predicate
              delete the update: []
        "#]],
    );
    check_atom(
        "prompt_atom(/x).",
        expect![[r#"
            error PB216 at prompt_atom: `prompt_atom` changes the next prompt
              note: a reply that asserts it writes its own instructions
              delete the update: []
        "#]],
    );
    check_atom(
        "context_atom(\"x\").",
        expect![[r#"
            error PB210 at context_atom: predicate `context_atom/1` is not declared
              note: no file of the policy declares or defines it, so the runtime rejects the fact
              declare `context_atom/1` in the policy: "\nDecl context_atom(Arg1) bound [/string]." in the program
        "#]],
    );
}

#[test]
fn several_updates() {
    check(
        r#""test_state(/a).", " ", "test_state(/a).", "modified(\"a\"). test_state(/b).  test_state(/c).""#,
        expect![[r#"
            hint PB228 at " ": update is blank
              note: the runtime ignores it, but counts it against the limits
              delete the update: ["test_state(/a).", "test_state(/a).", "modified(\"a\"). test_state(/b).  test_state(/c)."]
            hint PB227 at "test_state(/a).": duplicate of the update at index 0
              note: a fact holds once, but each update counts against the limits
              delete the update: ["test_state(/a).", " ", "modified(\"a\"). test_state(/b).  test_state(/c)."]
            warning PB214 at test_state(/b).: update has several clauses
              note: the runtime asserts only the first clause of an update
              label: ignored
              make each clause an update: ["test_state(/a).", " ", "test_state(/a).", "modified(\"a\").", "test_state(/b).", "test_state(/c)."]
        "#]],
    );
}

#[test]
fn edits_are_written_as_their_neighbours() {
    check(
        r#""task_status(\u0022a\u0022, \u0022failed\u0022).""#,
        expect![[r#"
            warning PB212 at \u0022failed\u0022: expected a name for argument 2 (`Status`), found a string
              note: the fact is stored, but rules that expect the declared type never match it
              write `/failed`: ["task_status(\u0022a\u0022, /failed)."]
        "#]],
    );
    check(
        r#""modified(\/auth).""#,
        expect![[r#"
            warning PB212 at \/auth: expected a string for argument 1 (`Path`), found a name
              note: the fact is stored, but rules that expect the declared type never match it
              write `"auth"`: ["modified(\"auth\")."]
        "#]],
    );
    check(
        r#""observation(\"a;b\", \"\ud83d\ude42 \u007c\").""#,
        expect![[r#"
            error PB206 at ;: `;` makes the runtime ignore the update
              note: an update must not contain a backtick, `$`, `;` or `|`, not even in a string
              write it as an escape, which the runtime accepts: ["observation(\"a\\x3bb\", \"\ud83d\ude42 \\x7c\")."]
        "#]],
    );
    check(
        r#""\ttest_state(/a)\n""#,
        expect![[r#"
            hint PB229 at \t: white space around the update
              note: the runtime keeps it, so a comparison with the update without it fails
              delete the white space: ["test_state(/a)"]
            warning PB203 at ): update does not end with a full stop
              note: the runtime silently ignores the update
              add the full stop: ["\ttest_state(/a).\n"]
        "#]],
    );
}

#[test]
fn consumers() {
    let settings = |name: &str| TranscriptSettings { consumer: Some(name.to_owned()), ..Default::default() };
    let (raw, found) = judged(r#""plan_step(/a).""#, &settings("session"), Profile::Current, "");
    expect![[r#"
        error PB213 at plan_step: consumer `session` rejects `plan_step`
          note: it accepts `missing_tool_for`, `observation`, `task_status`, `task_completed`, `diagnostic`, `failing_test`, `test_state`, `review_finding`, `modified`, `modified_function`
    "#]].assert_eq(&show(&raw, &found));
    let many: Vec<_> = (0..52).map(|at| format!("\"ambiguity_flag({at}).\"")).collect();
    let (raw, found) = judged(&many.join(","), &settings("perception"), Profile::Current, "");
    expect![[r#"
        error PB213 at "ambiguity_flag(50).": consumer `perception` accepts only 50 updates
          note: it rejects this update and all after it
    "#]]
    .assert_eq(&show(&raw, &found));
    let mut own = settings("mine");
    let consumer = mangle_settings::Consumer {
        predicates: vec!["permitted".to_owned()],
        prefixes: Vec::new(),
        max_updates: 0,
        protected: false,
    };
    own.consumers.insert("mine".to_owned(), consumer);
    assert!(judged(r#""permitted(/a).""#, &own, Profile::Current, "").1.is_empty());
}

#[test]
fn an_update_is_a_text_for_the_editor() {
    let json = Json::parse(br#"["p(\"\u00e9\")."]"#);
    let updates = Update::all(&json, json.root());
    let embedded = atom_text(&updates[0]);
    assert_eq!(&*embedded.text, "p(\"é\").");
    let range = mangle_syntax::text::TextRange::new(3.into(), 5.into());
    assert_eq!(embedded.map.to_source(range), mangle_syntax::text::TextRange::new(6.into(), 12.into()));
}

proptest! {
    /// For every update, findings have a range inside the list.
    ///
    /// A fix leaves valid JSON, and its elements can be checked again.
    #[test]
    fn fixes_leave_json(
        atom in r#"[ ]?[a-z_:A-Z]{1,6}\((/[a-z/.]{1,5}|"[a-z/\\nx27c;é🦀:|-]{0,6}"|[A-Z_a-z]{1,3}|[0-9.]{1,4}|\[1\]|, ){0,4}\)[.]?[ ]?( q\(1\)\.)?"#,
        ascii in any::<bool>(),
    ) {
        let written = serde_json::to_string(&atom).unwrap();
        let written = match ascii {
            true => written.replace("\\\"", "\\u0022").replace('é', "\\u00e9").replace('🦀', "\\ud83e\\udd80"),
            false => written,
        };
        let (raw, found) = judged(&format!("\"a(1).\", {written}"), &TranscriptSettings::default(), Profile::Current, AGENT);
        for finding in &found {
            prop_assert!(usize::from(finding.range.end()) <= raw.len());
            let is_here = |fix: &&Fix| fix.edits.iter().all(|edit| edit.span.anchor == Anchor::Own);
            let Some(fix) = finding.fix.as_ref().filter(is_here) else { continue };
            let new = fixed(&raw, fix);
            prop_assert!(serde_json::from_str::<Vec<String>>(&new).is_ok(), "{raw} {new}");
        }
    }
}

#[test]
fn ends_of_transitions_need_no_full_stop_and_no_consumer() {
    let json =
        Json::parse(br#"["task_status(\"a\", /pending)", "task_status(\"a\", done)", "nothing(/a)."]"#);
    let settings = TranscriptSettings { consumer: Some("perception".to_owned()), ..Default::default() };
    let declarations = declarations::tests::declarations(AGENT);
    let judge =
        UpdateContext { settings: &settings, declarations: Some(&declarations), profile: Profile::Current };
    let mut out = Vec::new();
    Update::all(&json, json.root()).iter().for_each(|end| check_transition(end, &judge, &mut out));
    assert_eq!(out.iter().map(|finding| finding.rule.code).collect::<Vec<_>>(), ["PB202", "PB210"]);
}

#[test]
fn delicate_predicates() {
    let own = |protected: &str| mangle_settings::AtomSettings {
        protected: Some(vec![protected.to_owned()]),
        ..Default::default()
    };
    let usual = mangle_settings::AtomSettings::default();
    assert!(["permitted", "prompt_atom", "context_atom"].iter().all(|name| is_delicate(name, &usual)));
    assert!(!is_delicate("task_status", &usual));
    assert!(
        is_delicate("task_status", &own("task_status")) && !is_delicate("permitted", &own("task_status"))
    );
}

#[test]
fn a_flood_of_updates_that_cannot_be_read_ends() {
    let many: Vec<_> = (0..300).map(|at| format!("\"p(,{at}\"")).collect();
    let (_, found) = judged(&many.join(","), &TranscriptSettings::default(), Profile::Current, AGENT);
    assert_eq!(found.len(), 100);
}

/// Packets may not assert derived predicates, except predicates that a consumer requests.
#[test]
fn derived_predicates() {
    let policy = "late(X) :- parcel(X). test_state(X) :- late(X). parcel(/a).";
    assert_eq!(codes("late(/a).", Profile::Current, policy), ["PB219"]);
    assert_eq!(codes("test_state(/a).", Profile::Current, policy), [] as [&str; 0]);
    assert_eq!(codes("context_atom(/a).", Profile::Current, ""), ["PB219"]);
}

/// A policy whose permission depends on an approval, on the agent not being halted, and on no open
/// alarm.
const PERMITS: &str = "
    Decl pending_action(Id, Action, Target, Payload, At).
    Decl approval(Who) bound [/string].
    Decl stop(What) bound [/string].
    Decl confirmed(What) bound [/string].
    Decl note(Text) bound [/string].
    Decl task_status(Task, Status) bound [/string, /name].
    permitted(A, T, P) :- pending_action(_, A, T, P, _), vetted(A), !stop(T), !held(T), task_status(_, /open).
    vetted(A) :- pending_action(_, A, _, _, _), approval(_).
    held(T) :- pending_action(_, _, T, _, _), !confirmed(T).
    noted(X) :- note(X).";

/// `permission-input` covers dependencies through other rules and negations, unless rules derive
/// the predicate.
#[test]
fn what_a_permission_depends_on_is_reported() {
    let found = |update: &str, settings: &TranscriptSettings| {
        let updates = format!("\"{}\"", update.replace('"', "\\\""));
        let (_, found) = judged(&updates, settings, Profile::Current, PERMITS);
        let severity = |one: &Finding| one.severity.or(one.rule.severity).unwrap();
        found.iter().map(|one| (one.rule.name, severity(one))).collect::<Vec<_>>()
    };
    let open = TranscriptSettings::default();
    let input = |severity| vec![("permission-input", severity)];
    assert_eq!(found("approval(\"me\").", &open), input(Severity::Warning));
    assert_eq!(found("confirmed(\"a\").", &open), input(Severity::Warning));
    // The fact reduces the permissions.
    assert_eq!(found("stop(\"a\").", &open), input(Severity::Information));
    assert_eq!(found("note(\"a\").", &open), []);
    // The runtime requests this predicate from replies.
    assert_eq!(found("task_status(\"a\", /open).", &open), []);
    let own = mangle_settings::Consumer { prefixes: vec!["appr".into()], ..Default::default() };
    let listed = TranscriptSettings {
        consumer: Some("own".into()),
        consumers: [("own".to_owned(), own)].into(),
        ..TranscriptSettings::default()
    };
    assert_eq!(found("approval(\"me\").", &listed), []);
}

#[test]
fn further_protected_predicates() {
    let mut settings = TranscriptSettings::default();
    settings.atoms.protected_extra = vec!["note".to_owned()];
    let codes = |update: &str| {
        let (_, found) = judged(&format!("\"{update}\""), &settings, Profile::Current, PERMITS);
        found.iter().map(|one| one.rule.code).collect::<Vec<_>>()
    };
    assert_eq!(codes("note(\\\"a\\\")."), ["PB205"]);
    assert_eq!(codes("permitted(1, 2, 3)."), ["PB205"]);
    assert!(is_delicate("note", &settings.atoms) && is_delicate("permitted", &settings.atoms));
    let listed = protected(&settings.atoms);
    assert!(listed.iter().any(|one| one.predicate == "note" && one.why.contains("protected_extra")));
    assert!(listed.is_sorted_by_key(|one| one.predicate));
}

/// Predicates that affect permissions are never suggested, even for similar names.
#[test]
fn no_suggestion_leads_to_a_permission() {
    let declarations = declarations::tests::declarations(PERMITS);
    let settings = TranscriptSettings::default();
    let judge =
        UpdateContext { settings: &settings, declarations: Some(&declarations), profile: Profile::Current };
    for update in
        ["aproval(\"me\").", "approvals(\"me\").", "permited(1, 2, 3).", "Approval(\"me\").", "approval(me)"]
    {
        assert_eq!(suggest(update, &judge), None, "{update}");
        let (_, found) =
            judged(&format!("\"{}\"", update.replace('"', "\\\"")), &settings, Profile::Current, PERMITS);
        let told = |one: &Finding| format!("{} {:?}", one.message, one.fix.as_ref().map(|fix| &fix.title));
        let named =
            |text: String| ["`approval`", "`permitted`", "approval("].iter().any(|name| text.contains(name));
        let is_new = |one: &&Finding| one.rule.name == "undeclared" || one.rule.name == "pred-style";
        assert!(!found.iter().filter(is_new).any(|one| named(told(one))), "{update}");
    }
    assert_eq!(suggest("nute(\"a\")", &judge), Some(Suggestion::Update("note(\"a\").".to_owned())));
}

/// A declaration of a predicate that affects permissions would allow replies to assert it.
#[test]
fn what_decides_is_not_declared_for_a_reply() {
    let policy = format!("{PERMITS}\n    permitted(A, T, P) :- pending_action(_, A, T, P, _), blessed(T).");
    let fix = |update: &str| {
        let settings = TranscriptSettings::default();
        let (_, found) = judged(&format!("\"{update}\""), &settings, Profile::Current, &policy);
        assert_eq!(found[0].rule.name, "undeclared");
        found[0].fix.as_ref().map(|fix| fix.title.clone())
    };
    assert_eq!(fix("blessed(/a)."), None);
    assert_eq!(fix("weather(/a)."), Some("declare `weather/1` in the policy".into()));
}
