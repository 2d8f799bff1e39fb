//! The examples on the pages of the commands run, in a copy of the folder of examples.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::blocks::words_of_line;
use super::documentation::root;
use crate::support::command::command;

/// Copies the files of a folder and of those below it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Runs the lines of a block. Gives those that fail.
fn run(block: &str) -> Vec<String> {
    let repository = tempfile::tempdir().unwrap();
    copy(&root().join("examples"), &repository.path().join("examples"));
    let mut folder = repository.path().to_path_buf();
    let mut wrong = Vec::new();
    for line in block.lines() {
        let words = words_of_line(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            [] => {}
            ["cd", below] => folder.push(below),
            ["mangle-ls", arguments @ ..] => {
                let output = command(&folder, arguments).stdin(Stdio::null()).output().unwrap();
                if !matches!(output.status.code(), Some(0 | 1)) {
                    wrong.push(format!("{line}: {}", String::from_utf8_lossy(&output.stderr)));
                }
            }
            _ => wrong.push(format!("{line}: not understood")),
        }
    }
    wrong
}

#[test]
fn each_example_runs() {
    let (mut blocks, mut wrong) = (0, Vec::new());
    for entry in fs::read_dir(root().join("docs/commands")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for block in text.split("```sh\n").skip(1) {
            blocks += 1;
            let found = run(block.split("```").next().unwrap());
            wrong.extend(found.iter().map(|line| format!("{}: {line}", path.display())));
        }
    }
    assert!(blocks > 30, "only {blocks} blocks");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
