//! `--watch`: repeats a command after each change until Ctrl-C. Errors of a run do not end the
//! watch, because the next change can fix them.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::ColorChoice;

use super::ExitStatus;
use super::interrupt;
use super::output::{self, Medium, Output};
use mangle_host::{WakeReason, Watch};

/// Clears the screen, but keeps the scrollback.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// The paths to watch: folders and policies, and other files.
type WatchPaths = (Vec<PathBuf>, Vec<PathBuf>);

/// Runs a task, and repeats it after each change of `watched` until Ctrl-C. Returns the outcome of
/// the last run.
///
/// # Errors
/// If files cannot be watched.
pub(super) fn watching(
    color: ColorChoice,
    watched: &dyn Fn() -> WatchPaths,
    once: &mut dyn FnMut() -> Result<ExitStatus>,
) -> Result<ExitStatus> {
    let (mut watch, stopper) = Watch::new()?;
    interrupt::on_interrupt(move || stopper.stop()).context("Ctrl-C cannot be caught")?;
    loop {
        // First, so that changes during the run are not missed.
        let (files, beside) = watched();
        watch.follow(&files, &beside)?;
        clear(color)?;
        let outcome = once().unwrap_or_else(|error| {
            output::complain(color, &format!("{error:#}"));
            ExitStatus::Failure
        });
        output::note("Watching for changes; Ctrl-C ends.\n");
        if watch.wait() == WakeReason::Stopped {
            // After the `^C` of the terminal.
            if std::io::stderr().is_terminal() {
                output::note("\n");
            }
            return Ok(outcome);
        }
    }
}

fn clear(color: ColorChoice) -> Result<()> {
    if std::io::stdout().is_terminal() {
        let mut out = Output::stdout(Medium::Own, color);
        out.write(CLEAR)?;
        out.flush()?;
    }
    Ok(())
}
