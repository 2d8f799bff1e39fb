//! `verify`: properties of policies, and the worlds that break them.

use expect_test::expect;

use super::support::{check, folder, run, stdout, write};

const POLICY: &str = "Decl pending(Id, Action) descr [extensional()] bound [/string, /name].\n\
    Decl danger(Id, Why) descr [extensional()] bound [/string, /string].\n\
    request(Id) :- pending(Id, Action), /none != Action.\n\
    clear(Id) :- request(Id), !danger(Id, _).\npermitted(Action) :- pending(Id, Action), clear(Id).\n";
const TESTS: &str = "# @never name: nothing dangerous is permitted\n#   clear(Id), danger(Id, _)\n\n\
    # @never permitted(Action), !pending(_, Action)\n\n# @possible permitted(/run)\n\n# @live clear/1 policy.mg:4\n";
const FILES: &[(&str, &str)] = &[("policy.mg", POLICY), ("policy_test.mg", TESTS)];

#[test]
fn worlds_are_shown_with_their_proofs() {
    check(
        FILES,
        &["verify", "."],
        expect![[r#"
            `check` finds 1 error in the program; statements that cannot be read or evaluated do not count

            policy_test.mg:1 @never nothing dangerous is permitted
              violated by 2 facts (reading `engine`)
              the smallest world:
                danger("a","a").
                pending("a",/a).
              in the reading `intended`: holds up to 5 facts
              what only one reading gives in this world:
                clear("a") (reading `engine`)
                permitted(/a) (reading `engine`)
              the proof:
                solution  by the property
                  clear("a")  by policy.mg:4
                    request("a")  by policy.mg:3
                      pending("a",/a)  [the world]
                      /none != /a
                    !danger(Id, _)  is ignored by the engine
                  danger("a","a")  [the world]

            policy_test.mg:4 @never permitted(Action), !pending(_, Action)
              holds up to 5 facts (reading `engine`)
              looked at 174437 worlds of the values that can matter

            policy_test.mg:6 @possible permitted(/run)
              possible with 1 fact (reading `engine`)
              the smallest world:
                pending("a",/run).
              the proof:
                solution  by the property
                  permitted(/run)  by policy.mg:5
                    pending("a",/run)  [the world]
                    clear("a")  by policy.mg:4
                      request("a")  by policy.mg:3
                        pending("a",/run)  [the world]
                        /none != /run
                      !danger(Id, _)  is ignored by the engine

            policy_test.mg:8 @live clear/1 policy.mg:4
              possible with 1 fact (reading `engine`)
              the smallest world:
                pending("a",/a).
              the proof:
                solution  by the property
                  request("a")  by policy.mg:3
                    pending("a",/a)  [the world]
                    /none != /a
                  !danger(Id, _)  is ignored by the engine

            3 as expected, 1 not, 0 not decided
            exit 1
        "#]],
    );
}

#[test]
fn intended_reading_is_checked_as_well() {
    check(
        FILES,
        &["verify", ".", "--reading", "intended", "--scope", "3"],
        expect![[r#"
            `check` finds 1 error in the program; statements that cannot be read or evaluated do not count

            policy_test.mg:1 @never nothing dangerous is permitted
              holds up to 3 facts (reading `intended`)
              looked at 130 worlds of the values that can matter

            policy_test.mg:4 @never permitted(Action), !pending(_, Action)
              holds up to 3 facts (reading `intended`)
              looked at 576 worlds of the values that can matter

            policy_test.mg:6 @possible permitted(/run)
              possible with 1 fact (reading `intended`)
              the smallest world:
                pending("a",/run).
              the proof:
                solution  by the property
                  permitted(/run)  by policy.mg:5
                    pending("a",/run)  [the world]
                    clear("a")  by policy.mg:4
                      request("a")  by policy.mg:3
                        pending("a",/run)  [the world]
                        /none != /run
                      no danger("a",_)

            policy_test.mg:8 @live clear/1 policy.mg:4
              possible with 1 fact (reading `intended`)
              the smallest world:
                pending("a",/a).
              the proof:
                solution  by the property
                  request("a")  by policy.mg:3
                    pending("a",/a)  [the world]
                    /none != /a
                  no danger("a",_)

            4 as expected, 0 not, 0 not decided
            exit 0
        "#]],
    );
}

#[test]
fn findings_name_the_reading_where_there_are_two() {
    let folder = folder(FILES);
    let found = |reading: &str| {
        let output = run(folder.path(), &["verify", ".", "--reading", reading, "--format", "sarif"]);
        let sarif: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap().clone();
        let shown = |result: &serde_json::Value| {
            let places = [&result["locations"][0], &result["relatedLocations"][0]].map(|place| {
                let place = &place["physicalLocation"];
                format!("{}:{}", place["artifactLocation"]["uri"], place["region"]["startLine"])
            });
            let notes =
                result["properties"]["notes"].as_array().unwrap().iter().map(|note| format!("{note}\n"));
            format!("{} {}\n{}", result["message"]["text"], places.join(" "), notes.collect::<String>())
        };
        results.iter().map(shown).collect::<String>()
    };
    assert!(!found("engine").contains("this is the answer"));
    expect![[r#"
        "property is violated by 2 facts" "policy_test.mg":1 "policy.mg":4
        "the world is: `danger(\"a\",\"a\")`, `pending(\"a\",/a)`"
        "in the reading `intended` the answer is: holds up to 5 facts"
        "this is the answer in the reading `engine`"
    "#]]
    .assert_eq(&found("both"));
}

#[test]
fn a_property_can_be_named() {
    let property = "never clear(Id), pending(Id, /stop)";
    check(
        FILES,
        &["verify", "policy.mg", "--property", property, "--values"],
        expect![[r#"
            `check` finds 1 error in the program; statements that cannot be read or evaluated do not count

            @never clear(Id), pending(Id, /stop)
              violated by 1 fact (reading `engine`)
              the smallest world:
                pending("a",/stop).
              the proof:
                solution  by the property
                  clear("a")  by policy.mg:4
                    request("a")  by policy.mg:3
                      pending("a",/stop)  [the world]
                      /none != /stop
                    !danger(Id, _)  is ignored by the engine
                  pending("a",/stop)  [the world]
              values of pending/2:
                "a"
                /none, /stop, /a

            0 as expected, 1 not, 0 not decided
            exit 1
        "#]],
    );
    check(
        FILES,
        &["verify", "policy.mg", "--property", "nevr clear(Id)"],
        expect![[r#"
            error: `nevr` is not a kind of property; the kinds are `never`, `always`, `possible`, `live`, `equivalent`, `implies`
            exit 2
        "#]],
    );
}

#[test]
fn what_cannot_be_checked_is_an_error() {
    let files = |tests: &'static str| [("policy.mg", POLICY), ("policy_test.mg", tests)];
    check(
        &files("# @never name: a typing mistake\n#   claer(Id)\n"),
        &["verify", "."],
        expect![[r#"
        `check` finds 1 error in the program; statements that cannot be read or evaluated do not count

        policy_test.mg:2 @never a typing mistake
          unknown predicate `claer/1` (reading `engine`)

        0 as expected, 0 not, 1 not decided
        exit 2
    "#]],
    );
    check(
        &files("# @never name: not safe\n#   clear(Id), Count > 3\n"),
        &["verify", "."],
        expect![[r#"
        `check` finds 1 error in the program; statements that cannot be read or evaluated do not count

        policy_test.mg:1 @never not safe
          a compared variable is unbound (reading `engine`)

        0 as expected, 0 not, 1 not decided
        exit 2
    "#]],
    );
    check(
        &files("# @assume never !pending(_, _)\n# @assume never pending(_, _)\n# @never clear(Id)\n"),
        &["verify", "."],
        expect![[r#"
            `check` finds 1 error in the program; statements that cannot be read or evaluated do not count

            policy_test.mg:3 @never clear(Id)
              no world is left: the assumptions contradict each other (reading `engine`)

            0 as expected, 0 not, 1 not decided
            exit 2
        "#]],
    );
    check(
        &files("# @test name: a case\n# @forbid clear(_)\n"),
        &["verify", "."],
        expect![[r#"
        error: there are no properties (`# @never …` in `*_test.mg`) here
        exit 2
    "#]],
    );
}

#[test]
fn check_reports_properties_that_cannot_be_read() {
    let files = [("policy.mg", POLICY), ("policy_test.mg", "# @never clear(Id) then danger(Id, _)\n")];
    let folder = folder(&files);
    let output = run(folder.path(), &["check", "policy_test.mg"]);
    let text = String::from_utf8(output.stdout).expect("it is text");
    assert!(text.contains("property-malformed]: `@never` has no `then` and no `:-`"), "{text}");
}

#[test]
fn json_has_the_parts_of_an_answer() {
    let files = [("policy.mg", POLICY), ("policy_test.mg", "# @never clear(Id), danger(Id, _)\n")];
    let folder = folder(&files);
    let output = run(folder.path(), &["verify", ".", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let property = &report["properties"][0];
    assert_eq!(property["answer"], "violated");
    assert_eq!(property["facts"], 2);
    assert_eq!(property["smallest"], true);
    assert_eq!(property["other_reading"], "holds_up_to");
    assert_eq!(property["world"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["summary"]["violated"], 1);
}

#[test]
fn rules_and_negations_that_change_nothing_are_found() {
    let policy = "Decl door(D) descr [extensional()] bound [/name].\nDecl locked(D) descr [extensional()] bound [/name].\n\
        Decl painted(D) descr [extensional()] bound [.Singleton</red>].\n\
        open(D) :- door(D), !locked(D), !painted(/blue).\nopen(D) :- door(D), !locked(D), D != /x .\n\
        odd(D) :- painted(D), D = /green .\n";
    check(
        &[("policy.mg", policy)],
        &["verify", "--rules", "."],
        expect![[r#"
        policy.mg:4: without `!painted(/blue)`, `open/1` is the same in any world of up to 5 facts
        policy.mg:5: without the rule, `open/1` is the same in any world of up to 5 facts
        policy.mg:6: the rule does not fire in any world of up to 5 facts
        3 rules looked at, 3 findings, 0 questions not decided
        exit 1
    "#]],
    );
    check(
        &[("policy.mg", "p(1).\n")],
        &["verify", "--rules", "."],
        expect![[r#"
        0 rules looked at, 0 findings, 0 questions not decided
        error: there are no rules here
        exit 2
    "#]],
    );
}

#[test]
fn properties_are_cases_for_continuous_integration() {
    check(
        FILES,
        &["verify", ".", "--format", "junit"],
        expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="mangle-ls verify" tests="4" skipped="0" failures="1" errors="0">
            <testsuite name="policy_test.mg" tests="4" skipped="0" errors="0" failures="1">
                <testcase name="nothing dangerous is permitted" classname="policy_test.mg" line="1">
                    <failure message="violated by 2 facts.">  FAILED  nothing dangerous is permitted
            line 1: violated by 2 facts.
              the smallest world:
                danger(&quot;a&quot;,&quot;a&quot;).
                pending(&quot;a&quot;,/a).
              solution  by the property
                clear(&quot;a&quot;)  by policy.mg:4
                  request(&quot;a&quot;)  by policy.mg:3
                    pending(&quot;a&quot;,/a)  [the world]
                    /none != /a
                  !danger(Id, _)  is ignored by the engine
                danger(&quot;a&quot;,&quot;a&quot;)  [the world]
        </failure>
                </testcase>
                <testcase name="permitted(Action), !pending(_, Action)" classname="policy_test.mg" line="4"/>
                <testcase name="permitted(/run)" classname="policy_test.mg" line="6"/>
                <testcase name="clear/1 policy.mg:4" classname="policy_test.mg" line="8"/>
            </testsuite>
        </testsuites>
        exit 1
    "#]],
    );
}

#[test]
fn properties_are_part_of_the_tests() {
    check(
        FILES,
        &["test", "."],
        expect![[r#"
        policy_test.mg
          FAILED  nothing dangerous is permitted
            line 1: violated by 2 facts.
              the smallest world:
                danger("a","a").
                pending("a",/a).
              solution  by the property
                clear("a")  by policy.mg:4
                  request("a")  by policy.mg:3
                    pending("a",/a)  [the world]
                    /none != /a
                  !danger(Id, _)  is ignored by the engine
                danger("a","a")  [the world]
          ok      permitted(Action), !pending(_, Action)
            line 4: holds up to 5 facts
          ok      permitted(/run)
            line 6: possible with 1 fact
          ok      clear/1 policy.mg:4
            line 8: possible with 1 fact
        4 tests in 1 file: 3 passed, 1 failed
        exit 1
    "#]],
    );
    check(
        FILES,
        &["test", ".", "--filter", "dangerous"],
        expect![[r#"
        policy_test.mg
          FAILED  nothing dangerous is permitted
            line 1: violated by 2 facts.
              the smallest world:
                danger("a","a").
                pending("a",/a).
              solution  by the property
                clear("a")  by policy.mg:4
                  request("a")  by policy.mg:3
                    pending("a",/a)  [the world]
                    /none != /a
                  !danger(Id, _)  is ignored by the engine
                danger("a","a")  [the world]
        1 test in 1 file: 0 passed, 1 failed
        exit 1
    "#]],
    );
}

#[test]
fn without_complete_values_no_violation_is_no_proof() {
    let policy = "Decl n(X) descr [extensional()] bound [/number].\nDecl m(X) descr [extensional()] bound [/number].\n\
        ok() :- n(A), m(B), A > 1, B > 1, C = fn:mult(A, B), C = 91.\n";
    let files = [("a.mg", policy), ("a_test.mg", "# @never ok()\n")];
    check(
        &files,
        &["verify", ".", "--solver", "none"],
        expect![[r#"
            a_test.mg:1 @never ok()
              no violation found up to 5 facts, but not every value was tried: products of 2 numbers on `m/1` and `n/1`: 11 values tried; a solver (z3 or cvc5) could decide it (reading `engine`)

            0 as expected, 0 not, 1 not decided
            exit 2
        "#]],
    );
    let folder = folder(&files);
    let output = run(folder.path(), &["verify", ".", "--solver", "none", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let property = &report["properties"][0];
    assert_eq!(property["answer"], "not_decided");
    assert_eq!(property["reasons"][0], "products of 2 numbers on `m/1` and `n/1`: 11 values tried");
}

#[test]
fn a_property_may_end_with_a_name() {
    let policy = "Decl role(X) bound [/name].\n";
    let tests =
        "# @assume never role(X), X != /admin\n# @never role(/admin)\n# @possible role(X), X = /root\n";
    check(
        &[("a.mg", policy), ("a_test.mg", tests)],
        &["verify", "."],
        expect![[r#"
            a_test.mg:2 @never role(/admin)
              violated by 1 fact (reading `engine`)
              the smallest world:
                role(/admin).
              the proof:
                solution  by the property
                  role(/admin)  [the world]

            a_test.mg:3 @possible role(X), X = /root
              impossible up to 5 facts (reading `engine`)
              looked at 8 worlds of the values that can matter

            0 as expected, 2 not, 0 not decided
            exit 1
        "#]],
    );
}

#[test]
fn declarations_and_packages_count() {
    let policy = "Package depot!\nDecl a(X) bound [/number].\n\
        Decl t(K, V) descr [fundep([K], [V]), fundep([V], [K])] bound [/name, /number].\nbad(X) :- a(X), X > 5.\n";
    let tests = "# @live bad/1 a.mg:4\n# @live depot.bad/1 a.mg:4\n# @never depot.t(K, A), depot.t(K, B), A != B\n\
        # @never depot.t(K, A), depot.t(L, A), K != L\n";
    check(
        &[("a.mg", policy), ("a_test.mg", tests)],
        &["verify", "."],
        expect![[r#"
            a_test.mg:1 @live bad/1 a.mg:4
              possible with 1 fact (reading `engine`)
              the smallest world:
                depot.a(6).
              the proof:
                solution  by the property
                  depot.a(6)  [the world]
                  6 > 5

            a_test.mg:2 @live depot.bad/1 a.mg:4
              possible with 1 fact (reading `engine`)
              the smallest world:
                depot.a(6).
              the proof:
                solution  by the property
                  depot.a(6)  [the world]
                  6 > 5

            a_test.mg:3 @never depot.t(K, A), depot.t(K, B), A != B
              holds up to 5 facts (reading `engine`)
              looked at 68406 worlds of the values that can matter

            a_test.mg:4 @never depot.t(K, A), depot.t(L, A), K != L
              holds up to 5 facts (reading `engine`)
              looked at 68406 worlds of the values that can matter

            4 as expected, 0 not, 0 not decided
            exit 0
        "#]],
    );
}

#[test]
fn what_worlds_show_is_among_the_findings_of_a_check() {
    let policy = "Decl door(D) descr [extensional()] bound [/name].\nDecl locked(D) descr [extensional()] bound [/name].\n\
        Decl painted(D) descr [extensional()] bound [.Singleton</red>].\n\
        open(D) :- door(D), !locked(D), !painted(/blue).\nopen(D) :- door(D), !locked(D), D != /x .\n\
        odd(D) :- painted(D), D = /green .\n";
    let tests = "# @never name: no locked door is open\n#   open(D), locked(D)\n\
        # @never name: no door is open\n#   open(_)\n";
    let folder = folder(&[
        ("mangle-ls.toml", "[[program]]\nname = \"doors\"\n"),
        ("policy.mg", policy),
        ("policy_test.mg", tests),
    ]);
    let found = |arguments: &[&str]| {
        let output = run(folder.path(), arguments);
        let text = stdout(&output);
        let lines = text.lines().filter(|line| line.starts_with(char::is_alphabetic) && line.contains('['));
        let lines: String = lines.map(|line| format!("{line}\n")).collect();
        format!("{lines}exit {}\n", output.status.code().unwrap())
    };
    let without = found(&["check", "."]);
    assert!(!without.contains("MG955") && !without.contains("MG82"), "{without}");
    expect![[r#"
        warning[MG604 type-premise-impossible]: name `/blue` is not declared for argument 1 of `painted/1`
        warning[MG822 rule-without-effect]: rule of `open/1` changes nothing
        warning[MG821 rule-fires-nowhere]: rule of `odd/1` fires in no world
        hint[MG607 name-never-used]: name `D` is never the name `/green` in this program
        error[MG955 property-violated]: property is violated by 1 fact
        exit 1
    "#]]
    .assert_eq(&found(&["check", "--verify", "."]));
    // The rules with the codes MG821 rule-fires-nowhere, MG822 rule-without-effect, MG823 negation-without-effect,
    // MG955 property-violated and MG956 property-not-decided.
    let codes = |arguments: &[&str]| {
        let output = run(folder.path(), arguments);
        let sarif: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap().clone();
        let code = |result: &serde_json::Value| result["ruleId"].as_str().unwrap().to_owned();
        (results.iter().map(code).collect::<Vec<_>>(), output.status.code())
    };
    assert_eq!(codes(&["verify", "--format", "sarif"]), (vec!["MG955".into()], Some(1)));
    assert_eq!(codes(&["verify", "--rules", "--format", "sarif"]).0, ["MG823", "MG822", "MG821"]);
    let endless = "step(N) :- door(_), N = 1 .\nstep(N) :- step(M), N = fn:plus(M, 1).\n";
    write(folder.path(), "policy.mg", format!("{policy}{endless}"));
    assert_eq!(codes(&["verify", "--format", "sarif"]), (vec!["MG956".into(), "MG956".into()], Some(2)));
}

/// Without a solver the message names one; a program of that name in the working folder is never run.
#[test]
fn a_property_without_complete_values_names_the_solvers() {
    let policy = "Decl n(X) descr [extensional()] bound [/number].\n\
        q() :- n(A), n(B), A > 1, B > 1, A < 100, B < 100, C = fn:mult(A, B), C = 8633.\n";
    let folder = folder(&[("policy.mg", policy), ("policy_test.mg", "# @never q()\n"), ("z3", "exit 1\n")]);
    let output = run(folder.path(), &["verify", ".", "--solver", "none"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("a solver (z3 or cvc5) could decide it"), "{text}");
    let output = run(folder.path(), &["verify", ".", "--solver", "yices"]);
    assert_eq!(output.status.code(), Some(2));
}
