//! Envelopes: what an agent's reply says in its hidden control packet, and what the runtime makes of it.
//!
//! Takes the bytes of one reply; gives the JSON in it with every byte range ([`json`]), what the runtime reads from
//! it, stage by stage, bug for bug ([`runtime`]), and what we think of it. Knows nothing of the files that replies are found in.

pub mod atoms;
pub mod json;
pub mod plain;
mod reply;
pub mod runtime;
pub mod secrets;

pub use reply::{Object, Reply};
