//! Unsupported operations, and the sorts that they make incomplete.

use std::collections::BTreeSet;

use super::views::CIRCLE;
use super::{Computation, Gap, SortId, Sorts};

impl Sorts {
    /// Marks the sorts of unsupported operations, and the sorts that their values are computed
    /// from.
    pub(super) fn spread_gaps(&mut self, computations: &[Computation]) {
        let mut gaps = std::mem::take(&mut self.gaps);
        // The functions in a cycle are better reasons than the cycle.
        let named: BTreeSet<SortId> = gaps
            .iter()
            .filter(|gap| gap.operation != CIRCLE)
            .flat_map(|gap| &gap.sorts)
            .map(|sort| self.root(*sort))
            .collect();
        gaps.retain(|gap| {
            gap.operation != CIRCLE || !gap.sorts.iter().all(|sort| named.contains(&self.root(*sort)))
        });
        let touched: BTreeSet<SortId> =
            gaps.iter().flat_map(|gap| &gap.sorts).map(|sort| self.root(*sort)).collect();
        for sort in touched {
            let sources = self.sources(sort, computations);
            for sort in sources {
                self.at(sort).is_incomplete = true;
            }
        }
        gaps = gaps
            .into_iter()
            .map(|gap| {
                let sorts: BTreeSet<SortId> =
                    gap.sorts.iter().flat_map(|sort| self.sources(*sort, computations)).collect();
                Gap { sorts: sorts.into_iter().collect(), ..gap }
            })
            .collect();
        self.gaps = gaps;
    }

    /// Returns a sort and the sorts that its values are computed from.
    fn sources(&mut self, sort: SortId, computations: &[Computation]) -> BTreeSet<SortId> {
        let mut found = BTreeSet::new();
        let mut pending = vec![self.root(sort)];
        while let Some(sort) = pending.pop() {
            if !found.insert(sort) {
                continue;
            }
            for number in self.get(sort).sources.clone() {
                let Some(computation) = computations.get(number) else { continue };
                for arg in &computation.args {
                    if self.of_node.get(*arg as usize).is_some_and(Option::is_some) {
                        pending.push(self.sort(*arg));
                    }
                }
            }
            let parts: Vec<SortId> = self.get(sort).parts.values().map(|part| self.root(*part)).collect();
            pending.extend(parts);
        }
        found
    }
}
