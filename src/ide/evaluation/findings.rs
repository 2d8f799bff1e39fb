//! What shows only when a program is evaluated, as findings: solutions for which a call fails, clauses that cannot be
//! evaluated, and rules at which the evaluation reached a limit.

use rustc_hash::FxHashMap;

use super::rules::{EVALUATION_FAILS, EVALUATION_LIMIT};
use super::{Evaluation, Readings};
use crate::ide::registry;
use mangle_check::diagnostics::place;
use mangle_check::excerpt;
use mangle_engine::kernel::{BEHIND_BODY, Failure, Model, Reason, RowError, RuleId, Stop};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::{Reading, RuleSettings};
use mangle_syntax::lint::{Diagnostic, Finding, Severity};
use mangle_syntax::syntax::ast::{Clause, Item, Premise, Term, TermKind};
use mangle_syntax::text::{FileId, StatementId, Symbol, TextRange, slice};

/// How many characters of a premise are quoted.
const QUOTED: usize = 32;

/// How many characters a headline has at most.
const HEADLINE: usize = 72;

/// How many variables are named.
const NAMED: usize = 4;

/// A finding, and the statement that its ranges count from.
pub type ClauseFinding = (FileId, StatementId, Finding);

/// What the evaluation shows to be wrong with `program`, which says what was evaluated. `sample` is the name of the file whose facts were added, if any were: what
/// the program does with its own facts alone is worse.
#[must_use]
pub fn findings(readings: &Readings, program: &Program, sample: Option<&str>) -> Vec<ClauseFinding> {
    let go = readings.of(Reading::Engine);
    let blame = |evaluation| EvaluationLinter { evaluation, program, sample };
    let mut out = Vec::new();
    for fault in &go.compiled.faults {
        out.extend(blame(go).fault(fault.rule, fault.premise, &fault.failure));
    }
    let mut rules = Vec::new();
    let stopped = go.model.read().stopped.clone();
    let fatal = stopped.as_ref().filter(|stop| matches!(stop.reason, Reason::Failed(_)));
    out.extend(blame(go).failures(&mut rules));
    // What would stop the engine next.
    if fatal.is_some() {
        out.extend(blame(readings.of(Reading::Intended)).failures(&mut rules));
    }
    out.extend(stopped.as_ref().and_then(|stop| blame(go).limit(stop)));
    out
}

/// The findings as diagnostics of `program`, whose statements they are about, by file.
#[must_use]
pub fn diagnostics(
    program: &Program,
    settings: &RuleSettings,
    findings: &[ClauseFinding],
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    place(program, (settings, registry::all()), findings)
}

/// Whether a diagnostic of an evaluation says something new: in its statement nothing as grave is `known`, and
/// nothing of weight at its very place. That would probably be the same mistake.
#[must_use]
pub fn is_news(file: &FileSummary, diagnostic: &Diagnostic, known: &[&Diagnostic]) -> bool {
    let item = file.item_at(diagnostic.range.start()).and_then(|at| file.items.get(at));
    let Some(item) = item else { return true };
    let whole = item.statement.range() + item.start;
    let is_same = |known: &&Diagnostic| {
        let as_grave = whole.contains_range(known.range) && known.severity >= diagnostic.severity;
        let is_here = diagnostic.range.intersect(known.range).is_some();
        as_grave || (is_here && known.severity >= Severity::Warning)
    };
    !known.iter().any(is_same)
}

/// Says what is wrong with the clauses of a program that was evaluated.
struct EvaluationLinter<'e> {
    evaluation: &'e Evaluation,
    /// The program as it is by now.
    program: &'e Program,
    sample: Option<&'e str>,
}

impl EvaluationLinter<'_> {
    /// The failures of rows, one a rule; of rules in `seen` none.
    fn failures(&self, seen: &mut Vec<RuleId>) -> Vec<ClauseFinding> {
        let model = self.evaluation.model.read();
        let mut out = Vec::new();
        for error in &model.errors {
            if !seen.contains(&error.rule) {
                seen.push(error.rule);
                out.extend(self.failure(&model, error));
            }
        }
        out
    }

    fn failure(&self, model: &Model, error: &RowError) -> Option<ClauseFinding> {
        let (file, item, clause) = self.clause(error.rule)?;
        let range = at_fault(clause, error.premise);
        let text = excerpt(slice(file.statement_text(item), range), QUOTED);
        let bindings = model.bindings(&self.evaluation.compiled, error);
        let named = bindings.iter().filter_map(|binding| {
            Some((variable_at(clause, binding.premise, binding.argument)?, binding.value.as_str()))
        });
        let mut place = bound(&relevant(clause, error.premise, named.collect()));
        place.push_str(&self.with_sample());
        let (rule, severity) = match (error.failure.is_limit(), self.sample) {
            (true, _) => (&EVALUATION_LIMIT, Severity::Warning),
            (false, None) => (&EVALUATION_FAILS, Severity::Error),
            (false, Some(_)) => (&EVALUATION_FAILS, Severity::Warning),
        };
        let (headline, reason) = headline(&format!("`{text}` fails"), &error.failure.to_string());
        let mut finding = Finding::new(rule, range, headline).severity(severity);
        if let Some(reason) = reason {
            finding = finding.note(format!("{reason}{place}"));
        } else if !place.is_empty() {
            finding = finding.note(format!("it fails{place}"));
        }
        let finding = match error.failure.is_limit() {
            true => finding.note("the evaluation reaches its limit and ends here"),
            false => finding
                .note("the engine aborts the whole evaluation at such a solution")
                .help("exclude the value with an earlier premise"),
        };
        Some((file.id, item.statement.id, finding))
    }

    fn fault(&self, rule: RuleId, premise: Option<u32>, failure: &Failure) -> Option<ClauseFinding> {
        let (file, item, clause) = self.clause(rule)?;
        let range = premise.map_or(clause.head.range, |premise| at_fault(clause, premise));
        let (headline, reason) = headline("clause cannot be evaluated", &failure.to_string());
        let finding = Finding::new(&EVALUATION_FAILS, range, headline);
        let finding = reason.into_iter().fold(finding, Finding::note);
        Some((file.id, item.statement.id, finding.note("the clause derives nothing")))
    }

    /// A limit that was met, at the rule that was evaluated.
    fn limit(&self, stop: &Stop) -> Option<ClauseFinding> {
        // That the order is open is a finding of the program's own checks.
        if matches!(stop.reason, Reason::Failed(_) | Reason::Unordered(_) | Reason::Cancelled) {
            return None;
        }
        let (file, item, clause) = self.clause(stop.rule?)?;
        let predicate = self.evaluation.compiled.rule(stop.rule?)?.predicate;
        let key = self.evaluation.program.get(predicate).key;
        let rows = self.evaluation.rows(key, 0).map_or(0, |rows| rows.count);
        let with = self.with_sample();
        let message = format!("evaluation of `{key}` reaches the limit: {}", stop.reason);
        // How fast this machine is says little of the program.
        let severity = match stop.reason {
            Reason::Time(_) => Severity::Information,
            _ => Severity::Warning,
        };
        let finding = Finding::new(&EVALUATION_LIMIT, clause.head.range, message)
            .severity(severity)
            .note(format!("`{key}` had {rows} facts at the end of the evaluation{with}"))
            .note("facts that depend on it are unknown, and the engine may run out of memory");
        Some((file.id, item.statement.id, finding))
    }

    fn with_sample(&self) -> String {
        self.sample.map_or_else(String::new, |sample| format!(" with the facts of `{sample}`"))
    }

    /// A clause as it stands by now.
    fn clause(&self, rule: RuleId) -> Option<(&FileSummary, &Item, &Clause)> {
        let (file, item) = self.evaluation.current(rule, self.program)?;
        Some((file, item, item.statement.clause()?))
    }
}

/// The narrowest bytes that are at fault when a premise fails: its only application, else the whole of it.
fn at_fault(clause: &Clause, premise: u32) -> TextRange {
    let Some(premise) = clause.premises.get(premise as usize) else { return behind(clause) };
    let applied: Vec<&Term> = terms(premise).into_iter().filter(|term| term.apply().is_some()).collect();
    match applied.as_slice() {
        [only] => only.range,
        _ => premise.range(),
    }
}

/// What may fail behind the body: the transform, or the head.
fn behind(clause: &Clause) -> TextRange {
    let Some(transform) = clause.transforms.first() else { return clause.head.range };
    let mut lets = transform.statements.iter().filter(|statement| statement.variable.is_some());
    match (lets.next(), lets.next()) {
        (Some(only), None) => only.value.range,
        _ => transform.range,
    }
}

fn terms(premise: &Premise) -> Vec<&Term> {
    match premise {
        Premise::Literal(literal) => literal.atom.args.iter().collect(),
        Premise::Comparison(comparison) => vec![&comparison.left, &comparison.right],
        Premise::Broken(_, terms) => terms.iter().collect(),
    }
}

fn variable_at(clause: &Clause, premise: u32, argument: u16) -> Option<Symbol> {
    match clause.premises.get(premise as usize)? {
        Premise::Literal(literal) => literal.atom.args.get(usize::from(argument))?.variable(),
        Premise::Comparison(_) | Premise::Broken(..) => None,
    }
}

/// The variables that what failed mentions, or all, where it mentions others as well.
fn relevant<'v>(clause: &Clause, premise: u32, named: Vec<(Symbol, &'v str)>) -> Vec<(Symbol, &'v str)> {
    let mut mentioned = Vec::new();
    let mut add = |term: &Term| term.variables(&mut |name, _| mentioned.push(name));
    match clause.premises.get(premise as usize) {
        Some(premise) => terms(premise).into_iter().for_each(add),
        None if premise == BEHIND_BODY => {
            let statements = clause.transforms.iter().flat_map(|transform| &transform.statements);
            statements.for_each(|statement| add(&statement.value));
            clause.head.args.iter().filter(|term| matches!(term.kind, TermKind::Apply(_))).for_each(add);
        }
        None => {}
    }
    let some: Vec<_> = named.iter().filter(|(name, _)| mentioned.contains(name)).copied().collect();
    if some.is_empty() { named } else { some }
}

/// ` where X = 0, Y = /a`
fn bound(named: &[(Symbol, &str)]) -> String {
    let mut bound: Vec<_> =
        named.iter().take(NAMED).map(|(name, value)| format!("{name} = {value}")).collect();
    if named.len() > NAMED {
        bound.push("…".to_owned());
    }
    if bound.is_empty() { String::new() } else { format!(" where {}", bound.join(", ")) }
}

/// A headline with its reason, and the reason by itself where the headline has no room for it.
fn headline(what: &str, reason: &str) -> (String, Option<String>) {
    let whole = format!("{what}: {reason}");
    match whole.chars().count() <= HEADLINE {
        true => (whole, None),
        false => (what.to_owned(), Some(reason.to_owned())),
    }
}
