//! The run that a log tells of, and what its parts share.

use std::path::Path;

use serde_sarif::sarif::{ArtifactLocation, Message};

use crate::report::uri::{file_uri, relative_uri};
use mangle_syntax::lint::Rule;

/// What the paths of a log are relative to.
pub(super) const ROOT: &str = "%SRCROOT%";

/// The run that a log tells of.
#[derive(Debug)]
pub struct SarifRun<'a> {
    /// The working folder, an absolute path.
    pub root: &'a Path,
    /// All rules, in the order of their codes.
    pub rules: &'a [&'static Rule],
    /// What was named and could not be checked: path and reason.
    pub failures: Vec<(&'a Path, &'a str)>,
    /// The exit status that the process will have.
    pub exit_code: u8,
}

/// The file at an absolute path.
pub(super) fn artifact(root: &Path, path: &Path) -> ArtifactLocation {
    match path.strip_prefix(root) {
        Ok(below) if !below.as_os_str().is_empty() => {
            ArtifactLocation::builder().uri(relative_uri(below)).uri_base_id(ROOT).build()
        }
        _ => ArtifactLocation::builder().uri(file_uri(path)).build(),
    }
}

/// A plain text as a message. In one, `[…](…)` would be a link, so its brackets are escaped.
pub(super) fn message(text: &str) -> Message {
    let text = if text.contains("](") {
        text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
    } else {
        text.to_owned()
    };
    Message::builder().text(text).build()
}
