//! Tests of worlds that require specific values: number of values, kinds, and numbers.

use mangle_engine::kernel::Reading;

use super::ask;

/// Checks the answer to a question about a policy.
#[track_caller]
pub(super) fn check(policy: &str, body: &str, expected: &str) {
    assert_eq!(ask(policy, body, Reading::Engine), expected);
}

#[test]
fn counted_values_are_as_many_as_facts() {
    check(
        "
        Decl fail(X) bound [/string].
        n(N) :- fail(X) |> do fn:group_by(), let N = fn:count().
    ",
        "n(N), N >= 5",
        r#"5 fail("a") fail("b") fail("c") fail("d") fail("e")"#,
    );
    check(
        "
        Decl p(A, B, C) bound [/string, /name, /number].
        n(B, N) :- p(_, B, _) |> do fn:group_by(B), let N = fn:count().
    ",
        "n(_, N), N >= 4",
        r#"4 p("a",/a,1) p("a",/a,2) p("a",/a,3) p("a",/a,5)"#,
    );
}

#[test]
fn pairwise_different_values_are_enough() {
    check(
        "Decl q(A, B, C, D) bound [/name, /name, /name, /name].",
        "q(A, B, C, D), A != B, A != C, A != D, B != C, B != D, C != D",
        "1 q(/a,/b,/c,/d)",
    );
    check(
        "Decl e(X, Y) bound [/string, /string].",
        "e(A, B), e(B, C), e(C, D), A != B, A != C, A != D, B != C, B != D, C != D",
        r#"3 e("a","b") e("b","c") e("c","d")"#,
    );
}

#[test]
fn kinds_reach_columns_without_a_type() {
    check(
        "
        Decl req(I, A) bound [/string, /name].
        Decl appr(I).
        ok(I) :- req(I, _), appr(I).
    ",
        "ok(I)",
        r#"2 appr("a") req("a",/a)"#,
    );
    check("Decl a(X).", "a(X), Y = fn:plus(X, 1), Y > 5", "1 a(5)");
    check(
        "
        Decl x(N).
        Decl y(N).
    ",
        r#"x(K), y(K), :string:starts_with(K, "q")"#,
        r#"2 x("q") y("q")"#,
    );
    check("Decl a(X).", "a(X), :match_pair(X, Y, _), Y = /foo ", "1 a(fn:pair(/foo, /a))");
}

#[test]
fn numbers_beside_a_bound_are_distinct() {
    check("Decl n(X) bound [/number].", "n(X), X > 10, X != 11", "1 n(12)");
    check(
        "
        Decl n(X) bound [/number].
        ok(11). ok(12).
    ",
        "n(X), X > 10, !ok(X)",
        "1 n(13)",
    );
    check("Decl n(X) bound [/number].", "n(X), n(Y), X != Y, X > 100, Y > 100", "2 n(101) n(102)");
    check(
        "
        Decl p(X) bound [/number].
        Decl q(X) bound [/number].
    ",
        "p(X), q(Y), X > 100, Y > X",
        "2 p(101) q(102)",
    );
    check(
        "Decl a(X) bound [/number].",
        "a(W), a(X), a(Y), a(Z), W < X, X < Y, Y < Z",
        "4 a(1) a(2) a(3) a(4)",
    );
}

#[test]
fn chains_of_functions_are_inverted() {
    check(
        "Decl a(X) bound [/number].",
        "a(X), Y = fn:plus(X, 900), Z = fn:plus(Y, 100), Z < 500",
        "1 a(-501)",
    );
    check(
        "
        Decl req(I, At) bound [/string, /number].
        Decl clock(T) bound [/number].
        exp(I, E) :- req(I, At), E = fn:plus(At, 900).
        grace(I, G) :- exp(I, E), G = fn:plus(E, 60).
    ",
        "grace(I, G), clock(N), G < N",
        r#"2 clock(962) req("a",1)"#,
    );
    check(
        r#"
        Decl t(X) bound [/string].
        low(Y) :- t(X), Y = fn:string:concat("pre-", X).
        high(Z) :- low(Y), Z = fn:string:concat(Y, "-post").
    "#,
        r#"high("pre-mid-post")"#,
        r#"1 t("mid")"#,
    );
}

#[test]
fn values_beside_a_bound_are_computed_with() {
    check(
        "
        Decl a(X) bound [/number].
        Decl b(X) bound [/number].
    ",
        "a(X), X > 10, Y = fn:mult(X, 3), b(Y)",
        "2 a(11) b(33)",
    );
    check(
        "
        Decl a(X) bound [/number].
        Decl b(X) bound [/number].
        Decl c(X) bound [/number].
    ",
        "a(X), b(Y), Y > fn:plus(X, 900), c(Z), Z > fn:plus(Y, 100)",
        "3 a(1) b(902) c(1003)",
    );
    check(
        "
        Decl a(X) bound [/string].
        Decl b(X) bound [/string].
    ",
        r#"a(X), :string:starts_with(X, "src/"), Y = fn:string:concat("id:", X), b(Y)"#,
        r#"2 a("src/") b("id:src/")"#,
    );
}

#[test]
fn long_chains_are_inverted() {
    check(
        "Decl a(X) bound [/number].",
        "a(N), A = fn:plus(N, 1), B = fn:mult(A, 2), C = fn:minus(B, 7), D = fn:mult(C, 3), E = fn:plus(D, 5), E > 1000, E < 1010",
        "1 a(169)",
    );
    check(
        "
        Decl a(X) bound [/number].
        Decl b(X) bound [/number].
        Decl c(X) bound [/number].
    ",
        "a(X), b(Y), c(Z), V = fn:plus(fn:plus(X, Y), Z), V > 100, V < 102",
        "3 a(1) b(99) c(1)",
    );
}

#[test]
fn functions_of_two_inputs_are_inverted() {
    check(
        "
        Decl a(X) bound [/number].
        Decl b(X) bound [/number].
    ",
        "a(X), b(Y), fn:plus(X, Y) > 10",
        "2 a(1) b(10)",
    );
    check(
        "
        Decl started(T) bound [/number].
        Decl clock(T) bound [/number].
    ",
        "started(T), clock(N), fn:minus(N, T) > 3600",
        "2 clock(3602) started(1)",
    );
    check("Decl t(X) bound [/number].", "t(X), fn:mult(X, X) = 49", "1 t(7)");
    check(
        "
        Decl usr(X) bound [/string].
        Decl host(X) bound [/string].
        Decl allow(X) bound [/string].
    ",
        r#"usr(U), host(H), K = fn:string:concat(U, "@", H), allow(K)"#,
        r#"3 allow("a@a") host("a") usr("a")"#,
    );
    check(
        "
        Decl usr(X) bound [/string].
        Decl host(X) bound [/string].
    ",
        r#"usr(U), host(H), K = fn:string:concat(U, "@", H), K = "root@h""#,
        r#"2 host("h") usr("root")"#,
    );
    check(
        "
        Decl a(X) bound [/number].
        Decl b(X) bound [/number].
    ",
        "a(X), b(Y), !:within_distance(X, Y, 10)",
        "2 a(1) b(11)",
    );
}

#[test]
fn arithmetic_is_inverted() {
    check("Decl n(X) bound [/number].", "n(X), fn:mult(X, 2) > 10", "1 n(6)");
    check("Decl n(X) bound [/number].", "n(X), X > 0, fn:div(X, 10) > 3", "1 n(40)");
    check("Decl n(X) bound [/number].", "n(X), fn:mod(X, 7) = 5", "1 n(5)");
    check(
        "
        Decl n(X) bound [/number].
        r(Y) :- n(X), Y = fn:div(10, X).
    ",
        "r(Y), Y = 11",
        "aborts with 1",
    );
    check(
        "
        Decl n(X) bound [/number].
        r(Y) :- n(X), Z = fn:minus(X, 1), Y = fn:div(10, Z).
    ",
        "r(Y), Y = 11",
        "aborts with 1",
    );
}

#[test]
fn remainders_are_met_beside_bounds() {
    check("Decl n(X) bound [/number].", "n(X), X > 100, fn:mod(X, 7) = 0, X < 110", "1 n(105)");
    check(
        "Decl n(X) bound [/number].",
        "n(X), n(Y), fn:mod(X, 2) = 0, fn:mod(Y, 2) = 1, X > 50, Y > 50",
        "2 n(51) n(52)",
    );
}

#[test]
fn names_below_a_prefix_are_others_than_those_of_the_program() {
    check("Decl l(X) bound [/line].", "l(L), L != /line/a", "1 l(/line/b)");
}
