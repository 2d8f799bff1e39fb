//! Checks of names: names that a column never contains (`MG607`), and misspelled names that are similar
//! to another name of their column (`MG609`).
//!
//! Names of real programs are often similar on purpose, for example `/task_1` and `/task_2`, `/valid`
//! and `/invalid`, `/degrade` and `/degraded`. Such pairs are not typing mistakes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::wording::{QUOTED, atom_of, described, found, noun, place, with_origin};
use crate::analysis::wording::code;
use crate::analysis::{CheckContext, ProgramFindings};
use mangle_engine::program::{Predicate, Program, Site};
use mangle_engine::types::{TypeProblem, TypeProblemKind};
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
pub(super) fn check_near(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
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
                report(predicate, at, *name, **meant, column, *spot, out);
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
    name: Symbol,
    meant: Symbol,
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

/// For example `state(/open). shut() :- state(/shut).`
pub(super) static NAME_NEVER_USED: Rule = rule!("name-never-used.md");

/// The finding about names that never match.
pub(super) fn never_used(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
) -> Option<Finding> {
    let (message, note) = match problem.kind {
        TypeProblemKind::Premise { premise, argument, negated: false } => {
            let described = described(context, atom_of(clause, premise)?);
            let found = match problem.variable {
                Some(_) => noun(&problem.found),
                None => code(context.slice(problem.range), QUOTED),
            };
            let message = format!("argument {} of {described} is never {found}", argument + 1);
            (message, format!("clauses of {described} have {} there", noun(&problem.wanted)))
        }
        TypeProblemKind::Equality { negated: false, .. } => {
            let wanted = noun(&problem.wanted);
            let message = format!("{} is never {wanted} in this program", found(context, problem));
            (message, "the premise holds only if the host adds such a fact".to_owned())
        }
        _ => return None,
    };
    let mut finding = Finding::new(&NAME_NEVER_USED, problem.range, message).note(note);
    if let TypeProblemKind::Premise { premise, argument, .. } = problem.kind
        && let Some(predicate) = context.predicate(atom_of(clause, premise)?)
        && let Some((span, what)) = place(context, predicate, 0, argument)
    {
        finding = finding.related(span, what);
    }
    Some(with_origin(finding, context, clause, problem))
}

/// Minimum length of a word for a substituted letter: `state` and `stage` are two words.
const MIN_LEN: usize = 6;
/// Minimum length of the longer word for an inserted or deleted letter.
const SHORTEST_INSERTION: usize = 5;
/// Minimum length of the shorter word for swapped neighbors or for a difference in case.
const SHORTEST_SWAP: usize = 4;

/// Minimum length of the shorter word for two edits.
const TWO_SLIPS: usize = 8;

/// True if `name` and `other` differ in one word, by a typing mistake.
fn is_typo(name: &str, other: &str) -> bool {
    let is_border = |char: char| matches!(char, '/' | '_' | '-' | '.');
    let (mut of_name, mut of_other) = (name.split(is_border), other.split(is_border));
    let mut different = None;
    loop {
        match (of_name.next(), of_other.next()) {
            (None, None) => break,
            (Some(one), Some(another)) if one == another => {}
            (Some(one), Some(another)) if different.is_none() => different = Some((one, another)),
            _ => return false,
        }
    }
    different.is_some_and(|(one, another)| is_word_slip(one, another))
}

fn is_word_slip(one: &str, other: &str) -> bool {
    let (shorter, longer) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_word(one) || !is_word(other) || longer.len() - shorter.len() > 2 {
        return false;
    }
    if one.eq_ignore_ascii_case(other) {
        return shorter.len() >= SHORTEST_SWAP;
    }
    // The ends of words carry meaning: `closed` and `closes`, `valid` and `invalid`.
    if longer.starts_with(shorter) || longer.ends_with(shorter) {
        return false;
    }
    if one.bytes().next() != other.bytes().next() {
        return false;
    }
    match strsim::osa_distance(one, other) {
        1 if is_swap(one, other) => shorter.len() >= SHORTEST_SWAP,
        1 if shorter.len() < longer.len() => longer.len() >= SHORTEST_INSERTION,
        1 => shorter.len() >= MIN_LEN && !differ_at_the_end(one, other),
        2 => shorter.len() >= TWO_SLIPS && !differ_at_the_end(one, other),
        _ => false,
    }
}

/// True if the words differ by two swapped neighbors.
fn is_swap(one: &str, other: &str) -> bool {
    one.len() == other.len() && strsim::levenshtein(one, other) == 2
}

/// True if only the last letter or two differ, for example `closed` and `closes`.
fn differ_at_the_end(one: &str, other: &str) -> bool {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    one.len() == other.len() && same + 2 >= one.len() && one.bytes().last() != other.bytes().last()
}

#[cfg(test)]
mod tests {
    use super::is_typo;

    #[test]
    fn slips_of_the_keys_are_told_from_other_words() {
        for (name, other) in [
            ("/degradd", "/degraded"),
            ("/degarded", "/degraded"),
            ("/degradded", "/degraded"),
            ("/opne", "/open"),
            ("/Degraded", "/degraded"),
            ("/state/degredad", "/state/degraded"),
            ("/needs_aproval", "/needs_approval"),
            ("/critcal", "/critical"),
            ("/wrte", "/write"),
        ] {
            assert!(is_typo(name, other) && is_typo(other, name), "{name} {other}");
        }
        for (name, other) in [
            ("/task_1", "/task_2"),
            ("/p1", "/p2"),
            ("/valid", "/invalid"),
            ("/degrade", "/degraded"),
            ("/closed", "/closes"),
            ("/increase", "/decrease"),
            ("/read", "/write"),
            ("/test", "/text"),
            ("/stage", "/state"),
            ("/a/degraded", "/degraded"),
            ("/class_a", "/class_b"),
            ("/high", "/higher"),
            ("/north", "/south"),
            ("/degraded", "/degraded"),
        ] {
            assert!(!is_typo(name, other), "{name} {other}");
        }
    }
}
