//! What takes the updates of replies, as far as a property says that worlds hold what it takes.

use mangle_engine::program::{PredicateKey, Program};

/// The predicates of a program whose facts a consumer takes, by its name; else why there are none.
pub type Consumer<'c> = dyn Fn(&Program, &str) -> Result<Vec<PredicateKey>, String> + 'c;
