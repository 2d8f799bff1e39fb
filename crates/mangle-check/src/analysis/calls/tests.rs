//! Border cases of calls.

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
            6:34-48 error call-not-made: Under `!` the engine does not call `heavy`, which is deferred and has no facts: this always holds. Ask a helper rule that makes the call.
            7:32-49 error call-not-made: Under `!` the engine does not call `look`, which is external and has only the facts of earlier calls: this holds although the host may know better. Ask a helper rule that makes the call.
            9:13-28 error call-not-made: As the only premise of an aggregation the engine does not call `look`, which is external and has only the facts of earlier calls: the host is not asked. Ask a helper rule that makes the call.
        "#]],
    );
}

#[test]
fn deferred_predicates_without_arguments() {
    check(
        "Decl on() descr [deferred()] bound [].\nDecl off(X) descr [deferred()].\non() :- 1 < 2.\noff(X) :- X > 2.\n",
        expect![[r#"
            1:18-28 error deferred-without-mode: A deferred predicate needs a mode, and one without arguments cannot have any: the engine crashes where a premise asks for `on`. Leave `deferred()` out.
            2:20-30 error deferred-without-mode: `off` is deferred and has no mode, such as `mode("+")`: the engine crashes where a premise asks for it.
            4:5-6 error unbound-head-var: head variable `X` is not bound in the body
              note: the engine rejects the rule
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
            6:28-33 error deferred-variable-clash: A rule of `fare`, which is deferred, uses `Cents` too. The engine does not keep the two apart: the value from here gets into that rule, and results are lost. Rename one of them.
              3:13-18 the variable of the called rule
            6:53-58 error deferred-output-taken: `fare` writes its result here, and `Cents` has a value already: the evaluation aborts as soon as the two differ. Take a new variable and compare it afterwards.
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
            5:39-42 error deferred-recursion: `even` is deferred and calls itself through another. The engine mixes up the variables of such calls and loses results, without a word.
              2:6-10 the declaration
            6:38-42 error deferred-recursion: `odd` is deferred and calls itself through another. The engine mixes up the variables of such calls and loses results, without a word.
              3:6-9 the declaration
        "#]],
    );
}
