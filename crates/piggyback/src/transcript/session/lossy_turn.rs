//! The rule `lossy-turn`, which also decides what a digest keeps.

use mangle_syntax::lint::{Rule, rule};

/// A turn of which something is not kept.
pub(in crate::transcript) static LOSSY_TURN: Rule = rule!("lossy-turn.md");
