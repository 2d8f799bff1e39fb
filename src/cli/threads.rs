//! Thread pool of the commands, limited to the number of threads that a container allows.

use std::sync::Mutex;
use std::thread::{Builder, available_parallelism, scope};

use anyhow::{Context as _, Result, ensure};
use rayon::ThreadPoolBuilder;

/// The environment variable for the number of threads.
const COUNT: &str = "RAYON_NUM_THREADS";

/// Starts as many threads as possible. Without threads, all work runs on the current thread if
/// `needs_threads` is false.
///
/// # Errors
/// If no thread can be started and threads are needed.
pub(super) fn start(needs_threads: bool) -> Result<()> {
    let builder = match startable(wanted()) {
        // Work of other threads would wait for this thread, which waits for them.
        0 => {
            ensure!(!needs_threads, "cannot start threads: the system allows this process no more of them");
            tracing::warn!("no threads can be started; everything is computed on one");
            ThreadPoolBuilder::new().num_threads(1).use_current_thread()
        }
        count => ThreadPoolBuilder::new().num_threads(count),
    };
    builder.build_global().context("cannot start threads")
}

fn wanted() -> usize {
    let set = std::env::var(COUNT).ok().and_then(|count| count.parse().ok()).filter(|count| *count > 0);
    set.unwrap_or_else(|| available_parallelism().map_or(1, std::num::NonZero::get))
}

/// The number of threads, at most `wanted`, that can run at the same time. Tested before building
/// the pool, because a failed pool cannot be built again.
fn startable(wanted: usize) -> usize {
    // Each thread waits until the last attempt.
    let (end, mut started) = (Mutex::new(()), 0);
    let Ok(held) = end.lock() else { return 0 };
    scope(|scope| {
        for _ in 0..wanted {
            if Builder::new().spawn_scoped(scope, || drop(end.lock())).is_err() {
                break;
            }
            started += 1;
        }
        drop(held);
    });
    started
}
