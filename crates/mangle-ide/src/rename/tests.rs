#![allow(clippy::unwrap_used)]
use expect_test::{Expect, expect};

use super::*;
use crate::testing::Fixture;
use mangle_syntax::text::{LineIndex, apply};

/// Returns the fixture after a rename, or the refusal.
fn renamed(fixture: &str, new: &str) -> String {
    let marked = Fixture::new(fixture);
    match rename(marked.place(), &[], new) {
        Err(refusal) => {
            let at = refusal.at.map(|(file, range)| {
                let text = marked.text(file);
                let line = LineIndex::new(text).line_of(range.start()) + 1;
                format!("{}:{line}: {}\n", marked.names[file.0 as usize], slice(text, range))
            });
            format!("{}\n{}", refusal.message, at.unwrap_or_default())
        }
        Ok(edits) => {
            let mut out = String::new();
            for file in marked.ids() {
                let here = edits.iter().filter(|edit| edit.file == file);
                let here = here.map(|edit| (edit.range, edit.text.as_str()));
                let text = apply(marked.text(file), here).unwrap();
                if marked.names.len() > 1 {
                    out.push_str(&format!("#- {}\n", marked.names[file.0 as usize]));
                }
                out.push_str(&text);
            }
            out
        }
    }
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(fixture: &str, new: &str, expect: Expect) {
    expect.assert_eq(&renamed(fixture, new).replace('\r', ""));
}

#[test]
fn a_predicate_over_all_files() {
    check(
        "#- a.mg\nDecl p(X) inclusion [p(X)].\nDecl m(X, Y) descr [fundep([X], [Y]), merge([Y], \"p\")].\nDecl p(A, B, C).\n# p(X)\np(1).\r\n#- b.mg\n# 🦀\nr(\"🦀\", X) :- p$0(X), !p(X), p(X, _, _), <-[0d, 1d] p(X), p(X)@[_, T].\n",
        "quite_new",
        expect![[r##"
            #- a.mg
            Decl quite_new(X) inclusion [quite_new(X)].
            Decl m(X, Y) descr [fundep([X], [Y]), merge([Y], "p")].
            Decl p(A, B, C).
            # p(X)
            quite_new(1).
            #- b.mg
            # 🦀
            r("🦀", X) :- quite_new(X), !quite_new(X), p(X, _, _), <-[0d, 1d] quite_new(X), quite_new(X)@[_, T].
        "##]],
    );
    check(
        "Decl m(X, Y) descr [fundep([X], [Y]), merge([Y], 'best')].\nDecl best$0(A, B, C) descr [deferred()].\nbest(A, B, C) :- A < B, C = A.\n",
        "top",
        expect![[r#"
            Decl m(X, Y) descr [fundep([X], [Y]), merge([Y], 'top')].
            Decl top(A, B, C) descr [deferred()].
            top(A, B, C) :- A < B, C = A.
        "#]],
    );
}

#[test]
fn a_predicate_of_a_package() {
    let files = "#- a.mg\nPackage a.b!\nDecl p(X).\nq(X) :- p(X), a.b.p(X), r(X).\n#- b.mg\nUse a.b!\np(1).\nq(X) :- a.b.p$0(X), p(X).\n";
    check(
        files,
        "s",
        expect![[r#"
        #- a.mg
        Package a.b!
        Decl s(X).
        q(X) :- s(X), a.b.s(X), r(X).
        #- b.mg
        Use a.b!
        p(1).
        q(X) :- a.b.s(X), p(X).
    "#]],
    );
    check(
        files,
        "r",
        expect![[r#"
        Here, `r` would refer to another predicate.
        a.mg:3: r
    "#]],
    );
    check(
        &files.replace("p$0", "p").replace("p(1)", "p$0(1)"),
        "r",
        expect![[r#"
        `r/1` is already in use. The rename would merge both.
        a.mg:3: r
    "#]],
    );
    check(
        &files.replace("p$0", "p").replace(":- p(X)", ":- p$0(X)"),
        "s",
        expect![[r#"
        #- a.mg
        Package a.b!
        Decl s(X).
        q(X) :- s(X), a.b.s(X), r(X).
        #- b.mg
        Use a.b!
        p(1).
        q(X) :- a.b.s(X), p(X).
    "#]],
    );
    check(
        "#- a.mg\nPackage a!\ns(1).\nq(X) :- p(X).\n#- b.mg\nUse a!\np$0(1).\n",
        "s",
        expect![[r#"
        Here, `s` would refer to another predicate.
        a.mg:3: p
    "#]],
    );
}

#[test]
fn a_package() {
    check(
        "#- a.mg\nPackage a.b$0!\nDecl p(X).\nq(X) :- p(X), a.b.p(X), r(X).\n#- b.mg\nUse a.b!\nUse a!\nq(X) :- a.b.p(X), a.p(X), x.a.b.p(X).\n",
        "c",
        expect![[r#"
            #- a.mg
            Package c!
            Decl p(X).
            q(X) :- p(X), c.p(X), r(X).
            #- b.mg
            Use c!
            Use a!
            q(X) :- c.p(X), a.p(X), x.a.b.p(X).
        "#]],
    );
    check(
        "#- a.mg\nPackage a$0!\np(1).\n#- b.mg\nPackage b!\n",
        "b",
        expect![[r#"
        The package `b` is already declared. The rename would merge both.
        b.mg:1: b
    "#]],
    );
    check(
        "Package a$0!\np(1).\n",
        "B.c",
        expect![[r#"
        `B.c` is not a package name: lower-case letters, digits and `_`, in parts between dots.
    "#]],
    );
}

#[test]
fn a_variable_everywhere_in_its_clause() {
    check(
        "p(X$0, Y) :- q(fn:f([X], {/k : X}))@[X, _], <-[X, 7d] r(Y), X != Y |> do fn:group_by(X), let Y = fn:plus(X, 1).\nq(X).",
        "Much",
        expect![[r#"
            p(Much, Y) :- q(fn:f([Much], {/k : Much}))@[Much, _], <-[Much, 7d] r(Y), Much != Y |> do fn:group_by(Much), let Y = fn:plus(Much, 1).
            q(X)."#]],
    );
    check(
        "Decl p(X, Y) descr [arg(X$0, \"X\"), fundep([X], [Y])] bound [X, Y] inclusion [q(X)].",
        "T",
        expect![[r#"Decl p(T, Y) descr [arg(T, "X"), fundep([T], [Y])] bound [X, Y] inclusion [q(T)]."#]],
    );
    check("Decl p(X, Y) bound [X$0, .List<X>].", "T", expect!["Decl p(X, Y) bound [T, .List<T>]."]);
}

#[test]
fn a_name_and_the_types_that_it_is() {
    check(
        "#- a.mg\nDecl p(X) bound [/role].\np(/role). p(/roles). q({/role : /a}).\n#- b.mg\nq(X) :- p(X), X != /role$0 .\n",
        "/rank.of~x",
        expect![[r#"
            #- a.mg
            Decl p(X) bound [/rank.of~x].
            p(/rank.of~x). p(/roles). q({/rank.of~x : /a}).
            #- b.mg
            q(X) :- p(X), X != /rank.of~x .
        "#]],
    );
}

#[test]
fn names_do_not_change_their_family() {
    let files = "Decl p(X) bound [/role].\np(/role/x).\nq(/other).\ns(X) :- p(X), :match_prefix(X, /role/x).\nr(/role/xy).\n";
    check(
        &files.replace("/other", "/oth$0er"),
        "/role/y",
        expect![[r#"
        `/role/y` would join the names below `/role`.
        main.mg:1: /role
    "#]],
    );
    check(
        &files.replace("p(/role/x)", "p(/role/x$0)"),
        "/x",
        expect![[r#"
        `/role/x` would leave the names below `/role`.
        main.mg:1: /role
    "#]],
    );
    check(
        &files.replace("[/role]", "[/ro$0le]"),
        "/rank",
        expect![[r#"
        `/role/x` would leave the names below `/role`.
        main.mg:1: /role
    "#]],
    );
    check(
        &files.replace("p(/role/x)", "p(/role/x$0)"),
        "/role/z",
        expect![[r#"
        `/role/xy` would leave the names below `/role/x`.
        main.mg:4: /role/x
    "#]],
    );
    check(
        &files.replace("/other", "/oth$0er"),
        "/role/xz",
        expect![[r#"
        `/role/xz` would join the names below `/role`.
        main.mg:1: /role
    "#]],
    );
    check(
        &files.replace("/other", "/oth$0er"),
        "/another",
        expect![[r#"
        Decl p(X) bound [/role].
        p(/role/x).
        q(/another).
        s(X) :- p(X), :match_prefix(X, /role/x).
        r(/role/xy).
    "#]],
    );
}

#[test]
fn names_that_functions_know() {
    check(
        "p(Y) :- q(X), Y = fn:time:trunc(X, /day$0).",
        "/night",
        expect![[r#"
        `/day` has a meaning for `fn:time:trunc` and cannot be renamed.
        main.mg:1: /day
    "#]],
    );
    check(
        "p(/string$0).",
        "/text",
        expect![[r#"
        `/string` is a type of the language and cannot be renamed.
    "#]],
    );
    check(
        "p(/text$0).",
        "/string",
        expect![[r#"
        `/string` is a type of the language. Choose another name.
    "#]],
    );
    check(
        "p(/true$0).",
        "/yes",
        expect![[r#"
        `/true` is a truth value of functions and `:filter` and cannot be renamed.
    "#]],
    );
}

#[test]
fn new_names_are_names() {
    let all = |fixture: &str, names: &[&str]| {
        let lines: Vec<_> = names.iter().map(|new| renamed(fixture, new)).collect();
        lines.concat()
    };
    expect![[r#"
        A name cannot be empty.
        `P` is not a predicate name: a lower-case letter, then letters, digits and `_`.
        `p q` is not a predicate name: a lower-case letter, then letters, digits and `_`.
        `fn:f` has a reserved prefix: `fn:` is for functions, `:` is for built-in predicates.
        `:lt` has a reserved prefix: `fn:` is for functions, `:` is for built-in predicates.
        `now` is a keyword and cannot name a predicate.
        `a.b` has a dot, which separates packages. Enter only the name of the predicate.
        `über` is not a predicate name: a lower-case letter, then letters, digits and `_`.
        `x__tmp` ends with `__tmp`, which the engine reserves for its own predicates.
        `1p` is not a predicate name: a lower-case letter, then letters, digits and `_`.
        `p-q` is not a predicate name: a lower-case letter, then letters, digits and `_`.
        `p(` is not a predicate name: a lower-case letter, then letters, digits and `_`.
    "#]]
    .assert_eq(&all(
        "p$0(1).",
        &["", "P", "p q", "fn:f", ":lt", "now", "a.b", "über", "x__tmp", "1p", "p-q", "p(\n"],
    ));
    expect![[r#"
        `_` would make each occurrence an independent wildcard.
        `x` is not a variable: a capital letter, then letters and digits, without `_`.
        `My_Var` is not a variable: a capital letter, then letters and digits, without `_`.
        `Decl` is a keyword and cannot be a variable.
        A name cannot be empty.
        `Ä` is not a variable: a capital letter, then letters and digits, without `_`.
        `X.y` is not a variable: a capital letter, then letters and digits, without `_`.
    "#]]
    .assert_eq(&all("p(X$0) :- q(X).", &["_", "x", "My_Var", "Decl", "", "Ä", "X.y"]));
    expect![[r#"
        `a` is not a name constant: start it with a slash, `/a`.
        `/` is not a name constant: each part follows a slash and has letters, digits and `. _ ~ % -`.
        `/a/` is not a name constant: each part follows a slash and has letters, digits and `. _ ~ % -`.
        `/a//b` is not a name constant: each part follows a slash and has letters, digits and `. _ ~ % -`.
        `/a:b` is not a name constant: each part follows a slash and has letters, digits and `. _ ~ % -`.
        `/é` is not a name constant: each part follows a slash and has letters, digits and `. _ ~ % -`.
        `/a.` ends with a dot, which looks like the full stop of a clause.
        `/number` is a type of the language. Choose another name.
    "#]]
    .assert_eq(&all("p(/a$0).", &["a", "/", "/a/", "/a//b", "/a:b", "/é", "/a.", "/number"]));
}

#[test]
fn what_exists_is_not_taken_over() {
    check(
        "p$0(1).\nr(X) :- q(X).\nDecl q(X).\n",
        "q",
        expect![[r#"
        `q/1` is already declared. The rename would merge both.
        main.mg:3: q
    "#]],
    );
    check(
        "p$0(1).\nq(2).\n",
        "q",
        expect![[r#"
        `q/1` already has clauses. The rename would merge both.
        main.mg:2: q
    "#]],
    );
    check(
        "p$0(1).\nr(X) :- q(X).\n",
        "q",
        expect![[r#"
        `q/1` is already in use. The rename would merge both.
        main.mg:2: q
    "#]],
    );
    check(
        "p$0(1).\nDecl r(X) inclusion [q(X)].\n",
        "q",
        expect![[r#"
        `q/1` is already in use. The rename would merge both.
        main.mg:2: q
    "#]],
    );
    check(
        "p$0(1).\nq(2, 3).\n",
        "q",
        expect![[r#"
        q(1).
        q(2, 3).
    "#]],
    );
    check(
        "p(X$0, Y) :- q(X, Y).",
        "Y",
        expect![[r#"
        A variable `Y` already exists in this statement. The rename would merge both.
        main.mg:1: Y
    "#]],
    );
    check(
        "p(/a$0). q(/b).",
        "/b",
        expect![[r#"
        The name `/b` is already in use. The rename would merge both.
        main.mg:1: /b
    "#]],
    );
}

#[test]
fn what_is_written_with_other_arguments_by_mistake() {
    check(
        "p$0(1).\nr(X) :- p(X), p(X, _).\n",
        "q",
        expect![[r#"
        `p` is also written with 2 arguments, and this predicate does not exist. Fix this first.
        main.mg:2: p
    "#]],
    );
    check(
        "p(1).\nr(X) :- p(X), p$0(X, _).\n",
        "q",
        expect![[r#"
        `p` is also written with 2 arguments, and this predicate does not exist. Fix this first.
        main.mg:2: p
    "#]],
    );
    check(
        "r(X) :- p$0(X), p(X, _).\n",
        "q",
        expect![[r#"
        r(X) :- q(X), p(X, _).
    "#]],
    );
}

#[test]
fn what_cannot_be_read_is_not_guessed_at() {
    check(
        "p$0(1).\nq(X) :- p(X\n\nr(1).\n",
        "s",
        expect![[r#"
        `p` occurs in text with a syntax error, so its meaning is uncertain. Fix it first.
        main.mg:2: p
    "#]],
    );
    check(
        "p$0(1).\nq(X) :- a.p(X, !\n\nr(1).\n",
        "s",
        expect![[r#"
        `p` occurs in text with a syntax error, so its meaning is uncertain. Fix it first.
        main.mg:2: a.p
    "#]],
    );
    check(
        "p$0(1).\nq(X) :- pp(X, /p # p\n\n# p\nr(1).\n",
        "s",
        expect![[r#"
        s(1).
        q(X) :- pp(X, /p # p

        # p
        r(1).
    "#]],
    );
    check(
        "q(X$0) :- p(X, \n\nr(1).\n",
        "S",
        expect![[r#"
        This statement has a syntax error, so the occurrences of the variable are uncertain. Fix it first.
        main.mg:1: 
    "#]],
    );
    check(
        "q(/a$0).\nr(X) :- q(X), X = /a.\n",
        "/b",
        expect![[r#"
        Here the name is `/a.`: it includes the full stop. Insert a space before the full stop first.
        main.mg:2: /a.
    "#]],
    );
    check(
        "q(/a).\nr(X) :- q(X), X = /a$0.\n",
        "/b",
        expect![[r#"
            `/a.` includes a full stop. Insert a space before the full stop first.
        "#]],
    );
    check(
        "q(/a$0).\nr(X) :- q(X), X != /a .\n",
        "/b",
        expect![[r#"
        q(/b).
        r(X) :- q(X), X != /b .
    "#]],
    );
}

#[test]
fn what_is_not_the_authors_keeps_its_name() {
    for text in
        ["p(X) :- :lt$0(X, 1).", "p(X) :- X = fn:plus$0(1, 2).", "p(_$0).", "Decl p(X) descr [doc$0(\"x\")]."]
    {
        let marked = Fixture::new(text);
        assert!(prepare(marked.place()).is_err(), "{text}");
        assert!(rename(marked.place(), &[], "x").is_err(), "{text}");
    }
    for text in ["p(\"a$0b\").", "De$0cl p(X).", "# p$0\n", "p(1)$0 .", "$0"] {
        let marked = Fixture::new(text);
        assert_eq!(prepare(marked.place()), Ok(None), "{text}");
        assert!(rename(marked.place(), &[], "x").is_err(), "{text}");
    }
    let marked = Fixture::new("Use a.b!\np(X) :- a.b.q$0(X).");
    assert_eq!(prepare(marked.place()).unwrap().unwrap().name, "q");
}

const TESTED: &str = "#- policy.mg\nDecl permitted(A, T) bound [/name, /string].\n\
    permitted(A, T) :- asked(A, T), known(A).\nasked(/none, \"\").\nknown(/deploy).\n\
    #- policy_test.mg\n# permitted(/deploy) stays: prose.\n# @test name: permitted is not renamed here\n\
    asked(/deploy, \"prod\").\n# @expect permitted(/deploy, X)\n#@forbid   permitted(/rm, _).\n# @exact permitted/2\n\
    # @exact known/1\n#- x.kernel.mg\n# @preview shard: coder-7 coder\n\
    # @preview intent: i1 /mutation /deploy \"permitted\" \"\"\nasked(/deploy, \"x\").\n";

#[test]
fn expectations_follow_a_predicate() {
    let fixture = TESTED.replacen("permitted(A, T) :-", "per$0mitted(A, T) :-", 1);
    check(
        &fixture,
        "allowed",
        expect![[r##"
            #- policy.mg
            Decl allowed(A, T) bound [/name, /string].
            allowed(A, T) :- asked(A, T), known(A).
            asked(/none, "").
            known(/deploy).
            #- policy_test.mg
            # permitted(/deploy) stays: prose.
            # @test name: permitted is not renamed here
            asked(/deploy, "prod").
            # @expect allowed(/deploy, X)
            #@forbid   allowed(/rm, _).
            # @exact allowed/2
            # @exact known/1
            #- x.kernel.mg
            # @preview shard: coder-7 coder
            # @preview intent: i1 /mutation /deploy "permitted" ""
            asked(/deploy, "x").
        "##]],
    );
    let from_exact = TESTED.replacen("# @exact permitted", "# @exact per$0mitted", 1);
    assert_eq!(renamed(&from_exact, "allowed"), renamed(&fixture, "allowed"));
    let from_forbid = TESTED.replacen("#@forbid   permitted", "#@forbid   permitte$0d", 1);
    assert_eq!(renamed(&from_forbid, "allowed"), renamed(&fixture, "allowed"));
}

#[test]
fn expectations_and_intents_follow_a_name() {
    let fixture = TESTED.replacen("known(/deploy)", "known(/dep$0loy)", 1);
    check(
        &fixture,
        "/release",
        expect![[r##"
            #- policy.mg
            Decl permitted(A, T) bound [/name, /string].
            permitted(A, T) :- asked(A, T), known(A).
            asked(/none, "").
            known(/release).
            #- policy_test.mg
            # permitted(/deploy) stays: prose.
            # @test name: permitted is not renamed here
            asked(/release, "prod").
            # @expect permitted(/release, X)
            #@forbid   permitted(/rm, _).
            # @exact permitted/2
            # @exact known/1
            #- x.kernel.mg
            # @preview shard: coder-7 coder
            # @preview intent: i1 /mutation /release "permitted" ""
            asked(/release, "x").
        "##]],
    );
    let from_comment = TESTED.replacen("@expect permitted(/dep", "@expect permitted(/d$0ep", 1);
    assert_eq!(renamed(&from_comment, "/release"), renamed(&fixture, "/release"));
    let from_intent = TESTED.replacen("/mutation /deploy", "/mutation /dep$0loy", 1);
    assert_eq!(renamed(&from_intent, "/release"), renamed(&fixture, "/release"));
}

#[test]
fn properties_are_renamed_with_the_program() {
    check(
        "#- a.mg\nDecl door(D).\nopen(D) :- do$0or(D).\n#- a_test.mg\n# @inputs door/1\n# @always name: doors\n#   open(X)\n\
         #   then door(X) or open(/door)\n# @assume never door(X), X != /door\n# @implies door(_) with ../door\n",
        "gate",
        expect![[r#"
            #- a.mg
            Decl gate(D).
            open(D) :- gate(D).
            #- a_test.mg
            # @inputs gate/1
            # @always name: doors
            #   open(X)
            #   then gate(X) or open(/door)
            # @assume never gate(X), X != /door
            # @implies gate(_) with ../door
        "#]],
    );
}

#[test]
fn a_variable_of_a_property_is_renamed_in_all_of_it() {
    check(
        "#- a.mg\nDecl door(D).\nopen(D) :- door(D).\n#- a_test.mg\n# @always open(X$0) then door(X)\n# @never open(X)\n",
        "Door",
        expect![[r#"
            #- a.mg
            Decl door(D).
            open(D) :- door(D).
            #- a_test.mg
            # @always open(Door) then door(Door)
            # @never open(X)
        "#]],
    );
}

#[test]
fn a_variable_of_an_expectation_is_its_own() {
    check(
        "#- a_test.mg\np(1, 1).\n# @test name: one\np(2, 2).\n# @expect p(X, X$0)\n# @forbid p(X, 3)\n",
        "Same",
        expect![[r#"
            p(1, 1).
            # @test name: one
            p(2, 2).
            # @expect p(Same, Same)
            # @forbid p(X, 3)
        "#]],
    );
}

#[test]
fn what_an_expectation_cannot_say_is_refused() {
    check(
        "#- a.mg\nDecl p(X).\nq(X) :- p$0(X).\n#- a_test.mg\n# @test name: one\np(1).\n# @expect p(\n",
        "r",
        expect![[r#"
            `p` is in a test comment with a syntax error. Fix it first.
            a_test.mg:3: p(
        "#]],
    );
    check(
        "#- a.mg\nDecl p(X).\nq(X) :- p$0(X).\n#- a_test.mg\n# @test name: one\np(1).\n# @expect r(1)\n",
        "r",
        expect![[r#"
            `r/1` is already in use. The rename would merge both.
            a_test.mg:3: r
        "#]],
    );
    check(
        "#- a_test.mg\nDecl p(X).\nq(X) :- p$0(X).\n# @expect p(1)\n# @test name: one\n# @expect a.p(2)\n# @exact p/2\n",
        "r",
        expect![[r#"
            Decl r(X).
            q(X) :- r(X).
            # @expect r(1)
            # @test name: one
            # @expect a.p(2)
            # @exact p/2
        "#]],
    );
}

#[test]
fn expectations_of_a_package_keep_their_qualifier() {
    check(
        "#- a.mg\nPackage a!\nDecl p$0(X).\np(1).\n#- a_test.mg\nUse a!\n# @test name: one\n# @expect a.p(1)\n# @exact a.p/1\n",
        "r",
        expect![[r#"
            #- a.mg
            Package a!
            Decl r(X).
            r(1).
            #- a_test.mg
            Use a!
            # @test name: one
            # @expect a.r(1)
            # @exact a.r/1
        "#]],
    );
}

/// A shard type corresponds to a name constant without its slash.
#[test]
fn shards_of_previews_follow_a_name() {
    let fixture = "#- policy.mg\nactive(S) :- shard(S).\nshard(/cod$0er).\n#- x.kernel.mg\n# @preview shard: coder-1 coder\n\
                   # @preview intent: i1 /query /explain x none\nshard(/coder).\n";
    check(
        fixture,
        "/author",
        expect![[r#"
        #- policy.mg
        active(S) :- shard(S).
        shard(/author).
        #- x.kernel.mg
        # @preview shard: coder-1 author
        # @preview intent: i1 /query /explain x none
        shard(/author).
    "#]],
    );
    check(
        fixture,
        "/author/two",
        expect![[r#"
        #- policy.mg
        active(S) :- shard(S).
        shard(/author/two).
        #- x.kernel.mg
        # @preview shard: coder-1 author/two
        # @preview intent: i1 /query /explain x none
        shard(/author/two).
    "#]],
    );
}

/// A malformed expectation would keep the old name, so the rename is refused.
#[test]
fn misspelt_expectations_refuse_a_rename() {
    let fixture = |comment: &str| {
        format!("#- policy.mg\np$0(/a).\n#- policy_test.mg\n# @test name: a\n{comment}\n# @expect p(/a)\n")
    };
    check(
        &fixture("# @expext p(/a)"),
        "q",
        expect![[r#"
        `p` is in a test comment with a syntax error. Fix it first.
        policy_test.mg:2: # @expext p(/a)
    "#]],
    );
    check(
        &fixture("# expect p(/a)"),
        "q",
        expect![[r#"
        `p` is in a test comment with a syntax error. Fix it first.
        policy_test.mg:2: # expect p(/a)
    "#]],
    );
    check(
        &fixture("# p(/a) in prose"),
        "q",
        expect![[r#"
        #- policy.mg
        q(/a).
        #- policy_test.mg
        # @test name: a
        # p(/a) in prose
        # @expect q(/a)
    "#]],
    );
}
