//! A program as often as it is wanted: each copy with predicates of its own.

use std::path::PathBuf;
use std::sync::Arc;

use mangle_engine::program::{FileSummary, Predicate, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{FileId, TextRange, apply};

use crate::support;
use crate::support::client::Folder;

/// All copies are one program, however many there are.
const CONFIGURATION: &str = "[files]\nmax_scan_files = 100000\n\n\
    [[program]]\nname = \"copies\"\ninclude = [\"**/*.mg\", \"**/*.gl\"]\n";

/// The programs of a folder.
pub(crate) struct Copies {
    folder: Folder,
    pub(crate) files: usize,
    /// A rule of the first copy: its file, and where the arguments of its last premise start, in bytes.
    pub(crate) body: Place,
    /// The `Decl` of the first copy with the number of users that is nearest to [`USERS`]: the name of a type in it.
    pub(crate) declaration: Place,
    /// How many premises ask for that predicate.
    pub(crate) users: usize,
}

/// A place in a file of the copies.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) text: String,
    /// In bytes.
    pub(crate) range: std::ops::Range<usize>,
}

/// How many users the declaration has that is edited.
const USERS: usize = 30;

/// The files of the program that is copied, by name: those of a checkout of codeNERD, else those of an example.
pub(crate) fn texts(corpus: Option<PathBuf>) -> Vec<(String, String)> {
    let (folder, names) = match corpus {
        Some(folder) => (folder, support::kernel_files()),
        None => {
            let folder = support::root().join("examples/guardian");
            let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
            let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
            let is_policy = |name: &String| {
                (name.ends_with(".mg") || name.ends_with(".gl")) && !name.ends_with("_test.mg")
            };
            names.retain(is_policy);
            names.sort_unstable();
            (folder, names)
        }
    };
    let read =
        |name: String| std::fs::read_to_string(folder.join(&name)).ok().map(|text| (base(&name), text));
    names.into_iter().filter_map(read).collect()
}

fn base(name: &str) -> String {
    name.replace('/', "_")
}

impl Copies {
    /// As many copies as have about `size` files together, on disk.
    pub(crate) fn new(texts: &[(String, String)], size: usize) -> Self {
        let count = (size / texts.len()).max(1);
        let program = join(texts);
        let names = places_of_names(&program);
        let folder = Folder::new(&[("mangle-ls.toml", CONFIGURATION)]);
        for copy in 0..count {
            for ((name, text), names) in texts.iter().zip(&names) {
                let suffix = format!("_c{copy}");
                let edits = names.iter().map(|range| (TextRange::empty(range.end()), suffix.as_str()));
                folder.write(&format!("copy_{copy:03}/{name}"), &apply(text, edits).unwrap());
            }
        }
        let (declaration, users) = declaration(&program);
        let body = body(&program);
        // Of the name of a premise the last one: the first may be the `Decl` of the predicate, or one of its facts.
        let place = |(file, needle): (usize, String)| {
            let path = format!("copy_000/{}", texts[file].0);
            let text = std::fs::read_to_string(folder.path().join(&path)).unwrap();
            let at = text.rfind(&needle).unwrap();
            Place { path, text, range: at..at + needle.len() }
        };
        let inner = |place: Place, word: &str| {
            let at = place.range.start + place.text[place.range.clone()].rfind(word).unwrap();
            Place { range: at..at + word.len(), ..place }
        };
        let (body, declaration) = (inner(place(body), "("), inner(place(declaration), "/string"));
        Self { files: count * texts.len(), body, declaration, users, folder }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path()
    }

    pub(crate) fn uri(&self, path: &str) -> String {
        self.folder.uri(path)
    }

    /// Leaves the folder on disk.
    pub(crate) fn keep(self) -> PathBuf {
        let path = self.folder.path();
        std::mem::forget(self.folder);
        path
    }
}

fn join(texts: &[(String, String)]) -> Program {
    let files = texts.iter().zip(0..).map(|((_, text), id)| {
        let source = SourceFile::parse(text.as_str().into());
        Arc::new(FileSummary::new(FileId(id), &source))
    });
    Program::new(files.collect())
}

/// Where each file names a predicate, sorted.
fn places_of_names(program: &Program) -> Vec<Vec<TextRange>> {
    let mut places = vec![Vec::new(); program.files.len()];
    for predicate in program.predicates.iter().filter(|predicate| is_own(predicate)) {
        let sites = program.declarations(predicate).chain(program.clauses(predicate));
        let sites = sites.chain(program.uses(predicate).map(|(site, _)| site));
        for site in sites {
            places[site.file.id.0 as usize].push(site.range + site.item.start);
        }
    }
    for places in &mut places {
        places.sort_unstable_by_key(|range| range.start());
        places.dedup();
    }
    places
}

fn is_own(predicate: &Predicate) -> bool {
    !predicate.key.name.as_str().starts_with(':')
}

/// A rule with a premise, as its text up to the arguments of the last one, in the names of the first copy.
fn body(program: &Program) -> (usize, String) {
    let mut longest = (0, String::new());
    let most = program.files.iter().max_by_key(|file| file.items.len()).unwrap();
    for item in most.items.iter().filter(|item| !item.statement.damaged) {
        let Some(clause) = item.statement.clause().filter(|clause| !clause.is_fact()) else { continue };
        let Some(literal) = clause.literals().filter(|literal| !literal.atom.is_builtin()).last() else {
            continue;
        };
        let before = literal.atom.args_range().start();
        let text = &most.statement_text(item)[..usize::from(before) + 1];
        // The last premise in the names of the copy.
        let name =
            &text[usize::from(literal.atom.name.range.start())..usize::from(literal.atom.name.range.end())];
        longest = (most.id.0 as usize, format!("{name}_c0("));
    }
    if longest.1.is_empty() { rule_anywhere(program) } else { longest }
}

fn rule_anywhere(program: &Program) -> (usize, String) {
    let predicate =
        program.predicates.iter().find(|it| is_own(it) && program.uses(it).next().is_some()).unwrap();
    let (site, _) = program.uses(predicate).next().unwrap();
    (site.file.id.0 as usize, format!("{}_c0(", predicate.key.name))
}

/// A `Decl` with a column of strings, and how often premises ask for it.
fn declaration(program: &Program) -> ((usize, String), usize) {
    let declared = program.predicates.iter().filter_map(|predicate| {
        let site = program.declarations(predicate).next()?;
        let text = site.file.statement_text(site.item);
        let name = predicate.key.name.as_str();
        let needle = text.replacen(name, &format!("{name}_c0"), 1);
        let users = program.uses(predicate).count();
        text.contains("/string").then_some(((site.file.id.0 as usize, needle), users))
    });
    declared.min_by_key(|(_, users)| users.abs_diff(USERS)).unwrap()
}
