//! `--watch`: runs a command again whenever something changes, until Ctrl-C. What cannot be done now can perhaps be done after
//! the next change, so nothing ends the watch but its own end.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::ColorChoice;

use super::ExitStatus;
use super::interrupt;
use super::output::{self, Medium, Output};
use crate::host::{WakeReason, Watch};

/// Clears the screen, and leaves what has scrolled out of it.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// What is to be watched: folders and policies, and other files beside them.
type WatchPaths = (Vec<PathBuf>, Vec<PathBuf>);

/// Does something, and again whenever something of `watched` changes, until Ctrl-C. The outcome is that of the last time.
///
/// # Errors
/// When files cannot be watched at all.
pub(super) fn watching(
    color: ColorChoice,
    watched: &dyn Fn() -> WatchPaths,
    once: &mut dyn FnMut() -> Result<ExitStatus>,
) -> Result<ExitStatus> {
    let (mut watch, stopper) = Watch::new()?;
    interrupt::on_interrupt(move || stopper.stop()).context("Ctrl-C cannot be caught")?;
    loop {
        // First of all, so that what changes meanwhile is not missed.
        let (files, beside) = watched();
        watch.follow(&files, &beside)?;
        clear(color)?;
        let outcome = once().unwrap_or_else(|error| {
            output::complain(color, &format!("{error:#}"));
            ExitStatus::Failure
        });
        output::note("Watching for changes; Ctrl-C ends.\n");
        if watch.wait() == WakeReason::Stopped {
            // Behind the `^C` of the terminal.
            if std::io::stderr().is_terminal() {
                output::note("\n");
            }
            return Ok(outcome);
        }
    }
}

fn clear(color: ColorChoice) -> Result<()> {
    if std::io::stdout().is_terminal() {
        let mut out = Output::of(Medium::Own, color);
        out.write(CLEAR)?;
        out.flush()?;
    }
    Ok(())
}
