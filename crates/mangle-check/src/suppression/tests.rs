#![allow(clippy::unwrap_used)]
use expect_test::{Expect, expect};

use super::{SuppressionScope, suppress};
use crate::Registry;
use crate::testing::{CheckedFixture, check, check_fix, program};

/// Checks rules in a program that never uses the column of `q`, so each line with `N` gets a hint.
#[track_caller]
fn check_hints(rules: &str, expect: Expect) {
    check(&format!("q(1, 2).\n{rules}"), expect);
}

const HINT: &str = "p(X) :- q(X, N).";

#[test]
fn the_next_line_and_the_own_line() {
    check_hints(
        &format!(
            "# mangle-ls: ignore singleton-variable -- for the reader\n{HINT}\n\
             {HINT} # mangle-ls: ignore MG215\n\
             ## mangle-ls:ignore duplicate-clause , singleton-variable--no reason\n\n# more\n{HINT}\n{HINT}\n"
        ),
        expect![[r#"
            4:1-17 hint duplicate-clause: duplicate clause of `p/1`
              3:1-2 first occurrence
              note: a repeated clause derives nothing new
            9:1-17 hint duplicate-clause: duplicate clause of `p/1`
              3:1-2 first occurrence
              note: a repeated clause derives nothing new
            9:14-15 hint singleton-variable: `N` occurs only once
              label: joins nothing
              fix: replace `N` by `_`
        "#]],
    );
}

#[test]
fn a_statement_of_several_lines() {
    check_hints(
        "# mangle-ls: ignore singleton-variable\np(X) :-\n  q(X, N),\n  q(X, M).\n\
         r(X) :-\n  # mangle-ls: ignore singleton-variable\n  q(X, N),\n  q(X, M).\n\
         s(X) :-\n  q(X, N),\n  q(X, M). # mangle-ls: ignore singleton-variable\n",
        expect![[r#"
            9:8-9 hint singleton-variable: `M` occurs only once
              label: joins nothing
              fix: replace `M` by `_`
            11:8-9 hint singleton-variable: `N` occurs only once
              label: joins nothing
              fix: replace `N` by `_`
        "#]],
    );
}

#[test]
fn a_whole_file_and_no_other() {
    check(
        "#- a.mg\nq(1, 2).\np(X) :- q(X, N).\n# mangle-ls: ignore-file singleton-variable -- ours\n\
         #- b.mg\nr(X) :- q(X, N).\n",
        expect![[r#"
            b.mg:1:14-15 hint singleton-variable: `N` occurs only once
              label: joins nothing
              fix: replace `N` by `_`
        "#]],
    );
}

#[test]
fn findings_about_the_program() {
    check(
        "# mangle-ls: ignore stratification -- on purpose\np(X) :- q(X), !r(X).\nr(X) :- q(X), !p(X).\nq(1).\n",
        expect![[r#"
            1:21-35 warning unknown-suppression: `stratification` is a group, not a rule
              label: suppresses nothing
              note: a comment lists rules, by name or code
              help: list the rules of the group that are reported here
            2:15-20 error unstratified: program cannot be stratified: negative cycle through `p`
              label: negation on the cycle
              3:16-17 `r` negates `p`
              note: `p → !r → !p`
              note: the engine rejects the whole program when it evaluates it
              help: derive `r` without `p`, or negate a predicate that does not depend on `p`, as in `waiting(X) :- parcel(X), !loaded(X). loaded(X) :- scan(X, /dock).`
        "#]],
    );
}

#[test]
fn syntax_errors_stay() {
    check(
        "# mangle-ls: ignore-file missing-dot -- never mind\n# mangle-ls: ignore missing-dot\np(1)\nq(2).\n",
        expect![[r#"
            1:1-51 warning futile-suppression: comments cannot suppress `missing-dot`
              note: its findings are reported in spite of the comment
              fix: delete the comment
            2:1-32 warning futile-suppression: comments cannot suppress `missing-dot`
              note: its findings are reported in spite of the comment
              fix: delete the comment
            3:4-5 error missing-dot: missing `.` after `p(1)`
              note: the engine reads what follows as part of this statement
              fix: insert `.`
        "#]],
    );
}

#[test]
fn strings_and_prose_are_no_comments_of_ours() {
    check_hints(
        "s(\"\n# mangle-ls: ignore singleton-variable\n\").\np(X) :- s(_), q(X, N).\n\
         # See `# mangle-ls: ignore singleton-variable`.\n# mangle-ls ignores nothing here.\n# mangle-ls is a tool.\n\
         r(X) :- s(_), q(X, N).\n",
        expect![[r#"
            5:20-21 hint singleton-variable: `N` occurs only once
              label: joins nothing
              fix: replace `N` by `_`
            9:20-21 hint singleton-variable: `N` occurs only once
              label: joins nothing
              fix: replace `N` by `_`
        "#]],
    );
}

#[test]
fn unused_ones() {
    check_hints(
        "# mangle-ls: ignore singleton-variable, negation-wildcard -- half of it\np(X) :- q(X, N).\n\
         # mangle-ls: ignore-file unsafe-head -- none\n\
         r(X) :- q(X, _). # mangle-ls: ignore MG215\n# mangle-ls: ignore singleton-variable -- at the end\n",
        expect![[r#"
            2:41-58 warning unused-suppression: unused suppression of `negation-wildcard`
              note: the rule reports nothing here
              fix: delete it from the comment
            4:26-37 warning unknown-suppression: unknown rule `unsafe-head`
              label: suppresses nothing
            5:18-43 warning unused-suppression: unused suppression of `MG215`
              note: the rule reports nothing here
              fix: delete the comment
            6:1-53 warning unused-suppression: unused suppression of `singleton-variable`
              note: the rule reports nothing here
              fix: delete the comment
        "#]],
    );
}

#[test]
fn malformed_ones() {
    check_hints(
        "# mangle-ls ignore singleton-variable\np(X) :- q(X, N).\n\
         # mangle-ls: ignroe singleton-variable\n# mangle-ls: disable singleton-variable\n# mangle-ls:\n\
         # mangle-ls: ignore\n# mangle-ls: ignore -- why not\n\
         # mangle-ls: ignore singleton-variable negation-wildcard\n\
         # mangle-ls: ignore singleton-variable because I say so\n\
         # mangle-ls: ignore mg215, safety, singletonvariable, nothing-like-it\np(X) :- q(X, N).\n",
        expect![[r#"
            2:1-38 warning malformed-suppression: missing `:` after `mangle-ls`
              note: mangle-ls ignores the comment
              fix: insert `:`
            4:14-20 warning malformed-suppression: unknown word `ignroe` after `mangle-ls:`
              note: the words after `mangle-ls:` are `ignore`, `ignore-file` and `format`
              note: mangle-ls ignores the comment
              fix: write `ignore`
            5:14-21 warning malformed-suppression: unknown word `disable` after `mangle-ls:`
              note: the words after `mangle-ls:` are `ignore`, `ignore-file` and `format`
              note: mangle-ls ignores the comment
            6:1-13 warning malformed-suppression: missing word after `mangle-ls:`
              note: the words after `mangle-ls:` are `ignore`, `ignore-file` and `format`
              note: mangle-ls ignores the comment
            7:1-20 warning malformed-suppression: suppression comment lists no rule
              note: it suppresses nothing
              help: list rules, as in `ignore NAME, NAME -- reason`
            8:1-31 warning malformed-suppression: suppression comment lists no rule
              note: it suppresses nothing
              help: list rules, as in `ignore NAME, NAME -- reason`
            9:40-57 warning malformed-suppression: missing `,` before the next rule
              label: expected `,` before this
              fix: insert `,`
            10:40-56 warning malformed-suppression: missing `--` before the reason
              note: `--` separates the reason from the rule
              fix: insert `--`
            11:21-26 warning unknown-suppression: unknown rule `mg215`
              label: suppresses nothing
              fix: write `MG215`
            11:28-34 warning unknown-suppression: `safety` is a group, not a rule
              label: suppresses nothing
              note: a comment lists rules, by name or code
              help: list the rules of the group that are reported here
            11:36-53 warning unknown-suppression: unknown rule `singletonvariable`
              label: suppresses nothing
              fix: write `singleton-variable`
            11:55-70 warning unknown-suppression: unknown rule `nothing-like-it`
              label: suppresses nothing
            12:1-17 hint duplicate-clause: duplicate clause of `p/1`
              3:1-2 first occurrence
              note: a repeated clause derives nothing new
        "#]],
    );
}

#[test]
fn an_unused_one_goes_with_its_line() {
    check_fix(
        "unused-suppression",
        "p(1).\n\n  # mangle-ls: ignore singleton-variable\nq(2).\n",
        expect![[r#"
            p(1).

            q(2).
        "#]],
    );
    let rule = Registry::of_programs().find("unused-suppression").unwrap();
    let behind = "p(1).  # mangle-ls: ignore singleton-variable -- why\r\nq(2).\r\n";
    assert_eq!(crate::testing::apply_fixes(behind, rule), "p(1).\r\nq(2).\r\n");
    check_fix(
        "unused-suppression",
        "q(1, 2).\n# mangle-ls: ignore unsafe-head, MG215,negation-wildcard -- why\np(X) :- q(X, N).\n",
        expect![[r#"
            q(1, 2).
            # mangle-ls: ignore unsafe-head, MG215 -- why
            p(X) :- q(X, N).
        "#]],
    );
}

#[test]
fn rules_that_are_off_are_not_missed() {
    let fixture = "# mangle-ls: ignore singleton-variable\np(1).\n";
    let mut settings = mangle_settings::RuleSettings::default();
    settings.set(Registry::of_programs().find("singleton-variable").unwrap(), None);
    assert_eq!(CheckedFixture::with(fixture, &settings, Registry::of_programs()).render(), "");
}

/// The fixture after its first finding of `rule` was suppressed, and the remaining findings.
#[track_caller]
fn check_silence(rule: &str, fixture: &str, scope: SuppressionScope, expect: Expect) {
    let checked = CheckedFixture::new(fixture);
    let found = checked.diagnostics.iter().flat_map(|(_, found)| found).find(|found| found.rule.name == rule);
    let file = &program(fixture).files[0];
    let text = match suppress(file, found.unwrap(), scope, Registry::of_programs()) {
        Some(edit) => {
            let mut text = fixture.to_owned();
            text.insert_str(usize::from(edit.range.start()), &edit.text);
            format!("{text}--\n{}", CheckedFixture::new(&text).render())
        }
        None => "nothing".to_owned(),
    };
    expect.assert_eq(&text.replace('\r', "<CR>"));
}

#[test]
fn silencing_here() {
    let here = |fixture, expect| check_silence("singleton-variable", fixture, SuppressionScope::Here, expect);
    here(
        "q(1, 2).\n  p(X) :- q(X, N).\n",
        expect![[r#"
        q(1, 2).
          # mangle-ls: ignore singleton-variable
          p(X) :- q(X, N).
        --
    "#]],
    );
    here(
        "q(1, 2).\np(X) :-\n\tq(X, N).\n",
        expect![[r#"
        q(1, 2).
        p(X) :-
        	# mangle-ls: ignore singleton-variable
        	q(X, N).
        --
    "#]],
    );
    here(
        "q(1, 2).\r\np(X) :- q(X, N).\r\n",
        expect![[r#"
        q(1, 2).<CR>
        # mangle-ls: ignore singleton-variable<CR>
        p(X) :- q(X, N).<CR>
        --
    "#]],
    );
    here(
        "q(1, 2).\np(X) :- X != \"a\n  b\", q(X, N).\n",
        expect![[r#"
            q(1, 2).
            # mangle-ls: ignore singleton-variable
            p(X) :- X != "a
              b", q(X, N).
            --
            3:9-10 error inequality-before-binding: `X` is compared before it is bound
              label: not bound yet
              4:7-14 bound here
              note: the comparison is false for every fact, so this rule for `p` derives nothing
              note: engines since 2026-09 compare after its variables are bound
              fix: move the premise after `q(X, N)`
        "#]],
    );
    here(
        "q(1, 2).\n# mangle-ls: ignore bom, -- why\np(X) :- q(X, N).\n",
        expect![[r#"
            q(1, 2).
            # mangle-ls: ignore bom, singleton-variable, -- why
            p(X) :- q(X, N).
            --
            2:21-24 warning futile-suppression: comments cannot suppress `bom`
              note: its findings are reported in spite of the comment
              fix: delete it from the comment
        "#]],
    );
    here(
        "q(1, 2).\np(X) :- q(X, N). # mangle-ls: ignore\n",
        expect![[r#"
        q(1, 2).
        p(X) :- q(X, N). # mangle-ls: ignore singleton-variable
        --
    "#]],
    );
}

#[test]
fn silencing_in_the_file() {
    let file = |fixture, expect| check_silence("singleton-variable", fixture, SuppressionScope::File, expect);
    file(
        "# About.\nq(1, 2).\np(X) :- q(X, N).\n",
        expect![[r#"
        # mangle-ls: ignore-file singleton-variable
        # About.
        q(1, 2).
        p(X) :- q(X, N).
        --
    "#]],
    );
    file(
        "q(1, 2).\np(X) :- q(X, N).\n# mangle-ls: ignore-file unsafe-head\n",
        expect![[r#"
            q(1, 2).
            p(X) :- q(X, N).
            # mangle-ls: ignore-file unsafe-head, singleton-variable
            --
            3:26-37 warning unknown-suppression: unknown rule `unsafe-head`
              label: suppresses nothing
        "#]],
    );
    check_silence("missing-dot", "p(1)\nq(2).\n", SuppressionScope::Here, expect!["nothing"]);
}

#[test]
fn comments_for_the_formatter() {
    check(
        "# mangle-ls: format off\n# mangle-ls: format on -- from here on\n# mangle-ls: format skip\nq(1).\n",
        expect![[r#""#]],
    );
    check(
        "# mangle-ls: format of\n# mangle-ls: format\n# mangle-ls: format skip this\n# mangle-ls format off\n\
         # mangle-ls format files\n# mangle-ls: fromat off\nq(1).\n",
        expect![[r#"
            1:21-23 warning malformed-suppression: unknown word `of` after `mangle-ls: format`
              note: the words after `mangle-ls: format` are `off`, `on` and `skip`
              note: mangle-ls ignores the comment
              fix: write `off`
            2:1-20 warning malformed-suppression: missing word after `mangle-ls: format`
              note: the words after `mangle-ls: format` are `off`, `on` and `skip`
              note: mangle-ls ignores the comment
            3:26-30 warning malformed-suppression: missing `--` before the reason
              note: `--` separates the reason from the directive
              fix: insert `--`
            4:1-23 warning malformed-suppression: missing `:` after `mangle-ls`
              note: mangle-ls ignores the comment
              fix: insert `:`
            6:14-20 warning malformed-suppression: unknown word `fromat` after `mangle-ls:`
              note: the words after `mangle-ls:` are `ignore`, `ignore-file` and `format`
              note: mangle-ls ignores the comment
              fix: write `format`
        "#]],
    );
}
