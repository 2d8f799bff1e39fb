//! The section `## Finding` in the document of each rule: what is shown of the finding in the bad example.

use std::fs;
use std::path::PathBuf;

use ignore::Walk;
use mangle_ide::registry::rules;
use mangle_syntax::lint::Rule;
use rayon::prelude::*;

use super::run::rendered;
use crate::support::root;

/// Compares the section of each document with what is shown; writes it with `UPDATE_EXPECT=1`.
#[track_caller]
pub(super) fn compare() {
    let writes = std::env::var_os("UPDATE_EXPECT").is_some();
    let documents = documents();
    let all: Vec<_> = rules().filter(|rule| !rule.bad.is_empty()).collect();
    let compare = |rule: &&'static Rule| {
        let shown = rendered(rule, rule.bad).unwrap_or_default();
        if shown == rule.finding {
            return None;
        }
        if writes {
            let (path, text) = documents.iter().find(|(_, text)| text.starts_with(&title(rule))).unwrap();
            fs::write(path, with_finding(text, &shown)).unwrap();
            return None;
        }
        Some(format!("{} {}:\n{shown}", rule.code, rule.name))
    };
    let stale: Vec<_> = all.par_iter().filter_map(compare).collect();
    assert!(
        stale.is_empty(),
        "{} documents differ; UPDATE_EXPECT=1 writes them:\n{}",
        stale.len(),
        stale.join("\n")
    );
}

fn title(rule: &Rule) -> String {
    format!("# {} ({})\n", rule.name, rule.code)
}

/// The documents of rules with their texts.
fn documents() -> Vec<(PathBuf, String)> {
    let folders = ["crates", "src"].map(|folder| root().join(folder));
    let files = folders.iter().flat_map(Walk::new).map(|entry| entry.unwrap().into_path());
    let pages = files.filter(|path| path.extension().is_some_and(|end| end == "md"));
    pages.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// A document with another finding.
fn with_finding(document: &str, shown: &str) -> String {
    let fence = "`".repeat(shown.split(|char| char != '`').map(str::len).max().unwrap_or(0).max(2) + 1);
    let section = match shown.is_empty() {
        true => String::new(),
        false => format!("## Finding\n\n{fence}text\n{shown}{fence}\n\n"),
    };
    let (before, rest) = document.split_once("\n## Good\n").unwrap();
    let before = before.split_once("\n## Finding\n").map_or(before, |(before, _)| before);
    format!("{before}\n{section}## Good\n{rest}")
}
