//! Envelopes: what an agent's reply says in its hidden control packet, and what the runtime makes of it.
//!
//! Takes the bytes of one reply; gives the JSON in it with every byte range ([`json`]), what the runtime reads from
//! it, stage by stage, bug for bug ([`runtime`]), and what we think of it ([`check()`]). Knows nothing of the files that replies are found in.
//!
//! Our opinion comes in families of rules, as in `analysis`: some look at a whole reply ([`Survey`]), most at one envelope
//! of it ([`Subject`]).

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

pub use audit::TRANSITION_UNBACKED;
pub use catalogue::Catalogue;
pub use check::{FAMILIES, check, missing_fields, rules};
pub use context::ReplyContext;
pub use fields::{CATEGORIES, CONTROL_MISSING, PROFILE_INFERRED, Taxonomy, VERBS, Verb};
pub(crate) use memory::is_about_forgotten_facts;
pub use memory::{MemoryOperation, OPERATIONS, may_be_predicate};
pub use replies::{BAD_UNICODE, CONTROL_LEAK, JSON_SYNTAX, control_shown};
pub use reply::{Object, Reply};
pub use requests::{claim_in, phrase_in};
pub use sink::{Family, Sink};
pub use subject::Subject;
pub use survey::{ObjectRole, ScannerState, Survey, is_envelope};
