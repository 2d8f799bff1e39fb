//! Setup of the process: the log, which is disabled by default, and the thread pool, which is limited to
//! the number of threads that a container allows.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::thread::{Builder, available_parallelism, scope};

use anyhow::{Context as _, Result, ensure};
use rayon::ThreadPoolBuilder;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::mcp::LOGS_MESSAGES;
use mangle_host::disk;
use mangle_report::sink;

/// The environment variable that enables logging. Its value is a level, or levels by module:
/// `debug`, `mangle_host=trace,warn`.
const LOG_VARIABLE: &str = "MANGLE_LS_LOG";

/// Starts logging to `file`, or to standard error if the environment variable is set.
///
/// # Errors
/// If the file cannot be created, or the variable is invalid.
pub(super) fn start_log(file: Option<&Path>) -> Result<()> {
    let wanted = std::env::var(LOG_VARIABLE).ok().filter(|filter| !filter.is_empty());
    if wanted.is_none() && file.is_none() {
        return Ok(());
    }
    let levels = wanted.as_deref().unwrap_or("info");
    let levels: Targets = levels.parse().with_context(|| format!("{LOG_VARIABLE} is `{levels}`"))?;
    let levels = levels.with_target(LOGS_MESSAGES, LevelFilter::OFF);
    match file {
        Some(path) => {
            let file =
                disk::create_log(path).with_context(|| format!("cannot write to {}", path.display()))?;
            init_log(levels, Mutex::new(RedactingWriter(file)));
        }
        None => init_log(levels, || RedactingWriter(std::io::stderr())),
    }
    Ok(())
}

fn init_log(levels: Targets, writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static) {
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    tracing_subscriber::registry().with(lines).with(levels).init();
}

/// A writer that masks credentials. Expects each log event in a single write.
struct RedactingWriter<W>(W);

impl<W: Write> Write for RedactingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        // Control characters in names must not split an event into several lines.
        let event = text.strip_suffix('\n').unwrap_or(&text);
        let end = if event.len() < text.len() { "\n" } else { "" };
        self.0.write_all(format!("{}{end}", sink::terminal(event)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The environment variable for the number of threads.
const THREADS_VARIABLE: &str = "RAYON_NUM_THREADS";

/// Starts as many threads as possible. Without threads, all work runs on the current thread if
/// `needs_threads` is false.
///
/// # Errors
/// If no thread can be started and threads are needed.
pub(super) fn start_threads(needs_threads: bool) -> Result<()> {
    let builder = match startable(wanted_threads()) {
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

fn wanted_threads() -> usize {
    let set =
        std::env::var(THREADS_VARIABLE).ok().and_then(|count| count.parse().ok()).filter(|count| *count > 0);
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
