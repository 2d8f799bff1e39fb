//! A progress bar for work that takes longer than half a second.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::report::sink::terminal;
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
        Self::with(what, Some(steps as u64), "{spinner} {prefix} [{bar:30}] {pos}/{len}")
    }

    /// A bar for bytes that are read; without their number where nobody knows it.
    pub(super) fn of_bytes(what: &'static str, bytes: Option<u64>) -> Self {
        let template = match bytes {
            Some(_) => "{spinner} {prefix} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec}",
            None => "{spinner} {prefix} {bytes} {bytes_per_sec}",
        };
        Self::with(what, bytes, template)
    }

    /// A line that names what is being worked at.
    pub(super) fn of_names(what: &'static str) -> Self {
        Self::with(what, None, "{spinner} {prefix} {wide_msg}")
    }

    /// This is being worked at.
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
            let mut pause = PATIENCE;
            while waiting.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) && !late.is_finished() {
                if pause == PATIENCE {
                    late.set_draw_target(ProgressDrawTarget::stderr());
                    pause = TICK;
                }
                late.tick();
            }
        };
        // Without a thread no bar appears.
        let _ = thread::Builder::new().name("progress".into()).spawn(tick);
        Self { bar, _over: over }
    }

    /// So much is done.
    pub(super) fn set(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// So much more is done.
    pub(super) fn add(&self, done: u64) {
        self.bar.inc(done);
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
