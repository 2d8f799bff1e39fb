//! Replies and prompts, against recorded behaviour.

mod atoms;
mod capabilities;
mod envelopes;
mod findings;
mod gate;
mod origins;
mod prompts;
mod recorded_program;
mod recordings;

pub(crate) use gate::gate_record;
pub(crate) use recorded_program::RecordedProgram;
