//! Tests of policy tests: parsing and running.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::{CaseOutcome, FailureKind, FileError, TestFile, TestSettings, rules_of, run};
use mangle_engine::kernel::{Clock, Limits, Obstacle, Reading};
use mangle_engine::program::{FileSummary, Program};
use mangle_engine::types::{ProgramTypes, TypeCache};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId, TextRange, slice};

const TESTS: FileId = FileId(1);

fn program(policy: &str, tests: &str) -> Program {
    let summary =
        |(text, id): (&str, u32)| Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.into())));
    Program::new([(policy, 0), (tests, 1)].map(summary).into())
}

fn check_findings(policy: &str, tests: &str, expected: Expect) {
    let program = program(policy, tests);
    let (file, types) =
        (program.file(TESTS).unwrap(), ProgramTypes::new(&program, &mut TypeCache::default()));
    let found = TestFile::read(file).findings(file, &program, &types);
    let found = found.into_iter().map(|finding| {
        let fix = finding.fix.map_or(String::new(), |fix| format!(" [{}]", fix.title));
        format!("{} at {:?}: {}{fix}\n", finding.rule.name, slice(tests, finding.range), finding.message)
    });
    expected.assert_eq(&found.collect::<String>());
}

fn check(reading: Reading, policy: &str, tests: &str, expected: Expect) {
    let program = program(policy, tests);
    let read = TestFile::read(program.file(TESTS).unwrap());
    let limits = Limits { derived: 1000, ..Limits::default() };
    let settings = TestSettings { reading, limits, clock: Clock { now_ns: 0 }, coverage: true };
    let suite = run(&program, TESTS, &read, &[], settings, &|_| true, &Cancel::new());
    let mut out = String::new();
    for case in &suite.cases {
        write!(out, "{}: ", case.name).unwrap();
        match &case.outcome {
            CaseOutcome::Passed => out.push_str("passed\n"),
            CaseOutcome::Error(error) => writeln!(out, "error: {}", error.message).unwrap(),
            CaseOutcome::Stopped(stop) => writeln!(out, "stopped: {}", stop.reason).unwrap(),
            CaseOutcome::Failed(failures) => {
                out.push_str("failed\n");
                for failure in failures {
                    let text = slice(tests, failure.expectation.range);
                    match &failure.failure {
                        FailureKind::Missing(misses) => {
                            let asked = misses.iter().map(|miss| match &miss.obstacle {
                                Obstacle::Premise { asked, .. } => asked.as_str(),
                                _ => "?",
                            });
                            writeln!(out, "  {text}: lacks {:?}", asked.collect::<Vec<_>>()).unwrap();
                        }
                        FailureKind::Surplus(count, proofs) => {
                            let facts: Vec<_> =
                                proofs.iter().map(|proof| proof.nodes[0].fact.as_str()).collect();
                            writeln!(out, "  {text}: {count} {facts:?}").unwrap();
                        }
                    }
                }
            }
        }
    }
    let of_tests = [TESTS].into_iter().collect();
    let rules: Vec<_> = rules_of(&program, &of_tests).collect();
    let fired = rules.iter().filter(|rule| suite.coverage.fired.contains(rule)).count();
    writeln!(out, "{fired} of {} rules", rules.len()).unwrap();
    expected.assert_eq(&out);
}

const DOORS: &str = "open(D) :- door(D), !locked(D, _).\nway(D) :- open(D), wide(D).\nway(D) :- wide(D), door(D), open(D).\n\
    Decl locked(D, K).\nDecl wide(D).\ndoor(/front).\n";

#[test]
fn each_case_has_its_own_facts() {
    check(
        Reading::Intended,
        DOORS,
        "door(/always).\n\
         # @test name: a locked door is shut\nlocked(/front, /k).\n# @expect open(/always)\n# @forbid open(/front)\n\
         # @exact open/1\n\
         # @test name: others are open\ndoor(/back).\nlocked(/back, [1, \"k\"]).\nwide(/front).\n\
         # @expect open(X)\n# @forbid open(/back)\n# @expect way(/front)\n# @exact wide/1\n# @expect wide(_)\n",
        expect![[r#"
            a locked door is shut: passed
            others are open: passed
            3 of 3 rules
        "#]],
    );
}

#[test]
fn failures_say_what_is_missing_and_what_is_too_much() {
    let tests = "# @test name: a locked door is shut\nlocked(/front, /k).\n# @forbid open(_).\n# @exact open/1\n\
        # @test name: a wide door is a way\ndoor(/back).\nwide(/back).\n# @expect way(/back)\n# @expect way(/front)\n\
        # @expect open(/front)\n# @exact open/1\n";
    check(
        Reading::Engine,
        DOORS,
        tests,
        expect![[r#"
        a locked door is shut: failed
          # @forbid open(_).: 1 ["open(/front)"]
          # @exact open/1: 1 ["open(/front)"]
        a wide door is a way: failed
          # @expect way(/front): lacks ["wide(/front)", "wide(/front)"]
          # @exact open/1: 1 ["open(/back)"]
        3 of 3 rules
    "#]],
    );
    check(
        Reading::Intended,
        DOORS,
        tests,
        expect![[r#"
        a locked door is shut: passed
        a wide door is a way: failed
          # @expect way(/front): lacks ["wide(/front)", "wide(/front)"]
          # @exact open/1: 1 ["open(/back)"]
        3 of 3 rules
    "#]],
    );
}

#[test]
fn cases_that_cannot_be_run() {
    check(
        Reading::Engine,
        "n(Y) :- n(X), Y = fn:plus(X, 1).\nhalf(Y) :- of(X), Y = fn:div(1, X).\nDecl of(X).\n",
        "# @test name: endless\nn(0).\n# @expect n(5)\n\
         # @test name: by nothing\nof(0).\n# @forbid half(_)\n\
         # @test name: a typing mistake\n# @forbid hafl(_)\n\
         # @test name: damage\nof(1\n# @expect half(1)\n\
         # @test name: a rule\nof(X) :- n(X).\n# @expect half(1)\n\
         # @test name: a question\n# @expect half(1) and more\n\
         # @test name: computed\nof(fn:time:now()).\n# @forbid half(1)\n\
         # @test name: the others are as they were\nof(1).\n# @expect half(1)\n# @exact of/1\n# @expect of(1)\n",
        expect![[r#"
            endless: stopped: more than 1000 derived facts
            by nothing: stopped: division by zero
            a typing mistake: error: unknown predicate `hafl/1`
            damage: error: a statement of the case cannot be parsed
            a rule: error: the case contains something other than facts, or a fact that reads the clock
            a question: error: `@expect half(1) and more` cannot be parsed
            computed: error: the case contains something other than facts, or a fact that reads the clock
            the others are as they were: passed
            2 of 2 rules
        "#]],
    );
    check(
        Reading::Engine,
        "p(1).\n",
        "q(.\n# @test name: x\n# @expect p(1)\n",
        expect![[r#"
            x: error: a statement before the first case cannot be parsed
            0 of 0 rules
        "#]],
    );
}

#[test]
fn what_is_wrong_with_comments() {
    let tests = "# @expect open(/front)\n# An ordinary comment.\n# @test nme: x\n# @test name: twice\n# @test name: twice\n\
        # @Expect open(_)\n  ## @expct open(_)\n# @expect\n# @expect open(/a), open(/b)\n# @forbid !open(/a)\n\
        # @expect open(/a)@[_, _]\n# @exact open\n# @exact open/2\n# @exact opne/1\n# @forbid opne(_)\n# @forbid xyzzy()\n";
    check_findings(
        DOORS,
        tests,
        expect![[r##"
            test-malformed at "# @expect open(/front)": `@expect` before the first test case
            test-malformed at "# @test nme: x": test case has no name
            test-without-expectation at "# @test nme: x": test case `case 1` has no expectation
            test-without-expectation at "# @test name: twice": test case `twice` has no expectation
            test-malformed at "# @test name: twice": second case with this name
            test-unknown-key at "Expect": unknown test directive `@Expect` [write `expect`]
            test-unknown-key at "expct": unknown test directive `@expct` [write `expect`]
            test-malformed at "# @expect": `@expect` requires one atom
            test-malformed at "open(/a), open(/b)": `@expect` requires one atom
            test-malformed at "!open(/a)": `@forbid` requires an atom, found a negation
            test-malformed at "open(/a)@[_, _]": `@expect` requires an atom without an interval
            test-malformed at "open": `@exact` requires a predicate with its arity
            test-unknown-predicate at "open/2": unknown predicate `open/2`
            test-unknown-predicate at "opne/1": unknown predicate `opne/1` [write `open/1`]
            test-unknown-predicate at "opne": unknown predicate `opne/1` [write `open`]
            test-unknown-predicate at "xyzzy": unknown predicate `xyzzy/0`
        "##]],
    );
    let strangers = "# @test name: x\nwide(D) :- door(D).\nDecl narrow(D).\nwide(/a).\n";
    check_findings(
        DOORS,
        strangers,
        expect![[r##"
            test-without-expectation at "# @test name: x": test case `x` has no expectation
            test-case-not-fact at "wide(D)": rule in the test case `x`
            test-case-not-fact at "Decl narrow(D).": statement in the test case `x`
        "##]],
    );
}

#[test]
fn comments_are_told_from_strings_and_survive_damage() {
    let tests = "# @test name: one\nnote(`\n# @expect open(/front)\n`).\nwide(\n  # @forbid open(/back)\n  /front).\n\
        # @test name: two\nwide(/front\n# @expect open(_)\n# @test name: three\nwide(/back).\n# @forbid way(_)\n";
    let program = program(DOORS, tests);
    let read = TestFile::read(program.file(TESTS).unwrap());
    let shown = read.cases.iter().map(|case| {
        let texts: Vec<_> = case.expectations.iter().map(|expectation| expectation.text.as_str()).collect();
        format!("{}: {} facts, {} damaged, {texts:?}\n", case.name, case.facts.len(), case.damaged.len())
    });
    expect![[r#"
        one: 2 facts, 0 damaged, ["open(/back)"]
        two: 0 facts, 1 damaged, ["open(_)"]
        three: 1 facts, 0 damaged, ["way(_)"]
    "#]]
    .assert_eq(&shown.collect::<String>());
}

#[test]
fn only_the_cases_that_are_wanted() {
    let program = program("p(1).\n", "# @test name: a\n# @expect p(1)\n# @test name: b\n# @expect p(2)\n");
    let read = TestFile::read(program.file(TESTS).unwrap());
    let settings = TestSettings {
        reading: Reading::Engine,
        limits: Limits::default(),
        clock: Clock { now_ns: 0 },
        coverage: false,
    };
    let suite = run(&program, TESTS, &read, &[], settings, &|name| name == "b", &Cancel::new());
    let names: Vec<_> = suite.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["b"]);
    assert!(matches!(suite.cases[0].outcome, CaseOutcome::Failed(_)) && suite.coverage.fired.is_empty());
}

#[test]
fn facts_and_expectations_that_change_nothing_are_found() {
    let policy = "Decl door(D) bound [/name].\nopen(D) :- door(D), !shut(D).\nshut(D) :- locked(D, _).\n\
        noisy(D) :- open(D), wind(D).\n";
    check_findings(
        policy,
        "# @test name: x\nlockd(/a, /k).\nlocked(/a).\nwind(/a).\nwind(/a, 1).\n# @forbid shut(_, _)\n# @forbid open(\"a\")\n\
         # @expect wind(/a)\n# @forbid lockd(_, _)\n# @expect open(1)\n",
        expect![[r#"
            test-unread-fact at "lockd": no rule reads `lockd/2` [write `locked`]
            test-unread-fact at "locked": no rule reads `locked/1`
            test-unread-fact at "wind": no rule reads `wind/2`
            test-unknown-predicate at "shut": unknown predicate `shut/2`
            test-impossible-expectation at "open(\"a\")": argument 1 of `open/1` is `/name`, never `/string`
            test-unknown-predicate at "lockd": unknown predicate `lockd/2` [write `locked`]
            test-impossible-expectation at "open(1)": argument 1 of `open/1` is `/name`, never `/number`
        "#]],
    );
    check_findings(
        policy,
        "door(/a).\n# expect open(/front)\n",
        expect![[r##"
            test-without-case at "door(/a).": test file has no case
            test-ignored-directive at "# expect open(/front)": comment resembles `@expect` but has no `@` [write `@expect`]
        "##]],
    );
    check_findings(
        policy,
        "# @test name: x\n# expect that open(/front) holds\n# We forbid open(/b)\n# forbid open(/a).\n## @ exact open/1\n\
         door(/a). # @expect open(/a)\ndoor(`# @expect open(/b)`).\n# test name: y\n# @expect open(_)\n",
        expect![[r###"
            test-ignored-directive at "# forbid open(/a).": comment resembles `@forbid` but has no `@` [write `@forbid`]
            test-ignored-directive at "## @ exact open/1": comment resembles `@exact` but has no `@` [write `@exact`]
            test-ignored-directive at "# @expect open(/a)": `@expect` is on the line of a statement
            test-ignored-directive at "# test name: y": comment resembles `@test` but has no `@` [write `@test`]
        "###]],
    );
}

#[test]
fn cases_with_errors_are_not_run() {
    let (policy, tests) = (
        "p(X) :- q(X).\n",
        "# @test name: a\nq(1).\n# @expect p(1)\n# @test name: b\nq(2).\n# @expect p(2)\n",
    );
    let program = program(policy, tests);
    let read = TestFile::read(program.file(TESTS).unwrap());
    let limits = Limits::default();
    let settings =
        TestSettings { reading: Reading::Engine, limits, clock: Clock { now_ns: 0 }, coverage: false };
    let outcomes = |at: &str| {
        let start = u32::try_from(tests.find(at).unwrap()).unwrap();
        let errors = [FileError { range: TextRange::empty(start.into()), message: "wrong".to_owned() }];
        let suite = run(&program, TESTS, &read, &errors, settings, &|_| true, &Cancel::new());
        suite.cases.into_iter().map(|case| case.outcome).collect::<Vec<_>>()
    };
    let wrong = |case: usize| {
        CaseOutcome::Error(FileError { range: read.cases[case].header, message: "wrong".to_owned() })
    };
    assert_eq!(outcomes("q(1)"), [wrong(0), CaseOutcome::Passed]);
    assert_eq!(outcomes("q(2)"), [CaseOutcome::Passed, wrong(1)]);
}
