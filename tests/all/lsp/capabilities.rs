//! `docs/contributing/capabilities.md` has a row for each capability of the server, and each row names tests that there are.

use crate::support::client;
use crate::support::requests;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use client::Client;

/// The rows of the page's tables, as cells.
fn rows() -> Vec<Vec<&'static str>> {
    let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/contributing/capabilities.md"));
    let tables = page.lines().filter(|line| line.starts_with('|') && !line.starts_with("|---"));
    let cells = |line: &'static str| line.trim_matches('|').split(" | ").map(str::trim).collect::<Vec<_>>();
    tables.map(cells).filter(|cells| cells[0] != "Capability").collect()
}

/// The words of a cell that stand in backquotes.
fn quoted(cell: &str) -> impl Iterator<Item = String> + '_ {
    cell.split('`').skip(1).step_by(2).map(String::from)
}

/// What the server says it can do to a client that can do much.
fn served() -> BTreeSet<String> {
    let mut editor: Value =
        serde_json::from_str(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/vscode.json")))
            .unwrap();
    let mut client = Client::start();
    let capabilities = client.initialize(json!({ "capabilities": editor["capabilities"].take() }));
    requests::names(&capabilities, "").into_iter().collect()
}

#[test]
fn every_capability_has_a_row() {
    let documented: BTreeSet<_> =
        rows().iter().flat_map(|cells| quoted(cells[0]).collect::<Vec<_>>()).collect();
    let served = served();
    let missing: Vec<_> = served.difference(&documented).collect();
    assert!(missing.is_empty(), "docs/contributing/capabilities.md has no row for {missing:?}");
    let gone: Vec<_> = documented.difference(&served).collect();
    assert!(
        gone.is_empty(),
        "docs/contributing/capabilities.md has rows for what the server does not say it can: {gone:?}"
    );
}

/// `FILE::TEST`: the file without its ending, below `tests/all` or `src`; `mangle-ide/` is `src` of that crate.
fn exists(name: &str) -> bool {
    let Some((file, test)) = name.split_once("::") else { return false };
    let paths = match file.strip_prefix("mangle-ide/") {
        Some(file) => vec![format!("crates/mangle-ide/src/{file}.rs")],
        None => vec![format!("tests/all/{file}.rs"), format!("src/{file}.rs")],
    };
    paths.iter().any(|path| {
        let text = std::fs::read_to_string(crate::support::root().join(path)).unwrap_or_default();
        text.split("#[test]").skip(1).any(|after| after.trim_start().starts_with(&format!("fn {test}(")))
    })
}

#[test]
fn every_row_is_proven() {
    for cells in rows() {
        assert_eq!(cells.len(), 4, "{cells:?}");
        let tests: Vec<_> = quoted(cells[2]).collect();
        assert!(!tests.is_empty(), "{}: proven by nothing", cells[0]);
        for test in tests {
            assert!(exists(&test), "{}: there is no test {test}", cells[0]);
        }
    }
}
