//! Thread pool for all computations, and the queue of jobs of a server without threads. A panic ends
//! the computation but not the server, on platforms that can catch panics.

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tracing::Span;

use mangle_syntax::text::Cancel;

/// Executor of jobs in request order: a few threads for CPU work, or a queue for the only thread.
#[derive(Debug, Clone)]
pub(super) enum Pool {
    Threads(Arc<rayon::ThreadPool>),
    Queue(JobQueue),
}

/// The interval between cancellation checks of a delayed job.
const NAP: Duration = Duration::from_millis(5);

impl Pool {
    /// Starts the threads. At least two, so that a long computation leaves one for short requests.
    /// Few, because each thread needs memory of its own.
    ///
    /// # Errors
    ///
    /// If the system creates no threads.
    pub(super) fn new() -> anyhow::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self::with_threads(cores.clamp(2, 4), "pool")
    }

    /// Starts a single thread called `name`, for work that must not delay other work.
    ///
    /// # Errors
    ///
    /// If the system creates no thread.
    pub(super) fn single(name: &'static str) -> anyhow::Result<Self> {
        Self::with_threads(1, name)
    }

    fn with_threads(threads: usize, name: &'static str) -> anyhow::Result<Self> {
        let named = move |index| format!("{name}-{index}");
        let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(named).build()?;
        Ok(Self::Threads(Arc::new(threads)))
    }

    /// Runs `job` when a thread is free, inside the current tracing span.
    pub(super) fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        let span = Span::current();
        let job = move || {
            let _ = span.in_scope(|| guarded(job));
        };
        match self {
            Self::Threads(threads) => threads.spawn_fifo(job),
            Self::Queue(queue) => queue.push(None, job),
        }
    }

    /// Runs `job` after a pause, which a cancellation ends. The argument of `job` is false after a
    /// cancellation.
    pub(super) fn spawn_later(
        &self,
        pause: Duration,
        cancel: &Cancel,
        job: impl FnOnce(bool) + Send + 'static,
    ) {
        let token = cancel.clone();
        match self {
            Self::Threads(_) => self.spawn(move || job(stays_wanted(&token, pause))),
            Self::Queue(queue) => {
                let wanted = move || {
                    let _ = guarded(|| job(!token.is_cancelled()));
                };
                queue.push(Some((Instant::now() + pause, cancel.clone())), wanted);
            }
        }
    }
}

/// Waits for `pause`. Returns false if canceled.
fn stays_wanted(cancel: &Cancel, pause: Duration) -> bool {
    let end = Instant::now() + pause;
    while Instant::now() < end && !cancel.is_cancelled() {
        std::thread::sleep(NAP);
    }
    !cancel.is_cancelled()
}

/// A panic in a computation, with its position, for example `src/x.rs:12:5`. The panic message is
/// not kept, because it may quote the document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("internal error at {0}; the log has more")]
pub(super) struct Panicked(String);

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `job`. A panic is logged and returned.
pub(super) fn guarded<T>(job: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(job)).map_err(|payload| {
        drop_payload(payload);
        Panicked(LAST_PANIC.with(|place| place.borrow().clone()))
    })
}

/// Drops a panic payload. The drop itself may panic, and that panic must not propagate.
fn drop_payload(payload: Box<dyn Any + Send>) {
    std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
}

/// Sends panics to the log instead of the terminal. Only the position is logged, because messages
/// may quote user data.
pub(super) fn log_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        let backtrace = std::backtrace::Backtrace::capture();
        tracing::error!(%place, %backtrace, "internal error");
        LAST_PANIC.with(|last| *last.borrow_mut() = place);
    }));
}

/// Queue of jobs in execution order. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct JobQueue(Arc<Mutex<VecDeque<Job>>>);

struct Job {
    /// The start time. The job also starts when it is canceled.
    pause: Option<(Instant, Cancel)>,
    run: Box<dyn FnOnce() + Send>,
}

impl Job {
    /// The remaining time before the job may start.
    fn remaining(&self) -> Duration {
        match &self.pause {
            Some((due, cancel)) if !cancel.is_cancelled() => due.saturating_duration_since(Instant::now()),
            _ => Duration::ZERO,
        }
    }
}

impl JobQueue {
    /// Adds a job. With a `pause`, it starts at that time or when it is canceled.
    pub(super) fn push(&self, pause: Option<(Instant, Cancel)>, run: impl FnOnce() + Send + 'static) {
        self.0.lock().push_back(Job { pause, run: Box::new(run) });
    }

    /// Runs the first job if it may start. Returns true if a job ran.
    pub(super) fn run_next(&self) -> bool {
        let mut jobs = self.0.lock();
        if !jobs.front().is_some_and(|job| job.remaining().is_zero()) {
            return false;
        }
        let job = jobs.pop_front();
        // The job may add other jobs.
        drop(jobs);
        job.map(|job| (job.run)()).is_some()
    }

    /// The remaining time before the first job may start.
    pub(super) fn pause(&self) -> Option<Duration> {
        self.0.lock().front().map(Job::remaining)
    }
}

impl fmt::Debug for JobQueue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "JobQueue({})", self.0.lock().len())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_panic_ends_its_job_alone() {
        let pool = Pool::new().unwrap();
        let (sender, receiver) = mpsc::channel();
        for job in 0..20 {
            let sender = sender.clone();
            pool.spawn(move || {
                assert!(job % 2 == 1, "even jobs fail");
                sender.send(job).unwrap();
            });
        }
        drop(sender);
        let mut done: Vec<_> = receiver.iter().collect();
        done.sort_unstable();
        assert_eq!(done, (1..20).step_by(2).collect::<Vec<_>>());
    }

    #[test]
    fn a_job_waits_for_its_time_or_its_cancellation() {
        let (queue, cancel) = (JobQueue::default(), Cancel::new());
        assert!(!queue.run_next() && queue.pause().is_none());
        let due = Instant::now() + Duration::from_secs(3_600);
        queue.push(Some((due, cancel.clone())), || {});
        queue.push(None, || {});
        assert!(!queue.run_next() && queue.pause() > Some(Duration::ZERO));
        cancel.cancel();
        assert!(queue.run_next() && queue.run_next() && !queue.run_next());
    }
}
