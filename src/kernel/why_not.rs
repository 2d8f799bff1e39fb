//! Why a fact does not hold: for each rule that could have given it, how far its body gets, what the first premise
//! without a solution asked for, and which facts come near.

use super::plan::{Compiled, Match, Plan, RuleId, Source, StepKind};
use super::{Clock, Model, ValueId, compare};
use crate::program::PredicateId;
use crate::syntax::ast::Operator;

/// How many tuples are looked at for one rule.
const MOST_STEPS: u32 = 200_000;

/// How many tuples are looked at for those that come near.
const MOST_COMPARED: usize = 50_000;

/// How many near facts are given.
const NEAR: usize = 3;

/// Why a rule did not give a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The clause.
    pub rule: RuleId,
    /// What stood in the way.
    pub obstacle: Obstacle,
}

/// What stands in the way of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// The head gives this where something else was asked for.
    Head {
        /// The argument, counted from 0.
        argument: usize,
        /// What the head has there.
        has: String,
    },
    /// A premise has no solution, whatever those before it found.
    Premise {
        /// Its index in the clause.
        premise: u32,
        /// What was asked for, in the way that got furthest: `door(/d,_)`, `2 < 1`.
        asked: String,
        /// Facts that come near; for a negation, the fact that there is.
        near: Vec<String>,
    },
    /// The groups of an aggregation are others.
    Groups {
        /// Those that come near.
        near: Vec<String>,
    },
    /// The rule has too many solutions to look at all of them.
    TooMany,
}

impl Model {
    /// Why no fact of a predicate has these arguments (`None`: any). Rules that do give such a fact are left out.
    #[must_use]
    pub fn why_not(
        &mut self,
        compiled: &Compiled,
        clock: Clock,
        predicate: PredicateId,
        wanted: &[Option<ValueId>],
    ) -> Vec<Miss> {
        let mut misses = Vec::new();
        for stratum in &compiled.strata {
            for plan in stratum.plans.iter().filter(|plan| plan.target == predicate.0) {
                let obstacle = Probe::new(self, compiled, clock, plan, wanted).run();
                misses.extend(obstacle.map(|obstacle| Miss { rule: plan.rule, obstacle }));
            }
            for aggregate in stratum.aggregates.iter().filter(|aggregate| aggregate.target == predicate.0) {
                let rows =
                    self.relations.get(aggregate.rows.relation as usize).is_none_or(|rows| rows.is_empty());
                let body = stratum.plans.iter().find(|plan| rows && plan.target == aggregate.rows.relation);
                let obstacle = match body {
                    Some(plan) => Probe::new(self, compiled, clock, plan, &[]).run(),
                    None => Some(Obstacle::Groups { near: self.near(compiled, predicate, wanted) }),
                };
                misses.extend(obstacle.map(|obstacle| Miss { rule: aggregate.rule, obstacle }));
            }
        }
        misses
    }

    /// The facts of a predicate that have most of these arguments, the nearest first.
    #[must_use]
    pub fn near(
        &self,
        compiled: &Compiled,
        predicate: PredicateId,
        wanted: &[Option<ValueId>],
    ) -> Vec<String> {
        let Some(relation) = self.relation(predicate) else { return Vec::new() };
        let asked = wanted.iter().flatten().count();
        let score = |tuple: &[ValueId]| {
            wanted.iter().zip(tuple).filter(|(wanted, value)| wanted.as_ref() == Some(value)).count()
        };
        let mut best: Vec<(usize, &[ValueId])> = Vec::new();
        for tuple in relation.tuples().take(MOST_COMPARED) {
            let score = score(tuple);
            // What has nothing in common is not near, unless there is but one thing to have.
            if score == 0 && asked > 1 {
                continue;
            }
            let at = best.partition_point(|(other, _)| *other >= score);
            if at < NEAR {
                best.insert(at, (score, tuple));
                best.truncate(NEAR);
            }
        }
        best.into_iter().map(|(_, tuple)| self.fact(compiled, predicate, tuple)).collect()
    }
}

/// A body tried out for one head.
struct Probe<'m> {
    model: &'m mut Model,
    compiled: &'m Compiled,
    clock: Clock,
    plan: &'m Plan,
    wanted: &'m [Option<ValueId>],
    /// What registers must hold for the head to be as wanted.
    fixed: Vec<Option<ValueId>>,
    row: Vec<ValueId>,
    steps: u32,
    /// The step that was got to, and what was in the way there.
    furthest: Option<(usize, Obstacle)>,
}

/// How a try ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The head was reached.
    Holds,
    /// Nothing got through.
    Blocked,
    /// Nobody knows.
    TooMany,
}

impl<'m> Probe<'m> {
    fn new(
        model: &'m mut Model,
        compiled: &'m Compiled,
        clock: Clock,
        plan: &'m Plan,
        wanted: &'m [Option<ValueId>],
    ) -> Self {
        let slots = usize::from(plan.slots);
        let (fixed, row) = (vec![None; slots], vec![ValueId(0); slots]);
        Self { model, compiled, clock, plan, wanted, fixed, row, steps: 0, furthest: None }
    }

    fn run(mut self) -> Option<Obstacle> {
        for (argument, (wanted, source)) in self.wanted.iter().zip(&self.plan.head).enumerate() {
            match (wanted, source) {
                (Some(wanted), Source::Value(value)) if wanted != value => {
                    let has = self.model.values.display(*value).to_string();
                    return Some(Obstacle::Head { argument, has });
                }
                (Some(wanted), Source::Slot(slot)) => {
                    self.fixed
                        .get_mut(usize::from(*slot))
                        .into_iter()
                        .for_each(|fixed| *fixed = Some(*wanted));
                }
                _ => {}
            }
        }
        match self.step(0) {
            End::Holds => None,
            End::TooMany => Some(Obstacle::TooMany),
            End::Blocked => self.furthest.map(|(_, obstacle)| obstacle),
        }
    }

    fn step(&mut self, at: usize) -> End {
        let plan = self.plan;
        let Some(step) = plan.steps.get(at) else { return End::Holds };
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return End::TooMany;
        }
        match &step.kind {
            StepKind::Match(found) => self.matches(at, step.premise, found),
            StepKind::Absent(found) => match self.first(found) {
                Some(fact) => {
                    self.blocked(at, step.premise, |probe| (format!("!{}", probe.asked(found)), vec![fact]))
                }
                None => self.step(at + 1),
            },
            StepKind::Compute { slot, function, args } => {
                let args: Vec<ValueId> = args.iter().map(|arg| self.read(*arg)).collect();
                match function.apply(&mut self.model.values, &args, &self.clock) {
                    Ok(value) if self.set(*slot, value) => self.step(at + 1),
                    Ok(value) => self.blocked(at, step.premise, |probe| {
                        (format!("the value {}", probe.model.values.display(value)), Vec::new())
                    }),
                    Err(failure) => self.blocked(at, step.premise, |_| (failure.to_string(), Vec::new())),
                }
            }
            StepKind::Compare { operator, left, right } => {
                self.compare(at, step.premise, *operator, *left, *right)
            }
            StepKind::Solve { builtin, name, args, outputs, negated } => {
                let values: Vec<Option<ValueId>> =
                    args.iter().map(|arg| arg.map(|arg| self.read(arg))).collect();
                let mut found = Vec::new();
                let solutions = builtin.solve(&mut self.model.values, &values, &mut found).unwrap_or(0);
                let asked = |probe: &Self| {
                    let shown = |value: &Option<ValueId>| {
                        value.map_or_else(
                            || "_".to_owned(),
                            |value| probe.model.values.display(value).to_string(),
                        )
                    };
                    let args: Vec<String> = values.iter().map(shown).collect();
                    (format!("{}{name}({})", if *negated { "!" } else { "" }, args.join(",")), Vec::new())
                };
                if *negated {
                    return if solutions == 0 {
                        self.step(at + 1)
                    } else {
                        self.blocked(at, step.premise, asked)
                    };
                }
                let mut end = self.blocked(at, step.premise, asked);
                for solution in 0..solutions {
                    let given = found.iter().skip(solution * outputs.len());
                    let fits = outputs.iter().zip(given).all(|(slot, value)| self.set(*slot, *value));
                    end = if fits { self.step(at + 1) } else { End::Blocked };
                    if end != End::Blocked {
                        return end;
                    }
                }
                end
            }
            // What these compute was not kept, and what they would say is in the findings.
            StepKind::Call(_) | StepKind::Instant { .. } => End::TooMany,
            StepKind::Never => {
                self.blocked(at, step.premise, |_| ("a premise that never holds".to_owned(), Vec::new()))
            }
            StepKind::Fail(failure) => self.blocked(at, step.premise, |_| (failure.to_string(), Vec::new())),
        }
    }

    /// Remembers an obstacle, if nothing got further so far.
    fn blocked(&mut self, at: usize, premise: u32, say: impl FnOnce(&Self) -> (String, Vec<String>)) -> End {
        if self.furthest.as_ref().is_none_or(|(furthest, _)| at > *furthest) {
            let (asked, near) = say(self);
            self.furthest = Some((at, Obstacle::Premise { premise, asked, near }));
        }
        End::Blocked
    }

    fn matches(&mut self, at: usize, premise: u32, found: &Match) -> End {
        let wanted = self.known(found);
        let len = self.model.relations.get(found.relation as usize).map_or(0, |relation| relation.len());
        let mut any = false;
        for number in 0..u32::try_from(len).unwrap_or(u32::MAX) {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return End::TooMany;
            }
            let Some(relation) = self.model.relations.get(found.relation as usize) else { break };
            let tuple: smallvec::SmallVec<[ValueId; 8]> = relation.tuple(number).into();
            let has_key =
                wanted.iter().zip(&tuple).all(|(wanted, value)| wanted.is_none_or(|wanted| wanted == *value));
            let same = found
                .same
                .iter()
                .all(|(one, other)| tuple.get(usize::from(*one)) == tuple.get(usize::from(*other)));
            if !has_key || !same || !self.bind(found, &tuple) {
                continue;
            }
            any = true;
            let end = self.step(at + 1);
            if end != End::Blocked {
                return end;
            }
        }
        if any {
            return End::Blocked;
        }
        self.blocked(at, premise, |probe| {
            let near = probe.model.near(probe.compiled, PredicateId(found.relation), &wanted);
            (probe.asked(found), near)
        })
    }

    fn compare(&mut self, at: usize, premise: u32, operator: Operator, left: Source, right: Source) -> End {
        let (one, other) = (self.read(left), self.read(right));
        let holds = match operator {
            Operator::Equal => Ok(one == other),
            Operator::NotEqual => Ok(one != other),
            _ => compare(&self.model.values, operator, one, other),
        };
        match holds {
            Ok(true) => self.step(at + 1),
            _ => self.blocked(at, premise, |probe| {
                let values = &probe.model.values;
                let asked =
                    format!("{} {} {}", values.display(one), operator.as_str(), values.display(other));
                (asked, Vec::new())
            }),
        }
    }

    /// What each column of a lookup must hold, as far as that is known.
    fn known(&self, found: &Match) -> Vec<Option<ValueId>> {
        let mut key = found.key.iter();
        let columns = 0..self.compiled.arity(found.relation);
        let mut known: Vec<_> = columns
            .map(|column| {
                let is_known = column < 64 && found.columns & (1 << column) != 0;
                is_known.then(|| key.next()).flatten().map(|source| self.read(*source))
            })
            .collect();
        for (column, slot) in &found.binds {
            let fixed = self.fixed.get(usize::from(*slot)).copied().flatten();
            known.get_mut(usize::from(*column)).into_iter().for_each(|known| *known = fixed);
        }
        known
    }

    /// What a lookup asks for.
    fn asked(&self, found: &Match) -> String {
        let shown = |known: &Option<ValueId>| {
            known.map_or_else(|| "_".to_owned(), |value| self.model.values.display(value).to_string())
        };
        let args: Vec<_> = self.known(found).iter().map(shown).collect();
        format!("{}({})", self.compiled.name(PredicateId(found.relation)), args.join(","))
    }

    /// The first fact that a negation forbids.
    fn first(&self, found: &Match) -> Option<String> {
        let known = self.known(found);
        let relation = self.model.relations.get(found.relation as usize)?;
        let fits = |tuple: &&[ValueId]| {
            let same = found
                .same
                .iter()
                .all(|(one, other)| tuple.get(usize::from(*one)) == tuple.get(usize::from(*other)));
            same && known.iter().zip(*tuple).all(|(known, value)| known.is_none_or(|known| known == *value))
        };
        let tuple = relation.tuples().find(fits)?;
        Some(self.model.fact(self.compiled, PredicateId(found.relation), tuple))
    }

    fn bind(&mut self, found: &Match, tuple: &[ValueId]) -> bool {
        let binds =
            found.binds.iter().filter_map(|(column, slot)| Some((*slot, *tuple.get(usize::from(*column))?)));
        let binds: smallvec::SmallVec<[(u16, ValueId); 8]> = binds.collect();
        binds.into_iter().all(|(slot, value)| self.set(slot, value))
    }

    /// Fills a register. False when the head wants something else there.
    fn set(&mut self, slot: u16, value: ValueId) -> bool {
        let at = usize::from(slot);
        if self.fixed.get(at).copied().flatten().is_some_and(|fixed| fixed != value) {
            return false;
        }
        self.row.get_mut(at).into_iter().for_each(|register| *register = value);
        true
    }

    fn read(&self, source: Source) -> ValueId {
        source.read(&self.row)
    }
}
