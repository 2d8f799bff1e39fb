//! Tests of the family.

#![allow(clippy::unwrap_used)]

use expect_test::expect;

use crate::ide::testing::check;

#[test]
fn wildcards_in_transforms() {
    check(
        "q(/a,1).\np(N) :- q(X,_) |> do fn:group_by(), let N = fn:sum(_).\nr(/a,/b).\ns(N) :- !r(_,_) |> let N = fn:plus(1,2).\nt(N) :- !r(_,_).\n",
        expect![[r#"
            2:52-53 error wildcard-in-expression: `fn:sum(_)` is computed from values, and `_` never has one: the engine rejects the rule. Name a variable that a premise gives a value.
            4:12-13 error negation-wildcard: `_` under `!` never gets a value, so the engine drops `!r(_,_)` without a word: nothing of the body is left, and it rejects the rule, as a transform needs a body.
              fix: Add the helper rule `has_r` and ask it instead
            5:3-4 error unbound-head-var: `N` in the head of `t` never gets a value: no premise gives it one. The engine rejects the rule.
            5:12-13 error negation-wildcard: `_` under `!` never gets a value, so the engine drops `!r(_,_)` without a word: nothing of the body is left, and `t(N)` becomes an unconditional fact.
              fix: Add the helper rule `has_r` and ask it instead
        "#]],
    );
}
