//! mangle-ls: a language server, a checker and a policy tool for Mangle.
//!
//! The modules are layers, each using only those below it; ARCHITECTURE.md has the table and
//! `tests/layering.rs` keeps it true.

pub mod analysis;
pub mod cli;
pub mod config;
pub mod envelope;
pub mod host;
pub mod ide;
pub mod kernel;
pub mod lint;
pub mod lsp;
pub mod policy_test;
pub mod program;
pub mod prompt;
pub mod replay;
pub mod report;
pub mod syntax;
pub mod text;
pub mod transcript;
pub mod types;
