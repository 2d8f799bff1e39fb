//! `cargo xtask protocol`: an independent client asks the server everything that it promises, as each of the editors in
//! `tests/clients`, and checks every message.

use anyhow::Result;

use crate::editors::drive::{check, limited};
use crate::editors::{build_server, install};
use crate::tally::Tally;

/// Builds the server and runs the check.
pub(crate) fn run() -> Result<Tally> {
    let server = build_server()?;
    Tally::with("the protocol check", install::protocol_types(), |tools| {
        let mut python = limited(&tools.join("python"));
        // Nothing is written beside the sources.
        python.arg("-B").arg(crate::root().join("tests/protocol/run.py")).arg(server);
        check("protocol", &mut python)
    })
}
