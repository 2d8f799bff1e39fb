//! Tests of the name rules: findings and accepted programs.

#![allow(clippy::unwrap_used)]

use expect_test::expect;

use crate::testing::{check, check_fix};

#[test]
fn misspelt_predicates() {
    check(
        "crew(/ann, 3).\nbusy(P) :- crw(P, _).\nidle(P) :- crew(P, _), !busi(P).\nlone(P) :- wagon(P).\n",
        expect![[r#"
            2:12-15 error undefined-predicate: undefined predicate `crw/2`
              note: the engine rejects the program
              fix: write `crew`
            3:25-29 error undefined-predicate: undefined predicate `busi/1`
              note: the engine rejects the program
              fix: write `busy`
            4:12-17 error undefined-predicate: undefined predicate `wagon/1`
              note: the engine rejects the program
        "#]],
    );
    check_fix(
        "undefined-predicate",
        "crew(/ann, 3).\nbusy(P) :- crw(P, _).\n",
        expect![[r#"
        crew(/ann, 3).
        busy(P) :- crew(P, _).
    "#]],
    );
}

#[test]
fn near_names_prefer_the_right_arity() {
    check(
        "has_fuel(/t1).\nhas_fuels(/t1, 3).\nok(T) :- has_fuell(T).\n",
        expect![[r#"
            3:10-19 error undefined-predicate: undefined predicate `has_fuell/1`
              note: the engine rejects the program
              fix: write `has_fuel`
        "#]],
    );
    check(
        "fuel_a(/t1).\nfuel_b(/t1).\nok(T) :- fuel_c(T).\n",
        expect![[r#"
            3:10-16 error undefined-predicate: undefined predicate `fuel_c/1`
              note: the engine rejects the program
              help: did you mean `fuel_a` or `fuel_b`?
        "#]],
    );
}

#[test]
fn a_forgotten_colon() {
    check(
        "trip(3).\nlong(N) :- trip(N), lt(2, N).\n",
        expect![[r#"
            2:21-23 error undefined-predicate: undefined predicate `lt/2`
              note: the engine rejects the program
              fix: write `:lt`
        "#]],
    );
}

#[test]
fn short_names_are_near_to_nothing() {
    check(
        "q(1).\np(X) :- r(X).\n",
        expect![[r#"
            2:9-10 error undefined-predicate: undefined predicate `r/1`
              note: the engine rejects the program
        "#]],
    );
}

#[test]
fn arity_of_uses() {
    check(
        "#- schemas.gl\nDecl crew(P, Seats).\n#- rules.mg\nbusy(P) :- crew(P).\n",
        expect![[r#"
            rules.mg:1:12-19 error arity-mismatch: `crew` takes 2 arguments, found 1
              schemas.gl:1:6-10 `crew/2` is declared here
              note: the engine rejects the program
              fix: write `_` for argument 2
        "#]],
    );
    check(
        "Decl van(A).\nDecl van(A, B, C).\nbusy(P) :- van(P, _).\n",
        expect![[r#"
            2:6-9 information decl-overload: `van` is also declared with 1 argument
              1:6-9 other declaration
              note: the two are independent predicates
            3:12-21 error arity-mismatch: `van` takes 1 or 3 arguments, found 2
              1:6-9 `van/1` is declared here
              2:6-9 `van/3` is declared here
              note: the engine rejects the program
        "#]],
    );
}

#[test]
fn temporal_uses_are_checked_too() {
    check(
        "late(P) :- delayed(P)@[S, E].\n",
        expect![[r#"
            1:12-19 error undefined-predicate: undefined predicate `delayed/1`
              note: the engine accepts the temporal premise, which never holds
        "#]],
    );
}

#[test]
fn a_damaged_clause_still_defines_and_keeps_silent() {
    check(
        "crew(/ann, 3) $ .\nbusy(P) :- crew(P, _).\nlone(P) :- wagon(P), P + .\n",
        expect![[r#"
            1:15-16 error syntax-error: `$` cannot be parsed here
              note: the engine rejects the whole program
            3:22-25 error syntax-error: `P +` cannot be parsed here
              note: the engine rejects the whole program
        "#]],
    );
}

#[test]
fn packages() {
    let depot = "#- a.mg\nPackage depot!\nvan(1).\nbig(X) :- van(X), vann(X), van(X, X).\n";
    check(
        depot,
        expect![[r#"
            3:19-23 error undefined-predicate: undefined predicate `vann/1`
              note: the engine rejects the program
              fix: write `van`
            3:28-37 error arity-mismatch: `van` takes 1 argument, found 2
              2:1-4 `depot.van/1` is defined here
              note: the engine rejects the program
        "#]],
    );
    check(
        "#- a.mg\nPackage depot!\nvan(1).\n#- b.mg\nPackage shop!\nUse depot!\nok(X) :- depot.van(X), depot.vam(X).\n",
        expect![[r#"
            b.mg:3:24-33 error undefined-predicate: undefined predicate `depot.vam/1`
              note: the engine rejects the program
              fix: write `depot.van`
        "#]],
    );
}

#[test]
fn heads_against_a_declaration() {
    check(
        "Decl van(Id, Seats).\nvan(/v1, 8).\nvan(/v2).\nvan(X) :- van(X, _).\n",
        expect![[r#"
            3:1-9 error head-arity-conflict: `van` is declared with 2 arguments, found 1
              1:6-9 `van/2` is declared here
              note: the engine rejects the program without a `Decl` for `van/1`
            4:1-7 error head-arity-conflict: `van` is declared with 2 arguments, found 1
              1:6-9 `van/2` is declared here
              note: the engine rejects the program without a `Decl` for `van/1`
        "#]],
    );
    check(
        "Decl van(Id).\nDecl van(Id, Seats).\nvan(/v1).\nvan(/v1, 8).\n",
        expect![[r#"
            2:6-9 information decl-overload: `van` is also declared with 1 argument
              1:6-9 other declaration
              note: the two are independent predicates
        "#]],
    );
}

#[test]
fn of_undeclared_heads_the_rarer_arity_is_the_mistake() {
    check(
        "van(/v1).\nvan(/v2, 8).\nvan(/v3, 4).\nvan(/v4, 4).\n",
        expect![[r#"
            1:1-9 error head-arity-conflict: `van` is defined with 2 arguments, found 1
              2:1-4 `van/2` is defined here
              note: the engine rejects the program without a `Decl` for `van/1`
        "#]],
    );
}

#[test]
fn built_ins() {
    check(
        "s(\"a\").\nok(X) :- s(X), :starts_with(X, \"a\"), :string:contain(X, \"b\"), :frob(X), :count(X), :lt(X).\n",
        expect![[r#"
            2:16-28 error unknown-builtin-predicate: unknown built-in predicate `:starts_with`
              note: the engine rejects the program
              fix: write `:string:starts_with`
            2:38-53 error unknown-builtin-predicate: unknown built-in predicate `:string:contain`
              note: the engine rejects the program
              fix: write `:string:contains`
            2:63-68 error unknown-builtin-predicate: unknown built-in predicate `:frob`
              note: the engine rejects the program
              note: names with a leading colon are reserved for built-ins
            2:73-79 error unknown-builtin-predicate: unknown built-in predicate `:count`
              note: the engine rejects the program
              help: aggregate with `|> do fn:group_by(…), let V = fn:count()`
            2:84-90 error builtin-arity: `:lt` takes 2 arguments, found 1
              note: the engine rejects the program
        "#]],
    );
    check_fix(
        "unknown-builtin-predicate",
        "s(\"a\").\nok(X) :- s(X), :starts_with(X, \"a\").\n",
        expect![[r#"
            s("a").
            ok(X) :- s(X), :string:starts_with(X, "a").
        "#]],
    );
}

#[test]
fn functions() {
    check(
        "q(1).\np(Y) :- q(X), Y = fn:Plus(X, fn:string_contains(1, 2)).\np(Y) :- q(X), Y = fn:pair(X).\np(fn:nope(1)).\n",
        expect![[r#"
            2:19-26 error unknown-function: unknown function `fn:Plus`
              note: the engine rejects the program
              fix: write `fn:plus`
            2:30-48 error unknown-function: unknown function `fn:string_contains`
              note: the engine rejects the program
              help: write the premise `:string:contains(S, "text")`
            3:19-29 error function-arity: `fn:pair` takes 2 arguments, found 1
              note: the engine rejects the program
            4:3-10 error unknown-function: unknown function `fn:nope`
              note: the engine aborts when it computes this head
              note: all functions are built in: a program cannot define one
        "#]],
    );
    check(
        "q(1).\np(N) :- q(X) |> do fn:groupBy(), let N = fn:Count().\n",
        expect![[r#"
            2:20-30 error unknown-function: unknown function `fn:groupBy`
              note: the engine rejects the program
              fix: write `fn:group_by`
            2:42-50 error unknown-function: unknown function `fn:Count`
              note: the engine rejects the program
              fix: write `fn:count`
        "#]],
    );
}

#[test]
fn what_the_engine_knows_by_halves() {
    // The engine does not check heads, and evaluates this program.
    check("q([/a : 1]).\np(fn:map:get(M, /a)) :- q(M).\n", expect![[""]]);
    check(
        "q([/a : 1]).\np(V) :- q(M), V = fn:map:get(M, /a).\np(fn:some(1)).\n",
        expect![[r#"
            2:19-29 error unknown-function: unknown function `fn:map:get`
              note: the engine rejects the program
              help: write the premise `:match_entry(M, /key, V)`
            3:3-10 error unknown-function: function `fn:some` is not implemented by the engine
              note: the engine accepts the name and aborts when it evaluates the call
              help: use the value itself
        "#]],
    );
}

#[test]
fn arities_of_functions() {
    check(
        "q(1).\np(fn:map(1, 2, 3), fn:struct(/a), fn:list(), fn:minus(), fn:time:now(1)).\np(X, Y, Z, A, B) :- q(X), q(Y), q(Z), q(A), q(B), X = fn:sum([1], [2]).\n",
        expect![[r#"
            2:3-18 error function-arity: `fn:map` takes an even number of arguments (keys and values), found 3
              note: the engine aborts when it computes this head
            2:20-33 error function-arity: `fn:struct` takes an even number of arguments (keys and values), found 1
              note: the engine aborts when it computes this head
            2:46-56 error function-arity: `fn:minus` takes at least 1 argument, found 0
              note: the engine aborts when it computes this head
            2:58-72 error function-arity: `fn:time:now` takes no argument, found 1
              note: the engine aborts when it computes this head
            3:55-71 error function-arity: `fn:sum` takes 1 argument, found 2
              note: the engine rejects the program
        "#]],
    );
    check(
        "q(1).\np(L) :- q(X) |> do fn:group_by(), let L = fn:collect().\n",
        expect![[r#"
            2:43-55 error function-arity: `fn:collect` takes at least 1 argument, found 0
              note: the engine rejects the program
        "#]],
    );
}

#[test]
fn types_as_values() {
    check(
        "p(.List</number>).\nq(X) :- p(Y), X = fn:Frob(Y), X = .Union<Y>, X = fn:Map(/a, /b).\n",
        expect![[r#"
            1:3-17 error type-constructor-as-value: `.List` makes a type, not a value
              note: type constructors are valid in `bound […]` only
              note: the engine aborts when it computes this head
              help: use `fn:list` to make a value
            2:19-26 error unknown-function: unknown function `fn:Frob`
              note: the engine rejects the program
              note: all functions are built in: a program cannot define one
            2:35-44 error type-constructor-as-value: `.Union` makes a type, not a value
              note: type constructors are valid in `bound […]` only
              note: the engine rejects the program
            2:50-56 error type-constructor-as-value: `fn:Map` makes a type, not a value
              note: type constructors are valid in `bound […]` only
              note: the engine rejects the program
              help: use `fn:map` to make a value
        "#]],
    );
}

#[test]
fn keys() {
    check(
        "p([1 : 2, 1.0 : 3, \"a\" : 1, 'a' : 2]).\np({/x : {/x : 1}}).\np(fn:struct(/x, 1, /y, 2, /x, 3)).\n",
        expect![[r#"
            1:29-32 warning duplicate-key: duplicate key `'a'`
              note: the engine keeps both entries, and a lookup finds either of them
            3:27-29 warning duplicate-key: duplicate key `/x`
              note: the engine keeps both entries, and a lookup finds either of them
        "#]],
    );
}

#[test]
fn names_of_the_engine() {
    check(
        "Decl :lt(X, Y).\n:lt(1, 2).\nrows__tmp(1).\nrows__tmp(2).\n",
        expect![[r#"
            1:6-9 error decl-builtin: `:lt` is reserved: a leading colon marks built-ins
              note: the engine silently ignores the definition
            3:1-10 warning reserved-suffix: `rows__tmp` has the reserved suffix `__tmp`
              note: the engine gives such names to internal relations and may confuse the two
        "#]],
    );
}

#[test]
fn clauses_twice() {
    check(
        "#- b.mg\nvan(/v1, 8).\nbig(V) :- van(V, N), N > 5.\n#- a.mg\nvan( /v1,8 ). # again\nbig(V) :-\n    van(V, N),\n    N > 5.\nvan(\"/v1\", 8).\n",
        expect![[r#"
            a.mg:1:1-14 hint duplicate-clause: duplicate clause of `van/2`
              b.mg:1:1-4 first occurrence
              note: a repeated clause derives nothing new
            a.mg:2:1-4:11 hint duplicate-clause: duplicate clause of `big/1`
              b.mg:2:1-4 first occurrence
              note: a repeated clause derives nothing new
        "#]],
    );
}

#[test]
fn what_is_not_declared_is_declared_where_declarations_are() {
    let files = "#- rules.mg\nDecl odd(X).\nvan(/v1, 8).\nspare(V) :- van(V, N), N > 3.\n#- schemas.mg\nDecl a(X).\nDecl b(X). # last\n\n# Tail.\n";
    crate::testing::check_fix(
        "undeclared-head",
        files,
        expect![[r#"
            #- rules.mg
            Decl odd(X).
            van(/v1, 8).
            spare(V) :- van(V, N), N > 3.
            #- schemas.mg
            Decl a(X).
            Decl b(X). # last
            Decl van(Arg1, Arg2) bound [/name, /number].

            # Tail.
        "#]],
    );
    // A package declares its own predicate.
    crate::testing::check_fix(
        "undeclared-head",
        "#- p.mg\nPackage p!\nDecl q(X).\nr(1, \"a\").\n#- schemas.mg\nDecl a(X).\nDecl b(X).\n",
        expect![[r##"
            #- p.mg
            Package p!
            Decl q(X).
            Decl r(Arg1, Arg2) bound [/number, /string].
            r(1, "a").
            #- schemas.mg
            Decl a(X).
            Decl b(X).
        "##]],
    );
}

/// Soufflé searches for the first argument in the second one; Rego has the opposite order.
#[test]
fn contains_of_souffle_has_its_arguments_swapped() {
    check_fix(
        "undefined-predicate",
        "path(\"src/a\").\nours(P) :- path(P), contains(\"src/\", P).\n",
        expect![[r#"
            path("src/a").
            ours(P) :- path(P), :string:contains(P, "src/").
        "#]],
    );
    check_fix(
        "undefined-predicate",
        "path(\"src/a\").\nours(P) :- path(P), contains(P, \"src/\").\n",
        expect![[r#"
            path("src/a").
            ours(P) :- path(P), :string:contains(P, "src/").
        "#]],
    );
}

/// If the package has no declaration yet, and for heads with an interval.
#[test]
fn heads_are_declared_before_their_clause_and_as_temporal() {
    check_fix(
        "undeclared-head",
        "#- p.mg\nPackage k!\nr(1, \"a\").\n#- schemas.mg\nDecl a(X).\n",
        expect![[r##"
            #- p.mg
            Package k!
            Decl r(Arg1, Arg2) bound [/number, /string].
            r(1, "a").
            #- schemas.mg
            Decl a(X).
        "##]],
    );
    check_fix(
        "undeclared-head",
        "Decl a(X).\non(/v1)@[2024-05-01, _].\n",
        expect![[r#"
            Decl a(X).
            Decl on(Arg1) temporal bound [/name].
            on(/v1)@[2024-05-01, _].
        "#]],
    );
}
