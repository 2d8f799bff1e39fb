//! Logging to a file or to standard error. Disabled by default.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, Result};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::mcp::LOGS_MESSAGES;
use mangle_host::disk;
use mangle_report::sink;

/// The environment variable that enables logging. Its value is a level, or levels by module:
/// `debug`, `mangle_host=trace,warn`.
const VARIABLE: &str = "MANGLE_LS_LOG";

/// Starts logging to `file`, or to standard error if the environment variable is set.
///
/// # Errors
/// If the file cannot be created, or the variable is invalid.
pub(super) fn start(file: Option<&Path>) -> Result<()> {
    let wanted = std::env::var(VARIABLE).ok().filter(|filter| !filter.is_empty());
    if wanted.is_none() && file.is_none() {
        return Ok(());
    }
    let levels = wanted.as_deref().unwrap_or("info");
    let levels: Targets = levels.parse().with_context(|| format!("{VARIABLE} is `{levels}`"))?;
    let levels = levels.with_target(LOGS_MESSAGES, LevelFilter::OFF);
    match file {
        Some(path) => {
            let file =
                disk::create_log(path).with_context(|| format!("cannot write to {}", path.display()))?;
            init(levels, Mutex::new(RedactingWriter(file)));
        }
        None => init(levels, || RedactingWriter(std::io::stderr())),
    }
    Ok(())
}

fn init(levels: Targets, writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static) {
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
