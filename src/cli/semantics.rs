//! `--reading`: how a program is read.

use clap::ValueEnum;

use mangle_engine::kernel::Reading;

/// How a program is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Semantics {
    /// As the engine does it, bug for bug
    Go,
    /// As its author intended it: every negation is evaluated
    Written,
}

impl From<Semantics> for Reading {
    fn from(semantics: Semantics) -> Self {
        match semantics {
            Semantics::Go => Self::Go,
            Semantics::Written => Self::Written,
        }
    }
}
