//! Tests of inclusion constraints: edge cases.

use expect_test::expect;

use crate::testing::{check, check_fix};

#[test]
fn what_a_constraint_asks_for() {
    check(
        r#"
Decl depot(Name).
Decl owner(Depot, Person).
Decl stop(Line, Depot) inclusion [depo(Depot), owner(Depot), :lt(Line, 3), nowhere(Line)].
depot(/d/north).
owner(/d/north, /p/ann).
stop(7, /d/north).
"#,
        expect![[r#"
            4:35-39 error inclusion-undefined: undefined predicate `depo/1` in an inclusion constraint
              note: no fact of `stop` passes the constraint
              fix: write `depot`
            4:48-60 error inclusion-undefined: `owner` has 2 arguments, found 1
              3:6-11 `owner/2` is declared here
              note: no fact of `stop` passes the constraint
            4:62-65 error inclusion-undefined: inclusion constraint on built-in `:lt`, which has no facts
              note: no fact of `stop` passes the constraint
              help: use a predicate that has facts
            4:76-83 error inclusion-undefined: undefined predicate `nowhere/1` in an inclusion constraint
              note: no fact of `stop` passes the constraint
        "#]],
    );
}

#[test]
fn variables_are_parameters() {
    check(
        r#"
Decl depot(Name).
Decl owner(Depot, Person).
Decl stop(Line, Depot) inclusion [depot(Depo), owner(Depot, _), depot(fn:name:root(Other))].
depot(/d/north).
owner(/d/north, /p/ann).
stop(7, /d/north).
"#,
        expect![[r#"
            4:41-45 error inclusion-unknown-var: `Depo` is not a parameter of `stop`
              4:6-23 parameters
              note: a host that checks constraints aborts at the first fact of `stop`
              fix: write `Depot`
            4:61-62 error inclusion-unknown-var: `_` is unbound in an inclusion constraint
              note: a host that checks constraints aborts at the first fact of `stop`
              help: query a helper predicate without this argument
            4:84-89 error inclusion-unknown-var: `Other` is not a parameter of `stop`
              4:6-23 parameters
              note: a host that checks constraints aborts at the first fact of `stop`
              fix: write `Line`
        "#]],
    );
}

#[test]
fn packages() {
    let fixture = "#- depot.mg\nPackage depot!\nDecl yard(Name).\nDecl stop(Name) inclusion [yard(Name)].\nyard(/n).\nstop(/n).\n#- more.mg\n";
    check(
        fixture,
        expect![[r#"
            depot.mg:3:28-32 error inclusion-undefined: inclusion constraint requires the full name `depot.yard`
              note: the engine adds no package to the names in constraints
              note: no fact of `stop` passes the constraint
              fix: write `depot.yard`
        "#]],
    );
    check_fix(
        "inclusion-undefined",
        fixture,
        expect![[r#"
        #- depot.mg
        Package depot!
        Decl yard(Name).
        Decl stop(Name) inclusion [depot.yard(Name)].
        yard(/n).
        stop(/n).
        #- more.mg
    "#]],
    );
}
