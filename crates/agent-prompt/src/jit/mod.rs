//! The prompt compiler: which atoms of a corpus make up a prompt, in which order, and what of them fits.
//!
//! Takes a corpus of prompt atoms ([`Corpus`], read from YAML), the situation ([`super::DerivedContext`]) and what the kernel
//! injects; gives sections with the line of each atom's file, and a manifest that says why each other atom is missing.
//! The steps are those of the reference runtime, one file each: `inject`, `select`, `order`, `budget`,
//! `assemble`. What it leaves to chance (the order of hash tables, unstable sorts) is settled here, and said.

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
