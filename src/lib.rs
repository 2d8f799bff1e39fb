//! mangle-ls: a language server, a checker and a policy tool for Mangle.
//!
//! What it knows of Mangle, of the protocol and of prompts is in the libraries under `crates`; here are files, editors and
//! the command line. ARCHITECTURE.md has the layers.

#![allow(missing_docs, reason = "the modules are public for the program and its tests, not for others")]

pub mod cli;
pub mod host;
pub mod ide;
pub mod lsp;
#[cfg(not(target_family = "wasm"))]
pub mod mcp;
pub mod report;
pub mod sessions;
