//! Documentation of keywords, `descr […]` atoms, types and operators, for hover and completion.
//! Built-in predicates and functions are documented elsewhere.

#[derive(Debug, PartialEq, Eq)]
pub struct Word {
    pub word: &'static str,
    /// Usage example.
    pub usage: &'static str,
    /// Meaning, in Markdown with code spans as the only markup.
    pub description: &'static str,
}

const fn word(word: &'static str, usage: &'static str, says: &'static str) -> Word {
    Word { word, usage, description: says }
}

/// Reserved words.
pub const KEYWORDS: &[Word] = &[
    word(
        "Package",
        "Package a.b!",
        "The package of the clauses in this file. It is the first statement of the file and ends with `!`.",
    ),
    word(
        "Use",
        "Use a.b!",
        "Imports the public predicates of a package. Must precede all declarations and clauses.",
    ),
    word(
        "Decl",
        "Decl p(X, Y) bound [/name, /number].",
        "Declares a predicate with its parameters, types and descriptors. A queried predicate must have a declaration or clauses.",
    ),
    word(
        "temporal",
        "Decl p(X) temporal.",
        "Each fact of this predicate has an interval of validity: `p(X)@[from, to]`.",
    ),
    word(
        "descr",
        "descr [doc(\"…\"), mode(\"+\", \"-\")]",
        "Descriptor atoms: documentation, modes, and the evaluation of the predicate.",
    ),
    word(
        "bound",
        "bound [/name, .List</string>]",
        "The types of the parameters, one per parameter. Several `bound` parts are alternatives: a tuple matches at least one.",
    ),
    word(
        "inclusion",
        "inclusion [q(X)]",
        "For each fact of this predicate, these atoms should also be facts. The engine does not check this during the evaluation.",
    ),
    word(
        "let",
        "let N = fn:count()",
        "In a transform, binds a variable to the value of an expression: for each row, or for each group after `do`.",
    ),
    word(
        "do",
        "|> do fn:group_by(X), let N = fn:count()",
        "Starts an aggregation. The rows of the body become groups, and each `let` reduces a group to one value.",
    ),
    word("now", "@[2024-01-01, now]", "The start time of the evaluation."),
    word("opt", ".Struct<opt /a : /string>", "An optional field of a struct."),
];

/// Known atoms of `descr […]`.
pub const DESCRIPTORS: &[Word] = &[
    word("doc", "doc(\"…\", …)", "Documentation of the predicate. Each string is a paragraph."),
    word("arg", "arg(X, \"…\")", "Documentation of a parameter. Describe all parameters or none."),
    word(
        "mode",
        "mode(\"+\", \"-\", …)",
        "A mode of use, with an entry for each parameter: `\"+\"` is bound by the caller, `\"-\"` is bound by the predicate, and `\"?\"` is either.",
    ),
    word(
        "extensional",
        "extensional()",
        "The facts come from outside of the program. The engine does not enforce this.",
    ),
    word(
        "external",
        "external()",
        "The host supplies the tuples when a rule queries them. Requires exactly one `mode`.",
    ),
    word(
        "deferred",
        "deferred()",
        "Evaluated for each query instead of stored. The engine computes wrong results for recursion through such a predicate.",
    ),
    word(
        "fundep",
        "fundep([X], [Y])",
        "The first parameters determine the second parameters. Has an effect only together with `merge`.",
    ),
    word(
        "merge",
        "merge([Y], \"pred\")",
        "With `fundep`: if two facts differ in this parameter, the engine keeps the result of the deferred `pred(Old, New, Out)`.",
    ),
    word(
        "reflects",
        "reflects(/prefix)",
        "True for the names under a prefix. The engine replaces a call with `:match_prefix`.",
    ),
    word("private", "private()", "Other packages cannot query it."),
    word(
        "synthetic",
        "synthetic()",
        "Marks generated declarations. In other declarations, it disables the checks of `arg` and of types.",
    ),
    word("desugared", "desugared()", "Internal descriptor of the engine. Do not write it."),
    word("name", "name(\"…\")", "Name of a package, for internal use. Do not write it."),
];

/// Named types.
pub const TYPES: &[Word] = &[
    word("/any", "bound [/any]", "Any value."),
    word("/bot", "bound [/bot]", "No value."),
    word("/bytes", "bound [/bytes]", "A byte string: `b\"…\"`."),
    word("/duration", "bound [/duration]", "A time span, for example `fn:duration:parse(\"1h30m\")`."),
    word(
        "/float64",
        "bound [/float64]",
        "A floating-point number. `<`, `<=`, `>` and `>=` abort the evaluation on it.",
    ),
    word("/name", "bound [/name]", "A name constant: `/a/b`."),
    word("/number", "bound [/number]", "An integer of 64 bits."),
    word("/string", "bound [/string]", "A string."),
    word("/time", "bound [/time]", "A point in time, for example `fn:time:parse_rfc3339(\"…\")`."),
];

/// Type constructors such as `.List`.
pub const CONSTRUCTORS: &[Word] = &[
    word(
        ".Fun",
        ".Fun</number, /string>",
        "A function: the type of its result, then the types of its arguments.",
    ),
    word(".List", ".List</string>", "A list whose elements have one type."),
    word(".Map", ".Map</name, /string>", "A map from keys of one type to values of another."),
    word(".Option", ".Option</string>", "A value or none."),
    word(".Pair", ".Pair</name, /number>", "A pair. `:match_pair` binds its parts."),
    word(".Rel", ".Rel</name, /number>", "A relation with these columns."),
    word(".Singleton", ".Singleton</red>", "Only this name."),
    word(
        ".Struct",
        ".Struct</a : /number, opt /b : /string>",
        "A struct with these fields. `:match_field` reads a field.",
    ),
    word(
        ".TaggedUnion",
        ".TaggedUnion</kind, /a : .Struct</x : /number>>",
        "Structs that differ by the name in one field.",
    ),
    word(".Tuple", ".Tuple</name, /number, /string>", "Three or more values, as nested pairs."),
    word(".Union", ".Union</number, /string>", "A value of any of these types."),
];

/// Operators.
pub const OPERATORS: &[Word] = &[
    word("=", "X = fn:plus(Y, 1)", "Both sides are equal. Binds an unbound variable."),
    word("!=", "X != Y", "Both sides differ. If a side is unbound, the engine ignores the premise."),
    word("<", "X < Y", "`:lt`: compares integers. Other values abort the evaluation."),
    word("<=", "X <= Y", "`:le`: compares integers. Other values abort the evaluation."),
    word(">", "X > Y", "`:gt`: compares integers. Other values abort the evaluation."),
    word(">=", "X >= Y", "`:ge`: compares integers. Other values abort the evaluation."),
    word(
        "!",
        "!p(X)",
        "The fact does not exist. Other premises must bind all variables: the engine silently ignores a negation with an unbound variable or `_`.",
    ),
    word(":-", "p(X) :- q(X).", "The head is derived for each solution of the premises."),
    word("⟸", "p(X) ⟸ q(X).", "The same as `:-`."),
    word("|>", "p(N) :- q(X) |> do fn:group_by(), let N = fn:count().", "Transforms the rows of the body."),
    word("@", "p(X)@[2024-01-01, now]", "The interval of validity of a fact."),
    word("<-", "<-[0s, 7d] p(X)", "True at some time in this range of the past."),
    word("[-", "[-[0s, 7d] p(X)", "True during this whole range of the past."),
    word("<+", "<+[0s, 7d] p(X)", "True at some time in this range of the future."),
    word("[+", "[+[0s, 7d] p(X)", "True during this whole range of the future."),
    word("_", "p(X, _)", "Any value. Each `_` is independent."),
];

/// Returns the documentation of a keyword, type, constructor or operator.
#[must_use]
pub fn find_word(text: &str) -> Option<&'static Word> {
    [KEYWORDS, TYPES, CONSTRUCTORS, OPERATORS].into_iter().find_map(|table| find(table, text))
}

/// Returns the documentation of an atom of `descr […]`.
#[must_use]
pub fn descriptor(name: &str) -> Option<&'static Word> {
    find(DESCRIPTORS, name)
}

/// Keys of policy test comments.
pub const TEST_KEYS: &[Word] = &[
    word(
        "test",
        "# @test name: an override alone is not enough",
        "Starts a case. The facts up to the next case are used only in this case.",
    ),
    word(
        "expect",
        "# @expect permitted(/deploy, _, _)",
        "A fact that must be derived. `_` and variables match any value. All occurrences of a variable have the same value.",
    ),
    word("forbid", "# @forbid permitted(/deploy, _, _)", "A fact that must not be derived."),
    word(
        "exact",
        "# @exact permitted/3",
        "Each fact of the predicate must match an `@expect` of this case. If the case has no such `@expect`, the predicate must have no facts.",
    ),
    word(
        "never",
        "# @never permitted(Action, _, _), dangerous(Action), !approved(Action)",
        "The body must have no solution in any world. `mangle-ls verify` checks all small worlds. `unless` excludes solutions.",
    ),
    word(
        "always",
        "# @always denied(Id) then has_reason(Id)",
        "In each world, the atom after `then` must hold for each solution of the body.",
    ),
    word(
        "possible",
        "# @possible permitted(/deploy, _, _)",
        "The body must have a solution in at least one world.",
    ),
    word(
        "live",
        "# @live permitted/3 policy.mg:12",
        "The rule of the predicate at this line must fire in at least one world.",
    ),
    word(
        "equivalent",
        "# @equivalent permitted(Action, _, _) with ../old",
        "In each world, this program and the program at the path must derive the same facts for the atom.",
    ),
    word(
        "implies",
        "# @implies permitted(Action, _, _) with ../strict",
        "In each world, the program at the path must derive all facts for the atom that this program derives.",
    ),
    word(
        "assume",
        "# @assume never request(Id, One), request(Id, Other), One != Other",
        "Worlds with a solution of the body are skipped. Before the first property, it applies to the whole file.",
    ),
    word(
        "inputs",
        "# @inputs request/2, approved/1",
        "The predicates of the facts in a world. `+` adds predicates to the default. `consumer NAME` selects the predicates that replies can assert.",
    ),
    word("scope", "# @scope facts 3", "The maximum number of facts in a world."),
];

/// Keys of preview settings.
pub const PREVIEW_KEYS: &[Word] = &[
    word(
        "name",
        "# @preview name: fix-auth",
        "Starts a preview. All previews share the settings before the first name.",
    ),
    word("shard", "# @preview shard: coder-7 coder", "The role (shard) of the prompt: its ID and its type."),
    word(
        "intent",
        "# @preview intent: i1 /mutation /fix \"auth.go\" \"no new deps\"",
        "The user's intent: ID, category, verb, target and optional constraint.",
    ),
    word(
        "use",
        "# @preview use: ../schemas.gl, ../policy/*.mg",
        "The files of the program of this sample: paths and globs, relative to the folder of the sample.",
    ),
    word(
        "session",
        "# @preview session: fix-auth.session.yaml",
        "The session file, relative to the folder of the sample.",
    ),
    word(
        "mode",
        "# @preview mode: jit(atoms=../atoms)",
        "The mode of prompt assembly: `legacy`, `section` or `jit`. `legacy` and `jit` accept a folder of prompt atoms: `jit(atoms=FOLDER)`.",
    ),
    word(
        "captured",
        "# @preview captured: traces.jsonl",
        "A file with a captured prompt of the runtime, to compare with the preview.",
    ),
];

/// Returns the documentation of a comment key.
#[must_use]
pub fn directive(is_test: bool, key: &str) -> Option<&'static Word> {
    find(if is_test { TEST_KEYS } else { PREVIEW_KEYS }, key)
}

fn find(table: &'static [Word], text: &str) -> Option<&'static Word> {
    table.iter().find(|word| word.word == text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mangle_check::policy_test::TestKey;
    use mangle_check::policy_test::property::{PropertyKind, RESTRICTIONS};
    use mangle_engine::types::{Base, CONSTRUCTORS as KNOWN};
    use mangle_syntax::syntax::SourceFile;

    #[test]
    fn every_constructor_has_its_word() {
        for constructor in KNOWN {
            let name = format!(".{}", constructor.as_str());
            assert!(find(CONSTRUCTORS, &name).is_some(), "{name}");
        }
        assert_eq!(CONSTRUCTORS.len(), KNOWN.len());
    }

    #[test]
    fn usages_can_be_read() {
        let rule = |premise: &str| format!("p(X) :- q(X, Y), {premise}.");
        let texts = OPERATORS.iter().map(|word| match word.usage {
            clause if clause.ends_with('.') => clause.to_owned(),
            fact if word.word == "@" => format!("{fact}."),
            premise => rule(premise),
        });
        let descriptors =
            DESCRIPTORS.iter().map(|word| format!("Decl p(X, Y) descr [{}].", word.usage.replace(", …", "")));
        let types = TYPES.iter().map(|word| format!("Decl p(X) {}.", word.usage));
        let constructors = CONSTRUCTORS.iter().map(|word| format!("Decl p(X) bound [{}].", word.usage));
        for text in texts.chain(descriptors).chain(types).chain(constructors) {
            let source = SourceFile::parse(text.as_str().into());
            assert!(source.items().iter().all(|item| !item.statement.damaged), "{text}");
        }
    }

    #[test]
    fn every_key_of_a_comment_has_its_word() {
        let words = |table: &[Word]| table.iter().map(|word| word.word).collect::<Vec<_>>();
        let of_cases = TestKey::ALL.map(TestKey::as_str);
        let of_properties = PropertyKind::ALL.map(PropertyKind::as_str);
        assert_eq!(words(TEST_KEYS), [&of_cases[..], &of_properties, &RESTRICTIONS].concat());
        assert_eq!(words(PREVIEW_KEYS), agent_prompt::KEYS);
    }

    #[test]
    fn every_base_type_has_its_word() {
        for base in Base::ALL {
            assert!(find(TYPES, base.as_str()).is_some(), "{}", base.as_str());
        }
    }
}
