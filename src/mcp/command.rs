//! The twin of a tool: a command of the command line, which runs in this process and is given to the server by its caller.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use mangle_syntax::text::Cancel;

/// A command, and the surroundings that it runs in.
#[derive(Debug, Clone, Default)]
pub struct CommandRequest {
    /// The arguments, without the name of the program.
    pub arguments: Vec<OsString>,
    /// The folder that paths count from.
    pub working: PathBuf,
    /// Texts that count instead of those on disk, by absolute path.
    pub texts: Vec<(PathBuf, Arc<str>)>,
    /// Raised when the answer is no longer wanted.
    pub cancel: Cancel,
}

/// What a command wrote, and its exit status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandAnswer {
    /// 0, 1 for findings, 2 if the work could not be done.
    pub status: u8,
    /// What it wrote to standard output: JSON, with all credentials masked.
    pub output: String,
    /// What it wrote to standard error, a line each.
    pub errors: String,
}

/// Runs a command on this thread.
pub type RunCommand = fn(CommandRequest) -> CommandAnswer;
