//! The interface to consumers of reply updates, for properties whose worlds contain accepted
//! updates.

use mangle_engine::program::{PredicateKey, Program};

/// Returns the predicates of a program whose facts a consumer accepts, by its name. The error is a
/// message.
pub type Consumer<'c> = dyn Fn(&Program, &str) -> Result<Vec<PredicateKey>, String> + 'c;
