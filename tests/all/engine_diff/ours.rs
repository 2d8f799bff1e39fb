//! What this repository makes of a program: findings, and the facts of the kernel in the engine's reading.

use std::sync::Arc;

use mangle_check::Registry;
use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_engine::kernel::plan::{BEGINNING, END};
use mangle_engine::kernel::{Clock, Datum, Limits, Model, Reading, StopReason, ValueId, compile, run};
use mangle_engine::program::{FileSummary, PredicateId, Program};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::Severity;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};

use super::engine::{End, Fact, Facts};

/// Findings and facts of a program.
#[derive(Debug)]
pub struct Ours {
    /// The names of the rules of errors, each with its headline.
    pub errors: Vec<(&'static str, String)>,
    pub facts: Facts,
    /// Why the evaluation ended before it was done.
    pub stopped: Option<String>,
    /// True if a limit of the kernel ended the evaluation.
    pub is_limited: bool,
    /// True if the result depends on an order that the engine chooses at random.
    pub is_undetermined: bool,
    /// The clauses that are not evaluated at all.
    pub faults: Vec<String>,
}

impl Ours {
    pub fn new(files: &[String], now: i64) -> Self {
        let summaries = files.iter().zip(0..).map(|(text, id)| {
            Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.as_str().into())))
        });
        let program = Program::new(summaries.collect());
        let found =
            diagnostics(&program, &RuleSettings::default(), &FindingCache::new(Registry::of_programs()));
        let errors = found.into_iter().flat_map(|(_, found)| found);
        let errors = errors.filter(|one| one.severity == Severity::Error);
        let errors = errors.map(|one| (one.rule.name, one.message.to_string())).collect();
        let compiled = compile(&program, Reading::Engine);
        let model = run(&compiled, Limits::default(), Clock { now_ns: now }, &Cancel::new());
        let mut facts = Facts::new();
        for id in (0..compiled.predicates()).map(PredicateId) {
            let name = compiled.name(id).as_str().to_owned();
            let tuples = model.relation(id).into_iter().flat_map(|relation| relation.tuples());
            facts.extend(tuples.map(|tuple| fact(&model, &name, compiled.is_temporal(id), tuple)));
        }
        let reason = model.stopped.as_ref().map(|stop| &stop.reason);
        let is_undetermined = matches!(reason, Some(StopReason::Unordered(_)));
        let reason = reason.filter(|_| !is_undetermined);
        Self {
            errors,
            facts,
            stopped: reason.map(ToString::to_string),
            is_limited: reason.is_some_and(|reason| !matches!(reason, StopReason::Failed(_))),
            is_undetermined,
            faults: compiled.faults.iter().map(|fault| fault.failure.to_string()).collect(),
        }
    }

    pub fn has_error(&self, rule: &str) -> bool {
        self.errors.iter().any(|(name, _)| *name == rule)
    }
}

fn fact(model: &Model, name: &str, temporal: bool, tuple: &[ValueId]) -> Fact {
    let (args, interval) = match tuple {
        [args @ .., start, end] if temporal => (args, Some([*start, *end])),
        _ => (tuple, None),
    };
    let end = |value: ValueId, open: i64| match model.values.get(value) {
        Datum::Time(instant) if *instant == open => End::Unbounded(()),
        Datum::Time(instant) => End::At(*instant),
        Datum::Name(name) if &**name == "first" => End::At(BEGINNING),
        Datum::Name(name) if &**name == "last" => End::At(END),
        _ => End::Text("now".to_owned()),
    };
    // An interval that ends before it begins stands for none: the engine forgot it.
    let interval = interval
        .map(|[start, stop]| ([start, stop], [end(start, BEGINNING), end(stop, END)]))
        .filter(|([start, stop], _)| {
            let at = |value: &ValueId| model.values.get(*value).clone();
            (at(start), at(stop)) != (Datum::Time(END), Datum::Time(BEGINNING))
        })
        .map(|(_, ends)| ends);
    let args = args.iter().map(|arg| model.values.display_within(*arg, usize::MAX).to_string()).collect();
    Fact { predicate: name.to_owned(), args, interval }
}
