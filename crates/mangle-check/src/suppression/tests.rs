#![allow(clippy::unwrap_used)]
use expect_test::{Expect, expect};

use super::{SuppressionScope, silence};
use crate::Registry;
use crate::testing::{CheckedFixture, check, check_fix, program};

/// Checks where `q` has no column that anybody asks for: a hint in each line that has `N`.
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
            1:21-35 warning unknown-suppression: `stratification` is a group; a comment names the rules that it silences, by name or code.
            2:15-20 error unstratified: program cannot be stratified: negative cycle through `p`
              label: negation on the cycle
              3:16-17 `r` negates `p`
              note: `p → !r → !p`
              note: the engine rejects the whole program when it evaluates it
        "#]],
    );
}

#[test]
fn syntax_errors_stay() {
    check(
        "# mangle-ls: ignore-file missing-dot -- never mind\n# mangle-ls: ignore missing-dot\np(1)\nq(2).\n",
        expect![[r#"
            1:1-51 warning futile-suppression: `missing-dot` cannot be silenced by a comment.
              fix: Delete the comment
            2:1-32 warning futile-suppression: `missing-dot` cannot be silenced by a comment.
              fix: Delete the comment
            3:4-5 error missing-dot: A full stop is missing after `p(1)`.
              fix: Insert the full stop
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
            2:41-58 warning unused-suppression: `negation-wildcard` finds nothing here, so there is nothing to silence.
              fix: Delete it from the comment
            4:26-37 warning unknown-suppression: No rule is called `unsafe-head`, so this name silences nothing.
            5:18-43 warning unused-suppression: `MG215` finds nothing here, so there is nothing to silence.
              fix: Delete the comment
            6:1-53 warning unused-suppression: `singleton-variable` finds nothing here, so there is nothing to silence.
              fix: Delete the comment
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
            2:1-38 warning malformed-suppression: A colon is missing behind `mangle-ls`.
              fix: Insert the colon
            4:14-20 warning malformed-suppression: Behind `mangle-ls:` stands `ignore` or `ignore-file` and then the names of rules, or `format`.
              fix: Replace it by `ignore`
            5:14-21 warning malformed-suppression: Behind `mangle-ls:` stands `ignore` or `ignore-file` and then the names of rules, or `format`.
            6:1-13 warning malformed-suppression: Behind `mangle-ls:` stands `ignore` or `ignore-file` and then the names of rules, or `format`.
            7:1-20 warning malformed-suppression: This names no rule, so nothing is silenced: `ignore NAME -- reason`.
            8:1-31 warning malformed-suppression: This names no rule, so nothing is silenced: `ignore NAME -- reason`.
            9:40-57 warning malformed-suppression: Commas separate the names of rules.
              fix: Insert the comma
            10:40-56 warning malformed-suppression: `--` separates the reason from the name of the rule.
              fix: Insert `--`
            11:21-26 warning unknown-suppression: No rule is called `mg215`, so this name silences nothing. Did you mean `MG215`?
              fix: Replace it by `MG215`
            11:28-34 warning unknown-suppression: `safety` is a group; a comment names the rules that it silences, by name or code.
            11:36-53 warning unknown-suppression: No rule is called `singletonvariable`, so this name silences nothing. Did you mean `singleton-variable`?
              fix: Replace it by `singleton-variable`
            11:55-70 warning unknown-suppression: No rule is called `nothing-like-it`, so this name silences nothing.
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

/// The fixture after its first finding of `rule` was silenced, and what is found then.
#[track_caller]
fn check_silence(rule: &str, fixture: &str, scope: SuppressionScope, expect: Expect) {
    let checked = CheckedFixture::new(fixture);
    let found = checked.diagnostics.iter().flat_map(|(_, found)| found).find(|found| found.rule.name == rule);
    let file = &program(fixture).files[0];
    let text = match silence(file, found.unwrap(), scope, Registry::of_programs()) {
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
        2:21-24 warning futile-suppression: `bom` cannot be silenced by a comment.
          fix: Delete it from the comment
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
            3:26-37 warning unknown-suppression: No rule is called `unsafe-head`, so this name silences nothing.
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
            1:21-23 warning malformed-suppression: Behind `mangle-ls: format` stands `off`, `on` or `skip`.
              fix: Replace it by `off`
            2:1-20 warning malformed-suppression: Behind `mangle-ls: format` stands `off`, `on` or `skip`.
            3:26-30 warning malformed-suppression: `--` separates the reason from what the comment says.
              fix: Insert `--`
            4:1-23 warning malformed-suppression: A colon is missing behind `mangle-ls`.
              fix: Insert the colon
            6:14-20 warning malformed-suppression: Behind `mangle-ls:` stands `ignore` or `ignore-file` and then the names of rules, or `format`.
              fix: Replace it by `format`
        "#]],
    );
}
