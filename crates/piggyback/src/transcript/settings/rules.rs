//! The rules about the configuration of an agent's runtime: `PB701` to `PB708`.

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

/// A limit that the runtime does not accept.
pub(super) static LIMIT_LOW: Rule = rule!("limit-low.md");

/// Shares that are more or less than all.
pub(super) static RESERVE_SUM: Rule = rule!("reserve-sum.md");

/// A key that means nothing.
pub(super) static CONFIG_KEY: Rule = rule!("config-key.md");

/// A temperature that is none.
pub(super) static SAMPLING_RANGE: Rule = rule!("sampling-range.md");

/// A shard with more facts than the kernel.
pub(super) static SHARD_FACTS: Rule = rule!("shard-facts.md");

/// A profile that nobody takes.
pub(super) static PROFILE_TYPE: Rule = rule!("profile-type.md");

/// More is reserved than there is.
pub(super) static RESERVED_TOKENS: Rule = rule!("reserved-tokens.md");

/// Fewer conclusions than facts.
pub(super) static DERIVED_LIMIT: Rule = rule!("derived-limit.md");
