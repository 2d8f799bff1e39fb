//! Replies and prompts, against recorded behaviour.

mod atoms;
mod capabilities;
mod envelopes;
mod findings;
mod origins;
mod prompts;
mod recorded_program;
mod recordings;
