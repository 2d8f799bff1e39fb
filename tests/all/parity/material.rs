//! The folders that are checked: examples, programs and replies whose behaviour in the reference programs is known.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::Walk;
use mangle_ide::registry::rules;
use mangle_syntax::lint::Rule;
use tempfile::TempDir;

use crate::support::{Random, root};

/// How many programs of one file, or replies, are in one folder, each beside the others.
const BATCH: usize = 25;

/// A copy of a folder.
pub(crate) struct Material {
    pub(crate) name: String,
    folder: TempDir,
    path: PathBuf,
}

/// All folders.
pub(crate) fn all() -> Vec<Material> {
    let mut all: Vec<_> = folders("examples").chain(folders("tests/conformance/programs")).collect();
    all.extend(batches("tests/conformance/cases", "policy"));
    all.extend(batches("tests/conformance/envelopes/cases", "transcripts"));
    assert!(all.len() > 20, "the material was not found");
    all.push(file_of_two_programs());
    all
}

/// A file whose duplicates have another first place in each of its programs.
fn file_of_two_programs() -> Material {
    let material = Material::new("a file of two programs".to_owned());
    let programs = "[[program]]\nname = \"all\"\n[[program]]\nname = \"b\"\ninclude = [\"b.mg\"]\n";
    material.write("mangle-ls.toml", programs.as_bytes());
    material.write("a.mg", b"q(/a).\n");
    material.write("b.mg", b"q(/a).\nq(/a).\np(X) :- q(X), r(X).\n");
    material
}

/// The bad and the good example of each rule.
pub(crate) fn examples_of_rules() -> Vec<Material> {
    let one = |rule: &Rule, which: &str, text: &str| {
        let material = Material::new(format!("{} of {}", which, rule.name));
        let first = if rule.code.starts_with("PB") { "transcripts/reply.txt" } else { "a.mg" };
        for (name, text) in parts(first, text) {
            material.write(&name, text.as_bytes());
        }
        material
    };
    let both = |rule: &'static Rule| [one(rule, "bad", rule.bad), one(rule, "good", rule.good)];
    // Of a limit of time, a slow machine meets another one.
    let is_steady = |rule: &&Rule| rule.name != "evaluation-limit";
    let is_shown = |material: &Material| {
        material.names().iter().all(|name| is_shown_as_it_is(material.text(name).as_bytes()))
    };
    rules().filter(is_steady).flat_map(both).filter(is_shown).collect()
}

/// The files of an example: a line `#- NAME` begins one; `first` is what is in front of the first such line.
fn parts(first: &str, text: &str) -> Vec<(String, String)> {
    let mut files = vec![(first.to_owned(), String::new())];
    for line in text.split_inclusive('\n') {
        match (line.strip_prefix("#- "), files.last_mut()) {
            (Some(name), _) => files.push((name.trim().to_owned(), String::new())),
            (None, Some((_, text))) => text.push_str(line),
            (None, None) => {}
        }
    }
    files.retain(|(_, text)| !text.is_empty());
    files
}

fn folders(below: &str) -> impl Iterator<Item = Material> {
    sorted(&root().join(below)).into_iter().filter(|path| path.is_dir()).map(|path| {
        let material = Material::new(path.strip_prefix(root()).unwrap().display().to_string());
        for file in Walk::new(&path).map(Result::unwrap).filter(|entry| entry.path().is_file()) {
            let name = file.path().strip_prefix(&path).unwrap().display().to_string();
            if !is_shown_as_it_is(&fs::read(file.path()).unwrap()) {
                continue;
            }
            material.write(&name, &fs::read(file.path()).unwrap());
        }
        material
    })
}

/// The files of a folder that editors show as they are, each a program or a transcript of its own.
fn batches(of: &str, into: &str) -> Vec<Material> {
    let mut files = sorted(&root().join(of));
    files.retain(|file| is_shown_as_it_is(&fs::read(file).unwrap()));
    let batch = |(at, files): (usize, &[PathBuf])| {
        let material = Material::new(format!("{of} {at}"));
        let mut programs = String::new();
        for file in files {
            let name = file.file_name().unwrap().to_string_lossy();
            material.write(&format!("{into}/{name}"), &fs::read(file).unwrap());
            programs += &format!("[[program]]\nname = \"{name}\"\ninclude = [\"{into}/{name}\"]\n");
        }
        if into == "policy" {
            material.write("mangle-ls.toml", programs.as_bytes());
        }
        material
    };
    files.chunks(BATCH).enumerate().map(batch).collect()
}

/// The files that editors show otherwise than they are: they hide byte order marks and replace what is not UTF-8.
pub(crate) fn shown_otherwise() -> Vec<Material> {
    let files =
        ["tests/conformance/cases", "tests/conformance/envelopes/cases"].map(|of| sorted(&root().join(of)));
    let files = files.into_iter().flatten().map(|file| (fs::read(&file).unwrap(), file));
    let one = |(bytes, file): (Vec<u8>, PathBuf)| {
        let name = file.file_name().unwrap().to_string_lossy();
        let material = Material::new(name.to_string());
        material.write(&format!("transcripts/{name}"), &bytes);
        material
    };
    files.filter(|(bytes, _)| !is_shown_as_it_is(bytes)).map(one).collect()
}

fn is_shown_as_it_is(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !text.starts_with('\u{feff}'))
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

impl Material {
    fn new(name: String) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        Self { name, folder, path }
    }

    /// A folder with these files.
    pub(crate) fn of_files(name: &str, files: &[(&str, &str)]) -> Self {
        let material = Self::new(name.to_owned());
        files.iter().for_each(|(name, text)| material.write(name, text.as_bytes()));
        material
    }

    /// The folder, as the system spells it.
    pub(crate) fn folder(&self) -> &Path {
        assert!(self.folder.path().exists());
        &self.path
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// The names of the files, without pages: fences in these are checked only while they are open.
    pub(crate) fn names(&self) -> Vec<String> {
        let files = Walk::new(&self.path).map(|entry| entry.unwrap().into_path());
        let files = files.filter(|path| path.is_file() && !path.ends_with("README.md"));
        let mut names: Vec<_> =
            files.map(|path| path.strip_prefix(&self.path).unwrap().display().to_string()).collect();
        names.sort();
        names
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path.join(name)).unwrap()
    }

    /// Changes a policy, a configuration or a transcript on disk: a line goes, comes twice, loses a character or changes
    /// places with its neighbour. Gives its name and its new text.
    pub(crate) fn edit(&self, dice: &mut Random) -> (String, String) {
        let names = self.names();
        let name = names[dice.below(names.len())].clone();
        let text = self.text(&name);
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        if !lines.is_empty() {
            let at = dice.below(lines.len());
            match dice.below(4) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                2 => lines.swap(at, dice.below(at + 1)),
                _ => {
                    let cut = dice.below(lines[at].chars().count());
                    let start = lines[at].char_indices().nth(cut).unwrap().0;
                    lines[at].remove(start);
                }
            }
        }
        let text = lines.concat();
        self.write(&name, text.as_bytes());
        (name, text)
    }
}
