//! Lint rules for verification results.

use mangle_syntax::lint::{Rule, rule};

/// All rules of this module, sorted by code.
pub const RULES: &[&Rule] = &[
    &RULE_FIRES_NOWHERE,
    &RULE_WITHOUT_EFFECT,
    &NEGATION_WITHOUT_EFFECT,
    &PROPERTY_VIOLATED,
    &PROPERTY_NOT_DECIDED,
];

/// A rule whose body has no solution in any world.
pub(super) static RULE_FIRES_NOWHERE: Rule = rule!("rule-fires-nowhere.md");

/// A rule whose removal changes nothing.
pub(super) static RULE_WITHOUT_EFFECT: Rule = rule!("rule-without-effect.md");

/// A negation whose removal changes nothing.
pub(super) static NEGATION_WITHOUT_EFFECT: Rule = rule!("negation-without-effect.md");

pub static PROPERTY_VIOLATED: Rule = rule!("property-violated.md");

/// A property without a decision.
pub(super) static PROPERTY_NOT_DECIDED: Rule = rule!("property-not-decided.md");
