//! Where a thing comes from: its definition, its declaration, the rules that make it, the type of it.

mod types;
mod variable;

pub use types::type_definition;
pub use variable::origin_of_variable;

use super::Place;
use super::subject::Subject;
use super::variable::Variable;
use mangle_engine::program::{FileSummary, Predicate, Program, Site};
use mangle_syntax::syntax::ast::{Item, StatementKind};
use mangle_syntax::text::{FileId, Symbol, TextRange};

/// What was asked about, and where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The bytes that were asked about.
    pub origin: TextRange,
    /// The places, the best first.
    pub targets: Vec<DefinitionTarget>,
}

/// A place to go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DefinitionTarget {
    pub file: FileId,
    /// The statement around it.
    pub whole: TextRange,
    pub name: TextRange,
}

impl DefinitionTarget {
    /// A place in a statement of a file.
    fn new(file: &FileSummary, item: &Item, name: TextRange) -> Self {
        Self { file: file.id, whole: item.statement.range() + item.start, name }
    }

    fn of(site: &Site<'_>) -> Self {
        Self::new(site.file, site.item, site.range + site.item.start)
    }
}

/// Where what stands at a place comes from. A predicate: its `Decl`, else the first of its clauses; asked at a `Decl`,
/// the clauses. A variable: where it gets its value. A package: its `Package` statements.
#[must_use]
pub fn definition(place: Place<'_>) -> Option<Definition> {
    found(place, |subject, program| match subject {
        Subject::Predicate(key) => {
            let predicate = program.predicate(key)?;
            let declared =
                program.declarations(predicate).map(|site| DefinitionTarget::of(&site)).collect::<Vec<_>>();
            let here = declared.iter().any(|target| is_at(place, target));
            let clauses = if here || declared.is_empty() {
                runs(program.clauses(predicate)).collect()
            } else {
                Vec::new()
            };
            Some(if clauses.is_empty() { declared } else { clauses })
        }
        Subject::Variable(variable) => of_variable(program, variable),
        Subject::Package(package) => Some(packages(program, package)),
        _ => None,
    })
}

/// The declarations of what stands at a place: the `Decl`s of a predicate, the parameter of a declaration. Of
/// everything else the definition.
#[must_use]
pub fn declaration(place: Place<'_>) -> Option<Definition> {
    match Subject::at(place)?.0 {
        Subject::Predicate(_) => found(place, |subject, program| {
            let declared = program.declarations(predicate(program, subject)?);
            Some(declared.map(|site| DefinitionTarget::of(&site)).collect())
        }),
        _ => definition(place),
    }
}

/// What makes a predicate true: its rules, or its facts if it has no rules.
#[must_use]
pub fn implementation(place: Place<'_>) -> Option<Definition> {
    found(place, |subject, program| {
        let predicate = predicate(program, subject)?;
        let rules: Vec<_> = program.rules(predicate).map(|site| DefinitionTarget::of(&site)).collect();
        Some(if rules.is_empty() { runs(program.clauses(predicate)).collect() } else { rules })
    })
}

/// What stands at a place, and what `lead` says of it; `None` where that is nothing.
fn found<'a>(
    place: Place<'a>,
    lead: impl FnOnce(Subject, &'a Program) -> Option<Vec<DefinitionTarget>>,
) -> Option<Definition> {
    let (subject, origin) = Subject::at(place)?;
    let targets = lead(subject, place.program()).filter(|targets| !targets.is_empty())?;
    Some(Definition { origin, targets })
}

fn predicate(program: &Program, subject: Subject) -> Option<&Predicate> {
    match subject {
        Subject::Predicate(key) => program.predicate(key),
        _ => None,
    }
}

fn is_at(place: Place<'_>, target: &DefinitionTarget) -> bool {
    target.file == place.file.id && target.name.contains_inclusive(place.offset)
}

/// The first clause of each run: rows of a table of facts would drown everything else.
fn runs<'p>(clauses: impl Iterator<Item = Site<'p>>) -> impl Iterator<Item = DefinitionTarget> {
    let mut last: Option<(FileId, usize)> = None;
    clauses.filter_map(move |site| {
        let index = site.file.item_at(site.item.start)?;
        let is_fact = site.item.statement.clause().is_some_and(|clause| clause.is_fact());
        let goes_on = is_fact && last.is_some_and(|last| last == (site.file.id, index));
        last = is_fact.then_some((site.file.id, index + 1));
        (!goes_on).then(|| DefinitionTarget::of(&site))
    })
}

fn of_variable(program: &Program, variable: Variable) -> Option<Vec<DefinitionTarget>> {
    let file = program.file(variable.file)?;
    let item = file.items.get(variable.item as usize)?;
    let name = origin_of_variable(program, variable)?;
    Some(vec![DefinitionTarget::new(file, item, name)])
}

fn packages(program: &Program, package: Symbol) -> Vec<DefinitionTarget> {
    let statements = program.files.iter().flat_map(|file| file.items.iter().map(move |item| (file, item)));
    let named = statements.filter_map(|(file, item)| match &item.statement.kind {
        StatementKind::Package(name) if name.name.symbol == package => {
            Some(DefinitionTarget::new(file, item, name.name.range + item.start))
        }
        _ => None,
    });
    named.collect()
}

#[cfg(test)]
mod tests;
