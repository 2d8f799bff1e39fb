//! Dependencies of a question: the needed predicates, and the predicates that depend on the inputs.
//!
//! Also predicates that have no fact in any world, and vacuous answers, which depend on no fact of a
//! world because the program contains the facts.

use mangle_engine::kernel::CompiledProgram;
use mangle_engine::kernel::plan::{Let, RelationId, Step, StepKind};
use mangle_engine::program::{PredicateId, PredicateKey, Program};
use mangle_syntax::text::{FileId, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::inputs::InputPredicate;
use crate::program_pair::original_name;

/// The part of a program that a question depends on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cone {
    needed: FxHashSet<RelationId>,
    varying: FxHashSet<RelationId>,
}

impl Cone {
    /// True if the answer depends on a relation.
    pub(crate) fn needs(&self, relation: RelationId) -> bool {
        self.needed.contains(&relation)
    }

    /// True if a relation depends on the facts of a world.
    pub(crate) fn varies(&self, relation: RelationId) -> bool {
        self.varying.contains(&relation)
    }
}

/// The relations that each relation reads.
pub(crate) struct Dependencies<'c> {
    compiled: &'c CompiledProgram,
    reads: FxHashMap<RelationId, FxHashSet<RelationId>>,
}

impl<'c> Dependencies<'c> {
    /// Reads all rules of a program.
    pub(crate) fn new(compiled: &'c CompiledProgram) -> Self {
        let mut reading = Self { compiled, reads: FxHashMap::default() };
        for stratum in &compiled.strata {
            for plan in &stratum.plans {
                reading.steps(plan.target, &plan.steps);
            }
            for aggregate in &stratum.aggregates {
                reading.add(aggregate.target, aggregate.rows.relation);
                reading.steps(aggregate.target, &aggregate.finish);
                for statement in &aggregate.lets {
                    let (Let::Compute(steps)
                    | Let::Reduce { args: mangle_engine::kernel::plan::RowArgs { steps, .. }, .. }) =
                        statement;
                    reading.steps(aggregate.target, steps);
                }
            }
        }
        for (relation, rules) in &compiled.deferred {
            rules.iter().for_each(|rule| reading.steps(*relation, &rule.plan.steps));
        }
        for merge in &compiled.merges {
            reading.add(merge.result, merge.candidates);
            reading.add(merge.result, merge.predicate);
        }
        reading
    }

    fn steps(&mut self, target: RelationId, steps: &[Step]) {
        for step in steps {
            if let StepKind::Match(found) | StepKind::Absent(found) | StepKind::Call(found) = &step.kind {
                self.add(target, found.relation);
            }
        }
    }

    fn add(&mut self, target: RelationId, read: RelationId) {
        self.reads.entry(target).or_default().insert(read);
    }

    /// Returns the dependencies of `roots`, if the facts of `inputs` vary.
    pub(crate) fn cone(&self, roots: &[PredicateId], inputs: &[PredicateId]) -> Cone {
        let mut needed: FxHashSet<RelationId> = FxHashSet::default();
        let mut pending: Vec<RelationId> = roots.iter().map(|root| root.0).collect();
        while let Some(relation) = pending.pop() {
            if needed.insert(relation) {
                pending.extend(self.reads.get(&relation).into_iter().flatten());
            }
        }
        let inputs = inputs.iter().map(|input| self.compiled.entry(*input)).collect();
        Cone { needed, varying: self.dependents(inputs) }
    }

    /// Returns these relations and all relations that depend on them.
    pub(crate) fn dependents(&self, relations: Vec<RelationId>) -> FxHashSet<RelationId> {
        let mut users: FxHashMap<RelationId, Vec<RelationId>> = FxHashMap::default();
        for (target, reads) in &self.reads {
            reads.iter().for_each(|read| users.entry(*read).or_default().push(*target));
        }
        let mut dependents = FxHashSet::default();
        let mut pending = relations;
        while let Some(relation) = pending.pop() {
            if dependents.insert(relation) {
                pending.extend(users.get(&relation).into_iter().flatten());
            }
        }
        dependents
    }
}

/// Returns the reason that no world has a fact of `goal`, or `None` if a fact may exist.
///
/// A reason exists if each rule needs a fact that neither inputs nor facts nor other rules provide.
pub(crate) fn impossible_goal(
    compiled: &CompiledProgram,
    goal: PredicateId,
    inputs: &[InputPredicate],
) -> Option<String> {
    let possible = possible_relations(compiled, inputs);
    (!possible.contains(&goal.0)).then(|| match missing_predicate(compiled, goal, &possible) {
        Some(name) => format!("no fact of `{name}` can ever be derived"),
        None => "none of its rules can fire".to_owned(),
    })
}

/// Returns the relations that may have a tuple.
fn possible_relations(compiled: &CompiledProgram, inputs: &[InputPredicate]) -> FxHashSet<RelationId> {
    let given = inputs
        .iter()
        .flat_map(|input| &input.predicates)
        .chain(compiled.facts().iter().map(|fact| &fact.predicate));
    let mut possible: FxHashSet<RelationId> = given.map(|predicate| compiled.entry(*predicate)).collect();
    loop {
        let before = possible.len();
        for stratum in &compiled.strata {
            for plan in &stratum.plans {
                if may_fire(&plan.steps, &possible) {
                    possible.insert(plan.target);
                }
            }
            for aggregate in &stratum.aggregates {
                if possible.contains(&aggregate.rows.relation) {
                    possible.insert(aggregate.target);
                }
            }
        }
        for merge in &compiled.merges {
            if possible.contains(&merge.candidates) {
                possible.insert(merge.result);
            }
        }
        if possible.len() == before {
            return possible;
        }
    }
}

/// True if all steps of a rule may succeed.
fn may_fire(steps: &[Step], possible: &FxHashSet<RelationId>) -> bool {
    steps.iter().all(|step| match &step.kind {
        StepKind::Match(found) => possible.contains(&found.relation),
        StepKind::Never | StepKind::Fail(_) => false,
        _ => true,
    })
}

/// Returns the missing predicate of the only rule of `goal`.
fn missing_predicate(
    compiled: &CompiledProgram,
    goal: PredicateId,
    possible: &FxHashSet<RelationId>,
) -> Option<String> {
    let plans = compiled.plans();
    let mut plans = plans.filter(|plan| plan.target == goal.0);
    let (only, None) = (plans.next()?, plans.next()) else { return None };
    let lacking = only.steps.iter().find_map(|step| match &step.kind {
        StepKind::Match(found) if !possible.contains(&found.relation) => Some(found.relation),
        _ => None,
    })?;
    (lacking < compiled.predicates()).then(|| {
        format!(
            "{}/{}",
            compiled.name(PredicateId(lacking)),
            compiled.arities.get(lacking as usize).unwrap_or(&0)
        )
    })
}

/// The maximum number of predicates in a message.
const MAX_NAMES: usize = 4;

/// Returns the predicates with facts and without rules that a goal depends on.
pub(crate) fn constant_predicates(
    program: &Program,
    compiled: &CompiledProgram,
    goal: PredicateId,
) -> Vec<PredicateKey> {
    let cone = Dependencies::new(compiled).cone(&[goal], &[]);
    let needed = program.predicates.iter().filter(|predicate| {
        program.id(predicate.key).is_some_and(|id| cone.needs(id.0))
            && program.rules(predicate).next().is_none()
            && program.clauses(predicate).next().is_some()
    });
    let mut keys: Vec<PredicateKey> = needed
        .map(|predicate| {
            let (name, _) = original_name(predicate.key.name.as_str());
            PredicateKey { name: Symbol::new(&name), ..predicate.key }
        })
        .collect();
    keys.sort_by_key(|key| (key.name.as_str(), key.arity));
    keys.dedup();
    keys
}

/// Formats the message of a vacuous answer: the predicates with facts, the files of the facts, and
/// a remedy.
pub(crate) fn vacuity_message(
    program: &Program,
    name: &dyn Fn(FileId) -> String,
    constants: &[PredicateKey],
) -> String {
    let of = |key: &PredicateKey| {
        let predicate = program.get(program.id(*key)?);
        let files: Vec<_> = program.clauses(predicate).map(|site| site.file.id).collect();
        let mut names: Vec<String> = files.iter().map(|file| name(*file)).collect();
        names.sort();
        names.dedup();
        let noun = if files.len() == 1 { "fact" } else { "facts" };
        Some(format!("`{key}` has {} {noun} in {}", files.len(), names.join(", ")))
    };
    let mut known: Vec<String> = constants.iter().filter_map(of).collect();
    if known.is_empty() {
        return "vacuous: it depends on no input".to_owned();
    }
    let more = known.len().saturating_sub(MAX_NAMES);
    if more > 0 {
        known.truncate(MAX_NAMES);
        known.push(format!("{more} more"));
    }
    let keys: Vec<_> = constants.iter().take(MAX_NAMES).map(ToString::to_string).collect();
    format!(
        "vacuous: it depends on no input, because the program has the facts: {}; leave these facts out of the program, \
         or add `# @inputs {}` with the predicates that others supply",
        known.join("; "),
        keys.join(", ")
    )
}
