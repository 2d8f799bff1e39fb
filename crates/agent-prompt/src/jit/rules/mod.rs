//! The rules about prompt atoms: what is wrong with a corpus ([`of_corpus`]), and what becomes of it in a prompt
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

/// A finding about prompt atoms, and the file that it is in. Its ranges count from the start of that file.
pub type AtomFinding = (FileId, Finding);
