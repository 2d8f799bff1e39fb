//! Configuration of an agent's runtime, `.nerd/config.json`: limits and findings.
//!
//! Ranges of findings are relative to the start of the file. The table in `keys` lists the known
//! keys. This module opens no files.

mod check;
mod keys;
mod rules;
#[cfg(test)]
mod tests;

use super::Limits;
use mangle_syntax::lint::Finding;

pub(super) use rules::RULES;

/// Path of the file, relative to the agent's working directory.
pub const PATH: &str = ".nerd/config.json";

/// Limits and findings of a configuration.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Limits of shards. Defaults of the runtime if the file cannot be loaded.
    pub limits: Limits,
    /// Findings in file order.
    pub findings: Vec<Finding>,
}

/// Reads a configuration.
#[must_use]
pub fn read(text: &[u8]) -> Settings {
    let (findings, loads) = check::check(text);
    let limits = if loads { Limits::from_config(text) } else { Limits::default() };
    Settings { limits, findings }
}
