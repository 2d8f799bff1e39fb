//! The steps of the GitHub Action, run as the runner runs them.

#![cfg(unix)]

use crate::support;

use std::path::Path;
use std::process::{Command, Output};

/// The script of a step of `action.yml`.
fn script(step: &str) -> String {
    let text = std::fs::read_to_string(support::root().join("action.yml")).unwrap();
    let (_, rest) = text.split_once(&format!("- name: {step}\n")).unwrap();
    let (_, rest) = rest.split_once("run: |\n").unwrap();
    let lines = rest.lines().take_while(|line| line.is_empty() || line.starts_with("        "));
    lines.map(|line| line.trim_start_matches("        ").to_owned() + "\n").collect()
}

/// Runs a step in a folder with these files.
fn run(step: &str, files: &[(&str, &str)], environment: &[(&str, &str)]) -> (Output, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", &script(step)]);
    command.current_dir(folder.path()).env("BINARY", env!("CARGO_BIN_EXE_mangle-ls")).env("NO_COLOR", "1");
    let names =
        ["PATHS", "TESTS", "MIN_COVERAGE", "JUNIT_FILE", "FAIL_ON", "SINCE", "BASELINE", "SARIF_FILE"];
    command.envs(names.map(|name| (name, "")));
    command.env("TESTS", "auto").envs(environment.iter().copied());
    (command.output().unwrap(), folder)
}

fn status(ran: &(Output, tempfile::TempDir)) -> i32 {
    ran.0.status.code().unwrap()
}

const POLICY: (&str, &str) =
    ("doors.mg", "open(D) :- door(D).\ndoor(/front).\nshut(D) :- locked(D).\nDecl locked(D).\n");
const GOOD: (&str, &str) = ("doors_test.mg", "# @test name: open\n# @expect open(/front)\n");
const BAD: (&str, &str) = ("doors_test.mg", "# @test name: open\n# @expect open(/back)\n");

#[test]
fn tests_are_run_where_there_are_any() {
    assert_eq!(status(&run("Check", &[POLICY], &[])), 0);
    let without = run("Test", &[POLICY], &[]);
    assert_eq!(status(&without), 0, "{}", String::from_utf8_lossy(&without.0.stderr));
    assert_eq!(status(&run("Test", &[POLICY], &[("PATHS", "doors.mg")])), 0);
    assert_eq!(status(&run("Test", &[POLICY, GOOD], &[])), 0);
    assert_eq!(status(&run("Test", &[POLICY, BAD], &[])), 1);
    assert_eq!(status(&run("Test", &[POLICY, BAD], &[("PATHS", ".\n")])), 1);
    assert_eq!(status(&run("Test", &[POLICY], &[("TESTS", "true")])), 2);
}

#[test]
fn coverage_is_asked_for_and_reported() {
    assert_eq!(status(&run("Test", &[POLICY, GOOD], &[("MIN_COVERAGE", "50")])), 0);
    let ran = run("Test", &[POLICY, GOOD], &[("MIN_COVERAGE", "51"), ("JUNIT_FILE", "out.xml")]);
    let report = std::fs::read_to_string(ran.1.path().join("out.xml")).unwrap();
    assert!(
        status(&ran) == 1 && report.contains("coverage.percent") && report.contains("value=\"50\""),
        "{report}"
    );
}
