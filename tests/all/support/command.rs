//! Folders with files, and the real program in them.

#![allow(dead_code)]

use std::path::Path;
use std::process::{Command, Output};

use expect_test::Expect;
use tempfile::TempDir;

/// A clean file, and one with a finding.
pub(crate) const GOOD: &str = "Decl p(X) bound [/number].\np(1).\n";
pub(crate) const BAD: &str = "Decl q(X) bound [/number].\nq(X) :- p(X), r(X).\n";

/// A folder with files.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    folder_of_bytes(&files)
}

/// A folder with files that may be no text.
pub(crate) fn folder_of_bytes(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        write(folder.path(), name, bytes);
    }
    folder
}

pub(crate) fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The program, to be run in `folder`.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mangle-ls"));
    command.args(arguments).current_dir(folder).env("MANGLE_LS_TEST_WITHOUT_SOLVERS", "1");
    for variable in ["NO_COLOR", "MANGLE_LS_LOG", "GITHUB_WORKSPACE"] {
        command.env_remove(variable);
    }
    // A repository around the temporary folder has nothing to say here.
    command.env("GIT_CEILING_DIRECTORIES", std::env::temp_dir()).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// Standard output, with the time taken out.
pub(crate) fn stdout(output: &Output) -> String {
    let mut text = String::from_utf8(output.stdout.clone()).unwrap();
    for (before, after) in [("\"elapsed_ms\":", 0), ("errors=\"0\" time=\"", 1), ("errors=\"1\" time=\"", 1)]
    {
        if let Some(at) = text.find(before).map(|at| at + before.len()) {
            let is_time = |char: char| char.is_ascii_digit() || (after == 1 && char == '.');
            let len = text[at..].find(|char| !is_time(char)).unwrap();
            text.replace_range(at..at + len, "0");
        }
    }
    text
}

/// Exit status and both streams.
pub(crate) fn render(output: &Output) -> String {
    let complaints = String::from_utf8(output.stderr.clone()).unwrap();
    format!("{}{complaints}exit {}\n", stdout(output), output.status.code().unwrap())
}

/// Compares what the program does in a folder with `files`.
pub(crate) fn check(files: &[(&str, &str)], arguments: &[&str], expected: Expect) {
    check_in(&folder(files), arguments, expected);
}

/// Compares what the program does in a folder.
pub(crate) fn check_in(folder: &TempDir, arguments: &[&str], expected: Expect) {
    expected.assert_eq(&render(&run(folder.path(), arguments)));
}

/// Where `check` finds predicates that are not defined, as `file:line`. Other rules may come and go.
pub(crate) fn found(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let output = run(folder, &[&["check", "--format", "json"], arguments].concat());
    assert_ne!(output.status.code(), Some(2), "{}", render(&output));
    let lines = stdout(&output);
    let row = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let file = line.get("file")?.as_str()?.to_owned();
        (line["rule"] == "undefined-predicate").then(|| format!("{file}:{}", line["line"]))
    };
    lines.lines().filter_map(row).collect()
}
