//! Monitoring of the client's process. The server ends after the process ends.

use std::{io, thread};

use tokio::sync::mpsc::UnboundedSender;
use waitpid_any::WaitHandle;

/// Sends to `ended` when the process ends, or if it does not exist, as the protocol requires.
/// Errors are only logged, because the end of the input also ends the server.
pub(super) fn watch(process: u32, ended: UnboundedSender<()>) {
    let watching = move || match wait_for(process) {
        Ok(()) => {
            tracing::warn!(process, "the client's process has ended");
            // During shutdown, the connection may already be closed.
            let _ = ended.send(());
        }
        Err(error) => tracing::warn!(process, %error, "the client's process cannot be watched"),
    };
    if let Err(error) = thread::Builder::new().name("client".into()).spawn(watching) {
        tracing::warn!(%error, "the client's process cannot be watched");
    }
}

fn wait_for(process: u32) -> io::Result<()> {
    let number = i32::try_from(process).map_err(io::Error::other)?;
    let mut handle = match WaitHandle::open(number) {
        Err(error) if is_missing(&error) => return Ok(()),
        handle => handle?,
    };
    loop {
        match handle.wait() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            ended => return ended,
        }
    }
}

/// True if an error means that the process does not exist.
fn is_missing(error: &io::Error) -> bool {
    /// `ESRCH`, the same on Linux, macOS and the BSDs.
    const NO_SUCH_PROCESS: i32 = 3;
    /// `ERROR_INVALID_PARAMETER`: Windows returns this error if the process does not exist.
    const INVALID_PARAMETER: i32 = 87;
    let missing = if cfg!(windows) { INVALID_PARAMETER } else { NO_SUCH_PROCESS };
    error.raw_os_error() == Some(missing)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::process::{Command, Stdio};

    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_end_of_a_process_is_noticed() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let (sender, mut ended) = tokio::sync::mpsc::unbounded_channel();
        watch(child.id(), sender);
        assert!(ended.try_recv().is_err());
        drop(child.stdin.take());
        assert_eq!(ended.blocking_recv(), Some(()));
        child.wait().unwrap();
        wait_for(child.id()).unwrap();
    }

    #[test]
    fn a_number_of_no_process_is_an_error() {
        assert!(wait_for(0).is_err() && wait_for(u32::MAX).is_err());
    }
}
