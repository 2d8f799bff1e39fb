//! Findings about declarations, in full.

#![allow(clippy::unwrap_used)]

use expect_test::expect;

use crate::testing::{check, check_fix};

#[test]
fn duplicates_across_files() {
    check(
        "#- a.mg\nDecl van(ID) bound [/name].\n#- b.mg\n# ours\nDecl van(ID)  bound [/name].\nvan(/v).\n\
         #- c.mg\nDecl van(Name).\n",
        expect![[r#"
            b.mg:2:6-9 error duplicate-decl: `van/1` is declared already. A predicate has one `Decl` in the whole program; the engine rejects a second one.
              a.mg:1:6-9 the first declaration
              fix: Remove this declaration, which says the same
            c.mg:1:6-9 error duplicate-decl: `van/1` is declared already. A predicate has one `Decl` in the whole program; the engine rejects a second one.
              a.mg:1:6-9 the first declaration
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
        1:14-15 error decl-param-repeated: The parameter `A` of `p` stands here a second time. Each column needs a name of its own; the engine rejects this declaration.
          1:8-9 the first one
          fix: Call this column `A2`
        1:17-18 error decl-param-repeated: The parameter `_` of `p` stands here a second time. Each column needs a name of its own; the engine rejects this declaration.
          1:11-12 the first one
          fix: Call this column `Column2`
        1:20-21 error decl-param-repeated: The parameter `A` of `p` stands here a second time. Each column needs a name of its own; the engine rejects this declaration.
          1:8-9 the first one
          fix: Call this column `A3`
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
            1:11-12 error decl-param-repeated: The parameter `A` of `p` stands here a second time. Each column needs a name of its own; the engine rejects this declaration.
              1:8-9 the first one
            1:25-26 error inclusion-undefined: `q/1` is neither declared nor defined in this program, so that no fact of this predicate passes the constraint.
        "#]],
    );
    // With each parameter described, or with the check switched off, the engine takes it.
    check("Decl p(A, A, B) descr [arg(A, \"a\"), arg(B, \"b\")].\n", expect![[""]]);
    check(
        "Decl p(A, A) descr [synthetic()].\n",
        expect![[r#"
        1:21-32 warning descr-internal: `synthetic` is a note that the engine makes for itself. It switches off checks of this declaration, and its bounds.
          fix: Remove `synthetic`
    "#]],
    );
}

#[test]
fn documentation() {
    check(
        "Decl p(A) descr [doc(), doc(\"a\"), private(), doc(\"b\", 'c'), doc(/d), doc(fn:plus(1, 2))].\n",
        expect![[r#"
            1:18-23 error doc-empty: `doc()` says nothing. The engine wants at least one string in it.
              fix: Remove `doc()`
            1:46-59 error doc-repeated: A declaration has one `doc`, and this is another. The engine rejects it; further paragraphs are further strings of the first.
              1:25-33 the first `doc`
              fix: Merge it into the first `doc`
            1:61-68 error doc-repeated: A declaration has one `doc`, and this is another. The engine rejects it; further paragraphs are further strings of the first.
              1:25-33 the first `doc`
              fix: Merge it into the first `doc`
            1:65-67 error doc-not-string: Documentation is a string; the engine rejects anything else.
              fix: Put it in quotes
            1:70-88 error doc-repeated: A declaration has one `doc`, and this is another. The engine rejects it; further paragraphs are further strings of the first.
              1:25-33 the first `doc`
              fix: Merge it into the first `doc`
            1:74-87 error doc-not-string: Documentation is a string; the engine rejects anything else.
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
    // A comment is not thrown away.
    check(
        "Decl p(A) descr [\n  doc(\"a\"), # first\n  doc(\"b\")\n].\n",
        expect![[r#"
        3:3-11 error doc-repeated: A declaration has one `doc`, and this is another. The engine rejects it; further paragraphs are further strings of the first.
          2:3-11 the first `doc`
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
        1:11-12 error arg-incomplete: The parameters `B`, `C` have no `arg` atom, while other parameters have one. The engine wants one for each parameter, or none at all.
          1:14-15 not described either
    "#]],
    );
    check(
        "Decl p(A, B) descr [arg(A, \"a\"), arg(C, \"c\"), arg(\"B\", \"b\"), arg(_, \"d\"), arg()].\n",
        expect![[r#"
            1:38-39 error arg-unknown: `C` is no parameter of `p`. The first argument of `arg` names the parameter that it describes; the engine rejects anything else.
              1:6-13 the parameters
            1:51-54 error arg-unknown: `"B"` is no parameter of `p`. The first argument of `arg` names the parameter that it describes; the engine rejects anything else.
              1:6-13 the parameters
            1:66-67 error arg-unknown: `_` is no parameter of `p`. The first argument of `arg` names the parameter that it describes; the engine rejects anything else.
              1:6-13 the parameters
            1:75-80 error arg-too-short: `arg` takes a parameter and at least one string that describes it.
        "#]],
    );
    check(
        "Decl p(A) descr [arg(A, \"a\"), arg(A, \"b\")].\n",
        expect![[r#"
        1:31-42 error arg-repeated: The parameter `A` is described already. The engine rejects a second `arg` for it; further paragraphs are further strings of the first.
          1:18-29 the first description
          fix: Merge it into the first `arg`
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
            1:26-30 error mode-invalid: A mode is "+" (has a value before), "-" (gets one) or "?" (either). With anything else the engine ignores the whole `mode`, without a word.
              fix: Write "+"
            1:32-36 error mode-invalid: A mode is "+" (has a value before), "-" (gets one) or "?" (either). With anything else the engine ignores the whole `mode`, without a word.
            1:39-48 error mode-invalid: `p` has 2 arguments, but this mode is for 1. The columns without a mode then give no values to variables.
              1:6-13 the arguments
            1:50-69 error mode-invalid: `p` has 2 arguments, but this mode is for 3. The engine's analysis crashes as soon as the predicate is used.
              1:6-13 the arguments
            1:71-77 error mode-invalid: `p` has 2 arguments, but this mode is for none. The engine ignores an empty one.
              1:6-13 the arguments
        "#]],
    );
    check(
        "Decl p() descr [external()].\n",
        expect![[r#"
        1:17-27 error external-mode-count: An external predicate needs a mode, and a predicate without arguments cannot have one. The engine rejects this declaration.
    "#]],
    );
    check(
        "Decl p(A) descr [external(), mode(\"+\"), mode(\"-\"), mode(\"?\")].\n",
        expect![[r#"
        1:18-28 error external-mode-count: An external predicate has exactly one mode. The engine rejects this declaration.
          1:41-50 another mode
          1:52-61 another mode
    "#]],
    );
    // One mistake, one finding.
    check(
        "Decl p(A) descr [external(), mode(\"in\")].\n",
        expect![[r#"
        1:35-39 error mode-invalid: A mode is "+" (has a value before), "-" (gets one) or "?" (either). With anything else the engine ignores the whole `mode`, without a word.
          fix: Write "+"
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
            schemas.mg:1:37-51 error mode-input-bottom-up: A rule of `big` needs its `"+"` argument `M`, which is unbound: rules run without a caller. The evaluation aborts there. Bind `M` before in the body, or declare `big` as `deferred()`.
              rules.mg:3:20-21 unbound here
              fix: Add `deferred()`
        "#]],
    );
    // Bound by the body: a mode for callers that costs nothing.
    check(
        "Decl big(N) descr [mode(\"+\")].\nn(1).\nbig(N) :- n(N), N > 4.\nbig(N) :- N = 9.\n",
        expect![[""]],
    );
    check(
        "Decl big(N) descr [mode(\"+\"), external()].\nbig(N) :- N > 4.\n",
        expect![[r#"
        1:20-29 error mode-input-bottom-up: A rule of `big` needs its `"+"` argument `N`, which is unbound: rules run without a caller. The evaluation aborts there. Bind `N` before in the body, or declare `big` as `deferred()`.
          2:11-12 unbound here
    "#]],
    );
}

#[test]
fn bounds() {
    check(
        "Decl p(A, B) bound [] bound [/name, /number, /any].\n",
        expect![[r#"
        1:14-22 error bound-count: `p` has 2 arguments, but this row has no types. The engine rejects a row that does not give one type for each argument.
          1:6-13 the arguments
        1:23-51 error bound-count: `p` has 2 arguments, but this row has 3 types. The engine rejects a row that does not give one type for each argument.
          1:6-13 the arguments
    "#]],
    );
    check(
        "Decl p(A) bound [7] bound [1.5] bound [b\"x\"] bound [[]] bound [[/a : 1]] bound [{}].\n",
        expect![[r#"
        1:18-19 error bound-not-type: This is a value. A bound wants a type, such as `/number` or `/string`.
        1:28-31 error bound-not-type: This is a value. A bound wants a type, such as `/number` or `/string`.
        1:40-44 error bound-not-type: This is a value. A bound wants a type, such as `/number` or `/string`.
        1:53-55 error bound-not-type: This is a list, a value. The type of such values is `.List<…>`.
        1:64-72 error bound-not-type: This is a map, a value. The type of such values is `.Map<…>`.
        1:81-83 error bound-not-type: This is a struct, a value. The type of such values is `.Struct<…>`.
    "#]],
    );
    check(
        "Decl p(A) bound [.List<7>] bound [.List<\"x\">] bound [fn:list(/name)] bound [.Set</name>] \
         bound [.List<[/name]>] bound [fn:opt(/a, /name)].\n",
        expect![[r#"
            1:24-25 error bound-malformed: This is a value. A bound wants a type, such as `/number` or `/string`.
            1:41-44 error bound-malformed: A string is no type. Types are names such as `/string`.
            1:54-61 error bound-malformed: `fn:list` is no type. The constructor is `.List`.
              fix: Write `fn:List`
            1:77-81 error bound-malformed: There is no type constructor `Set`.
            1:103-110 error bound-malformed: This is a list, a value. The type of such values is `.List<…>`.
            1:120-126 error bound-malformed: There is no type constructor `opt`.
        "#]],
    );
    check(
        "Decl p(A) bound [.Pair</name>] bound [.Tuple</name, /name>] bound [.Union<>] bound [fn:Fun()] \
         bound [.Map</a, /b, /c>] bound [.Singleton<3>] bound [fn:Fun(T, /name)].\n",
        expect![[r#"
            1:18-30 error bound-malformed: `.Pair` takes 2 arguments, not 1.
            1:39-59 error bound-malformed: A tuple has at least three parts; two are a `.Pair`.
              fix: Write `.Pair`
            1:68-76 error bound-malformed: `.Union` takes at least 1 argument, not 0.
            1:85-93 error bound-malformed: `.Fun` takes at least 1 argument, not 0.
            1:102-118 error bound-malformed: `.Map` takes 2 arguments, not 3.
            1:138-139 error bound-malformed: The engine only takes a name here, such as `.Singleton</red>`.
            1:156-157 error bound-malformed: The type variable `T` of the result does not occur in the arguments.
        "#]],
    );
    check(
        "Decl p(A) bound [.Struct</a>] bound [.Struct<\"a\" : /name>] bound [.Struct</a : 3>] \
         bound [.Struct</a : /name, /a : /name>] bound [.Struct<opt /a : 3>] bound [fn:Struct(fn:opt(/a))].\n",
        expect![[r#"
            1:18-29 error bound-malformed: A struct type lists labels and types in turn; here one is missing.
            1:46-49 error bound-malformed: The label of a field is a name, such as `/weight`.
            1:80-81 error bound-malformed: This is a value. A bound wants a type, such as `/number` or `/string`.
            1:111-113 warning bound-unchecked: The field `/a` is listed twice; only the first counts. The engine does not look here and takes it.
            1:148-149 warning bound-unchecked: This is a value. A bound wants a type, such as `/number` or `/string`. The engine does not look here and takes it.
            1:169-179 warning bound-unchecked: An optional field has a label and a type: `opt /label : /type`. The engine does not look here and takes it.
        "#]],
    );
    check(
        "Decl p(A) bound [.TaggedUnion</k>] bound [.TaggedUnion</k, /a>] bound [.TaggedUnion</k, /a : /name>] \
         bound [.TaggedUnion<K, /a : .Struct<>>] bound [.TaggedUnion</k, /a : .Struct<>, /a : .Struct<>>] \
         bound [.TaggedUnion</k, \"a\" : .Struct<>>] bound [.TaggedUnion</k, /a : .Struct</k : /name>>] \
         bound [.TaggedUnion</k, /a : .Struct<opt /k : /name>>] bound [.TaggedUnion</k, /a : .Struct</x : fn:Foo()>>].\n",
        expect![[r#"
            1:18-34 error bound-malformed: `.TaggedUnion` takes at least 3 arguments, not 1.
            1:43-63 error bound-malformed: `.TaggedUnion` takes at least 3 arguments, not 2.
            1:94-99 error bound-malformed: Each variant of a tagged union is a `.Struct<…>`.
            1:122-123 error bound-malformed: The tag field and the tags of a tagged union are names, such as `/kind`.
            1:182-184 error bound-malformed: The tag `/a` is listed twice.
            1:223-226 error bound-malformed: The tag field and the tags of a tagged union are names, such as `/kind`.
            1:278-280 error bound-malformed: The tag field `/k` may not be listed in a variant; it is there by itself.
            1:333-335 error bound-malformed: The tag field `/k` may not be listed in a variant; it is there by itself.
            1:389-395 error bound-malformed: There is no type constructor `Foo`.
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
    // An inclusion would hold for both rows.
    check(
        "Decl p(A) bound [\"even\"] bound [/name].\n",
        expect![[r#"
        1:18-24 error bound-predicate-string: A string here is documented as "the values of this predicate", but the engine rejects it. Give the column a type and say the rest with `inclusion`.
    "#]],
    );
}

#[test]
fn names_that_look_like_types() {
    check(
        "Decl p(A, B) bound [/bool, .Map</str, .Struct</int : /int, opt /x : /float>>].\n",
        expect![[r#"
        1:21-26 warning suspicious-type-name: `/bool` is no base type. It means the names below it, such as `/bool/x`; `.Union<.Singleton</true>, .Singleton</false>>` is probably meant.
          fix: Write `.Union<.Singleton</true>, .Singleton</false>>`
        1:33-37 warning suspicious-type-name: `/str` is no base type. It means the names below it, such as `/str/x`; `/string` is probably meant.
          fix: Write `/string`
        1:54-58 warning suspicious-type-name: `/int` is no base type. It means the names below it, such as `/int/x`; `/number` is probably meant.
          fix: Write `/number`
        1:69-75 warning suspicious-type-name: `/float` is no base type. It means the names below it, such as `/float/x`; `/float64` is probably meant.
          fix: Write `/float64`
    "#]],
    );
}

#[test]
fn descriptors() {
    check(
        "Decl p(A) descr [extensinal(), whatever(A), internal:maybe_temporal(), name(\"x\"), desugared()].\n",
        expect![[r#"
            1:18-28 hint descr-unknown: The engine does not know `extensinal` and ignores it. Is `extensional` meant?
              fix: Write `extensional`
            1:32-40 hint descr-unknown: The engine does not know `whatever` and ignores it.
            1:45-70 warning descr-internal: `internal:maybe_temporal` is a note that the engine makes for itself. It has no meaning here.
              fix: Remove `internal:maybe_temporal`
            1:72-81 warning descr-internal: `name` is a note that the engine makes for itself. It has no meaning here.
              fix: Remove `name`
            1:83-94 warning descr-internal: `desugared` is a note that the engine makes for itself. It makes the engine skip the declaration's bounds.
              fix: Remove `desugared`
        "#]],
    );
    check(
        "#- schemas.mg\nDecl p(A) descr [extensional()].\n#- facts.mg\np(1).\nq(2).\np(A) :- q(A).\n",
        expect![[r#"
            facts.mg:3:1-2 warning extensional-has-rules: `p` is declared `extensional()`: its facts come from outside. The engine takes this rule all the same.
              schemas.mg:1:6-7 the declaration
        "#]],
    );
}

#[test]
fn dependencies() {
    check(
        "Decl p(A, B) descr [fundep([A], [C]), fundep(A, [B]), fundep([A])].\n",
        expect![[r#"
            1:21-37 hint fundep-without-merge: Nothing enforces this: the engine keeps facts that contradict it, unless a `merge` says which one wins.
            1:34-35 warning fundep-unknown-var: `C` is no parameter of `p`. The engine skips it in `fundep` without a word.
              1:6-13 the parameters
            1:39-53 hint fundep-without-merge: Nothing enforces this: the engine keeps facts that contradict it, unless a `merge` says which one wins.
            1:46-47 warning fundep-unknown-var: `fundep` lists parameters in brackets, such as `[A, B]`. The engine skips this.
            1:55-66 warning fundep-unknown-var: `fundep` takes two arguments, `fundep([A, …], [B])`, not 1. The engine ignores this one.
        "#]],
    );
    check_fix(
        "fundep-unknown-var",
        "Decl p(Key, Value) descr [fundep([Key], [Valeu])].\n",
        expect![[r#"
        Decl p(Key, Value) descr [fundep([Key], [Value])].
    "#]],
    );
    // Two columns abort the evaluation, but only where rules derive facts.
    check(
        "Decl p(A, B, C) descr [fundep([A], [B, C])].\nq(1).\np(A, A, A) :- q(A).\n",
        expect![[r#"
            1:24-43 hint fundep-without-merge: Nothing enforces this: the engine keeps facts that contradict it, unless a `merge` says which one wins.
            1:36-42 error merge-bad-target: The engine merges a single column, and here 2 depend on the others: the evaluation aborts when a rule derives a fact of `p`.
        "#]],
    );
    check(
        "Decl p(A, B, C) descr [fundep([A], [B, C])].\np(1, 2, 3).\n",
        expect![[r#"
        1:24-43 hint fundep-without-merge: Nothing enforces this: the engine keeps facts that contradict it, unless a `merge` says which one wins.
    "#]],
    );
    check(
        "Decl p(A, B) descr [merge([B], \"m\")].\n",
        expect![[r#"
            1:21-36 error merge-bad-target: `merge` needs exactly one `fundep`, not 0. The engine keeps both facts, without a word.
        "#]],
    );
    check(
        "Decl p(A, B) descr [fundep([A], [B]), merge([B], /m)].\n",
        expect![[r#"
        1:50-52 error merge-bad-target: `merge` names its predicate by a string, such as "higher". The engine keeps both facts, without a word.
    "#]],
    );
    check(
        "Decl p(A, B) descr [fundep([A], [B]), merge([B], \"m\")].\nm(1, 2).\n",
        expect![[r#"
        1:50-53 error merge-bad-target: There is no predicate `m/3` to decide which of two facts to keep (it takes the old value, the new one and the result). The engine keeps both facts, without a word.
    "#]],
    );
    check("Decl p(A, B) descr [fundep([A], [B]), merge([B], \"m\")].\nm(1, 2, 1).\n", expect![[""]]);
}

/// The rules of the findings in a program, with their severities.
fn found(text: &str) -> Vec<(&'static str, &'static str)> {
    let all = crate::testing::CheckedFixture::new(text).diagnostics.into_iter().flat_map(|(_, found)| found);
    all.map(|diagnostic| (diagnostic.rule.name, diagnostic.severity.as_str())).collect()
}

#[test]
fn inputs_that_no_caller_brings() {
    // What the analysis takes as bound, and the evaluation does not.
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
