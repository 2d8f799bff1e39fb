//! Emacs 30, without a terminal. Each file of `editors/emacs/test` but the harness is one run.

use std::path::Path;

use anyhow::Result;

use super::drive::{check, limited};
use super::{examples_folder, install, subjects};
use crate::tally::Tally;

/// Each subject beside a copy of the examples, at home in an empty folder.
pub(super) fn run(server: &Path) -> Result<Tally> {
    Tally::with("Emacs", install::debian_13(), |programs| {
        let mut tally = Tally::default();
        for (subject, test) in subjects("emacs", "el")? {
            let name = format!("emacs-30/{subject}");
            let examples = examples_folder(&name)?;
            let mut command = limited(&programs.join("emacs"));
            command.args(["--batch", "-Q", "-l"]).arg(&test).current_dir(&examples);
            command.env("HOME", examples.with_file_name("home")).env("MANGLE_LS", server);
            tally.add(check(&name, &mut command)?);
        }
        Ok(tally)
    })
}
