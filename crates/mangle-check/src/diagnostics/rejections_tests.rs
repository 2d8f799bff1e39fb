//! Tests of rejections: every rule is classified once, and the classification agrees with the
//! engine.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use expect_test::{Expect, expect};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{EngineOutcome, Group, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

use super::{FindingCache, check_unless, rejections};
use crate::Registry;
use crate::testing::{files, program};

fn cache() -> FindingCache {
    FindingCache::new(Registry::of_programs())
}

fn codes(program: &Program) -> Vec<&'static str> {
    rejections(program, &cache()).iter().map(|(_, found)| found.rule.code).collect()
}

/// Renders the rejections of a fixture: file, rule, message.
#[track_caller]
fn check(fixture: &str, expected: Expect) {
    let mut out = String::new();
    for (file, found) in rejections(&program(fixture), &cache()) {
        writeln!(out, "{} {}: {}", file.0, found.rule.code, found.message).unwrap();
    }
    expected.assert_eq(&out);
}

#[test]
fn every_error_is_classified() {
    let is_missing = |rule: &&mangle_syntax::lint::Rule| {
        rule.code.starts_with("MG") && rule.severity == Some(Severity::Error) && rule.engine.is_none()
    };
    let missing: Vec<_> = Registry::of_programs().rules().filter(is_missing).map(|rule| rule.name).collect();
    assert!(missing.is_empty(), "write `- engine: rejects`, `accepts` or `depends` into {missing:?}");
}

#[test]
fn example_of_a_rule_that_rejects_does_not_load() {
    let rejects = |rule: &&mangle_syntax::lint::Rule| rule.engine == Some(EngineOutcome::Rejects);
    let of_programs = |rule: &&mangle_syntax::lint::Rule| rule.group != Group::Configuration;
    let needs_settings = ["newer-than-target"];
    let rules = Registry::of_programs().rules().filter(rejects).filter(of_programs);
    let loading: Vec<_> = rules
        .filter(|rule| !rule.bad.is_empty() && !needs_settings.contains(&rule.name))
        .filter(|rule| !codes(&program(rule.bad)).contains(&rule.code))
        .map(|rule| rule.name)
        .collect();
    assert!(loading.is_empty(), "these load: {loading:?}");
}

fn policy(example: &str) -> Program {
    let policies = files(example).into_iter().filter(|(name, _)| !name.ends_with(".toml"));
    program(&policies.map(|(name, text)| format!("#- {name}\n{text}")).collect::<String>())
}

#[test]
fn good_example_of_any_rule_loads() {
    let failing: Vec<_> = Registry::of_programs()
        .rules()
        .filter(|rule| rule.code.starts_with("MG") && rule.group != Group::Configuration)
        .filter(|rule| !codes(&policy(rule.good)).is_empty())
        .map(|rule| rule.name)
        .collect();
    assert!(failing.is_empty(), "these do not load: {failing:?}");
}

#[test]
fn settings_and_comments_make_no_program_load() {
    let text = "# mangle-ls: ignore-file\np(X) :- q(X). # mangle-ls: ignore MG301\n";
    let program = program(text);
    let mut settings = RuleSettings::default();
    for rule in Registry::of_programs().rules() {
        settings.set(rule, None);
    }
    let (cache, goes_on) = (cache(), mangle_syntax::text::Cancel::new());
    let checked = check_unless(&goes_on, &program, &cache.types(&program), &settings, &cache).unwrap();
    assert!(checked.diagnostics.iter().all(|(_, found)| found.is_empty()));
    let found: Vec<_> = checked.rejections.iter().map(|(_, found)| found.rule.code).collect();
    assert_eq!(found, ["MG301"]);
    assert_eq!(checked.rejections, rejections(&program, &cache));
}

#[test]
fn mistakes_of_each_stage_are_rejected() {
    check(
        "#- a.mg\nblocked(/x) := p(1).\n#- b.mg\nq(X) :- p(X), !r(X).\nr(X) :- p(X), !q(X).\np(1, 2).\np(X) :- q(X, X).\n\
         s(X) :- t(Y).\n",
        expect![[r#"
            0 MG047: `:=` is not the arrow of a rule
            1 MG501: program cannot be stratified: negative cycle through `q/1`
            1 MG303: `p` is defined with 2 arguments, found 1
            1 MG302: `q` takes 1 argument, found 2
            1 MG201: head variable `X` is not bound in the body
            1 MG301: undefined predicate `t/1`
        "#]],
    );
}

#[test]
fn what_the_engine_only_gets_wrong_loads() {
    check("p(X) :- q(X), !r(X, _).\nq(1).\nr(1, 2).\n", expect![""]);
    check("p(X) :- q(X), !r(X, Y).\nq(1).\nr(1, 2).\n", expect![""]);
    check("Decl p(X) bound [/string].\np(1).\n", expect![""]);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance")
}

fn joined(texts: Vec<String>) -> Program {
    let files = texts.into_iter().zip(0..);
    let files =
        files.map(|(text, id)| Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.into()))));
    Program::new(files.collect())
}

/// The recorded programs with their texts. The flag is true if the engine rejects the program; it
/// checks bounds only on demand.
fn recorded() -> Vec<(String, Vec<String>, bool)> {
    let read = |path: PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let lines = |name: &str| read(folder().join(name));
    let mut all = Vec::new();
    for (list, key) in [("cases.jsonl", "file"), ("programs.jsonl", "program")] {
        for line in lines(list).lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let name = value[key].as_str().unwrap().to_owned();
            let texts = match key {
                "file" => vec![read(folder().join("cases").join(&name))],
                _ => {
                    let files = fs::read_dir(folder().join("programs").join(&name)).unwrap();
                    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
                    files.sort();
                    files.into_iter().map(read).collect()
                }
            };
            let is_rejected = matches!(value["stage"].as_str(), Some("parse" | "analyze" | "stratify"));
            all.push((name, texts, is_rejected));
        }
    }
    all
}

#[test]
fn recorded_programs_load_as_in_the_engine() {
    let mut wrong = Vec::new();
    for (name, texts, is_rejected) in recorded() {
        let found = codes(&joined(texts));
        if found.is_empty() == is_rejected {
            wrong.push(format!("{name}: rejected by the engine: {is_rejected}, here: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn statement_that_is_left_out_keeps_a_program_from_loading() {
    for (name, texts, _) in recorded() {
        let program = joined(texts);
        let is_left_out = program.files.iter().flat_map(|file| file.items.iter());
        let is_left_out = is_left_out.filter(|item| item.statement.damaged).count() > 0;
        assert!(!is_left_out || !codes(&program).is_empty(), "{name} loads without one of its statements");
    }
}
