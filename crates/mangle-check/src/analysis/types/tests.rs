//! Tests of the type rules: findings and accepted programs.

#![allow(clippy::unwrap_used)]

use expect_test::expect;

use crate::testing::{CheckedFixture, check, check_fix};
use mangle_syntax::lint::Severity;

#[test]
fn literals() {
    check(
        "Decl depth(M).\ndeep(M) :- depth(M), M > 1.5, M < 2, \"a\" <= M, :ge(M, 0.5), !:lt(M, /a).\n",
        expect![[r#"
            2:24-25 warning compare-non-number: `>` requires integers, found float `1.5`
              note: the engine aborts when it evaluates this comparison
            2:42-44 error compare-non-number: `<=` requires integers, found string `"a"`
              note: the engine aborts when it evaluates this comparison
            2:48-51 warning compare-non-number: `:ge` requires integers, found float `0.5`
              note: the engine aborts when it evaluates this comparison
            2:62-65 error compare-non-number: `:lt` requires integers, found name `/a`
              note: the engine aborts when it evaluates this comparison
        "#]],
    );
}

#[test]
fn declared_columns() {
    check(
        "Decl depth(P, M) bound [/name, /float64].\ndeep(P) :- depth(P, M), M > 1.\n",
        expect![[r#"
            2:27-28 warning compare-non-number: `>` requires integers, found float `M`
              1:32-40 type of `M` comes from here
              note: the engine aborts when it evaluates this comparison
              note: argument 2 of `depth/2` is declared as a float
        "#]],
    );
    check(
        "#- a.gl\nDecl at(T) bound [/time].\nDecl took(D) bound [/duration].\n#- b.mg\nlate(T) :- at(T), took(D), T > D.\nlate(T) :- at(T), at(U), T >= U.\nslow(D) :- took(D), X = 1, D < X.\n",
        expect![[r#"
            b.mg:1:30-31 warning compare-non-number: `>` requires integers, found instant `T`
              a.gl:1:19-24 type of `T` comes from here
              note: the engine aborts when it evaluates this comparison
              note: argument 1 of `at/1` is declared as an instant
            b.mg:2:28-30 warning compare-non-number: `>=` requires integers, found instant `T`
              a.gl:1:19-24 type of `T` comes from here
              note: the engine aborts when it evaluates this comparison
              note: argument 1 of `at/1` is declared as an instant
              fix: write `:time:ge(T, U)`
            b.mg:3:30-31 warning compare-non-number: `<` requires integers, found duration `D`
              a.gl:2:21-30 type of `D` comes from here
              note: the engine aborts when it evaluates this comparison
              note: argument 1 of `took/1` is declared as a duration
        "#]],
    );
    check_fix(
        "compare-non-number",
        "Decl at(T) bound [/time].\nlate(T) :- at(T), T > fn:time:now().\n",
        expect![[r#"
            Decl at(T) bound [/time].
            late(T) :- at(T), :time:gt(T, fn:time:now()).
        "#]],
    );
}

#[test]
fn columns_that_may_be_integers() {
    check(
        "Decl a(X) bound [/number] bound [/string].\nDecl b(X) bound [/any].\nDecl c(X) bound [.Union</number, /string>].\nDecl d(X) bound [T].\nDecl e(X).\nr(X) :- a(X), b(X), X > 1.\ns(X) :- c(X), d(X), e(X), X > 1.\n",
        expect![[""]],
    );
    // Contradictory premises never reach the comparison.
    check(
        "Decl a(X) bound [/number].\nDecl b(X) bound [/string].\nr(X) :- a(X), b(X), X > 1.\n",
        expect![[r#"
            3:17-18 warning type-premise-impossible: argument 1 of `b/1` is declared `/string`, found integer `X`
              2:18-25 declared here
              1:18-25 type of `X` comes from here
              note: no fact that conforms to the declaration matches
              note: argument 1 of `a/1` is declared as an integer
        "#]],
    );
}

#[test]
fn first_facts() {
    check(
        "at(1.5).\nr(X) :- at(X), X > 1.\n",
        expect![[r#"
            2:18-19 error compare-non-number: `>` requires integers, found float `X`
              1:4-7 type of `X` comes from here
              note: the engine aborts when it evaluates this comparison
              note: all clauses of `at/1` have a float as argument 1
        "#]],
    );
    check("at(3).\nr(X) :- at(X), X > 1.\n", expect![[""]]);
}

#[test]
fn expressions() {
    check(
        "at(3).\nr(X) :- at(X), fn:plus(X, 1) > 1, fn:list:len([X]) < X.\ns(X) :- at(X), Y = fn:float:plus(X, 1), Y > X.\n",
        expect![[r#"
            3:43-44 warning compare-non-number: `>` requires integers, found float `Y`
              note: the engine aborts when it evaluates this comparison
              note: `Y` is the value of `fn:float:plus(X, 1)`
        "#]],
    );
}

#[test]
fn zero() {
    check(
        "q(3).\np(fn:div(1, 0)).\np(X) :- q(Y), X = fn:plus(1, fn:mod(Y, 0)).\np(X) :- q(Y) |> let X = fn:float:div(Y, 2.0, 0.0).\np(fn:div(0)).\n",
        expect![[r#"
            2:13-14 error division-by-zero: `fn:div` divides by zero
              note: the engine rejects the program
            3:40-41 error division-by-zero: `fn:mod` divides by zero
              note: the engine aborts when it evaluates this division
            4:46-49 error division-by-zero: `fn:float:div` divides by zero
              note: the engine aborts when it evaluates this division
            5:10-11 error division-by-zero: `fn:div` divides by zero
              note: the engine rejects the program
        "#]],
    );
    // 1 / 2 is 0, and the engine stops dividing. A float is not a divisor of integers.
    check("p(fn:div(1, 2, 0)).\nq(fn:div(1, X)) :- p(X).\nq(fn:mod(0, 1)).\n", expect![[""]]);
}

#[test]
fn misspelled_names_are_hinted_at_once() {
    // Used in premises and never in heads; the declaration does not restrict the column.
    check(
        "Decl state(D, S) bound [/name, /name].\nstate(/a, /degraded).\nstate(/b, /healthy).\n\
         worn(D) :- state(D, /degradd).\nfine(D) :- state(D, S), S = /helthy .\n",
        expect![[r#"
            4:21-29 hint name-near: `/degradd` looks like a misspelling of `/degraded`
              2:11-20 `/degraded` is used here
              note: argument 2 of `state/2` has `/degraded` elsewhere
              fix: write `/degraded`
            5:29-36 hint name-near: `/helthy` looks like a misspelling of `/healthy`
              3:11-19 `/healthy` is used here
              note: argument 2 of `state/2` has `/healthy` elsewhere
              fix: write `/healthy`
        "#]],
    );
    // Undeclared: the less specific finding at the same position is dropped.
    check(
        "state(/a, /degraded).\nstate(/b, /healthy).\nworn(D) :- state(D, /degradd).\n",
        expect![[r#"
            3:21-29 hint name-near: `/degradd` looks like a misspelling of `/degraded`
              1:11-20 `/degraded` is used here
              note: argument 2 of `state/2` has `/degraded` elsewhere
              fix: write `/degraded`
        "#]],
    );
    // In one head, next to a name that rules query.
    check(
        "Decl state(D, S) bound [/name, /name].\nstate(/a, /degradd).\nstate(/c, /degraded).\n\
         worn(D) :- state(D, /degraded).\nmend(D, /degraded) :- worn(D).\nmend(D, /degarded) :- !worn(D), state(D, _).\n\
         all(D) :- mend(D, /degraded).\n",
        expect![[r#"
            2:11-19 hint name-near: `/degradd` looks like a misspelling of `/degraded`
              3:11-20 `/degraded` is used here
              note: argument 2 of `state/2` has `/degraded` elsewhere
              fix: write `/degraded`
            6:9-18 hint name-near: `/degarded` looks like a misspelling of `/degraded`
              5:9-18 `/degraded` is used here
              note: argument 2 of `mend/2` has `/degraded` elsewhere
              fix: write `/degraded`
        "#]],
    );
    // In a bound of the declaration.
    check(
        "Decl state(D, S) bound [/name, .Union<.Singleton</degraded>, .Singleton</healthy>>].\nworn(D) :- state(D, /degradd).\n\
         state(/x, /helthy).\n",
        expect![[r#"
            2:21-29 warning type-premise-impossible: name `/degradd` is not declared for argument 2 of `state/2`
              1:32-83 declared here
              note: no fact that conforms to the declaration matches
              note: the declaration admits one of the names `/degraded`, `/healthy`
              fix: write `/degraded`
            3:11-18 error type-fact-mismatch: name `/helthy` is not declared for argument 2 of `state/2`
              1:32-83 declared here
              note: the engine does not check bounds and stores the fact anyway
              note: the declaration admits one of the names `/degraded`, `/healthy`
              note: a rule reads this argument and expects the declared type
              fix: write `/healthy`
        "#]],
    );
}

#[test]
fn names_that_are_alike_on_purpose() {
    check(
        "Decl state(D, S) bound [/name, /name].\nstate(/task_1, /valid).\nstate(/task_2, /closed).\n\
         a(D) :- state(D, /invalid).\nb(D) :- state(D, /closes).\nc(S) :- state(/task_3, S).\n\
         d(D) :- state(D, /unclosed).\n",
        expect![[""]],
    );
}

#[test]
fn counts_are_never_zero() {
    check(
        "Decl host(H).\nDecl seen(H, X).\n\
         cnt(H, N) :- seen(H, _) |> do fn:group_by(H), let N = fn:count().\n\
         all(H, L, S) :- cnt(H, N), seen(H, X) |> do fn:group_by(H), let L = fn:collect(X), let S = fn:sum(N).\n\
         more(H, M) :- cnt(H, N), M = fn:plus(N, 1).\n\
         a(H) :- host(H), cnt(H, 0).\nb(H) :- cnt(H, N), N < 1.\nc(H) :- cnt(H, N), 0 = N.\nd(H) :- host(H), !cnt(H, 0).\n\
         e(H) :- all(H, L, S), S <= 0.\nf(H) :- all(H, L, _), L = [].\ng(H) :- more(H, 1).\nh(H) :- cnt(H, -1).\n",
        expect![[r#"
            6:18-27 warning count-never: `cnt(H, 0)` never holds: argument 2 of `cnt/2` is at least 1
              3:1-4 aggregated here
              note: an empty group does not exist, so there is no count of 0 and no empty collection
            7:20-25 warning count-never: `N < 1` never holds: argument 2 of `cnt/2` is at least 1
              3:1-4 aggregated here
              note: an empty group does not exist, so there is no count of 0 and no empty collection
            8:20-25 warning count-never: `0 = N` never holds: argument 2 of `cnt/2` is at least 1
              3:1-4 aggregated here
              note: an empty group does not exist, so there is no count of 0 and no empty collection
            9:18-28 warning count-never: `!cnt(H, 0)` always holds: argument 2 of `cnt/2` is at least 1
              3:1-4 aggregated here
              note: an empty group does not exist, so there is no count of 0 and no empty collection
            10:16-17 hint singleton-variable: `L` occurs only once
              label: joins nothing
              fix: replace `L` by `_`
            10:23-29 warning count-never: `S <= 0` never holds: argument 3 of `all/3` is at least 1
              4:1-4 aggregated here
              note: an empty group does not exist, so there is no count of 0 and no empty collection
            11:23-29 warning count-never: `L = []` never holds: argument 2 of `all/3` is never empty
              4:1-4 aggregated here
              note: an empty group does not exist, so there is no count of 0 and no empty collection
            12:9-19 warning count-never: `more(H, 1)` never holds: argument 2 of `more/2` is at least 2
              5:1-5 aggregated here
              note: an empty group does not exist, so there is no count of 0 and no empty collection
            13:9-19 warning count-never: `cnt(H, -1)` never holds: argument 2 of `cnt/2` is at least 1
              3:1-4 aggregated here
              note: an empty group does not exist, so there is no count of 0 and no empty collection
        "#]],
    );
    // Values that can exist.
    check(
        "Decl host(H).\nDecl seen(H, X).\n\
         cnt(H, N) :- seen(H, _) |> do fn:group_by(H), let N = fn:count().\ncnt(H, 0) :- host(H), !seen(H, _).\n\
         none(H) :- cnt(H, 0).\nsum(H, N) :- seen(H, X) |> do fn:group_by(H), let N = fn:sum(X).\nzero(H) :- sum(H, 0).\n\
         cnt2(H, N) :- seen(H, _) |> do fn:group_by(H), let N = fn:count().\none(H) :- cnt2(H, 1).\nsome(H) :- cnt2(H, N), N > 0.\n\
         less(H) :- cnt2(H, N), M = fn:minus(N, 1), M = 0.\n",
        expect![[r#"
            4:32-33 error negation-wildcard: wildcard makes the engine ignore this negation
              label: never bound
              note: `cnt(H, 0)` is derived whether or not such a fact exists
              note: engines before 2026-09 ignore this negation; newer engines reject the rule
              fix: add the helper rule `has_seen` and negate it instead
        "#]],
    );
}

const STATES: &str = "Decl state(Host, S) bound [/string, /name].\n";

#[test]
fn constants_that_never_match_are_errors_where_facts_confirm_the_declaration() {
    let confirmed = format!("{STATES}state(\"h\", /up).\n");
    check(
        &format!(
            "{confirmed}bad(H) :- state(H, \"down\").\nworse(H) :- state(H, S), S = \"down\".\nok(H) :- state(H, _), !state(H, 3).\n"
        ),
        expect![[r#"
            3:20-26 error type-premise-impossible: argument 2 of `state/2` is declared `/name`, found string `"down"`
              1:37-42 declared here
              note: no fact that conforms to the declaration matches
              fix: write `/down`
            4:28-29 error eq-never: `=` never holds: name `S` compared with a string
              1:37-42 type of `S` comes from here
              note: values of different types are never equal
              note: argument 2 of `state/2` is declared as a name
              fix: write `/down`
            5:33-34 error type-premise-impossible: argument 2 of `state/2` is declared `/name`, found integer `3`
              1:37-42 declared here
              note: the negation holds for every fact that conforms to the declaration
        "#]],
    );
    // Without facts, with facts of another kind, or with a rule that can derive anything, the bound
    // is only a claim.
    for more in [
        "",
        "state(\"h\", /up). state(\"i\", \"up\").",
        "state(\"h\", /up). state(H, S) :- seen(H, S). seen(1, 2).",
    ] {
        let checked = CheckedFixture::new(&format!("{STATES}{more}\nbad(H) :- state(H, \"down\").\n"));
        let mut found = checked.diagnostics.iter().flat_map(|(_, found)| found);
        let found = found.find(|it| it.rule.name == "type-premise-impossible").unwrap();
        assert_eq!(found.severity, Severity::Warning, "{more}");
    }
}

#[test]
fn what_stops_the_evaluation_for_certain_is_an_error() {
    check(
        "Decl load(H, N) bound [/string, /string].\nload(\"a\", \"9\").\nhigh(H) :- load(H, N), N > 5.\nsum(S) :- load(_, N), S = fn:plus(N, 1).\nodd(S) :- load(_, N), S = fn:plus(\"a\", N).\nsome(H) :- load(H, N), N < \"9\".\nmost(M) :- load(_, N) |> do fn:group_by(), let M = fn:max(N).\n",
        expect![[r#"
            3:26-27 error compare-non-number: `>` requires integers, found string `N`
              1:33-40 type of `N` comes from here
              note: the engine aborts when it evaluates this comparison
              note: argument 2 of `load/2` is declared as a string
            4:35-36 error type-premise-impossible: `fn:plus` takes an integer, found string `N`
              1:33-40 type of `N` comes from here
              note: the engine aborts when it evaluates this call
              note: argument 2 of `load/2` is declared as a string
            5:35-38 error type-premise-impossible: `fn:plus` takes an integer, found string `"a"`
              note: the engine aborts when it evaluates this call
            6:26-27 error compare-non-number: `<` requires integers, found string `"9"`
              note: the engine aborts when it evaluates this comparison
            7:52-58 error reducer-type: `fn:max` takes an integer, found string `N`
              1:33-40 type of `N` comes from here
              note: the engine aborts when it evaluates this aggregation
              note: argument 2 of `load/2` is declared as a string
        "#]],
    );
    check(
        "Decl load(H, N) bound [/string, /string].\nhigh(H) :- load(H, N), N > 5.\nsum(S) :- load(_, N), S = fn:plus(N, 1).\n",
        expect![[r#"
            2:26-27 warning compare-non-number: `>` requires integers, found string `N`
              1:33-40 type of `N` comes from here
              note: the engine aborts when it evaluates this comparison
              note: argument 2 of `load/2` is declared as a string
            3:35-36 warning type-premise-impossible: `fn:plus` takes an integer, found string `N`
              1:33-40 type of `N` comes from here
              note: the engine aborts when it evaluates this call
              note: argument 2 of `load/2` is declared as a string
        "#]],
    );
}

/// Facts of the program that abort the evaluation are errors.
#[test]
fn facts_at_which_the_evaluation_stops() {
    check(
        "p(\"a\").\nm(M) :- p(X) |> do fn:group_by(), let M = fn:max(X).\ns(M) :- p(X) |> do fn:group_by(), let M = fn:sum(X).\n\
         plus(Y) :- p(X), Y = fn:plus(X, 1).\nlen(N) :- p(X), N = fn:list:len(X).\nstarts(X) :- p(X), :string:starts_with(\"abc\", 1).\n\
         part(X) :- i(X), :string:starts_with(\"abc\", X).\ntext(X) :- i(X), :string:starts_with(X, \"abc\").\n\
         i(1).\nless(X) :- i(X), X < 2.5.\nf(1.5).\nfloat(X) :- f(X), X < 2.\n\
         get(V) :- i(_), V = fn:struct:get({/a: 1}, /b).\nlist(V) :- i(_), V = fn:list:get([1], 5).\nfirst(V) :- i(_), V = fn:list:get([1], 0).\n",
        expect![[r#"
            2:43-49 error reducer-type: `fn:max` takes an integer, found string `X`
              1:3-6 type of `X` comes from here
              note: the engine aborts when it evaluates this aggregation
              note: all clauses of `p/1` have a string as argument 1
            3:43-49 error reducer-type: `fn:sum` takes an integer, found string `X`
              1:3-6 type of `X` comes from here
              note: the engine aborts when it evaluates this aggregation
              note: all clauses of `p/1` have a string as argument 1
            4:30-31 error type-premise-impossible: `fn:plus` takes an integer, found string `X`
              1:3-6 type of `X` comes from here
              note: the engine aborts when it evaluates this call
              note: all clauses of `p/1` have a string as argument 1
            5:33-34 error type-premise-impossible: `fn:list:len` takes a list, found string `X`
              1:3-6 type of `X` comes from here
              note: the engine aborts when it evaluates this call
              note: all clauses of `p/1` have a string as argument 1
            6:47-48 error type-premise-impossible: argument 2 of `:string:starts_with` takes a string, found integer `1`
              note: the engine aborts when it evaluates this premise
            7:45-46 error type-premise-impossible: argument 2 of `:string:starts_with` takes a string, found integer `X`
              9:3-4 type of `X` comes from here
              note: the engine aborts when it evaluates this premise
              note: all clauses of `i/1` have an integer as argument 1
            8:38-39 warning type-premise-impossible: argument 1 of `:string:starts_with` takes a string, found integer `X`
              9:3-4 type of `X` comes from here
              note: this premise never holds
              note: all clauses of `i/1` have an integer as argument 1
            10:20-21 error compare-non-number: `<` requires integers, found float `2.5`
              note: the engine aborts when it evaluates this comparison
            12:21-22 error compare-non-number: `<` requires integers, found float `X`
              11:3-6 type of `X` comes from here
              note: the engine aborts when it evaluates this comparison
              note: all clauses of `f/1` have a float as argument 1
            13:44-46 error type-premise-impossible: unknown field `/b` of `{/a: 1}`
              note: the engine aborts when it evaluates this call
            14:39-40 error type-premise-impossible: index 5 is outside of a list of 1 element
              note: the engine aborts when it evaluates this call
              note: the first element has the index 0
        "#]],
    );
}

#[test]
fn one_fact_among_others_stops_the_evaluation() {
    check(
        "p(\"x\").\np(2).\nless(X) :- p(X), X < 3.\nsum(S) :- p(X) |> do fn:group_by(), let S = fn:sum(X).\nplus(Y) :- p(X), Y = fn:plus(X, 1).\n\
         part(X) :- p(X), :string:contains(\"abc\", X).\n",
        expect![[r#"
            3:20-21 error compare-non-number: `<` requires integers, found string `X`
              1:3-6 type of `X` comes from here
              note: the engine aborts when it evaluates this comparison
              note: some clauses of `p/1` have a string as argument 1
            4:45-51 error reducer-type: `fn:sum` takes an integer, found string `X`
              1:3-6 type of `X` comes from here
              note: the engine aborts when it evaluates this aggregation
              note: some clauses of `p/1` have a string as argument 1
            5:30-31 error type-premise-impossible: `fn:plus` takes an integer, found string `X`
              1:3-6 type of `X` comes from here
              note: the engine aborts when it evaluates this call
              note: some clauses of `p/1` have a string as argument 1
            6:42-43 error type-premise-impossible: argument 2 of `:string:contains` takes a string, found integer `X`
              1:3-6 type of `X` comes from here
              note: the engine aborts when it evaluates this premise
              note: some clauses of `p/1` have an integer as argument 1
        "#]],
    );
    // Other premises can exclude the fact, and values that only rules derive are not certain.
    check(
        "p(\"x\").\np(2).\nn(2).\nless(X) :- n(Y), p(X), X < 3.\nless(X) :- p(X), n(X), X < 3.\nless(X) :- p(X), X = 2, X < 3.\n\
         pair(/a, \"x\").\npair(/b, 2).\nless(X) :- pair(/b, X), X < 3.\n\
         Decl host(X) bound [/string].\nr(1).\nr(X) :- host(X).\nless(X) :- r(X), X < 3.\n",
        expect![[r#"
            4:14-15 hint singleton-variable: `Y` occurs only once
              label: joins nothing
              fix: replace `Y` by `_`
            5:1-8 hint subsumed-rule: redundant rule for `less`
              4:1-5 other rule
              note: another rule derives the same facts from the same premises
        "#]],
    );
}

#[test]
fn a_fact_of_another_type_is_an_error_if_a_rule_reads_the_argument() {
    let facts = "Decl safe_tool(Name) bound [/name].\nDecl request(Name) bound [/name].\nsafe_tool(\"read_file\").\nrequest(/read_file).\n";
    check(
        &format!("{facts}usable(X) :- request(X), safe_tool(X).\n"),
        expect![[r#"
        3:11-22 error type-fact-mismatch: argument 1 of `safe_tool/1` is declared `/name`, found string `"read_file"`
          1:29-34 declared here
          note: the engine does not check bounds and stores the fact anyway
          note: a rule reads this argument and expects the declared type
          fix: write `/read_file`
    "#]],
    );
    check(
        &format!("{facts}usable(X) :- request(X), !safe_tool(X).\n"),
        expect![[r#"
        3:11-22 error type-fact-mismatch: argument 1 of `safe_tool/1` is declared `/name`, found string `"read_file"`
          1:29-34 declared here
          note: the engine does not check bounds and stores the fact anyway
          note: a rule reads this argument and expects the declared type
          fix: write `/read_file`
    "#]],
    );
    check(
        &format!("{facts}usable(X) :- request(X), safe_tool(_).\n"),
        expect![[r#"
        3:11-22 warning type-fact-mismatch: argument 1 of `safe_tool/1` is declared `/name`, found string `"read_file"`
          1:29-34 declared here
          note: the engine does not check bounds and stores the fact anyway
          fix: write `/read_file`
    "#]],
    );
}
