//! Tests of findings about declarations.

#![allow(clippy::unwrap_used)]

use expect_test::expect;

use crate::testing::{check, check_fix};

#[test]
fn duplicates_across_files() {
    check(
        "#- a.mg\nDecl van(ID) bound [/name].\n#- b.mg\n# ours\nDecl van(ID)  bound [/name].\nvan(/v).\n\
         #- c.mg\nDecl van(Name).\n",
        expect![[r#"
            b.mg:2:6-9 error duplicate-decl: duplicate declaration of `van/1`
              a.mg:1:6-9 first declared here
              note: the engine rejects a program with two declarations of one predicate
              fix: remove this identical declaration
            c.mg:1:6-9 error duplicate-decl: duplicate declaration of `van/1`
              a.mg:1:6-9 first declared here
              note: the engine rejects a program with two declarations of one predicate
              help: merge the two declarations
        "#]],
    );
    check_fix(
        "duplicate-decl",
        "van(1).\nDecl van(X).\n  Decl van( X ). # note\nvan(2).\n",
        expect![[r#"
            van(1).
            Decl van(X).
               # note
            van(2).
        "#]],
    );
    check_fix(
        "duplicate-decl",
        "Decl van(X).\nDecl van(X).\nvan(2).\n",
        expect![[r#"
        Decl van(X).
        van(2).
    "#]],
    );
}

#[test]
fn damaged_declarations_are_no_duplicates() {
    check(
        "Decl van(X).\nDecl van(X) bound [.\nvan(1).\n",
        expect![[r#"
            2:19-20 error missing-bracket: missing `]` after `Decl van(X) bound [`
              label: expected `]` after this
              fix: insert `]`
        "#]],
    );
}

#[test]
fn repeated_parameters() {
    check(
        "Decl p(A, _, A, _, A).\n",
        expect![[r#"
            1:14-15 error decl-param-repeated: duplicate parameter `A` of `p`
              1:8-9 first occurrence
              note: the engine rejects a declaration with a repeated parameter
              fix: rename this parameter to `A2`
            1:17-18 error decl-param-repeated: duplicate parameter `_` of `p`
              1:11-12 first occurrence
              note: the engine rejects a declaration with a repeated parameter
              fix: rename this parameter to `Column2`
            1:20-21 error decl-param-repeated: duplicate parameter `A` of `p`
              1:8-9 first occurrence
              note: the engine rejects a declaration with a repeated parameter
              fix: rename this parameter to `A3`
        "#]],
    );
    check_fix(
        "decl-param-repeated",
        "Decl p(A, A2, A).\n",
        expect![[r#"
        Decl p(A, A2, A3).
    "#]],
    );
    check(
        "Decl p(A, A) inclusion [q(A)].\n",
        expect![[r#"
            1:11-12 error decl-param-repeated: duplicate parameter `A` of `p`
              1:8-9 first occurrence
              note: the engine rejects a declaration with a repeated parameter
              help: rename one of the two parameters
            1:25-26 error inclusion-undefined: undefined predicate `q/1` in an inclusion constraint
              note: no fact of `p` passes the constraint
        "#]],
    );
    // The engine accepts the declaration if each parameter is described or the check is disabled.
    check("Decl p(A, A, B) descr [arg(A, \"a\"), arg(B, \"b\")].\n", expect![[""]]);
    check(
        "Decl p(A, A) descr [synthetic()].\n",
        expect![[r#"
            1:21-32 warning descr-internal: `synthetic` is an internal descriptor of the engine
              note: it disables checks of this declaration and its bounds
              fix: remove `synthetic`
        "#]],
    );
}

#[test]
fn documentation() {
    check(
        "Decl p(A) descr [doc(), doc(\"a\"), private(), doc(\"b\", 'c'), doc(/d), doc(fn:plus(1, 2))].\n",
        expect![[r#"
            1:18-23 error doc-empty: `doc` without a text
              note: the engine rejects an empty `doc`
              fix: remove `doc()`
            1:46-59 error doc-repeated: second `doc` in one declaration
              1:25-33 first `doc`
              note: the engine rejects a declaration with two `doc` descriptors
              fix: merge it into the first `doc`
            1:61-68 error doc-repeated: second `doc` in one declaration
              1:25-33 first `doc`
              note: the engine rejects a declaration with two `doc` descriptors
              fix: merge it into the first `doc`
            1:65-67 error doc-not-string: documentation `/d` is not a string
              note: the engine rejects the declaration
              fix: put it in quotes
            1:70-88 error doc-repeated: second `doc` in one declaration
              1:25-33 first `doc`
              note: the engine rejects a declaration with two `doc` descriptors
              fix: merge it into the first `doc`
            1:74-87 error doc-not-string: documentation `fn:plus(1, 2)` is not a string
              note: the engine rejects the declaration
              help: write the text in quotes
        "#]],
    );
    check_fix(
        "doc-repeated",
        "Decl p(A) descr [\n  doc(\"a\"),\n  private(),\n  doc(\"b\", 'c')\n].\n",
        expect![[r#"
        Decl p(A) descr [
          doc("a", "b", 'c'),
          private()
        ].
    "#]],
    );
    check_fix(
        "doc-empty",
        "Decl p(A) descr [doc(), private()].\n",
        expect![[r#"
        Decl p(A) descr [private()].
    "#]],
    );
    // Comments are kept.
    check(
        "Decl p(A) descr [\n  doc(\"a\"), # first\n  doc(\"b\")\n].\n",
        expect![[r#"
            3:3-11 error doc-repeated: second `doc` in one declaration
              2:3-11 first `doc`
              note: the engine rejects a declaration with two `doc` descriptors
              help: list all texts in the first `doc`
        "#]],
    );
    check_fix(
        "doc-empty",
        "Decl p(A) descr [doc()].\n",
        expect![[r#"
        Decl p(A) descr [].
    "#]],
    );
    check_fix(
        "doc-not-string",
        "Decl p(A) descr [doc(1.5)].\n",
        expect![[r#"
        Decl p(A) descr [doc("1.5")].
    "#]],
    );
}

#[test]
fn described_parameters() {
    check(
        "Decl p(A, B, C) descr [arg(A, \"a\")].\n",
        expect![[r#"
            1:11-12 error arg-incomplete: parameter `B` and 1 more have no `arg`
              1:14-15 not described either
              note: the engine rejects a declaration that describes only some of its parameters
              help: describe all parameters or none
        "#]],
    );
    check(
        "Decl p(A, B) descr [arg(A, \"a\"), arg(C, \"c\"), arg(\"B\", \"b\"), arg(_, \"d\"), arg()].\n",
        expect![[r#"
            1:38-39 error arg-unknown: `C` is not a parameter of `p`
              1:6-13 parameters
              note: the engine rejects an `arg` that describes no parameter
              help: begin `arg` with a parameter of the declaration
            1:51-54 error arg-unknown: `"B"` is not a parameter of `p`
              1:6-13 parameters
              note: the engine rejects an `arg` that describes no parameter
              help: begin `arg` with a parameter of the declaration
            1:66-67 error arg-unknown: `_` is not a parameter of `p`
              1:6-13 parameters
              note: the engine rejects an `arg` that describes no parameter
              help: begin `arg` with a parameter of the declaration
            1:75-80 error arg-too-short: `arg` without a parameter and a text
              note: the engine rejects an `arg` without a text
              help: write a parameter and at least one string, as in `arg(X, "…")`
        "#]],
    );
    check(
        "Decl p(A) descr [arg(A, \"a\"), arg(A, \"b\")].\n",
        expect![[r#"
            1:31-42 error arg-repeated: parameter `A` is described twice
              1:18-29 first described here
              note: the engine rejects a second `arg` for a parameter
              fix: merge it into the first `arg`
        "#]],
    );
    check_fix(
        "arg-unknown",
        "Decl p(Alpha, B) descr [arg(Alfa, \"a\"), arg(B, \"b\")].\n",
        expect![[r#"
        Decl p(Alpha, B) descr [arg(Alpha, "a"), arg(B, "b")].
    "#]],
    );
    check_fix(
        "arg-repeated",
        "Decl p(A) descr [arg(A, \"a\"), private(), arg(A, \"b\")].\n",
        expect![[r#"
        Decl p(A) descr [arg(A, "a", "b"), private()].
    "#]],
    );
}

#[test]
fn modes() {
    check(
        "Decl p(A, B) descr [mode(\"in\", /out), mode(\"+\"), mode(\"+\", \"-\", \"?\"), mode()].\n",
        expect![[r#"
            1:26-30 error mode-invalid: `"in"` is not a mode
              note: the engine silently ignores the whole `mode`
              note: modes are `"+"` (bound by the caller), `"-"` (bound by the predicate) and `"?"` (either)
              fix: write `"+"`
            1:32-36 error mode-invalid: `/out` is not a mode
              note: the engine silently ignores the whole `mode`
              note: modes are `"+"` (bound by the caller), `"-"` (bound by the predicate) and `"?"` (either)
            1:39-48 error mode-invalid: `mode` has 1 entry, `p` has 2 arguments
              1:6-13 arguments
              note: arguments without a mode bind no variables
            1:50-69 error mode-invalid: `mode` has 3 entries, `p` has 2 arguments
              1:6-13 arguments
              note: the engine panics when a premise queries the predicate
            1:71-77 error mode-invalid: `mode` has 0 entries, `p` has 2 arguments
              1:6-13 arguments
              note: the engine ignores an empty `mode`
        "#]],
    );
    check(
        "Decl p() descr [external()].\n",
        expect![[r#"
            1:17-27 error external-mode-count: external predicate `p` has no mode
              note: the engine rejects an external predicate without exactly one mode
              note: a predicate without arguments cannot have a mode
        "#]],
    );
    check(
        "Decl p(A) descr [external(), mode(\"+\"), mode(\"-\"), mode(\"?\")].\n",
        expect![[r#"
            1:18-28 error external-mode-count: external predicate `p` has 3 modes
              1:41-50 another mode
              1:52-61 another mode
              note: the engine rejects an external predicate without exactly one mode
              help: keep one of the modes
        "#]],
    );
    // One mistake yields one finding.
    check(
        "Decl p(A) descr [external(), mode(\"in\")].\n",
        expect![[r#"
            1:35-39 error mode-invalid: `"in"` is not a mode
              note: the engine silently ignores the whole `mode`
              note: modes are `"+"` (bound by the caller), `"-"` (bound by the predicate) and `"?"` (either)
              fix: write `"+"`
        "#]],
    );
    check_fix(
        "mode-invalid",
        "Decl p(A, B) descr [mode(\"in\", \"-\")].\n",
        expect![[r#"
        Decl p(A, B) descr [mode("+", "-")].
    "#]],
    );
}

#[test]
fn inputs_that_nobody_gives() {
    check(
        "#- schemas.mg\nDecl big(N, M) descr [doc(\"large\"), mode(\"-\", \"+\")].\n#- rules.mg\nn(1).\n\
         big(N, M) :- n(N), n(M).\nbig(N, M) :- n(N), M > N.\n",
        expect![[r#"
            schemas.mg:1:37-51 error mode-input-bottom-up: `+` argument `M` is unbound in bottom-up evaluation
              rules.mg:3:20-21 unbound here
              note: the engine aborts when it evaluates this rule of `big`
              note: rules are evaluated without a caller unless the predicate is `deferred()`
              fix: add `deferred()`
        "#]],
    );
    // The body binds the variable, so the mode for callers has no effect.
    check(
        "Decl big(N) descr [mode(\"+\")].\nn(1).\nbig(N) :- n(N), N > 4.\nbig(N) :- N = 9.\n",
        expect![[""]],
    );
    check(
        "Decl big(N) descr [mode(\"+\"), external()].\nbig(N) :- N > 4.\n",
        expect![[r#"
            1:20-29 error mode-input-bottom-up: `+` argument `N` is unbound in bottom-up evaluation
              2:11-12 unbound here
              note: the engine aborts when it evaluates this rule of `big`
              note: rules are evaluated without a caller unless the predicate is `deferred()`
              help: bind `N` earlier in the body
        "#]],
    );
}

#[test]
fn bounds() {
    check(
        "Decl p(A, B) bound [] bound [/name, /number, /any].\n",
        expect![[r#"
            1:14-22 error bound-count: `bound` row has no types, `p` has 2 arguments
              1:6-13 arguments
              note: the engine rejects a row without exactly one type per argument
            1:23-51 error bound-count: `bound` row has 3 types, `p` has 2 arguments
              1:6-13 arguments
              note: the engine rejects a row without exactly one type per argument
        "#]],
    );
    check(
        "Decl p(A) bound [7] bound [1.5] bound [b\"x\"] bound [[]] bound [[/a : 1]] bound [{}].\n",
        expect![[r#"
            1:18-19 error bound-not-type: `7` is a value, not a type
              note: the engine rejects the declaration
              help: use a type such as `/number` or `/string`
            1:28-31 error bound-not-type: `1.5` is a value, not a type
              note: the engine rejects the declaration
              help: use a type such as `/number` or `/string`
            1:40-44 error bound-not-type: `b"x"` is a value, not a type
              note: the engine rejects the declaration
              help: use a type such as `/number` or `/string`
            1:53-55 error bound-not-type: `[]` is a list, not a type
              note: the engine rejects the declaration
              help: use `.List<…>`, the type of lists
            1:64-72 error bound-not-type: `[/a : 1]` is a map, not a type
              note: the engine rejects the declaration
              help: use `.Map<…>`, the type of maps
            1:81-83 error bound-not-type: `{}` is a struct, not a type
              note: the engine rejects the declaration
              help: use `.Struct<…>`, the type of structs
        "#]],
    );
    check(
        "Decl p(A) bound [.List<7>] bound [.List<\"x\">] bound [fn:list(/name)] bound [.Set</name>] \
         bound [.List<[/name]>] bound [fn:opt(/a, /name)].\n",
        expect![[r#"
            1:24-25 error bound-malformed: `7` is a value, not a type
              note: the engine rejects the declaration
              help: use a type such as `/number` or `/string`
            1:41-44 error bound-malformed: `"x"` is a string, not a type
              note: the engine rejects the declaration
              help: use a name such as `/string`
            1:54-61 error bound-malformed: `fn:list` is not a type constructor
              note: the engine rejects the declaration
              fix: write `fn:List`
            1:77-81 error bound-malformed: `fn:Set` is not a type constructor
              note: the engine rejects the declaration
            1:103-110 error bound-malformed: `[/name]` is a list, not a type
              note: the engine rejects the declaration
              help: use `.List<…>`, the type of lists
            1:120-126 error bound-malformed: `fn:opt` is not a type constructor
              note: the engine rejects the declaration
        "#]],
    );
    check(
        "Decl p(A) bound [.Pair</name>] bound [.Tuple</name, /name>] bound [.Union<>] bound [fn:Fun()] \
         bound [.Map</a, /b, /c>] bound [.Singleton<3>] bound [fn:Fun(T, /name)].\n",
        expect![[r#"
            1:18-30 error bound-malformed: `.Pair` takes 2 arguments, found 1
              note: the engine rejects the declaration
            1:39-59 error bound-malformed: `.Tuple` takes at least 3 arguments, found 2
              note: the engine rejects the declaration
              fix: write `.Pair`
            1:68-76 error bound-malformed: `.Union` takes at least 1 argument, found 0
              note: the engine rejects the declaration
            1:85-93 error bound-malformed: `.Fun` takes at least 1 argument, found 0
              note: the engine rejects the declaration
            1:102-118 error bound-malformed: `.Map` takes 2 arguments, found 3
              note: the engine rejects the declaration
            1:138-139 error bound-malformed: `3` in a singleton type is not a name
              note: the engine rejects the declaration
              help: use a name, as in `.Singleton</red>`
            1:156-157 error bound-malformed: type variable `T` of the result is in no argument
              note: the engine rejects the declaration
        "#]],
    );
    check(
        "Decl p(A) bound [.Struct</a>] bound [.Struct<\"a\" : /name>] bound [.Struct</a : 3>] \
         bound [.Struct</a : /name, /a : /name>] bound [.Struct<opt /a : 3>] bound [fn:Struct(fn:opt(/a))].\n",
        expect![[r#"
            1:18-29 error bound-malformed: struct type lacks a label or a type
              note: the engine rejects the declaration
              help: list labels and types in turn, as in `.Struct</weight : /number>`
            1:46-49 error bound-malformed: field label `"a"` is not a name
              note: the engine rejects the declaration
              help: use a name such as `/weight`
            1:80-81 error bound-malformed: `3` is a value, not a type
              note: the engine rejects the declaration
              help: use a type such as `/number` or `/string`
            1:111-113 warning bound-unchecked: field `/a` is listed twice, only the first counts
              note: the engine does not check this place and accepts the declaration
            1:148-149 warning bound-unchecked: `3` is a value, not a type
              note: the engine does not check this place and accepts the declaration
              help: use a type such as `/number` or `/string`
            1:169-179 warning bound-unchecked: optional field is not a label and a type
              note: the engine does not check this place and accepts the declaration
              help: write `opt /label : /type`
        "#]],
    );
    check(
        "Decl p(A) bound [.TaggedUnion</k>] bound [.TaggedUnion</k, /a>] bound [.TaggedUnion</k, /a : /name>] \
         bound [.TaggedUnion<K, /a : .Struct<>>] bound [.TaggedUnion</k, /a : .Struct<>, /a : .Struct<>>] \
         bound [.TaggedUnion</k, \"a\" : .Struct<>>] bound [.TaggedUnion</k, /a : .Struct</k : /name>>] \
         bound [.TaggedUnion</k, /a : .Struct<opt /k : /name>>] bound [.TaggedUnion</k, /a : .Struct</x : fn:Foo()>>].\n",
        expect![[r#"
            1:18-34 error bound-malformed: `.TaggedUnion` takes at least 3 arguments, found 1
              note: the engine rejects the declaration
            1:43-63 error bound-malformed: `.TaggedUnion` takes at least 3 arguments, found 2
              note: the engine rejects the declaration
            1:94-99 error bound-malformed: variant `/name` of a tagged union is not a struct type
              note: the engine rejects the declaration
              help: use `.Struct<…>` for each variant
            1:122-123 error bound-malformed: tag `K` is not a name
              note: the engine rejects the declaration
              help: use a name such as `/kind`
            1:182-184 error bound-malformed: tag `/a` is listed twice
              note: the engine rejects the declaration
            1:223-226 error bound-malformed: tag `"a"` is not a name
              note: the engine rejects the declaration
              help: use a name such as `/kind`
            1:278-280 error bound-malformed: tag field `/k` is listed in a variant
              note: the engine rejects the declaration
              help: remove the field, which every variant has implicitly
            1:333-335 error bound-malformed: tag field `/k` is listed in a variant
              note: the engine rejects the declaration
              help: remove the field, which every variant has implicitly
            1:389-395 error bound-malformed: `fn:Foo` is not a type constructor
              note: the engine rejects the declaration
        "#]],
    );
}

#[test]
fn well_formed_bounds() {
    check(
        "Decl p(A) bound [T] bound [_] bound [.List<T>] bound [fn:Fun(T, fn:List(T))] bound [.Option</name>] \
         bound [.Struct<>] bound [.Singleton</bool>] bound [fn:Rel(/name)] bound [/no/such/type] \
         bound [.Struct</bool : /name>] bound [.TaggedUnion</int, /str : .Struct<opt /x : /bytes>>].\n",
        expect![[""]],
    );
}

#[test]
fn fixes_of_bounds() {
    check_fix(
        "bound-not-type",
        "Decl p(A) bound [[/name]].\n",
        expect![[r#"
        Decl p(A) bound [.List</name>].
    "#]],
    );
    check_fix(
        "bound-not-type",
        "Decl p(A) bound [[/name : .List</number>]].\n",
        expect![[r#"
        Decl p(A) bound [.Map</name, .List</number>>].
    "#]],
    );
    check_fix(
        "bound-not-type",
        "Decl p(A) bound [{/a: /name, /b : /number}].\n",
        expect![[r#"
        Decl p(A) bound [.Struct</a : /name, /b : /number>].
    "#]],
    );
    check_fix(
        "bound-malformed",
        "Decl p(A) bound [.List<fn:list(/name)>].\n",
        expect![[r#"
        Decl p(A) bound [.List<fn:List(/name)>].
    "#]],
    );
    check_fix(
        "bound-malformed",
        "Decl p(A) bound [.Tuple</a, /b>].\n",
        expect![[r#"
        Decl p(A) bound [.Pair</a, /b>].
    "#]],
    );
    check_fix(
        "suspicious-type-name",
        "Decl p(A) bound [.List</bool>].\n",
        expect![[r#"
        Decl p(A) bound [.List<.Union<.Singleton</true>, .Singleton</false>>>].
    "#]],
    );
    check_fix(
        "bound-predicate-string",
        "Decl p(A, B, C) bound [\"even\", /name, 'odd'] inclusion [q(A)].\n",
        expect![[r#"
            Decl p(A, B, C) bound [/any, /name, /any] inclusion [q(A), even(A), odd(C)].
        "#]],
    );
    // An inclusion would apply to both rows.
    check(
        "Decl p(A) bound [\"even\"] bound [/name].\n",
        expect![[r#"
            1:18-24 error bound-predicate-string: string `"even"` instead of a type
              note: the documentation of Mangle allows a predicate here, but the engine rejects it
              help: give the argument a type and name the predicate in `inclusion`
        "#]],
    );
}

#[test]
fn names_that_look_like_types() {
    check(
        "Decl p(A, B) bound [/bool, .Map</str, .Struct</int : /int, opt /x : /float>>].\n",
        expect![[r#"
            1:21-26 warning suspicious-type-name: `/bool` is not a base type
              note: it is the type of the names below it, such as `/bool/x`
              fix: write `.Union<.Singleton</true>, .Singleton</false>>`
            1:33-37 warning suspicious-type-name: `/str` is not a base type
              note: it is the type of the names below it, such as `/str/x`
              fix: write `/string`
            1:54-58 warning suspicious-type-name: `/int` is not a base type
              note: it is the type of the names below it, such as `/int/x`
              fix: write `/number`
            1:69-75 warning suspicious-type-name: `/float` is not a base type
              note: it is the type of the names below it, such as `/float/x`
              fix: write `/float64`
        "#]],
    );
}

#[test]
fn descriptors() {
    check(
        "Decl p(A) descr [extensinal(), whatever(A), internal:maybe_temporal(), name(\"x\"), desugared()].\n",
        expect![[r#"
            1:18-28 hint descr-unknown: unknown descriptor `extensinal`
              note: the engine silently ignores it
              fix: write `extensional`
            1:32-40 hint descr-unknown: unknown descriptor `whatever`
              note: the engine silently ignores it
            1:45-70 warning descr-internal: `internal:maybe_temporal` is an internal descriptor of the engine
              note: it has no effect here
              fix: remove `internal:maybe_temporal`
            1:72-81 warning descr-internal: `name` is an internal descriptor of the engine
              note: it has no effect here
              fix: remove `name`
            1:83-94 warning descr-internal: `desugared` is an internal descriptor of the engine
              note: it makes the engine ignore the bounds of the declaration
              fix: remove `desugared`
        "#]],
    );
    check(
        "#- schemas.mg\nDecl p(A) descr [extensional()].\n#- facts.mg\np(1).\nq(2).\np(A) :- q(A).\n",
        expect![[r#"
            facts.mg:3:1-2 warning extensional-has-rules: rule for the extensional predicate `p`
              schemas.mg:1:6-7 declared here
              note: `extensional()` declares that all facts come from the host
              note: the engine applies the rule anyway
        "#]],
    );
}

#[test]
fn dependencies() {
    check(
        "Decl p(A, B) descr [fundep([A], [C]), fundep(A, [B]), fundep([A])].\n",
        expect![[r#"
            1:21-37 hint fundep-without-merge: `fundep` without `merge` is not enforced
              note: the engine keeps facts that contradict the dependency
              help: add a `merge` with a predicate that selects the value to keep
            1:34-35 warning fundep-unknown-var: `C` is not a parameter of `p`
              1:6-13 parameters
              note: the engine silently ignores it in `fundep`
            1:39-53 hint fundep-without-merge: `fundep` without `merge` is not enforced
              note: the engine keeps facts that contradict the dependency
              help: add a `merge` with a predicate that selects the value to keep
            1:46-47 warning fundep-unknown-var: `A` in `fundep` is not a list of parameters
              note: the engine ignores it
              help: list the parameters, as in `[A, B]`
            1:55-66 warning fundep-unknown-var: `fundep` takes 2 arguments, found 1
              note: the engine ignores it
              help: write `fundep([A, …], [B])`
        "#]],
    );
    check_fix(
        "fundep-unknown-var",
        "Decl p(Key, Value) descr [fundep([Key], [Valeu])].\n",
        expect![[r#"
        Decl p(Key, Value) descr [fundep([Key], [Value])].
    "#]],
    );
    // A dependency on two columns aborts the evaluation only if rules derive facts.
    check(
        "Decl p(A, B, C) descr [fundep([A], [B, C])].\nq(1).\np(A, A, A) :- q(A).\n",
        expect![[r#"
            1:24-43 hint fundep-without-merge: `fundep` without `merge` is not enforced
              note: the engine keeps facts that contradict the dependency
              help: add a `merge` with a predicate that selects the value to keep
            1:36-42 error merge-bad-target: `fundep` determines 2 arguments, the engine merges only 1
              note: the engine aborts when a rule derives a fact of `p`
        "#]],
    );
    check(
        "Decl p(A, B, C) descr [fundep([A], [B, C])].\np(1, 2, 3).\n",
        expect![[r#"
            1:24-43 hint fundep-without-merge: `fundep` without `merge` is not enforced
              note: the engine keeps facts that contradict the dependency
              help: add a `merge` with a predicate that selects the value to keep
        "#]],
    );
    check(
        "Decl p(A, B) descr [merge([B], \"m\")].\n",
        expect![[r#"
            1:21-36 error merge-bad-target: `merge` requires exactly 1 `fundep`, found 0
              note: the engine silently keeps both facts
        "#]],
    );
    check(
        "Decl p(A, B) descr [fundep([A], [B]), merge([B], /m)].\n",
        expect![[r#"
            1:50-52 error merge-bad-target: predicate `/m` of `merge` is not a string
              note: the engine silently keeps both facts
              help: write the name of the predicate in quotes, as in `"higher"`
        "#]],
    );
    check(
        "Decl p(A, B) descr [fundep([A], [B]), merge([B], \"m\")].\nm(1, 2).\n",
        expect![[r#"
            1:50-53 error merge-bad-target: undefined predicate `m/3` in `merge`
              note: the engine silently keeps both facts
              note: its arguments are the old value, the new value and the result
        "#]],
    );
    check("Decl p(A, B) descr [fundep([A], [B]), merge([B], \"m\")].\nm(1, 2, 1).\n", expect![[""]]);
}

fn found(text: &str) -> Vec<(&'static str, &'static str)> {
    let all = crate::testing::CheckedFixture::new(text).diagnostics.into_iter().flat_map(|(_, found)| found);
    all.map(|diagnostic| (diagnostic.rule.name, diagnostic.severity.as_str())).collect()
}

#[test]
fn inputs_that_no_caller_brings() {
    // Variables that are bound in the analysis but not in the evaluation.
    for body in [
        "Y = fn:plus(X, 1)",
        "Y = fn:plus(X, 1), q(X)",
        "q(Y), X < Y",
        "q(Y), :string:starts_with(X, \"a\")",
        "q(Y), Y != fn:plus(X, 2)",
        "r([X], Y)",
        "fare(X, Y)",
    ] {
        let text = format!(
            "Decl q(X).\nDecl r(L, X).\nDecl fare(A, B) descr [deferred(), mode(\"+\", \"-\")].\nfare(A, B) :- B = fn:mult(A, 2).\n\
             Decl p(X, Y) descr [mode(\"+\", \"-\")].\np(X, Y) :- {body}.\n"
        );
        let found = found(&text);
        let errors =
            found.iter().filter(|(rule, severity)| *rule == "mode-input-bottom-up" && *severity == "error");
        assert_eq!(errors.count(), 1, "{body}: {found:?}");
    }
    for body in ["q(X), Y = fn:plus(X, 1)", "r(X, Y)", "q(Y), X = Y", "q(X), Y = X"] {
        let text = format!(
            "Decl q(X).\nDecl r(L, X).\nDecl p(X, Y) descr [mode(\"+\", \"-\")].\np(X, Y) :- {body}.\n"
        );
        let found = found(&text);
        assert!(found.iter().all(|(rule, _)| *rule != "mode-input-bottom-up"), "{body}: {found:?}");
    }
}
