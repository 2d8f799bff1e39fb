//! Tests of calls: edge cases.

use expect_test::expect;

use crate::testing::check;

#[test]
fn where_the_engine_looks_at_facts_instead() {
    check(
        r#"
Decl heavy(Weight) descr [deferred(), mode("+")].
Decl look(Key, Value) descr [external(), mode("+", "-")].
heavy(Weight) :- Weight > 40.
parcel(/p/one, 50).
light(ID) :- parcel(ID, Weight), !heavy(Weight).
new(ID) :- parcel(ID, Weight), !look(ID, Weight).
known(ID) :- parcel(ID, Weight), look(ID, Weight).
count(N) :- look(/p/one, V) |> do fn:group_by(), let N = fn:count().
"#,
        expect![[r#"
            6:34-48 error call-not-made: negation does not call the deferred predicate `heavy`
              note: a deferred predicate has no facts, so the negation always holds
              help: query a helper rule that makes the call
            7:32-49 error call-not-made: negation does not call the external predicate `look`
              note: the negation holds unless an earlier call returned such a fact
              help: query a helper rule that makes the call
            9:13-28 error call-not-made: aggregation does not call the external predicate `look`
              note: only the facts of earlier calls are aggregated
              help: query a helper rule that makes the call
        "#]],
    );
}

#[test]
fn deferred_predicates_without_arguments() {
    check(
        "Decl on() descr [deferred()] bound [].\nDecl off(X) descr [deferred()].\non() :- 1 < 2.\noff(X) :- X > 2.\n",
        expect![[r#"
            1:18-28 error deferred-without-mode: deferred predicate `on` has no mode
              note: the engine panics when a premise queries it
              note: a predicate without arguments cannot have a mode
              help: remove `deferred()`
            2:20-30 error deferred-without-mode: deferred predicate `off` has no mode
              note: the engine panics when a premise queries it
              help: add a mode, as in `mode("+")`
            4:5-6 error unbound-head-var: head variable `X` is not bound in the body
              note: the engine rejects the rule
              help: bind `X` in a positive premise
        "#]],
    );
}

#[test]
fn inputs_and_outputs() {
    check(
        r#"
Decl fare(Zones, Cents) descr [deferred(), mode("+", "-")].
fare(Zones, Cents) :- Cents = fn:mult(Zones, 150).
ride(/r/one, 2).
late(R) :- fare(Zones, Cents), ride(R, Zones), Cents > 3.
same(R) :- ride(R, Zones), Cents = 300, fare(Zones, Cents).
fine(R) :- ride(R, Zones), fare(Zones, Cents), Cents = 300.
"#,
        expect![[r#"
            5:17-22 error input-before-binding: `fare` is called before its input `Zones` is bound
              label: not bound yet
              5:32-46 bound here
              note: evaluation aborts
              fix: move the premise after `ride(R, Zones)`
            6:28-33 error deferred-variable-clash: variable `Cents` clashes with one in a rule of deferred `fare`
              3:13-18 variable of the called rule
              note: the engine passes the value of this variable into the called rule and loses solutions
              help: rename one of the two variables
            6:53-58 error deferred-output-taken: output argument `Cents` of `fare` is already bound
              note: the engine aborts unless the result equals the value here
              help: use a fresh variable and compare it afterwards
        "#]],
    );
}

#[test]
fn circles_of_calls() {
    check(
        r#"
Decl even(N) descr [deferred(), mode("+")].
Decl odd(N) descr [deferred(), mode("+")].
even(N) :- N = 0.
even(N) :- N > 0, M = fn:minus(N, 1), odd(M).
odd(N) :- N > 0, M = fn:minus(N, 1), even(M).
"#,
        expect![[r#"
            5:39-42 error deferred-recursion: deferred predicate `even` calls itself indirectly
              2:6-10 declared here
              note: the engine mixes up the variables of nested calls and silently loses solutions
              help: use a recursive predicate that is not deferred
            6:38-42 error deferred-recursion: deferred predicate `odd` calls itself indirectly
              3:6-9 declared here
              note: the engine mixes up the variables of nested calls and silently loses solutions
              help: use a recursive predicate that is not deferred
        "#]],
    );
}
