//! Merging of facts (`fundep` and `merge`): of facts with equal keys, the fact that the merging
//! predicate prefers is kept.
//!
//! The engine merges facts in the order of their derivation. This order is irrelevant if the
//! predicate always chooses the same one of two values. Otherwise, the search gives up.

use mangle_engine::kernel::CompiledProgram;
use mangle_engine::kernel::plan::{Merge, RelationId, Step, StepKind, Stratum};

use super::Evaluation;
use super::frame::Frame;
use super::relation::{Additions, SymbolicTuple};
use super::slots::Uses;
use super::step::write;
use super::term::Term;
use crate::circuit::Literal;
use crate::obstacle::Obstacle;

/// True if the search supports the merge: facts differ only in the merged column, and no rule reads
/// them during their derivation.
pub(super) fn is_supported(compiled: &CompiledProgram, stratum: &Stratum, merge: &Merge) -> bool {
    let arity = compiled.arities.get(merge.candidates as usize).copied().unwrap_or(0);
    let keys = (0..arity).filter(|at| *at < 64 && merge.keys & (1 << at) != 0).count();
    let is_it = |relation: RelationId| relation == merge.candidates || relation == merge.result;
    let reads = |steps: &[Step]| {
        steps.iter().any(|step| match &step.kind {
            StepKind::Match(found) | StepKind::Absent(found) | StepKind::Call(found) => is_it(found.relation),
            _ => false,
        })
    };
    let target = usize::from(merge.target);
    let is_plain = keys + 1 == arity && (target >= 64 || merge.keys & (1 << target) == 0);
    let is_read = stratum.plans.iter().any(|plan| reads(&plan.steps));
    let is_aggregated = stratum.aggregates.iter().any(|aggregate| is_it(aggregate.target));
    is_plain && !is_read && !is_aggregated
}

/// The result of a merging predicate for two values.
struct Choice {
    /// The condition that only the other value is kept.
    gives_way: Literal,
    /// The condition that the choice is not exactly one of the two values, or depends on their
    /// order.
    is_odd: Literal,
}

impl Evaluation<'_> {
    /// Determines the kept facts among the facts of a stratum.
    pub(super) fn keep(&mut self, open: &[RelationId]) -> Result<(), Obstacle> {
        let compiled = self.setting.compiled;
        for merge in compiled.merges.iter().filter(|merge| open.contains(&merge.candidates)) {
            self.keep_of(merge)?;
        }
        Ok(())
    }

    fn keep_of(&mut self, merge: &Merge) -> Result<(), Obstacle> {
        let all = self.relations.get(merge.candidates as usize);
        let tuples: Vec<SymbolicTuple> = all.map_or_else(Vec::new, |all| all.tuples.clone());
        let (mut kept, mut odd) = (Additions::default(), Vec::new());
        for (at, tuple) in tuples.iter().enumerate() {
            let mut holds = vec![tuple.holds];
            for other in tuples.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other) {
                self.tick()?;
                let both = self.both_agree(merge, tuple, other);
                if both == self.circuit.no() {
                    continue;
                }
                let choice = self.choice(merge, tuple, other, both)?;
                let gone = self.circuit.both(both, choice.gives_way);
                holds.push(!gone);
                odd.push(self.circuit.both(both, choice.is_odd));
            }
            let holds = self.circuit.all(holds);
            kept.add(tuple.terms.clone(), holds, &tuple.uses);
        }
        let odd = self.circuit.any(odd);
        if self.is_satisfiable(&[odd])? {
            let why =
                "the predicate of a `merge` does not choose one of two values, the same in either order";
            return Err(Obstacle::Unsupported(why.to_owned()));
        }
        if let Some(relation) = self.relations.get_mut(merge.result as usize) {
            relation.merge(&mut self.circuit, kept);
        }
        Ok(())
    }

    /// Returns the condition that two facts hold, have equal keys, and differ in the merged column.
    fn both_agree(&mut self, merge: &Merge, one: &SymbolicTuple, other: &SymbolicTuple) -> Literal {
        let mut parts = vec![one.holds, other.holds];
        for (at, (one, other)) in one.terms.iter().zip(&other.terms).enumerate() {
            let equal = self.terms.equal(&mut self.circuit, *one, *other);
            parts.push(if at == usize::from(merge.target) { !equal } else { equal });
        }
        self.circuit.all(parts)
    }

    /// Returns the result of the merging predicate for two values, if `guard` is true.
    fn choice(
        &mut self,
        merge: &Merge,
        one: &SymbolicTuple,
        other: &SymbolicTuple,
        guard: Literal,
    ) -> Result<Choice, Obstacle> {
        let target = usize::from(merge.target);
        let (Some(one), Some(other)) = (one.terms.get(target), other.terms.get(target)) else {
            let no = self.circuit.no();
            return Ok(Choice { gives_way: no, is_odd: no });
        };
        let [keeps_one, keeps_other] = self.decided(merge, (*one, *other), guard)?;
        let [back_other, back_one] = self.decided(merge, (*other, *one), guard)?;
        let only_one = self.circuit.all([keeps_one, !keeps_other, back_one, !back_other]);
        let only_other = self.circuit.all([!keeps_one, keeps_other, !back_one, back_other]);
        Ok(Choice { gives_way: only_other, is_odd: self.circuit.all([!only_one, !only_other]) })
    }

    /// Returns the conditions that the merging predicate keeps the first and the second value.
    fn decided(
        &mut self,
        merge: &Merge,
        (one, other): (Term, Term),
        guard: Literal,
    ) -> Result<[Literal; 2], Obstacle> {
        let compiled = self.setting.compiled;
        let mut keeps = [Vec::new(), Vec::new()];
        for rule in compiled.deferred.get(&merge.predicate).map_or(&[][..], Vec::as_slice) {
            let mut frame = Frame::new(&rule.plan, &mut self.terms);
            for (column, slot) in &rule.inputs {
                let term = if *column == 0 { one } else { other };
                write(&mut frame.row, *slot, term);
            }
            let uses = Uses::none(self.slots.slots.len());
            self.step(&mut frame, 0, guard, &uses)?;
            for (terms, holds, _) in frame.out {
                let Some(value) = terms.get(2) else { continue };
                for (keeps, term) in keeps.iter_mut().zip([one, other]) {
                    let equal = self.terms.equal(&mut self.circuit, *value, term);
                    keeps.push(self.circuit.both(holds, equal));
                }
            }
        }
        Ok(keeps.map(|keeps| self.circuit.any(keeps)))
    }
}
