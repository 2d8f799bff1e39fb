//! Tests of the quality rules: edge cases.

use expect_test::expect;

use crate::testing::check;

#[test]
fn contradictions() {
    check(
        r#"
crew(/p/ann, 3).
a(P) :- crew(P, N), N < 3, N > 1.
b(P) :- crew(P, N), N < 3, 2 < N.
c(P) :- crew(P, N), P = /p/ann, /p/bob = P, N > 0.
d(P) :- crew(P, N), crew(P, M), N < M, M < N.
e(P) :- crew(P, N), !crew(P, N).
f(P) :- !crew(P, 3), crew(P, 3).
g(P) :- crew(P, N), N = 3, N != 3.
h(P) :- crew(P, N), N >= 3, N <= 3.
i(P) :- crew(P, N), crew(P, M), N = M, N != M.
"#,
        expect![[r#"
            4:28-33 warning contradictory-premises: `N < 3` and `2 < N` cannot both hold
              4:21-26 contradicting premise
              note: this rule for `b` never fires
              help: write two rules if either premise may hold
            5:33-43 warning contradictory-premises: `P = /p/ann` and `/p/bob = P` cannot both hold
              5:21-31 contradicting premise
              note: this rule for `c` never fires
              help: write two rules if either premise may hold
            5:40-41 hint name-never-used: name `P` is never the name `/p/bob` in this program
              2:6-12 type of `P` comes from here
              note: the premise holds only if the host adds such a fact
              note: all clauses of `crew/2` have the name `/p/ann` as argument 1
            6:40-45 warning contradictory-premises: `N < M` and `M < N` cannot both hold
              6:33-38 contradicting premise
              note: this rule for `d` never fires
              help: write two rules if either premise may hold
            7:21-32 warning contradictory-premises: `crew(P, N)` and `!crew(P, N)` cannot both hold
              7:9-19 contradicting premise
              note: this rule for `e` never fires
              help: write two rules if either premise may hold
            8:22-32 warning contradictory-premises: `!crew(P, 3)` and `crew(P, 3)` cannot both hold
              8:9-20 contradicting premise
              note: this rule for `f` never fires
              help: write two rules if either premise may hold
            9:28-34 warning contradictory-premises: `N = 3` and `N != 3` cannot both hold
              9:21-26 contradicting premise
              note: this rule for `g` never fires
              help: write two rules if either premise may hold
            11:40-46 warning contradictory-premises: `N = M` and `N != M` cannot both hold
              11:33-38 contradicting premise
              note: this rule for `i` never fires
              help: write two rules if either premise may hold
        "#]],
    );
}
