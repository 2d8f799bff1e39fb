//! Where `tracing` writes to: a file, standard error, or (without being asked) nowhere.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, Result};
use tracing_subscriber::EnvFilter;

use crate::host::disk;
use crate::mcp::MESSAGES_OFF;
use crate::report::sink;

/// The environment variable that switches the log on, as `debug` or `mangle_ls=trace`.
const VARIABLE: &str = "MANGLE_LS_LOG";

/// Starts the log if a file is named, or if the environment asks for it on standard error.
///
/// # Errors
/// When the file cannot be created.
pub(super) fn start(file: Option<&Path>) -> Result<()> {
    let wanted = std::env::var(VARIABLE).ok().filter(|filter| !filter.is_empty());
    if wanted.is_none() && file.is_none() {
        return Ok(());
    }
    // It logs whole messages, with the texts in them.
    let without_messages = MESSAGES_OFF.parse().context("cannot start the log")?;
    let filter = EnvFilter::new(wanted.unwrap_or_else(|| "info".into())).add_directive(without_messages);
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false);
    match file {
        Some(path) => {
            let file =
                disk::create_log(path).with_context(|| format!("cannot write to {}", path.display()))?;
            builder.with_writer(Mutex::new(RedactingWriter(file))).init();
        }
        None => builder.with_writer(|| RedactingWriter(std::io::stderr())).init(),
    }
    Ok(())
}

/// A writer that masks what looks like a credential. Each event of the log comes as one text.
struct RedactingWriter<W>(W);

impl<W: Write> Write for RedactingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        // An event is one line, whatever the names in it are.
        let event = text.strip_suffix('\n').unwrap_or(&text);
        let end = if event.len() < text.len() { "\n" } else { "" };
        self.0.write_all(format!("{}{end}", sink::terminal(event)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
