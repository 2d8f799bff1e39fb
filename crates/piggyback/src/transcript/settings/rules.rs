//! Rules about the configuration of an agent's runtime: `PB701` to `PB708`.

use mangle_syntax::lint::{Rule, rule};

pub(in crate::transcript) const RULES: &[&Rule] = &[
    &LIMIT_LOW,
    &RESERVE_SUM,
    &CONFIG_KEY,
    &SAMPLING_RANGE,
    &SHARD_FACTS,
    &PROFILE_TYPE,
    &RESERVED_TOKENS,
    &DERIVED_LIMIT,
];

/// A limit is below its minimum.
pub(super) static LIMIT_LOW: Rule = rule!("limit-low.md");

/// The reserves of the context window do not add up to 100 %.
pub(super) static RESERVE_SUM: Rule = rule!("reserve-sum.md");

/// A key is unknown.
pub(super) static CONFIG_KEY: Rule = rule!("config-key.md");

/// A sampling parameter is not between 0 and 1.
pub(super) static SAMPLING_RANGE: Rule = rule!("sampling-range.md");

/// A shard allows more facts than the kernel.
pub(super) static SHARD_FACTS: Rule = rule!("shard-facts.md");

/// A profile is for an unknown shard type.
pub(super) static PROFILE_TYPE: Rule = rule!("profile-type.md");

/// The reserved tokens use up the whole budget.
pub(super) static RESERVED_TOKENS: Rule = rule!("reserved-tokens.md");

/// The limit of derived facts is below the limit of facts.
pub(super) static DERIVED_LIMIT: Rule = rule!("derived-limit.md");
