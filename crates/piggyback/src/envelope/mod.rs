//! Envelopes: the control packets in an agent's replies, their parsing by the runtime, and their
//! checks.
//!
//! The input is the bytes of one reply. The module provides the JSON with all byte ranges
//! ([`json`]), an exact emulation of the runtime ([`runtime`]), and findings ([`check()`]). The
//! module does not depend on the files that contain replies.
//!
//! Rules are grouped in families, as in `analysis`. Some rules check a whole reply ([`Survey`]),
//! most rules check one envelope ([`Subject`]).

pub mod account;
pub mod atoms;
mod audit;
mod catalogue;
mod check;
pub mod clean;
mod context;
pub mod edits;
pub mod extractors;
mod fields;
pub mod json;
mod memory;
pub mod plain;
pub mod pointer;
pub mod profile;
mod replies;
mod reply;
mod requests;
#[cfg(test)]
pub(crate) mod rule_examples;
pub mod runtime;
pub mod secrets;
mod shorten;
mod sink;
mod subject;
mod survey;
pub mod table;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
pub mod view;

pub use atoms::Verb;
pub use audit::TRANSITION_UNBACKED;
pub use catalogue::Catalogue;
pub use check::{FAMILIES, check, missing_fields, rules};
pub use context::ReplyContext;
pub use fields::{CATEGORIES, CONTROL_MISSING, PROFILE_INFERRED, Taxonomy, VERBS};
pub(crate) use memory::is_about_forgotten_facts;
pub use memory::{MemoryOperation, OPERATIONS, may_be_predicate};
pub use replies::{BAD_UNICODE, CONTROL_LEAK, JSON_SYNTAX, control_shown};
pub use reply::{Object, Reply};
pub use requests::{claim_in, phrase_in};
pub use sink::{Family, Sink};
pub use subject::Subject;
pub use survey::{ObjectRole, ScannerState, Survey, is_envelope};
