//! SARIF run, and helpers of its parts.

use std::path::Path;

use serde_json::{Value, json};

use crate::uri::{file_uri, relative_uri};
use mangle_syntax::lint::Rule;

/// The base of relative paths.
pub(super) const ROOT: &str = "%SRCROOT%";

/// The run of a log.
#[derive(Debug)]
pub struct SarifRun<'a> {
    /// The working folder, an absolute path.
    pub root: &'a Path,
    /// All rules, sorted by code.
    pub rules: &'a [&'static Rule],
    /// The inputs that could not be checked: path and reason.
    pub failures: Vec<(&'a Path, &'a str)>,
    /// The exit status of the process.
    pub exit_code: u8,
}

/// The artifact location of an absolute path.
pub(super) fn artifact(root: &Path, path: &Path) -> Value {
    match path.strip_prefix(root) {
        Ok(below) if !below.as_os_str().is_empty() => {
            json!({ "uri": relative_uri(below), "uriBaseId": ROOT })
        }
        _ => json!({ "uri": file_uri(path) }),
    }
}

/// Removes the null fields of an object.
pub(super) fn present(mut object: Value) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.retain(|_, value| !value.is_null());
    }
    object
}

/// A plain text as a message. SARIF parses `[…](…)` as a link, so brackets are escaped.
pub(super) fn message(text: &str) -> Value {
    let text = if text.contains("](") {
        text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
    } else {
        text.to_owned()
    };
    json!({ "text": text })
}
