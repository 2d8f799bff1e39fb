//! `--solver`: the solver of a command.

use clap::ValueEnum;

use mangle_settings::SolverChoice;

/// A solver for questions whose values are not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SolverName {
    /// `z3` and `cvc5`, if they are on the search path
    Auto,
    /// No solver
    None,
    /// `z3`
    Z3,
    /// `cvc5`
    Cvc5,
}

impl From<SolverName> for SolverChoice {
    fn from(name: SolverName) -> Self {
        match name {
            SolverName::Auto => Self::Auto,
            SolverName::None => Self::None,
            SolverName::Z3 => Self::Z3,
            SolverName::Cvc5 => Self::Cvc5,
        }
    }
}
