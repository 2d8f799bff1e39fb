//! Proofs and obstacles hold on generated programs, as the second evaluator (`tests/all/naive`) sees them: each step of a
//! proof is an instance of its rule, and a premise that stands in the way has no solution.

use crate::naive;
use crate::support;

use std::collections::{BTreeMap, BTreeSet};

use mangle_engine::kernel::{Ground, Miss, Obstacle, Proof, Reading, RuleId};
use naive::evaluate::{
    Environment, Group, Key, Tuple, World, evaluate, lookup, nothing, order, row_variables,
};
use naive::kernel::{CLOCK, Run, kernel, parse};
use naive::syntax::{Atom, Clause, Premise, Program, Term};
use naive::value::Value;
use support::Random;

const PROGRAMS: u64 = 500;
const FUEL: usize = 150_000;
/// So many further ways are looked for.
const OTHERS: usize = 3;

/// So many facts of a predicate are explained.
const FACTS: usize = 6;

/// What was checked, by name.
type Seen = BTreeMap<&'static str, usize>;

/// A printed atom: its name, and its arguments but for `_`.
type Pattern = (String, Vec<Option<Value>>);

struct Case {
    seed: u64,
    program: Program,
    world: World,
    run: Run,
    seen: Seen,
}

/// The generated programs in every reading in which the two evaluators say the same.
fn cases(check: impl Fn(&mut Case)) -> Seen {
    let mut seen = Seen::new();
    for seed in 0..PROGRAMS {
        let program = naive::generate::program(seed);
        let Some(mut world) = evaluate(&program, FUEL) else { continue };
        world.fuel = usize::MAX;
        let is_same = program.faithful && !program.combines_facts_of_a_round();
        let reading = if is_same && seed % 2 == 0 { Reading::Engine } else { Reading::Intended };
        if world.failures > 0 && reading == Reading::Engine {
            continue;
        }
        let run = kernel(&program.to_string(), reading);
        let mut case = Case { seed, program, world, run, seen: std::mem::take(&mut seen) };
        check(&mut case);
        seen = case.seen;
    }
    seen
}

impl Case {
    fn see(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }

    fn clause(&self, rule: RuleId) -> Clause {
        self.program.clauses[self.run.compiled.rule(rule).unwrap().item as usize].clone()
    }

    /// The first fact like this.
    fn find(&self, (name, args): &Pattern) -> Option<&Tuple> {
        let fits = |(arg, value): (&Option<Value>, &Value)| arg.as_ref().is_none_or(|arg| arg.reads(value));
        let facts = self.world.facts.get(&(name.clone(), args.len()))?;
        facts.iter().find(|tuple| args.iter().zip(*tuple).all(fits))
    }

    /// A printed fact as the second evaluator has it. The rows of aggregations are no facts.
    fn fact(&self, text: &str) -> (String, Tuple) {
        let pattern = parse(text);
        let Some(tuple) = self.find(&pattern) else {
            if pattern.0 != "row" {
                self.fail(format!("there is no {text}"));
            }
            return (pattern.0, pattern.1.into_iter().map(Option::unwrap).collect());
        };
        (pattern.0, tuple.clone())
    }

    fn fail(&self, why: impl std::fmt::Display) -> ! {
        panic!("seed {}: {why}\n{}", self.seed, self.program);
    }
}

#[test]
fn each_step_of_a_proof_is_an_instance_of_its_rule() {
    let seen = cases(|case| {
        for (name, bags) in case.program.bags.clone() {
            let tuples = case.run.tuples(&name, &bags);
            let id = case.run.id(&name, bags.len());
            let numbers = 0..u32::try_from(tuples.len()).unwrap();
            for (number, tuple) in numbers.zip(&tuples).rev().take(FACTS) {
                let Run { model, compiled, .. } = &mut case.run;
                let proof = model.explain(compiled, CLOCK, id.unwrap(), number);
                let others = model.other_proofs(compiled, CLOCK, id.unwrap(), number, OTHERS);
                check_proof(case, &name, tuple, &proof);
                for other in &others {
                    case.see("other way");
                    check_proof(case, &name, tuple, other);
                    if root(other) == root(&proof) {
                        case.fail(format!("{} is no other way", other.nodes[0].fact));
                    }
                }
            }
        }
    });
    for what in ["other way", "fact", "rule", "group", "row", "absent", "built-in", "comparison", "deep"] {
        assert!(seen.get(what).copied().unwrap_or(0) > 30, "hardly ever {what}: {seen:?}");
    }
}

/// The rule of the fact that is explained, and the facts that its premises found.
fn root(proof: &Proof) -> (RuleId, Vec<&str>) {
    let found = proof.nodes[0].steps.iter().filter_map(|step| match step.ground {
        Ground::Fact(fact) => Some(proof.nodes[fact].fact.as_str()),
        _ => None,
    });
    (proof.nodes[0].rule, found.collect())
}

fn check_proof(case: &mut Case, name: &str, tuple: &Tuple, proof: &Proof) {
    let facts: Vec<(String, Tuple)> = proof.nodes.iter().map(|node| case.fact(&node.fact)).collect();
    if facts[0] != (name.to_owned(), tuple.clone()) {
        case.fail(format!("{name}{tuple:?} is explained by a proof of {}", proof.nodes[0].fact));
    }
    let depth = depth(proof, 0, &mut vec![None; proof.nodes.len()])
        .unwrap_or_else(|| case.fail("a proof in a circle"));
    if depth > 3 {
        case.see("deep");
    }
    for at in 0..proof.nodes.len() {
        check_node(case, &facts, proof, at);
    }
}

/// How deep the proof of a node is; `None` when it is used for itself.
fn depth(proof: &Proof, at: usize, known: &mut Vec<Option<Option<usize>>>) -> Option<usize> {
    if let Some(depth) = known[at] {
        return depth;
    }
    known[at] = Some(None);
    let mut deepest = 0;
    for step in &proof.nodes[at].steps {
        let parts = match &step.ground {
            Ground::Fact(fact) => std::slice::from_ref(fact),
            Ground::Rows { first, .. } => first.as_slice(),
            _ => &[],
        };
        for part in parts {
            deepest = deepest.max(depth(proof, *part, known)?);
        }
    }
    known[at] = Some(Some(deepest + 1));
    Some(deepest + 1)
}

fn check_node(case: &mut Case, facts: &[(String, Tuple)], proof: &Proof, at: usize) {
    let node = &proof.nodes[at];
    let (name, tuple) = &facts[at];
    let clause = case.clause(node.rule);
    assert!(!node.is_truncated);
    if name == "row" {
        case.see("row");
        return check_body(case, facts, proof, at, &clause);
    }
    let key = (name.clone(), tuple.len());
    if clause.head.key() != key || !case.world.holds(&key, tuple) {
        case.fail(format!("{} is no fact of {clause}", node.fact));
    }
    if clause.aggregates() {
        case.see("group");
        return check_group(case, facts, proof, at, &clause);
    }
    case.see(if clause.is_fact() { "fact" } else { "rule" });
    check_body(case, facts, proof, at, &clause);
}

fn printed(tuple: &Tuple) -> Tuple {
    tuple.iter().map(Value::printed).collect()
}

/// The rows of a group are all rows that it has.
fn check_group(case: &Case, facts: &[(String, Tuple)], proof: &Proof, at: usize, clause: &Clause) {
    let node = &proof.nodes[at];
    let [step] = node.steps.as_slice() else { case.fail(format!("{} is no group", node.fact)) };
    let Ground::Rows { first: rows, .. } = &step.ground else {
        case.fail(format!("{} is no group", node.fact))
    };
    let rows: BTreeSet<Tuple> = rows.iter().map(|row| printed(&facts[*row].1)).collect();
    let mut world = World { facts: case.world.facts.clone(), fuel: usize::MAX, ..World::default() };
    let groups = world.groups(clause);
    let is_group = |group: &Group| group.rows.iter().map(printed).collect::<BTreeSet<_>>() == rows;
    if !groups.iter().any(|group| group.head.as_ref() == Some(&facts[at].1) && is_group(group)) {
        case.fail(format!("{} has no group {rows:?} in {groups:?}", node.fact));
    }
}

/// The premises of a rule hold for the facts that the proof names, and give the fact.
fn check_body(case: &mut Case, facts: &[(String, Tuple)], proof: &Proof, at: usize, clause: &Clause) {
    let node = &proof.nodes[at];
    let mut only: BTreeMap<usize, Tuple> = BTreeMap::new();
    for step in &node.steps {
        if let Ground::Fact(fact) = &step.ground {
            let premise = step.premise as usize;
            let (name, tuple) = &facts[*fact];
            let is_meant =
                clause.body[premise].positive().is_some_and(|atom| atom.key() == (name.clone(), tuple.len()));
            if !is_meant || only.insert(premise, tuple.clone()).is_some() {
                case.fail(format!("{} does not take {name}{tuple:?} for premise {premise}", node.fact));
            }
        }
    }
    let atoms = clause.body.iter().filter(|premise| premise.positive().is_some()).count();
    if only.len() != atoms {
        case.fail(format!("{} takes {} facts", node.fact, only.len()));
    }
    let all = case.world.body(clause, vec![nothing()], clause.body.len(), &only);
    let is_row = facts[at].0 == "row";
    let names = row_variables(clause);
    let made = |world: &mut World, environment: &Environment| {
        if is_row {
            Some(names.iter().map(|name| lookup(environment, *name).unwrap().clone()).collect())
        } else {
            world.head(clause, environment)
        }
    };
    let fitting: Vec<Environment> = all
        .into_iter()
        .filter(|environment| {
            made(&mut case.world, environment).is_some_and(|it| printed(&it) == printed(&facts[at].1))
        })
        .collect();
    if fitting.is_empty() {
        case.fail(format!("{} does not follow from {only:?}", node.fact));
    }
    check_others(case, proof, at, clause, &fitting);
}

/// What is absent is absent, what holds is what the rule says.
fn check_others(case: &mut Case, proof: &Proof, at: usize, clause: &Clause, fitting: &[Environment]) {
    let node = &proof.nodes[at];
    for (premise, number) in clause.body.iter().zip(0u32..) {
        let grounds: Vec<&Ground> =
            node.steps.iter().filter(|step| step.premise == number).map(|step| &step.ground).collect();
        match (premise, grounds.as_slice()) {
            (Premise::Atom { negated: true, atom }, [Ground::Absent(text)]) => {
                case.see("absent");
                let absent = parse(text);
                let instances: Vec<_> =
                    fitting.iter().map(|environment| instance(&mut case.world, atom, environment)).collect();
                if case.find(&absent).is_some() || !instances.iter().any(|it| reads(it, &absent.1)) {
                    case.fail(format!("{}: {text} is there, or none of {instances:?}", node.fact));
                }
            }
            (Premise::Builtin { negated, name, args }, grounds) if !grounds.is_empty() => {
                case.see("built-in");
                let Some(Ground::Holds(text)) = grounds.last() else {
                    case.fail(format!("{grounds:?} for {premise}"))
                };
                let text = text.strip_prefix(if *negated { "!" } else { "" }).unwrap_or("no sign");
                let said = parse(&text.replacen(name, "builtin", 1)).1;
                let atom = Atom { name: (*name).to_owned(), args: args.clone() };
                let mut instances =
                    fitting.iter().map(|environment| instance(&mut case.world, &atom, environment));
                if !instances.any(|instance| reads(&instance, &said)) {
                    case.fail(format!("{}: {text} for {premise}", node.fact));
                }
            }
            (Premise::Compare { operator, .. }, [Ground::Holds(text)]) => {
                case.see("comparison");
                if !text.contains(&format!(" {operator} ")) {
                    case.fail(format!("{}: {text} for {premise}", node.fact));
                }
            }
            // What gives a variable its value has no step.
            (Premise::Compare { operator: "=", .. }, []) => {}
            (Premise::Atom { negated: false, .. }, [Ground::Fact(_)]) => {}
            _ => case.fail(format!("{}: {grounds:?} for {premise}", node.fact)),
        }
    }
}

/// Whether arguments that were printed are these.
fn reads(args: &[Option<Value>], printed: &[Option<Value>]) -> bool {
    args.iter().zip(printed).all(|pair| match pair {
        (Some(one), Some(other)) => one.reads(other),
        (one, other) => one == other,
    })
}

/// The arguments of an atom in an environment.
fn instance(world: &mut World, atom: &Atom, environment: &Environment) -> Vec<Option<Value>> {
    atom.args.iter().map(|arg| world.value(arg, environment).unwrap()).collect()
}

#[test]
fn a_premise_that_stands_in_the_way_has_no_solution() {
    let seen = cases(|case| {
        let mut random = Random(case.seed);
        for (name, bags) in case.program.bags.clone() {
            let known: Vec<Tuple> = case.run.tuples(&name, &bags);
            for _ in 0..4 {
                if let Some(wanted) = missing(case, &mut random, (&name, &bags), &known) {
                    check_why_not(case, &(name.clone(), bags.len()), &wanted);
                }
            }
        }
    });
    for what in ["atom", "negation", "test", "head", "groups", "near"] {
        assert!(seen.get(what).copied().unwrap_or(0) > 30, "hardly ever {what}: {seen:?}");
    }
    assert_eq!(seen.get("too many"), None);
}

/// Arguments that no fact has, made from those that facts have.
fn missing(
    case: &Case,
    random: &mut Random,
    (name, bags): (&str, &[bool]),
    known: &[Tuple],
) -> Option<Vec<Option<Value>>> {
    // `1.0` reads as `1`.
    let is_clear = |value: &&Value| value.printed() == **value;
    let mut others: Vec<Value> =
        case.world.facts.values().flatten().flatten().filter(is_clear).cloned().collect();
    others.push(Value::Number(77));
    let model = known.get(random.below(known.len()));
    let one = |column: usize| {
        let is_open = bags[column] || random.below(3) == 0;
        let other = others[random.below(others.len())].clone();
        let same = model.filter(|_| random.below(3) > 0).map(|tuple| tuple[column].clone());
        (!is_open).then(|| same.unwrap_or(other)).filter(|value| !matches!(value, Value::Bag(_)))
    };
    let wanted: Vec<Option<Value>> = (0..bags.len()).map(one).collect();
    case.find(&(name.to_owned(), wanted.clone())).is_none().then_some(wanted)
}

fn check_why_not(case: &mut Case, key: &Key, wanted: &[Option<Value>]) {
    let Some(id) = case.run.id(&key.0, key.1) else { return };
    let Run { model, compiled, .. } = &mut case.run;
    let ids: Vec<_> =
        wanted.iter().map(|value| value.as_ref().map(|value| value.intern(&mut model.values))).collect();
    let misses = model.why_not(compiled, CLOCK, id, &ids);
    let mut missed: BTreeSet<u32> = BTreeSet::new();
    for miss in &misses {
        missed.insert(case.run.compiled.rule(miss.rule).unwrap().item);
        check_miss(case, wanted, miss);
    }
    for (clause, item) in case.program.clauses.clone().iter().zip(0u32..) {
        if clause.head.key() == *key && !clause.is_fact() && !missed.contains(&item) {
            case.fail(format!("nothing is said about {clause} for {}{wanted:?}", key.0));
        }
    }
}

fn check_miss(case: &mut Case, wanted: &[Option<Value>], Miss { rule, obstacle, .. }: &Miss) {
    let clause = case.clause(*rule);
    match obstacle {
        Obstacle::TooMany => case.see("too many"),
        Obstacle::Groups { near } => {
            case.see("groups");
            near.iter().for_each(|near| check_near(case, near));
        }
        Obstacle::Head { argument, .. } => {
            case.see("head");
            if *argument >= clause.head.args.len() || wanted[*argument].is_none() && !clause.aggregates() {
                // What fails may be in a part of the head that nobody asked about.
                let fails = matches!(obstacle, Obstacle::Head { has, .. } if has.starts_with("without"));
                if !fails {
                    case.fail(format!("{wanted:?}: {clause}: {obstacle:?}"));
                }
            }
            let heads: Vec<Tuple> = if clause.aggregates() {
                case.world.groups(&clause).into_iter().filter_map(|group| group.head).collect()
            } else {
                case.world.heads(&clause)
            };
            if heads.iter().any(|head| fits(head, wanted)) {
                case.fail(format!("{wanted:?}: {clause} gives it, but {obstacle:?}"));
            }
        }
        Obstacle::Premise { premise, asked, near } => {
            near.iter().for_each(|near| check_near(case, near));
            check_premise(case, &clause, wanted, *premise as usize, asked, near);
        }
    }
}

fn fits(tuple: &Tuple, wanted: &[Option<Value>]) -> bool {
    wanted.iter().zip(tuple).all(|(wanted, value)| wanted.as_ref().is_none_or(|wanted| wanted == value))
}

fn check_near(case: &mut Case, near: &str) {
    case.see("near");
    case.fact(near);
}

/// No way to get to the premise leads past it.
fn check_premise(
    case: &mut Case,
    clause: &Clause,
    wanted: &[Option<Value>],
    premise: usize,
    asked: &str,
    near: &[String],
) {
    let place = order(clause).iter().position(|at| *at == premise).unwrap();
    let heads = clause.head.args.clone();
    let is_wanted = move |environment: &Environment| {
        heads.iter().zip(wanted).all(|(arg, wanted)| match (arg, wanted) {
            (Term::Variable(variable), Some(wanted)) => {
                lookup(environment, *variable).is_none_or(|value| value == wanted)
            }
            _ => true,
        })
    };
    let mut before = case.world.body(clause, vec![nothing()], place, &BTreeMap::new());
    before.retain(&is_wanted);
    if before.is_empty() {
        case.fail(format!("{wanted:?}: {clause}: nothing gets to premise {premise}"));
    }
    let mut behind = case.world.premise(&clause.body[premise], &before, None);
    behind.retain(&is_wanted);
    // Of an aggregation's only atom repeated variables need not be equal, and nothing is said about its values.
    if !behind.is_empty() {
        case.fail(format!("{wanted:?}: {clause}: premise {premise} has a solution: {:?}", behind[0]));
    }
    match &clause.body[premise] {
        Premise::Atom { negated: true, .. } => {
            case.see("negation");
            let sought = parse(asked.strip_prefix('!').unwrap());
            let (name, there) = case.fact(&near[0]);
            let fits =
                |(one, other): (&Option<Value>, &Value)| one.as_ref().is_none_or(|one| one.reads(other));
            let fits = sought.1.iter().zip(&there).all(fits);
            if sought.0 != name || !fits || near.len() != 1 {
                case.fail(format!("{clause}: {asked} fails because of {near:?}"));
            }
        }
        Premise::Atom { negated: false, atom } => {
            case.see("atom");
            let repeats = atom.args.iter().enumerate().any(|(at, arg)| atom.args[..at].contains(arg));
            // What cannot be computed is not an atom.
            let is_atom = asked.starts_with(&format!("{}(", atom.name));
            // `1` may be `1.0` here, which is not the same.
            let is_same = |tuple: &Tuple| {
                parse(asked)
                    .1
                    .iter()
                    .zip(tuple)
                    .all(|(one, other)| one.as_ref().is_none_or(|one| one == other))
            };
            if is_atom && !repeats && case.find(&parse(asked)).is_some_and(is_same) {
                case.fail(format!("{clause}: {asked} is there"));
            }
        }
        _ => case.see("test"),
    }
}
