//! Code lenses: the number of facts above each rule, and a query for the facts above each
//! predicate.
//!
//! [`code_lenses`] computes the [`Lens`]es without an evaluation and is cheap. After the evaluation
//! of the program, [`Lens::has_solutions`] filters them, and [`rule_title`] returns the title of a
//! rule lens.

#[cfg(test)]
mod tests;

use rustc_hash::FxHashSet;

use super::Analysis;
use super::evaluation::{ClauseYield, Evaluation, EvaluationView, fact_count};
use mangle_check::describe::parameter_name;
use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program, key_of};
use mangle_settings::Reading;
use mangle_syntax::syntax::ast::{Item, StatementKind};
use mangle_syntax::text::{FileId, TextRange};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// Range of the head below the lens.
    pub range: TextRange,
    pub kind: LensKind,
    /// Predicate of the head.
    pub predicate: PredicateKey,
    /// Atom to query.
    pub atom: String,
}

impl Lens {
    /// True if the rule has a solution, or the predicate a fact, in any evaluation and either
    /// reading. `file` must be the file of the lens.
    #[must_use]
    pub fn has_solutions(&self, evaluations: &[EvaluationView<'_>], file: &FileSummary) -> bool {
        evaluations.iter().any(|view| {
            let of = |evaluation| self.has_solutions_in(evaluation, file, view.is_current);
            view.readings.is_some_and(|readings| of(readings.shown()) || of(readings.other()))
        })
    }

    fn has_solutions_in(&self, evaluation: &Evaluation, file: &FileSummary, is_current: bool) -> bool {
        let has_facts = evaluation.rows(self.predicate, 0).is_some_and(|facts| facts.count > 0);
        // A predicate without facts has no solutions. This check avoids examining the bodies of
        // most idle rules.
        let LensKind::Rule(at) = self.kind else { return has_facts };
        let Some(item) = file.items.get(at).filter(|_| has_facts) else { return false };
        match evaluation.given(file.id, at, &item.statement) {
            Some(given) => given != ClauseYield::Nothing,
            // A rule under edit keeps its lens until the new text is evaluated.
            None => !is_current,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LensKind {
    /// Shows the number of facts of the rule with this statement index.
    Rule(usize),
    /// Queries the facts of the predicate.
    Query,
}

/// Returns the lenses of a file, in statement order.
#[must_use]
pub fn code_lenses(analysis: &dyn Analysis, file: FileId) -> Vec<Lens> {
    let program = analysis.program();
    let Some(file) = program.file(file) else { return Vec::new() };
    let mut lenses = Vec::new();
    let mut queried = FxHashSet::default();
    for (at, item) in file.items.iter().enumerate().filter(|(_, item)| !item.statement.damaged) {
        let (head, rule) = match &item.statement.kind {
            StatementKind::Declaration(declaration) => (&declaration.atom, None),
            StatementKind::Clause(clause) => {
                (&clause.head, (!clause.is_fact()).then_some(LensKind::Rule(at)))
            }
            _ => continue,
        };
        let Some(predicate) = program.predicate_of(file, head) else { continue };
        let range = head.range + item.start;
        // Deferred predicates are evaluated at their call sites and have no stored facts.
        if predicate.signature.deferred {
            continue;
        }
        let lens = |kind| Lens { range, kind, predicate: predicate.key, atom: query(program, predicate) };
        if is_query_lens_statement(program, predicate, file, item) && queried.insert(key_of(head)) {
            lenses.push(lens(LensKind::Query));
        }
        lenses.extend(rule.map(lens));
    }
    lenses
}

/// True if the query lens of the predicate belongs to this statement: the first `Decl`, otherwise
/// the first clause.
fn is_query_lens_statement(
    program: &Program,
    predicate: &Predicate,
    file: &FileSummary,
    item: &Item,
) -> bool {
    let first = predicate.declared_at.or(predicate.defined_at);
    first.is_some_and(|(in_file, at)| {
        let found = program.files.get(in_file as usize);
        found.is_some_and(|found| found.id == file.id)
            && file.items.get(at as usize).is_some_and(|first| first.statement.id == item.statement.id)
    })
}

/// Returns the atom that matches all facts of a predicate, for example `permitted(Action, Target)`.
pub(super) fn query(program: &Program, predicate: &Predicate) -> String {
    let mut names: Vec<String> = Vec::new();
    for at in 0..usize::from(predicate.key.arity) {
        let name = parameter_name(program, predicate, at).map(str::to_owned);
        let name = name.filter(|name| !names.contains(name)).unwrap_or_else(|| format!("X{}", at + 1));
        names.push(name);
    }
    format!("{}({})", predicate.key.name, names.join(", "))
}

/// Returns the title of the lens of a rule, for example `3 facts (reading intended: 0)`. With
/// several samples: `3 facts in a.kernel.mg, 1 in b.kernel.mg`. Samples without solutions of the
/// rule are omitted.
#[must_use]
pub fn rule_title(evaluations: &[EvaluationView<'_>], file: &FileSummary, at: usize) -> String {
    let yields =
        evaluations.iter().filter_map(|view| Some((view.sample, RuleYield::from_view(view, file, at)?)));
    let yields: Vec<_> = yields.collect();
    let Some((_, first)) = yields.first() else {
        let refusal = evaluations.iter().find_map(|view| view.refusal);
        return refusal.unwrap_or("not evaluated").to_owned();
    };
    let mut titles: Vec<String> = Vec::new();
    for (sample, given) in yields.iter().filter(|(_, given)| given.has_solutions()) {
        let count = given.count(titles.is_empty());
        titles.push(match sample.filter(|_| evaluations.len() > 1) {
            Some(sample) => format!("{count} in {sample}"),
            None => count,
        });
    }
    match titles.is_empty() {
        true if first.is_complete => "no solutions".to_owned(),
        true => "no solutions so far".to_owned(),
        false => titles.join(", "),
    }
}

/// Result of a rule in one evaluation.
struct RuleYield {
    shown: ClauseYield,
    is_complete: bool,
    /// Result in the other reading, if the number of facts differs.
    other: Option<(Reading, ClauseYield)>,
}

impl RuleYield {
    fn from_view(view: &EvaluationView<'_>, file: &FileSummary, at: usize) -> Option<Self> {
        let statement = &file.items.get(at)?.statement;
        let (shown, other) = (view.readings?.shown(), view.readings?.other());
        let is_complete = shown.is_complete();
        let given = shown.given(file.id, at, statement)?;
        let different = other.given(file.id, at, statement).filter(|other| other.rows() != given.rows());
        Some(Self {
            shown: given,
            is_complete,
            other: different.map(|different| (other.reading(), different)),
        })
    }

    fn has_solutions(&self) -> bool {
        self.shown != ClauseYield::Nothing || self.other.is_some()
    }

    /// Formats the number of facts, with the unit if `has_unit` is set.
    fn count(&self, has_unit: bool) -> String {
        let mut words = match self.shown {
            ClauseYield::NothingNew => "no new facts".to_owned(),
            given if !has_unit => given.rows().to_string(),
            given => fact_count(given.rows()),
        };
        if !self.is_complete {
            words.push_str(" so far");
        }
        if let Some((reading, different)) = self.other {
            let reading = match reading {
                Reading::Intended => "intended",
                Reading::Engine => "engine",
            };
            words.push_str(&format!(" (reading {reading}: {})", different.rows()));
        }
        words
    }
}
