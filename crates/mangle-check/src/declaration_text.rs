//! Generated `Decl`s for undeclared predicates, and their position, for the fix of
//! `undeclared-head` and for code actions.

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::describe::{Callable, bounds};
use super::lines::comment_start;
use crate::Analysis;
use mangle_engine::program::{DeclarationHome, FileSummary, Predicate, Program};
use mangle_engine::types::ProgramTypes;
use mangle_syntax::lint::{FileEdit, Finding, Fix, Span};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{FileId, StatementId, TextRange, TextSize, with_line_ends};

/// The rule whose fixes are created here, because they need types.
pub(crate) const UNDECLARED_HEAD: &str = "undeclared-head";

/// True if a `Decl` can be generated for the predicate.
#[must_use]
pub fn is_undeclared(predicate: &Predicate) -> bool {
    let signature = &predicate.signature;
    signature.declared.is_none() && !signature.host && !predicate.key.name.as_str().starts_with(':')
}

/// The predicates with clauses and without `Decl`, in program order.
pub fn undeclared(program: &Program) -> impl Iterator<Item = &Predicate> {
    program
        .predicates
        .iter()
        .filter(|predicate| predicate.signature.defined.is_some() && is_undeclared(predicate))
}

/// Generates a declaration: `Decl p(A, B) bound [/name, /string].`
#[must_use]
pub fn declaration(analysis: &dyn Analysis, predicate: &Predicate) -> String {
    let callable = Callable::predicate(analysis, predicate);
    let mut names: Vec<String> = Vec::new();
    for (index, parameter) in callable.parameters.iter().enumerate() {
        let own = parameter.name.clone().filter(|name| name != "_" && !names.contains(name));
        names.push(own.unwrap_or_else(|| format!("Arg{}", index + 1)));
    }
    let name = predicate.key.name.as_str();
    let name = name.rsplit_once('.').map_or(name, |(_, own)| own);
    let types = bounds(analysis, predicate);
    let temporal = if predicate.signature.temporal { " temporal" } else { "" };
    format!("Decl {name}({}){temporal} bound [{}].", names.join(", "), types.join(", "))
}

/// The position for the `Decl` of a predicate. `None` if its package has no declaration yet.
/// Predicates of a single test or sample are declared in that file.
#[must_use]
pub fn home(program: &Program, predicate: &Predicate) -> Option<DeclarationHome> {
    HomeKey::new(program, predicate).find(program)
}

/// The edits that declare predicates, next to the declarations of their package or before their
/// first clause. `elsewhere` is the position for a predicate without clauses if its package has no
/// declarations.
#[must_use]
pub fn edits(
    analysis: &dyn Analysis,
    predicates: &[&Predicate],
    elsewhere: Option<(FileId, TextSize)>,
) -> Vec<FileEdit> {
    let program = analysis.program();
    let mut edits: Vec<FileEdit> = Vec::new();
    for predicate in predicates {
        let declaration = declaration(analysis, predicate);
        let found = home(program, predicate).and_then(|home| at_home(program, home));
        let edit = match found {
            Some((file, at)) => insertion(program, file, at, format!("\n{declaration}")),
            None => {
                let clause = program.clauses(predicate).next();
                let at = clause.map(|site| (site.file.id, site.item.start)).or(elsewhere);
                at.and_then(|(file, at)| insertion(program, file, at, format!("{declaration}\n")))
            }
        };
        let Some(edit) = edit else { continue };
        // Insertions at the same position become one edit.
        match edits.iter_mut().find(|other| other.file == edit.file && other.range == edit.range) {
            Some(other) => other.text.push_str(&edit.text),
            None => edits.push(edit),
        }
    }
    edits.sort_by_key(|edit| (edit.file, edit.range.start()));
    edits
}

fn at_home(program: &Program, home: DeclarationHome) -> Option<(FileId, TextSize)> {
    let (file, statement, range) = home.place;
    let items = program.file(file)?.items.iter();
    let start = items.into_iter().find(|item| item.statement.id == statement)?.start;
    Some((file, start + range.start()))
}

fn insertion(program: &Program, file: FileId, at: TextSize, text: String) -> Option<FileEdit> {
    let text = with_line_ends(&program.file(file)?.text, text);
    Some(FileEdit { file, range: TextRange::empty(at), text })
}

/// The start of a statement, or of the comment directly above it.
#[must_use]
pub fn before(file: &FileSummary, item: &Item) -> (FileId, TextSize) {
    (file.id, comment_start(&file.text, item.start))
}

/// Adds fixes to findings about predicates without `Decl`.
pub(super) fn add_fixes(
    found: &mut [(FileId, StatementId, Finding)],
    program: &Program,
    types: &ProgramTypes,
    homes: &Homes,
) {
    for (file, statement, finding) in
        found.iter_mut().filter(|(.., finding)| finding.rule.name == UNDECLARED_HEAD)
    {
        finding.fix = fix(program, types, homes, *file, *statement);
    }
}

/// Cached positions of declarations, one for each kind of predicate.
#[derive(Debug, Default)]
pub(crate) struct Homes(Mutex<FxHashMap<HomeKey, Option<DeclarationHome>>>);

impl Homes {
    fn get(&self, program: &Program, predicate: &Predicate) -> Option<DeclarationHome> {
        let key = HomeKey::new(program, predicate);
        let known = self.0.lock().get(&key).copied();
        known.unwrap_or_else(|| {
            let found = key.find(program);
            self.0.lock().insert(key, found);
            found
        })
    }

    /// Repeats the lookups in a later state of the program. Returns true if a position changed.
    pub(crate) fn update(&self, program: &Program) -> bool {
        let mut is_different = false;
        for (key, known) in self.0.lock().iter_mut() {
            let found = key.find(program);
            is_different |= *known != found;
            *known = found;
        }
        is_different
    }
}

/// The properties of a predicate that determine the position of its declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct HomeKey {
    /// The test or sample file that contains all of its uses.
    single: Option<FileId>,
    package: &'static str,
}

impl HomeKey {
    fn new(program: &Program, predicate: &Predicate) -> Self {
        let own = program.clauses(predicate).next().map(|site| site.file.id);
        let single = own.filter(|file| is_single(program, *file));
        Self { single, package: if single.is_some() { "" } else { predicate.key.package() } }
    }

    fn find(self, program: &Program) -> Option<DeclarationHome> {
        DeclarationHome::find(program, |file| match self.single {
            Some(own) => file.id == own,
            None => {
                let package = file.package.map_or("", |own| own.as_str());
                package == self.package && !is_single(program, file.id)
            }
        })
    }
}

fn is_single(program: &Program, file: FileId) -> bool {
    program.embedding.separate_files.binary_search(&file).is_ok()
}

fn fix(
    program: &Program,
    types: &ProgramTypes,
    homes: &Homes,
    file: FileId,
    statement: StatementId,
) -> Option<Fix> {
    let file = program.file(file)?;
    let item = file.items.iter().find(|item| item.statement.id == statement)?;
    let predicate = program.predicate_of(file, &item.statement.clause()?.head)?;
    // A clause of another package is not declared in any file of this package. Text before a clause
    // on the same line can have syntax errors.
    let is_own = file.package.map_or("", |own| own.as_str()) == predicate.key.package();
    let before = file.text.get(..usize::from(item.start)).unwrap_or_default();
    let may_be_before = is_own && (before.is_empty() || before.ends_with('\n'));
    let home = homes.get(program, predicate);
    if !is_undeclared(predicate) || home.is_none() && !may_be_before {
        return None;
    }
    let declaration = declaration(&TypedProgram { program, types }, predicate);
    let fix = Fix::guess(format!("declare `{}`", predicate.key));
    Some(match home {
        Some(home) => {
            let (file, statement, range) = home.place;
            fix.edit(Span::new(file, statement, range), format!("\n{declaration}"))
        }
        // The package has no declaration yet.
        None => {
            let at = TextRange::empty(TextSize::new(0));
            fix.edit(Span::new(file.id, statement, at), format!("{declaration}\n"))
        }
    })
}

/// A program and its types, without syntax trees.
struct TypedProgram<'p> {
    program: &'p Program,
    types: &'p ProgramTypes,
}

impl Analysis for TypedProgram<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn types(&self) -> &ProgramTypes {
        self.types
    }

    fn source(&self, _: FileId) -> Option<&SourceFile> {
        None
    }
}
