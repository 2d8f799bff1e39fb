//! The rules about test files.

use mangle_syntax::lint::{FixKind, Group, Rule, Severity};

/// All rules of this module, in the order of their codes.
pub const RULES: &[&Rule] = &[
    &TEST_UNKNOWN_KEY,
    &TEST_MALFORMED,
    &TEST_UNKNOWN_PREDICATE,
    &TEST_CASE_NOT_FACT,
    &TEST_WITHOUT_EXPECTATION,
    &TEST_UNREAD_FACT,
    &TEST_IMPOSSIBLE_EXPECTATION,
    &TEST_WITHOUT_CASE,
    &TEST_IGNORED_DIRECTIVE,
];

/// `# @expct p(1)`
pub(super) static TEST_UNKNOWN_KEY: Rule = Rule {
    code: "MG930",
    name: "test-unknown-key",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "A comment of a test file has a key that does not exist.",
    rationale: "What the comment was meant to expect is not known, so its case cannot be run, and `mangle-ls test` ends with \
                exit status 2. The keys are `@test`, `@expect`, `@forbid` and `@exact`.",
    bad: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n\
          # @expect open(/back)\n# @forbit open(/roof)\n",
    good: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n\
           # @expect open(/back)\n# @forbid open(/roof)\n",
    fix: FixKind::Unsafe,
};

/// `# @expect open(`
pub(super) static TEST_MALFORMED: Rule = Rule {
    code: "MG931",
    name: "test-malformed",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "A comment of a test file cannot be read.",
    rationale: "`@test` wants `name:` and a name that no other case of the file has, `@expect` and `@forbid` an atom, \
                `@exact` a predicate as `open/1`; all but `@test` belong behind the `@test` of their case. A case with \
                such a comment is not run, and `mangle-ls test` ends with exit status 2.",
    bad: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n\
          # @expect open(/back\n",
    good: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n\
           # @expect open(/back)\n",
    fix: FixKind::None,
};

/// `# @forbid opne(/front)`
pub(super) static TEST_UNKNOWN_PREDICATE: Rule = Rule {
    code: "MG932",
    name: "test-unknown-predicate",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "A test expects or forbids facts of a predicate that does not exist.",
    rationale: "Nothing ever follows for it. A `@forbid` with a typing mistake would pass for ever and guard nothing, so \
                the case is not run, and `mangle-ls test` ends with exit status 2.",
    bad: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n\
          # @expect open(/back)\n# @forbid opne(/roof)\n",
    good: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n\
           # @expect open(/back)\n# @forbid open(/roof)\n",
    fix: FixKind::Unsafe,
};

/// A rule behind `# @test`.
pub(super) static TEST_CASE_NOT_FACT: Rule = Rule {
    code: "MG933",
    name: "test-case-not-fact",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "A case of a test has something else than facts.",
    rationale: "The clauses of a case are its facts. A rule or a declaration would hold in all cases of the file, so it \
                belongs before the first one; where it stands, the case is not run, and `mangle-ls test` ends with exit \
                status 2.",
    bad: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n\
          wide(D) :- open(D).\n# @expect wide(/back)\n",
    good: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\nwide(D) :- open(D).\n\n\
           # @test name: doors are open\ndoor(/back).\n# @expect wide(/back)\n",
    fix: FixKind::None,
};

/// `# @test name: …` and nothing to look at.
pub(super) static TEST_WITHOUT_EXPECTATION: Rule = Rule {
    code: "MG934",
    name: "test-without-expectation",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "A case of a test expects nothing.",
    rationale: "It would pass whatever the policy says, so it is not run, and `mangle-ls test` ends with exit status 2. Say \
                with `@expect`, `@forbid` or `@exact` what the case is about.",
    bad: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n",
    good: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n\
           # @expect open(/back)\n",
    fix: FixKind::None,
};

/// `lockd(/front).` in a case
pub(super) static TEST_UNREAD_FACT: Rule = Rule {
    code: "MG935",
    name: "test-unread-fact",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "A case of a test has a fact of a predicate that the policy does not know.",
    rationale: "No rule reads the fact, so it changes nothing: a `@forbid` that should fail because of it passes. The case is \
                not run, and `mangle-ls test` ends with exit status 2.",
    bad: "#- doors.mg\nopen(D) :- door(D), !shut(D).\ndoor(/front).\nDecl shut(D).\n#- doors_test.mg\n# @test name: shut doors\n\
          shutt(/front).\n# @forbid open(/roof)\n",
    good: "#- doors.mg\nopen(D) :- door(D), !shut(D).\ndoor(/front).\nDecl shut(D).\n#- doors_test.mg\n# @test name: shut doors\n\
           shut(/front).\n# @forbid open(/roof)\n",
    fix: FixKind::Unsafe,
};

/// `# @forbid open("front")` where doors are names
pub(super) static TEST_IMPOSSIBLE_EXPECTATION: Rule = Rule {
    code: "MG936",
    name: "test-impossible-expectation",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "A test expects or forbids a fact that its types rule out.",
    rationale: "Values of different types are never equal: `/a`, `\"a\"` and `1` all differ. A `@forbid` of such a fact passes \
                whatever the policy says, so the case is not run, and `mangle-ls test` ends with exit status 2.",
    bad: "#- doors.mg\nDecl open(D) bound [/name].\nopen(D) :- door(D).\nDecl door(D) bound [/name].\n#- doors_test.mg\n\
          # @test name: doors are open\ndoor(/back).\n# @expect open(/back)\n# @forbid open(\"roof\")\n",
    good: "#- doors.mg\nDecl open(D) bound [/name].\nopen(D) :- door(D).\nDecl door(D) bound [/name].\n#- doors_test.mg\n\
           # @test name: doors are open\ndoor(/back).\n# @expect open(/back)\n# @forbid open(/roof)\n",
    fix: FixKind::None,
};

/// A test file without `# @test`
pub(super) static TEST_WITHOUT_CASE: Rule = Rule {
    code: "MG937",
    name: "test-without-case",
    group: Group::Configuration,
    severity: Some(Severity::Warning),
    summary: "A test file has no case.",
    rationale: "Nothing of the file is run. A case begins with a line `# @test name: …`; `mangle-ls test` counts a file \
                without one as an error and ends with exit status 2.",
    bad: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\ndoor(/back).\n",
    good: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n\
           # @expect open(/back)\n",
    fix: FixKind::None,
};

/// `# expect open(/front)`, or `# @expect …` behind a fact
pub(super) static TEST_IGNORED_DIRECTIVE: Rule = Rule {
    code: "MG938",
    name: "test-ignored-directive",
    group: Group::Configuration,
    severity: Some(Severity::Error),
    summary: "A comment of a test file reads like a directive, and is none.",
    rationale: "A directive stands on a line of its own and has an `@` before its key. Elsewhere it is an ordinary comment: \
                what it was meant to expect is not looked at. The case is not run, and `mangle-ls test` ends with exit \
                status 2.",
    bad: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n\
          # @expect open(/back)\n# forbid open(/roof)\n",
    good: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n\
           # @expect open(/back)\n# @forbid open(/roof)\n",
    fix: FixKind::Unsafe,
};
