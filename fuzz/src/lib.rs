//! Fuzzing: one body for each thing that reads foreign bytes, which makes a structure of any bytes, runs the product on it,
//! and panics where a promise is broken.
//!
//! `cargo xtask fuzz` runs the bodies under libFuzzer (`src/main.rs`); `cargo test` runs them over the kept inputs
//! (`tests/kept.rs`). [`TARGETS`] lists them.
#![allow(clippy::unwrap_used)] // A panic is how a body reports.

mod generate;
mod memory;
#[allow(unused_imports, clippy::all)]
#[path = "../../tests/all/naive/mod.rs"]
mod naive;
mod oracle;
mod sandbox;
mod seeds;
#[path = "naive_support.rs"]
mod support;
mod table;
mod targets;

#[allow(clippy::all, unreachable_pub, dead_code)]
#[path = "../../tests/all/support/world.rs"]
mod world;

pub use table::{TARGETS, Target, target};
