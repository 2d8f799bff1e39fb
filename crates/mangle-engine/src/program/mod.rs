//! A program: the files that are analysed together, joined by predicate.
//!
//! Takes the lowered statements of files ([`FileSummary`], one a file, kept while the file is
//! unchanged); gives the [`Program`]: predicates with their declarations, heads and uses, what a
//! predicate is known to be ([`Signature`]), packages, the dependency graph with its strata, the
//! order in which a body binds its variables and the reference's rewriting of a clause. Also what
//! surrounds it ([`Embedding`]) and the table of built-ins ([`builtins`]). Knows no wording: what is wrong with a program is said in
//! `analysis`.

pub mod binding;
pub mod builtins;
mod components;
mod declaration_home;
mod dependencies;
mod difference;
mod embedding;
mod file;
pub mod graph;
mod influence;
mod inputs;
mod join;
mod merge;
mod predicate_index;
pub mod rewrite;
pub(crate) mod shared;
mod signature;
mod succeed;
#[cfg(test)]
mod succeed_tests;

pub use declaration_home::DeclarationHome;
pub use dependencies::{Dependencies, Members, PendingComponents};
pub use difference::Difference;
pub use embedding::Embedding;
pub use file::{FileSummary, key_of};
pub use influence::{Influence, Influences};
pub use inputs::{NeededInput, needed_input};
pub use join::{Predicate, PredicateId, Predicates, Program, Site};
pub use merge::{Merge, functional_dependencies};
pub use predicate_index::{PredicateInFile, PredicateIndex, Use, UseKind};
pub use signature::{Mode, Signature};

use mangle_syntax::text::Symbol;

/// What identifies a predicate: its name, qualified by its package, and its number of arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateKey {
    /// The name, `package.name` inside a named package.
    pub name: Symbol,
    /// The number of arguments.
    pub arity: u16,
}

impl PredicateKey {
    /// The same predicate inside `package`.
    #[must_use]
    pub fn within(self, package: Symbol) -> Self {
        Self { name: Symbol::new(&format!("{package}.{}", self.name)), ..self }
    }

    /// What stands before the last dot of the name: the package that the reference takes the
    /// predicate to belong to. Empty for the root package.
    #[must_use]
    pub fn package(self) -> &'static str {
        self.name.as_str().rsplit_once('.').map_or("", |(package, _)| package)
    }
}

impl std::fmt::Display for PredicateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.name, self.arity)
    }
}
