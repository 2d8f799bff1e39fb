//! `cargo xtask test --step solvers`: questions that only solvers decide, with z3, cvc5, both and none. Prints a table of all answers.

use anyhow::{Context, Result};

use crate::editors::install;
use crate::tally::Tally;

/// Installs the solvers and runs the tests that need them.
pub(crate) fn run() -> Result<Tally> {
    Tally::with("the solvers", install::solvers(), |()| {
        let arguments = ["test", "--workspace", "--lib", "--", "--ignored", "--nocapture", "solver_cases"];
        let status = crate::cargo().args(arguments).status().context("cannot start cargo")?;
        Ok(Tally::one("questions that only solvers decide", status.success()))
    })
}
