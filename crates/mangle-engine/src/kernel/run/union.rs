//! Unites the facts of a predicate from all stores of a divided program.

use super::super::plan::{RuleId, Stratum};
use super::{Run, Stop};

impl Run<'_> {
    /// Adds the tuples of the copies of a predicate to its union relation.
    ///
    /// If several stores derive a fact, the first store is used. The reason of a united tuple is
    /// its clause in the store, and the position of the copy.
    pub(super) fn unite(&mut self, stratum: &Stratum) -> Result<(), Stop> {
        let Some(&target) = stratum.relations.first() else { return Ok(()) };
        for &copy in &stratum.copies {
            for number in 0..self.len(copy) {
                let found = self.model.relations.get(copy as usize);
                let found = found.filter(|relation| relation.is_visible(number, false));
                let Some(tuple) = found.map(|relation| relation.tuple(number).to_vec()) else { continue };
                let rule = self.model.reason(copy, number).map_or(RuleId::ASSERTED, |reason| reason.rule);
                let stop = |reason| Stop { rule: Some(rule), premise: None, reason };
                self.meter.step().map_err(stop)?;
                self.add(target, &tuple, rule, &[copy, number], false).map_err(stop)?;
            }
        }
        Ok(())
    }
}
