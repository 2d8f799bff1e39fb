//! Jobs that wait for the only thread there is, where a server has no threads of its own.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use mangle_syntax::text::Cancel;

/// A queue of jobs, which run in their order. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct JobQueue(Arc<Mutex<VecDeque<Job>>>);

struct Job {
    /// When it may begin, unless it is cancelled before.
    pause: Option<(Instant, Cancel)>,
    run: Box<dyn FnOnce() + Send>,
}

impl Job {
    /// How long it still has to wait.
    fn remaining(&self) -> Duration {
        match &self.pause {
            Some((due, cancel)) if !cancel.is_cancelled() => due.saturating_duration_since(Instant::now()),
            _ => Duration::ZERO,
        }
    }
}

impl JobQueue {
    /// Adds a job, which may begin at once, or at a time or when it is cancelled.
    pub(super) fn push(&self, pause: Option<(Instant, Cancel)>, run: impl FnOnce() + Send + 'static) {
        self.0.lock().push_back(Job { pause, run: Box::new(run) });
    }

    /// Runs the first job if it may begin. Gives whether it did.
    pub(super) fn run_next(&self) -> bool {
        let mut jobs = self.0.lock();
        if !jobs.front().is_some_and(|job| job.remaining().is_zero()) {
            return false;
        }
        let job = jobs.pop_front();
        // A job may add others.
        drop(jobs);
        job.map(|job| (job.run)()).is_some()
    }

    /// How long the first job still has to wait.
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
    use super::*;

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
