//! Where `tracing` writes to: a file, standard error, or (without being asked) nowhere.

use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, Result};
use tracing_subscriber::EnvFilter;

use crate::host;

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
    let filter = EnvFilter::new(wanted.unwrap_or_else(|| "info".into()));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false);
    match file {
        Some(path) => {
            let file = host::create(path).with_context(|| format!("cannot write to {}", path.display()))?;
            builder.with_writer(Mutex::new(file)).init();
        }
        None => builder.with_writer(std::io::stderr).init(),
    }
    Ok(())
}
