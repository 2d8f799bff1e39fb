//! Helix 25.01, in a terminal of tmux.

use std::path::Path;

use anyhow::Result;

use super::drive::{check, limited};
use super::{examples_folder, install};
use crate::tally::Tally;

/// Installs it as its README says, and looks at what the terminal shows.
pub(super) fn run(server: &Path) -> Result<Tally> {
    Tally::with("Helix", install::debian_13(), |programs| {
        let examples = examples_folder("helix")?;
        let test = crate::root().join("editors/helix/test/smoke.sh");
        let mut command = limited("sh".as_ref());
        command.arg(test).arg(crate::root()).arg(examples.with_file_name(""));
        command
            .env("HX", programs.join("hx"))
            .env("TMUX_PROGRAM", programs.join("tmux"))
            .env("MANGLE_LS", server);
        check("helix-25.01", &mut command)
    })
}
