//! A reaction to Ctrl-C, and on Unix to the other signals that ask a process to end.

use std::io;

/// Calls `stop` on a thread of its own at each such signal.
///
/// # Errors
/// If the system catches no signals for the process.
#[cfg(unix)]
pub(super) fn on_interrupt(stop: impl Fn() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let wait = move || signals.forever().for_each(|_| stop());
    std::thread::Builder::new().name("signals".into()).spawn(wait)?;
    Ok(())
}

/// Calls `stop` on a thread of its own at each Ctrl-C.
///
/// # Errors
/// If the system catches no signals for the process.
#[cfg(windows)]
pub(super) fn on_interrupt(stop: impl Fn() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(stop).map_err(io::Error::other)
}
