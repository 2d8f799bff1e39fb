//! The rules about test files.

use crate::lint::{FixKind, Group, Rule, Severity};

/// All rules of this module, in the order of their codes.
pub const RULES: &[&Rule] = &[
    &TEST_UNKNOWN_KEY,
    &TEST_MALFORMED,
    &TEST_UNKNOWN_PREDICATE,
    &TEST_CASE_NOT_FACT,
    &TEST_WITHOUT_EXPECTATION,
];

/// `# @expct p(1)`
pub(super) static TEST_UNKNOWN_KEY: Rule = Rule {
    code: "MG930",
    name: "test-unknown-key",
    group: Group::Configuration,
    severity: Some(Severity::Warning),
    summary: "A comment of a test file has a key that does not exist.",
    rationale: "The comment is ignored: what it was meant to expect is not looked at, and the case passes without it. \
                The keys are `@test`, `@expect`, `@forbid` and `@exact`.",
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
    severity: Some(Severity::Warning),
    summary: "A case of a test expects nothing.",
    rationale: "It passes whatever the policy says, unless the evaluation stops. Say with `@expect`, `@forbid` or `@exact` \
                what it is about.",
    bad: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n",
    good: "#- doors.mg\nopen(D) :- door(D).\ndoor(/front).\n#- doors_test.mg\n# @test name: doors are open\ndoor(/back).\n\
           # @expect open(/back)\n",
    fix: FixKind::None,
};
