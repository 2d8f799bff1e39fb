//! mangle-ls: a language server, a linter and a policy tool for Mangle.
//!
//! The libraries under `crates` implement Mangle, the reply protocol and prompts. This crate adds
//! file access, the language server and the command line. ARCHITECTURE.md describes the layers.

#![allow(missing_docs, reason = "the modules are public for the program and its tests, not for others")]

pub mod cli;
pub mod lsp;
#[cfg(not(target_family = "wasm"))]
pub mod mcp;
pub mod sessions;
