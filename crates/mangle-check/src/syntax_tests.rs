//! What is said about texts that do not parse.

#![allow(clippy::needless_raw_string_hashes)]

use expect_test::expect;

use crate::testing::check;

#[test]
fn name_constant_swallows_the_full_stop() {
    check(
        "q(1).\np(X) :- q(X), X = /a.\nr(1).",
        expect![[r#"
            2:17-18 warning eq-never: `=` never holds: integer `X` compared with the name `/a.`
              1:3-4 type of `X` comes from here
              note: values of different types are never equal
              note: all clauses of `q/1` have an integer as argument 1
            2:21-22 error name-swallows-dot: The full stop is part of the name here: `/a.` is one constant, and the statement does not end.
              fix: Insert a space before the full stop
        "#]],
    );
}

#[test]
fn missing_full_stop() {
    check(
        "p(1)\nq(2).\nr(X) :- q(X)\n\n# end\n",
        expect![[r#"
            1:4-5 error missing-dot: A full stop is missing after `p(1)`.
              fix: Insert the full stop
            3:12-13 error missing-dot: A full stop is missing after `r(X) :- q(X)`.
              fix: Insert the full stop
        "#]],
    );
}

#[test]
fn missing_comma_between_premises() {
    check(
        "a(1).\np(X) :-\n    a(X)\n    a(X),\n    a(X).",
        expect![[r#"
            3:8-9 error missing-comma: A comma is missing after `a(X)`.
              fix: Insert `,`
        "#]],
    );
}

#[test]
fn unclosed_bracket() {
    check(
        "p(1, [2, 3).\nq(1).\nr(f(1).",
        expect![[r#"
            1:10-11 error missing-bracket: A closing `]` is missing after `p(1, [2, 3`.
              fix: Insert `]`
            3:6-7 error missing-bracket: A closing `)` is missing after `r(f(1)`.
              fix: Insert `)`
        "#]],
    );
}

#[test]
fn lost_opening_parenthesis() {
    check(
        "a(1).\np(X) :- aX), a(X).\npX) :- a(X).",
        expect![[r#"
        2:11-12 error unmatched-parenthesis: This `)` closes nothing: its `(` is missing.
        3:1-3 error unmatched-parenthesis: The `(` behind the predicate is missing.
    "#]],
    );
}

#[test]
fn unclosed_string() {
    check(
        "p(\"open).\nq(1).\nr(\"fine\").",
        expect![[r#"
        1:3-4 error unterminated-string: This string is never closed.
          fix: Close the string on its first line
    "#]],
    );
}

#[test]
fn foreign_negation() {
    check(
        "a(1).\nb(1).\np(X) :- a(X), not b(X).\nq(X) :- a(X), \\+ b(X).\nr(X) :- a(X), ~b(X).",
        expect![[r#"
            3:15-18 error not-keyword: Negation is written `!p(X)` in Mangle; `not` means nothing.
              fix: Write `!`
            4:15-17 error not-keyword: Negation is written `!p(X)` in Mangle; `\+` means nothing.
              fix: Write `!`
            5:15-16 error not-keyword: Negation is written `!p(X)` in Mangle; `~` means nothing.
              fix: Write `!`
        "#]],
    );
}

#[test]
fn foreign_comments() {
    check(
        "// one\np(1). % two\n/* three\n four */\nq(1).",
        expect![[r#"
        1:1-7 error wrong-comment: `//` does not start a comment in Mangle; `#` does.
          fix: Turn it into a `#` comment
        2:7-12 error wrong-comment: `%` does not start a comment in Mangle; `#` does.
          fix: Turn it into a `#` comment
        3:1-4:9 error wrong-comment: `/*` does not start a comment in Mangle; `#` does.
          fix: Turn it into a `#` comment
    "#]],
    );
}

#[test]
fn foreign_operators() {
    check(
        "a(1).\np(X) :- a(X), X == 1.\nq(X) :- a(X), X <> 1.\nr(X) <- a(X).",
        expect![[r#"
        2:17-19 error wrong-operator: `==` is no operator of Mangle; `=` is meant.
          fix: Write `=`
        3:17-19 error wrong-operator: `<>` is no operator of Mangle; `!=` is meant.
          fix: Write `!=`
        4:6-8 error wrong-arrow: A rule's arrow is `:-` (or `⟸`), not `<-`.
          fix: Write `:-`
    "#]],
    );
}

#[test]
fn arithmetic() {
    check(
        "a(1).\np(Y) :- a(X), Y = X + 1.\nq(Y) :- a(X), Y = X * 2 - 1.",
        expect![[r#"
            2:19-24 error infix-arithmetic: There is no infix `+`; write `fn:plus(…)`.
              fix: Write `fn:plus(X, 1)`
            3:19-28 error infix-arithmetic: There is no infix `-`; write `fn:minus(…)`.
              fix: Write `fn:minus(fn:mult(X, 2), 1)`
        "#]],
    );
}

#[test]
fn names_of_variables_and_predicates() {
    check(
        "a(1).\np(My_Var, _x) :- a(My_Var), a(_x).\nFoo(1).\nnow(1).\nq(Package) :- a(Package).",
        expect![[r#"
            2:3-9 error underscore-in-variable: Variables have no underscore: `My_Var` does not parse. Write `MyVar`.
              fix: Rename to `MyVar`
            2:11-13 error underscore-in-variable: Variables have no underscore: `_x` does not parse. Write `X`.
              fix: Rename to `X`
            3:1-4 error uppercase-predicate: `Foo` cannot name a predicate: predicates start with a lower-case letter.
              fix: Rename to `foo`
            4:1-4 error reserved-word: `now` is a word of the language and cannot name a predicate.
            5:3-10 error reserved-word: `Package` is a word of the language and cannot name a variable.
            5:17-24 error reserved-word: `Package` is a word of the language and cannot name a variable.
        "#]],
    );
}

#[test]
fn numbers() {
    check(
        "p(1e5).\nq(99999999999999999999).\nr(1.0e999).",
        expect![[r#"
        1:3-6 error exponent-needs-fraction: An exponent needs a fraction before it: `1.0e5`.
          fix: Write `1.0e5`
        2:3-23 error number-range: This does not fit the 64 bits of a number.
        3:3-10 error number-range: This does not fit the 64 bits of a float.
    "#]],
    );
}

#[test]
fn escapes() {
    check(
        "p(\"a\\d\").\nq(\"\\u{E9}\").\nr(\"\\xCA\").\ns(b'\\xca\\n').",
        expect![[r#"
        1:5-7 error bad-escape: `\d` is no escape; a backslash itself is written `\\`.
          fix: Double the backslash
        2:4-6 error bad-escape: `\u{…}` takes four to six lower-case hex digits of a character.
        3:4-6 error bad-escape: `\x` takes two lower-case hex digits, in a string below `80`.
    "#]],
    );
}

#[test]
fn times_as_terms() {
    check(
        "p(7d).\nq(2024-01-15).",
        expect![[r#"
        1:3-5 error temporal-literal-as-term: Times and durations can be written only inside `@[…]`; elsewhere they are built by a function.
          fix: Write `fn:duration:parse("168h")`
        2:3-13 error temporal-literal-as-term: Times and durations can be written only inside `@[…]`; elsewhere they are built by a function.
          fix: Write `fn:time:parse_rfc3339("2024-01-15T00:00:00Z")`
    "#]],
    );
}

#[test]
fn bad_intervals() {
    check(
        "Decl on(P) temporal.\non(/x)@[2024-13-01].\non(/x)@[1, 2].\non(/x)@[].\np(X) :- <-[30d] on(X).",
        expect![[r#"
            2:9-19 error time-range: There is no such date or time.
            3:9-10 error bad-interval: `1` is no bound of an interval. Dates, `7d`, `now`, variables and `_` are.
            3:12-13 error bad-interval: `2` is no bound of an interval. Dates, `7d`, `now`, variables and `_` are.
            4:7-10 error bad-interval: An interval has one or two bounds: `@[2024-05-01]` or `@[2024-05-01, _]`.
            5:9-16 error operator-needs-two-bounds: A temporal operator takes two bounds: `<-[0d, 30d]` means within the last 30 days.
              fix: Start at `0d`
        "#]],
    );
}

#[test]
fn glued_signs_and_colons() {
    check(
        "q(1).\np([-1, 2]).\nr(X) :- q(X), X <-1.\ns(M) :- q(X), M = {/a:fn:plus(X, 1)}.\nt(M) :- q(X), M = [X:2].",
        expect![[r#"
            2:3-5 error negative-list-head: `[-` without a space is a temporal operator for the engine, not the start of a list.
              fix: Insert a space
            3:17-19 error lt-minus: `<-` without a space is a temporal operator for the engine, not `<` and a number.
              fix: Insert a space
            4:22-23 error colon-glued: A colon glued to a word is part of that word for the engine.
              fix: Put spaces around the colon
            5:21-22 error colon-glued: A colon glued to a word is part of that word for the engine.
              fix: Put spaces around the colon
        "#]],
    );
}

#[test]
fn commas() {
    check(
        "p(1,, 2).\nq([,]).\nr(1,).\ns(,1).",
        expect![[r#"
            1:5-6 error double-comma: There is nothing between this comma and its neighbour.
              fix: Delete the comma
            2:4-5 error lone-comma: A list may end with a comma, but not consist of one.
              fix: Delete the comma
            4:3-4 error double-comma: Nothing stands before this comma. Delete it, or write what is missing.
              fix: Delete the comma
        "#]],
    );
}

#[test]
fn declarations() {
    check(
        "Decl a(x).\nDecl b(/a).\nDecl c(A.Type<string>).\nDecl d(X) bound [/number] descr [doc(\"d\")].\nDecl e(X) bounds [/number].\nDecl f(X) descr [mode(+)].\nDecl g(X) descr [\"text\"].",
        expect![[r#"
            1:8-9 error decl-lowercase-arg: `Decl` names its arguments with variables; `x` starts with a lower-case letter.
              fix: Write variables with a capital
            2:8-10 error decl-arg-not-variable: `Decl` names its arguments with variables; `/a` is none.
            3:8-22 error legacy-typed-arg: No engine reads `A.Type<string>` here. Types stand behind the declared atom: `bound [/string]`.
              fix: Move the types into `bound […]`
            4:27-43 error decl-part-order: `descr` comes before `bound` in a `Decl`.
              fix: Put the parts in order
            5:11-17 error unknown-decl-part: `bounds` is no part of a `Decl`: `temporal`, `descr`, `bound` and `inclusion` are.
              fix: Write `bound`
            6:23-24 error mode-unquoted: Modes are strings: `"+"`.
              fix: Quote it
            7:18-24 error not-an-atom: Only atoms can stand here, such as `doc("…")`.
              fix: Wrap it in `doc(…)`
        "#]],
    );
}

#[test]
fn packages() {
    check(
        "Package a.\nUse b.\np(1).\nUse c!",
        expect![[r#"
            1:10-11 error package-dot: `Package` ends with `!`, not with a full stop.
              fix: Replace the full stop by `!`
            2:5-6 warning use-unknown: unknown package `b`
              note: the engine silently accepts this `Use`
              fix: write `a`
            2:6-7 error package-dot: `Use` ends with `!`, not with a full stop.
              fix: Replace the full stop by `!`
            4:1-4 error statement-order: `Use` must stand before all declarations and clauses.
            4:5-6 warning use-unknown: unknown package `c`
              note: the engine silently accepts this `Use`
              fix: write `a`
        "#]],
    );
}

#[test]
fn names_of_packages() {
    check(
        "Package now!\nUse Depot!\nUse _!\nUse opt!\np(1).",
        expect![[r#"
            1:9-12 error reserved-word: `now` is a word of the language and cannot name a package.
            2:5-10 error uppercase-predicate: `Depot` cannot name a package: packages start with a lower-case letter.
            2:5-10 warning use-unknown: unknown package `Depot`
              note: the engine silently accepts this `Use`
            3:5-6 error uppercase-predicate: `_` cannot name a package: packages start with a lower-case letter.
            3:5-6 warning use-unknown: unknown package `_`
              note: the engine silently accepts this `Use`
            4:5-8 error reserved-word: `opt` is a word of the language and cannot name a package.
            4:5-8 warning use-unknown: unknown package `opt`
              note: the engine silently accepts this `Use`
        "#]],
    );
}

#[test]
fn variables_glued_to_the_next_statement() {
    check(
        "q(1).\np(X) :- q(Y), X = Y.q(2).\nr(X) :- q(X), X != 1.q(3).",
        expect![[r#"
        2:20-21 error type-dot-glued: A full stop between a variable and a letter ends nothing: `Y.` and what follows are one word for the engine.
          fix: Start a new line behind the full stop
    "#]],
    );
}

#[test]
fn backslash_before_crlf() {
    check(
        "p(\"a\\\r\nb\").\r\n",
        expect![[r#"
        1:5-6 error bad-escape: A backslash at the end of a line works only where lines end in LF; here it is CRLF.
    "#]],
    );
}

#[test]
fn a_file_that_is_one_error() {
    check(
        "Decl p(X) bound [.T</k, /a: .S</n: fn:F(/m>>].",
        expect![[r#"
        1:1-47 error syntax-error: `Decl p(X) bound [.T</k, /a: .S</n: fn:F(…` cannot be read here.
    "#]],
    );
}

#[test]
fn functions_out_of_place() {
    check(
        "q(\"a\").\np(X) :- q(X), fn:string:contains(X, \"a\").\nr(X) :- q(X), fn:plus(1, 2).\nfn:f(1).",
        expect![[r#"
            2:15-33 error function-as-premise: `fn:string:contains` is a function: it has a value, but does not hold or fail like a premise.
              fix: Write `:string:contains`
            3:15-22 error function-as-premise: `fn:plus` is a function: it has a value, but does not hold or fail like a premise.
            4:1-5 error function-as-atom: `fn:f` is a function; the head of a clause is an atom, which names a predicate.
        "#]],
    );
}

#[test]
fn transforms() {
    check(
        "q(1).\np(Y) :- q(X) |> let Y = X.\nr(N) :- q(_) |> fn:group_by(), let N = fn:count().\ns(X) :- |> let X = fn:plus(1, 2).",
        expect![[r#"
            2:25-26 error let-needs-function: `let` takes a function; `X` is none. To name a value, write `Y = X` in the body.
              fix: Name the value in the body
            3:17-30 error not-a-transform: A transform starts with `do` or `let`.
              fix: Insert `do`
            4:9-11 error transform-without-body: A transform needs a body in front of it to transform.
        "#]],
    );
}

#[test]
fn values_and_atoms_mixed_up() {
    check(
        "q(1).\np(X) :- q(X), X.\nr(X) :- q(X), X = q(1).\ns(X) :- q(X), X = one.",
        expect![[r#"
            2:15-16 error not-a-premise: `X` is a value, not a condition. A premise is an atom or a comparison.
            3:19-20 error predicate-as-value: `q(…)` is an atom, which holds or fails; it has no value that could stand here.
            4:19-22 error lowercase-variable: `one` is no value: names start with a slash (`/one`), variables with a capital (`One`), text stands in quotes.
              fix: Write `/one`
        "#]],
    );
}

#[test]
fn rubbish_between_statements() {
    check(
        "p(1).\n$$$ what is this\nq(2).\n?q(X).\n",
        expect![[r#"
            2:1-17 error syntax-error: `$$$ what is this` cannot be read here.
            4:1-2 error query-in-file: A file cannot ask a query; it holds declarations, facts and rules only.
              fix: Turn it into a comment
        "#]],
    );
}

#[test]
fn statements_glued() {
    check(
        "p(1).Decl q(X).\nq(1).",
        expect![[r#"
            1:5-6 error type-dot-glued: A full stop glued to a capital letter starts a type (`.List`): this statement does not end for the engine.
              fix: Start a new line behind the full stop
            1:6-11 information decl-regex-gap: the runtime misses this declaration
              note: it searches for `Decl` at the start of a line
              note: the engine reads the declaration correctly
        "#]],
    );
}

#[test]
fn byte_order_mark() {
    check(
        "\u{feff}p(1).\n",
        expect![[r#"
        1:1-2 error bom: This file starts with an invisible byte order mark, which the engine rejects.
          fix: Delete the byte order mark
    "#]],
    );
}

#[test]
fn nesting_is_limited() {
    let deep = |levels: usize| format!("p({}1{}).\nq(1).\n", "[".repeat(levels), "]".repeat(levels));
    check(&deep(400), expect![[""]]);
    let negated = format!("a(1).\np(X) :- {}a(X).\nq(1).\n", "!".repeat(100_000));
    check(
        &negated,
        expect![[r#"
        2:509-510 error nested-too-deep: Nested more than 500 deep; what is inside is not checked.
    "#]],
    );
    check(
        &deep(100_000),
        expect![[r#"
        1:503-504 error nested-too-deep: Nested more than 500 deep; what is inside is not checked.
    "#]],
    );
}

#[test]
fn lists_that_may_not_end_with_a_comma() {
    check(
        "q(1).\na(X) :- q(X) |> .\nb(X) :- q(X) |> |> let Y = fn:plus(X, 1).\nc(X) :- q(X) |> let Y = fn:plus(X, 1), .\nd(/x)@[2024-05-01, ].\ne(,1).",
        expect![[r#"
            2:14-16 error not-a-transform: Nothing stands behind this `|>`; `do` or `let` belongs there.
              fix: Delete it
            3:14-16 error not-a-transform: Nothing stands behind this `|>`; `do` or `let` belongs there.
              fix: Delete it
            4:38-39 error double-comma: A transform does not end with a comma.
              fix: Delete the comma
            5:18-19 error double-comma: An interval does not end with a comma.
              fix: Delete the comma
            6:3-4 error double-comma: Nothing stands before this comma. Delete it, or write what is missing.
              fix: Delete the comma
        "#]],
    );
}

/// Deeper than any stack: nothing may ask the tree for a node's parent or siblings, which starts at the root.
#[test]
fn nesting_without_end() {
    for unit in ["p(", "p([{", "/a.List<fn:f(", "p([{let x"] {
        let source = mangle_syntax::syntax::SourceFile::parse(unit.repeat(20_000).into());
        let reported: usize = source.items().iter().map(|item| item.statement.findings.len()).sum();
        assert!(reported + source.findings().len() > 0, "{unit}");
    }
}

#[test]
fn directives_have_one_finding_a_run() {
    check(
        "INTENT: \"a\" -> /a\n\nINTENT: \"b\" -> /b\nPROMPT: /x -> \"it's\"\nq(2).\n\nTAXONOMY: a > b\np(X) :- q(X).\n",
        expect![[r#"
            1:1-18 error directive-outside-hybrid: `INTENT:` starts a directive of codeNERD (and 2 more lines below): the engine itself rejects it. If codeNERD loads this file, name it in `hybrid` of its `[[program]]` in mangle-ls.toml.
            7:1-16 error directive-outside-hybrid: `TAXONOMY:` starts a directive of codeNERD: the engine itself rejects it. If codeNERD loads this file, name it in `hybrid` of its `[[program]]` in mangle-ls.toml.
        "#]],
    );
}

#[test]
fn rego_without_braces_is_named() {
    check(
        "package policy\n\nimport rego.v1\nimport data.roles as r\n\ndefault allow := false\n\nallow if request(\"ann\")\nallow if {\n  request(\"bob\")\n}\n\
         deny contains msg if request(U, P)\ndeny contains sprintf(\"%s\", [x]) if\n    request(x)\nwarn contains \"old\"\n\
         violation[{\"msg\": msg}] { request(u, p) }\nroles := [\"a\", \"b\"]\nlevel(x) := 2 if x > 1\nis_admin(user) if {\n  user == \"ann\"\n}\nrequest(\"ann\").\n",
        expect![[r#"
            1:1-8 error wrong-keyword: The keyword is `Package`, not `package`.
              fix: Write `Package`
            3:1-15 error foreign-directive: `import` is Rego. In Mangle all built-ins are there.
              fix: Turn it into a comment
            4:1-18 error foreign-directive: `import` is Rego. In Mangle all built-ins are there.
              fix: Turn it into a comment
            6:1-14 error foreign-directive: `default` is Rego. In Mangle a fact that no rule derives does not hold, so there is nothing to declare.
              fix: Turn it into a comment
            8:1-24 error foreign-rule: This is a rule of Rego. In Mangle it is `allow() :- …, ….`, with commas between the premises.
            9:1-11 error foreign-rule: This is a rule of Rego. In Mangle it is `allow() :- …, ….`, with commas between the premises.
            12:1-35 error foreign-rule: This is a rule of Rego. In Mangle it is `deny(Msg) :- …, ….`, with commas between the premises.
            13:1-36 error foreign-rule: This is a rule of Rego. In Mangle it is `deny(…) :- …, ….`, with commas between the premises.
            15:1-20 error foreign-rule: This is a rule of Rego. In Mangle it is `warn("old") :- …, ….`, with commas between the premises.
            16:1-42 error foreign-rule: This is a rule of Rego. In Mangle it is `violation(…) :- …, ….`, with commas between the premises.
            17:1-20 error foreign-rule: This is a rule of Rego. In Mangle it is `roles() :- …, ….`, with commas between the premises.
            18:1-23 error foreign-rule: This is a rule of Rego. In Mangle it is `level(X) :- …, ….`, with commas between the premises.
            19:1-20 error foreign-rule: This is a rule of Rego. In Mangle it is `is_admin(User) :- …, ….`, with commas between the premises.
        "#]],
    );
}

#[test]
fn rules_of_rego_within_prose_are_not_commented_out() {
    check(
        "Here is the policy\ndeny contains msg if request(U, P)\n\nmore words for people here\nit contains several lines\n\nrequest(\"ann\").\n",
        expect![[r#"
            1:1-19 error pasted-markup: This is text for people, not Mangle. A comment starts with `#`.
              fix: Turn it into a comment
            2:1-35 error foreign-rule: This is a rule of Rego. In Mangle it is `deny(Msg) :- …, ….`, with commas between the premises.
            4:1-27 error pasted-markup: This is text for people, not Mangle. A comment starts with `#`.
              fix: Turn it into a comment
        "#]],
    );
}

#[test]
fn clause_with_a_foreign_arrow_is_no_rego() {
    check(
        "q(1).\np(X) if q(X).\nr if q(1).\ns if q(1),\n  q(2).\n",
        expect![[r#"
            2:6-8 error wrong-arrow: A rule's arrow is `:-` (or `⟸`), not `if`.
              fix: Write `:-`
            3:1-2 error missing-parens: `r` needs parentheses, also without arguments: `r()`.
              fix: Add `()`
            3:3-5 error wrong-arrow: A rule's arrow is `:-` (or `⟸`), not `if`.
              fix: Write `:-`
            4:1-2 error missing-parens: `s` needs parentheses, also without arguments: `s()`.
              fix: Add `()`
            4:3-5 error wrong-arrow: A rule's arrow is `:-` (or `⟸`), not `if`.
              fix: Write `:-`
        "#]],
    );
}

#[test]
fn counts_with_group_by_are_named() {
    check(
        "works(/a, /t).\n\
         size1(T, COUNT(*)) :- works(_, T) GROUP BY T.\n\
         size2(T, N) :- works(_, T), N = COUNT(*) GROUP BY T.\n\
         size3(T, N) :- works(_, T) |> GROUP BY T, let N = COUNT(*).\n\
         size4(T, N) :- works(W, T) GROUP BY T.\n\
         size5(T, N, M) :- works(W, T) GROUP BY T.\n\
         size6(T, N) :- works(W, T) |> do fn:group_by(T), let N = count(*).\n\
         size7(T, SUM(H), MAX(H)) :- hours(T, H) GROUP BY T HAVING COUNT(*) > 2.\n\
         size8(T, SUM(H), MAX(H)) :- hours(T, H) GROUP BY T.\n\
         hours(/a, 1).\n",
        expect![[r#"
            2:35-43 error foreign-aggregation: Mangle groups behind the body: `|> do fn:group_by(T), let Count = fn:count()`.
              fix: Group behind the body
            3:42-50 error foreign-aggregation: Mangle groups behind the body: `|> do fn:group_by(T), let N = fn:count()`.
              fix: Group behind the body
            4:31-39 error foreign-aggregation: Groups are made by a function: `do fn:group_by(T)`.
              fix: Write `do fn:group_by(T)`
            4:51-59 error missing-fn: Functions start with `fn:`: `fn:count()`.
              fix: Write `fn:count()`
            5:28-36 error foreign-aggregation: Mangle groups behind the body: `|> do fn:group_by(T), let N = fn:count()`.
              fix: Group behind the body
            6:31-39 error foreign-aggregation: Mangle groups behind the body: `|> do fn:group_by(X), let N = fn:count()`.
            7:58-66 error missing-fn: Functions start with `fn:`: `fn:count()`.
              fix: Write `fn:count()`
            8:41-49 error foreign-aggregation: Mangle groups behind the body: `|> do fn:group_by(X), let N = fn:count()`.
            9:41-49 error foreign-aggregation: Mangle groups behind the body: `|> do fn:group_by(T), let Sum = fn:sum(H), let Max = fn:max(H)`.
              fix: Group behind the body
        "#]],
    );
}

#[test]
fn words_of_sql_in_capitals_are_named() {
    check(
        "path(\"src/a\", 1).\nours(P) :- path(P, _), P LIKE \"src/%\".\nlow(P) :- path(P, N), N BETWEEN 1 AND 5.\nset(P) :- path(P, N), N IS NOT NULL.\n",
        expect![[r#"
            2:26-30 error foreign-word: Mangle has no `LIKE`. A premise tests texts: `:string:starts_with`, `:string:contains`, `:string:ends_with`.
              fix: Write `:string:starts_with(P, "src/")`
            3:25-32 error foreign-word: Mangle has no `BETWEEN`. Compare twice.
              fix: Write `N >= 1, N <= 5`
            4:25-27 error foreign-word: Mangle has no `IS`. What is unknown is not stated, so no value stands for it.
        "#]],
    );
}
