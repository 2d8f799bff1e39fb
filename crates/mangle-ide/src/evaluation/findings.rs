//! Findings from an evaluation: failing function calls, clauses that cannot be evaluated, and rules
//! that reach a limit.

use rustc_hash::FxHashMap;

use super::{EVALUATION_FAILS, EVALUATION_LIMIT, Evaluation, Readings};
use crate::registry;
use mangle_check::diagnostics::place;
use mangle_check::excerpt;
use mangle_engine::kernel::{AFTER_BODY, Failure, Model, RowError, RuleId, Stop, StopReason};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::{Reading, RuleSettings};
use mangle_syntax::lint::{Diagnostic, Finding, Severity};
use mangle_syntax::syntax::ast::{Clause, Item, Premise, Term, TermKind};
use mangle_syntax::text::{FileId, StatementId, Symbol, TextRange, slice};

/// Maximum length of a quoted premise, in characters.
const QUOTED: usize = 32;

/// Maximum length of a headline, in characters.
const HEADLINE: usize = 72;

/// Maximum number of variables listed.
const NAMED: usize = 4;

/// A finding with ranges relative to its statement.
pub type ClauseFinding = (FileId, StatementId, Finding);

/// Returns the findings of an evaluation. `program` is the current program. `sample` is the name of
/// the file that added facts, if any.
///
/// Failures with the program's own facts are more severe.
#[must_use]
pub fn findings(readings: &Readings, program: &Program, sample: Option<&str>) -> Vec<ClauseFinding> {
    let go = readings.get(Reading::Engine);
    let blame = |evaluation| EvaluationLinter { evaluation, program, sample };
    let mut out = Vec::new();
    for fault in &go.compiled.faults {
        out.extend(blame(go).fault(fault.rule, fault.premise, &fault.failure));
    }
    let mut rules = Vec::new();
    let stopped = go.model.read().stopped.clone();
    let fatal = stopped.as_ref().filter(|stop| matches!(stop.reason, StopReason::Failed(_)));
    out.extend(blame(go).failures(&mut rules));
    // The next failure after a fatal one, from the intended reading.
    if fatal.is_some() {
        out.extend(blame(readings.get(Reading::Intended)).failures(&mut rules));
    }
    out.extend(stopped.as_ref().and_then(|stop| blame(go).limit(stop)));
    out
}

/// Converts the findings to diagnostics of `program`, by file.
#[must_use]
pub fn diagnostics(
    program: &Program,
    settings: &RuleSettings,
    findings: &[ClauseFinding],
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    place(program, settings, registry::all(), findings)
}

/// True if a diagnostic of an evaluation is not covered by `known` diagnostics. A diagnostic is
/// covered by an equally severe one in its statement, or by a warning at its range: both probably
/// report the same mistake.
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

/// Converts failures of an evaluated program to findings.
struct EvaluationLinter<'e> {
    evaluation: &'e Evaluation,
    /// Current version of the program.
    program: &'e Program,
    sample: Option<&'e str>,
}

impl EvaluationLinter<'_> {
    /// Returns one row failure per rule. Skips the rules in `seen`, and adds the reported rules to
    /// it.
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
        let range = failure_range(clause, error.premise);
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
        let range = premise.map_or(clause.head.range, |premise| failure_range(clause, premise));
        let (headline, reason) = headline("clause cannot be evaluated", &failure.to_string());
        let finding = Finding::new(&EVALUATION_FAILS, range, headline);
        let finding = reason.into_iter().fold(finding, Finding::note);
        Some((file.id, item.statement.id, finding.note("the clause derives nothing")))
    }

    /// Returns a finding about an exceeded limit, at the rule under evaluation.
    fn limit(&self, stop: &Stop) -> Option<ClauseFinding> {
        // Static checks already report unordered rules.
        if matches!(stop.reason, StopReason::Failed(_) | StopReason::Unordered(_) | StopReason::Cancelled) {
            return None;
        }
        let (file, item, clause) = self.clause(stop.rule?)?;
        let predicate = self.evaluation.compiled.rule(stop.rule?)?.predicate;
        let key = self.evaluation.program.get(predicate).key;
        let rows = self.evaluation.rows(key, 0).map_or(0, |rows| rows.count);
        let with = self.with_sample();
        let message = format!("evaluation of `{key}` reaches the limit: {}", stop.reason);
        // Timeouts depend on the speed of the machine.
        let severity = match stop.reason {
            StopReason::Time(_) => Severity::Information,
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

    /// Returns the current version of a clause.
    fn clause(&self, rule: RuleId) -> Option<(&FileSummary, &Item, &Clause)> {
        let (file, item) = self.evaluation.current(rule, self.program)?;
        Some((file, item, item.statement.clause()?))
    }
}

/// Returns the smallest range that causes a failure: the only function call of the premise,
/// otherwise the premise.
fn failure_range(clause: &Clause, premise: u32) -> TextRange {
    let Some(premise) = clause.premises.get(premise as usize) else { return behind(clause) };
    let applied: Vec<&Term> = terms(premise).into_iter().filter(|term| term.apply().is_some()).collect();
    match applied.as_slice() {
        [only] => only.range,
        _ => premise.range(),
    }
}

/// Returns the range that can fail after the body: the transform, or the head.
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

/// Returns the variables of the failed part, or all variables if it has none.
fn relevant<'v>(clause: &Clause, premise: u32, named: Vec<(Symbol, &'v str)>) -> Vec<(Symbol, &'v str)> {
    let mut mentioned = Vec::new();
    let mut add = |term: &Term| term.variables(&mut |name, _| mentioned.push(name));
    match clause.premises.get(premise as usize) {
        Some(premise) => terms(premise).into_iter().for_each(add),
        None if premise == AFTER_BODY => {
            let statements = clause.transforms.iter().flat_map(|transform| &transform.statements);
            statements.for_each(|statement| add(&statement.value));
            clause.head.args.iter().filter(|term| matches!(term.kind, TermKind::Apply(_))).for_each(add);
        }
        None => {}
    }
    let some: Vec<_> = named.iter().filter(|(name, _)| mentioned.contains(name)).copied().collect();
    if some.is_empty() { named } else { some }
}

/// Formats bindings, for example ` where X = 0, Y = /a`.
fn bound(named: &[(Symbol, &str)]) -> String {
    let mut bound: Vec<_> =
        named.iter().take(NAMED).map(|(name, value)| format!("{name} = {value}")).collect();
    if named.len() > NAMED {
        bound.push("…".to_owned());
    }
    if bound.is_empty() { String::new() } else { format!(" where {}", bound.join(", ")) }
}

/// Returns a headline with its reason. If the reason does not fit, returns it separately.
fn headline(what: &str, reason: &str) -> (String, Option<String>) {
    let whole = format!("{what}: {reason}");
    match whole.chars().count() <= HEADLINE {
        true => (whole, None),
        false => (what.to_owned(), Some(reason.to_owned())),
    }
}
