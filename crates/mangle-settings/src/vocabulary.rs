//! The names that a configuration file may use.

use mangle_syntax::lint::Rule;

/// What a configuration file may name.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary<'a> {
    /// The rules.
    pub rules: &'a [&'static Rule],
}
