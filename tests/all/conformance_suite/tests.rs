//! The suite is exported, answered and compared.

use std::fs;
use std::path::Path;

use expect_test::{Expect, expect};
use mangle_settings::Runtime;
use mangle_settings::versions::{Published, engine};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::answers::answers;
use super::suite::compare::{Count, compare};
use super::suite::export::export;
use super::suite::kind::Kind;
use super::suite::read::read;
use crate::support;

fn recordings() -> std::path::PathBuf {
    support::root().join("tests/conformance")
}

fn exported() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    export(&recordings(), folder.path()).unwrap();
    folder
}

#[test]
fn product_agrees_with_the_exported_suite() {
    let folder = exported();
    let suite = read(folder.path()).unwrap();
    let report = compare(folder.path(), answers(&suite).as_bytes()).unwrap();
    assert!(report.is_complete(), "{report}");
    let sum = |number: fn(&Count) -> usize| report.counts.values().map(number).sum::<usize>();
    assert!(sum(|count| count.agree) > 10_000 && sum(|count| count.disputed) < 50, "{report}");
}

/// The recordings of the first version of each list are in `tests/conformance`, the others in a folder of their own.
#[test]
fn versions_of_the_suite_are_in_the_tables() {
    let versions = fs::read_to_string(recordings().join("suite/versions.json")).unwrap();
    let versions: Value = serde_json::from_str(&versions).unwrap();
    let rows = |list: &str| versions[list].as_array().unwrap().clone();
    let known = |published: Published| {
        json!({
            "name": published.name,
            "day": published.day,
            "revision": published.revision,
            "module": published.module,
        })
    };
    for row in rows("engines") {
        assert_eq!(row, known(engine(row["name"].as_str().unwrap()).unwrap().published));
    }
    for row in rows("runtimes") {
        let runtime = Runtime::parse(row["name"].as_str().unwrap()).unwrap();
        assert_eq!(row, known(runtime.reference().published));
    }
    let recorded = fs::read_dir(recordings().join("versions")).unwrap().map(|entry| entry.unwrap());
    for folder in recorded.filter(|entry| entry.path().is_dir()) {
        let name = folder.file_name().into_string().unwrap();
        let name = name.strip_prefix("mangle-").unwrap_or(&name);
        let is_listed =
            ["engines", "runtimes"].iter().any(|list| rows(list).iter().any(|row| row["name"] == name));
        assert!(is_listed, "add {name} to tests/conformance/suite/versions.json");
    }
}

/// A suite with one case of each kind.
fn small(language: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines = |kind| match kind {
        Kind::Language => format!("{language}\n"),
        Kind::Replies => String::new(),
        Kind::Updates => {
            json!({"id": "u", "update": "p(1).", "expected": {"v": {"result": {"cap": "kept"}}}}).to_string()
                + "\n"
        }
        Kind::ToolCalls => String::new(),
    };
    let mut files = json!({});
    for kind in Kind::ALL {
        let text = lines(kind);
        files[kind.file()] = text.lines().count().into();
        fs::write(folder.path().join(kind.file()), text).unwrap();
    }
    fs::write(folder.path().join("suite.json"), json!({ "format": 1, "files": files }).to_string()).unwrap();
    folder
}

const PROGRAM: &str = r#"{"id":"a","files":[{"name":"a.mg","text":"p(1).\n"}],"expected":{"v":{"loads":true,"stops":false,"facts":["p(1)"]}}}"#;

#[track_caller]
fn check(language: &str, answers: &[&str], expected: Expect) {
    let folder = small(language);
    let report = compare(folder.path(), answers.join("\n").as_bytes()).unwrap();
    expected.assert_eq(&format!("{report}complete: {}\n", report.is_complete()));
}

const AGREE: &str =
    r#"{"suite":"language","id":"a","version":"v","loads":true,"stops":false,"facts":["p(1)"]}"#;
const UPDATE: &str = r#"{"suite":"updates","id":"u","version":"v","result":{"cap":"kept"}}"#;

#[test]
fn equal_answers_agree() {
    check(
        PROGRAM,
        &[AGREE, UPDATE],
        expect![[r#"
        language    v                 facts      1 of 1 agree
        language    v                 loads      1 of 1 agree
        language    v                 stops      1 of 1 agree
        updates     v                 result     1 of 1 agree
        v: 4 of 4 results agree
        complete: true
    "#]],
    );
}

#[test]
fn differences_and_missing_parts_are_reported() {
    let differs = r#"{"suite":"language","id":"a","version":"v","loads":true,"facts":["p(2)"]}"#;
    check(
        PROGRAM,
        &[differs],
        expect![[r#"
        language a, v, facts:
          expected ["p(1)"]
          answered ["p(2)"]
        language    v                 facts      0 of 1 agree
        language    v                 loads      1 of 1 agree
        language    v                 stops      0 of 1 agree, 1 unanswered
        updates     v                 result     0 of 1 agree, 1 unanswered
        v: 1 of 4 results agree
        complete: false
    "#]],
    );
}

#[test]
fn faulty_answers_are_reported() {
    let faulty = [
        AGREE,
        AGREE,
        "no JSON",
        "[]",
        r#"{"id":"a","version":"v"}"#,
        r#"{"suite":"prompts","id":"a","version":"v"}"#,
        r#"{"suite":"language","id":"b","version":"v"}"#,
        r#"{"suite":"language","id":"a","version":"w"}"#,
        r#"{"suite":"updates","id":"u","version":"v","result":{"cap":"kept"},"verdict":1}"#,
    ];
    check(
        PROGRAM,
        &faulty,
        expect![[r#"
        answers:2: a second answer for `a` of v
        answers:3: not JSON: expected ident at line 1 column 2
        answers:4: not an object
        answers:5: no `suite`
        answers:6: unknown suite `prompts`
        answers:7: no case `b` in language.jsonl
        answers:8: `a` has no result of version `w`
        answers:9: unknown member `verdict`
        language    v                 facts      1 of 1 agree
        language    v                 loads      1 of 1 agree
        language    v                 stops      1 of 1 agree
        updates     v                 result     1 of 1 agree
        v: 4 of 4 results agree
        complete: false
    "#]],
    );
}

#[test]
fn faulty_cases_are_reported() {
    let with = |from: &str, to: &str| PROGRAM.replace(from, to);
    let lines = [
        PROGRAM.to_owned(),
        PROGRAM.to_owned(),
        "{".to_owned(),
        with(r#""id":"a","#, ""),
        with(r#""id":"a""#, r#""id":"b","file":"b.mg""#),
        with(r#""loads":true"#, r#""load":true"#).replace(r#""id":"a""#, r#""id":"c""#),
        with(r#"[{"name":"a.mg","text":"p(1).\n"}]"#, "[]").replace(r#""id":"a""#, r#""id":"d""#),
        with(r#""text":"p(1).\n""#, r#""text_base64":"?""#).replace(r#""id":"a""#, r#""id":"e""#),
    ];
    check(
        &lines.join("\n"),
        &[AGREE, UPDATE],
        expect![[r#"
        language.jsonl:2: the id `a` occurs twice
        language.jsonl:3: not JSON: EOF while parsing an object at line 1 column 1
        language.jsonl:4: no `id`
        language.jsonl:5: unknown member `file`
        language.jsonl:6: unknown member `load` in `expected` of v
        language.jsonl:7: `files` cannot be read
        language.jsonl:8: `files` cannot be read
        language.jsonl: 3 cases are readable, suite.json lists 8
        language    v                 facts      1 of 3 agree, 2 unanswered
        language    v                 loads      1 of 2 agree, 1 unanswered
        language    v                 stops      1 of 3 agree, 2 unanswered
        updates     v                 result     1 of 1 agree
        v: 4 of 9 results agree
        complete: false
    "#]],
    );
}

#[test]
fn suite_of_another_format_is_an_error() {
    let folder = small(PROGRAM);
    fs::write(folder.path().join("suite.json"), r#"{"format":2}"#).unwrap();
    let error = compare(folder.path(), b"").unwrap_err();
    assert_eq!(format!("{error:#}"), "suite.json has format 2; this program reads format 1");
    fs::remove_file(folder.path().join("suite.json")).unwrap();
    let error = compare(folder.path(), b"").unwrap_err();
    assert!(error.to_string().ends_with("is not an exported suite"), "{error}");
}

/// `cargo xtask conformance --run DIR` names the suite and the file of the answers.
#[test]
#[ignore = "needs an exported suite: `cargo xtask conformance --run` runs it"]
fn answers_are_written() {
    let path = |name: &str| std::env::var_os(name).unwrap_or_else(|| panic!("set {name}"));
    let suite = read(Path::new(&path("MANGLE_LS_SUITE"))).unwrap();
    fs::write(path("MANGLE_LS_ANSWERS"), answers(&suite)).unwrap();
}
