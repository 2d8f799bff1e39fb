//! Tests of findings about syntax errors.

#![allow(clippy::needless_raw_string_hashes)]

use expect_test::expect;

use crate::testing::{CheckedFixture, check, check_fix};
use mangle_syntax::lint::Applicability;

#[test]
fn name_constant_swallows_the_full_stop() {
    check(
        "q(1).\np(X) :- q(X), X = /a.\nr(1).",
        expect![[r#"
            2:17-18 warning eq-never: `=` never holds: integer `X` compared with the name `/a.`
              1:3-4 type of `X` comes from here
              note: values of different types are never equal
              note: all clauses of `q/1` have an integer as argument 1
            2:21-22 error name-swallows-dot: missing space before `.`: `/a.` parses as one name
              label: part of the name
              note: the engine reads what follows as part of this statement
              fix: insert a space before `.`
        "#]],
    );
}

#[test]
fn missing_full_stop() {
    check(
        "p(1)\nq(2).\nr(X) :- q(X)\n\n# end\n",
        expect![[r#"
            1:4-5 error missing-dot: missing `.` after `p(1)`
              note: the engine reads what follows as part of this statement
              fix: insert `.`
            3:12-13 error missing-dot: missing `.` after `r(X) :- q(X)`
              note: the engine reads what follows as part of this statement
              fix: insert `.`
        "#]],
    );
}

#[test]
fn missing_comma_between_premises() {
    check(
        "a(1).\np(X) :-\n    a(X)\n    a(X),\n    a(X).",
        expect![[r#"
            3:8-9 error missing-comma: missing `,` after `a(X)`
              label: expected `,` after this
              fix: insert `,`
        "#]],
    );
}

#[test]
fn unclosed_bracket() {
    check(
        "p(1, [2, 3).\nq(1).\nr(f(1).",
        expect![[r#"
            1:10-11 error missing-bracket: missing `]` after `p(1, [2, 3`
              label: expected `]` after this
              fix: insert `]`
            3:6-7 error missing-bracket: missing `)` after `r(f(1)`
              label: expected `)` after this
              fix: insert `)`
        "#]],
    );
}

#[test]
fn lost_opening_parenthesis() {
    check(
        "a(1).\np(X) :- aX), a(X).\npX) :- a(X).",
        expect![[r#"
            2:11-12 error unmatched-parenthesis: `)` has no matching `(`
              note: the engine rejects the clause
            3:1-3 error unmatched-parenthesis: missing `(` after the predicate
              label: expected `(` after this
        "#]],
    );
}

#[test]
fn unclosed_string() {
    check(
        "p(\"open).\nq(1).\nr(\"fine\").",
        expect![[r#"
            1:3-4 error unterminated-string: string is never closed
              note: the engine reads everything up to the next such quote as text
              fix: close the string on its first line
        "#]],
    );
}

#[test]
fn no_full_stop_is_added_to_a_comment_of_another_language() {
    check(
        "Decl parcel(ID)scr [a // why\nrg(ID)].\n",
        expect![[r#"
        1:16-19 error unknown-decl-part: `scr` is not a part of `Decl`
          note: the parts are `temporal`, `descr`, `bound` and `inclusion`
        1:26-29 error missing-dot: missing `.` after `Decl parcel(ID)scr [a // why`
          note: the engine reads what follows as part of this statement
    "#]],
    );
}

#[test]
fn no_quote_is_added_behind_a_backslash() {
    check(
        "p(\"a\\).\nq(1).\n",
        expect![[r#"
        1:3-4 error unterminated-string: string is never closed
          note: the engine reads everything up to the next such quote as text
    "#]],
    );
}

#[test]
fn packages_with_capital_letters_are_not_written_without_a_question() {
    let applicability = |text: &str| {
        let found = CheckedFixture::new(text);
        let fixes = found.diagnostics.iter().flat_map(|(_, found)| found).filter_map(|one| one.fix.as_ref());
        fixes.map(|fix| fix.applicability).collect::<Vec<_>>()
    };
    assert_eq!(applicability("package billing.\nbill(1).\n"), [Applicability::Safe]);
    assert_eq!(applicability("package billingX.\nbill(1).\n"), [Applicability::Unsafe]);
}

#[test]
fn foreign_negation() {
    check(
        "a(1).\nb(1).\np(X) :- a(X), not b(X).\nq(X) :- a(X), \\+ b(X).\nr(X) :- a(X), ~b(X).",
        expect![[r#"
            3:15-18 error not-keyword: `not` does not negate a premise
              label: negation is written `!p(X)`
              fix: write `!`
            4:15-17 error not-keyword: `\+` does not negate a premise
              label: negation is written `!p(X)`
              fix: write `!`
            5:15-16 error not-keyword: `~` does not negate a premise
              label: negation is written `!p(X)`
              fix: write `!`
        "#]],
    );
}

#[test]
fn foreign_comments() {
    check(
        "// one\np(1). % two\n/* three\n four */\nq(1).",
        expect![[r#"
            1:1-7 error wrong-comment: `//` does not start a comment
              label: comments start with `#`
              fix: turn it into a `#` comment
            2:7-12 error wrong-comment: `%` does not start a comment
              label: comments start with `#`
              fix: turn it into a `#` comment
            3:1-4:9 error wrong-comment: `/*` does not start a comment
              label: comments start with `#`
              fix: turn it into a `#` comment
        "#]],
    );
}

#[test]
fn foreign_comments_on_adjacent_lines_are_one_finding() {
    check(
        "% one\n% two\n  % three\n\n% four\n// five\np(1). // six\n// seven\nq(1).\n-- eight\n-- nine\nr(1).\n",
        expect![[r#"
            1:1-3:10 error wrong-comment: `%` does not start a comment
              label: comments start with `#`
              fix: turn them into `#` comments
            5:1-7 error wrong-comment: `%` does not start a comment
              label: comments start with `#`
              fix: turn it into a `#` comment
            6:1-8 error wrong-comment: `//` does not start a comment
              label: comments start with `#`
              fix: turn it into a `#` comment
            7:7-8:9 error wrong-comment: `//` does not start a comment
              label: comments start with `#`
              fix: turn them into `#` comments
            10:1-9 error wrong-comment: `--` does not start a comment
              label: comments start with `#`
              fix: turn it into a `#` comment
            11:1-8 error wrong-comment: `--` does not start a comment
              label: comments start with `#`
              fix: turn it into a `#` comment
        "#]],
    );
    check_fix(
        "wrong-comment",
        "% one\n% two\n\n% three\np(1).\n",
        expect![[r#"
        # one
        # two

        % three
        p(1).
    "#]],
    );
}

#[test]
fn foreign_operators() {
    check(
        "a(1).\np(X) :- a(X), X == 1.\nq(X) :- a(X), X <> 1.\nr(X) <- a(X).",
        expect![[r#"
            2:17-19 error wrong-operator: `==` is not an operator of Mangle
              label: expected `=`
              fix: write `=`
            3:17-19 error wrong-operator: `<>` is not an operator of Mangle
              label: expected `!=`
              fix: write `!=`
            4:6-8 error wrong-arrow: `<-` is not the arrow of a rule
              label: expected `:-`
              note: the engine reads `<-` as a temporal operator
              fix: write `:-`
        "#]],
    );
}

#[test]
fn arithmetic() {
    check(
        "a(1).\np(Y) :- a(X), Y = X + 1.\nq(Y) :- a(X), Y = X * 2 - 1.",
        expect![[r#"
            2:19-24 error infix-arithmetic: Mangle has no infix operator `+`
              note: arithmetic uses functions, as in `fn:plus(…)`
              fix: write `fn:plus(X, 1)`
            3:19-28 error infix-arithmetic: Mangle has no infix operator `-`
              note: arithmetic uses functions, as in `fn:minus(…)`
              fix: write `fn:minus(fn:mult(X, 2), 1)`
        "#]],
    );
}

#[test]
fn names_of_variables_and_predicates() {
    check(
        "a(1).\np(My_Var, _x) :- a(My_Var), a(_x).\nFoo(1).\nnow(1).\nq(Package) :- a(Package).",
        expect![[r#"
            2:3-9 error underscore-in-variable: variable `My_Var` contains an underscore
              note: the engine rejects it; variables consist of letters and digits
              fix: rename to `MyVar`
            2:11-13 error underscore-in-variable: variable `_x` contains an underscore
              note: the engine rejects it; variables consist of letters and digits
              fix: rename to `X`
            3:1-4 error uppercase-predicate: predicate `Foo` starts with a capital letter
              note: the engine reads a capitalized word as a variable
              fix: rename to `foo`
            4:1-4 error reserved-word: `now` is a reserved word and cannot name a predicate
              note: the engine reads it as a keyword and rejects the statement
              help: choose another name
            5:3-10 error reserved-word: `Package` is a reserved word and cannot name a variable
              note: the engine reads it as a keyword and rejects the statement
              help: choose another name
            5:17-24 error reserved-word: `Package` is a reserved word and cannot name a variable
              note: the engine reads it as a keyword and rejects the statement
              help: choose another name
        "#]],
    );
}

#[test]
fn numbers() {
    check(
        "p(1e5).\nq(99999999999999999999).\nr(1.0e999).",
        expect![[r#"
            1:3-6 error exponent-needs-fraction: `1e5` has an exponent but no fraction
              note: the engine reads a number followed by a word
              fix: write `1.0e5`
            2:3-23 error number-range: number does not fit in 64 bits
              note: numbers range from -9223372036854775808 to 9223372036854775807
            3:3-10 error number-range: float does not fit in 64 bits
              note: the engine rejects it
        "#]],
    );
}

#[test]
fn escapes() {
    check(
        "p(\"a\\d\").\nq(\"\\u{E9}\").\nr(\"\\xCA\").\ns(b'\\xca\\n').",
        expect![[r#"
            1:5-7 error bad-escape: unknown escape `\d`
              note: a backslash itself is written `\\`
              fix: double the backslash
            2:4-6 error bad-escape: malformed escape `\u`
              note: `\u{…}` requires four to six lower-case hex digits of a character
            3:4-6 error bad-escape: malformed escape `\x`
              note: `\x` requires two lower-case hex digits, below `80` in a string
        "#]],
    );
}

#[test]
fn times_as_terms() {
    check(
        "p(7d).\nq(2024-01-15).",
        expect![[r#"
            1:3-5 error temporal-literal-as-term: duration `7d` is outside of an interval
              note: the engine reads such a literal only inside of `@[…]`
              fix: write `fn:duration:parse("168h")`
            2:3-13 error temporal-literal-as-term: time `2024-01-15` is outside of an interval
              note: the engine reads such a literal only inside of `@[…]`
              fix: write `fn:time:parse_rfc3339("2024-01-15T00:00:00Z")`
        "#]],
    );
}

#[test]
fn bad_intervals() {
    check(
        "Decl on(P) temporal.\non(/x)@[2024-13-01].\non(/x)@[1, 2].\non(/x)@[].\np(X) :- <-[30d] on(X).",
        expect![[r#"
            2:9-19 error time-range: date or time `2024-13-01` does not exist
              note: the engine rejects it
            3:9-10 error bad-interval: `1` is not a bound of an interval
              note: bounds are dates, durations as `7d`, `now`, variables and `_`
            3:12-13 error bad-interval: `2` is not a bound of an interval
              note: bounds are dates, durations as `7d`, `now`, variables and `_`
            4:7-10 error bad-interval: interval has no bounds
              note: an interval has one or two bounds, as in `@[2024-05-01, _]`
            5:9-16 error operator-needs-two-bounds: temporal operator has one bound instead of two
              note: `<-[0d, 30d]` means within the last 30 days
              fix: insert `0d` as the first bound
        "#]],
    );
}

#[test]
fn glued_signs_and_colons() {
    check(
        "q(1).\np([-1, 2]).\nr(X) :- q(X), X <-1.\ns(M) :- q(X), M = {/a:fn:plus(X, 1)}.\nt(M) :- q(X), M = [X:2].",
        expect![[r#"
            2:3-5 error negative-list-head: missing space after `[`: `[-` parses as a temporal operator
              label: not the start of a list
              fix: insert a space after `[`
            3:17-19 error lt-minus: missing space after `<`: `<-` parses as a temporal operator
              label: not a comparison
              fix: insert a space after `<`
            4:22-23 error colon-glued: missing space at `:`: `:fn:plus` parses as one word
              label: part of the word
              fix: insert spaces around `:`
            5:21-22 error colon-glued: missing space at `:`: `X:2` parses as one word
              label: part of the word
              fix: insert spaces around `:`
        "#]],
    );
}

#[test]
fn commas() {
    check(
        "p(1,, 2).\nq([,]).\nr(1,).\ns(,1).",
        expect![[r#"
            1:5-6 error double-comma: missing element before this comma
              note: the engine expects an element before each comma
              fix: delete the comma
            2:4-5 error lone-comma: comma in an empty list
              note: a comma can follow an element only
              fix: delete the comma
            4:3-4 error double-comma: missing element before this comma
              note: the engine expects an element before each comma
              fix: delete the comma
        "#]],
    );
}

#[test]
fn declarations() {
    check(
        "Decl a(x).\nDecl b(/a).\nDecl c(A.Type<string>).\nDecl d(X) bound [/number] descr [doc(\"d\")].\nDecl e(X) bounds [/number].\nDecl f(X) descr [mode(+)].\nDecl g(X) descr [\"text\"].",
        expect![[r#"
            1:8-9 error decl-lowercase-arg: `Decl` argument `x` starts with a lower-case letter
              note: the engine reads a lower-case word as a predicate
              fix: start the variables with a capital letter
            2:8-10 error decl-arg-not-variable: `Decl` argument `/a` is not a variable
              note: a `Decl` names its arguments by variables; types follow the atom, as in `bound [/string]`
              help: write a variable
            3:8-22 error legacy-typed-arg: engine rejects the typed argument `A.Type<string>`
              note: a `Decl` names its arguments by variables; types follow the atom, as in `bound [/string]`
              fix: move the types into `bound […]`
            4:27-43 error decl-part-order: `descr` after `bound` in a `Decl`
              note: the engine requires the order `temporal`, `descr`, `bound`, `inclusion`
              fix: reorder the parts
            5:11-17 error unknown-decl-part: `bounds` is not a part of `Decl`
              note: the parts are `temporal`, `descr`, `bound` and `inclusion`
              fix: write `bound`
            6:23-24 error mode-unquoted: mode `+` is not quoted
              label: expected a string
              fix: write `"+"`
            7:18-24 error not-an-atom: expected an atom, found a string
              note: descriptors and constraints are atoms, such as `doc("…")`
              fix: wrap it in `doc(…)`
        "#]],
    );
}

#[test]
fn packages() {
    check(
        "Package a.\nUse b.\np(1).\nUse c!",
        expect![[r#"
            1:10-11 error package-dot: `Package` ends with `.` instead of `!`
              label: expected `!`
              fix: replace `.` by `!`
            2:5-6 warning use-unknown: unknown package `b`
              note: the engine silently accepts this `Use`
              fix: write `a`
            2:6-7 error package-dot: `Use` ends with `.` instead of `!`
              label: expected `!`
              fix: replace `.` by `!`
            4:1-4 error statement-order: `Use` after a declaration or clause
              note: the engine accepts `Use` only before declarations and clauses
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
            1:9-12 error reserved-word: `now` is a reserved word and cannot name a package
              note: the engine reads it as a keyword and rejects the statement
              help: choose another name
            2:5-10 error uppercase-predicate: package `Depot` starts with a capital letter
              note: the engine reads a capitalized word as a variable
            2:5-10 warning use-unknown: unknown package `Depot`
              note: the engine silently accepts this `Use`
            3:5-6 error uppercase-predicate: package `_` starts with an underscore
              note: the name of a package starts with a lower-case letter
            3:5-6 warning use-unknown: unknown package `_`
              note: the engine silently accepts this `Use`
            4:5-8 error reserved-word: `opt` is a reserved word and cannot name a package
              note: the engine reads it as a keyword and rejects the statement
              help: choose another name
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
            2:20-21 error type-dot-glued: missing space after `.`: `Y.q` parses as one word
              label: does not end the statement
              fix: insert a line break after `.`
        "#]],
    );
}

#[test]
fn backslash_before_crlf() {
    check(
        "p(\"a\\\r\nb\").\r\n",
        expect![[r#"
            1:5-6 error bad-escape: backslash before a CRLF line end
              note: the engine accepts a backslash at the end of a line only before LF
        "#]],
    );
}

#[test]
fn a_file_that_is_one_error() {
    check(
        "Decl p(X) bound [.T</k, /a: .S</n: fn:F(/m>>].",
        expect![[r#"
            1:1-47 error syntax-error: `Decl p(X) bound [.T</k, …/n: fn:F(/m>>].` cannot be parsed here
              note: the engine rejects the whole program
        "#]],
    );
}

#[test]
fn functions_out_of_place() {
    check(
        "q(\"a\").\np(X) :- q(X), fn:string:contains(X, \"a\").\nr(X) :- q(X), fn:plus(1, 2).\nfn:f(1).",
        expect![[r#"
            2:15-33 error function-as-premise: function `fn:string:contains` is used as a premise
              note: a function returns a value, which is neither true nor false
              fix: write `:string:contains`
            3:15-22 error function-as-premise: function `fn:plus` is used as a premise
              note: a function returns a value, which is neither true nor false
              help: bind its result to a variable with `=`
            4:1-5 error function-as-atom: function `fn:f` cannot be the head of a clause
              label: not a predicate
              note: the engine accepts only a predicate there
        "#]],
    );
}

#[test]
fn transforms() {
    check(
        "q(1).\np(Y) :- q(X) |> let Y = X.\nr(N) :- q(_) |> fn:group_by(), let N = fn:count().\ns(X) :- |> let X = fn:plus(1, 2).",
        expect![[r#"
            2:25-26 error let-needs-function: `let` requires a function, found `X`
              note: `let` applies a function; a value is bound by `=` in the body
              fix: bind the value in the body
            3:17-30 error not-a-transform: missing `do` before the first function after `|>`
              label: expected `do` or `let`
              fix: insert `do`
            4:9-11 error transform-without-body: transform without a body
              note: a transform applies to the solutions of a body
              help: add a premise before `|>`
        "#]],
    );
}

#[test]
fn values_and_atoms_mixed_up() {
    check(
        "q(1).\np(X) :- q(X), X.\nr(X) :- q(X), X = q(1).\ns(X) :- q(X), X = one.",
        expect![[r#"
            2:15-16 error not-a-premise: `X` is a value, not a premise
              note: a premise is an atom or a comparison
            3:19-20 error predicate-as-value: atom `q(…)` is used as a value
              note: an atom is true or false; only a function returns a value
              help: use a function, which begins with `fn:`, or bind a variable with a premise
            4:19-22 error lowercase-variable: `one` is not a value
              note: names start with `/`, variables with a capital (`One`); text is quoted
              fix: write `/one`
        "#]],
    );
}

#[test]
fn rubbish_between_statements() {
    check(
        "p(1).\n$$$ what is this\nq(2).\n?q(X).\n",
        expect![[r#"
            2:1-17 error syntax-error: `$$$ what is this` cannot be parsed here
              note: the engine rejects the whole program
            4:1-2 error query-in-file: query in a file
              note: the engine accepts only declarations, facts and rules in a file
              fix: turn it into a comment
        "#]],
    );
}

#[test]
fn statements_glued() {
    check(
        "p(1).Decl q(X).\nq(1).",
        expect![[r#"
            1:5-6 error type-dot-glued: missing space after `.`: `.Decl` parses as a type
              label: does not end the statement
              fix: insert a line break after `.`
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
            1:1-2 error bom: file starts with an invisible byte order mark
              note: the engine rejects the file at its first character
              fix: delete the byte order mark
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
            2:509-510 error nested-too-deep: nesting is deeper than 500 levels
              note: this statement is not checked any further
        "#]],
    );
    check(
        &deep(100_000),
        expect![[r#"
            1:503-504 error nested-too-deep: nesting is deeper than 500 levels
              note: this statement is not checked any further
        "#]],
    );
}

#[test]
fn lists_that_may_not_end_with_a_comma() {
    check(
        "q(1).\na(X) :- q(X) |> .\nb(X) :- q(X) |> |> let Y = fn:plus(X, 1).\nc(X) :- q(X) |> let Y = fn:plus(X, 1), .\nd(/x)@[2024-05-01, ].\ne(,1).",
        expect![[r#"
            2:14-16 error not-a-transform: no statement after `|>`
              label: expected `do` or `let` after this
              fix: delete `|>`
            3:14-16 error not-a-transform: no statement after `|>`
              label: expected `do` or `let` after this
              fix: delete `|>`
            4:38-39 error double-comma: trailing comma in a transform
              note: the engine expects another element after the comma
              fix: delete the comma
            5:18-19 error double-comma: trailing comma in an interval
              note: the engine expects another element after the comma
              fix: delete the comma
            6:3-4 error double-comma: missing element before this comma
              note: the engine expects an element before each comma
              fix: delete the comma
        "#]],
    );
}

/// Nesting that exceeds any stack. Code must not access the parent or siblings of a tree node,
/// because that lookup starts at the root.
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
            1:1-18 error directive-outside-hybrid: `INTENT:` directive in a file that is not hybrid
              label: and 2 more lines below
              note: codeNERD's loader removes such lines; the engine itself rejects them
              help: if codeNERD loads this file, list it in `hybrid` of its `[[program]]` in mangle-ls.toml
            7:1-16 error directive-outside-hybrid: `TAXONOMY:` directive in a file that is not hybrid
              note: codeNERD's loader removes such lines; the engine itself rejects them
              help: if codeNERD loads this file, list it in `hybrid` of its `[[program]]` in mangle-ls.toml
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
            1:1-8 error wrong-keyword: `package` is not a keyword of Mangle
              label: expected `Package`
              fix: write `Package`
            3:1-15 error foreign-directive: `import` is a keyword of Rego
              note: all built-ins of Mangle are always available
              fix: turn it into a comment
            4:1-18 error foreign-directive: `import` is a keyword of Rego
              note: all built-ins of Mangle are always available
              fix: turn it into a comment
            6:1-14 error foreign-directive: `default` is a keyword of Rego
              note: a fact that no rule derives is false by default
              fix: turn it into a comment
            8:1-24 error foreign-rule: rule in the notation of Rego
              note: a rule of Mangle is written `allow() :- …, ….`, with commas between the premises
            9:1-11 error foreign-rule: rule in the notation of Rego
              note: a rule of Mangle is written `allow() :- …, ….`, with commas between the premises
            12:1-35 error foreign-rule: rule in the notation of Rego
              note: a rule of Mangle is written `deny(Msg) :- …, ….`, with commas between the premises
            13:1-36 error foreign-rule: rule in the notation of Rego
              note: a rule of Mangle is written `deny(…) :- …, ….`, with commas between the premises
            15:1-20 error foreign-rule: rule in the notation of Rego
              note: a rule of Mangle is written `warn("old") :- …, ….`, with commas between the premises
            16:1-42 error foreign-rule: rule in the notation of Rego
              note: a rule of Mangle is written `violation(…) :- …, ….`, with commas between the premises
            17:1-20 error foreign-rule: rule in the notation of Rego
              note: a rule of Mangle is written `roles() :- …, ….`, with commas between the premises
            18:1-23 error foreign-rule: rule in the notation of Rego
              note: a rule of Mangle is written `level(X) :- …, ….`, with commas between the premises
            19:1-20 error foreign-rule: rule in the notation of Rego
              note: a rule of Mangle is written `is_admin(User) :- …, ….`, with commas between the premises
        "#]],
    );
}

#[test]
fn rules_of_rego_within_prose_are_not_commented_out() {
    check(
        "Here is the policy\ndeny contains msg if request(U, P)\n\nmore words for people here\nit contains several lines\n\nrequest(\"ann\").\n",
        expect![[r#"
            1:1-19 error pasted-markup: prose outside of a comment
              label: comments start with `#`
              fix: turn it into a comment
            2:1-35 error foreign-rule: rule in the notation of Rego
              note: a rule of Mangle is written `deny(Msg) :- …, ….`, with commas between the premises
            4:1-27 error pasted-markup: prose outside of a comment
              label: comments start with `#`
              fix: turn it into a comment
        "#]],
    );
}

#[test]
fn clause_with_a_foreign_arrow_is_no_rego() {
    check(
        "q(1).\np(X) if q(X).\nr if q(1).\ns if q(1),\n  q(2).\n",
        expect![[r#"
            2:6-8 error wrong-arrow: `if` is not the arrow of a rule
              label: expected `:-`
              note: a rule is written `head :- body`
              fix: write `:-`
            3:1-2 error missing-parens: atom `r` has no parentheses
              note: the engine expects them even without arguments
              fix: add `()`
            3:3-5 error wrong-arrow: `if` is not the arrow of a rule
              label: expected `:-`
              note: a rule is written `head :- body`
              fix: write `:-`
            4:1-2 error missing-parens: atom `s` has no parentheses
              note: the engine expects them even without arguments
              fix: add `()`
            4:3-5 error wrong-arrow: `if` is not the arrow of a rule
              label: expected `:-`
              note: a rule is written `head :- body`
              fix: write `:-`
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
            2:35-43 error foreign-aggregation: Mangle has no `GROUP BY`
              note: a transform after the body groups: `|> do fn:group_by(T), let Count = fn:count()`
              fix: group after the body
            3:42-50 error foreign-aggregation: Mangle has no `GROUP BY`
              note: a transform after the body groups: `|> do fn:group_by(T), let N = fn:count()`
              fix: group after the body
            4:31-39 error foreign-aggregation: Mangle has no `GROUP BY`
              note: the function `fn:group_by(…)` makes groups
              fix: write `do fn:group_by(T)`
            4:51-59 error missing-fn: function `COUNT` does not start with `fn:`
              note: a word without `fn:` is a predicate, which returns no value
              fix: write `fn:count()`
            5:28-36 error foreign-aggregation: Mangle has no `GROUP BY`
              note: a transform after the body groups: `|> do fn:group_by(T), let N = fn:count()`
              fix: group after the body
            6:31-39 error foreign-aggregation: Mangle has no `GROUP BY`
              note: a transform after the body groups: `|> do fn:group_by(X), let N = fn:count()`
              help: aggregate in a rule of its own, and compare its result in another rule
            7:58-66 error missing-fn: function `count` does not start with `fn:`
              note: a word without `fn:` is a predicate, which returns no value
              fix: write `fn:count()`
            8:41-49 error foreign-aggregation: Mangle has no `GROUP BY`
              note: a transform after the body groups: `|> do fn:group_by(X), let N = fn:count()`
              help: aggregate in a rule of its own, and compare its result in another rule
            9:41-49 error foreign-aggregation: Mangle has no `GROUP BY`
              note: a transform after the body groups: `|> do fn:group_by(T), let Sum = fn:sum(H), let Max = fn:max(H)`
              fix: group after the body
        "#]],
    );
}

#[test]
fn words_of_sql_in_capitals_are_named() {
    check(
        "path(\"src/a\", 1).\nours(P) :- path(P, _), P LIKE \"src/%\".\nlow(P) :- path(P, N), N BETWEEN 1 AND 5.\nset(P) :- path(P, N), N IS NOT NULL.\n",
        expect![[r#"
            2:26-30 error foreign-word: Mangle has no word `LIKE`
              note: texts are tested by `:string:starts_with`, `:string:contains` and `:string:ends_with`
              fix: write `:string:starts_with(P, "src/")`
            3:25-32 error foreign-word: Mangle has no word `BETWEEN`
              note: a range is written as two comparisons
              fix: write `N >= 1, N <= 5`
            4:25-36 error foreign-word: Mangle has no test `IS NOT NULL`
              note: what is unknown is expressed by the absence of a fact
              help: write a premise that holds if the value is known
        "#]],
    );
}
