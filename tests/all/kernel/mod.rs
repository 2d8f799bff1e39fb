//! The evaluation: its facts, proofs, limits and memory.

mod changing_facts;
mod corpus;
mod differential;
mod facts;
mod limits;
mod memory;
mod proofs;
mod stores;
