//! The rules about prompt atoms as users see them: `PP014`, `PP050` to `PP067`.

use mangle_syntax::lint::{FixKind, Group, Rule, Severity};

/// A sample kernel for a shard, with more settings and facts, and atoms of each category that there must be.
macro_rules! preview {
    ($shard:expr, $settings:expr, $facts:expr, $files:expr) => {
        concat!(
            "#- schemas.gl\nDecl injectable_context(Shard, Text) bound [/string, /string].\n",
            "Decl specialist_knowledge(Shard, Topic, Text) bound [/string, /name, /string].\n",
            "#- fix.kernel.mg\n# @preview shard: ",
            $shard,
            "\n# @preview mode: jit(atoms=atoms)\n",
            $settings,
            $facts,
            "#- atoms/skeleton.yaml\n",
            "- {id: identity, category: identity, is_mandatory: true, content: You write code.}\n",
            "- {id: protocol, category: protocol, is_mandatory: true, content: 'Write \"control_packet\" first.'}\n",
            "- {id: safety, category: safety, is_mandatory: true, content: Delete nothing.}\n",
            "- {id: method, category: methodology, is_mandatory: true, content: Test first.}\n",
            $files
        )
    };
}

/// The same with more atoms.
macro_rules! atoms {
    ($atoms:literal) => {
        preview!("coder-1 coder", "", "", concat!("#- atoms/a.yaml\n", $atoms))
    };
}

macro_rules! rules {
    ($($(#[$doc:meta])* $id:ident = $code:literal $name:literal $severity:ident $fix:ident
        $summary:literal $rationale:literal bad $bad:expr, good $good:expr,)*) => {
        $($(#[$doc])* pub(crate) static $id: Rule = Rule {
            code: $code,
            name: $name,
            group: Group::Prompts,
            severity: Some(Severity::$severity),
            summary: $summary,
            rationale: $rationale,
            bad: $bad,
            good: $good,
            fix: FixKind::$fix,
        };)*
    };
}

rules! {
    /// Injected atoms of a shard that is not called as its type.
    INJECTED_BLOCKED = "PP014" "injected-blocked" Warning None
    "What the kernel injects for a shard never gets into its compiled prompt."
    "The runtime tags injected atoms with the name of the shard and compares the tag with the type of the shard. They are \
     the same only for shards that are called as their type, such as `coder-17` of type `coder`; for all others every \
     injected atom is blocked, without a word."
    bad preview!("expert-1 coder", "", "injectable_context(\"*\", \"Mind the gap.\").\n", ""),
    good preview!("coder-1 coder", "", "injectable_context(\"*\", \"Mind the gap.\").\n", ""),

    /// Two atoms, one id.
    DUPLICATE_ID = "PP050" "atom-duplicate-id" Warning None
    "Two prompt atoms have the same id."
    "The one that is read last is printed. Selectors, needs and conflicts of both count together, so the first may still \
     block the second; without the compiler both are printed."
    bad atoms!("- id: me\n  category: domain\n  is_mandatory: true\n  content: You write code.\n- id: me\n  category: domain\n  is_mandatory: true\n  content: You review code.\n"),
    good atoms!("- id: me\n  category: domain\n  is_mandatory: true\n  content: You write code.\n- id: me/reviewer\n  category: domain\n  is_mandatory: true\n  content: You review code.\n"),

    /// Groups of which nobody chooses one.
    EXCLUSIVE_UNENFORCED = "PP051" "exclusive-unenforced" Information None
    "Two atoms of the same `is_exclusive` group are in one prompt."
    "The runtime stores the group and never looks at it. What keeps atoms apart is `conflicts_with`."
    bad atoms!("- id: brief\n  category: domain\n  is_mandatory: true\n  is_exclusive: tone\n  content: Be brief.\n- id: kind\n  category: domain\n  is_mandatory: true\n  is_exclusive: tone\n  content: Be kind.\n"),
    good atoms!("- id: brief\n  category: domain\n  is_mandatory: true\n  is_exclusive: tone\n  content: Be brief.\n- id: kind\n  category: domain\n  is_mandatory: true\n  is_exclusive: manner\n  content: Be kind.\n"),

    /// A value that never holds.
    SELECTOR_VALUE = "PP052" "selector-value" Warning Unsafe
    "A selector of a prompt atom has a value that the runtime does not know."
    "No situation ever has the value, so the atom is wanted nowhere. Where all its values are like that, it is in no \
     prompt that says anything of that dimension."
    bad atoms!("- id: red\n  category: methodology\n  is_mandatory: true\n  operational_modes: [/tdd_repare]\n  content: Make it fail first.\n"),
    good atoms!("- id: red\n  category: methodology\n  is_mandatory: true\n  operational_modes: [/tdd_repair]\n  content: Make it fail first.\n"),

    /// In by one rule and out by the other.
    MATCH_DIVERGENCE = "PP053" "match-divergence" Information None
    "A mandatory atom is in the compiled prompt and not in the one without the compiler, or the other way round."
    "The compiler passes over a selector of which the situation says nothing; the runtime's other rule, which makes the \
     base of prompts when the compiler fails, takes such an atom out. The prompt of a bad day is not that of a good one."
    bad atoms!("- id: mend\n  category: domain\n  is_mandatory: true\n  intent_verbs: [/fix]\n  content: You mend code.\n"),
    good atoms!("- id: mend\n  category: domain\n  is_mandatory: true\n  content: You mend code.\n"),

    /// Conflicts that only one side knows.
    CONFLICT_ONE_SIDED = "PP054" "conflict-one-sided" Warning None
    "Of two atoms that do not go together only one says so, or a search finds both."
    "A conflict works for the atom that declares it: that one keeps the other out, when it is mandatory, or has the \
     higher score. The other way round both are in. The runtime's rules compare the scores of a search, and ids where they \
     are equal; its engine orders whole numbers only. Where a search finds both, the selection fails, and every atom that \
     is not of the skeleton comes in when all its selectors hold, found or not."
    bad atoms!("- id: brief\n  category: exemplar\n  is_mandatory: true\n  conflicts_with: [long]\n  content: Be brief.\n- id: long\n  category: exemplar\n  content: Explain at length.\n"),
    good atoms!("- id: brief\n  category: exemplar\n  is_mandatory: true\n  conflicts_with: [long]\n  content: Be brief.\n- id: long\n  category: exemplar\n  conflicts_with: [brief]\n  content: Explain at length.\n"),

    /// Atoms that only a search finds.
    VECTOR_ONLY = "PP055" "vector-only" Information None
    "Atoms of the corpus can get into the prompt only when a search finds them."
    "An atom that is not mandatory, and that no atom in the prompt needs, comes in through the vector search alone. A \
     preview has no search; give scores under `vectors:` in the session file to see them."
    bad atoms!("- id: jwt\n  category: domain\n  content: Tokens expire.\n"),
    good atoms!("- id: jwt\n  category: domain\n  is_mandatory: true\n  content: Tokens expire.\n"),

    /// Nothing of a category that there must be.
    SKELETON_GAP = "PP056" "skeleton-gap" Warning None
    "A prompt has no atom of one of the categories that every prompt should have."
    "`identity`, `protocol`, `safety` and `methodology` are the skeleton of a prompt. The runtime warns in its log and goes \
     on without it."
    bad "#- schemas.gl\nDecl injectable_context(Shard, Text) bound [/string, /string].\nDecl specialist_knowledge(Shard, Topic, Text) bound [/string, /name, /string].\n#- fix.kernel.mg\n# @preview shard: coder-1 coder\n# @preview mode: jit(atoms=atoms)\n#- atoms/a.yaml\n- {id: a, category: identity, is_mandatory: true, content: You write code.}\n- {id: b, category: protocol, is_mandatory: true, content: 'Answer with \"control_packet\" first.'}\n- {id: d, category: methodology, is_mandatory: true, content: Test first.}\n",
    good "#- schemas.gl\nDecl injectable_context(Shard, Text) bound [/string, /string].\nDecl specialist_knowledge(Shard, Topic, Text) bound [/string, /name, /string].\n#- fix.kernel.mg\n# @preview shard: coder-1 coder\n# @preview mode: jit(atoms=atoms)\n#- atoms/a.yaml\n- {id: a, category: identity, is_mandatory: true, content: You write code.}\n- {id: b, category: protocol, is_mandatory: true, content: 'Answer with \"control_packet\" first.'}\n- {id: d, category: methodology, is_mandatory: true, content: Test first.}\n- {id: c, category: safety, is_mandatory: true, content: Delete nothing.}\n",

    /// Atoms that need each other.
    DEPENDENCY_CYCLE = "PP057" "dependency-cycle" Error None
    "Prompt atoms need each other in a circle."
    "When one of them is chosen, all are, and the compiler fails: the prompt is assembled without it, from the mandatory \
     atoms or from a built-in text."
    bad atoms!("- id: a\n  category: domain\n  depends_on: [b]\n  content: First b.\n- id: b\n  category: domain\n  depends_on: [a]\n  content: First a.\n"),
    good atoms!("- id: a\n  category: domain\n  is_mandatory: true\n  depends_on: [b]\n  content: First b.\n- id: b\n  category: domain\n  content: Then a.\n"),

    /// More than fits.
    MANDATORY_OVERFLOW = "PP058" "mandatory-overflow" Warning None
    "The mandatory atoms of a prompt have more tokens than there are to be had."
    "Mandatory atoms are all printed, whatever the budget. What the model cannot hold is cut off by its service, or the \
     call fails; everything that is not mandatory is left out before."
    bad preview!("coder-1 coder", "# @preview session: small.session.yaml\n", "", "#- small.session.yaml\nbudget: {tokens: 505, reserved: 0}\n"),
    good preview!("coder-1 coder", "# @preview session: small.session.yaml\n", "", "#- small.session.yaml\nbudget: {tokens: 2000, reserved: 0}\n"),

    /// A shorter text that nobody prints.
    VARIANT_IGNORED = "PP059" "variant-ignored" Warning None
    "The budget was made with a shorter text of an atom, and the whole one is printed."
    "The runtime chooses `content_concise` or `content_min` to make an atom fit, and then prints `content`. The prompt is \
     larger than the budget says."
    bad preview!("coder-1 coder", "# @preview session: small.session.yaml\n", "", "#- small.session.yaml\nbudget: {tokens: 4500, reserved: 0}\nvectors: {hint: 0.9}\n#- atoms/a.yaml\n- id: hint\n  category: exemplar\n  content: 'Here is a long example of how a change is made well: read the code first, and all that calls it; write a test that fails; change as little as you can; run all tests; read your own change as a stranger would; say in the message why, and not what. Then ask yourself what could still go wrong, and look at that, too, before you stop for the day.'\n  content_min: See above.\n"),
    good preview!("coder-1 coder", "# @preview session: small.session.yaml\n", "", "#- small.session.yaml\nbudget: {tokens: 20000, reserved: 0}\nvectors: {hint: 0.9}\n#- atoms/a.yaml\n- id: hint\n  category: exemplar\n  content: 'Here is a long example of how a change is made well: read the code first, and all that calls it; write a test that fails; change as little as you can; run all tests; read your own change as a stranger would; say in the message why, and not what. Then ask yourself what could still go wrong, and look at that, too, before you stop for the day.'\n  content_min: See above.\n"),

    /// A name that stands for nothing.
    UNKNOWN_PLACEHOLDER = "PP061" "unknown-placeholder" Warning Unsafe
    "A `{{name}}` in a prompt atom is none that the runtime knows."
    "The shard reads it as it is, braces and all."
    bad atoms!("- id: me\n  category: domain\n  is_mandatory: true\n  content: You are a {{shard_typ}}.\n"),
    good atoms!("- id: me\n  category: domain\n  is_mandatory: true\n  content: You are a {{shard_type}}.\n"),

    /// A need that nobody can meet.
    MISSING_DEPENDENCY = "PP062" "missing-dependency" Warning Unsafe
    "A prompt atom needs an atom that does not exist."
    "The runtime takes what is needed for chosen and never looks whether it is there: the atom gets in without it."
    bad atoms!("- id: red\n  category: methodology\n  is_mandatory: true\n  depends_on: [tdd/basic]\n  content: Make it fail first.\n- id: tdd/basics\n  category: methodology\n  is_mandatory: true\n  content: Test first.\n"),
    good atoms!("- id: red\n  category: methodology\n  is_mandatory: true\n  depends_on: [tdd/basics]\n  content: Make it fail first.\n- id: tdd/basics\n  category: methodology\n  is_mandatory: true\n  content: Test first.\n"),

    /// Both must, and neither may.
    CONFLICT_BOTH_MANDATORY = "PP063" "conflict-both-mandatory" Error None
    "Two mandatory atoms that do not go together are in one prompt."
    "What is mandatory is in, whatever it conflicts with. The shard reads both, and does one or the other."
    bad atoms!("- id: brief\n  category: domain\n  is_mandatory: true\n  conflicts_with: [long]\n  content: Be brief.\n- id: long\n  category: domain\n  is_mandatory: true\n  conflicts_with: [brief]\n  content: Explain at length.\n"),
    good atoms!("- id: brief\n  category: domain\n  is_mandatory: true\n  conflicts_with: [long]\n  content: Be brief.\n- id: long\n  category: domain\n  conflicts_with: [brief]\n  content: Explain at length.\n"),

    /// No such category.
    ATOM_CATEGORY = "PP064" "atom-category" Error Unsafe
    "A prompt atom has no category, or one that does not exist."
    "The runtime leaves the atom out and says so in its log."
    bad atoms!("- id: me\n  category: domian\n  is_mandatory: true\n  content: You write code.\n"),
    good atoms!("- id: me\n  category: domain\n  is_mandatory: true\n  content: You write code.\n"),

    /// It says nothing.
    ATOM_NO_CONTENT = "PP065" "atom-no-content" Error None
    "A prompt atom has nothing to say: no id, no content, or a content file that cannot be read."
    "The runtime leaves the atom out and says so in its log. Content files are looked for beside the atom's own file; \
     this tool reads none outside of the workspace."
    bad atoms!("- id: me\n  category: domain\n  is_mandatory: true\n  content: \"\"\n"),
    good atoms!("- id: me\n  category: domain\n  is_mandatory: true\n  content: You write code.\n"),

    /// A file of which nothing counts.
    ATOM_FILE = "PP066" "atom-file" Error None
    "A file of prompt atoms cannot be read, or a value in it is of the wrong kind."
    "One value of the wrong kind costs the runtime all atoms of the file, and only its log says so."
    bad atoms!("- id: me\n  category: domain\n  is_mandatory: true\n  priority: high\n  content: You write code.\n"),
    good atoms!("- id: me\n  category: domain\n  is_mandatory: true\n  priority: 90\n  content: You write code.\n"),

    /// A key that means nothing.
    ATOM_KEY = "PP067" "atom-key" Warning Unsafe
    "A prompt atom has a key that the runtime does not know."
    "The key is passed over without a word: a misspelt selector makes an atom wanted everywhere. Files of evolved atoms \
     have their keys in lower case and without `_`."
    bad atoms!("- id: red\n  category: methodology\n  is_mandatory: true\n  intent_verb: [/fix]\n  content: Make it fail first.\n"),
    good atoms!("- id: red\n  category: methodology\n  is_mandatory: true\n  intent_verbs: [/fix]\n  content: Make it fail first.\n"),

    /// An atom that nothing leads to.
    UNREACHABLE_ATOM = "PP068" "unreachable-atom" Warning None
    "A prompt atom of the skeleton is neither mandatory nor needed, so no prompt can have it."
    "`identity`, `protocol`, `safety` and `methodology` are the skeleton of a prompt. The runtime chooses them before anything is \
     searched for: only mandatory atoms, and what those need. `PROMPT:` lines of policies are never mandatory."
    bad atoms!("- id: style\n  category: methodology\n  content: Prefer small functions.\n"),
    good atoms!("- id: style\n  category: methodology\n  is_mandatory: true\n  content: Prefer small functions.\n"),

    /// What is put in is looked at once more.
    NESTED_PLACEHOLDER = "PP069" "nested-placeholder" Warning None
    "A `{{name}}` of prompt atoms stands for a text that has such names in it."
    "Values come from the session: the language, the frameworks, the verb of the intent. The runtime goes over each atom and then over \
     the whole prompt, so that names in a value are filled in, too. Values that name each other grow without end: a preview \
     stops at 4 MiB."
    bad preview!("coder-1 coder", "# @preview session: odd.session.yaml\n", "", "#- odd.session.yaml\nextra_context: {language: '{{shard_type}}'}\n"),
    good preview!("coder-1 coder", "# @preview session: odd.session.yaml\n", "", "#- odd.session.yaml\nextra_context: {language: go}\n"),
}
