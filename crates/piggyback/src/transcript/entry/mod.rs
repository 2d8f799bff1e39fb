//! Entries of console logs: their boundaries, prefixes, speakers and envelopes.
//!
//! An entry begins with a line that has a prefix: a timestamp, a level, a container name, or a
//! speaker. A line with an envelope begins an entry only if the previous envelope is damaged,
//! because a reply can contain several envelopes.

mod border;
mod envelope;
mod literal;
mod nesting;
mod prefix;
mod prefixed_lines;
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
