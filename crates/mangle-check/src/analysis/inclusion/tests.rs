//! Border cases of inclusion constraints.

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
            4:35-39 error inclusion-undefined: `depo/1` is neither declared nor defined in this program. Did you mean `depot`?
              fix: Write `depot`
            4:48-60 error inclusion-undefined: `owner` has 2 arguments, and this constraint gives it 1: no fact of this predicate passes.
              3:6-11 `owner/2` is here
            4:62-65 error inclusion-undefined: A constraint is looked up among the facts, and `:lt` has none: no fact of this predicate passes. Only facts can be asked for here.
            4:76-83 error inclusion-undefined: `nowhere/1` is neither declared nor defined in this program, so that no fact of this predicate passes the constraint.
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
            4:41-45 error inclusion-unknown-var: `Depo` is no parameter of `stop`: whoever checks this constraint stops at the first fact of `stop`.
              4:6-23 the parameters
              fix: Write `Depot`
            4:61-62 error inclusion-unknown-var: `_` has no value here: whoever checks this constraint stops at the first fact of `stop`. Ask a helper predicate that leaves the column out.
            4:84-89 error inclusion-unknown-var: `Other` is no parameter of `stop`: whoever checks this constraint stops at the first fact of `stop`.
              4:6-23 the parameters
              fix: Write `Line`
        "#]],
    );
}

#[test]
fn packages() {
    let fixture = "#- depot.mg\nPackage depot!\nDecl yard(Name).\nDecl stop(Name) inclusion [yard(Name)].\nyard(/n).\nstop(/n).\n#- more.mg\n";
    check(
        fixture,
        expect![[r#"
        depot.mg:3:28-32 error inclusion-undefined: In a constraint the engine takes `yard` as it stands, and the predicate of this package is `depot.yard`: no fact of this predicate passes.
          fix: Write `depot.yard`
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
