//! What a command finds around it: the working folder, open documents, and the flag that stops it. Those of the process, or
//! those that a caller in this process gives ([`within`]).

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};

use crate::host::{Overlay, VersionOptions};
use mangle_syntax::text::Cancel;

/// The surroundings of one command.
#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings {
    /// The folder that paths count from.
    pub(super) working: PathBuf,
    /// Texts that count instead of those on disk, by absolute path.
    pub(super) texts: Vec<(PathBuf, Arc<str>)>,
    /// Raised when the command is no longer wanted.
    pub(super) cancel: Cancel,
}

thread_local! {
    /// The surroundings of the command that runs on this thread, if they are not those of the process. As with recordings of
    /// output, only the thread that runs a command asks.
    static CURRENT: RefCell<Option<Surroundings>> = const { RefCell::new(None) };
    /// The versions that the options of the command on this thread choose.
    static VERSIONS: Cell<VersionOptions> = const { Cell::new(VersionOptions { engine: None, runtime: None }) };
}

/// Runs `command` in other surroundings than those of the process.
pub(super) fn within<T>(surroundings: Surroundings, command: impl FnOnce() -> T) -> T {
    /// Takes the surroundings away, also when the command panics: the thread is used again.
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

/// The working folder.
///
/// # Errors
/// When the system does not tell.
pub(super) fn working_folder() -> Result<PathBuf> {
    let given = CURRENT.with_borrow(|current| current.as_ref().map(|current| current.working.clone()));
    match given {
        Some(working) => Ok(working),
        None => std::env::current_dir().context("cannot find out the working folder"),
    }
}

/// Sets the versions that the options of the command choose.
pub(super) fn choose_versions(options: VersionOptions) {
    VERSIONS.set(options);
}

/// Runs `task` under other versions than the options of the command choose.
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

/// The versions that options choose.
pub(super) fn versions() -> VersionOptions {
    VERSIONS.get()
}

/// No open documents, and the versions that options choose.
pub(super) fn disk() -> Overlay {
    Overlay::default().with_versions(versions())
}

/// The open documents, and the versions that options choose.
pub(super) fn documents() -> Overlay {
    let mut overlay = disk();
    CURRENT.with_borrow(|current| {
        for (path, text) in current.iter().flat_map(|current| &current.texts) {
            overlay.insert(path.clone(), Arc::clone(text));
        }
    });
    overlay
}

/// The flag that stops the command. Nothing raises that of a command of the process, which ends with the process.
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
