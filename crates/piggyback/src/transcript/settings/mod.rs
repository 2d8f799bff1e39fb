//! The configuration of an agent's runtime, `.nerd/config.json`: what it says of limits, and what is wrong with it.
//!
//! Takes the bytes of the file; gives [`Limits`] and findings, whose ranges count from its start. Which keys there are is
//! the table in `keys`. Opens no files.

mod check;
mod keys;
mod rules;
#[cfg(test)]
mod tests;

use super::Limits;
use mangle_syntax::lint::Finding;

pub(super) use rules::RULES;

/// Where the file lies, from the folder on that the agent works in.
pub const PATH: &str = ".nerd/config.json";

/// What a configuration says.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The limits of shards. Those of the runtime itself where it cannot load the file.
    pub limits: Limits,
    /// What is wrong with it, in the order of the file.
    pub findings: Vec<Finding>,
}

/// Reads a configuration.
#[must_use]
pub fn read(text: &[u8]) -> Settings {
    let (findings, loads) = check::check(text);
    let limits = if loads { Limits::of_config(text) } else { Limits::default() };
    Settings { limits, findings }
}
