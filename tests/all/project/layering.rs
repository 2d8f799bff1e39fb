//! The layers of ARCHITECTURE.md that the compiler does not enforce. The manifests of the crates enforce the others.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of `src`, lowest row first. Modules of one row do not use each other. `mcp` runs commands through a
/// function that it is given.
const ROWS: &[&[&str]] = &[&["lsp", "mcp", "sessions"], &["cli"]];

#[test]
fn modules_use_only_lower_rows() {
    let mut wrong = Vec::new();
    for file in sources("src") {
        let module = file.module();
        let Some(own) = row(module) else { continue };
        for used in uses(&file.code) {
            let is_below = row(&used).is_some_and(|row| row < own);
            if used != module && !is_below {
                wrong.push(format!("{}: {module} may not use {used}", file.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_has_a_row() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let modules = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let homeless: Vec<_> = modules.filter(|module| row(module).is_none()).collect();
    assert!(homeless.is_empty(), "{homeless:?}");
}

/// Protocol types are used only in `lsp` and `mcp`, and the file system only in `mangle-host`.
#[test]
fn protocols_and_files_stay_in_their_layers() {
    let mut wrong = Vec::new();
    for file in product() {
        let module = match file.name.strip_prefix("crates/") {
            Some(below) => below.split('/').next().unwrap(),
            None => file.module(),
        };
        let mut forbid = |word: &str, allowed: &[&str]| {
            if file.code.contains(word) && !allowed.contains(&module) {
                wrong.push(format!("{}: `{word}` in {module}", file.name));
            }
        };
        forbid("tower_lsp", &["lsp"]);
        forbid("rmcp", &["mcp"]);
        forbid("tokio", &["lsp", "mcp"]);
        forbid("std::fs", &["mangle-host"]);
        forbid("File::open", &["mangle-host"]);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every file is opened by `mangle_host::disk`, which reads regular files only, has limits, and can be made to fail. Elsewhere
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
    let mut wrong = Vec::new();
    for SourceText { name, code } in product() {
        let code = code.replace("std::fs::canonicalize(", "").replace("std::fs::metadata(", "");
        let words = OPENING
            .iter()
            .filter(|word| code.contains(*word) && !name.starts_with("crates/mangle-host/src/disk/"));
        wrong.extend(words.map(|word| format!("{name}: `{word}`")));
        if code.contains("WalkBuilder") && name != "crates/mangle-host/src/ignore_rules.rs" {
            wrong.push(format!("{name}: walks by itself"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No program is run but git, for `check --since`, and the solvers of `verify` and `diff`.
#[test]
fn only_git_and_solvers_are_run() {
    let word = |text: &str| text.ends_with(|char: char| char.is_alphanumeric() || char == '_');
    let starts = |file: &SourceText| {
        file.code.match_indices("Command::new(").any(|(at, _)| !file.code.get(..at).is_some_and(word))
    };
    let runs: Vec<_> = product().into_iter().filter(starts).collect();
    let names: Vec<_> = runs.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["crates/mangle-host/src/git_revision.rs", "crates/mangle-host/src/solvers.rs"]);
}

/// The checks above see what is behind the tests of a file, and not the tests.
#[test]
fn tests_are_left_out_and_nothing_else() {
    let text = "use a;\n#[cfg(test)]\nmod tests;\nfn b() {}\n#[cfg(test)]\nmod tests {\n    use c;\n}\n// d\nfn e() {}\n";
    assert_eq!(product_code(text), "use a;\nfn b() {}\nfn e() {}\n");
}

/// The code of a file of the product, without tests and comments.
pub(super) struct SourceText {
    /// Its path from the root of the repository.
    pub(super) name: String,
    pub(super) code: String,
}

impl SourceText {
    /// The first folder or file name below `src`.
    fn module(&self) -> &str {
        let below = self.name.strip_prefix("src/").unwrap();
        below.split('/').next().unwrap().trim_end_matches(".rs")
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub(super) fn product() -> Vec<SourceText> {
    ["src", "crates"].into_iter().flat_map(sources).collect()
}

fn sources(folder: &str) -> Vec<SourceText> {
    let mut files = Vec::new();
    collect(&root().join(folder), &mut files);
    files.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        SourceText { name, code: product_code(&fs::read_to_string(path).unwrap()) }
    };
    files.into_iter().map(read).collect()
}

/// The files of the product below a folder: tests have names that say so.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_test = name == "tests" || name == "testing" || name.ends_with("_tests");
        if is_test || name == "target" {
            continue;
        }
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
}

/// The lines of a formatted file without comments and without the items that only tests have.
fn product_code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let word = line.trim_start();
        if word.starts_with("//") {
            continue;
        }
        if !(word.starts_with("#[cfg(test)]") || word.starts_with("#[cfg(all(test")) {
            code.extend([line, "\n"]);
            continue;
        }
        // An item ends where a line of the same indentation closes it, or at once.
        let indentation = &line[..line.len() - word.len()];
        for line in lines.by_ref() {
            let own = line.strip_prefix(indentation).is_some_and(|rest| !rest.starts_with([' ', '#']));
            if own && (line.ends_with(';') || line.ends_with('}') || line.ends_with(',')) {
                break;
            }
        }
    }
    code
}

fn row(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

/// The modules that `use crate::…` and `crate::…` paths name, those in braces included.
fn uses(code: &str) -> Vec<String> {
    let mut used = Vec::new();
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
