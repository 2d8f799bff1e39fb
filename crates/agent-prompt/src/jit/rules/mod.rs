//! Lint rules about prompt atoms: faults of a corpus ([`check_corpus`]) and of a compiled prompt
//! ([`check_compilation`]).

mod compilation;
mod corpus;
mod table;

pub use compilation::check_compilation;
pub use corpus::check_corpus;
pub(in crate::jit) use corpus::fault_message;
pub(crate) use table::*;

use mangle_syntax::lint::Finding;
use mangle_syntax::text::FileId;

/// A finding about prompt atoms with its file. Ranges count from the start of the file.
pub type AtomFinding = (FileId, Finding);
