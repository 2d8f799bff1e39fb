//! Emacs 30, without a terminal. Each file of `editors/emacs/test` but the harness is one run.

use std::path::Path;

use anyhow::Result;

use super::drive::{check, limited};
use super::{examples_folder, install, test_files};
use crate::tally::Tally;

/// Each subject beside a copy of the examples, at home in an empty folder.
pub(super) fn run(server: &Path) -> Result<Tally> {
    let emacs = match install::debian_13() {
        Ok(programs) => programs.join("emacs"),
        Err(error) => return Ok(Tally::skip(format!("Emacs: {error:#}"))),
    };
    let mut tally = Tally::default();
    for test in test_files("emacs", "el")? {
        let subject = test.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if subject == "harness" {
            continue;
        }
        let name = format!("emacs-30/{subject}");
        let examples = examples_folder(&name)?;
        let mut command = limited(&emacs);
        command.args(["--batch", "-Q", "-l"]).arg(&test).current_dir(&examples);
        command.env("HOME", examples.with_file_name("home")).env("MANGLE_LS", server);
        tally.add(check(&name, &mut command)?);
    }
    Ok(tally)
}
