#![allow(clippy::unwrap_used)]
//! Tests of completion: expected items at a cursor, and no panics.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::testing::{Fixture, every_place_of_the_examples};
use mangle_syntax::text::slice;

/// Checks the first items at the cursor, filtered by the typed text like in an editor.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
#[track_caller]
fn check(fixture: &str, shown: usize, expect: Expect) {
    let fixture = Fixture::new(fixture);
    let place = fixture.place();
    let found = completions(place);
    let typed = slice(place.text(), found.insert);
    let mut out = String::new();
    let begins = |item: &&Completion| item.label.starts_with(typed);
    for item in found.items.iter().filter(begins).take(shown) {
        let Completion { kind, label, signature, note, insertion, .. } = item;
        let _ = write!(out, "{kind:?} {label}{}", signature.as_deref().unwrap_or(""));
        if let Some(note) = note {
            let _ = write!(out, " ({note})");
        }
        let inserted = insertion.snippet.as_ref().unwrap_or(&insertion.plain);
        let _ = writeln!(out, "{}", if inserted == label { String::new() } else { format!(" → {inserted}") });
    }
    expect.assert_eq(&out);
}

/// Returns the labels at the cursor.
#[track_caller]
fn labels(fixture: &str) -> Vec<String> {
    let fixture = Fixture::new(fixture);
    completions(fixture.place()).items.into_iter().map(|item| item.label).collect()
}

const CREW: &str = "Decl crew(Person, Ship, Rank) bound [/name, /string, /number].\n\
                    Decl harbour(Ship, Town) bound [/string, /string].\n\
                    crew(/p/ann, \"Ida\", 3). crew(/p/bob, \"Ida\", 1).\n";

fn crew(rest: &str) -> String {
    format!("{CREW}{rest}")
}

#[test]
fn premises_come_with_their_arguments() {
    check(
        &crew("at(P, Town) :- crew(P, Ship, _), $0"),
        3,
        expect![[r#"
            Predicate harbour(Ship, Town) → harbour(${1:Ship}, ${2:Town})
            Predicate crew(Person, Ship, Rank) (1 use) → crew(${1:Person}, ${2:Ship}, ${3:Rank})
            Predicate at(P, Town) → at(${1:P}, ${2:Town})
        "#]],
    );
    check(
        &crew("at(P, Town) :- crew(P, Ship, _), h$0our(Ship, Town)."),
        3,
        expect![[r#"
        Predicate harbour(Ship, Town)
    "#]],
    );
    check(
        &crew("idle(P) :- crew(P, _, _), !h$0"),
        3,
        expect![[r#"
        Predicate harbour(Ship, Town) → harbour(${1:Ship}, ${2:Town})
    "#]],
    );
    check(
        &crew("p(X) :- crew(X, S, R), :str$0"),
        3,
        expect![[r#"
        Builtin :string:contains(/string, /string) → :string:contains(${1:X1}, ${2:X2})
        Builtin :string:ends_with(/string, /string) → :string:ends_with(${1:X1}, ${2:X2})
        Builtin :string:starts_with(/string, /string) → :string:starts_with(${1:X1}, ${2:X2})
    "#]],
    );
    check(
        &crew("p(X) :- crew(X, S, R), S$0"),
        3,
        expect![[r#"
        Variable S
    "#]],
    );
}

#[test]
fn arguments_are_variables_of_the_clause_then_what_was_seen() {
    check(
        &crew("at(P, Town) :- crew(P, Ship, _), harbour($0"),
        4,
        expect![[r#"
        Variable Ship
        Variable _ (any value)
        Variable Town
        Variable P
    "#]],
    );
    check(
        &crew("at(P, Town) :- crew(P, Ship, _), harbour(Ship, $0)."),
        4,
        expect![[r#"
        Variable Town
        Variable _ (any value)
        Variable P
        Variable Ship
    "#]],
    );
    check(
        &crew("crew($0, \"Ida\", 2)."),
        3,
        expect![[r#"
            Name /p/ann (1 use)
            Name /p/bob (1 use)
            Function fn:list:get(.List<X>, /number) (X) → fn:list:get(${1:X1}, ${2:X2})
        "#]],
    );
    check(
        &crew("crew(/p$0"),
        3,
        expect![[r#"
            Name /p/ann (1 use)
            Name /p/bob (1 use)
        "#]],
    );
    check(
        &crew("crew(/p/cid, $0, 2)."),
        3,
        expect![[r#"
            String "Ida" (2 uses)
            Function fn:string:concat(/any, …) (/string) → fn:string:concat(${1:X1}, ${2:X2})
            Function fn:list:get(.List<X>, /number) (X) → fn:list:get(${1:X1}, ${2:X2})
        "#]],
    );
    check(
        &crew("p(X) :- crew(X, _, _), X = $0."),
        4,
        expect![[r#"
            Name /p/ann (1 use)
            Name /p/bob (1 use)
            Function fn:minus(/number, …) (/number) → fn:minus(${1:X1}, ${2:X2})
            Function fn:plus(/number, …) (/number) → fn:plus(${1:X1}, ${2:X2})
        "#]],
    );
}

#[test]
fn names_that_a_type_lists() {
    check(
        "Decl door(D, State) bound [/name, .Union<.Singleton</open>, .Singleton</shut>>].\n\
         door(/d/1, /open).\np(D) :- door(D, $0).",
        5,
        expect![[r#"
            Name /open (1 use)
            Name /shut (declared)
            Variable State (new)
            Variable _ (any value)
            Variable D
        "#]],
    );
}

#[test]
fn statements() {
    check(
        &crew("$0"),
        6,
        expect![[r#"
        Predicate crew(Person, Ship, Rank) → crew(${1:Person}, ${2:Ship}, ${3:Rank})
        Predicate harbour(Ship, Town) → harbour(${1:Ship}, ${2:Town})
        Keyword Decl → Decl ${1:name}(${2:X}) bound [${3:/any}].
    "#]],
    );
    check(
        &crew("at(P, T) :- crew(P, S, _), harbour(S, T).\nDecl $0"),
        3,
        expect![[r#"
        Predicate at(P, T) (not declared) → at(P, T) bound [/name, /string].
    "#]],
    );
    check(
        &crew("at(P, T) :- crew(P, S, _), harbour(S, T).\nDecl at$0\n"),
        3,
        expect![[r#"
        Predicate at(P, T) (not declared) → at(P, T) bound [/name, /string].
    "#]],
    );
    check(
        "$0",
        9,
        expect![[r#"
        Keyword Package → Package ${1:name}!
        Keyword Use → Use ${1:package}!
        Keyword Decl → Decl ${1:name}(${2:X}) bound [${3:/any}].
    "#]],
    );
    check(
        "Package a!\n$0",
        9,
        expect![[r#"
        Keyword Use → Use ${1:package}!
        Keyword Decl → Decl ${1:name}(${2:X}) bound [${3:/any}].
    "#]],
    );
    check("p(1).\nU$0", 9, expect![[r#""#]]);
}

#[test]
fn declarations() {
    check(
        "Decl p(A, B) $0",
        9,
        expect![[r#"
        Keyword bound → bound [${1:/any, /any}]
        Keyword descr → descr [$1]
        Keyword inclusion → inclusion [$1]
        Keyword temporal
    "#]],
    );
    check(
        "Decl p(A, B) descr [] bound [/any, /any] $0",
        9,
        expect![[r#"
        Keyword bound → bound [${1:/any, /any}]
        Keyword inclusion → inclusion [$1]
    "#]],
    );
    check("Decl p(A, B) inclusion [] $0.", 9, expect![[r#""#]]);
    check(
        "Decl p(A, B) descr [arg(A, \"a\"), $0",
        5,
        expect![[r#"
        Descriptor arg(B, …) → arg(B, "$1")
        Descriptor doc → doc("$1")
        Descriptor mode → mode("${1:+}", "${2:+}")
        Descriptor extensional → extensional()
        Descriptor external → external()
    "#]],
    );
    check(
        "Decl p(A, B) descr [mode($0",
        5,
        expect![[r#"
        String "+"
        String "-"
        String "?"
    "#]],
    );
    check(
        "Decl p(A, B) descr [arg($0",
        5,
        expect![[r#"
        Variable A
        Variable B
    "#]],
    );
    check(
        "p(\"a\", 1).\nDecl p(A, B) bound [$0",
        2,
        expect![[r#"
        Type /string (inferred)
        Type /any
    "#]],
    );
    check(
        "Decl p(A, B) bound [.L$0",
        2,
        expect![[r#"
        Constructor .List → .List<${1:/any}>
    "#]],
    );
    check(
        "Decl p(A) bound [.Struct<$0",
        2,
        expect![[r#"
        Keyword opt → opt /${1:label} : ${2:/any}
    "#]],
    );
    check(
        "Decl q(A). Decl p(B) inclusion [$0",
        2,
        expect![[r#"
        Predicate q(A) → q(${1:A})
    "#]],
    );
}

#[test]
fn functions_only_where_they_may_stand() {
    check(
        "p(X) :- q(X), X = fn:pl$0",
        2,
        expect![[r#"
        Function fn:plus(/number, …) (/number) → fn:plus(${1:X1}, ${2:X2})
    "#]],
    );
    check(
        "p(X, N) :- q(X) |> $0",
        2,
        expect![[r#"
        Keyword do → do fn:group_by(${1:X}), let ${2:N} = fn:${3:count()}
        Keyword let → let ${1:N} = fn:${2:plus(X, 1)}
    "#]],
    );
    check(
        "p(X, N) :- q(X) |> do $0",
        2,
        expect![[r#"
        Function fn:group_by(X, …) (/any) → fn:group_by(${1:X})
    "#]],
    );
    check(
        "p(X, N) :- q(X) |> do fn:group_by($0",
        2,
        expect![[r#"
        Variable X
        Variable N
    "#]],
    );
    check(
        "p(X, N) :- q(X) |> do fn:group_by(X), let $0",
        2,
        expect![[r#"
        Variable N
    "#]],
    );
    check(
        "p(X, N) :- q(X) |> do fn:group_by(X), let N = fn:co$0",
        9,
        expect![[r#"
        Reducer fn:count() (/number) → fn:count()
        Reducer fn:collect(X, …) (.List<X>) → fn:collect(${1:X})
        Reducer fn:collect_distinct(X, …) (.List<X>) → fn:collect_distinct(${1:X})
        Reducer fn:collect_to_map(K, V) (.Map<K, V>) → fn:collect_to_map(${1:X1}, ${2:X2})
    "#]],
    );
    assert!(labels("p(X, N) :- q(X) |> let N = $0").iter().all(|label| label != "fn:count"));
    assert!(
        labels("p(X, N) :- q(X), N = $0").iter().all(|label| label != "fn:sum" && label != "fn:group_by")
    );
    // Functions that the engine cannot compute, or that its analysis rejects.
    assert!(labels("p(X) :- X = fn:$0").iter().all(|label| label != "fn:map:get" && label != "fn:some"));
}

#[test]
fn arguments_of_built_ins() {
    check(
        "p(N) :- q(L), :list:member($0, L), r(N).",
        3,
        expect![[r#"
        Variable N
    "#]],
    );
    check("p(N) :- q(S), :match_field(S, $0", 3, expect![[r#""#]]);
    check(
        "Decl q(S) bound [.Struct</a : /name>].\np(N) :- q(S), :match_field(S, $0",
        3,
        expect![[r#"
        Name /a
    "#]],
    );
    check(
        "q(1, /a). p(N) :- q(N, _), N < $0",
        3,
        expect![[r#"
            Function fn:minus(/number, …) (/number) → fn:minus(${1:X1}, ${2:X2})
            Function fn:plus(/number, …) (/number) → fn:plus(${1:X1}, ${2:X2})
            Function fn:div(/number, …) (/number) → fn:div(${1:X1}, ${2:X2})
        "#]],
    );
}

#[test]
fn time() {
    check(
        "p(X) :- q(X)@[$0",
        3,
        expect![[r#"
        Keyword now
        Keyword _
        Variable X
    "#]],
    );
    check(
        "p(X) :- <-[$0",
        3,
        expect![[r#"
        Snippet 0s
        Snippet 1h
        Snippet 7d
    "#]],
    );
    check(
        "Decl q(X) temporal. Decl r(X). p(X) :- <-[0s, 7d] $0",
        3,
        expect![[r#"
        Predicate q(X) → q(${1:X})
    "#]],
    );
}

#[test]
fn packages() {
    let other = "#- b.mg\nPackage b!\nDecl seen(X). Decl own(X) descr [private()].\n";
    check(
        &format!("#- a.mg\nUse $0\n{other}"),
        3,
        expect![[r#"
        Package b → b!
    "#]],
    );
    check(
        &format!("#- a.mg\nUse b!\np(X) :- $0\n{other}"),
        2,
        expect![[r#"
        Predicate b.seen(X) → b.seen(${1:X})
        Predicate p(X) → p(${1:X})
    "#]],
    );
    check(&format!("#- a.mg\np(X) :- b$0\n{other}"), 2, expect![[r#""#]]);
    check(
        "Package c!\nDecl q(X).\np(X) :- $0",
        1,
        expect![[r#"
        Predicate q(X) → q(${1:X})
    "#]],
    );
}

#[test]
fn comments_name_rules() {
    check(
        "# mangle-ls: $0",
        3,
        expect![[r#"
        Keyword ignore → ignore 
        Keyword ignore-file → ignore-file 
    "#]],
    );
    check(
        "# mangle-ls: ignore singl$0",
        3,
        expect![[r#"
        Rule singleton-variable MG215 (A variable that occurs once in its clause.)
    "#]],
    );
    check(
        "p(1). # mangle-ls: ignore MG215, type-f$0\r\n",
        3,
        expect![[r#"
            Rule type-fact-mismatch MG603 (A fact with a value outside of the declared type.)
        "#]],
    );
    check("# mangle-ls: ignore singleton-variable $0", 3, expect![[r#""#]]);
    check("# crew$0", 3, expect![[r#""#]]);
}

#[test]
fn nothing_where_nothing_belongs() {
    for fixture in [
        "p(\"cr$0ew\").",
        "p(X)$0",
        "p(X).$0",
        "p(X) :$0",
        "p(1$0",
        "Package $0",
        "p(X) :- q(X) $0",
        "p(X $0",
    ] {
        assert_eq!(labels(&crew(fixture)), [""; 0], "{fixture}");
    }
}

#[test]
fn half_typed_and_damaged() {
    check(
        &crew("p(X) :- crew(X, S, R), harb$0\nq(Y) :- p(Y).\n"),
        1,
        expect![[r#"
        Predicate harbour(Ship, Town) → harbour(${1:Ship}, ${2:Town})
    "#]],
    );
    check(
        &crew("p(X) :- crew(X, S, R, harbour($0\nq(Y) :- p(Y).\n"),
        1,
        expect![[r#"
        Variable S
    "#]],
    );
    check(
        &crew("p(X :- crew(X, S, R), harbour(S, $0"),
        1,
        expect![[r#"
        Variable Town (new)
    "#]],
    );
    check(
        &crew("p(X) :- crew(X, S, R)\nq(Y) :- ha$0"),
        1,
        expect![[r#"
        Predicate harbour(Ship, Town) → harbour(${1:Ship}, ${2:Town})
    "#]],
    );
    check(
        &crew("p(X, \"🦀é\") :-\r\n  crew(X, S, R), # 漢\r\n  harbour(S$0, T).\r\n"),
        1,
        expect![[r#"
        Variable S
    "#]],
    );
}

#[test]
fn a_half_typed_word_is_not_proposed() {
    assert!(labels("cre$0").iter().all(|label| label != "cre"));
    assert!(labels("p(X) :- cre$0").iter().all(|label| label != "cre"));
}

#[test]
fn deprecated_predicates_are_marked() {
    let fixture = Fixture::new("Decl old(X) descr [doc(\"Deprecated: ask new.\")].\np(X) :- o$0");
    let found = completions(fixture.place()).items.into_iter().find(|item| item.label == "old").unwrap();
    assert!(found.deprecated);
}

#[test]
fn very_many_predicates_are_cut() {
    let mut program: String = (0..1_000).fold(String::new(), |mut out, at| {
        let _ = writeln!(out, "Decl pred{at}(X).");
        out
    });
    program.push_str("p(X) :- pred99$0");
    let fixture = Fixture::new(&program);
    let found = completions(fixture.place());
    assert!(found.incomplete && found.items.len() <= LIMIT);
    assert!(["pred99", "pred990"].iter().all(|name| found.items.iter().any(|item| item.label == *name)));
}

#[test]
fn resolved() {
    let fixture =
        Fixture::new("Decl p(A, B) descr [doc(\"What p is.\")] bound [/name, /string].\nq(X) :- $0");
    let place = fixture.place();
    let items = completions(place).items;
    let mut out = String::new();
    for label in ["p", ":lt"] {
        let item = items.iter().find(|item| item.label == label).unwrap();
        let resolved = resolve(place.analysis, item.subject.as_ref().unwrap());
        let _ = writeln!(out, "{}\n{}", resolved.detail.unwrap(), resolved.documentation.to_plain());
    }
    expect![[r#"
        p(A: /name, B: /string)
        What p is.
        :lt(+/number, +/number)
        Integer comparison, written <. Anything but integers aborts the evaluation.
    "#]]
    .assert_eq(&out);
}

#[test]
fn anywhere_in_the_examples_whole_and_damaged() {
    let (mut asked, mut answered) = (0, 0);
    every_place_of_the_examples(37, |place| {
        let found = completions(place);
        asked += 1;
        answered += usize::from(!found.items.is_empty());
        assert!(found.insert.end() <= found.replace.end());
    });
    assert!(answered * 4 > asked, "{answered} of {asked}");
}

const CASES: &str = "#- a.mg\nDecl crew(Person, Rank) bound [/name, /number].\ncrew(/ann, 3). crew(/bob, 1).\n\
    lead(P) :- crew(P, 3).\n#- a_test.mg\n# @test name: one\ncrew(/cy, 2).\n";

#[test]
fn expectations_offer_keys_predicates_and_names() {
    let at = |line: &str| labels(&format!("{CASES}{line}"));
    let keys = [
        ["test", "expect", "forbid", "exact"].as_slice(),
        &["never", "always", "possible", "live", "equivalent", "implies", "assume", "inputs", "scope"],
    ]
    .concat();
    assert_eq!(at("# @$0\n"), keys);
    assert_eq!(at("# @e$0\np(1).\n"), keys);
    assert_eq!(at("# @exact $0\n"), ["crew/2", "lead/1"]);
    assert_eq!(at("# @exact le$0"), ["lead/1"]);
    assert_eq!(at("# @expec$0t lead(/x)\n").len(), keys.len());
    check(
        &format!("{CASES}# @expect l$0\n"),
        2,
        expect![[r#"
            Predicate lead(P) → lead(${1:P})
        "#]],
    );
    check(
        &format!("{CASES}# @forbid crew(/$0\n"),
        4,
        expect![[r#"
            Name /cy (1 use)
            Name /ann (1 use)
            Name /bob (1 use)
        "#]],
    );
    assert!(at("# @forbid crew(/ann, 3), $0\n").iter().all(|label| !label.contains(':')));
    assert_eq!(at("# @test name: cr$0\n"), Vec::<String>::new());
    // Existing text after a key is kept.
    let fixture = Fixture::new(&format!("{CASES}# @for$0 crew(/ann, 3)\n"));
    let found = completions(fixture.place());
    assert!(found.items.iter().all(|item| item.insertion.plain == item.label));
}

#[test]
fn bodies_of_properties_offer_what_bodies_of_rules_do() {
    let at = |line: &str| labels(&format!("{CASES}{line}"));
    assert!(at("# @never name: x\n#   cr$0\n").contains(&"crew".to_owned()));
    assert!(at("# @never crew(P, 3), $0\n").contains(&":lt".to_owned()));
    assert!(at("# @always crew(P, 3) then le$0\n").contains(&"lead".to_owned()));
    assert!(at("# @assume never crew(/$0\n").contains(&"/ann".to_owned()));
    assert_eq!(at("# @inputs + cr$0\n"), ["crew/2"]);
    assert_eq!(at("# @scope $0\n"), Vec::<String>::new());
}

#[test]
fn previews_offer_settings_and_modes() {
    let at = |line: &str| labels(&format!("#- x.kernel.mg\n{line}\np(1).\n"));
    assert_eq!(at("# @preview $0"), agent_prompt::KEYS);
    assert_eq!(at("# @preview se$0"), agent_prompt::KEYS);
    assert_eq!(at("# @preview mode: $0"), ["legacy", "section", "jit", "jit(atoms=…)"]);
    assert_eq!(at("# @preview mode: j$0"), ["legacy", "section", "jit", "jit(atoms=…)"]);
    assert_eq!(at("# @preview shard: $0"), Vec::<String>::new());
}
