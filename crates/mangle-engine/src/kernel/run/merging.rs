//! Evaluates merges (`fundep` and `merge`): a new fact is compared with facts that have the same
//! key, and the merge predicate selects the kept value.
//!
//! Rules of the engine still see a replaced fact in the round after its derivation, and can derive
//! it again. With a cycle, this never ends unless a limit is reached.

use rustc_hash::FxHashSet;

use super::super::plan::{Merge, RelationId, RuleId, Stratum};
use super::super::{Reading, ValueId};
use super::limits::StopReason;
use super::{Run, Stop, boxed, is_counted};

/// The facts that were replaced in this round and in the previous one.
#[derive(Debug, Default)]
pub(super) struct ReplacedFacts {
    is_on: bool,
    now: FxHashSet<(RelationId, Box<[ValueId]>)>,
    before: FxHashSet<(RelationId, Box<[ValueId]>)>,
}

impl ReplacedFacts {
    /// Starts the next round.
    pub(super) fn next_round(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }
}

impl Run<'_> {
    /// Makes facts that are replaced from now on visible in the next round, as in the engine.
    pub(super) fn keep_stale(&mut self, stratum: &Stratum) {
        if self.compiled.reading == Reading::Intended {
            return;
        }
        for merge in self.merges(stratum) {
            self.stale.is_on = true;
            let all = self.model.relations.get_mut(merge.candidates as usize);
            all.into_iter().for_each(|all| all.make_mut().keep_stale());
        }
    }

    fn merges(&self, stratum: &Stratum) -> Vec<Merge> {
        let here = |merge: &&Merge| stratum.relations.contains(&merge.candidates);
        self.compiled.merges.iter().filter(here).cloned().collect()
    }

    /// Adds a tuple to the relation for merging.
    pub(super) fn merge(
        &mut self,
        merge: &Merge,
        tuple: &mut [ValueId],
        rule: RuleId,
        support: &[u32],
    ) -> Result<(), Stop> {
        let stop = |reason| Stop { rule: Some(rule), premise: None, reason };
        if self.relation(merge).and_then(|all| all.find(tuple)).is_some() {
            return Ok(());
        }
        let (derived, agreeing) = (tuple.to_vec(), self.agreeing(merge, tuple).map_err(stop)?);
        let is_alone = agreeing.is_empty();
        let mut gave_way = None;
        for number in agreeing {
            let Some(known) = self.relation(merge).map(|all| all.tuple(number).to_vec()) else { continue };
            let values = self.decide(merge, &known, tuple)?;
            let is_undecided = values.is_empty();
            for (value, decider) in values {
                tuple.get_mut(usize::from(merge.target)).into_iter().for_each(|column| *column = value);
                if *tuple != known {
                    gave_way = Some((number, decider));
                    let all = self.model.relations.get_mut(merge.candidates as usize);
                    all.into_iter().for_each(|all| all.make_mut().mark_replaced(number));
                    break;
                }
            }
            if is_undecided || gave_way.is_some_and(|(gone, _)| gone == number) {
                self.add_merged(merge, tuple, &derived, gave_way, (rule, support)).map_err(stop)?;
            }
        }
        if is_alone {
            return self.add(merge.candidates, tuple, rule, support, true).map_err(stop);
        }
        if gave_way.is_none() && self.relation(merge).is_some_and(|all| all.find(&derived).is_none()) {
            self.keep_visible_for_round(merge, derived, rule, support).map_err(stop)?;
        }
        Ok(())
    }

    fn relation(&self, merge: &Merge) -> Option<&super::super::relation::Relation> {
        self.model.relations.get(merge.candidates as usize).map(|all| &**all)
    }

    /// The facts with the same key as a tuple.
    fn agreeing(&mut self, merge: &Merge, tuple: &[ValueId]) -> Result<Vec<u32>, StopReason> {
        let key: Vec<ValueId> = (0..)
            .zip(tuple)
            .filter(|(at, _)| *at < 64 && merge.keys & (1 << at) != 0)
            .map(|(_, value)| *value)
            .collect();
        let range = 0..self.len(merge.candidates);
        let index = self.index(merge.candidates, merge.keys, range.end)?;
        let Some(all) = self.model.relations.get(merge.candidates as usize) else { return Ok(Vec::new()) };
        let mut chain = all.chain(index, &key, &range);
        let mut agreeing = Vec::new();
        while let Some(number) = all.next(&mut chain) {
            self.meter.step()?;
            if all.is_visible(number, false) {
                agreeing.push(number);
            }
        }
        agreeing.reverse();
        Ok(agreeing)
    }

    /// The kept values of two, each with the clause of the merge predicate that selected it.
    fn decide(
        &mut self,
        merge: &Merge,
        known: &[ValueId],
        new: &[ValueId],
    ) -> Result<Vec<(ValueId, RuleId)>, Stop> {
        let compiled = self.compiled;
        let inputs = [known, new].map(|tuple| tuple.get(usize::from(merge.target)).copied());
        let mut values = Vec::new();
        for rule in compiled.deferred.get(&merge.predicate).map_or(&[][..], Vec::as_slice) {
            let given = self.call_rule(rule, |column| inputs.get(usize::from(column)).copied().flatten())?;
            self.release_tuples(&given);
            values
                .extend(given.iter().filter_map(|tuple| tuple.get(2)).map(|value| (*value, rule.plan.rule)));
        }
        Ok(values)
    }

    /// Adds the kept tuple. A value that differs from both facts is derived from both.
    fn add_merged(
        &mut self,
        merge: &Merge,
        tuple: &[ValueId],
        derived: &[ValueId],
        gave_way: Option<(u32, RuleId)>,
        (rule, support): (RuleId, &[u32]),
    ) -> Result<(), StopReason> {
        match gave_way {
            Some((known, decider)) if tuple != derived => {
                let new = self.add_stale(merge, derived, rule, support)?;
                self.add(merge.candidates, tuple, decider, &[known, new], true)
            }
            _ => self.add(merge.candidates, tuple, rule, support, true),
        }
    }

    /// Keeps an immediately replaced tuple visible for the next round, as in the engine.
    fn keep_visible_for_round(
        &mut self,
        merge: &Merge,
        tuple: Vec<ValueId>,
        rule: RuleId,
        support: &[u32],
    ) -> Result<(), StopReason> {
        let known = (merge.candidates, tuple.into_boxed_slice());
        if !self.stale.is_on || self.stale.before.contains(&known) || !self.stale.now.insert(known.clone()) {
            return Ok(());
        }
        self.meter.add_bytes(boxed(known.1.len()));
        self.add_stale(merge, &known.1, rule, support).map(|_| ())
    }

    fn add_stale(
        &mut self,
        merge: &Merge,
        tuple: &[ValueId],
        rule: RuleId,
        support: &[u32],
    ) -> Result<u32, StopReason> {
        let at = merge.candidates as usize;
        let Some((all, reasons)) = self.model.relations.get_mut(at).zip(self.model.reasons.get_mut(at))
        else {
            return Ok(0);
        };
        reasons.make_mut().push(rule, support);
        let number = all.make_mut().insert_replaced(tuple);
        if is_counted(number, tuple.len() + support.len()) {
            self.recount(merge.candidates);
        }
        self.meter.fact(true)?;
        Ok(number)
    }

    /// At the end of a stratum, copies the kept facts to the relations of their predicates.
    pub(super) fn publish_merged(&mut self, stratum: &Stratum) -> Result<(), Stop> {
        for merge in self.merges(stratum) {
            for number in 0..self.len(merge.candidates) {
                let all = self.relation(&merge).filter(|all| all.is_visible(number, false));
                let Some(tuple) = all.map(|all| all.tuple(number).to_vec()) else { continue };
                let rule = self
                    .model
                    .reason(merge.candidates, number)
                    .map_or(RuleId::ASSERTED, |reason| reason.rule);
                let stop = |reason| Stop { rule: Some(rule), premise: None, reason };
                self.meter.step().map_err(stop)?;
                self.add(merge.result, &tuple, rule, &[number], false).map_err(stop)?;
            }
        }
        Ok(())
    }
}
