//! Tests of worlds that require specific values: texts, instants, and values with parts.

use super::values::check;

#[test]
fn text_functions_are_inverted() {
    check("Decl n(X) bound [/number].", r#"n(X), fn:number:to_string(X) = "42""#, "1 n(42)");
    check("Decl n(X) bound [/name].", r#"n(X), fn:name:to_string(X) = "/foo""#, "1 n(/foo)");
    check("Decl n(X) bound [/name].", "n(X), fn:name:root(X) = /foo, X != /foo ", "1 n(/foo/a)");
    check("Decl n(X) bound [/name].", "n(X), fn:name:tip(X) = /admin, X != /admin ", "1 n(/b/admin)");
    check(
        "Decl n(X) bound [/string].",
        r#"n(X), Z = fn:string:replace(X, "..", "", -1), :string:starts_with(Z, "/etc"), !:string:starts_with(X, "/etc")"#,
        r#"1 n("../etc")"#,
    );
    check(
        "Decl n(X) bound [/string].",
        r#"n(X), Y = fn:string:concat("x", X), :string:starts_with(Y, "xyz")"#,
        r#"1 n("yz")"#,
    );
}

#[test]
fn time_functions_are_inverted() {
    check(
        "Decl p(T) bound [/time].",
        r#"p(T), E = fn:time:add(T, fn:duration:parse("1h")), :time:lt(E, fn:time:parse_rfc3339("2020-01-01T00:00:00Z"))"#,
        r#"1 p(fn:time:parse_rfc3339("2019-12-31T22:59:59.999999999Z"))"#,
    );
    check(
        "Decl p(X) bound [/number].",
        r#"p(X), D = fn:duration:from_nanos(X), :duration:gt(D, fn:duration:parse("1h"))"#,
        "1 p(3600000000001)",
    );
    check(
        "Decl p(T) bound [/time].",
        "p(T), fn:time:year(T) = 2020",
        r#"1 p(fn:time:parse_rfc3339("2020-01-01T00:00:00Z"))"#,
    );
}

#[test]
fn tests_meet_through_joins() {
    check(
        "
        Decl a(X) bound [/string].
        Decl b(X) bound [/string].
    ",
        r#"a(X), :string:starts_with(X, "src/"), b(X), :string:ends_with(X, ".rs")"#,
        r#"2 a("src/.rs") b("src/.rs")"#,
    );
}

#[test]
fn texts_are_longer_than_their_tests() {
    check(
        "Decl p(X) bound [/string].",
        r#"p(X), :string:starts_with(X, "src/"), X != "src/""#,
        r#"1 p("src/a")"#,
    );
    check(
        "Decl p(X) bound [/string].",
        r#"p(X), p(Y), X != Y, :string:ends_with(X, "@corp"), :string:ends_with(Y, "@corp")"#,
        r#"2 p("@corp") p("a@corp")"#,
    );
    check(
        "Decl p(X) bound [/string].",
        r#"p(X), :string:contains(X, "rm"), !:string:starts_with(X, "rm"), !:string:ends_with(X, "rm")"#,
        r#"1 p("arma")"#,
    );
    check(
        "Decl p(X) bound [/string].",
        r#"p(X), :string:starts_with(X, "https://docs.rs"), X != "https://docs.rs", !:string:starts_with(X, "https://docs.rs/")"#,
        r#"1 p("https://docs.rsa")"#,
    );
    check(
        "Decl p(X) bound [/string].",
        r#"p(X), :string:contains(X, "aa"), :string:contains(X, "bb"), :string:contains(X, "cc")"#,
        r#"1 p("aabbcc")"#,
    );
    check(
        "Decl p(X) bound [/string].",
        r#"p(X), :string:starts_with(X, "ab"), :string:ends_with(X, "ba"), !:string:contains(X, "abba")"#,
        r#"1 p("aba")"#,
    );
    check(
        "
        Decl p(X) bound [/string].
        Decl pat(X) bound [/string].
    ",
        "p(X), pat(Y), :string:contains(X, Y), X != Y",
        r#"2 p("xax") pat("a")"#,
    );
}

#[test]
fn elements_of_collected_lists_are_met() {
    check(
        "
        Decl item(G, X) bound [/name, /name].
        bag(G, L) :- item(G, X) |> do fn:group_by(G), let L = fn:collect(X).
    ",
        "bag(G, L), :list:member(M, L), M = /secret ",
        "1 item(/a,/secret)",
    );
    check(
        "
        Decl item(G, X) bound [/name, /name].
        bag(G, L) :- item(G, X) |> do fn:group_by(G), let L = fn:collect_distinct(X).
    ",
        "bag(G, L), :filter(fn:list:contains(L, /secret))",
        "1 item(/a,/secret)",
    );
    check(
        "
        Decl n(X) bound [/number].
        m(M) :- n(X) |> do fn:group_by(), let M = fn:avg(X).
    ",
        "m(2.5)",
        "2 n(1) n(4)",
    );
    check(
        "
        Decl n(X) bound [/number].
        m(M) :- n(X) |> do fn:group_by(), let M = fn:sum(X).
        c(N) :- n(X) |> do fn:group_by(), let N = fn:count().
    ",
        "m(17), c(2)",
        "2 n(1) n(16)",
    );
    check("Decl a(X) bound [/name].", "a(X), :filter(fn:list:contains([/r, /s], X))", "1 a(/r)");
}

#[test]
fn values_of_several_parts_are_long_enough() {
    check("Decl p(X) bound [.List</number>].", "p(X), fn:list:len(X) > 2", "1 p([1, 1, 1])");
    check(
        "Decl p(X) bound [.List<.Pair</name, /number>>].",
        "p(L), :list:member(P, L), :match_pair(P, X, N), N > 10, :list:member(Q, L), :match_pair(Q, Y, M), M < 3, X != Y",
        "1 p([fn:pair(/a, 1), fn:pair(/b, 11)])",
    );
    check(
        "Decl p(X) bound [.Map</string, /number>].",
        r#"p(X), :match_entry(X, "k", V), V > 9, :match_entry(X, "m", W), W < V"#,
        r#"1 p(["k" : 10, "m" : 7])"#,
    );
    check("Decl p(X) bound [/bytes].", "p(X), p(Y), X != Y", r#"2 p(b"a") p(b"b")"#);
    check(
        "Decl p(X) bound [/name].",
        "p(X), p(Y), X != Y, :match_prefix(X, /line), :match_prefix(Y, /line)",
        "2 p(/linea) p(/lineb)",
    );
    check(
        "
        Decl p(X) bound [.Pair</name, /name>].
        Decl d(X, Y) bound [/name, /name].
    ",
        "p(P), d(X, Y), P = fn:pair(X, Y)",
        "2 d(/a,/a) p(fn:pair(/a, /a))",
    );
    check(
        "
        Decl s(X) bound [.Struct</n : /number>].
        Decl a(X) bound [/number].
    ",
        "a(X), s(S), S = fn:struct(/n, X), X > 7",
        "2 a(8) s({/n : 8})",
    );
}

#[test]
fn intervals_are_between_all_bounds() {
    check(
        "
        Decl on(P) temporal bound [/name].
        was(P) :- on(P)@[2024-01-01, 2024-02-01].
        cur(P) :- on(P)@[2024-06-01, 2024-07-01].
    ",
        "was(P), !cur(P)",
        "1 on(/a)@[_, 2024-02-01T00:00:00Z]",
    );
    check(
        "
        Decl on(P) temporal bound [/name].
        seen(P) :- <-[10d, 20d] on(P).
        cur(P) :- <-[0d, 1d] on(P).
    ",
        "seen(P), !cur(P)",
        "1 on(/a)@[2023-11-04T22:13:20Z, 2023-11-04T22:13:20Z]",
    );
}

#[test]
fn cut_lists_leave_the_answer_open() {
    let patterns: String = (1..=31).map(|number| format!("pat(\"p{number}\").\n")).collect();
    let policy =
        format!("Decl p(X) bound [/string].\n{patterns}hit(X, P) :- p(X), pat(P), :string:contains(X, P).\n");
    check(
        &policy,
        "hit(X, P), !hit(X, P)",
        "undecided below 0: not every value was tried: a limit of the search: too many texts that one argument can contain; \
         too many tests of one text on `p/1`: 491 values tried; a solver (z3 or cvc5) could decide it",
    );
    check(&policy, r#"hit(X, "p13")"#, r#"1 p("p13")"#);
}
