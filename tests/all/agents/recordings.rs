//! The recordings of runtimes: one folder for each version, and the runtime that they are run with.

use std::fs;
use std::path::{Path, PathBuf};

use mangle_settings::Runtime;
use serde_json::{Map, Value};

/// A file of recordings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Recording {
    /// The name of its runtime.
    pub(super) runtime: &'static str,
    /// The file.
    pub(super) file: PathBuf,
    /// The folder of the inputs.
    pub(super) inputs: PathBuf,
}

impl Recording {
    /// The runtime that was recorded.
    pub(super) fn runtime(&self) -> Runtime {
        Runtime::parse(self.runtime).unwrap()
    }

    /// Its records.
    pub(super) fn records(&self) -> Vec<Map<String, Value>> {
        let text =
            fs::read_to_string(&self.file).unwrap_or_else(|error| panic!("{}: {error}", self.file.display()));
        let records: Vec<_> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(!records.is_empty(), "{} holds nothing", self.file.display());
        records
    }
}

/// The files of recordings whose names end in one of some words, of all versions. The oldest recordings have a folder of
/// their own, or the one that an environment variable names; more are below the folder that `MANGLE_LS_VERSIONS` names.
pub(super) fn recordings(kind: &str, ends: &[&str]) -> Vec<Recording> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let variable = format!("MANGLE_LS_{}", kind.to_uppercase());
    let first = std::env::var_os(variable).map_or_else(|| root.join(kind), PathBuf::from);
    let versions =
        std::env::var_os("MANGLE_LS_VERSIONS").map_or_else(|| root.join("versions"), PathBuf::from);
    let mut found = Vec::new();
    add(Runtime::default().name(), &first, ends, &first.join("cases"), &mut found);
    for runtime in Runtime::all() {
        add(
            runtime.name(),
            &versions.join(runtime.name()).join(kind),
            ends,
            &first.join("cases"),
            &mut found,
        );
    }
    found.sort();
    found
}

/// Adds the files of a folder and of the folders in it. Files whose name begins with `shared-` have the older inputs.
fn add(runtime: &'static str, folder: &Path, ends: &[&str], shared: &Path, found: &mut Vec<Recording>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let file = entry.unwrap().path();
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        if file.is_dir() {
            add(runtime, &file, ends, shared, found);
        } else if ends.iter().any(|end| name.ends_with(end)) {
            let own = folder.join("cases");
            let inputs = if own.is_dir() && !name.starts_with("shared-") { own } else { shared.to_owned() };
            found.push(Recording { runtime, file, inputs });
        }
    }
}

/// Every file of recordings of a runtime is one that a test runs.
#[test]
fn every_recording_of_a_runtime_is_run() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/versions");
    let mut all = Vec::new();
    for runtime in Runtime::all() {
        collect(&root.join(runtime.name()), &mut all);
    }
    let run = [
        recordings("envelopes", &["cases.jsonl", "atoms.jsonl", "payloads.jsonl"]),
        recordings("prompts", &["cases.jsonl"]),
    ];
    let run: Vec<PathBuf> = run.into_iter().flatten().map(|recording| recording.file).collect();
    let left: Vec<_> = all.iter().filter(|file| !run.contains(file)).collect();
    assert!(!all.is_empty() && left.is_empty(), "no test runs {left:?}");
    let named = fs::read_dir(&root).unwrap().map(|entry| entry.unwrap());
    let folders = named.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name());
    let unknown: Vec<_> = folders
        .filter(|name| Runtime::parse(name.to_str().unwrap()).is_none())
        .filter(|name| !name.to_str().unwrap().starts_with("mangle"))
        .collect();
    assert!(unknown.is_empty(), "no such runtime: {unknown:?}");
}

fn collect(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.extension().and_then(|end| end.to_str()) {
            _ if path.is_dir() => collect(&path, all),
            Some("jsonl") => all.push(path),
            _ => {}
        }
    }
}
