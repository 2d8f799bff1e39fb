//! The rules about what a policy does in some world, or in none.

use mangle_syntax::lint::{Rule, rule};

/// All rules of this module, in the order of their codes.
pub const RULES: &[&Rule] = &[
    &RULE_FIRES_NOWHERE,
    &RULE_WITHOUT_EFFECT,
    &NEGATION_WITHOUT_EFFECT,
    &PROPERTY_VIOLATED,
    &PROPERTY_NOT_DECIDED,
];

/// A rule whose body has a solution in no world.
pub(super) static RULE_FIRES_NOWHERE: Rule = rule!("rule-fires-nowhere.md");

/// A rule without which everything is the same.
pub(super) static RULE_WITHOUT_EFFECT: Rule = rule!("rule-without-effect.md");

/// A negation without which everything is the same.
pub(super) static NEGATION_WITHOUT_EFFECT: Rule = rule!("negation-without-effect.md");

/// A property that is not as it should be.
pub static PROPERTY_VIOLATED: Rule = rule!("property-violated.md");

/// A property of which it is not known whether it is as it should be.
pub(super) static PROPERTY_NOT_DECIDED: Rule = rule!("property-not-decided.md");
