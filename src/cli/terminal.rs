//! Interaction with a terminal: a progress bar for work that takes longer than half a second, and
//! `--watch`, which repeats a command after each change until Ctrl-C.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::ColorChoice;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::ExitStatus;
use super::output::{self, Medium, Output};
use mangle_host::{WakeReason, Watch};
use mangle_report::sink::terminal;

/// Delay before the bar appears.
const DELAY: Duration = Duration::from_millis(500);

/// Interval of the bar's animation.
const TICK: Duration = Duration::from_millis(100);

/// A bar on standard error. Invisible if standard error is not a terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Dropped at the end of the work, so that the bar does not appear later.
    _over: Sender<()>,
}

impl Progress {
    /// A bar with `steps` steps.
    pub(super) fn new(what: &'static str, steps: usize) -> Self {
        Self::with(what, Some(steps as u64), "{spinner} {prefix} [{bar:30}] {pos}/{len}")
    }

    /// A bar for read bytes. `bytes` is `None` if the total is unknown.
    pub(super) fn of_bytes(what: &'static str, bytes: Option<u64>) -> Self {
        let template = match bytes {
            Some(_) => "{spinner} {prefix} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec}",
            None => "{spinner} {prefix} {bytes} {bytes_per_sec}",
        };
        Self::with(what, bytes, template)
    }

    /// A line that shows the name of the current item.
    pub(super) fn of_names(what: &'static str) -> Self {
        Self::with(what, None, "{spinner} {prefix} {wide_msg}")
    }

    /// Shows the name of the current item.
    pub(super) fn show(&self, name: &str) {
        self.bar.set_message(terminal(name));
    }

    fn with(what: &'static str, steps: Option<u64>, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        bar.set_prefix(what);
        let (over, waiting) = channel();
        let late = bar.clone();
        let tick = move || {
            let mut pause = DELAY;
            while waiting.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) && !late.is_finished() {
                if pause == DELAY {
                    late.set_draw_target(ProgressDrawTarget::stderr());
                    pause = TICK;
                }
                late.tick();
            }
        };
        // Without a thread, no bar appears.
        let _ = thread::Builder::new().name("progress".into()).spawn(tick);
        Self { bar, _over: over }
    }

    /// Sets the number of completed steps.
    pub(super) fn set(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// Adds completed steps.
    pub(super) fn add(&self, done: u64) {
        self.bar.inc(done);
    }

    pub(super) fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Clears the screen, but keeps the scrollback.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// The paths to watch: folders and policies, and other files.
type WatchPaths = (Vec<PathBuf>, Vec<PathBuf>);

/// Runs a task, and repeats it after each change of `watched` until Ctrl-C. Returns the outcome of
/// the last run. Errors of a run do not end the watch, because the next change can fix them.
///
/// # Errors
/// If files cannot be watched.
pub(super) fn watching(
    color: ColorChoice,
    watched: &dyn Fn() -> WatchPaths,
    once: &mut dyn FnMut() -> Result<ExitStatus>,
) -> Result<ExitStatus> {
    let (mut watch, stopper) = Watch::new()?;
    on_interrupt(move || stopper.stop()).context("Ctrl-C cannot be caught")?;
    loop {
        // First, so that changes during the run are not missed.
        let (files, others) = watched();
        watch.follow(&files, &others)?;
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

/// Calls `stop` on a separate thread at each signal.
///
/// # Errors
/// If the signal handler cannot be installed.
#[cfg(unix)]
fn on_interrupt(stop: impl Fn() + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let wait = move || signals.forever().for_each(|_| stop());
    std::thread::Builder::new().name("signals".into()).spawn(wait)?;
    Ok(())
}

/// Calls `stop` on a separate thread at each Ctrl-C.
///
/// # Errors
/// If the signal handler cannot be installed.
#[cfg(windows)]
fn on_interrupt(stop: impl Fn() + Send + 'static) -> std::io::Result<()> {
    ctrlc::set_handler(stop).map_err(std::io::Error::other)
}
