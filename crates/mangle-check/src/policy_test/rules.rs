//! Rules about test files.

use mangle_syntax::lint::{Rule, rule};

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
    &PROPERTY_MALFORMED,
];

/// For example `# @expct p(1)`.
pub(super) static TEST_UNKNOWN_KEY: Rule = rule!("test-unknown-key.md");

/// For example `# @expect open(`.
pub(super) static TEST_MALFORMED: Rule = rule!("test-malformed.md");

/// For example `# @forbid opne(/front)`.
pub(super) static TEST_UNKNOWN_PREDICATE: Rule = rule!("test-unknown-predicate.md");

/// A rule after `# @test`.
pub(super) static TEST_CASE_NOT_FACT: Rule = rule!("test-case-not-fact.md");

/// `# @test name: …` without an expectation.
pub(super) static TEST_WITHOUT_EXPECTATION: Rule = rule!("test-without-expectation.md");

/// For example `lockd(/front).` in a case.
pub(super) static TEST_UNREAD_FACT: Rule = rule!("test-unread-fact.md");

/// For example `# @forbid open("front")` if doors are names.
pub(super) static TEST_IMPOSSIBLE_EXPECTATION: Rule = rule!("test-impossible-expectation.md");

/// A test file without `# @test`.
pub(super) static TEST_WITHOUT_CASE: Rule = rule!("test-without-case.md");

/// For example `# expect open(/front)`, or `# @expect …` after a fact.
pub(super) static TEST_IGNORED_DIRECTIVE: Rule = rule!("test-ignored-directive.md");

/// For example `# @never p(X) then q(X)`.
pub(super) static PROPERTY_MALFORMED: Rule = rule!("property-malformed.md");
