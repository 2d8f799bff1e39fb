//! Queue of jobs for a server without threads.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use mangle_syntax::text::Cancel;

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
