//! Editor features, with one file per LSP method or group of methods. Each feature converts the
//! parameters, calls `ide`, and converts the result. `server` assigns the methods, and
//! `capabilities` announces them to the client.

pub(super) mod code_lens;
pub(super) mod completion;
pub(super) mod conversations;
pub(super) mod editing;
pub(super) mod hints;
pub(super) mod navigation;
pub(super) mod paths;
pub(super) mod preview;
pub(super) mod query;
pub(super) mod replay;
pub(super) mod replies;
pub(super) mod semantic_tokens;
pub(super) mod symbols;
pub(super) mod test;
pub(super) mod transcripts;
