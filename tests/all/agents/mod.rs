//! Replies and prompts, against recorded behaviour.

mod atoms;
mod envelopes;
mod origins;
mod prompts;
mod recordings;
