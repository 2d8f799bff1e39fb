//! Session files: what is read, where it stands, what is wrong.
#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};

use super::{SessionFile, SessionForm};
use mangle_syntax::text::slice;

fn check(text: &str, form: SessionForm, expected: Expect) -> SessionFile {
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
    let file = check(text, SessionForm::Yaml, expect![""]);
    let second = &file.session.failing_tests[1];
    assert_eq!((second.pointer.as_str(), slice(text, second.range)), ("/failing_tests/1", "t_expire"));
    let prior = &file.session.prior_shard_outputs[0];
    assert_eq!((prior.task.pointer.as_str(), prior.success), ("/prior_shard_outputs/0/task", true));
    let json = r#"{"git_branch": "main", "git_unstaged_count": -2, "vectors": {"a/b": 0.5}, "extra_context": {"language": "ruby"}}"#;
    let file = check(json, SessionForm::Json, expect![""]);
    assert_eq!(file.session.git_unstaged_count.unwrap().value, -2);
    assert_eq!(slice(json, file.session.git_branch.range), "\"main\"");
    assert_eq!(file.vectors, [("a/b".to_owned(), 0.5)]);
    assert_eq!(file.session.extra("language"), Some("ruby"));
}

#[test]
fn mistakes_are_told() {
    check(
        "activ_files: [a]\ngit_branch: [main]\nintent: {verbs: /fix}\nresults: [3]\ngit_unstaged_count: many\n",
        SessionForm::Yaml,
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
        SessionForm::Yaml,
        expect![[r#"
            "'yes'" This should be `true` or `false`, and is `yes`; it is ignored.
            "{b: c}" This entry should be a text, and is a table of keys and values; the whole list is ignored.
            "y" This entry should be a table of keys and values, and is `y`; the whole list is ignored.
        "#]],
    );
    check(
        "a: [1, 2",
        SessionForm::Yaml,
        expect![[r#"
        "" error: The session file cannot be read: while parsing a flow sequence, expected ',' or ']'. Nothing of it is used.
    "#]],
    );
    check(
        "[1]",
        SessionForm::Json,
        expect![[r#"
        "[1]" This should be a table of keys and values, and is a list; it is ignored.
    "#]],
    );
    check(
        "{\"a\": }",
        SessionForm::Json,
        expect![[r#"
        ":" error: The session file cannot be read: missing value. Nothing of it is used.
    "#]],
    );
    check("# nothing\n", SessionForm::Yaml, expect![[r#""#]]);
}

#[test]
fn keys_are_suggested_by_synonym_and_common_words() {
    check(
        "history: x\nbranch: main\ntests: [a]\nmessage: Go.\nresults:\n  - {step: a, status: true, message: x, colour: red}\nintent: {action: /fix}\n",
        SessionForm::Yaml,
        expect![[r#"
            "history" There is no key `history` here, so it is ignored. Did you mean `compressed_history`?
            "branch" There is no key `branch` here, so it is ignored. Did you mean `git_branch`?
            "tests" There is no key `tests` here, so it is ignored. Did you mean `failing_tests`?
            "message" There is no key `message` here, so it is ignored. Did you mean `user_input`?
            "step" There is no key `step` here, so it is ignored. Did you mean `name`?
            "status" There is no key `status` here, so it is ignored. Did you mean `ok`?
            "message" There is no key `message` here, so it is ignored. Did you mean `detail`?
            "colour" There is no key `colour` here, so it is ignored. The keys are `name`, `ok`, `detail`.
            "action" There is no key `action` here, so it is ignored. Did you mean `verb`?
        "#]],
    );
}

#[test]
fn budget_is_a_number_or_a_table() {
    let budget = |text: &str, expected: Expect| check(text, SessionForm::Yaml, expected).budget;
    assert_eq!(budget("budget: 300\n", expect![""]), (Some(300), None));
    assert_eq!(budget("budget: '300'\n", expect![""]), (Some(300), None));
    assert_eq!(budget("budget: {tokens: 300, reserved: 20}\n", expect![""]), (Some(300), Some(20)));
    assert_eq!(budget("budget:\n", expect![""]), (None, None));
    assert_eq!(check("{\"budget\": 300}", SessionForm::Json, expect![""]).budget, (Some(300), None));
    let wrong = "budget: 10k\n";
    assert_eq!(
        budget(
            wrong,
            expect![[r#"
        "10k" This should be a number of tokens, as `300`, or a table, as `{tokens: 300, reserved: 30}`, and is `10k`; it is ignored.
    "#]]
        ),
        (None, None)
    );
    assert_eq!(
        budget(
            "budget: 0\n",
            expect![[r#"
                "0" 0 tokens cannot be a budget, so the number is ignored.
            "#]]
        ),
        (None, None)
    );
    assert_eq!(
        budget(
            "budget: {tokens: -4, reserved: -1}\n",
            expect![[r#"
                "-4" -4 tokens cannot be a budget, so the number is ignored.
                "-1" -1 tokens cannot be reserved, so the number is ignored.
            "#]]
        ),
        (None, None)
    );
    assert_eq!(
        budget(
            "budget: {tokens: 300, reserved: 300}\n",
            expect![[r#"
        "300" 300 reserved tokens leave nothing of a budget of 300; the runtime reserves a tenth instead, 30.
    "#]]
        ),
        (Some(300), Some(300))
    );
    assert_eq!(
        budget(
            "budget: {total: 300}\n",
            expect![[r#"
        "total" There is no key `total` here, so it is ignored. Did you mean `tokens`?
    "#]]
        ),
        (None, None)
    );
}
