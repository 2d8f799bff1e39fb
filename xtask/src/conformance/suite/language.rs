//! Cases about the language: the recorded programs of all engine versions.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::case::{Expectation, insert_bytes};
use super::export::{Cases, Recordings, lines};

/// Part of the names of relations that only exist within the recorded engine.
const INTERNAL: &str = "__tmp(";

/// The recorded engine was run without a store for temporal facts.
const NO_TEMPORAL_STORE: &str = "no temporal store";

/// Adds all recorded programs.
pub(super) fn collect(recordings: &Recordings, cases: &mut Cases) -> Result<()> {
    let root = &recordings.folder;
    for (version, folder) in recordings.versions("engines", "mangle-") {
        if &folder == root {
            single_files(&root.join("cases.jsonl"), &root.join("cases"), &version, cases)?;
            for verdict in lines(&root.join("programs.jsonl"))? {
                let name = text(&verdict, "program")?;
                let files = program_files(&root.join("programs").join(name))?;
                cases.add(name, files, &version, expectation(&verdict))?;
            }
            continue;
        }
        single_files(&folder.join("shared-cases.jsonl"), &root.join("cases"), &version, cases)?;
        for list in ["new", "probes"] {
            single_files(&folder.join(list).join("cases.jsonl"), &folder.join(list), &version, cases)?;
        }
    }
    Ok(())
}

/// Adds programs of one file. A record is the verdict of `version`, or has a member for each of several versions.
fn single_files(list: &Path, folder: &Path, version: &str, cases: &mut Cases) -> Result<()> {
    for record in lines(list)? {
        let name = text(&record, "file")?;
        let input = input(&[folder.join(name)])?;
        let id = name.strip_suffix(".mg").unwrap_or(name);
        if record.get("accepted").is_some() {
            cases.add(id, input, version, expectation(&record))?;
            continue;
        }
        for (version, verdict) in record.as_object().into_iter().flatten().filter(|(key, _)| *key != "file") {
            cases.add(id, input.clone(), version, expectation(verdict))?;
        }
    }
    Ok(())
}

fn text<'r>(record: &'r Value, name: &str) -> Result<&'r str> {
    record[name].as_str().with_context(|| format!("no `{name}` in {record}"))
}

fn program_files(folder: &Path) -> Result<Map<String, Value>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    input(&paths)
}

fn input(paths: &[PathBuf]) -> Result<Map<String, Value>> {
    let file = |path: &PathBuf| {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_name().and_then(|name| name.to_str()).context("a name that is not UTF-8")?;
        let mut file = Map::new();
        file.insert("name".into(), name.into());
        insert_bytes(&mut file, "text", &bytes);
        Ok(Value::from(file))
    };
    let files = paths.iter().map(file).collect::<Result<Vec<_>>>()?;
    Ok(Map::from_iter([("files".to_owned(), files.into())]))
}

/// The expectation of a recorded verdict.
fn expectation(verdict: &Value) -> Expectation {
    let mut out = Map::new();
    let panic = verdict.get("panics").or_else(|| verdict.get("reference_panics").and(verdict.get("message")));
    if let Some(panic) = panic {
        out.insert("panics".into(), panic.clone());
        return out;
    }
    let stage = verdict["stage"].as_str();
    let loads = stage.is_none_or(|stage| stage == "bounds");
    out.insert("loads".into(), loads.into());
    for remark in ["stage", "message", "line", "column"] {
        if let Some(value) = verdict.get(remark) {
            out.insert(remark.into(), value.clone());
        }
    }
    if loads {
        out.insert("ill_typed".into(), stage.is_some().into());
        evaluation(verdict, &mut out);
    }
    out
}

/// Adds the result of the evaluation, if it was recorded.
fn evaluation(verdict: &Value, out: &mut Expectation) {
    if let Some(error) = verdict["eval_error"].as_str() {
        if !error.contains(NO_TEMPORAL_STORE) {
            out.insert("stops".into(), true.into());
            out.entry("message").or_insert_with(|| error.into());
        }
    } else if let Some(facts) = verdict.get("facts") {
        let facts = facts.as_array().into_iter().flatten().filter_map(Value::as_str);
        let facts: Vec<_> = facts.filter(|fact| !fact.contains(INTERNAL)).collect();
        out.insert("stops".into(), false.into());
        out.insert("facts".into(), json!(facts));
    }
}
