//! Evaluates Mangle programs with proofs, within limits.
//!
//! [`program`] joins files into a program, [`types`] infers what its relations hold, [`kernel`] derives facts from it and
//! says why they hold, or why not.

pub mod kernel;
pub mod program;
pub mod types;
