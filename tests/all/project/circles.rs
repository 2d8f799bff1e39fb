//! Files of one library that import each other in a circle have to be read together, so there are few of them, each with
//! a reason.

use std::collections::{BTreeMap, BTreeSet};

use super::layering::{SourceText, product};

/// The circles that there are: their modules in order, and why they stay.
const KNOWN: &[(&[&str], &str)] = &[
    (
        &["mangle_engine::kernel::values::measure", "mangle_engine::kernel::values::table"],
        "size and order of a value come of its parts, which the table holds",
    ),
    (
        &[
            "mangle_engine::program::dependencies",
            "mangle_engine::program::graph",
            "mangle_engine::program::join",
            "mangle_engine::program::update",
        ],
        "a program keeps its graph, which is made of the program and follows the difference to the one before",
    ),
    (
        &[
            "piggyback::transcript::shapes::message",
            "piggyback::transcript::shapes::table",
            "piggyback::transcript::shapes::value",
            "piggyback::transcript::shapes::value_author",
        ],
        "values hold messages, whose parts are values again; who a value is of is told by its role and its place",
    ),
    (
        &["mangle_ls::cli::preview", "mangle_ls::cli::preview::requests"],
        "parts of one command that share its arguments",
    ),
    (
        &["mangle_ls::cli::replay", "mangle_ls::cli::replay::policy", "mangle_ls::cli::replay::session"],
        "parts of one command that share its arguments",
    ),
    (
        &["mangle_verify::completeness::operations", "mangle_verify::completeness::rules"],
        "operations of rules and of the functions inside of them",
    ),
    (
        &["mangle_verify::search", "mangle_verify::solver_search"],
        "one search, with the part that needs a solver in a file of its own",
    ),
    (
        &["mangle_verify::smt::encoder", "mangle_verify::smt::slots", "mangle_verify::smt::step"],
        "parts of one encoder that share its state",
    ),
];

#[test]
fn circles_of_imports_are_known() {
    let circles = Imports::new(&product()).circles();
    let known: Vec<Vec<&str>> = KNOWN.iter().map(|(circle, _)| circle.to_vec()).collect();
    let new: Vec<_> = circles.iter().filter(|circle| !known.iter().any(|one| one == *circle)).collect();
    let gone: Vec<_> = known.iter().filter(|circle| !circles.iter().any(|one| one == *circle)).collect();
    assert!(new.is_empty() && gone.is_empty(), "not in the table: {new:#?}\nno circle any more: {gone:#?}");
}

#[test]
fn imports_are_followed_through_groups_and_re_exports() {
    let file = |name: &str, code: &str| SourceText { name: format!("src/{name}.rs"), code: code.to_owned() };
    let imports = Imports::new(&[
        file("a", "use super::b::{self, c::Leaf};\n"),
        file("b", "mod c;\npub use c::Leaf;\n"),
        file("b/c", "use crate::d::Root as Other;\n"),
        file("d", "use crate::{\n    a::Thing,\n    b::Leaf,\n};\n"),
    ]);
    assert_eq!(imports.circles(), [["mangle_ls::a", "mangle_ls::b::c", "mangle_ls::d"]]);
}

type Path = Vec<String>;

/// What the files of the product import, each file by the path of its module.
struct Imports {
    /// The modules, and the paths that each imports.
    uses: BTreeMap<Path, Vec<Path>>,
    /// What a module offers under a name, and where that is from.
    exports: BTreeMap<Path, Path>,
}

impl Imports {
    fn new(files: &[SourceText]) -> Self {
        let mut imports = Self { uses: BTreeMap::new(), exports: BTreeMap::new() };
        imports.uses.extend(files.iter().map(|file| (module(&file.name), Vec::new())));
        for file in files {
            let module = module(&file.name);
            for statement in file.code.split(';') {
                let Some((before, tree)) = statement.rsplit_once("use ") else { continue };
                let is_export =
                    before.lines().last().is_some_and(|line| line.trim_start().starts_with("pub"));
                for path in leaves(&[], tree) {
                    let Some(path) = imports.absolute(&module, &path) else { continue };
                    if is_export {
                        imports.exports.insert(joined(&module, path.last().into_iter()), path);
                    } else {
                        imports.uses.entry(module.clone()).or_default().push(path);
                    }
                }
            }
        }
        imports
    }

    /// A path from the root of its library; `None` for one of another.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Path> {
        let up = path.iter().take_while(|part| *part == "super").count();
        let base = match path.first()?.as_str() {
            "crate" => return Some(joined(&module[..1], path[1..].iter())),
            "self" => return Some(joined(module, path[1..].iter())),
            _ => &module[..module.len().checked_sub(up)?],
        };
        let whole = joined(base, path[up..].iter());
        (up > 0 || self.uses.contains_key(&whole[..=base.len()])).then_some(whole)
    }

    /// The module that has what a path names.
    fn home(&self, path: &[String]) -> Option<Path> {
        let end = (1..=path.len()).rev().find(|&end| self.uses.contains_key(&path[..end]))?;
        match path.get(..=end).and_then(|name| self.exports.get(name)) {
            Some(origin) if origin[..] != path[..] => self.home(&joined(origin, path[end + 1..].iter())),
            _ => Some(path[..end].to_vec()),
        }
    }

    /// The modules that import each other, directly or through others.
    fn circles(&self) -> Vec<Vec<String>> {
        let direct: BTreeMap<_, BTreeSet<_>> = (self.uses.iter())
            .map(|(module, paths)| {
                (module.clone(), paths.iter().filter_map(|path| self.home(path)).collect())
            })
            .collect();
        let reach: BTreeMap<_, _> =
            direct.keys().map(|module| (module, reachable(&direct, module))).collect();
        let circle = |module: &Path| {
            let others = reach[module].iter().filter(|other| reach[other].contains(module));
            others.map(|other| other.join("::")).collect::<Vec<_>>()
        };
        let circles: BTreeSet<_> = direct.keys().map(circle).filter(|circle| circle.len() > 1).collect();
        circles.into_iter().collect()
    }
}

/// What a module imports, and what that imports.
fn reachable(direct: &BTreeMap<Path, BTreeSet<Path>>, module: &Path) -> BTreeSet<Path> {
    let mut reached = BTreeSet::new();
    let mut open = vec![module];
    while let Some(next) = open.pop() {
        open.extend(direct[next].iter().filter(|used| reached.insert((*used).clone())));
    }
    reached
}

/// `crates/piggyback/src/transcript/check.rs` is `piggyback::transcript::check`.
fn module(file: &str) -> Path {
    let (library, path) = match file.strip_prefix("crates/").and_then(|file| file.split_once("/src/")) {
        Some((library, path)) => (library.replace('-', "_"), path),
        None => ("mangle_ls".to_owned(), file.trim_start_matches("src/")),
    };
    let parts = path.trim_end_matches(".rs").split('/').filter(|part| !["lib", "mod"].contains(part));
    [library].into_iter().chain(parts.map(str::to_owned)).collect()
}

/// The paths of an import, those in braces each by itself.
fn leaves(prefix: &[String], tree: &str) -> Vec<Path> {
    let tree = tree.trim();
    if let Some((path, group)) = tree.split_once('{') {
        let prefix = joined(prefix, parts(path).iter());
        let group = group.rsplit_once('}').map_or(group, |(group, _)| group);
        let mut depth = 0;
        let parts = group.split(|sign| {
            depth += i32::from(sign == '{') - i32::from(sign == '}');
            sign == ',' && depth == 0
        });
        return parts.flat_map(|part| leaves(&prefix, part)).collect();
    }
    let name = tree.split(" as ").next().unwrap_or_default();
    let path = joined(prefix, parts(name).iter().filter(|part| *part != "self" || prefix.is_empty()));
    if tree.is_empty() { Vec::new() } else { vec![path] }
}

fn parts(path: &str) -> Path {
    path.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn joined<'p>(base: &[String], more: impl Iterator<Item = &'p String>) -> Path {
    base.iter().cloned().chain(more.cloned()).collect()
}
