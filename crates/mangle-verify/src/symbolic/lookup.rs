//! Lookups in symbolic relations, and merging of facts (`fundep` and `merge`): of facts with equal keys,
//! the fact that the merging predicate prefers is kept.
//!
//! The engine merges facts in the order of their derivation. This order is irrelevant if the predicate
//! always chooses the same one of two values. Otherwise, the search gives up.

use mangle_engine::kernel::CompiledProgram;
use mangle_engine::kernel::plan::{Bound, Lookup, Merge, RelationId, Step, StepKind, Stratum, ValueSource};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Evaluation;
use super::relation::{Additions, Derived, Frame, LookupKey, SymbolicTuple};
use super::slots::{Term, Uses};
use super::step::write;
use crate::circuit::Literal;
use crate::obstacle::Obstacle;

impl Evaluation<'_> {
    /// Returns the requirements of a lookup for a row.
    pub(super) fn lookup(&mut self, found: &Lookup, row: &[Term]) -> LookupKey {
        let arity = self.setting.compiled.arities.get(found.relation as usize).copied().unwrap_or(0);
        let columns = 0..u16::try_from(arity).unwrap_or(u16::MAX);
        let keys = columns.filter_map(|column| {
            let source = found.source(column)?;
            Some((column, self.read(source, row)))
        });
        LookupKey { relation: found.relation, keys: keys.collect(), same: found.same.clone() }
    }

    /// Returns the tuples that may match, with their conditions.
    fn fitting(&mut self, lookup: &LookupKey) -> Result<Vec<Derived>, Obstacle> {
        let Some(relation) = self.relations.get_mut(lookup.relation as usize) else { return Ok(Vec::new()) };
        let numbers = relation.candidates(&self.terms, &self.circuit, &lookup.keys);
        let mut fitting = Vec::new();
        for number in numbers {
            self.tick()?;
            let tuple = self.relations.get(lookup.relation as usize);
            let Some(tuple) = tuple.and_then(|relation| relation.tuples.get(number as usize)).cloned() else {
                continue;
            };
            if let Some(holds) = self.fits(&tuple.terms, tuple.holds, lookup) {
                fitting.push((tuple.terms, holds, tuple.uses));
            }
        }
        Ok(fitting)
    }

    /// Returns the condition that a tuple with the condition `holds` matches. `None` if it never
    /// matches.
    fn fits(&mut self, tuple: &[Term], holds: Literal, lookup: &LookupKey) -> Option<Literal> {
        let mut parts: SmallVec<[Literal; 8]> = smallvec::smallvec![holds];
        let at = |column: u16| tuple.get(usize::from(column)).copied();
        let keys = lookup.keys.iter().filter_map(|(column, key)| Some((at(*column)?, *key)));
        let same = lookup.same.iter().filter_map(|(one, other)| Some((at(*one)?, at(*other)?)));
        for (one, other) in keys.chain(same) {
            let equal = self.terms.equal(&mut self.circuit, one, other);
            if equal == self.circuit.no() {
                return None;
            }
            parts.push(equal);
        }
        Some(self.circuit.all(parts)).filter(|fits| *fits != self.circuit.no())
    }

    /// Returns the condition that any tuple matches.
    pub(super) fn is_present(&mut self, lookup: LookupKey) -> Result<Literal, Obstacle> {
        if let Some(known) = self.memo.absences.get(&lookup) {
            return Ok(*known);
        }
        let fitting = self.fitting(&lookup)?;
        let present = self.circuit.any(fitting.into_iter().map(|(_, holds, _)| holds));
        self.memo.absences.insert(lookup, present);
        Ok(present)
    }

    /// Continues with each matching tuple.
    pub(super) fn matches(
        &mut self,
        frame: &mut Frame<'_>,
        at: usize,
        found: &Lookup,
        guard: Literal,
        uses: &Uses,
    ) -> Result<(), Obstacle> {
        let lookup = self.lookup(found, &frame.row);
        let fitting = self.fitting(&lookup)?;
        self.go_on(frame, at, found, fitting, Some((guard, uses)))
    }

    /// Continues with tuples. Tuples that write the same terms to the registers are merged.
    ///
    /// The conditions of tuples of a called rule include the guard of the row, but not the
    /// requirements of the lookup.
    pub(super) fn go_on(
        &mut self,
        frame: &mut Frame<'_>,
        at: usize,
        found: &Lookup,
        tuples: Vec<Derived>,
        row: Option<(Literal, &Uses)>,
    ) -> Result<(), Obstacle> {
        let lookup = if row.is_none() { Some(self.lookup(found, &frame.row)) } else { None };
        let mut order: Vec<Box<[Term]>> = Vec::new();
        let mut ways: FxHashMap<Box<[Term]>, (Vec<Literal>, Uses)> = FxHashMap::default();
        for (terms, holds, uses) in tuples {
            let holds = match &lookup {
                Some(lookup) => match self.fits(&terms, holds, lookup) {
                    Some(holds) => holds,
                    None => continue,
                },
                None => holds,
            };
            let Some(uses) = row.map_or_else(|| Some(uses.clone()), |(_, used)| used.join(&uses)) else {
                continue;
            };
            let guard = row.map_or_else(|| self.circuit.yes(), |(guard, _)| guard);
            let then = self.is_then(found, &terms, &frame.row)?;
            let holds = self.circuit.all([guard, holds, then]);
            if holds == self.circuit.no() {
                continue;
            }
            let taken = taken(found, &terms);
            match ways.get_mut(&taken) {
                Some((all, known)) => {
                    all.push(holds);
                    known.meet(&uses);
                }
                None => {
                    order.push(taken.clone());
                    ways.insert(taken, (vec![holds], uses));
                }
            }
        }
        for taken in order {
            let Some((all, uses)) = ways.remove(&taken) else { continue };
            let guard = self.circuit.any(all);
            fill(found, &taken, &mut frame.row);
            self.step(frame, at + 1, guard, &uses)?;
        }
        Ok(())
    }

    /// Returns the condition that the interval of a tuple meets the requirements of the lookup.
    fn is_then(&mut self, found: &Lookup, tuple: &[Term], row: &[Term]) -> Result<Literal, Obstacle> {
        let (Some(when), [.., start, end]) = (found.when.as_deref(), tuple) else {
            return Ok(self.circuit.yes());
        };
        let bounds = when.bounds();
        // The registers of the bounds become the first two registers of a separate row.
        let mut args = vec![*start, *end];
        let mut bound = |this: &mut Self, bound: Bound| match bound {
            Bound::Value(source) | Bound::Stored(source) => {
                args.push(this.read(source, row));
                let slot = u16::try_from(args.len() - 3).unwrap_or(u16::MAX);
                Bound::Value(ValueSource::Slot(slot))
            }
            other => other,
        };
        let bounds = mangle_engine::kernel::plan::Bounds {
            start: bound(self, bounds.start),
            end: bound(self, bounds.end),
        };
        let asked = Lookup { when: Some(Box::new(when.with_bounds(bounds))), ..found.clone() };
        let clock = self.setting.clock;
        let mut holding = Vec::new();
        for (values, literal) in self.terms.combinations(&mut self.circuit, &args)? {
            let (tuple, row) = values.split_at(2.min(values.len()));
            if asked.interval_matches(&self.values, &clock, tuple, row) {
                holding.push(literal);
            }
        }
        Ok(self.circuit.any(holding))
    }
}

/// Returns the terms that a row reads from a tuple.
fn taken(found: &Lookup, tuple: &[Term]) -> Box<[Term]> {
    let at = |column: usize| tuple.get(column).copied();
    let binds = found.binds.iter().filter_map(|(column, _)| at(usize::from(*column)));
    let start = found.ends.0.and_then(|_| at(tuple.len().checked_sub(2)?));
    let end = found.ends.1.and_then(|_| at(tuple.len().checked_sub(1)?));
    binds.chain(start).chain(end).collect()
}

/// Writes terms from a tuple to the registers of a row.
fn fill(found: &Lookup, taken: &[Term], row: &mut [Term]) {
    let slots = found.binds.iter().map(|(_, slot)| *slot).chain(found.ends.0).chain(found.ends.1);
    slots.zip(taken).for_each(|(slot, term)| write(row, slot, *term));
}

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
        let [keeps_one, keeps_other] = self.decided(merge, *one, *other, guard)?;
        let [back_other, back_one] = self.decided(merge, *other, *one, guard)?;
        let only_one = self.circuit.all([keeps_one, !keeps_other, back_one, !back_other]);
        let only_other = self.circuit.all([!keeps_one, keeps_other, !back_one, back_other]);
        Ok(Choice { gives_way: only_other, is_odd: self.circuit.all([!only_one, !only_other]) })
    }

    /// Returns the conditions that the merging predicate keeps the first and the second value.
    fn decided(
        &mut self,
        merge: &Merge,
        one: Term,
        other: Term,
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
