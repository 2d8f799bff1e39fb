//! Regression tests of answers that depend on values omitted by an incomplete search.

use std::sync::Arc;

use mangle_check::policy_test::property::{Piece, Properties};
use mangle_engine::kernel::{Limits, Reading};
use mangle_engine::program::{FileSummary, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId, TextRange, text_len};

use super::NOW;
use crate::{AbortMemo, Answer, Scope, Setup, Verdict, compare, pair, survey_rules, verify};

/// Calls `with` with the setup of a policy and its test file.
fn with_setup<T>(policy: &str, tests: &str, with: impl FnOnce(Setup<'_>, &Properties) -> T) -> T {
    let files = [policy, tests];
    let summary =
        |(id, text): (u32, &&str)| Arc::new(FileSummary::new(FileId(id), &SourceFile::parse((*text).into())));
    let program = Program::new((0u32..).zip(&files).map(summary).collect());
    let properties = Properties::read(program.file(FileId(1)).unwrap());
    let setup = Setup {
        program: &program,
        file: Some(FileId(1)),
        restrictions: &properties.restrictions,
        reading: Reading::Engine,
        limits: Limits { steps: 200_000, ..Limits::default() },
        clock: NOW,
        inputs: &[],
        consumer: &|_, name| Err(format!("unknown consumer `{name}`")),
        aborts: &AbortMemo::default(),
        solvers: &crate::Solvers::default(),
        name: &|id| if id == FileId(0) { "policy.mg".to_owned() } else { "policy_test.mg".to_owned() },
        other: &|path| Err(format!("nothing is at {path}")),
    };
    with(setup, &properties)
}

/// Returns the answer to the first property of a test file.
fn answer(policy: &str, tests: &str) -> Answer {
    with_setup(policy, tests, |setup, properties| {
        verify(setup, &properties.all[0], Scope::default(), &Cancel::new())
    })
}

/// Checks the answer and the size of its world. For questions that only a solver decides, checks
/// the reasons.
#[track_caller]
fn check(policy: &str, tests: &str, expected: &str) {
    let answer = answer(policy, tests);
    let world = answer.world.clone().unwrap_or_default().join(" ");
    let smallest = if answer.is_smallest { "smallest " } else { "" };
    let told = match answer.verdict {
        Verdict::NotDecided => answer.message,
        verdict => format!("{} {smallest}{}", verdict.as_str(), world).trim().to_owned(),
    };
    assert_eq!(told, expected);
}

#[test]
fn element_at_an_index_is_reached_before_an_abort_is_an_answer() {
    check(
        r#"Decl l(X) descr [extensional()] bound [.List</number>].
q() :- l(X), A = fn:list:get(X, 2), A = 7."#,
        r#"# @never q()"#,
        r#"violated smallest l([1, 1, 7])"#,
    );
}

#[test]
fn identifiers_that_an_assumption_makes_unique_are_enough_for_a_count() {
    check(
        r#"Decl r(ID, A) descr [extensional()] bound [/string, /name].
act(A) :- r(_, A).
c(N) :- act(A) |> do fn:group_by(), let N = fn:count()."#,
        r#"# @assume never r(ID, A), r(ID, B), A != B
# @never name: four kinds of requests
#   c(N), N >= 4"#,
        r#"violated smallest r("a",/a) r("b",/b) r("c",/c) r("d",/d)"#,
    );
}

#[test]
fn remainders_of_quotients_are_met() {
    check(
        r#"Decl n(X) descr [extensional()] bound [/number].
q(X) :- n(X), A = fn:div(X, 8), B = fn:mod(A, 2), B = 1, C = fn:mod(X, 2), C = 0, X > 100."#,
        r#"# @never q(_)"#,
        "violated smallest n(104)",
    );
}

#[test]
fn arithmetic_of_floats_is_no_proof() {
    check(
        r#"Decl f(X) descr [extensional()] bound [/float64].
q(X) :- f(X), Y = fn:float:mult(X, X), S = fn:float64:to_string(Y), S = "+Inf"."#,
        r#"# @never q(_)"#,
        r#"no violation found up to 5 facts, but not every value was tried: `fn:float64:to_string` on `f/1`: 1 value tried; arithmetic of floats on `f/1`: 1 value tried; a solver (z3 or cvc5) could decide it"#,
    );
}

#[test]
fn lists_are_as_long_as_the_rules_take_them_apart() {
    check(
        r#"Decl r(L) descr [extensional()] bound [.List</name>].
long() :- r(L), :match_cons(L, _, A), :match_cons(A, _, B), :match_cons(B, _, C), :match_cons(C, _, D), :match_cons(D, _, _)."#,
        r#"# @never long()"#,
        r#"violated smallest r([/a, /a, /a, /a, /a])"#,
    );
}

#[test]
fn elements_of_a_list_repeat() {
    check(
        r#"Decl r(L) descr [extensional()] bound [.List</name>].
dup(H) :- r(L), :match_cons(L, H, T), :match_cons(T, H2, _), H = H2."#,
        r#"# @never dup(_)"#,
        r#"violated smallest r([/a, /a])"#,
    );
}

#[test]
fn members_of_lists_are_no_proof() {
    check(
        r#"Decl r(L) descr [extensional()] bound [.List</name>].
all() :- r(L), T = fn:list:contains(L, /c1), U = fn:list:contains(L, /c3), V = fn:list:contains(L, /c5), T = /true, U = /true, V = /true .
cs(/c1). cs(/c2). cs(/c3). cs(/c4). cs(/c5). cs(/c6).
has(X) :- r(L), :list:member(X, L).
bad(X) :- has(X), cs(X)."#,
        r#"# @never all(), !bad(/c2)"#,
        r#"no violation found up to 5 facts, but not every value was tried: members of lists on `r/1`: 37 values tried; a solver (z3 or cvc5) could decide it"#,
    );
}

#[test]
fn root_and_tip_of_a_name_make_a_rule_live() {
    check(
        r#"Decl p(X) descr [extensional()] bound [/name].
q(X) :- p(X), R = fn:name:root(X), R = /secret, T = fn:name:tip(X), T = /key ."#,
        r#"# @live q/1 policy.mg:2"#,
        r#"possible smallest p(/secret/key)"#,
    );
}

#[test]
fn names_are_as_deep_as_the_rules_count() {
    check(
        r#"Decl p(X) descr [extensional()] bound [/name].
deep(X) :- p(X), L = fn:name:list(X), N = fn:list:len(L), N >= 3."#,
        r#"# @never deep(_)"#,
        r#"violated smallest p(/a/a/a)"#,
    );
}

#[test]
fn prefix_of_a_name_can_end_inside_a_part() {
    check(
        r#"Decl p(X) descr [extensional()] bound [/name].
secret(X) :- p(X), :match_prefix(X, /secret).
under(X) :- p(X), S = fn:name:to_string(X), :string:starts_with(S, "/secret/")."#,
        r#"# @always name: what is secret is below /secret
#   secret(X) then under(X)"#,
        r#"violated smallest p(/secreta)"#,
    );
}

#[test]
fn root_and_tip_of_a_name_are_met_together() {
    check(
        r#"Decl p(X) descr [extensional()] bound [/name].
secret(X) :- p(X), R = fn:name:root(X), R = /secret, T = fn:name:tip(X), T = /key ."#,
        r#"# @never secret(_)"#,
        r#"violated smallest p(/secret/key)"#,
    );
}

#[test]
fn values_told_apart_by_negation_are_enough() {
    check(
        r#"Decl m(P, T) descr [extensional()] bound [/name, /name].
same(X, Y) :- m(X, T), m(Y, T)."#,
        r#"# @never name: four people of four teams
#   m(A, _), m(B, _), m(C, _), m(D, _), !same(A, B), !same(A, C), !same(A, D), !same(B, C), !same(B, D), !same(C, D)"#,
        r#"violated smallest m(/a,/a) m(/b,/b) m(/c,/c) m(/d,/d)"#,
    );
}

#[test]
fn texts_of_numbers_are_met() {
    check(
        r#"Decl n(X) descr [extensional()] bound [/number].
neg(X) :- n(X), S = fn:number:to_string(X), :string:contains(S, "-")."#,
        r#"# @never neg(_)"#,
        r#"violated smallest n(-1)"#,
    );
}

#[test]
fn values_told_apart_by_one_inequality_are_enough() {
    check(
        r#"Decl a(X) descr [extensional()] bound [/name].
Decl diff(X, Y) bound [/name, /name].
diff(X, Y) :- a(X), a(Y), X != Y."#,
        r#"# @never name: four signers
#   diff(A, B), diff(A, C), diff(A, D), diff(B, C), diff(B, D), diff(C, D)"#,
        r#"violated smallest a(/a) a(/b) a(/c) a(/d)"#,
    );
}

#[test]
fn products_are_no_proof() {
    check(
        r#"Decl n(X) descr [extensional()] bound [/number].
Decl m(X) descr [extensional()] bound [/number].
ok() :- n(A), m(B), A > 1, B > 1, C = fn:mult(A, B), C = 91."#,
        r#"# @never ok()"#,
        r#"no violation found up to 5 facts, but not every value was tried: products of 2 numbers on `m/1` and `n/1`: 11 values tried; a solver (z3 or cvc5) could decide it"#,
    );
}

#[test]
fn chains_of_a_recursion_are_as_long_as_the_world() {
    check(
        r#"Decl grants(A, B) descr [extensional()] bound [/name, /name].
can(/root).
can(B) :- can(A), grants(A, B).
d1(B) :- grants(/root, B).
d2(B) :- d1(A), grants(A, B).
d3(B) :- d2(A), grants(A, B)."#,
        r#"# @never name: whoever can, was granted it within three steps
#   can(A), A != /root, !d1(A), !d2(A), !d3(A)"#,
        r#"violated smallest grants(/a,/b) grants(/b,/c) grants(/c,/d) grants(/root,/a)"#,
    );
}

#[test]
fn smallest_world_has_no_smaller_one() {
    check(
        r#"Decl p(X) descr [extensional()] bound [/name].
Decl z(X) descr [extensional()] bound [/name].
q() :- p(X), R = fn:name:root(X), R = /secret, T = fn:name:tip(X), T = /key .
q() :- p(/a), z(/b)."#,
        r#"# @never q()"#,
        r#"violated smallest p(/secret/key)"#,
    );
}

#[test]
fn sums_of_groups_are_no_proof() {
    check(
        r#"Decl v(K, X) descr [extensional()] bound [/string, /number].
tot(T) :- v(_, X) |> do fn:group_by(), let T = fn:sum(X).
big() :- v(_, X), X > 400."#,
        r#"# @scope facts 3
# @never name: a total that just passes the limit
#   tot(T), T > 1000, T < 1010, !big()"#,
        r#"no violation found up to 3 facts, but not every value was tried: sums over the rows of a group on `v/2`: 24 values tried; a solver (z3 or cvc5) could decide it"#,
    );
}

#[test]
fn texts_have_letters_between_prefix_and_part() {
    check(
        r#"Decl s(X) descr [extensional()] bound [/string].
ok(X) :- s(X), :string:starts_with(X, "src/"), :string:contains(X, "/test"), !bad(X).
bad(X) :- s(X), :string:contains(X, "//")."#,
        r#"# @never ok(_)"#,
        r#"violated smallest s("src/test")"#,
    );
}

#[test]
fn concatenations_of_two_inputs_are_no_proof() {
    check(
        r#"Decl s(X) descr [extensional()] bound [/string].
Decl u(X) descr [extensional()] bound [/string].
bad(X) :- s(X), :string:contains(X, "secret").
bad(X) :- u(X), :string:contains(X, "secret").
q() :- s(A), u(B), !bad(A), !bad(B), C = fn:string:concat(A, B), :string:contains(C, "secret")."#,
        r#"# @never name: two clean halves do not make a secret
#   q()"#,
        r#"no violation found up to 5 facts, but not every value was tried: concatenations of several texts on `s/1` and `u/1`: 12 values tried; a solver (z3 or cvc5) could decide it"#,
    );
}

#[test]
fn tests_of_two_texts_of_a_world_are_no_proof() {
    check(
        r#"Decl s(X) descr [extensional()] bound [/string].
sub(A, B) :- s(A), s(B), A != B, :string:starts_with(A, B)."#,
        r#"# @scope facts 3
# @never sub(A, B), sub(B, C), sub(C, D)"#,
        r#"no violation found up to 3 facts, but not every value was tried: tests of one text with another one on `s/1`: 9 values tried; a solver (z3 or cvc5) could decide it"#,
    );
}

#[test]
fn sums_of_three_inputs_are_no_proof() {
    check(
        r#"Decl n(X) descr [extensional()] bound [/number].
Decl m(X) descr [extensional()] bound [/number].
Decl o(X) descr [extensional()] bound [/number].
ok() :- n(A), m(B), o(C), A < 40, B < 40, C < 40, T = fn:plus(A, B, C), T > 100, T < 104."#,
        r#"# @never ok()"#,
        r#"no violation found up to 5 facts, but not every value was tried: sums of 3 numbers on `m/1`, `n/1` and `o/1`: 17 values tried; a solver (z3 or cvc5) could decide it"#,
    );
}

#[test]
fn parts_of_times_are_no_proof() {
    check(
        r#"Decl at(ID, T) descr [extensional()] bound [/string, /time].
q(T) :- at(_, T), H = fn:time:hour(T), H >= 9, H < 17, D = fn:time:day(T), D = 13, M = fn:time:month(T), M = 6."#,
        r#"# @never q(_)"#,
        r#"no violation found up to 5 facts, but not every value was tried: `fn:time:day` on `at/2`: 11 values tried; `fn:time:hour` on `at/2`: 11 values tried; `fn:time:month` on `at/2`: 11 values tried; a solver (z3 or cvc5) could decide it"#,
    );
}

#[test]
fn elements_of_a_list_have_the_declared_type() {
    check(
        r#"Decl l(X) descr [extensional()] bound [.List</u>].
q() :- l(X), X = [/v/a]."#,
        r#"# @never q()"#,
        r#"holds_up_to"#,
    );
}

#[test]
fn names_of_a_world_are_legal() {
    check(
        r#"Decl p(X) descr [extensional()] bound [/name].
q(X) :- p(X), S = fn:name:to_string(X), S = "/a b"."#,
        r#"# @never q(_)"#,
        r#"holds_up_to"#,
    );
}

#[test]
fn closure_differs_from_three_steps() {
    let new = "Decl e(X, Y) descr [extensional()] bound [/name, /name].
        reach(X, Y) :- e(X, Y).
        reach(X, Z) :- e(X, Y), e(Y, Z).
        reach(X, W) :- e(X, Y), e(Y, Z), e(Z, W).";
    let old = "Decl e(X, Y) descr [extensional()] bound [/name, /name].
        reach(X, Y) :- e(X, Y).
        reach(X, Z) :- reach(X, Y), e(Y, Z).";
    with_setup(new, "", |setup, _| {
        let summary = Arc::new(FileSummary::new(FileId(2), &SourceFile::parse(old.into())));
        let pair = pair(setup, &Program::new(vec![summary]));
        let text = "reach(X, Y)".to_owned();
        let atom = Piece { range: TextRange::up_to(text_len(&text)), text };
        let found = compare(setup, &pair, &atom, Scope::default(), &Cancel::new()).unwrap();
        assert!(found.added.is_empty() && found.undecided.is_none());
        assert_eq!(found.removed[0].world.len(), 4);
    });
}

#[test]
fn rules_that_fire_are_not_reported() {
    let policy = r#"
        Decl l(L) descr [extensional()] bound [.List</name>].
        Decl p(X) descr [extensional()] bound [/name].
        Decl s(X) descr [extensional()] bound [/string].
        Decl n(X) descr [extensional()] bound [/number].
        dup(H) :- l(L), :match_cons(L, H, T), :match_cons(T, H2, _), H = H2.
        key(X) :- p(X), R = fn:name:root(X), R = /secret, T = fn:name:tip(X), T = /key .
        out(X) :- s(X), :string:starts_with(X, "src/"), :string:contains(X, "/test"), !bad(X).
        bad(X) :- s(X), :string:contains(X, "//").
        neg(X) :- n(X), S = fn:number:to_string(X), :string:starts_with(S, "-").
        prime() :- n(A), n(B), A > 1, B > 1, C = fn:mult(A, B), C = 91.
        never(X) :- p(X), X = /a, X = /b ."#;
    let survey = with_setup(policy, "", |setup, _| {
        survey_rules(setup, Scope::default(), &|_| true, &mut |_, _| {}, &Cancel::new())
    });
    let idle: Vec<&str> = survey.idle.iter().map(|idle| idle.predicate.name.as_str()).collect();
    assert_eq!(idle, ["never"]);
}

#[test]
fn order_of_premises_does_not_change_the_answer() {
    let policy = "Decl p(X) descr [extensional()] bound [/string].\nDecl isa(X).\nDecl q(X).";
    for body in ["isa(X), p(X), q(X)", "p(X), isa(X), q(X)", "q(X), isa(X), p(X)"] {
        check(policy, &format!("# @never {body}"), r#"violated smallest isa("a") p("a") q("a")"#);
    }
}

#[test]
fn arithmetic_with_constants_is_complete() {
    let policy =
        "Decl n(X) descr [extensional()] bound [/number].\nDecl m(X) descr [extensional()] bound [/number].";
    check(policy, "# @never n(X), fn:mod(X, 4) = 3, fn:mod(X, 2) = 0", "holds_up_to");
    check(
        policy,
        "# @never n(X), Y = fn:plus(X, 5), Y < 3, X > 0",
        "violated smallest n(9223372036854775803)",
    );
    check(policy, "# @never n(X), X > 7, X < 1000, fn:mult(X, 3) < 25, fn:plus(X, 1) > 9", "holds_up_to");
    check(policy, "# @never n(X), fn:div(100, X) = 33, fn:mod(100, X) = 1", "violated smallest n(3)");
}

#[test]
fn chains_of_a_relation_on_another_kind_are_complete() {
    let policy = "
        Decl e(X, Y) descr [extensional()] bound [/u, /u].
        up(X, Y) :- e(X, Y).
        up(X, Z) :- up(X, Y), e(Y, Z).";
    check(policy, "# @never up(X, X), !e(X, X)", "violated smallest e(/u/a,/u/b) e(/u/b,/u/a)");
    check(policy, "# @never up(X, Y), !e(X, _)", "holds_up_to");
}

#[test]
fn finite_types_have_no_other_values() {
    let policy = "Decl light(X) descr [extensional()] bound [.Union<.Singleton</red>, .Singleton</green>>].
        count(N) :- light(X) |> do fn:group_by(), let N = fn:count().";
    check(policy, "# @never count(N), N > 2", "holds_up_to");
    check(policy, "# @never count(N), N > 1", "violated smallest light(/green) light(/red)");
}

#[test]
fn values_between_constants_are_all_values() {
    let policy = "Decl n(X) descr [extensional()] bound [/number].";
    check(
        policy,
        "# @never n(A), n(B), n(C), A < B, B < C, A > 3, C < 7",
        "violated smallest n(4) n(5) n(6)",
    );
    check(policy, "# @never n(A), n(B), n(C), A < B, B < C, A > 3, C < 6", "holds_up_to");
}
