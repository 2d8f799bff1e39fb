//! `cargo xtask protocol`: an independent client asks the server everything that it promises, as each of the editors in
//! `tests/clients`, and checks every message.

use anyhow::Result;

use crate::editors::drive::{check, limited_to};
use crate::editors::{build_server, install};
use crate::tally::Tally;

/// Seconds that all sessions together may take; on two free cores they take a fifth of it.
const SECONDS: u32 = 900;

/// Builds the server and runs the check.
pub(crate) fn run() -> Result<Tally> {
    let server = build_server()?;
    Tally::with("the protocol check", install::protocol_types(), |tools| {
        let mut python = limited_to(SECONDS, &tools.join("python"));
        // Nothing is written beside the sources.
        python.arg("-B").arg(crate::root().join("tests/protocol/run.py")).arg(server);
        check("protocol", &mut python)
    })
}
