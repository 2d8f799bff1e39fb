//! Entries of console logs: where one begins, what stands before its text, who speaks, and which envelope is in it.
//!
//! An entry begins with a line that has a prefix: a time, a level, the name of a container, or who speaks. A line that
//! begins an envelope begins an entry only where the one before it is damaged, since a reply may hold several envelopes,
//! of which the runtime takes one.

mod border;
mod envelope;
mod literal;
mod nesting;
mod prefix;
mod shared;
mod speaker;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod wrapped;
mod wrapper;

pub(super) use border::{Borders, EntryForm, parts};
pub(super) use envelope::{begins as begins_envelope, holds as holds_envelope};
pub(super) use nesting::Nesting;
pub(super) use prefix::Prefix;
pub(super) use text::{read, unwrapped};
pub(super) use wrapped::read_wrapped;
