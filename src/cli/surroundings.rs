//! Environment of a command: working directory, open documents, and cancellation flag. Taken from
//! the process, or from a caller in this process ([`within`]).

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};

use mangle_host::{Overlay, VersionOptions};
use mangle_syntax::text::Cancel;

#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings {
    /// The base of relative paths.
    pub(super) working: PathBuf,
    /// Texts that replace files on disk, by absolute path.
    pub(super) texts: Vec<(PathBuf, Arc<str>)>,
    /// Raised to cancel the command.
    pub(super) cancel: Cancel,
}

thread_local! {
    /// The environment of the command on this thread, if it differs from the process. Only the
    /// thread that runs a command reads it.
    static CURRENT: RefCell<Option<Surroundings>> = const { RefCell::new(None) };
    /// The versions from the options of the command on this thread.
    static VERSIONS: Cell<VersionOptions> = const { Cell::new(VersionOptions { engine: None, runtime: None }) };
}

/// Runs `command` in another environment than the process.
pub(super) fn within<T>(surroundings: Surroundings, command: impl FnOnce() -> T) -> T {
    /// Restores the environment, even after a panic, because the thread is reused.
    struct Restore;
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(None);
        }
    }
    CURRENT.set(Some(surroundings));
    let _restore = Restore;
    command()
}

/// The working directory.
///
/// # Errors
/// If the operating system cannot determine it.
pub(super) fn working_folder() -> Result<PathBuf> {
    let given = CURRENT.with_borrow(|current| current.as_ref().map(|current| current.working.clone()));
    match given {
        Some(working) => Ok(working),
        None => std::env::current_dir().context("cannot find out the working folder"),
    }
}

/// Sets the versions from the options of the command.
pub(super) fn choose_versions(options: VersionOptions) {
    VERSIONS.set(options);
}

/// Runs `task` with other versions than the options of the command.
pub(super) fn with_versions<T>(versions: VersionOptions, task: impl FnOnce() -> T) -> T {
    struct Restore(VersionOptions);
    impl Drop for Restore {
        fn drop(&mut self) {
            VERSIONS.set(self.0);
        }
    }
    let _restore = Restore(VERSIONS.replace(versions));
    task()
}

/// The versions from the options.
pub(super) fn versions() -> VersionOptions {
    VERSIONS.get()
}

/// An overlay without open documents, with the versions from the options.
pub(super) fn disk() -> Overlay {
    Overlay::default().with_versions(versions())
}

/// An overlay with the open documents, and the versions from the options.
pub(super) fn documents() -> Overlay {
    let mut overlay = disk();
    CURRENT.with_borrow(|current| {
        for (path, text) in current.iter().flat_map(|current| &current.texts) {
            overlay.insert(path.clone(), Arc::clone(text));
        }
    });
    overlay
}

/// The cancellation flag. Never raised for a command of the process, which ends with the
/// process.
pub(super) fn cancel() -> Cancel {
    CURRENT.with_borrow(|current| current.as_ref().map_or_else(Cancel::new, |current| current.cancel.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surroundings_end_with_their_command() {
        let given = Surroundings { working: "/elsewhere".into(), ..Surroundings::default() };
        let seen = within(given, working_folder).unwrap();
        assert_eq!(seen, PathBuf::from("/elsewhere"));
        assert_ne!(working_folder().unwrap(), seen);
    }

    #[test]
    fn surroundings_end_with_a_panic() {
        let given = Surroundings { working: "/elsewhere".into(), ..Surroundings::default() };
        let panicked = std::panic::catch_unwind(|| within(given, || panic!("in the command")));
        assert!(panicked.is_err());
        assert_ne!(working_folder().unwrap(), PathBuf::from("/elsewhere"));
    }
}
