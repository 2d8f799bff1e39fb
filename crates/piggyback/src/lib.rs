//! Reads the Piggyback protocol: the envelope of one reply ([`envelope`]), and the transcripts in which replies were
//! captured ([`transcript`]).

pub mod envelope;
pub mod transcript;
