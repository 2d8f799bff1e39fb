//! The run that a log tells of, and what its parts share.

use std::path::Path;

use serde_json::{Value, json};

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
pub(super) fn artifact(root: &Path, path: &Path) -> Value {
    match path.strip_prefix(root) {
        Ok(below) if !below.as_os_str().is_empty() => {
            json!({ "uri": relative_uri(below), "uriBaseId": ROOT })
        }
        _ => json!({ "uri": file_uri(path) }),
    }
}

/// An object without its fields that are null.
pub(super) fn present(mut object: Value) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.retain(|_, value| !value.is_null());
    }
    object
}

/// A plain text as a message. In one, `[…](…)` would be a link, so its brackets are escaped.
pub(super) fn message(text: &str) -> Value {
    let text = if text.contains("](") {
        text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
    } else {
        text.to_owned()
    };
    json!({ "text": text })
}
