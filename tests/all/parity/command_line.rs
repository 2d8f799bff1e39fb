//! The findings of `check --evaluate`.

use std::collections::BTreeSet;
use std::path::Path;

use mangle_ls::cli::capture;
use serde_json::Value;

/// The findings of a folder, as lines of JSON.
pub(crate) fn findings(folder: &Path) -> BTreeSet<String> {
    let folder = folder.to_str().unwrap();
    let captured = capture(&["check", "--format", "json", "--evaluate", folder]).unwrap();
    let errors = String::from_utf8_lossy(&captured.errors);
    let is_nothing = errors.contains("nothing to check");
    // An editor does not evaluate such a program either.
    let is_refused =
        errors.contains("the program does not load") || errors.contains("the settings cannot be used");
    assert!(
        captured.status <= 1 || is_nothing || is_refused,
        "{folder}: status {}: {errors}",
        captured.status
    );
    let text = String::from_utf8(captured.output).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line.get("summary").is_none()).map(|line| line.to_string()).collect()
}
