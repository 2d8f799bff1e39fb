//! Prompt compiler: selects the atoms of a corpus for a prompt, orders them and fits them into a
//! token budget.
//!
//! The input is a corpus of prompt atoms ([`Corpus`], read from YAML), the situation
//! ([`super::DerivedContext`]) and the injected atoms. The output is sections with source lines,
//! and a manifest with the reason for each excluded atom.
//!
//! The steps follow the reference runtime, one file each: `inject`, `select`, `order`, `budget`,
//! `assemble`. Random choices of the runtime (hash table order, unstable sorts) are deterministic
//! here and documented.

mod absence;
mod assemble;
mod atom;
mod baseline;
mod budget;
mod category;
mod compile;
mod inject;
mod keys;
mod limits;
mod names;
mod order;
mod placeholders;
mod read;
mod residue;
pub mod rules;
mod select;
mod situation;
#[cfg(test)]
mod tests;
mod yaml_values;

pub use absence::{AssemblyKind, AtomAbsence};
pub use atom::{AtomKind, AtomText, Dimension, PromptAtom, Word};
pub use category::{Category, CategoryClass};
pub use compile::{Compilation, JitCompiler};
pub(crate) use inject::is_for as is_injected_for;
pub use keys::{AtomKey, KEYS as ATOM_KEYS};
pub(crate) use placeholders::values as placeholder_values;
pub use read::{AtomFault, AtomFile, Corpus, FaultKind};
pub use residue::Residue;
pub use select::{Exclusion, ExclusionReason};
pub(crate) use situation::{has_value, values as situation_values};
