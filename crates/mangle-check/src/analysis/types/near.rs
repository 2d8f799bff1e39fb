//! Check for misspelled names: names that are similar to another name of their column (`MG609`).

use rustc_hash::{FxHashMap, FxHashSet};

use super::typos::is_typo;
use crate::analysis::ProgramFindings;
use mangle_engine::program::{Predicate, Program, Site};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Atom, Clause, Comparison, Operator, Premise, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange};

/// For example `state(/gate, /degradd).`
pub(crate) static NAME_NEAR: Rule = rule!("name-near.md");

/// Maximum number of distinct names of a column to compare. A column with more contains
/// identifiers.
const NAMES: usize = 200;

/// Minimum number of uses of a name next to its presumed misspelling, if both are used in the same
/// way.
const MIN_USES: usize = 3;

/// The position of a name in a column.
#[derive(Clone, Copy)]
struct NameSite<'p> {
    site: Site<'p>,
    range: TextRange,
}

/// The uses of one name in a column.
#[derive(Default)]
struct Uses<'p> {
    /// Uses in heads.
    written: Vec<NameSite<'p>>,
    /// Uses in premises, and in comparisons with a variable of the column.
    queried: Vec<NameSite<'p>>,
}

impl Uses<'_> {
    fn count(&self) -> usize {
        self.written.len() + self.queried.len()
    }
}

type Column<'p> = FxHashMap<Symbol, Uses<'p>>;

/// Compares the names of each column. A name in a comparison can belong to columns of several
/// predicates; [`crate::program_checks`] keeps one finding.
pub(super) fn check(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    if !out.is_enabled(&NAME_NEAR) {
        return;
    }
    let mut reported = FxHashSet::default();
    let columns = columns(program, predicate);
    for (at, column) in columns.iter().enumerate().filter(|(_, column)| (2..=NAMES).contains(&column.len())) {
        check_column(predicate, at, column, &mut reported, out);
    }
}

/// The names in each column of a predicate. If a bound of the declaration lists the names, the type
/// rules report the others.
fn columns<'p>(program: &'p Program, predicate: &'p Predicate) -> Vec<Column<'p>> {
    let mut columns: Vec<Column<'p>> = (0..predicate.key.arity).map(|_| Column::default()).collect();
    for site in program.clauses(predicate) {
        if let Some(clause) = site.item.statement.clause().filter(|_| !site.item.statement.damaged) {
            take(&mut columns, site, clause, &clause.head, |uses| &mut uses.written);
        }
    }
    for (site, _) in program.uses(predicate) {
        if let (Some(clause), Some(literal)) = (site.item.statement.clause(), site.literal()) {
            take(&mut columns, site, clause, &literal.atom, |uses| &mut uses.queried);
        }
    }
    columns
}

/// Collects the names of an atom, and the names that its variables are compared with.
fn take<'p>(
    columns: &mut [Column<'p>],
    site: Site<'p>,
    clause: &Clause,
    atom: &Atom,
    list: impl for<'u> Fn(&'u mut Uses<'p>) -> &'u mut Vec<NameSite<'p>>,
) {
    for (column, term) in columns.iter_mut().zip(&atom.args) {
        let mut add =
            |name: Symbol, range| list(column.entry(name).or_default()).push(NameSite { site, range });
        match term.kind {
            TermKind::Name(name) => add(name, term.range),
            TermKind::Variable(variable) => {
                compared(clause, variable).for_each(|(name, range)| add(name, range));
            }
            _ => {}
        }
    }
}

/// The names that a variable is compared with by `=` and `!=`.
fn compared(clause: &Clause, variable: Symbol) -> impl Iterator<Item = (Symbol, TextRange)> {
    let comparisons = clause.premises.iter().filter_map(|premise| match premise {
        Premise::Comparison(comparison) => Some(comparison),
        _ => None,
    });
    comparisons.filter_map(move |Comparison { left, right, operator, .. }| {
        let name = |one: &Term, other: &Term| match other.kind {
            TermKind::Name(name) if one.variable() == Some(variable) => Some((name, other.range)),
            _ => None,
        };
        name(left, right)
            .or_else(|| name(right, left))
            .filter(|_| matches!(operator, Operator::Equal | Operator::NotEqual))
    })
}

fn check_column(
    predicate: &Predicate,
    at: usize,
    column: &Column<'_>,
    reported: &mut FxHashSet<(mangle_syntax::text::StatementId, TextRange)>,
    out: &mut ProgramFindings,
) {
    let mut names: Vec<_> = column.iter().filter(|(_, uses)| uses.count() > 0).collect();
    names.sort_unstable_by_key(|(name, _)| name.as_str());
    for (name, uses) in names {
        let mut others: Vec<_> = column
            .iter()
            .filter(|(other, meant)| {
                *other != name && is_suspect(uses, meant) && is_typo(name.as_str(), other.as_str())
            })
            .collect();
        others.sort_unstable_by_key(|(other, meant)| (usize::MAX - meant.count(), other.as_str()));
        let Some((meant, _)) = others.first() else { continue };
        for spot in uses.written.iter().chain(&uses.queried) {
            if reported.insert((spot.site.item.statement.id, spot.range)) {
                report(predicate, at, (*name, **meant), column, *spot, out);
            }
        }
    }
}

/// True if the uses of a name indicate a misspelling of `meant`.
fn is_suspect(uses: &Uses<'_>, meant: &Uses<'_>) -> bool {
    if uses.count() > meant.count() {
        return false;
    }
    let (written, queried) = (!uses.written.is_empty(), !uses.queried.is_empty());
    match (written, queried) {
        (false, true) => !meant.written.is_empty(),
        // If one name only occurs in heads and the other only in premises, the rarer one is the
        // misspelling. With equal counts, it is the premise.
        (true, false) if meant.written.is_empty() => uses.count() < meant.count(),
        (true, false) => uses.count() == 1 && (!meant.queried.is_empty() || meant.count() >= MIN_USES),
        _ => false,
    }
}

fn report(
    predicate: &Predicate,
    at: usize,
    (name, meant): (Symbol, Symbol),
    column: &Column<'_>,
    spot: NameSite<'_>,
    out: &mut ProgramFindings,
) {
    let message = format!("`{name}` looks like a misspelling of `{meant}`");
    let note = format!("argument {} of `{}` has `{meant}` elsewhere", at + 1, predicate.key);
    let text = spot.site.file.statement_text(spot.site.item);
    // A period directly after a name would become part of the name.
    let behind = text.get(usize::from(spot.range.end())..).unwrap_or_default();
    let written = if behind.starts_with('.') { format!("{meant} ") } else { meant.to_string() };
    let mut finding = Finding::new(&NAME_NEAR, spot.range, message)
        .note(note)
        .fix(Fix::guess(format!("write `{meant}`")).replace(spot.range, written));
    let other = column.get(&meant).and_then(|uses| uses.written.first().or(uses.queried.first()));
    if let Some(other) = other {
        let (file, statement) = (other.site.file.id, other.site.item.statement.id);
        finding = finding.related(Span::new(file, statement, other.range), format!("`{meant}` is used here"));
    }
    out.push(spot.site.file.id, spot.site.item.statement.id, finding);
}
