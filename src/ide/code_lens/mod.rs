//! Lines above the statements of a file: above a rule how many facts it gives, above a predicate the question for its
//! facts.
//!
//! Takes a program and a file of it; gives the [`Lens`]es, which cost next to nothing ([`code_lenses`]). What stands in
//! that of a rule is said when the program was evaluated ([`rows_in_words`]).

#[cfg(test)]
mod tests;

use rustc_hash::FxHashSet;

use super::Analysis;
use super::evaluation::{ClauseYield, EvaluationView};
use mangle_check::describe::parameter_name;
use mangle_engine::program::{FileSummary, Predicate, Program, key_of};
use mangle_settings::Reading;
use mangle_syntax::syntax::ast::{Item, StatementKind};
use mangle_syntax::text::{FileId, TextRange};

/// A line above a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// The head that it belongs to.
    pub range: TextRange,
    pub kind: LensKind,
    /// The atom that the program is asked for.
    pub atom: String,
}

/// What a lens is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LensKind {
    /// Says how many facts a rule gives: the statement at this index.
    Rows(usize),
    /// Asks for the facts of a predicate.
    Query,
}

/// The lenses of a file, in the order of its statements.
#[must_use]
pub fn code_lenses(analysis: &dyn Analysis, file: FileId) -> Vec<Lens> {
    let program = analysis.program();
    let Some(file) = program.file(file) else { return Vec::new() };
    let mut lenses = Vec::new();
    let mut asked = FxHashSet::default();
    for (at, item) in file.items.iter().enumerate().filter(|(_, item)| !item.statement.damaged) {
        let (head, rows) = match &item.statement.kind {
            StatementKind::Declaration(declaration) => (&declaration.atom, None),
            StatementKind::Clause(clause) => {
                (&clause.head, (!clause.is_fact()).then_some(LensKind::Rows(at)))
            }
            _ => continue,
        };
        let Some(predicate) = program.predicate_of(file, head) else { continue };
        let range = head.range + item.start;
        // What is evaluated where it is asked for has no facts of its own.
        if predicate.signature.deferred {
            continue;
        }
        let atom = question(program, predicate);
        if is_its_place(program, predicate, file, item) && asked.insert(key_of(head)) {
            lenses.push(Lens { range, kind: LensKind::Query, atom: atom.clone() });
        }
        lenses.extend(rows.map(|kind| Lens { range, kind, atom }));
    }
    lenses
}

/// Whether a statement is the one above which a predicate is asked for: its first `Decl`, else its first clause.
fn is_its_place(program: &Program, predicate: &Predicate, file: &FileSummary, item: &Item) -> bool {
    let first = predicate.declared_at.or(predicate.defined_at);
    first.is_some_and(|(in_file, at)| {
        let found = program.files.get(in_file as usize);
        found.is_some_and(|found| found.id == file.id)
            && file.items.get(at as usize).is_some_and(|first| first.statement.id == item.statement.id)
    })
}

/// The atom that asks for all facts of a predicate: `permitted(Action, Target)`.
fn question(program: &Program, predicate: &Predicate) -> String {
    let mut names: Vec<String> = Vec::new();
    for at in 0..usize::from(predicate.key.arity) {
        let name = parameter_name(program, predicate, at).map(str::to_owned);
        let name = name.filter(|name| !names.contains(name)).unwrap_or_else(|| format!("X{}", at + 1));
        names.push(name);
    }
    format!("{}({})", predicate.key.name, names.join(", "))
}

/// What stands above the rule at an index: `3 rows, as written 0`; with several samples `3 rows in a.kernel.mg, 0 in b.kernel.mg`.
#[must_use]
pub fn rows_in_words(tried: &[EvaluationView<'_>], file: &FileSummary, at: usize) -> String {
    let several = tried.len() > 1;
    let said = tried.iter().enumerate().filter_map(|(index, tried)| {
        let rows = of_one(tried, file, at, index == 0)?;
        Some(match tried.sample.filter(|_| several) {
            Some(sample) => format!("{rows} in {sample}"),
            None => rows,
        })
    });
    let said: Vec<_> = said.collect();
    if said.is_empty() { "not evaluated".to_owned() } else { said.join(", ") }
}

fn of_one(tried: &EvaluationView<'_>, file: &FileSummary, at: usize, is_first: bool) -> Option<String> {
    let statement = &file.items.get(at)?.statement;
    let readings = tried.readings?;
    let (shown, other) = (readings.shown(), readings.other());
    let given = shown.given(file.id, at, statement)?;
    let mut said = in_words(given, is_first);
    if !shown.is_complete() {
        said = format!("{said} so far");
    }
    if let Some(different) = other.given(file.id, at, statement).filter(|other| other.rows() != given.rows())
    {
        let whose = match other.reading() {
            Reading::Written => "as written",
            Reading::Go => "the engine",
        };
        said = format!("{said} ({whose}: {})", different.rows());
    }
    Some(said)
}

fn in_words(given: ClauseYield, is_first: bool) -> String {
    match given {
        ClauseYield::Rows(1) if is_first => "1 row".to_owned(),
        ClauseYield::Rows(rows) if is_first => format!("{rows} rows"),
        ClauseYield::Rows(rows) => rows.to_string(),
        ClauseYield::Nothing => if is_first { "0 rows" } else { "0" }.to_owned(),
        ClauseYield::NothingNew => "no row of its own".to_owned(),
    }
}
