//! The examples in the help of each command work in the project that `init` writes, beside a log.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use mangle_ls::cli::{commands, examples};

use super::support::{command, folder, run};
use crate::project::blocks::words_of_line;

fn copy_session(folder: &Path) {
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/gate/session.jsonl");
    fs::copy(session, folder.join("session.jsonl")).unwrap();
}

#[test]
fn each_example_runs() {
    let mut wrong = Vec::new();
    for words in commands() {
        let words = words.join(" ");
        let Some(examples) = examples(&words) else { panic!("{words} has no examples") };
        for (_, line) in examples {
            let project = folder(&[]);
            assert!(run(project.path(), &["init", "--ci", "none"]).status.success());
            copy_session(project.path());
            let arguments = words_of_line(line);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            // A server ends with its input.
            let output = command(project.path(), &arguments).stdin(Stdio::null()).output().unwrap();
            let (out, error) = (output.stdout.len(), String::from_utf8_lossy(&output.stderr).into_owned());
            let is_server = ["lsp", "mcp"].contains(&words.as_str());
            if !is_server && !matches!(output.status.code(), Some(0 | 1)) || error.contains("error:") {
                wrong.push(format!("{line}: {:?}, {out} bytes\n{error}", output.status.code()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn long_help_shows_them() {
    let project = folder(&[]);
    let output = run(project.path(), &["transcript", "stats", "--help"]);
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("Examples:\n"), "{help}");
    assert!(help.contains("mangle-ls transcript stats session.jsonl\n"), "{help}");
}
