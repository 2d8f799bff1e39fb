//! The file system layer: all code reads files, writes files and lists folders through this
//! module.
//!
//! Input is a path and the kind of its content ([`Content`]). Readers ([`open`], [`read`]) never
//! block when they open a file, accept only regular files, and stop at a size limit. Writers
//! ([`Replacement`], [`Output`]) replace a whole file or change nothing.
//!
//! A process can be confined to some folders ([`confine`]). In debug builds, a test can make any
//! single operation fail ([`fault`]).

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
pub use content::{Content, TooLong, plain};
pub(super) use fault::{DiskOperation, check};
pub(super) use open::{entries, list, open, read, starts_with};
pub use output::{Output, create_folder, create_log, survive_file_size_limit, write};
pub use replace::{ReplaceError, Replacement, replace, replaceable};
pub(super) use state::FileState;
