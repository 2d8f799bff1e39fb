//! The recorded programs of each engine version: what it rejects is an error, what it accepts is none, and the kernel derives the
//! same facts.
//!
//! `tests/conformance` itself holds the recordings of the default engine; a folder `versions/mangle-NAME` those of the reference
//! version `NAME`.

use crate::support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mangle_engine::kernel::{Clock, Limits, Reading, compile, run};
use mangle_ide::file_findings::load_findings;
use mangle_settings::EngineVersion;
use mangle_settings::versions::engine;
use mangle_syntax::lint::Severity;
use mangle_syntax::text::Cancel;
use serde_json::Value;

use super::conformance::{DEFECTS, ON_PURPOSE, is_about_types};

/// Further programs that an engine accepts and that have an error here: version, file, rule, reason.
const ON_PURPOSE_IN: &[(&str, &str, &str, &str)] = &[
    ("2026-09", "decl_mode_too_long_bad.mg", "mode-invalid", "the engine panics"),
    ("2026-09", "decl_mode_too_long_bad.mg", "unbound-head-var", "the engine panics"),
    ("2026-09", "n53_mod_zero.mg", "division-by-zero", "evaluation stops"),
    ("2026-06", "n53_mod_zero.mg", "division-by-zero", "evaluation stops"),
    ("2026-09", "b9_neg_let.mg", "negated-var-unbound", "the negation is about any value"),
    ("2026-06", "b9_neg_let.mg", "negated-var-unbound", "the negation is dropped"),
    ("2026-06", "n02_neg_named_unbound.mg", "negated-var-unbound", "the negation is dropped"),
    ("2026-06", "n05_neg_all_wild.mg", "negation-wildcard", "the negation is dropped"),
    ("2026-06", "n07_ineq_later.mg", "inequality-before-binding", "the rule derives nothing"),
    ("2026-06", "c2_neg_in_agg.mg", "negated-var-unbound", "the negation is dropped"),
    ("2026-09", "n34_reducer_let_first.mg", "reducer-in-let", "evaluation stops"),
    ("2026-06", "n34_reducer_let_first.mg", "reducer-in-let", "evaluation stops"),
    ("2026-09", "n36_struct_pattern.mg", "expr-in-premise-unbound", "evaluation stops"),
    ("2026-06", "n36_struct_pattern.mg", "expr-in-premise-unbound", "evaluation stops"),
];

/// The recorded engine was put together from files of several revisions, and did not have this function yet.
const WITHOUT_FUNCTION: &str = "unknown function fn:time:add_civil";

/// The store of the recorded engine keeps one of several facts with the same hash, here 0.
const WITH_EQUAL_HASHES: &str = "n41_zero.mg";

/// The bounds checker rejects each use of a built-in that has no entry in its table of types.
const WITHOUT_TYPE: &str = ":string:matches";

/// One recorded program.
struct Recording {
    engine: EngineVersion,
    name: String,
    text: String,
    verdict: Value,
}

fn folder() -> PathBuf {
    support::root().join("tests/conformance/versions")
}

/// The folders of recordings, each with the name of its version.
fn version_folders() -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.filter_map(|path| {
        let name = path.file_name()?.to_str()?.strip_prefix("mangle-")?.to_owned();
        Some((name, path))
    });
    named.collect()
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn version(name: &str) -> EngineVersion {
    EngineVersion::from(engine(name).unwrap_or_else(|| panic!("{name} is no reference version")))
}

/// The text of a file, which is noted in `used`.
fn read(path: PathBuf, used: &mut BTreeSet<PathBuf>) -> String {
    let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
    used.insert(path);
    text
}

/// All recordings of a folder, and the files that they are in.
fn recordings(name: &str, folder: &Path, used: &mut BTreeSet<PathBuf>) -> Vec<Recording> {
    let mut all = Vec::new();
    let record = |engine: &str, text: String, verdict: Value| {
        let name = verdict["file"].as_str().unwrap().to_owned();
        Recording { engine: version(engine), name, text, verdict }
    };
    let shared = folder.join("shared-cases.jsonl");
    for verdict in lines(&shared) {
        let cases = support::root().join("tests/conformance/cases");
        let text = read(cases.join(verdict["file"].as_str().unwrap()), used);
        all.push(record(name, text, verdict));
    }
    for list in ["new", "probes"] {
        for verdict in lines(&folder.join(list).join("cases.jsonl")) {
            let text = read(folder.join(list).join(verdict["file"].as_str().unwrap()), used);
            if verdict.get("accepted").is_some() {
                all.push(record(name, text, verdict));
                continue;
            }
            let versions = verdict.as_object().unwrap().iter().filter(|(key, _)| *key != "file");
            all.extend(versions.map(|(version, verdict)| record(version, text.clone(), verdict.clone())));
        }
        used.insert(folder.join(list).join("cases.jsonl"));
    }
    used.insert(shared);
    all
}

fn all_recordings() -> Vec<Recording> {
    let mut used = BTreeSet::new();
    let folders = version_folders();
    folders.iter().flat_map(|(name, folder)| recordings(name, folder, &mut used)).collect()
}

#[test]
fn every_recording_of_a_version_is_run() {
    let mut used = BTreeSet::new();
    for (name, folder) in version_folders() {
        assert!(engine(&name).is_some(), "add `{name}` to the table of reference versions");
        recordings(&name, &folder, &mut used);
        let mut open = vec![folder];
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            } else {
                assert!(used.contains(&path), "{} is not run", path.display());
            }
        }
    }
}

#[test]
fn findings_agree() {
    let wrong: Vec<_> = all_recordings().iter().filter_map(wrong_findings).collect();
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong.join("\n"));
}

fn wrong_findings(recording: &Recording) -> Option<String> {
    let Recording { engine, name, text, verdict } = recording;
    let found = support::check_for(&[text], *engine).concat();
    let is_on_purpose = |rule: &str| {
        ON_PURPOSE.iter().any(|(file, known, _)| file == name && *known == rule)
            || ON_PURPOSE_IN.iter().any(|(version, file, known, _)| {
                engine.name.as_str() == *version && file == name && *known == rule
            })
    };
    let errors: Vec<_> = found.iter().filter(|found| found.severity == Severity::Error).collect();
    let message = verdict["message"].as_str().unwrap_or("");
    if is_older(engine, message) {
        return None;
    }
    let is_defect = DEFECTS.iter().any(|(file, _)| file == name) || message.contains(WITHOUT_TYPE);
    let problem = match verdict["stage"].as_str() {
        Some("bounds") if !is_defect => {
            (!found.iter().any(is_about_types)).then(|| "no finding about types".to_owned())
        }
        None | Some("bounds") => {
            let surplus = errors.iter().filter(|found| !is_on_purpose(found.rule.name));
            let surplus: Vec<_> = surplus.map(|it| format!("{} ({})", it.rule.name, it.message)).collect();
            let is_about_types = found.iter().any(is_about_types);
            let is_explained = surplus.is_empty() || is_about_types && verdict["stage"] == "bounds";
            (!is_explained).then(|| surplus.join(", "))
        }
        Some(_) => errors.is_empty().then(|| "no error".to_owned()),
    };
    problem.map(|problem| format!("{} {name}: {problem} ({:?} {message})", engine.name, verdict["stage"]))
}

/// True if the recorded engine lacks a function that the version has.
fn is_older(engine: &EngineVersion, message: &str) -> bool {
    message.contains(WITHOUT_FUNCTION) && engine.has("2026-09-19")
}

#[test]
fn programs_load_as_in_the_engine() {
    let mut wrong = Vec::new();
    for Recording { engine, name, text, verdict } in all_recordings() {
        let found = load_findings(&support::program_for(&[&text], engine));
        let is_rejected = matches!(verdict["stage"].as_str(), Some("parse" | "analyze" | "stratify"));
        let panics = verdict.get("panics").is_some();
        let is_older = is_older(&engine, verdict["message"].as_str().unwrap_or(""));
        if found.is_empty() == is_rejected && !panics && !is_older {
            let found: Vec<_> = found.iter().map(|(_, found)| found.rule.name).collect();
            wrong.push(format!(
                "{} {name}: rejected by the engine: {is_rejected}, here: {found:?}",
                engine.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong.join("\n"));
}

/// An engine that rejects an unbound variable reports it in these words. If several are unbound, it names any one of them.
#[test]
fn messages_about_unbound_negations_are_quoted() {
    let mut compared = 0;
    for Recording { engine, name, text, verdict } in all_recordings() {
        let message = verdict["message"].as_str().unwrap_or("");
        if !message.starts_with("variable ") || !message.contains('!') {
            continue;
        }
        let found = support::check_for(&[&text], engine).concat();
        let notes: Vec<_> =
            found.iter().flat_map(|found| &found.notes).map(|note| note.to_string()).collect();
        let about = |message: &str| {
            message.split_once(" is not").map(|(_, rest)| rest.trim_end_matches('`').to_owned())
        };
        let quoted = notes.iter().filter_map(|note| note.strip_prefix("the engine reports `"));
        let is_negation = found.iter().any(|found| found.rule.name.starts_with("negat"));
        if is_negation {
            compared += 1;
            assert!(
                quoted.into_iter().any(|note| about(note) == about(message)),
                "{name}: {message}\n{notes:?}"
            );
        }
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn facts_agree() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for recording in all_recordings() {
        let verdict = &recording.verdict;
        let error = verdict["eval_error"].as_str().unwrap_or("");
        // The recordings have no store for temporal facts.
        let is_recorded = verdict.get("facts").is_some() || !error.is_empty();
        let is_collision = recording.name == WITH_EQUAL_HASHES;
        if !is_recorded || is_collision || error.contains("no temporal store") {
            continue;
        }
        compared += 1;
        wrong.extend(wrong_facts(&recording));
    }
    assert!(wrong.is_empty(), "{} of {compared} disagree:\n{}", wrong.len(), wrong.join("\n"));
}

fn wrong_facts(recording: &Recording) -> Option<String> {
    let Recording { engine, name, text, verdict } = recording;
    let compiled = compile(&support::program_for(&[text], *engine), Reading::Engine);
    let limits = Limits { facts: 100_000, ..Limits::default() };
    let model = run(&compiled, limits, Clock { now_ns: 0 }, &Cancel::new());
    if let Some(error) = verdict.get("eval_error") {
        return model.stopped.is_none().then(|| format!("{} {name}: does not stop: {error}", engine.name));
    }
    if let Some(stop) = &model.stopped {
        return Some(format!("{} {name}: {stop:?}", engine.name));
    }
    // Facts of internal relations are recorded, and temporal facts have no interval in newer recordings.
    let facts = verdict["facts"].as_array().into_iter().flatten().map(|fact| fact.as_str().unwrap());
    let wanted: BTreeSet<String> =
        facts.filter(|fact| !fact.contains("__tmp(")).map(without_interval).collect();
    let found: BTreeSet<String> = model.dump(&compiled).iter().map(|fact| without_interval(fact)).collect();
    (found != wanted).then(|| format!("{} {name}:\n  wanted {wanted:?}\n  found  {found:?}", engine.name))
}

fn without_interval(fact: &str) -> String {
    fact.split(")@[").next().map_or_else(String::new, |plain| {
        if plain.len() < fact.len() { format!("{plain})") } else { plain.to_owned() }
    })
}
