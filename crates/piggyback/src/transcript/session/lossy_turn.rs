//! The rule `lossy-turn`. Digests store missing file names only if it is enabled.

use mangle_syntax::lint::{Rule, rule};

/// Rule: a turn names a file that no update contains.
pub(in crate::transcript) static LOSSY_TURN: Rule = rule!("lossy-turn.md");
