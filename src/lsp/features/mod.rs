//! Editor features, with one file per LSP method or group of methods. Each feature converts the
//! parameters, calls `ide`, and converts the result. `server` assigns the methods, and
//! `capabilities` announces them to the client.

pub(super) mod call_hierarchy;
pub(super) mod code_lens;
pub(super) mod completion;
pub(super) mod conversations;
pub(super) mod folding;
pub(super) mod formatting;
pub(super) mod grammar;
pub(super) mod graph;
pub(super) mod hover;
pub(super) mod inlay_hints;
pub(super) mod linked_editing;
pub(super) mod links;
mod markup;
pub(super) mod navigation;
mod paths;
pub(super) mod preview;
pub(super) mod property;
pub(super) mod query;
pub(super) mod references;
pub(super) mod rename;
pub(super) mod repair;
pub(super) mod replay;
pub(super) mod selection;
pub(super) mod semantic_tokens;
pub(super) mod signature_help;
pub(super) mod symbols;
pub(super) mod test;
pub(super) mod transcripts;
pub(super) mod turns;
