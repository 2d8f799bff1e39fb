//! Programs: files that are analyzed together, joined by predicate.
//!
//! - [`FileSummary`] has the parsed statements of one file, and is kept while the file is
//!   unchanged.
//! - [`Program`] has the predicates with their declarations, heads and uses, the packages, and the
//!   dependency graph with its strata.
//! - [`Signature`] has the properties of a predicate outside its clauses.
//! - [`binding`] computes the order in which a body binds its variables, and [`rewrite`] reproduces
//!   the clause rewriting of the Go implementation.
//! - [`ProgramEnvironment`] is the environment of a program, and [`builtins`] has the tables of
//!   built-ins.
//!
//! The module has no message texts. Problems of programs are reported in `analysis`.

pub mod binding;
pub mod builtins;
mod components;
mod declaration_home;
mod dependencies;
mod difference;
mod environment;
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
mod update;
#[cfg(test)]
mod update_tests;

pub use declaration_home::DeclarationHome;
pub use dependencies::{Dependencies, Members, PendingComponents};
pub use difference::Difference;
pub use environment::ProgramEnvironment;
pub use file::{FileSummary, key_of};
pub use influence::{Influence, Influences};
pub use inputs::{NeededInput, needed_input};
pub use join::{Predicate, PredicateId, Predicates, Program, Site};
pub use merge::{Merge, functional_dependencies};
pub use predicate_index::{PredicateInFile, PredicateIndex, Use, UseKind};
pub use signature::{Mode, Signature};

use mangle_syntax::text::Symbol;

/// The identity of a predicate: its name, qualified by its package, and its number of arguments.
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

    /// The part of the name before the last dot, which the Go implementation treats as the package.
    /// Empty for the root package.
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
