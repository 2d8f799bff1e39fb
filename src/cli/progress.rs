//! Progress bar for work that takes longer than half a second.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
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
