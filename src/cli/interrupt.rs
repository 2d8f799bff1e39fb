//! Handler for Ctrl-C, and on Unix for other termination signals.

use std::io;

/// Calls `stop` on a separate thread at each signal.
///
/// # Errors
/// If the signal handler cannot be installed.
#[cfg(unix)]
pub(super) fn on_interrupt(stop: impl Fn() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let wait = move || signals.forever().for_each(|_| stop());
    std::thread::Builder::new().name("signals".into()).spawn(wait)?;
    Ok(())
}

/// Calls `stop` on a separate thread at each Ctrl-C.
///
/// # Errors
/// If the signal handler cannot be installed.
#[cfg(windows)]
pub(super) fn on_interrupt(stop: impl Fn() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(stop).map_err(io::Error::other)
}
