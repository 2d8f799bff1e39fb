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
        "The package that the clauses of this file belong to. The first statement of its file, ended by `!`.",
    ),
    word(
        "Use",
        "Use a.b!",
        "Makes the public predicates of a package known in this one. Stands before all declarations and clauses.",
    ),
    word(
        "Decl",
        "Decl p(X, Y) bound [/name, /number].",
        "Declares a predicate: its parameters, and what may be said of them. A predicate that is asked for must be declared or have clauses.",
    ),
    word(
        "temporal",
        "Decl p(X) temporal.",
        "The facts of this predicate hold during intervals: `p(X)@[from, to]`.",
    ),
    word(
        "descr",
        "descr [doc(\"…\"), mode(\"+\", \"-\")]",
        "Descriptor atoms: documentation, modes, and how the predicate is evaluated.",
    ),
    word(
        "bound",
        "bound [/name, .List</string>]",
        "The types of the parameters, one each. Several `bound` parts are alternatives: a tuple fits one of them.",
    ),
    word(
        "inclusion",
        "inclusion [q(X)]",
        "For each fact of this predicate these atoms should be facts too. The engine does not check it while it evaluates.",
    ),
    word(
        "let",
        "let N = fn:count()",
        "In a transform: gives a variable the value of an expression, for each row, or for each group behind `do`.",
    ),
    word(
        "do",
        "|> do fn:group_by(X), let N = fn:count()",
        "Begins an aggregation: the rows of the body become groups, and each `let` reduces a group to one value.",
    ),
    word("now", "@[2024-01-01, now]", "The time at which the evaluation began."),
    word("opt", ".Struct<opt /a : /string>", "A field that a struct may lack."),
];

/// Known atoms of `descr […]`.
pub const DESCRIPTORS: &[Word] = &[
    word("doc", "doc(\"…\", …)", "What the predicate means, for its readers; each string is a paragraph."),
    word("arg", "arg(X, \"…\")", "What a parameter means. All parameters are described, or none."),
    word(
        "mode",
        "mode(\"+\", \"-\", …)",
        "One way to ask for it, an entry for each parameter: `\"+\"` must have a value before, `\"-\"` gets one, `\"?\"` is either.",
    ),
    word("extensional", "extensional()", "Its facts come from outside. The engine does not enforce it."),
    word(
        "external",
        "external()",
        "The host supplies its tuples when they are asked for; it needs exactly one `mode`.",
    ),
    word(
        "deferred",
        "deferred()",
        "Evaluated where it is asked for, not stored. The engine gets recursion through such a predicate wrong.",
    ),
    word(
        "fundep",
        "fundep([X], [Y])",
        "The first parameters determine the second ones. Has an effect together with `merge` only.",
    ),
    word(
        "merge",
        "merge([Y], \"pred\")",
        "With `fundep`: where two facts differ in this parameter, the one that the deferred `pred(Old, New, Out)` computes is kept.",
    ),
    word(
        "reflects",
        "reflects(/prefix)",
        "True of the names under a prefix: a call of it becomes `:match_prefix`.",
    ),
    word("private", "private()", "Other packages cannot ask for it."),
    word(
        "synthetic",
        "synthetic()",
        "Marks declarations that tools generate. Written by hand it switches off the checks of `arg` and of types.",
    ),
    word("desugared", "desugared()", "Bookkeeping of the engine; there is no reason to write it."),
    word("name", "name(\"…\")", "Carries the name of a package; there is no reason to write it."),
];

/// Named types.
pub const TYPES: &[Word] = &[
    word("/any", "bound [/any]", "Any value."),
    word("/bot", "bound [/bot]", "No value at all."),
    word("/bytes", "bound [/bytes]", "A byte string: `b\"…\"`."),
    word("/duration", "bound [/duration]", "A span of time, such as `fn:duration:parse(\"1h30m\")` gives."),
    word(
        "/float64",
        "bound [/float64]",
        "A floating-point number. `<` and its kin abort the evaluation on one.",
    ),
    word("/name", "bound [/name]", "A name constant: `/a/b`."),
    word("/number", "bound [/number]", "An integer of 64 bits."),
    word("/string", "bound [/string]", "A string."),
    word("/time", "bound [/time]", "An instant, such as `fn:time:parse_rfc3339(\"…\")` gives."),
];

/// Type constructors such as `.List`.
pub const CONSTRUCTORS: &[Word] = &[
    word(".Fun", ".Fun</number, /string>", "A function: the type of its value, then those of its arguments."),
    word(".List", ".List</string>", "A list whose elements have one type."),
    word(".Map", ".Map</name, /string>", "A map from keys of one type to values of another."),
    word(".Option", ".Option</string>", "A value or none."),
    word(".Pair", ".Pair</name, /number>", "A pair; `:match_pair` takes it apart."),
    word(".Rel", ".Rel</name, /number>", "A relation with these columns."),
    word(".Singleton", ".Singleton</red>", "Exactly this name."),
    word(
        ".Struct",
        ".Struct</a : /number, opt /b : /string>",
        "A struct with these fields; `:match_field` asks for one.",
    ),
    word(
        ".TaggedUnion",
        ".TaggedUnion</kind, /a : .Struct</x : /number>>",
        "Structs told apart by the name in one field.",
    ),
    word(".Tuple", ".Tuple</name, /number, /string>", "Three values or more, nested pairs."),
    word(".Union", ".Union</number, /string>", "A value of any of these types."),
];

/// Operators.
pub const OPERATORS: &[Word] = &[
    word("=", "X = fn:plus(Y, 1)", "Both sides are equal; a variable without a value gets one."),
    word("!=", "X != Y", "The sides differ. Both need values; the engine drops the premise otherwise."),
    word("<", "X < Y", "`:lt`: compares integers, and aborts the evaluation on anything else."),
    word("<=", "X <= Y", "`:le`: compares integers, and aborts the evaluation on anything else."),
    word(">", "X > Y", "`:gt`: compares integers, and aborts the evaluation on anything else."),
    word(">=", "X >= Y", "`:ge`: compares integers, and aborts the evaluation on anything else."),
    word(
        "!",
        "!p(X)",
        "There is no such fact. All variables need values from other premises: the engine silently drops a negation with one that has none, `_` included.",
    ),
    word(":-", "p(X) :- q(X).", "The head holds wherever all premises hold."),
    word("⟸", "p(X) ⟸ q(X).", "The same as `:-`."),
    word(
        "|>",
        "p(N) :- q(X) |> do fn:group_by(), let N = fn:count().",
        "Transforms the rows that the body gives.",
    ),
    word("@", "p(X)@[2024-01-01, now]", "The interval during which a fact holds."),
    word("<-", "<-[0s, 7d] p(X)", "Held at some time in the past, that long ago."),
    word("[-", "[-[0s, 7d] p(X)", "Held all the time in the past, that long ago."),
    word("<+", "<+[0s, 7d] p(X)", "Will hold at some time in the future."),
    word("[+", "[+[0s, 7d] p(X)", "Will hold all the time in the future."),
    word("_", "p(X, _)", "Any value, each time another one."),
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
        "Opens a case. The facts up to the next case belong to it alone.",
    ),
    word(
        "expect",
        "# @expect permitted(/deploy, _, _)",
        "A fact like this must follow. `_` and variables match any value; a variable that occurs twice has one value.",
    ),
    word("forbid", "# @forbid permitted(/deploy, _, _)", "No fact like this may follow."),
    word(
        "exact",
        "# @exact permitted/3",
        "Each fact of the predicate must match an `@expect` of this case; without any, there must be no fact of it.",
    ),
    word(
        "never",
        "# @never permitted(Action, _, _), dangerous(Action), !approved(Action)",
        "No world has a solution of the body. `mangle-ls verify` looks at all small worlds. `unless` excepts some solutions.",
    ),
    word(
        "always",
        "# @always denied(Id) then has_reason(Id)",
        "In each world, each solution of the body has what stands behind `then`.",
    ),
    word("possible", "# @possible permitted(/deploy, _, _)", "Some world has a solution of the body."),
    word(
        "live",
        "# @live permitted/3 policy.mg:12",
        "The rule of the predicate at that line fires in some world.",
    ),
    word(
        "equivalent",
        "# @equivalent permitted(Action, _, _) with ../old",
        "In each world, this program and the one at the path give the same for the atom.",
    ),
    word(
        "implies",
        "# @implies permitted(Action, _, _) with ../strict",
        "In each world, the program at the path gives what this one gives for the atom.",
    ),
    word(
        "assume",
        "# @assume never request(Id, One), request(Id, Other), One != Other",
        "Worlds with a solution of the body are not looked at. Before the first property it holds for the whole file.",
    ),
    word(
        "inputs",
        "# @inputs request/2, approved/1",
        "What worlds hold facts of. With `+` these are added to the usual predicates; `consumer NAME` takes what replies may assert.",
    ),
    word("scope", "# @scope facts 3", "The most facts of a world."),
];

/// Keys of preview settings.
pub const PREVIEW_KEYS: &[Word] = &[
    word(
        "name",
        "# @preview name: fix-auth",
        "Opens a preview. Settings before the first name are shared by all.",
    ),
    word("shard", "# @preview shard: coder-7 coder", "The shard whose prompt is shown: its id and its type."),
    word(
        "intent",
        "# @preview intent: i1 /mutation /fix \"auth.go\" \"no new deps\"",
        "The user's intent: id, category, verb, target and, if there is one, a constraint.",
    ),
    word(
        "use",
        "# @preview use: ../schemas.gl, ../policy/*.mg",
        "The files of the program that this sample belongs to: paths and globs, relative to the folder of the sample.",
    ),
    word(
        "session",
        "# @preview session: fix-auth.session.yaml",
        "The session file, relative to the folder of the sample.",
    ),
    word(
        "mode",
        "# @preview mode: jit(atoms=../atoms)",
        "How the prompt is assembled: `legacy`, `section` or `jit`; `legacy` and `jit` take a folder of prompt atoms, as `jit(atoms=FOLDER)`.",
    ),
    word(
        "captured",
        "# @preview captured: traces.jsonl",
        "A file with a prompt that the runtime sent, to compare the preview with.",
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
