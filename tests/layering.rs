//! The layers of ARCHITECTURE.md hold: a module uses only modules in rows below its own.

#![allow(clippy::unwrap_used, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

/// The modules from the ground up; modules of one row may not use each other.
const ROWS: &[&[&str]] = &[
    &["text"],
    &["lint"],
    &["syntax", "config"],
    &["program"],
    &["kernel", "types"],
    &["envelope", "analysis"],
    &["transcript"],
    &["replay", "policy_test"],
    &["prompt"],
    &["report"],
    &["ide"],
    &["host"],
    &["lsp", "cli"],
];

/// The one sideways step: the command line starts the server.
const ALLOWED: &[(&str, &str)] = &[("cli", "lsp")];

#[test]
fn modules_use_only_lower_rows() {
    let mut wrong = Vec::new();
    for path in sources(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let module = module_of(&path);
        let Some(own) = row(&module) else { continue };
        let text = fs::read_to_string(&path).unwrap();
        for used in uses(product_code(&text)) {
            let below = row(&used).is_some_and(|row| row < own);
            if used != module && !below && !ALLOWED.contains(&(&module, &used)) {
                wrong.push(format!("{}: {module} may not use {used}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_has_a_row() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let modules = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let homeless: Vec<_> = modules.filter(|module| row(module).is_none()).collect();
    assert!(homeless.is_empty(), "{homeless:?}");
}

/// Protocol types stop at `lsp`, and file IO at `host`.
#[test]
fn protocol_and_files_stay_in_their_layers() {
    let mut wrong = Vec::new();
    for path in sources(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let module = module_of(&path);
        let text = fs::read_to_string(&path).unwrap();
        let code = product_code(&text);
        let mut forbid = |word: &str, allowed: &[&str]| {
            if code.contains(word) && !allowed.contains(&module.as_str()) {
                wrong.push(format!("{}: `{word}` in {module}", path.display()));
            }
        };
        forbid("tower_lsp", &["lsp"]);
        forbid("std::fs", &["host"]);
        forbid("File::open", &["host"]);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every file is opened by `host::disk`, which reads regular files only, has limits, and can be made to fail. Elsewhere
/// it may be asked what lies at a path.
#[test]
fn only_the_disk_module_opens_files() {
    const OPENING: [&str; 9] = [
        "std::fs",
        "fs::File",
        "File::open(",
        "File::create(",
        "OpenOptions",
        "read_dir(",
        "NamedTempFile",
        "tempfile::",
        "generate_to(",
    ];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for path in sources(source.clone()) {
        let name = path.strip_prefix(&source).unwrap().to_string_lossy().into_owned();
        if name.ends_with("_tests.rs") || name.contains("/tests/") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code: Vec<_> =
            product_code(&text).lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let code = code.join("\n").replace("std::fs::canonicalize(", "").replace("std::fs::metadata(", "");
        let words = OPENING.iter().filter(|word| code.contains(*word) && !name.starts_with("host/disk/"));
        wrong.extend(words.map(|word| format!("{name}: `{word}`")));
        if code.contains("WalkBuilder") && name != "host/ignored.rs" {
            wrong.push(format!("{name}: walks by itself"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No program is run but git, for `check --since`.
#[test]
fn only_git_is_run() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let runs = |path: &PathBuf| product_code(&fs::read_to_string(path).unwrap()).contains("Command::new(");
    let all: Vec<_> = sources(source.clone()).into_iter().filter(runs).collect();
    let files = all.iter().map(|path| path.strip_prefix(&source).unwrap().to_string_lossy().into_owned());
    let product: Vec<_> = files.filter(|name| !name.ends_with("tests.rs")).collect();
    assert_eq!(product, ["host/past.rs"]);
}

fn row(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

fn sources(folder: PathBuf) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(path));
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
    files
}

/// The first folder or file name below `src`.
fn module_of(path: &Path) -> String {
    let below = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let first = below.components().next().unwrap().as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The code before the tests of a file: tests may use what they like.
fn product_code(text: &str) -> &str {
    let end = ["#[cfg(test)]", "#[cfg(all(test"].iter().filter_map(|mark| text.find(mark)).min();
    &text[..end.unwrap_or(text.len())]
}

/// The modules that `use crate::…` and `crate::…` paths name, those in braces included.
fn uses(code: &str) -> Vec<String> {
    let mut used = Vec::new();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            Some(group) => {
                let group = group.split("};").next().unwrap_or(group);
                used.extend(group.split(',').map(|part| word(part.trim())));
            }
            None => used.push(word(after)),
        }
    }
    used.retain(|name| row(name).is_some());
    used
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}
