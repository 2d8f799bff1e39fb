//! Policies that ask for more than there is: each a few lines, and each without an end, or with one that is far away.

use std::fmt::Write as _;

/// A hostile policy.
pub(crate) struct Hostile {
    /// What it does.
    pub(crate) name: &'static str,
    /// Its text.
    pub(crate) text: String,
    /// What `query --dump` must say on standard error; empty where it comes to an end.
    pub(crate) said: &'static str,
}

/// Numbers from 0 to `count`.
fn numbers(count: usize) -> String {
    format!("n(0).\nn(Y) :- n(X), X < {count}, Y = fn:plus(X, 1).\n")
}

/// A value that grows by one application of `double` to `X` in each of so many rules.
fn chain(rules: usize, double: &str) -> String {
    let mut text = "c0(1).\n".to_owned();
    for at in 1..=rules {
        let _ = writeln!(text, "c{at}(Y) :- c{}(X), Y = {double}.", at - 1);
    }
    text
}

/// A value that grows by one application of `double` in each round.
fn loop_of(first: &str, double: &str) -> String {
    format!("l({first}).\nl(Y) :- l(X), Y = {double}.\n")
}

const DEEP: &str = "nest deeper than 1000";
const LIMIT: &str = "more than";
const LONGER: &str = "longer than";
const NOTHING: &str = "";

/// All of them.
pub(crate) fn policies() -> Vec<Hostile> {
    let hostile = |name, text: String, said| Hostile { name, text, said };
    vec![
        hostile("pairs that double", loop_of("1", "fn:pair(X, X)"), DEEP),
        hostile("lists that double", loop_of("1", "fn:list(X, X)"), DEEP),
        hostile("maps that double", loop_of("1", "fn:map(/a, X, /b, X)"), DEEP),
        hostile("maps whose keys double", loop_of("1", "fn:map(X, X, /b, X)"), DEEP),
        hostile("structs that double", loop_of("1", "fn:struct(/a, X, /b, X)"), DEEP),
        hostile("tuples that double", loop_of("1", "fn:tuple(X, X, X)"), DEEP),
        hostile("lists of a hundred", loop_of("1", &format!("fn:list({})", vec!["X"; 100].join(", "))), DEEP),
        hostile("texts that double", loop_of("\"abcdefgh\"", "fn:string:concat(X, X)"), "a text would be longer"),
        hostile("texts that are replaced", loop_of("\"aaaaaaaa\"", "fn:string:replace(X, \"a\", \"aaaa\", -1)"), "a text would be longer"),
        hostile("texts that grow slowly", loop_of("\"\"", "fn:string:concat(X, \"a text\")"), LIMIT),
        hostile("pairs in 45 rules", chain(45, "fn:pair(X, X)"), NOTHING),
        hostile("lists in 45 rules", chain(45, "fn:list(X, X, X)"), NOTHING),
        hostile("structs in 45 rules", chain(45, "fn:struct(/a, X, /b, X)"), NOTHING),
        hostile("pairs in 900 rules", chain(900, "fn:pair(X, X)"), NOTHING),
        hostile("counting", "n(0).\nn(Y) :- n(X), Y = fn:plus(X, 1).\n".to_owned(), LIMIT),
        hostile("sums of all", "n(1).\nn(Z) :- n(X), n(Y), Z = fn:plus(X, Y).\n".to_owned(), ""),
        hostile("products", "n(3).\nn(Z) :- n(X), n(Y), Z = fn:mult(X, Y).\n".to_owned(), ""),
        hostile("floats", "n(1.5).\nn(Y) :- n(X), Y = fn:float:plus(X, 1.0).\n".to_owned(), LIMIT),
        hostile("a cross product", format!("{}c(X, Y) :- n(X), n(Y).\n", numbers(3000)), LIMIT),
        hostile("a cross product of three", format!("{}c(X, Y, Z) :- n(X), n(Y), n(Z).\n", numbers(1000)), LIMIT),
        hostile("a join without a solution", format!("{}c(X) :- n(X), n(Y), n(Z), Z < 0.\n", numbers(2000)), ""),
        hostile("pairs of all", "p(1).\np(P) :- p(X), p(Y), P = fn:pair(X, Y).\n".to_owned(), ""),
        hostile("wide facts", wide(), LIMIT),
        hostile("a join of thirty", format!("{}j(A) :- {}.\n", numbers(60), join(30)), LIMIT),
        hostile("reachability", format!("{}e(X, Y) :- n(X), Y = fn:plus(X, 1).\nr(X, Y) :- e(X, Y).\nr(X, Z) :- r(X, Y), e(Y, Z).\n", numbers(5000)), LIMIT),
        hostile("paths as lists", format!("{}p([X]) :- n(X).\np(L) :- p(K), n(X), L = fn:list:cons(X, K).\n", numbers(20)), ""),
        hostile("lists that grow", "l([], 0).\nl(M, Y) :- l(L, X), Y = fn:plus(X, 1), M = fn:list:append(L, Y).\n".to_owned(), LIMIT),
        hostile("members of lists", "l([1, 2, 3, 4, 5]).\nl(L) :- l(K), :list:member(X, K), L = fn:list:cons(X, K).\n".to_owned(), ""),
        hostile("a group of all", format!("{}c(X, Y) :- n(X), n(Y).\ng(L) :- c(X, Y) |> do fn:group_by(), let L = fn:collect(Y).\n", numbers(800)), ""),
        hostile("a group for each", format!("{}c(X, Y) :- n(X), n(Y).\ng(X, L) :- c(X, Y) |> do fn:group_by(X), let L = fn:collect_distinct(Y).\n", numbers(700)), ""),
        hostile("many groups", format!("{}c(X, Y) :- n(X), n(Y).\ng(X, Y, N) :- c(X, Y) |> do fn:group_by(X, Y), let N = fn:count().\n", numbers(700)), ""),
        hostile("a negation of all", format!("{}c(X, Y) :- n(X), n(Y), !d(X, Y).\nd(X, X) :- n(X).\n", numbers(2500)), LIMIT),
        hostile("negation, 400 strata deep", negations(400), NOTHING),
        hostile("many predicates", many(8_000), NOTHING),
        hostile("many rules for one", one_head(2_000), ""),
        hostile("many facts", (0..60_000).fold(String::new(), |text, at| text + &format!("f({at}, \"{at}\").\n")), NOTHING),
        hostile("mutual recursion", "a(0).\nb(Y) :- a(X), Y = fn:pair(X, 1).\na(Y) :- b(X), Y = fn:pair(1, X).\n".to_owned(), DEEP),
        hostile("a deep literal", format!("d({}1{}).\ne(Y) :- d(X), Y = fn:pair(X, X).\n", "[".repeat(200), "]".repeat(200)), ""),
        hostile("instants", "Decl t(X) temporal bound [/number].\nt(0)@[2024-01-01T00:00:00Z, 2024-01-02T00:00:00Z].\nt(Y)@[S, E] :- t(X)@[S, E], Y = fn:plus(X, 1).\n".to_owned(), ""),
        hostile("a deferred cross product", format!("{}Decl both(X, Y) descr [deferred()].\nboth(X, Y) :- n(X), n(Y).\nc(X) :- both(X, Y), both(Y, X).\n", numbers(1500)), ""),
        hostile("comparisons of deep values", format!("{}s(X, Y) :- l(X), l(Y), X != Y.\n", loop_of("1", "fn:pair(X, X)")), ""),
        hostile("names", "n(/a).\nn(Y) :- n(X), T = fn:name:to_string(X), U = fn:string:concat(T, \"/a\"), Y = fn:pair(X, U).\n".to_owned(), ""),
    ]
}

/// Facts of sixty columns.
fn wide() -> String {
    let columns: Vec<String> = (0..60).map(|at| format!("C{at}")).collect();
    let values: Vec<String> = (0..60).map(|at| format!("C{at} = fn:plus(X, {at})")).collect();
    format!(
        "n(0).\nn(Y) :- n(X), Y = fn:plus(X, 1).\nw({}) :- n(X), {}.\n",
        columns.join(", "),
        values.join(", ")
    )
}

fn join(premises: usize) -> String {
    let names = |at: usize| if at == 0 { "A".to_owned() } else { format!("V{at}") };
    (0..premises).map(|at| format!("n({})", names(at))).collect::<Vec<_>>().join(", ")
}

fn negations(strata: usize) -> String {
    let mut text = "q(1).\nq(2).\ns0(1).\n".to_owned();
    for at in 1..=strata {
        let _ = writeln!(text, "s{at}(X) :- q(X), !s{}(X).", at - 1);
    }
    text
}

fn many(predicates: usize) -> String {
    (1..predicates).fold("p0(1).\n".to_owned(), |text, at| text + &format!("p{at}(X) :- p{}(X).\n", at - 1))
}

fn one_head(rules: usize) -> String {
    (0..rules).fold(numbers(300), |text, at| {
        text + &format!("h(X, Y) :- n(X), n(Y), X != Y, X < {at}, Y > {at}.\n")
    })
}

/// What limits in the messages are called; a run may reach any of them first.
pub(crate) fn says_limit(text: &str) -> bool {
    [LIMIT, LONGER, DEEP, "would be longer"].iter().any(|said| text.contains(said))
}
