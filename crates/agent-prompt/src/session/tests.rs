//! Tests of session files: values, ranges and findings.
#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};

use super::{SessionFile, SessionForm};
use crate::testing::words_of;
use mangle_syntax::text::slice;

fn check(text: &str, form: SessionForm, expected: Expect) -> SessionFile {
    let file = SessionFile::read(text, form);
    let shown = file.findings.iter().map(|finding| {
        let severity = finding.severity.map_or(String::new(), |severity| format!("{severity}: "));
        format!("{:?} {severity}{}\n", slice(text, finding.range), words_of(finding))
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
            "activ_files" unknown key `activ_files` | it is ignored | help: did you mean `active_files`?
            "[main]" expected a text, found a list | the value is ignored
            "verbs" unknown key `verbs` | it is ignored | help: did you mean `verb`?
            "3" expected a table of keys and values, found `3` | the whole list is ignored
            "many" expected a whole number, found `many` | the value is ignored
        "#]],
    );
    check(
        "dream_mode: 'yes'\nfailing_tests: [a, {b: c}]\nprior_shard_outputs: [{task: x}, y]\ngit_branch:\nrecent_actions: ~\n",
        SessionForm::Yaml,
        expect![[r#"
            "'yes'" expected `true` or `false`, found `yes` | the value is ignored
            "{b: c}" expected a text, found a table of keys and values | the whole list is ignored
            "y" expected a table of keys and values, found `y` | the whole list is ignored
        "#]],
    );
    check(
        "a: [1, 2",
        SessionForm::Yaml,
        expect![[r#"
            "" error: session file is not valid | while parsing a flow sequence, expected ',' or ']' | nothing of it is used
        "#]],
    );
    check(
        "[1]",
        SessionForm::Json,
        expect![[r#"
            "[1]" expected a table of keys and values, found a list | the value is ignored
        "#]],
    );
    check(
        "{\"a\": }",
        SessionForm::Json,
        expect![[r#"
            ":" error: session file is not valid | missing value | nothing of it is used
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
            "history" unknown key `history` | it is ignored | help: did you mean `compressed_history`?
            "branch" unknown key `branch` | it is ignored | help: did you mean `git_branch`?
            "tests" unknown key `tests` | it is ignored | help: did you mean `failing_tests`?
            "message" unknown key `message` | it is ignored | help: did you mean `user_input`?
            "step" unknown key `step` | it is ignored | help: did you mean `name`?
            "status" unknown key `status` | it is ignored | help: did you mean `ok`?
            "message" unknown key `message` | it is ignored | help: did you mean `detail`?
            "colour" unknown key `colour` | it is ignored | the keys are `name`, `ok`, `detail`
            "action" unknown key `action` | it is ignored | help: did you mean `verb`?
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
                "10k" expected a number of tokens or a table like `{tokens: 300, reserved: 30}`, found `10k` | the value is ignored
            "#]]
        ),
        (None, None)
    );
    assert_eq!(
        budget(
            "budget: 0\n",
            expect![[r#"
                "0" 0 tokens are not a valid budget | the number is ignored
            "#]]
        ),
        (None, None)
    );
    assert_eq!(
        budget(
            "budget: {tokens: -4, reserved: -1}\n",
            expect![[r#"
                "-4" -4 tokens are not a valid budget | the number is ignored
                "-1" -1 tokens cannot be reserved | the number is ignored
            "#]]
        ),
        (None, None)
    );
    assert_eq!(
        budget(
            "budget: {tokens: 300, reserved: 300}\n",
            expect![[r#"
                "300" 300 reserved tokens leave nothing of a budget of 300 | the runtime reserves a tenth instead, 30
            "#]]
        ),
        (Some(300), Some(300))
    );
    assert_eq!(
        budget(
            "budget: {total: 300}\n",
            expect![[r#"
                "total" unknown key `total` | it is ignored | help: did you mean `tokens`?
            "#]]
        ),
        (None, None)
    );
}
