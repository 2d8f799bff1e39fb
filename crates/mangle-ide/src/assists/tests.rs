use expect_test::{Expect, expect};

use super::{Assist, assists};
use crate::testing::Fixture;
use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_engine::program::{FileSummary, Program};
use mangle_syntax::lint::{Diagnostic, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{FileId, TextRange, TextSize, apply, size};

/// Returns the assists of a fixture with `$0`, or `$0…$0` around a selection.
fn offered(fixture: &Fixture) -> Vec<Assist> {
    let [(file, start), rest @ ..] = fixture.cursors.as_slice() else { panic!("no $0") };
    let end = rest.first().map_or(*start, |(_, end)| *end);
    assists(fixture.place_at(*file, *start), TextRange::new(*start, end), &|_| true)
}

fn applied(text: &str, assist: &Assist) -> String {
    let edits = assist.edits.iter().map(|edit| (edit.range, edit.text.as_str()));
    apply(text, edits).unwrap_or_else(|| panic!("{assist:?}"))
}

/// Checks the file after the assist with this ID was applied.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(id: &str, fixture: &str, expect: Expect) {
    let fixture = Fixture::new(fixture);
    let shown = match offered(&fixture).iter().find(|assist| assist.id == id) {
        Some(assist) => {
            let file = fixture.cursors.first().map_or(FileId(0), |(file, _)| *file);
            let beside = assist
                .test_file_text
                .as_ref()
                .map(|text| format!("\n--- beside\n{text}"))
                .unwrap_or_default();
            format!("{}\n---\n{}{beside}", assist.title, applied(fixture.text(file), assist))
        }
        None => "not offered".to_owned(),
    };
    expect.assert_eq(&shown.replace('\r', "␍"));
}

#[test]
fn declares_what_is_not_declared() {
    let id = "declare-predicate";
    check(
        id,
        "# Who.\np(Who, 1) :- q(Who).\nq(\"x\"). r() :- p$0(_, _).",
        expect![[r#"
            Declare `p/2`
            ---
            # Who.
            Decl p(Who, Arg2) bound [/string, /number].
            p(Who, 1) :- q(Who).
            q("x"). r() :- p(_, _)."#]],
    );
    check(
        id,
        "p$0(/a, [1]).\np(/b, [2]).",
        expect![[r#"
        Declare `p/2`
        ---
        Decl p(Arg1, Arg2) bound [/name, .List</number>].
        p(/a, [1]).
        p(/b, [2])."#]],
    );
    check(
        id,
        "r(X) :- q(X), p$0(X, X).\n",
        expect![[r#"
        Declare `p/2`
        ---
        Decl p(Arg1, Arg2) bound [/any, /any].
        r(X) :- q(X), p(X, X).
    "#]],
    );
    check(id, "Decl p(X).\np$0(1).", expect!["not offered"]);
    check(
        id,
        "Package a!\nq(1).\np(X) :- q$0(X).",
        expect![[r#"
            Declare `q/1`
            ---
            Package a!
            Decl q(Arg1) bound [/number].
            q(1).
            p(X) :- q(X)."#]],
    );
}

#[test]
fn extracts_a_helper_for_a_negation() {
    let id = "extract-negation-helper";
    check(
        id,
        "door(/d). locked(/d, /k).\nopen(D) :- door(D), !loc$0ked(D, _).\n",
        expect![[r#"
            add the helper rule `has_locked` and negate it instead
            ---
            door(/d). locked(/d, /k).
            has_locked(D) :- locked(D, _).

            open(D) :- door(D), !has_locked(D).
        "#]],
    );
    check(id, "door(/d). locked(/d).\nopen(D) :- door(D), !loc$0ked(D).\n", expect!["not offered"]);
    check(
        id,
        "door(/d). locked(/d, /k, /k).\nopen(D) :- door(D), !loc$0ked(D, K, K).\n",
        expect!["not offered"],
    );
}

#[test]
fn extracts_premises() {
    let id = "extract-rule";
    check(
        id,
        "a(X) :- b(X), $0c(X, Y), !d(Y)$0, e(X).\n",
        expect![[r#"
        Extract 2 premises into the rule `a_part`
        ---
        a(X) :- b(X), a_part(X), e(X).

        a_part(X) :-
            c(X, Y), !d(Y).
    "#]],
    );
    check(
        id,
        "a(X) :-\r\n    b(X),\r\n    $0c(X, Y), # why\r\n    Y = /n$0 ,\r\n    e(X, Y). # behind\r\n",
        expect![[r#"
            Extract 2 premises into the rule `a_part`
            ---
            a_part(X, Y) :-␍
                c(X, Y), # why␍
                Y = /n .␍
            ␍
            a(X) :-␍
                b(X),␍
                a_part(X, Y) ,␍
                e(X, Y). # behind␍
        "#]],
    );
    check(
        id,
        "a(N) :- $0b(X, Y)$0, c(X) |> do fn:group_by(), let N = fn:count().\n",
        expect![[r#"
        Extract the premise into the rule `a_part`
        ---
        a(N) :- a_part(X, Y), c(X) |> do fn:group_by(), let N = fn:count().

        a_part(X, Y) :-
            b(X, Y).
    "#]],
    );
    check(id, "a(X) :- b(X, Y), $0!c(Y)$0.\n", expect!["not offered"]);
    check(id, "a(X) :- b(X)@[_, now], $0c(X)$0.\n", expect!["not offered"]);
    check(id, "a(X) :- b(X), c$0(X).\n", expect!["not offered"]);
    check(id, "a(X) :- $0b(X). a_part(1). c(X) :-$0 b(X).\n", expect!["not offered"]);
}

#[test]
fn inlines_a_rule() {
    let id = "inline-rule";
    check(
        id,
        "h(A, B) :- b(A, Y), !c(Y, B), d(B).\na(X, Y) :- h$0(X, Z), e(Z, Y).\n",
        expect![[r#"
        Inline the rule of `h/2`
        ---
        h(A, B) :- b(A, Y), !c(Y, B), d(B).
        a(X, Y) :- b(X, Y2), !c(Y2, Z), d(Z), e(Z, Y).
    "#]],
    );
    check(
        id,
        "h(/k, A) :- b(A).\na(X) :- e(K), h$0(K, X).\n",
        expect![[r#"
        Inline the rule of `h/2`
        ---
        h(/k, A) :- b(A).
        a(X) :- e(K), K = /k, b(X).
    "#]],
    );
    check(
        id,
        "h(A, B) :- b(A, B).\na(X) :- h$0(X, _).\n",
        expect![[r#"
        Inline the rule of `h/2`
        ---
        h(A, B) :- b(A, B).
        a(X) :- b(X, B).
    "#]],
    );
    check(id, "h(A) :- b(A), h(A).\na(X) :- h$0(X).\n", expect!["not offered"]);
    check(id, "h(A) :- b(A). h(1).\na(X) :- h$0(X).\n", expect!["not offered"]);
    check(
        id,
        "h(A) :- b(A, _).\na(N) :- h$0(X) |> do fn:group_by(), let N = fn:count().\n",
        expect!["not offered"],
    );
    check(id, "h(A) :- b(A).\na(X) :- c(X), !h$0(X).\n", expect!["not offered"]);
}

#[test]
fn describes_parameters() {
    let id = "describe-parameters";
    check(
        id,
        "Decl p$0(X, Y) bound [/any, /any].",
        expect![[r#"
        Describe 2 parameters
        ---
        Decl p(X, Y) descr [arg(X, ""), arg(Y, "")] bound [/any, /any]."#]],
    );
    check(
        id,
        "Decl p$0(X, Y) descr [arg(X, \"x\")].",
        expect![[r#"
        Describe the parameter `Y`
        ---
        Decl p(X, Y) descr [arg(X, "x"), arg(Y, "")]."#]],
    );
    check(
        id,
        "Decl p$0(X) temporal descr [ ].",
        expect![[r#"
        Describe the parameter `X`
        ---
        Decl p(X) temporal descr [arg(X, "") ]."#]],
    );
    check(id, "Decl p$0(X) descr [arg(X, \"x\")].", expect!["not offered"]);
}

#[test]
fn converts_typed_arguments() {
    check(
        "convert-typed-arguments",
        "Decl p(A.Ty$0pe<string>, B.Type<n>).\nq(1).\nDecl r(C.Type<int>).\n",
        expect![[r#"
            Convert all `.Type<…>` of this file to `bound`
            ---
            Decl p(A, B) bound [/string, /name].
            q(1).
            Decl r(C) bound [/number].
        "#]],
    );
}

#[test]
fn sorts_declarations() {
    let id = "sort-declarations";
    check(
        id,
        "# c\nDecl c(X).\nDecl a$0(X).\n\n# two\nDecl b(X, Y).\nDecl b(X).\n# ---\n\nDecl aa(X).\nq(1).\n",
        expect![[r#"
            Sort 4 declarations by name
            ---
            Decl a(X).
            Decl b(X).

            # two
            Decl b(X, Y).
            # c
            Decl c(X).
            # ---

            Decl aa(X).
            q(1).
        "#]],
    );
    check(id, "Decl a$0(X).\nDecl b(X).\n", expect!["not offered"]);
}

#[test]
fn organises_uses() {
    let id = "organise-uses";
    let others = "#- x.mg\nPackage x!\np(1).\n#- y.mg\nPackage y!\nq(1).\n";
    check(
        id,
        &format!(
            "{others}#- main.mg\nPackage m!\nUse y!\nUse x!\nUse y!\nUse z!\na(X) :- x.p(X), y.q(X$0).\n"
        ),
        expect![[r#"
            Organise the `Use` statements
            ---
            Package m!
            Use x!
            Use y!
            a(X) :- x.p(X), y.q(X).
        "#]],
    );
    check(
        id,
        &format!("{others}#- main.mg\nUse y!\n\na(1$0).\n"),
        expect![[r#"
        Organise the `Use` statements
        ---

        a(1).
    "#]],
    );
    check(
        id,
        &format!("{others}#- main.mg\n# header\na(X) :- x.p(X$0).\n"),
        expect![[r#"
        Organise the `Use` statements
        ---
        # header
        Use x!

        a(X) :- x.p(X).
    "#]],
    );
    check(id, &format!("{others}#- main.mg\nUse x!\na(X) :- x.p(X$0).\n"), expect!["not offered"]);
}

/// Returns the errors of a single-file program.
fn errors(text: &str) -> Vec<String> {
    let summary = FileSummary::new(FileId(0), &SourceFile::parse(text.into()));
    let program = Program::new(vec![summary.into()]);
    let found = diagnostics(
        &program,
        &mangle_settings::RuleSettings::default(),
        &FindingCache::new(crate::registry::all()),
    );
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
    let all = found.iter().flat_map(|(_, found)| found).filter(is_error);
    all.map(|diagnostic| diagnostic.rule.name.to_owned()).collect()
}

/// Tries all assists at every position and with every selection of a line. None may panic, and none
/// may introduce an error.
#[test]
fn no_assist_breaks_a_program() {
    let text = "Decl b(X, Y).\nDecl a(X).\nb(/x, 1). b(/y, 2). c(/x).\n# why\na(X) :- b(X, Y), c(X), Y > 1.\nh(A, /z) :- b(A, N), !c(A), M = fn:plus(N, 1), b(_, M).\n\
        d(Y) :- h(X, Y), a(X), X = /y .\ne(N) :- h(X, _), b(X, Y) |> do fn:group_by(X), let N = fn:sum(Y).\n";
    assert_eq!(errors(text), Vec::<String>::new());
    let fixture = Fixture::new(text);
    let mut tried = 0;
    for start in 0..text.len() {
        let line_end = text.get(start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| start + at);
        for end in [start, (start + line_end) / 2, line_end] {
            let range = TextRange::new(size(start), size(end));
            for assist in assists(fixture.place_at(FileId(0), range.start()), range, &|_| true) {
                let new = applied(text, &assist);
                assert_eq!(errors(&new), Vec::<String>::new(), "{}\n{new}", assist.title);
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

#[test]
fn damaged_text_breaks_no_assist() {
    let text =
        "Decl p(X descr [arg(, ] .\r\np(🦀X, :- !q(/a.), q( |> do let X = .\r\nUse x\r\nDecl a(A.Type<.\r\n";
    let fixture = Fixture::new(text);
    for offset in 0..=text.len() {
        let place = fixture.place_at(FileId(0), size(offset));
        for end in [place.offset, TextSize::of(text)] {
            let _ = assists(place, TextRange::new(place.offset, end), &|_| true);
        }
    }
}

#[test]
fn generates_cases_of_tests() {
    let id = "generate-test-case";
    check(
        id,
        "Decl ask(Id, Who, Size) bound [/string, /name, /number].\nDecl safe(Who) bound [.Union<.Singleton</ann>, .Singleton</bob>>].\n\
         gra$0nted(Id, Who, Kind) :-\n    ask(Id, Who, Size),\n    safe(Who),\n    ask(_, Who, _),\n    Kind = /read,\n    Size < 10,\n    !barred(Who).\n",
        expect![[r#"
            Generate a test case from this rule
            ---
            Decl ask(Id, Who, Size) bound [/string, /name, /number].
            Decl safe(Who) bound [.Union<.Singleton</ann>, .Singleton</bob>>].
            granted(Id, Who, Kind) :-
                ask(Id, Who, Size),
                safe(Who),
                ask(_, Who, _),
                Kind = /read,
                Size < 10,
                !barred(Who).

            --- beside
            # @test name: granted follows from ask, safe
            ask("id", /ann, 3).
            safe(/ann).
            ask("other", /ann, 0).
            # @expect granted("id", /ann, /read)"#]],
    );
    check(
        id,
        "ask(\"a\", /$0ann).\nrequest(Id) :- ask(Id, _).\nof_ann(Id, W) :- ask(Id, /ann).\nof_bob(Id) :- ask(Id, /bob).\n\
         both(X) :- ask(X, _), request(X).\n",
        expect![[r#"
            Generate a test case from this fact
            ---
            ask("a", /ann).
            request(Id) :- ask(Id, _).
            of_ann(Id, W) :- ask(Id, /ann).
            of_bob(Id) :- ask(Id, /bob).
            both(X) :- ask(X, _), request(X).

            --- beside
            # @test name: facts derived from ask
            ask("a", /ann).
            # @expect request("a")
            # @expect of_ann("a", _)"#]],
    );
    check(
        id,
        "alone(1, [2, \"x\"])$0.\n",
        expect![[r#"
        Generate a test case from this fact
        ---
        alone(1, [2, "x"]).

        --- beside
        # @test name: facts derived from alone
        alone(1, [2, "x"]).
        # @expect alone(1, [2, "x"])"#]],
    );
    check(
        id,
        "p(X) :- q(X, 1), r(/$0a).\nq(1, 1).\nr(/a).\n",
        expect![[r#"
        Generate a test case from this fact
        ---
        p(X) :- q(X, 1), r(/a).
        q(1, 1).
        r(/a).

        --- beside
        # @test name: facts derived from r
        r(/a).
        # @expect r(/a)"#]],
    );
    check(id, "p(X) :- $0q(X, 1).\nq(1, 1).\n", expect!["not offered"]);
    check(id, "n(N) :- q(X) |> do fn:group_by(), let N$0 = fn:count().\nq(1).\n", expect!["not offered"]);
    check(
        id,
        "#- doors_test.mg\ndoor(/always).\n# @test name: one\ndoor(/a$0).\n# @expect open(/a)\n\n# @test name: two\ndoor(/b).\n\
         #- doors.mg\nopen(D) :- door(D).\n",
        expect![[r#"
            Generate a test case from this fact
            ---
            door(/always).
            # @test name: one
            door(/a).
            # @expect open(/a)

            # @test name: facts derived from door
            door(/a).
            # @expect open(/a)

            # @test name: two
            door(/b).
        "#]],
    );
    check(
        id,
        "#- doors_test.mg\n# @test name: one\ndoor(/a$0).\n#- doors.mg\nopen(D) :- door(D).\n",
        expect![[r#"
            Generate a test case from this fact
            ---
            # @test name: one
            door(/a).

            # @test name: facts derived from door
            door(/a).
            # @expect open(/a)
        "#]],
    );
}

/// Returns all files after the assist with this ID was applied.
fn all_files(id: &str, fixture: &str) -> String {
    let fixture = Fixture::new(fixture);
    let offered = offered(&fixture);
    let Some(assist) = offered.iter().find(|assist| assist.id == id) else { return "not offered".to_owned() };
    let mut out = format!("{}\n", assist.title);
    for file in fixture.ids() {
        let edits = assist.edits.iter().filter(|edit| edit.file == file);
        let edits: Vec<_> = edits.map(|edit| (edit.range, edit.text.as_str())).collect();
        let text = apply(fixture.text(file), edits).unwrap_or_else(|| panic!("{assist:?}"));
        out.push_str(&format!("#- {}\n{text}", fixture.names[file.0 as usize]));
    }
    out
}

#[test]
fn declarations_go_where_declarations_are() {
    let files =
        "#- rules.mg\nvan(/v1, 8).\nspare(V) :- va$0n(V, N), N > 3, seen(V).\n#- schemas.mg\nDecl a(X).\r\n";
    expect![[r#"
        Declare `van/2`
        #- rules.mg
        van(/v1, 8).
        spare(V) :- van(V, N), N > 3, seen(V).
        #- schemas.mg
        Decl a(X).␍
        Decl van(Arg1, Arg2) bound [/name, /number].␍
    "#]]
    .assert_eq(&all_files("declare-predicate", files).replace('\r', "␍"));
    expect![[r#"
        Declare all 2 predicates that have no `Decl`
        #- rules.mg
        van(/v1, 8).
        spare(V) :- van(V, N), N > 3, seen(V).
        #- schemas.mg
        Decl a(X).␍
        Decl van(Arg1, Arg2) bound [/name, /number].␍
        Decl spare(V) bound [/name].␍
    "#]]
    .assert_eq(&all_files("declare-all-predicates", files).replace('\r', "␍"));
    let of_used = files.replace("va$0n", "van").replace("seen", "se$0en");
    expect![[r#"
        Declare `seen/1`
        #- rules.mg
        van(/v1, 8).
        spare(V) :- van(V, N), N > 3, seen(V).
        #- schemas.mg
        Decl a(X).␍
        Decl seen(Arg1) bound [/any].␍
    "#]]
    .assert_eq(&all_files("declare-predicate", &of_used).replace('\r', "␍"));
    // A predicate used only by a test is declared in the test.
    let of_test = "#- a.mg\nDecl a(X).\n#- a_test.mg\nhelp$0er(X) :- a(X).\n# @test name: one\na(1).\n# @expect helper(1)\n";
    expect![[r#"
        Declare `helper/1`
        #- a.mg
        Decl a(X).
        #- a_test.mg
        Decl helper(X) bound [/any].
        helper(X) :- a(X).
        # @test name: one
        a(1).
        # @expect helper(1)
    "#]]
    .assert_eq(&all_files("declare-predicate", of_test));
    assert_eq!(all_files("declare-all-predicates", of_test), "not offered");
}
