//! Semantic comparison of two policies for `mangle-ls` reports.

use std::collections::BTreeMap;
use std::time::Instant;

use super::code_lens::query;
use super::verification::line_of_item;
use mangle_check::policy_test::property::{Piece, PropertyError, Restrictions};
use mangle_engine::kernel::{Clock, Limits, Reading, RuleId};
use mangle_engine::program::{Predicate, PredicateKey, Program};
use mangle_report::comparison::{AtomComparison, ComparisonReport, DifferenceReport};
use mangle_report::proof;
use mangle_syntax::text::{Cancel, FileId, TextRange, text_len};
use mangle_verify::{AbortMemo, Cause, Difference, ProgramPair, Scope, Setup, Solvers, compare, pair};

/// Input of a policy comparison.
#[derive(Clone, Copy)]
pub struct ComparisonRun<'p> {
    /// Old version of the policy.
    pub old: &'p Program,
    /// New version of the policy.
    pub new: &'p Program,
    /// Predicates whose facts vary between worlds. If empty, all predicates whose facts come from
    /// outside the policies.
    pub inputs: &'p [PredicateKey],
    /// Semantics used for both policies.
    pub reading: Reading,
    /// Limits for the evaluation of one world.
    pub limits: Limits,
    pub clock: Clock,
    /// Bounds of the search.
    pub scope: Scope,
    /// Solvers for the cases that the embedded search cannot decide.
    pub solvers: &'p Solvers,
    /// Display names of the files of the old and the new policy.
    pub names: [&'p dyn Fn(FileId) -> String; 2],
}

/// Compares the results of two policies for each atom. `next` is called with each atom before its
/// comparison.
///
/// # Errors
/// If an atom has a syntax error, or its predicate is missing from both policies.
pub fn compare_all(
    run: &ComparisonRun<'_>,
    atoms: &[String],
    next: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<ComparisonReport, PropertyError> {
    let start = Instant::now();
    let restrictions = Restrictions::default();
    let setup = Setup {
        program: run.new,
        file: None,
        restrictions: &restrictions,
        reading: run.reading,
        limits: run.limits,
        clock: run.clock,
        inputs: run.inputs,
        consumer: &|_, name| Err(format!("unknown consumer `{name}`")),
        aborts: &AbortMemo::default(),
        name: run.names[1],
        solvers: run.solvers,
        other: &|_| Err("a comparison has two programs already".to_owned()),
    };
    let pair = pair(setup, run.old);
    let mut report = ComparisonReport::default();
    for atom in atoms {
        next(atom);
        let piece = Piece { range: TextRange::up_to(text_len(atom)), text: atom.clone() };
        let found = compare(setup, &pair, &piece, run.scope, cancel)?;
        let reports = |all: &[Difference]| all.iter().map(|one| run.report(&pair, one)).collect::<Vec<_>>();
        let (added, removed) = (reports(&found.added), reports(&found.removed));
        let answer = match (added.is_empty(), removed.is_empty()) {
            (true, true) if found.undecided.is_some() => "not_decided",
            (true, true) => "equivalent",
            (false, true) => "adds",
            (true, false) => "removes",
            (false, false) => "both",
        };
        let is_one_way_open = (added.is_empty() && found.may_add) || (removed.is_empty() && found.may_remove);
        let (predicate, undecided) = (atom.clone(), found.undecided);
        let argument = found.argument.map(str::to_owned);
        let facts = run.scope.facts;
        report.add(AtomComparison {
            predicate,
            answer,
            added,
            removed,
            argument,
            undecided,
            facts,
            solver: found.solver,
            is_one_way_open,
        });
    }
    report.summary.elapsed_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// Returns an atom for each predicate with one of these names in either program, sorted by
/// predicate. The arguments are the variables of the declaration in the first program that has the
/// predicate.
#[must_use]
pub fn atoms_named(programs: [&Program; 2], names: &[String]) -> Vec<String> {
    let is_named = |predicate: &&Predicate| {
        predicate.exists() && names.iter().any(|name| name == predicate.key.name.as_str())
    };
    let mut found: BTreeMap<(&str, u16), String> = BTreeMap::new();
    for program in programs {
        for predicate in program.predicates.iter().filter(is_named) {
            let key = (predicate.key.name.as_str(), predicate.key.arity);
            found.entry(key).or_insert_with(|| query(program, predicate));
        }
    }
    found.into_values().collect()
}

impl ComparisonRun<'_> {
    fn report(&self, pair: &ProgramPair, difference: &Difference) -> DifferenceReport {
        let place = |rule: RuleId| {
            if rule == RuleId::ASSERTED {
                return "the world".to_owned();
            }
            let Some(rule) = difference.compiled.rule(rule) else { return String::new() };
            let is_other = pair.is_other(rule.file);
            let file = pair.originals.get(&rule.file).map_or(rule.file, |file| file.id);
            self.place(file, rule.item, is_other).unwrap_or_else(|| "the world".to_owned())
        };
        let rule_in = difference.cause.map(|cause| match (cause.is_own, cause.is_other) {
            (false, _) => "both",
            (true, true) => "old",
            (true, false) => "new",
        });
        DifferenceReport {
            atom: difference.atom.clone(),
            rule: difference
                .cause
                .and_then(|Cause { file, item, is_other, .. }| self.place(file, item, is_other)),
            rule_in,
            world: difference.world.clone(),
            proof: proof::proof(&difference.proof, &place),
        }
    }

    /// Returns the location of a statement. `None` if the file is not part of the selected policy.
    fn place(&self, file: FileId, item: u32, is_old: bool) -> Option<String> {
        let (program, name) = if is_old { (self.old, self.names[0]) } else { (self.new, self.names[1]) };
        let found = program.file(file)?;
        Some(format!("{}:{}", name(found.id), line_of_item(found, item)))
    }
}
