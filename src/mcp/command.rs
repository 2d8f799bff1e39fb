//! The command behind a tool: a command of the command line that runs in this process. The caller
//! of the server provides the function that runs it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use mangle_syntax::text::Cancel;

/// A command and its environment.
#[derive(Debug, Clone, Default)]
pub struct CommandRequest {
    /// Without the name of the program.
    pub arguments: Vec<OsString>,
    /// The base folder of relative paths.
    pub working: PathBuf,
    /// Texts that override the files on disk, by absolute path.
    pub texts: Vec<(PathBuf, Arc<str>)>,
    /// Canceled when the result is no longer needed.
    pub cancel: Cancel,
}

/// The output and the exit status of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandAnswer {
    /// 0, 1 for findings, 2 if the work could not be done.
    pub status: u8,
    /// Standard output: JSON, with all credentials masked.
    pub output: String,
    /// Standard error, one message per line.
    pub errors: String,
}

/// Runs a command on the current thread.
pub type RunCommand = fn(CommandRequest) -> CommandAnswer;
