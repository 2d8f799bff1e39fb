//! The threads that commands compute on. A container may allow this process no more of them.

use std::sync::Mutex;
use std::thread::{Builder, available_parallelism, scope};

use anyhow::{Context as _, Result, ensure};
use rayon::ThreadPoolBuilder;

/// The variable that says how many threads compute.
const COUNT: &str = "RAYON_NUM_THREADS";

/// Starts as many threads as the system gives. Without any, everything is computed on this one if `needs_threads` is false.
///
/// # Errors
/// If the system gives no threads and they are needed.
pub(super) fn start(needs_threads: bool) -> Result<()> {
    let builder = match startable(wanted()) {
        // Work of other threads would wait for this one, which waits for them.
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

/// The number of threads, at most `wanted`, that can be started at the same time. A pool of threads that fails once cannot be
/// built again, so it is not built to find out.
fn startable(wanted: usize) -> usize {
    // Each thread waits until the last attempt is made.
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
