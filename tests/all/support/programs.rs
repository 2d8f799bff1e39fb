//! Programs to try things on: the examples, the programs of the language suites, the bad examples of all rules; and small
//! mistakes to make in them.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

use mangle_ide::registry::rules;
use mangle_syntax::lint::Rule;

use super::{Random, root};

/// A program, as the texts of its files.
pub type Texts = Vec<String>;

/// All programs, with names.
pub fn programs() -> Vec<(String, Texts)> {
    let mut programs = Vec::new();
    for name in ["guardian", "incident"] {
        let folder = root().join("examples").join(name);
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|end| end == "mg" || end == "gl"));
        files.sort();
        programs
            .push((name.to_owned(), files.iter().map(|path| fs::read_to_string(path).unwrap()).collect()));
    }
    let is_of_programs = |rule: &&Rule| {
        !rule.bad.starts_with("#- mangle-ls.toml")
            && !rule.code.starts_with("PB")
            && !rule.code.starts_with("PP")
    };
    for rule in rules().filter(is_of_programs) {
        programs.push((format!("bad {}", rule.name), split(rule.bad)));
    }
    for entry in fs::read_dir(root().join("tests/language")).unwrap() {
        let path = entry.unwrap().path();
        let suite = fs::read_to_string(&path).unwrap();
        for (index, block) in suite.split("```mangle\n").skip(1).enumerate() {
            let text = block.split("```").next().unwrap();
            programs.push((format!("{} {index}", path.file_name().unwrap().display()), split(text)));
        }
    }
    // Some rules are about files that are no programs.
    programs.retain(|(_, texts)| !texts.is_empty());
    programs.sort();
    programs
}

fn split(text: &str) -> Texts {
    let mut files: Texts = Vec::new();
    for line in text.split_inclusive('\n') {
        match files.last_mut() {
            _ if line.starts_with("#- ") => files.push(String::new()),
            Some(file) => file.push_str(line),
            None => files.push(line.to_owned()),
        }
    }
    files
}

/// What people lose, double and mix up.
const PIECES: [&str; 18] = [
    ".",
    ",",
    "(",
    ")",
    "\"",
    ":-",
    "!",
    "_",
    "X",
    " == ",
    "not ",
    " // why\n",
    "\n",
    " + 1",
    "|> do ",
    "[",
    "\r\n",
    "é",
];

/// One small mistake in one file.
pub fn mutate(texts: &mut Texts, random: &mut Random) {
    let file = random.below(texts.len());
    let text = &mut texts[file];
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if starts.is_empty() {
        return;
    }
    let at = random.below(starts.len());
    let (start, end) = (starts[at], starts.get(at + 1 + random.below(3)).copied().unwrap_or(text.len()));
    match random.below(3) {
        0 => text.replace_range(start..end, ""),
        1 => text.insert_str(start, PIECES[random.below(PIECES.len())]),
        _ => text.replace_range(start..end, PIECES[random.below(PIECES.len())]),
    }
}

/// The Mangle files below a folder that are UTF-8, with their paths, sorted.
pub fn mangle_files(folder: &Path) -> Vec<(String, String)> {
    let mut folders = vec![PathBuf::from(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "mg" || end == "gl") {
                files.extend(fs::read_to_string(&path).ok().map(|text| (path.display().to_string(), text)));
            }
        }
    }
    files.sort();
    files
}
