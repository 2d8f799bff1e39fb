//! Session files: what is read, where it stands, what is wrong.
#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};

use super::{Form, SessionFile};
use crate::text::slice;

fn check(text: &str, form: Form, expected: Expect) -> SessionFile {
    let file = SessionFile::read(text, form);
    let shown = file.findings.iter().map(|finding| {
        let severity = finding.severity.map_or(String::new(), |severity| format!("{severity}: "));
        format!("{:?} {severity}{}\n", slice(text, finding.range), finding.message)
    });
    expected.assert_eq(&shown.collect::<String>());
    file
}

#[test]
fn values_know_their_places() {
    let text = "test_state: /failing\nfailing_tests:\n  - t_renew\n  - t_expire\nprior_shard_outputs:\n  - {task: run, success: true}\n";
    let file = check(text, Form::Yaml, expect![""]);
    let second = &file.session.failing_tests[1];
    assert_eq!((second.pointer.as_str(), slice(text, second.range)), ("/failing_tests/1", "t_expire"));
    let prior = &file.session.prior_shard_outputs[0];
    assert_eq!((prior.task.pointer.as_str(), prior.success), ("/prior_shard_outputs/0/task", true));
    let json = r#"{"git_branch": "main", "git_unstaged_count": -2, "vectors": {"a/b": 0.5}, "extra_context": {"language": "ruby"}}"#;
    let file = check(json, Form::Json, expect![""]);
    assert_eq!(file.session.git_unstaged_count.unwrap().value, -2);
    assert_eq!(slice(json, file.session.git_branch.range), "\"main\"");
    assert_eq!(file.vectors, [("a/b".to_owned(), 0.5)]);
    assert_eq!(file.session.extra("language"), Some("ruby"));
}

#[test]
fn mistakes_are_told() {
    check(
        "activ_files: [a]\ngit_branch: [main]\nintent: {verbs: /fix}\nresults: [3]\ngit_unstaged_count: many\n",
        Form::Yaml,
        expect![[r#"
            "activ_files" There is no key `activ_files` here, so it is ignored. Did you mean `active_files`?
            "[main]" This should be a text, and is a list; it is ignored.
            "verbs" There is no key `verbs` here, so it is ignored. Did you mean `verb`?
            "3" This entry should be a table of keys and values, and is `3`; the whole list is ignored.
            "many" This should be a whole number, and is `many`; it is ignored.
        "#]],
    );
    check(
        "dream_mode: 'yes'\nfailing_tests: [a, {b: c}]\nprior_shard_outputs: [{task: x}, y]\ngit_branch:\nrecent_actions: ~\n",
        Form::Yaml,
        expect![[r#"
            "'yes'" This should be `true` or `false`, and is `yes`; it is ignored.
            "{b: c}" This entry should be a text, and is a table of keys and values; the whole list is ignored.
            "y" This entry should be a table of keys and values, and is `y`; the whole list is ignored.
        "#]],
    );
    check(
        "a: [1, 2",
        Form::Yaml,
        expect![[r#"
        "" error: The session file cannot be read: while parsing a flow sequence, expected ',' or ']'. Nothing of it is used.
    "#]],
    );
    check(
        "[1]",
        Form::Json,
        expect![[r#"
        "[1]" This should be a table of keys and values, and is a list; it is ignored.
    "#]],
    );
    check(
        "{\"a\": }",
        Form::Json,
        expect![[r#"
        ":" error: The session file cannot be read: a value is missing here. Nothing of it is used.
    "#]],
    );
    check("# nothing\n", Form::Yaml, expect![[r#""#]]);
}
