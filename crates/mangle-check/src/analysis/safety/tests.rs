//! Tests of the safety rules beyond their examples.

use expect_test::expect;

use crate::testing::{apply_fixes, check, check_fix};

#[test]
fn heads() {
    check(
        r#"
crew(/p/ann, 3).
someone(Who).
pair([P, Q], _) :- crew(P, _).
at(/x)@[2024-01-01, T].
total(P, N) :- crew(P, W) |> let N = fn:plus(W, 1).
since(P)@[T, _] :- crew(P, W) |> let T = fn:plus(W, 1).
twice(P, Q, Q) :- crew(P, _).
"#,
        expect![[r#"
            3:9-12 error unbound-head-var: fact contains the variable `Who`
              note: the engine rejects the fact
              help: write a value in place of `Who`, or add a body that binds it
            4:10-11 error unbound-head-var: head variable `Q` is not bound in the body
              note: the engine rejects the rule
              help: bind `Q` in a positive premise
            4:14-15 error head-wildcard: wildcard in the head of `pair`
              label: never bound
              note: the engine rejects the rule
              help: use a variable that the body binds, or remove the argument
            5:21-22 error unbound-head-var: fact contains the variable `T`
              note: the engine rejects the fact
              help: write a value in place of `T`, or add a body that binds it
            7:11-12 error unbound-head-var: interval bound `T` is used before its `let`
              note: the interval of the head is computed before the transform; evaluation aborts
              help: bind `T` in the body
            7:11-12 warning interval-type: interval bounds are instants, found integer `T`
              note: a premise with this interval never matches, and a head with it gets no interval
              note: `T` is the value of `fn:plus(W, 1)`
            8:10-11 error unbound-head-var: head variable `Q` is not bound in the body
              note: the engine rejects the rule
              help: bind `Q` in a positive premise
            8:13-14 error unbound-head-var: head variable `Q` is not bound in the body
              note: the engine rejects the rule
              help: bind `Q` in a positive premise
        "#]],
    );
}

#[test]
fn callers_bring_inputs() {
    check(
        r#"
Decl first(X, Y) descr [mode("+", "-"), deferred()].
first(X, Y) :- Y = fn:plus(X, 1), Y > X.
first(_, Y) :- Y = 1.
"#,
        expect![[r#""#]],
    );
}

#[test]
fn equality_between_variables() {
    check(
        r#"
crew(/p/ann, 3).
same(P, Q) :- P = Q, crew(Q, _).
copy(Q) :- crew(P, _), P = Q.
nobody(P) :- P = Q.
late(P) :- crew(Q, N), M = N, M < 4, P = Q.
"#,
        expect![[r#"
            4:6-7 error unbound-head-var: head variable `Q` is not bound in the body
              note: the engine reads `P = Q` from right to left only
              note: the engine rejects the rule
              help: write `Q = P`
            5:8-9 error unbound-head-var: head variable `P` is not bound in the body
              note: the engine rejects the rule
              help: bind `P` in a positive premise
            5:18-19 error unbound-body-var: no premise binds `Q`
              note: the engine rejects the rule
              help: bind `Q` in a positive premise
            6:31-32 error comparison-before-binding: `M` is compared before it is bound
              label: not bound yet
              note: the engine does not replace `M` by `N`, its equal, in `M < 4`
              note: the engine rejects the rule
              help: write `N` in place of `M`
        "#]],
    );
}

#[test]
fn inputs_of_modes() {
    check(
        r#"
Decl look(K, V) descr [external(), mode("+", "-")].
found(V) :- look(K, V).
known(K, V) :- look(K, V).
any(V) :- look(_, V).
"#,
        expect![[r#"
            3:18-19 error unbound-body-var: no premise binds `K`
              note: the engine rejects the rule
              help: bind `K` in a positive premise
            4:7-8 error unbound-head-var: head variable `K` is not bound in the body
              note: the engine rejects the rule
              help: bind `K` in a positive premise
            5:16-17 error wildcard-compare: `look` requires a value, found a wildcard
              label: never bound
              note: the engine rejects the rule
              help: use a variable that a premise binds
        "#]],
    );
}

#[test]
fn order() {
    check(
        r#"
crew(/p/ann, 3).
text("x").
late(P) :- N > M, crew(P, N), crew(_, M).
sum(S) :- fn:plus(N, 1) = S, S < fn:plus(K, 1), crew(_, N), crew(_, K).
differ(P) :- crew(P, N), fn:plus(N, M) != 4, crew(P, M).
again(X) :- X = fn:plus(X, 1), crew(_, X).
word(T) :- :string:contains(T, "a"), text(T).
head(L) :- crew(_, L), :match_cons(X, X, T), T = L.
"#,
        expect![[r#"
            4:12-13 error comparison-before-binding: `N` is compared before it is bound
              label: not bound yet
              4:19-29 bound here
              note: the engine rejects the rule
              fix: move the premise after `crew(_, M)`
            4:16-17 error comparison-before-binding: `M` is compared before it is bound
              label: not bound yet
              4:31-41 bound here
              note: the engine rejects the rule
              fix: move the premise after `crew(_, M)`
            5:19-20 error expr-before-binding: `N` is used in an expression before it is bound
              label: not bound yet
              5:49-59 bound here
              note: the engine rejects the rule
              fix: move the premise after `crew(_, N)`
            5:42-43 error comparison-before-binding: `K` is compared before it is bound
              label: not bound yet
              5:61-71 bound here
              note: the engine rejects the rule
              fix: move the premise after `crew(_, K)`
            6:37-38 error inequality-before-binding: `M` is compared before it is bound
              label: not bound yet
              6:46-56 bound here
              note: evaluation aborts
              note: engines since 2026-09 compare after its variables are bound
              fix: move the premise after `crew(P, M)`
            7:25-26 error expr-before-binding: `X` is used in an expression before it is bound
              label: not bound yet
              note: a variable keeps one value in a clause
              note: the engine rejects the rule
              help: use a new variable for the result, or bind `X` before
            8:29-30 error comparison-before-binding: `:string:contains` is evaluated before `T` is bound
              label: not bound yet
              8:38-45 bound here
              note: the engine rejects the rule
              fix: move the premise after `text(T)`
            9:36-37 error comparison-before-binding: `:match_cons` is evaluated before `X` is bound
              label: not bound yet
              note: a variable keeps one value in a clause
              note: the engine rejects the rule
              help: use a new variable for the result, or bind `X` before
            9:48-49 warning eq-never: `=` never holds: list `T` compared with an integer
              note: values of different types are never equal
              note: argument 3 of `:match_cons` binds `T` to a list
        "#]],
    );
}

#[test]
fn a_premise_moves_with_its_line() {
    check_fix(
        "comparison-before-binding",
        r"
crew(/p/ann, 3).
late(P) :-
    N > 4,  # enough
    crew(P, N),
    P != /p/bob .
",
        expect![[r#"

            crew(/p/ann, 3).
            late(P) :-
                # enough
                crew(P, N),
                N > 4,
                P != /p/bob .
        "#]],
    );
    check_fix(
        "inequality-before-binding",
        "crew(/p/ann, 3).\nrest(P) :- P != /p/bob, crew(P, _).\n",
        expect![[r#"
            crew(/p/ann, 3).
            rest(P) :- crew(P, _), P != /p/bob .
        "#]],
    );
}

#[test]
fn a_moved_premise_keeps_the_line_ends() {
    let fixture = "crew(/p/ann, 3).\r\nlate(P) :-\r\n    4 <\r\n        N,\r\n    crew(P, N).\r\n";
    let fixed = "crew(/p/ann, 3).\r\nlate(P) :-\r\n    crew(P, N),\r\n    4 <\r\n        N.\r\n";
    assert_eq!(apply_fixes(fixture, &super::order::COMPARISON_BEFORE_BINDING), fixed);
}

#[test]
fn expressions_are_no_patterns() {
    check(
        r#"
crew(/p/ann, 3).
tags([1, 9]).
both(X, Y) :- tags([X, Y]), crew(_, X).
next(P) :- crew(P, N), crew(_, fn:plus(N, 1)).
part(X) :- tags({/a : X}), !crew(X, X).
"#,
        expect![[r#"
            4:21-22 error expr-in-premise-unbound: `[X, Y]` is computed, not matched: `X` is unbound
              note: the engine computes arguments before it looks for facts
              note: evaluation aborts
              help: take the list apart with `:match_cons`
            4:24-25 error expr-in-premise-unbound: `[X, Y]` is computed, not matched: `Y` is unbound
              note: the engine computes arguments before it looks for facts
              note: evaluation aborts
              help: take the list apart with `:match_cons`
            6:23-24 error expr-in-premise-unbound: `{/a : X}` is computed, not matched: `X` is unbound
              note: the engine computes arguments before it looks for facts
              note: evaluation aborts
              help: take the struct apart with `:match_field`
        "#]],
    );
}

#[test]
fn outputs_want_fresh_variables() {
    check(
        r#"
tags([1, 9]).
likes(9).
liked(L) :- tags(L), likes(X), :list:member(X, L).
nine(L) :- tags(L), :match_cons(L, _, [9]).
"#,
        expect![[r#"
            4:45-46 error expr-in-output-position: output argument `X` is already bound
              note: `:list:member` binds a fresh variable here; the engine rejects the rule
              note: `:filter(fn:list:contains(…))` also tests membership in a list
              fix: use the fresh variable `Value` and compare it afterwards
            5:39-42 error expr-in-output-position: output argument `[9]` is not a variable
              note: `:match_cons` binds a fresh variable here; the engine rejects the rule
              fix: use the fresh variable `Value` and compare it afterwards
        "#]],
    );
    check_fix(
        "expr-in-output-position",
        "box({/a : /b}).\nb(Value) :- box(Value), :match_field(Value, /a, /b).\n",
        expect![[r#"
            box({/a : /b}).
            b(Value) :- box(Value), :match_field(Value, /a, Value2), Value2 = /b .
        "#]],
    );
}

#[test]
fn dropped_negations() {
    check(
        r#"
door(/d/main).
locked(/d/back, /k/one).
open(D) :- door(D), !locked(D, K).
never(D) :- door(D), !locked(D, K), K != /k/two .
closed(/yes) :- !locked(D, _).
free(D) :- !door(D).
twice(D) :- door(D), !locked(D, K), !locked(K, D).
out(N) :- door(_), !door(N) |> let N = fn:list().
"#,
        expect![[r#"
            4:32-33 error negated-var-unbound: engine ignores this negation: `K` is unbound
              note: `open(D)` is derived whether or not such a fact exists
              note: engines before 2026-09 ignore this negation; newer engines reject the rule
              fix: add the helper rule `has_locked` and negate it instead
            5:37-38 error unbound-body-var: no premise binds `K`
              note: a negation binds no variables
              note: the engine rejects the rule
              help: bind `K` in a positive premise
            6:25-26 error negated-var-unbound: engine ignores this negation: `D` is unbound
              note: no premise remains, and `closed(/yes)` becomes an unconditional fact
              note: engines before 2026-09 ignore this negation; newer engines reject the rule
              fix: add the helper rule `has_locked` and negate it instead
            6:28-29 error negation-wildcard: wildcard makes the engine ignore this negation
              label: never bound
              note: no premise remains, and `closed(/yes)` becomes an unconditional fact
              note: engines before 2026-09 ignore this negation; newer engines reject the rule
              fix: add the helper rule `has_locked` and negate it instead
            7:6-7 error unbound-head-var: head variable `D` is not bound in the body
              note: a negation binds no variables
              note: the engine rejects the rule
              help: bind `D` in a positive premise
            8:33-34 error negated-var-unbound: engine ignores this negation: `K` is unbound
              note: `twice(D)` is derived whether or not such a fact exists
              note: engines before 2026-09 ignore this negation; newer engines reject the rule
              fix: add the helper rule `has_locked` and negate it instead
            8:45-46 error negated-var-unbound: engine ignores this negation: `K` is unbound
              note: `twice(D)` is derived whether or not such a fact exists
              note: engines before 2026-09 ignore this negation; newer engines reject the rule
              fix: add the helper rule `has_locked` and negate it instead
            8:48-49 warning type-premise-impossible: argument 2 of `locked/2` is always the name `/k/one`, found name `D`
              3:17-23 first value here
              2:6-13 type of `D` comes from here
              note: the negation always holds
              note: all clauses of `door/1` have the name `/d/main` as argument 1
            9:26-27 error negated-var-unbound: engine ignores this negation: `N` is unbound
              note: `out(N)` is derived whether or not such a fact exists
              note: `let N` binds it only after the body
              fix: add the helper rule `has_door` and negate it instead
        "#]],
    );
}

#[test]
fn negations_that_run_too_early() {
    check(
        r#"
door(/d/main).
locked(/d/back).
open(D) :- D = E, !locked(E), door(E).
"#,
        expect![[r#"
            4:27-28 error negated-var-unbound: negation is evaluated before `E` is bound
              label: not bound yet
              note: `!locked(E)` then holds only if no such fact exists for any `E`
              help: move the negation after the premise that binds `E`
        "#]],
    );
}

#[test]
fn lost_negations() {
    check(
        r"
red(/a). blue(/b). warm(/a). cold(/b).
calm(A, B) :- !red(A), !blue(B), cold(B), warm(A).
fine(A, B) :- !red(A), !blue(B), warm(A), cold(B).
",
        expect![[r#"
            3:15-22 error negation-reorder-hazard: engine ignores `!red(A)`
              label: another negation is ready first
              note: `calm(A, B)` is derived whether or not such a fact exists
              note: engines before 2026-09 remove the wrong negation from the list of delayed ones
              help: put each negation after the premises that bind its variables
        "#]],
    );
}

#[test]
fn negations_behind_temporal_premises() {
    check(
        r"
Decl on(P) temporal.
on(/p/bob)@[2024-05-01].
gone(/p/bob).
all(/p/bob).
ok(P) :- on(P)@[S, _], !gone(P).
recent(P) :- <-[0d, 7d] on(P), !gone(P).
both(P) :- all(P), on(P)@[S, _], !gone(P).
start(S) :- on(P)@[S, _], !gone(S).
",
        expect![[r#"
            6:24-32 error negation-after-temporal: engine ignores this negation: only a temporal premise binds `P`
              note: the engine does not see temporal premises when it places negations
              note: `ok(P)` is derived whether or not such a fact exists
              help: copy the temporal predicate into a plain one first
            7:32-40 error negation-after-temporal: engine ignores this negation: only a temporal premise binds `P`
              note: the engine does not see temporal premises when it places negations
              note: `recent(P)` is derived whether or not such a fact exists
              help: copy the temporal predicate into a plain one first
            9:16-17 hint singleton-variable: `P` occurs only once
              label: joins nothing
              fix: replace `P` by `_`
            9:27-35 error negation-after-temporal: engine ignores this negation: only a temporal premise binds `S`
              note: the engine does not see temporal premises when it places negations
              note: `start(S)` is derived whether or not such a fact exists
              help: copy the temporal predicate into a plain one first
            9:33-34 warning type-premise-impossible: argument 1 of `gone/1` is always the name `/p/bob`, found instant `S`
              4:6-12 first value here
              note: the negation always holds
              note: `S` bounds an interval
        "#]],
    );
}

#[test]
fn helpers_for_negations() {
    let doors = "Decl door(D).\nDecl locked(D, K).\n";
    check_fix(
        "negation-wildcard",
        &format!("{doors}# Nobody locked it.\nopen(D) :- door(D), !locked(D, _).\n"),
        expect![[r#"
            Decl door(D).
            Decl locked(D, K).
            # Nobody locked it.
            open(D) :- door(D), !has_locked(D).

            Decl has_locked(D).
            has_locked(D) :- locked(D, _).
        "#]],
    );
    check_fix(
        "negation-wildcard",
        &format!("{doors}quiet(/yes) :- !locked(_, _).\n"),
        expect![[r#"
        Decl door(D).
        Decl locked(D, K).
        Decl has_locked() bound [].
        has_locked() :- locked(_, _).

        quiet(/yes) :- !has_locked().
    "#]],
    );
    check_fix(
        "negation-wildcard",
        &format!("{doors}has_locked(/x).\nopen(D) :- door(D), !locked(/x, _).\n"),
        expect![[r#"
            Decl door(D).
            Decl locked(D, K).
            has_locked(/x).
            Decl has_locked2(Arg1).
            has_locked2(Arg1) :- locked(Arg1, _).

            open(D) :- door(D), !has_locked2(/x).
        "#]],
    );
    check_fix(
        "negation-wildcard",
        &format!("{doors}is_shut(D) :- locked(D, _).\nopen(D) :- door(D), !locked(D, _).\n"),
        expect![[r#"
            Decl door(D).
            Decl locked(D, K).
            is_shut(D) :- locked(D, _).
            open(D) :- door(D), !is_shut(D).
        "#]],
    );
    check_fix(
        "negated-var-unbound",
        &format!("{doors}open(D) :- door(D), !locked(D, K).\n"),
        expect![[r#"
            Decl door(D).
            Decl locked(D, K).
            Decl has_locked(D).
            has_locked(D) :- locked(D, _).

            open(D) :- door(D), !has_locked(D).
        "#]],
    );
}

#[test]
fn no_helper_where_it_would_mean_something_else() {
    check(
        r#"
Decl look(K, V) descr [external(), mode("+", "-")].
door(/d/main).
box({/a : 1}).
one(D) :- door(D), !look(D, _).
two(D) :- door(D), !door([_]).
three(B) :- box(B), !:match_field(B, /a, _).
four(D) :- door(D), !locked(K, K).
locked(/a, /b).
"#,
        expect![[r#"
            5:29-30 error negation-wildcard: wildcard makes the engine ignore this negation
              label: never bound
              note: `one(D)` is derived whether or not such a fact exists
              note: engines before 2026-09 ignore this negation; newer engines reject the rule
              help: negate a helper predicate without this argument
            6:26-29 warning type-premise-impossible: argument 1 of `door/1` is always the name `/d/main`, found list `[_]`
              3:6-13 first value here
              note: the negation always holds
            6:27-28 error wildcard-in-expression: expression `[_]` contains a wildcard
              label: never bound
              note: the engine silently ignores the negation
              help: use a variable that a premise binds
            7:42-43 error negation-wildcard: wildcard makes the engine ignore this negation
              label: never bound
              note: `three(B)` is derived whether or not such a fact exists
              note: engines before 2026-09 ignore this negation; newer engines reject the rule
              help: negate a helper predicate without this argument
            8:29-30 error negated-var-unbound: engine ignores this negation: `K` is unbound
              note: `four(D)` is derived whether or not such a fact exists
              note: engines before 2026-09 ignore this negation; newer engines reject the rule
              help: bind `K` in a positive premise, or negate a helper predicate without it
        "#]],
    );
}

#[test]
fn packages_keep_their_helpers() {
    check_fix(
        "negation-wildcard",
        "#- a.mg\nPackage depot!\nlocked(/d, /k).\nhas_locked(/d).\n#- b.mg\nPackage depot!\n\
         door(/d).\nopen(D) :- door(D), !locked(D, _).\n",
        expect![[r#"
            #- a.mg
            Package depot!
            locked(/d, /k).
            has_locked(/d).
            #- b.mg
            Package depot!
            door(/d).
            has_locked2(D) :- locked(D, _).

            open(D) :- door(D), !has_locked2(D).
        "#]],
    );
}

#[test]
fn wildcards() {
    check(
        r#"
Decl color(C) descr [reflects(/color)].
crew(/p/ann, 3).
more(M) :- crew(_, N), M = [_, {/a : _}].
any(P) :- crew(P, N), _ = N, _ = 3.
bad(P) :- crew(P, N), N = _.
big(P) :- crew(P, _), _ != 3, :string:contains(_, "x").
red(P) :- crew(P, _), color(_).
sum(S) :- crew(_, _) |> do fn:group_by(), let S = fn:sum(_).
"#,
        expect![[r#"
            4:20-21 hint singleton-variable: `N` occurs only once
              label: joins nothing
              fix: replace `N` by `_`
            4:29-30 error wildcard-in-expression: expression `[_, {/a : _}]` contains a wildcard
              label: never bound
              note: the engine rejects the rule
              help: use a variable that a premise binds
            4:38-39 error wildcard-in-expression: expression `[_, {/a : _}]` contains a wildcard
              label: never bound
              note: the engine rejects the rule
              help: use a variable that a premise binds
            6:27-28 error wildcard-compare: `N = _` tests nothing
              label: never bound
              note: the engine rejects the rule
              help: remove the premise
            7:23-24 error wildcard-compare: `!=` requires a value, found a wildcard
              label: never bound
              note: the engine rejects the rule
              help: use a variable that a premise binds
            7:48-49 error wildcard-compare: `:string:contains` requires a value, found a wildcard
              label: never bound
              note: the engine rejects the rule
              help: use a variable that a premise binds
            8:29-30 error wildcard-compare: `color` requires a value, found a wildcard
              label: never bound
              note: the engine rejects the rule
              help: use a variable that a premise binds
            9:58-59 error wildcard-in-expression: expression `fn:sum(_)` contains a wildcard
              label: never bound
              note: the engine rejects the rule
              help: use a variable that a premise binds
        "#]],
    );
}

#[test]
fn premises_that_are_always_false() {
    check(
        r#"
crew(/p/ann, 3).
a(P) :- crew(P, _), 1 = 1.0.
b(P) :- crew(P, _), "a" != 'a'.
c(P) :- crew(P, N), N < N.
d(P) :- crew(P, _), "a" != "b", 1 != /a, 2 <= 2, b"a" = b"b".
e(P) :- crew(P, N), N = 3, N <= N.
"#,
        expect![[r#"
            3:21-28 warning unreachable-premise: `1 = 1.0` is always false
              note: this rule for `a` derives nothing
            4:21-31 warning unreachable-premise: `"a" != 'a'` is always false
              note: this rule for `b` derives nothing
            5:21-26 warning unreachable-premise: `N < N` is always false
              note: this rule for `c` derives nothing
        "#]],
    );
}

#[test]
fn long_texts_are_cut_in_messages() {
    check(
        "door(/d).\nlocked(/a, /b, /c, /d, /e).\nopen(Door) :-\n    door(Door),\n    !locked(Door, # all\n        \
         /some/very/long/constant, /another/one, /k, _).\n",
        expect![[r#"
            6:53-54 error negation-wildcard: wildcard makes the engine ignore this negation
              label: never bound
              note: `open(Door)` is derived whether or not such a fact exists
              note: engines before 2026-09 ignore this negation; newer engines reject the rule
              fix: add the helper rule `has_locked` and negate it instead
        "#]],
    );
}

#[test]
fn what_missing_arguments_would_bind_is_one_finding() {
    check(
        "Decl task(Id, Priority).\ntask(1, 2).\nover(X, Y) :- task(X).\nmore(X) :- task(X), Y < 3, !task(X, Z).\n",
        expect![[r#"
            3:15-22 error arity-mismatch: `task` takes 2 arguments, found 1
              1:6-10 `task/2` is declared here
              note: the engine rejects the program
              fix: write `_` for argument 2
            4:12-19 error arity-mismatch: `task` takes 2 arguments, found 1
              1:6-10 `task/2` is declared here
              note: the engine rejects the program
              fix: write `_` for argument 2
        "#]],
    );
    // Surplus arguments are treated as bindings.
    check(
        "Decl task(Id, Priority).\ntask(1, 2).\nover(X, Y) :- task(X, _, _).\n",
        expect![[r#"
            3:9-10 error unbound-head-var: head variable `Y` is not bound in the body
              note: the engine rejects the rule
              help: bind `Y` in a positive premise
            3:15-28 error arity-mismatch: `task` takes 2 arguments, found 3
              1:6-10 `task/2` is declared here
              note: the engine rejects the program
        "#]],
    );
}

#[test]
fn a_misspelt_variable_is_one_finding() {
    check(
        "Decl task(Id, Priority).\ntask(1, 2).\nover(X, Yy) :- task(X, Y).\nmore(X) :- task(X, Y), Yy = 3, Yz < 1.\n",
        expect![[r#"
            3:9-11 error unbound-head-var: head variable `Yy` is not bound in the body
              note: the engine rejects the rule
              help: bind `Yy` in a positive premise
            4:32-34 error unbound-body-var: no premise binds `Yz`
              note: the engine rejects the rule
              help: bind `Yz` in a positive premise
        "#]],
    );
}
