//! Go to definition, declaration, implementation and type definition.

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

/// Result of a navigation request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Range of the word at the cursor.
    pub origin: TextRange,
    /// Targets, best first.
    pub targets: Vec<DefinitionTarget>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DefinitionTarget {
    pub file: FileId,
    /// Range of the enclosing statement.
    pub whole: TextRange,
    pub name: TextRange,
}

impl DefinitionTarget {
    fn new(file: &FileSummary, item: &Item, name: TextRange) -> Self {
        Self { file: file.id, whole: item.statement.range() + item.start, name }
    }

    fn from_site(site: &Site<'_>) -> Self {
        Self::new(site.file, site.item, site.range + site.item.start)
    }
}

/// Go to definition. A predicate leads to its `Decl`s, or to its clauses if it has none or the
/// cursor is on a `Decl`. A variable leads to the place that binds it, and a package to its
/// `Package` statements.
#[must_use]
pub fn definition(place: Place<'_>) -> Option<Definition> {
    resolve_targets(place, |subject, program| match subject {
        Subject::Predicate(key) => {
            let predicate = program.predicate(key)?;
            let declared = program
                .declarations(predicate)
                .map(|site| DefinitionTarget::from_site(&site))
                .collect::<Vec<_>>();
            let here = declared.iter().any(|target| is_at(place, target));
            let clauses = if here || declared.is_empty() {
                first_of_fact_runs(program.clauses(predicate)).collect()
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

/// Go to declaration: the `Decl`s of a predicate, and otherwise the definition.
#[must_use]
pub fn declaration(place: Place<'_>) -> Option<Definition> {
    match Subject::at(place)?.0 {
        Subject::Predicate(_) => resolve_targets(place, |subject, program| {
            let declared = program.declarations(predicate(program, subject)?);
            Some(declared.map(|site| DefinitionTarget::from_site(&site)).collect())
        }),
        _ => definition(place),
    }
}

/// Go to implementation: the rules of a predicate, or its facts if it has no rules.
#[must_use]
pub fn implementation(place: Place<'_>) -> Option<Definition> {
    resolve_targets(place, |subject, program| {
        let predicate = predicate(program, subject)?;
        let rules: Vec<_> = program.rules(predicate).map(|site| DefinitionTarget::from_site(&site)).collect();
        Some(if rules.is_empty() { first_of_fact_runs(program.clauses(predicate)).collect() } else { rules })
    })
}

/// Returns the subject at a place with the targets from `lead`. `None` if there are no targets.
fn resolve_targets<'a>(
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

/// Returns all rules, and the first fact of each run of consecutive facts, to keep the result
/// short.
fn first_of_fact_runs<'p>(clauses: impl Iterator<Item = Site<'p>>) -> impl Iterator<Item = DefinitionTarget> {
    let mut last: Option<(FileId, usize)> = None;
    clauses.filter_map(move |site| {
        let index = site.file.item_at(site.item.start)?;
        let is_fact = site.item.statement.clause().is_some_and(|clause| clause.is_fact());
        let goes_on = is_fact && last.is_some_and(|last| last == (site.file.id, index));
        last = is_fact.then_some((site.file.id, index + 1));
        (!goes_on).then(|| DefinitionTarget::from_site(&site))
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
