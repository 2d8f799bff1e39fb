//! mangle-ls as a module of WebAssembly, for web pages and for VS Code in a browser.
//!
//! The module exports two things: the language server, to which messages of the protocol are passed (`server_send`, `server_step`,
//! `server_next`), and the commands of the command line (`run_command`). Both read files through WASI, whose file system the page
//! keeps in memory. Texts cross the border in one buffer for each direction (module `exchange`).

#[cfg(target_family = "wasm")]
use tracing as _; // Switched off in `Cargo.toml`.

#[cfg(target_family = "wasm")]
mod exchange;
#[cfg(target_family = "wasm")]
pub mod exports;
