//! All tests over the whole product, in one program: each would link everything again.

#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::print_stdout, missing_docs)]

mod agents;
mod ceilings;
mod cli;
mod conformance_suite;
mod engine_diff;
mod failing_world;
mod kernel;
mod lsp;
mod mcp;
mod naive;
mod oracle;
mod parity;
mod planted;
mod policies;
mod project;
mod reports;
mod rule_examples;
mod support;

/// The allocator of the product, whose memory is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
