//! What shows only when a program is evaluated, as findings: rows that fail, clauses that cannot be evaluated, and
//! rules at which the evaluation had to be given up.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::rules::{EVALUATION_FAILS, EVALUATION_LIMIT};
use super::{Evaluation, Readings};
use crate::config::{Reading, RuleSettings};
use crate::ide::diagnostics::place;
use crate::kernel::{BEHIND_BODY, Failure, Reason, Rule, RuleId, Stop};
use crate::lint::{Diagnostic, Finding, Severity};
use crate::program::Program;
use crate::syntax::ast::{Clause, Item, Premise, Term, TermKind};
use crate::text::{FileId, StatementId, Symbol, TextRange, slice};

/// How many characters of a premise, or of a value, are quoted.
const QUOTED: usize = 60;

/// How many variables are named.
const NAMED: usize = 4;

/// A finding, and the statement that its ranges count from.
pub type Found = (FileId, StatementId, Finding);

/// What the evaluation shows to be wrong. `sample` is the name of the file whose facts were added, if any were: what
/// the program does with its own facts alone is worse.
#[must_use]
pub fn findings(readings: &Readings, sample: Option<&str>) -> Vec<Found> {
    let go = readings.of(Reading::Go);
    let mut out = Vec::new();
    for fault in &go.compiled.faults {
        out.extend(go.fault(fault.rule, fault.premise, &fault.failure));
    }
    let mut rules = Vec::new();
    let stopped = go.model.read().stopped.clone();
    let fatal = stopped.as_ref().filter(|stop| matches!(stop.reason, Reason::Failed(_)));
    out.extend(go.failures(sample, &mut rules));
    // What would stop the engine next.
    if fatal.is_some() {
        out.extend(readings.of(Reading::Written).failures(sample, &mut rules));
    }
    out.extend(stopped.as_ref().and_then(|stop| go.limit(stop, sample)));
    out
}

/// The findings as diagnostics of `program`, whose statements they are about, by file. Those about statements in which
/// something as grave is `known` are left out: it is probably the same mistake.
pub fn diagnostics<'d>(
    program: &Program,
    settings: &RuleSettings,
    findings: &[Found],
    known: impl Fn(FileId) -> &'d [Diagnostic],
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    let mut placed = place(program, settings, findings);
    for (file, found) in &mut placed {
        let (known, summary) = (known(*file), program.file(*file));
        found.retain(|diagnostic| {
            let item = summary.and_then(|file| file.items.get(file.item_at(diagnostic.range.start())?));
            let Some(item) = item else { return true };
            let whole = item.statement.range() + item.start;
            let is_same = |known: &Diagnostic| {
                let as_grave = whole.contains_range(known.range) && known.severity >= diagnostic.severity;
                let is_here = diagnostic.range.intersect(known.range).is_some();
                as_grave || (is_here && known.severity >= Severity::Warning)
            };
            !known.iter().any(is_same)
        });
    }
    placed
}

impl Evaluation {
    /// The failures of rows, one a rule; of rules in `seen` none.
    fn failures(&self, sample: Option<&str>, seen: &mut Vec<(FileId, StatementId)>) -> Vec<Found> {
        let model = self.model.read();
        let mut out = Vec::new();
        for error in &model.errors {
            let Some(rule) = self.compiled.rule(error.rule) else { continue };
            if seen.contains(&(rule.file, rule.statement)) {
                continue;
            }
            seen.push((rule.file, rule.statement));
            let Some((item, clause, text)) = self.written(rule) else { continue };
            let range = at_fault(clause, error.premise);
            let mut message = format!("`{}` fails", quote(slice(text, range)));
            let bindings = model.bindings(&self.compiled, error);
            let named = bindings.iter().filter_map(|binding| {
                let name = variable_at(clause, binding.premise, binding.argument)?;
                Some((name, binding.value.as_str()))
            });
            let named: Vec<(Symbol, &str)> = named.collect();
            message.push_str(&said(&relevant(clause, error.premise, named)));
            if let Some(sample) = sample {
                let _ = write!(message, ", with the facts of `{sample}`");
            }
            let _ = write!(message, ": {}. ", error.failure);
            let (rule, severity) = match (error.failure.is_limit(), sample) {
                (true, _) => (&EVALUATION_LIMIT, Severity::Warning),
                (false, None) => (&EVALUATION_FAILS, Severity::Error),
                (false, Some(_)) => (&EVALUATION_FAILS, Severity::Warning),
            };
            message.push_str(match error.failure.is_limit() {
                true => "The evaluation was given up here.",
                false => {
                    "The engine stops the whole evaluation at such a row; a premise before it has to keep it out."
                }
            });
            let file = self.compiled.rule(error.rule).map_or(FileId(0), |rule| rule.file);
            out.push((file, item.statement.id, Finding::new(rule, range, message).severity(severity)));
        }
        out
    }

    fn fault(&self, rule: RuleId, premise: Option<u32>, failure: &Failure) -> Option<Found> {
        let rule = self.compiled.rule(rule)?;
        let (item, clause, _) = self.written(rule)?;
        let range = premise.map_or(clause.head.range, |premise| at_fault(clause, premise));
        let message = format!("This clause cannot be evaluated: {failure}. Nothing comes of it.");
        Some((rule.file, item.statement.id, Finding::new(&EVALUATION_FAILS, range, message)))
    }

    /// A limit that was met, at the rule that was evaluated.
    fn limit(&self, stop: &Stop, sample: Option<&str>) -> Option<Found> {
        if matches!(stop.reason, Reason::Failed(_) | Reason::Cancelled) {
            return None;
        }
        let rule = self.compiled.rule(stop.rule?)?;
        let (item, clause, _) = self.written(rule)?;
        let key = self.program.get(rule.predicate).key;
        let rows = self.rows(key, 0).map_or(0, |rows| rows.count);
        let mut message = format!("The evaluation was given up at this rule: {}", stop.reason);
        if let Some(sample) = sample {
            let _ = write!(message, ", with the facts of `{sample}`");
        }
        let _ = write!(
            message,
            "; `{key}` had {rows} of them by then. What depends on it is not known, and the engine may run out of \
             memory."
        );
        // How fast this machine is says little of the program.
        let severity = match stop.reason {
            Reason::Time(_) => Severity::Information,
            _ => Severity::Warning,
        };
        let finding = Finding::new(&EVALUATION_LIMIT, clause.head.range, message).severity(severity);
        Some((rule.file, item.statement.id, finding))
    }

    /// A clause as it was evaluated, and its text.
    fn written(&self, rule: &Rule) -> Option<(&Item, &Clause, &str)> {
        let file = self.program.file(rule.file)?;
        let item = file.items.get(rule.item as usize)?;
        Some((item, item.statement.clause()?, file.statement_text(item)))
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
fn said(named: &[(Symbol, &str)]) -> String {
    let mut said: Vec<_> =
        named.iter().take(NAMED).map(|(name, value)| format!("{name} = {value}")).collect();
    if named.len() > NAMED {
        said.push("…".to_owned());
    }
    if said.is_empty() { String::new() } else { format!(" where {}", said.join(", ")) }
}

/// A piece of the program on one line, cut.
fn quote(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}
