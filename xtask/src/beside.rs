//! Steps of `cargo xtask test` in a process of their own, beside those that mostly wait for an editor: two cores have more to do then.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command};

use anyhow::{Context, Result};

use crate::tally::Tally;

/// A process that runs steps. What it prints is shown when it has ended.
pub(crate) struct Beside {
    process: Child,
    /// What it prints.
    log: PathBuf,
    /// What it leaves behind for this process.
    tally: PathBuf,
}

impl Beside {
    /// Starts this program again with `arguments`, and with the file that it writes its tally to.
    pub(crate) fn start(arguments: &[&str]) -> Result<Self> {
        let folder = crate::root().join("target");
        let (log, tally) = (folder.join("beside.log"), folder.join("beside.json"));
        let _ = fs::remove_file(&tally);
        let output = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments).arg(&tally).stdout(output.try_clone()?).stderr(output);
        let process = command.spawn().context("cannot start a second process")?;
        Ok(Self { process, log, tally })
    }

    /// Waits for its end, shows what it printed, and gives what it counted.
    pub(crate) fn end(mut self) -> Result<Tally> {
        let status = self.process.wait()?;
        println!("{}", String::from_utf8_lossy(&fs::read(&self.log)?));
        let tally =
            fs::read(&self.tally).with_context(|| format!("the steps beside did not end: {status}"))?;
        serde_json::from_slice(&tally).context("the steps beside counted nothing")
    }
}
