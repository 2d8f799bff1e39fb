//! A progress bar for work that takes longer than half a second.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is over sooner shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often the bar moves without a step, to show that it is alive.
const TICK: Duration = Duration::from_millis(100);

/// A bar on standard error; invisible where that is no terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Dropped when the work is over, so that the bar no longer appears.
    _over: Sender<()>,
}

impl Progress {
    /// A bar for `steps` steps of `what`.
    pub(super) fn new(what: &'static str, steps: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{spinner} {prefix} [{bar:30}] {pos}/{len}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        bar.set_prefix(what);
        let (over, waiting) = channel();
        let late = bar.clone();
        thread::spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) && !late.is_finished() {
                late.set_draw_target(ProgressDrawTarget::stderr());
                late.enable_steady_tick(TICK);
            }
        });
        Self { bar, _over: over }
    }

    /// One step is done.
    pub(super) fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
