//! Lint rules about prompt atoms: faults of a corpus ([`of_corpus`]) and of a compiled prompt
//! ([`of_compilation`]).

mod compilation;
mod corpus;
mod table;

pub use compilation::of_compilation;
pub(in crate::jit) use corpus::fault_message;
pub use corpus::of_corpus;
pub(crate) use table::*;

use mangle_syntax::lint::Finding;
use mangle_syntax::text::FileId;

/// A finding about prompt atoms with its file. Ranges count from the start of the file.
pub type AtomFinding = (FileId, Finding);
