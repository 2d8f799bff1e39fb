//! `test`: policy tests, what becomes of them, and what is wrong with them.

use expect_test::expect;

use super::support::{check, check_in, folder, run};

const POLICY: &str = "Decl door(Id) bound [/name].\nDecl locked(Id, Key) bound [/name, /name].\n\
    open(D) :-\n    door(D),\n    !locked(D, _).\nway(D) :- open(D), door(D).\n";
const TESTS: &str = "door(/always).\n\n# @test name: a locked door is shut\nlocked(/always, /k).\n# @forbid open(/always)\n\n\
    # @test name: other doors are a way\ndoor(/back).\n# @expect way(/back)\n# @expect way(/always)\n# @exact way/1\n";
const FILES: &[(&str, &str)] = &[("policy.mg", POLICY), ("doors_test.mg", TESTS)];

#[test]
fn passed_and_failed() {
    check(
        FILES,
        &["test"],
        expect![[r#"
            doors_test.mg
              FAILED  a locked door is shut
                line 5: `open(/always)` is forbidden, but holds.
                  open(/always)  by policy.mg:3
                    door(/always)  [doors_test.mg:1]
                    !locked(D, _)  is ignored by the engine
              ok      other doors are a way
            2 cases in 1 file: 1 passed, 1 failed
            exit 1
        "#]],
    );
    check(
        FILES,
        &["test", "--reading", "intended"],
        expect![[r#"
        doors_test.mg
          ok      a locked door is shut
          ok      other doors are a way
        2 cases in 1 file: 2 passed
        exit 0
    "#]],
    );
    check(
        FILES,
        &["test", "doors_test.mg", "--filter", "way"],
        expect![[r#"
            doors_test.mg
              ok      other doors are a way
            1 case in 1 file: 1 passed
            policy: 1 file (policy.mg); left out: doors_test.mg
            exit 0
        "#]],
    );
    check(
        FILES,
        &["test", "doors_test.mg", "policy.mg", "--filter", "way"],
        expect![[r#"
        doors_test.mg
          ok      other doors are a way
        1 case in 1 file: 1 passed
        exit 0
    "#]],
    );
    check(
        FILES,
        &["test", "--filter", "window"],
        expect![[r#"
        error: no case and no test file has `window` in its name
        exit 2
    "#]],
    );
    check(
        FILES,
        &["test", "policy.mg"],
        expect![[r#"
        error: there are no policy tests (`*_test.mg`) here, or no cases in them
        exit 2
    "#]],
    );
    check(
        FILES,
        &["test", "none_test.mg"],
        expect![[r#"
        error: none_test.mg: no such file or directory
        exit 2
    "#]],
    );
}

#[test]
fn the_reading_of_the_settings() {
    let files = [FILES, &[("mangle-ls.toml", "[kernel]\nreading = 'intended'\n")]].concat();
    check(
        &files,
        &["test"],
        expect![[r#"
        doors_test.mg
          ok      a locked door is shut
          ok      other doors are a way
        2 cases in 1 file: 2 passed
        exit 0
    "#]],
    );
    check(
        &files,
        &["test", "--reading", "engine", "--format", "json"],
        expect![[r#"
            {
              "suites": [
                {
                  "file": "doors_test.mg",
                  "reading": "engine",
                  "cases": [
                    {
                      "kind": "case",
                      "name": "a locked door is shut",
                      "line": 3,
                      "outcome": "failed",
                      "message": null,
                      "failures": [
                        {
                          "line": 5,
                          "expectation": "@forbid open(/always)",
                          "message": "`open(/always)` is forbidden, but holds.",
                          "explanation": "open(/always)  by policy.mg:3\n  door(/always)  [doors_test.mg:1]\n  !locked(D, _)  is ignored by the engine\n"
                        }
                      ]
                    },
                    {
                      "kind": "case",
                      "name": "other doors are a way",
                      "line": 7,
                      "outcome": "passed",
                      "message": null,
                      "failures": []
                    }
                  ]
                }
              ],
              "summary": {
                "files": 1,
                "passed": 1,
                "failed": 1,
                "errors": 0
              },
              "coverage": null
            }
            exit 1
        "#]],
    );
}

#[test]
fn facts_too_many_and_too_few() {
    let tests = "# @test name: wrong in all ways\ndoor(/a).\ndoor(/b).\ndoor(/c).\ndoor(/d).\ndoor(/e).\nlocked(/a, /k).\n\
        # @expect way(/z)\n# @forbid open(_)\n# @expect way(/b)\n# @exact way/1\n";
    check(
        &[("policy.mg", POLICY), ("x_test.mg", tests)],
        &["test", "--reading", "intended"],
        expect![[r#"
        x_test.mg
          FAILED  wrong in all ways
            line 8: `way(/z)` is expected, and there is no such fact.
              policy.mg:6: premise 1 has no solution: open(/z)
                near: open(/b)
                near: open(/c)
                near: open(/d)
            line 9: `open(_)` is forbidden, but holds.
              open(/b)  by policy.mg:3
                door(/b)  [x_test.mg:3]
                no locked(/b,_)
              open(/c)  by policy.mg:3
                door(/c)  [x_test.mg:4]
                no locked(/c,_)
              open(/d)  by policy.mg:3
                door(/d)  [x_test.mg:5]
                no locked(/d,_)
              … and 1 more
            line 11: `way/1` has facts that no `@expect` of the case names.
              way(/c)  by policy.mg:6
                open(/c)  by policy.mg:3
                  door(/c)  [x_test.mg:4]
                  no locked(/c,_)
                door(/c)  [x_test.mg:4]
              way(/d)  by policy.mg:6
                open(/d)  by policy.mg:3
                  door(/d)  [x_test.mg:5]
                  no locked(/d,_)
                door(/d)  [x_test.mg:5]
              way(/e)  by policy.mg:6
                open(/e)  by policy.mg:3
                  door(/e)  [x_test.mg:6]
                  no locked(/e,_)
                door(/e)  [x_test.mg:6]
        1 case in 1 file: 0 passed, 1 failed
        exit 1
    "#]],
    );
}

#[test]
fn cases_that_cannot_be_run() {
    let policy = "half(Y) :-\n    of(X),\n    Y = fn:div(1, X).\nDecl of(X) bound [/number].\nn(Y) :- n(X), Y = fn:plus(X, 1).\nn(1) :- of(7).\n";
    let tests = "# @test name: by nothing\nof(0).\n# @forbid half(_)\n# @test name: endless\nof(7).\n# @expect n(3)\n\
        # @test name: a mistake\nof(1).\n# @expect haff(1)\n# @test name: fine\nof(1).\n# @expect half(1)\n\
        # @test name: failing\nof(2).\n# @expect half(2)\n";
    let files =
        &[("policy.mg", policy), ("x_test.mg", tests), ("mangle-ls.toml", "[kernel]\nmax_derived = 100\n")];
    check(
        files,
        &["test"],
        expect![[r#"
            x_test.mg
              ERROR   by nothing
                line 1: the evaluation stopped at policy.mg:1: division by zero
              ERROR   endless
                line 4: the evaluation stopped at policy.mg:5: more than 100 derived facts
              ERROR   a mistake
                line 9: unknown predicate `haff/1`
              ok      fine
              FAILED  failing
                line 15: `half(2)` is expected, and there is no such fact.
                  policy.mg:1: premise 2 has no solution: the value 0
            5 cases in 1 file: 1 passed, 1 failed, 3 could not be run
            exit 2
        "#]],
    );
    check(
        files,
        &["test", "--format", "junit"],
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="mangle-ls test" tests="5" skipped="0" failures="1" errors="3">
                <testsuite name="x_test.mg" tests="5" skipped="0" errors="3" failures="1">
                    <testcase name="by nothing" classname="x_test.mg" line="1">
                        <error message="the evaluation stopped at policy.mg:1: division by zero">  ERROR   by nothing
                line 1: the evaluation stopped at policy.mg:1: division by zero
            </error>
                    </testcase>
                    <testcase name="endless" classname="x_test.mg" line="4">
                        <error message="the evaluation stopped at policy.mg:5: more than 100 derived facts">  ERROR   endless
                line 4: the evaluation stopped at policy.mg:5: more than 100 derived facts
            </error>
                    </testcase>
                    <testcase name="a mistake" classname="x_test.mg" line="7">
                        <error message="unknown predicate `haff/1`">  ERROR   a mistake
                line 9: unknown predicate `haff/1`
            </error>
                    </testcase>
                    <testcase name="fine" classname="x_test.mg" line="10"/>
                    <testcase name="failing" classname="x_test.mg" line="13">
                        <failure message="`half(2)` is expected, and there is no such fact.">  FAILED  failing
                line 15: `half(2)` is expected, and there is no such fact.
                  policy.mg:1: premise 2 has no solution: the value 0
            </failure>
                    </testcase>
                </testsuite>
            </testsuites>
            exit 2
        "#]],
    );
}

#[test]
fn coverage() {
    let policy = format!("{POLICY}shut(D) :- door(D), locked(D, _).\n");
    let files = &[("policy.mg", policy.as_str()), ("doors_test.mg", TESTS), ("empty_test.mg", "door(/x).\n")];
    check(
        files,
        &["test", "--coverage", "--reading", "intended", "--filter", "back"],
        expect![[r#"
        error: no case and no test file has `back` in its name
        exit 2
    "#]],
    );
    check(
        files,
        &["test", "--coverage", "--reading", "intended", "--filter", "other"],
        expect![[r#"
            doors_test.mg
              ok      other doors are a way
            1 case in 1 file: 1 passed
            2 of 3 rules fired in some case: 66 %
            These fired in none:
              policy.mg:7  shut(D)
            exit 0
        "#]],
    );
    let folder = folder(files);
    let output = run(folder.path(), &["test", "--coverage", "--reading", "intended", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["coverage"]["fired"], 3);
    assert_eq!(report["coverage"]["rules"], 3);
    assert_eq!(report["summary"]["passed"], 2);
}

#[test]
fn what_counts_for_nothing_is_said() {
    let policy = format!("{POLICY}shut(D) :- door(D.\nodd(D) :- door(D), D < .\n");
    check_in(
        &folder(&[("policy.mg", &policy), ("doors_test.mg", TESTS)]),
        &["test", "--reading", "intended"],
        expect![[r#"
            # the program does not load: policy.mg:7:17: missing `)` after `shut(D) :- door(D` (MG037), and 1 more error
            doors_test.mg
              ERROR   a locked door is shut
                line 3: the program does not load: policy.mg:7:17: missing `)` after `shut(D) :- door(D` (MG037), and 1 more error
              ERROR   other doors are a way
                line 7: the program does not load: policy.mg:7:17: missing `)` after `shut(D) :- door(D` (MG037), and 1 more error
            2 cases in 1 file: 0 passed, 2 could not be run
            warning: 2 statements cannot be read and count for nothing; `check` says why
            error: the program does not load
              policy.mg:7:17: missing `)` after `shut(D) :- door(D` (MG037)
              policy.mg:8:23: missing value (MG055)
              `--anyway` evaluates the rest of it
            exit 2
        "#]],
    );
}

#[test]
fn mistakes_in_tests_are_findings() {
    let tests = "# @test name: x\ndoor(/a).\ndoor(/a).\n# @expct open(/a)\n# @expect opne(/a)\n# @forbid open(\n\
        narrow(D) :- door(D).\n# @test name: y\n";
    check(
        &[("policy.mg", POLICY), ("x_test.mg", tests)],
        &["check", "x_test.mg", "--format", "github"],
        expect![[r#"
            ::error file=x_test.mg,line=4,col=4,endColumn=9,title=MG930 test-unknown-key::unknown test directive `@expct`%0Athe directives are `@test`, `@expect`, `@forbid`, `@exact`%0A`mangle-ls test` does not run this case%0AFix: write `expect` (a guess)
            ::error file=x_test.mg,line=5,col=11,endColumn=15,title=MG932 test-unknown-predicate::unknown predicate `opne/1`%0A`mangle-ls test` does not run this case%0AFix: write `open` (a guess)
            ::error file=x_test.mg,line=6,col=11,endColumn=16,title=MG931 test-malformed::`@forbid` requires one atom%0A`mangle-ls test` does not run this case%0AHelp: write an atom, as in `open(/front)` or `open(_)`
            ::error file=x_test.mg,line=7,col=1,endColumn=10,title=MG933 test-case-not-fact::rule in the test case `x`%0Ait would apply to all cases of the file, so the case is not run%0AHelp: move it before the first `@test`
            ::error file=x_test.mg,line=8,col=1,endColumn=16,title=MG934 test-without-expectation::test case `y` has no expectation%0A`mangle-ls test` does not run this case%0AHelp: add `# @expect`, `# @forbid` or `# @exact`
            5 errors in 1 file (3 clauses)
            policy: 1 file (policy.mg); left out: x_test.mg
            exit 1
        "#]],
    );
    // In any other file such comments are comments.
    check(
        &[("policy.mg", POLICY), ("x.mg", "# @expct open(/a)\ndoor(/a).\n")],
        &["check", "x.mg"],
        expect![[r#"
            No findings in 1 file (1 clause)
            policy: 2 files (policy.mg, x.mg)
            exit 0
        "#]],
    );
}

const DOORS: &str = "Decl door(D) bound [/name].\nDecl locked(D, K) bound [/name, /name].\nopen(D) :- door(D), !shut(D).\n\
    shut(D) :- locked(D, _).\n";

#[test]
fn cases_that_would_pass_whatever_the_policy_says_are_errors() {
    check(
        &[
            ("doors.mg", DOORS),
            (
                "doors_test.mg",
                "# @test name: a fact of another arity\nlocked(/front).\ndoor(/front).\n# @forbid shut(/front)\n\
                 # @test name: an unknown key\ndoor(/a).\n# @except open(/b)\n# @expect open(/a)\n\
                 # @test name: nothing\ndoor(/a).\n\
                 # @test name: a fact that nothing reads\nlockd(/front, /k).\n# @forbid shut(/front)\n\
                 # @test name: an expectation of another arity\nshut(/a, 1).\n# @forbid shut(_, _)\n\
                 # @test name: an expectation of another type\ndoor(/a).\n# @forbid open(\"a\")\n\
                 # @test name: a key without its sign\ndoor(/a).\n# @expect open(/a)\n# forbid open(/b)\n\
                 # @test name: a fact of another type\ndoor(\"a\").\n# @forbid open(/b)\n\
                 # @test name: as it should be\ndoor(/a).\n# @expect open(/a)\n",
            ),
            ("empty_test.mg", "door(/a).\n"),
        ],
        &["test"],
        expect![[r#"
            doors_test.mg
              ERROR   a fact of another arity
                line 1: `locked` is declared with 2 arguments, found 1 (line 2)
              ERROR   an unknown key
                line 5: unknown test directive `@except` (line 7)
              ERROR   nothing
                line 9: test case `nothing` has no expectation (line 9)
              ERROR   a fact that nothing reads
                line 11: no rule reads `lockd/2` (line 12)
              ERROR   an expectation of another arity
                line 16: unknown predicate `shut/2`
              ERROR   an expectation of another type
                line 17: argument 1 of `open/1` is `/name`, never `/string` (line 19)
              ERROR   a key without its sign
                line 20: comment resembles `@forbid` but has no `@` (line 23)
              ok      a fact of another type
              ok      as it should be
            empty_test.mg
              ERROR   the file has no case; a case begins with `# @test name: …`
            9 cases in 2 files: 2 passed, 7 could not be run; 1 file without a case
            warning: doors_test.mg:25: argument 1 of `door/1` is declared `/name`, found string `"a"`
            exit 2
        "#]],
    );
}

#[test]
fn a_file_without_a_case_is_an_error_in_each_format() {
    let files: &[(&str, &str)] = &[("doors.mg", DOORS), ("empty_test.mg", "door(/a).\n")];
    check(
        files,
        &["test", "--format", "json"],
        expect![[r#"
        {
          "suites": [
            {
              "file": "empty_test.mg",
              "reading": "engine",
              "message": "the file has no case; a case begins with `# @test name: …`",
              "cases": []
            }
          ],
          "summary": {
            "files": 1,
            "passed": 0,
            "failed": 0,
            "errors": 1
          },
          "coverage": null
        }
        exit 2
    "#]],
    );
    check(
        files,
        &["test", "empty_test.mg", "doors.mg", "--format", "junit"],
        expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="mangle-ls test" tests="1" skipped="0" failures="0" errors="1">
            <testsuite name="empty_test.mg" tests="1" skipped="0" errors="1" failures="0">
                <testcase name="cases" classname="empty_test.mg">
                    <error message="the file has no case; a case begins with `# @test name: …`"/>
                </testcase>
            </testsuite>
        </testsuites>
        exit 2
    "#]],
    );
    check(
        files,
        &["test", "--filter", "nosuch"],
        expect![[r#"
        error: no case and no test file has `nosuch` in its name
        exit 2
    "#]],
    );
}

#[test]
fn too_few_fired_rules_fail() {
    let files: &[(&str, &str)] =
        &[("doors.mg", DOORS), ("doors_test.mg", "# @test name: open\ndoor(/a).\n# @expect open(/a)\n")];
    check(
        files,
        &["test", "--min-coverage", "50"],
        expect![[r#"
            doors_test.mg
              ok      open
            1 case in 1 file: 1 passed
            1 of 2 rules fired in some case: 50 %
            These fired in none:
              doors.mg:4  shut(D)
            exit 0
        "#]],
    );
    check(
        files,
        &["test", "--min-coverage", "51"],
        expect![[r#"
            doors_test.mg
              ok      open
            1 case in 1 file: 1 passed
            1 of 2 rules fired in some case: 50 %
            These fired in none:
              doors.mg:4  shut(D)
            error: coverage: 50 % of the rules fired in some case, and 51 % have to
            exit 1
        "#]],
    );
    check(
        files,
        &["test", "--min-coverage", "51", "--format", "junit"],
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="mangle-ls test" tests="2" skipped="0" failures="1" errors="0">
                <testsuite name="doors_test.mg" tests="1" skipped="0" errors="0" failures="0">
                    <testcase name="open" classname="doors_test.mg" line="1"/>
                </testsuite>
                <testsuite name="coverage" tests="1" skipped="0" errors="0" failures="1">
                    <properties>
                        <property name="coverage.rules" value="2"/>
                        <property name="coverage.fired" value="1"/>
                        <property name="coverage.percent" value="50"/>
                        <property name="coverage.required" value="51"/>
                        <property name="coverage.unfired" value="doors.mg:4 shut(D)"/>
                    </properties>
                    <testcase name="rules that fired in some case">
                        <failure message="coverage: 50 % of the rules fired in some case, and 51 % have to">1 of 2 rules fired in some case: 50 %
            These fired in none:
              doors.mg:4  shut(D)
            </failure>
                    </testcase>
                </testsuite>
            </testsuites>
            error: coverage: 50 % of the rules fired in some case, and 51 % have to
            exit 1
        "#]],
    );
    check(
        &[("doors.mg", "door(/a).\n"), ("doors_test.mg", "# @test name: open\n# @expect door(/a)\n")],
        &["test", "--min-coverage", "1"],
        expect![[r#"
            doors_test.mg
              ok      open
            1 case in 1 file: 1 passed
            0 of 0 rules fired in some case: 100 %
            error: coverage: there are no rules, and 1 % of them have to fire
            exit 1
        "#]],
    );
}
