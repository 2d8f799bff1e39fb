//! The kernel derives what the reference derives: the facts of `tests/conformance`, in the reading `engine`.

use crate::support;

use std::fs;

use mangle_engine::kernel::{Clock, Limits, Reading, compile, run};
use mangle_engine::program::{FileSummary, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};
use serde_json::Value;

fn program(texts: &[String]) -> Program {
    let files = (0u32..)
        .zip(texts)
        .map(|(id, text)| FileSummary::new(FileId(id), &SourceFile::parse(text.as_str().into())).into());
    Program::new(files.collect())
}

fn disagreement(name: &str, verdict: &Value, texts: &[String]) -> Option<String> {
    if verdict.get("facts").is_none() && verdict.get("eval_error").is_none() {
        return None;
    }
    let program = program(texts);
    let compiled = compile(&program, Reading::Engine);
    let limits = Limits { facts: 100_000, ..Limits::default() };
    let model = run(&compiled, limits, Clock { now_ns: 0 }, &Cancel::new());
    if let Some(error) = verdict.get("eval_error") {
        return model.stopped.is_none().then(|| format!("{name}: does not stop: {error}"));
    }
    if let Some(stop) = &model.stopped {
        return Some(format!("{name}: {stop:?}"));
    }
    let wanted: Vec<_> =
        verdict["facts"].as_array().unwrap().iter().map(|fact| fact.as_str().unwrap()).collect();
    let found = model.dump(&compiled);
    (found != wanted)
        .then(|| format!("{name}:\n  wanted {wanted:?}\n  found  {found:?}\n  {:?}", compiled.faults))
}

#[test]
fn facts_agree() {
    let folder = support::root().join("tests/conformance");
    let text = fs::read_to_string(folder.join("cases.jsonl")).unwrap();
    let verdicts: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let wrong: Vec<_> = verdicts
        .iter()
        .filter_map(|verdict| {
            let name = verdict["file"].as_str().unwrap();
            let text =
                String::from_utf8_lossy(&fs::read(folder.join("cases").join(name)).unwrap()).into_owned();
            disagreement(name, verdict, &[text])
        })
        .collect();
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn facts_of_programs_of_several_files_agree() {
    let folder = support::root().join("tests/conformance");
    let text = fs::read_to_string(folder.join("programs.jsonl")).unwrap();
    let verdicts: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let wrong: Vec<_> = verdicts
        .iter()
        .filter_map(|verdict| {
            let name = verdict["program"].as_str().unwrap();
            let entries = fs::read_dir(folder.join("programs").join(name)).unwrap();
            let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            paths.sort();
            let texts: Vec<_> = paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
            disagreement(name, verdict, &texts)
        })
        .collect();
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong.join("\n"));
}
