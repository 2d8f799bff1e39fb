//! `repair`: the message that sends a reply back to the model.

use expect_test::expect;

use super::support::{check, folder};
use super::transcripts::{SCHEMAS, SESSION, line, run};

#[test]
fn what_to_tell_the_model() {
    check(
        &[SCHEMAS, SESSION],
        &["transcript", "repair", "session.jsonl:2", "--attempt", "2"],
        expect![[r#"
            Your last reply (record 2) could not be used as it is. Do not apologise and do not explain; send the whole envelope again.
            It was read by stage P1.
            Update #0: task_status(\"é2\", /done)
              - update does not end with a full stop; the runtime silently ignores the update (column 24)
              - try: task_status(\"é2\", /done).
            Remember: one JSON object whose first key is "control_packet"; every update is one fact without variables that ends with a full stop; predicates in small letters, names as /name, text in "double quotes". Predicates that you may use: task_status(Task /string, Status /name). Memory operations: promote_to_long_term, forget, store_vector, note.
            Attempt 2 of 3.
            policy: 1 file (schemas.gl)
            exit 0
        "#]],
    );
    check(
        &[SCHEMAS, SESSION],
        &["transcript", "repair", "session.jsonl:2", "--format", "json"],
        expect![[r#"
            {"record":2,"attempt":1,"max":3,"stage":"P1","errors":[{"code":"PB203","pointer":"/control_packet/mangle_updates/0","offset":178,"message":"update does not end with a full stop; the runtime silently ignores the update","suggestion":"task_status(\"é2\", /done)."}],"allowed":["task_status(Task /string, Status /name)"],"operations":["promote_to_long_term","forget","store_vector","note"],"retryable":true}
            policy: 1 file (schemas.gl)
            exit 0
        "#]],
    );
    check(
        &[SCHEMAS, SESSION],
        &["transcript", "repair", "session.jsonl:9"],
        expect![[r#"
            policy: 1 file (schemas.gl)
            error: there is no reply in record 9
            exit 2
        "#]],
    );
}

#[test]
fn every_update_gets_one_suggestion_and_predicates_that_it_names_come_first() {
    let schemas = "Decl other(X) bound [/name].\nDecl task_status(Task, Status) bound [/string, /name].\n\
         Decl user_intent(ID, Category, Verb, Target, Constraint) bound [/string, /name, /name, /string, /string].\n";
    let updates: Vec<_> = (0..22).map(|at| format!("\"task_status(t{at}, done)\"")).collect();
    let reply = SESSION.1.lines().next().unwrap().replace(
        "\"task_status(\\\"é1\\\", /done).\"",
        &format!("\"user_intent(\\\"a\\\", /query).\", \"task_status(X, /done).\", {}", updates.join(", ")),
    );
    check(
        &[("schemas.gl", schemas), ("a.jsonl", &reply)],
        &["transcript", "repair", "a.jsonl"],
        expect![[r#"
            Your last reply (record 1) could not be used as it is. Do not apologise and do not explain; send the whole envelope again.
            It was read by stage P1.
            Update #0: user_intent(\"a\", /query).
              - `user_intent` is not declared with 2 arguments; the policy has `user_intent(ID /string, Category /name, Verb /name, Target /string, Constraint /string)`; the runtime rejects the fact (column 12)
              - write it as: user_intent(ID /string, Category /name, Verb /name, Target /string, Constraint /string)
            Update #1: task_status(X, /done).
              - fact contains the variable `X`; the runtime stores the string `"?X"` in its place (column 13)
            Update #2: task_status(t0, done)
              - `t0` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t0\", /done).
            Update #3: task_status(t1, done)
              - `t1` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t1\", /done).
            Update #4: task_status(t2, done)
              - `t2` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t2\", /done).
            Update #5: task_status(t3, done)
              - `t3` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t3\", /done).
            Update #6: task_status(t4, done)
              - `t4` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t4\", /done).
            Update #7: task_status(t5, done)
              - `t5` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t5\", /done).
            Update #8: task_status(t6, done)
              - `t6` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t6\", /done).
            Update #9: task_status(t7, done)
              - `t7` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t7\", /done).
            Update #10: task_status(t8, done)
              - `t8` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t8\", /done).
            Update #11: task_status(t9, done)
              - `t9` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t9\", /done).
            Update #12: task_status(t10, done)
              - `t10` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t10\", /done).
            Update #13: task_status(t11, done)
              - `t11` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t11\", /done).
            Update #14: task_status(t12, done)
              - `t12` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t12\", /done).
            Update #15: task_status(t13, done)
              - `t13` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t13\", /done).
            Update #16: task_status(t14, done)
              - `t14` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t14\", /done).
            Update #17: task_status(t15, done)
              - `t15` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t15\", /done).
            Update #18: task_status(t16, done)
              - `t16` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t16\", /done).
            Update #19: task_status(t17, done)
              - `t17` is not a term; a string has quotes; the runtime cannot read the update and ignores it (column 13)
              - try: task_status(\"t17\", /done).
            4 more updates have problems.
            Remember: one JSON object whose first key is "control_packet"; every update is one fact without variables that ends with a full stop; predicates in small letters, names as /name, text in "double quotes". Predicates that you may use: task_status(Task /string, Status /name); user_intent(ID /string, Category /name, Verb /name, Target /string, Constraint /string); other(X /name). Memory operations: promote_to_long_term, forget, store_vector, note.
            Attempt 1 of 3.
            policy: 1 file (schemas.gl)
            exit 0
        "#]],
    );
}

/// Places in a repair message are those of the reply, whatever stands before it in the file.
#[test]
fn places_of_a_repair_count_in_the_reply() {
    let user = "{\"role\":\"user\",\"content\":\"Fix it, please, and tell me what you did.\"}\n";
    let broken =
        "Sure: {\\\"control_packet\\\": {\\\"mangle_updates\\\": [}, \\\"surface_response\\\": \\\"ok\\\"}";
    let chat = format!("{user}{{\"role\":\"assistant\",\"content\":\"{broken}\"}}\n");
    let folder = folder(&[SCHEMAS, ("chat.jsonl", &chat)]);
    let (out, ..) = run(&folder, &["transcript", "repair", "chat.jsonl", "--format", "json"], "");
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["record"], 2);
    let reply = broken.replace("\\\"", "\"");
    let errors = value["errors"].as_array().unwrap();
    assert!(!errors.is_empty());
    for error in errors {
        let offset = usize::try_from(error["offset"].as_u64().unwrap()).unwrap();
        assert!(offset <= reply.len(), "{error}");
        if error["code"] == "PB010" {
            assert_eq!(reply[offset..].chars().next(), Some('}'), "{error}");
        }
    }
}

/// One message for each bad reply, or for the record that is named.
#[test]
fn every_bad_reply_of_a_file_is_repaired() {
    let session = [
        line("One.", &["task_status(\"a\", done)."], "m"),
        line("Two.", &["task_status(\"b\", /done)."], "m"),
        line("Three.", &["bad("], "m"),
    ]
    .concat();
    let folder = folder(&[SCHEMAS, ("a.jsonl", &session)]);
    let (out, _, code) = run(&folder, &["transcript", "repair", "a.jsonl"], "");
    let heads: Vec<_> = out.lines().filter(|line| line.starts_with("Your last reply")).collect();
    assert_eq!((heads.len(), code), (2, Some(0)), "{out}");
    assert!(heads[0].contains("(record 1)") && heads[1].contains("(record 3)"), "{out}");
    assert!(out.contains("\n\nYour last reply"), "{out}");
    let (one, ..) = run(&folder, &["transcript", "repair", "a.jsonl:3"], "");
    assert!(out.ends_with(&one) && one.contains("(record 3)") && !one.contains("(record 1)"), "{one}");
    let (lines, ..) = run(&folder, &["transcript", "repair", "a.jsonl", "--format", "json"], "");
    let records: Vec<_> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["record"].as_u64())
        .collect();
    assert_eq!(records, [Some(1), Some(3)]);
    let (out, error, _) = run(&folder, &["transcript", "repair", "a.jsonl:2"], "");
    assert_eq!((out.as_str(), error.as_str()), ("", "policy: 1 file (schemas.gl)\nnothing to repair\n"));
}

/// An update that has to go gets no other advice, neither as text nor for programs.
#[test]
fn an_update_that_has_to_go_is_not_repaired_otherwise() {
    let folder = folder(&[SCHEMAS, ("a.jsonl", &line("One.", &["permitted(\"x\")"], "m"))]);
    let arguments = ["transcript", "repair", "--profile", "current", "a.jsonl"];
    let (out, ..) = run(&folder, &arguments, "");
    assert_eq!(out.matches("- try: ").count(), 1, "{out}");
    assert!(out.contains("- try: delete the update"), "{out}");
    let (out, ..) = run(&folder, &[&arguments[..], &["--format", "json"]].concat(), "");
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    let suggestions: Vec<_> =
        value["errors"].as_array().unwrap().iter().map(|one| &one["suggestion"]).collect();
    assert!(suggestions.len() > 1 && suggestions.iter().all(|one| **one == "delete the update"), "{out}");
}

/// The order of keys and full stops are those of the version of the protocol.
#[test]
fn a_repair_asks_for_what_the_version_wants() {
    let reply = |version: &str| {
        format!(
            "{{\"piggyback_version\":\"{version}\",\"surface_response\":\"ok\",\"control_packet\":{{\"intent_classification\":\
             {{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"x\",\"constraint\":\"none\",\"confidence\":0.9}},\
             \"mangle_updates\":[\"task_status(\\\"a\\\", done)\",\"bad(\"],\"memory_operations\":[]}}}}\n"
        )
    };
    let repaired = |version: &str, settings: &str| {
        let folder = folder(&[SCHEMAS, ("a.jsonl", &reply(version)), ("mangle-ls.toml", settings)]);
        run(&folder, &["transcript", "repair", "a.jsonl"], "").0
    };
    let program = "[[program]]\nname = \"a\"\ninclude = [\"*.gl\"]\n";
    let stops = format!("{program}[transcripts.atoms]\ntrailing_period = true\n");
    for (version, first) in
        [("1.1", "surface_response"), ("1.2", "control_packet"), ("1.2-go", "control_packet")]
    {
        let out = repaired(version, program);
        assert!(out.contains(&format!("first key is \"{first}\"")), "{out}");
        assert!(out.contains("try: task_status(\\\"a\\\", /done)\n"), "{out}");
        assert!(!out.contains("full stop") && !out.contains("done).") && !out.contains("bad()."), "{out}");
        let out = repaired(version, &stops);
        assert!(out.contains("full stop") && out.contains("try: task_status(\\\"a\\\", /done).\n"), "{out}");
    }
    let out = repaired("current", program);
    assert!(out.contains("ends with a full stop") && out.contains("/done).\n"), "{out}");
}
