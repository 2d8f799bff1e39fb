//! Names that are valid in a configuration file.

use mangle_syntax::lint::Rule;

/// The names that a configuration file can use.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary<'a> {
    /// The available rules.
    pub rules: &'a [&'static Rule],
}
