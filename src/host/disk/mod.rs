//! The file system: every file that is read or written, and every folder that is listed, goes through here.
//!
//! Takes paths and what a file is read as ([`Content`]); gives readers that never wait for a file to open, read regular
//! files only and no more of them than a limit ([`open`], [`read`]), and writers that put a whole file in the place of
//! another or change nothing ([`Replacement`], [`Output`]). A process can be confined to some folders ([`confine`]). In debug builds a test can make any single operation fail
//! ([`fault`]).

mod confinement;
mod content;
mod fault;
mod open;
mod output;
mod replace;
mod scratch;
mod state;
#[cfg(test)]
mod tests;

pub(super) use confinement::check_path;
pub use confinement::{confine, is_allowed, is_confined_to};
pub use content::{Content, TooLong};
pub(super) use fault::{DiskOperation, check};
pub(super) use open::{entries, list, open, read, starts_with};
pub use output::{Output, create_folder, create_log, survive_file_size_limit, write};
pub use replace::{ReplaceError, Replacement, replace, replaceable};
pub(super) use state::FileState;
