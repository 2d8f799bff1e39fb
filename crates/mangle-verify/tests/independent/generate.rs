//! Questions by a seed, built around a world: each rule, negation and condition is chosen so that this world answers the
//! property. Some questions are changed afterwards, so that many of them have no such world.

use crate::naive::evaluate::{Facts, Key, evaluate};
use crate::naive::syntax::{Atom, Clause, Premise, Program, Term, Transform, Variable};
use crate::naive::value::Value;
use crate::support::Random;

use super::condition::{Bindings, Body};
use super::pool;
use super::question::{Input, Kind, Property, Question, WorldFact};

/// The work that the evaluation of one world may take.
pub const FUEL: usize = 20_000;

struct Generator {
    random: Random,
    inputs: Vec<Input>,
    world: Vec<WorldFact>,
    clauses: Vec<Clause>,
    /// The facts of the world and of the rules.
    facts: Facts,
}

/// The question of a seed.
pub fn question(seed: u64) -> Question {
    let random = Random::seeded(seed.wrapping_mul(0x51_7c_c1_b7_27_22_0a_95));
    let mut generator =
        Generator { random, inputs: Vec::new(), world: Vec::new(), clauses: Vec::new(), facts: Facts::new() };
    generator.add_inputs();
    for level in 0..1 + generator.random.below(3) {
        generator.add_predicate(level);
    }
    generator.finish()
}

impl Generator {
    fn add_inputs(&mut self) {
        let kinds = [
            Kind::Name,
            Kind::Name,
            Kind::Name,
            Kind::Number,
            Kind::Number,
            Kind::Text,
            Kind::Text,
            Kind::Names,
            Kind::Numbers,
            Kind::Pair,
        ];
        for name in ["e", "f", "g"].iter().take(1 + self.random.below(3)) {
            let columns = (0..1 + self.random.below(3)).map(|_| *self.random.pick(&kinds)).collect();
            self.inputs.push(Input { name: (*name).to_owned(), columns });
        }
        for _ in 0..1 + self.random.below(4) {
            let input = self.random.pick(&self.inputs).clone();
            let fact = pool::fact(&mut self.random, &input, &self.world, &self.inputs);
            if !self.world.contains(&fact) {
                self.world.push(fact);
            }
        }
        self.evaluate();
    }

    fn evaluate(&mut self) {
        let program = Program { clauses: self.clauses.clone(), bags: Vec::new(), faithful: true };
        self.facts = facts(&program, &self.world).unwrap_or_default();
    }

    /// Adds a predicate with one or two rules. Rules that stop the evaluation of the world are left out.
    fn add_predicate(&mut self, level: usize) {
        let name = format!("p{level}");
        let before = self.clauses.len();
        match self.random.below(10) {
            0 => self.add_closure(&name),
            1 | 2 => self.add_aggregate(&name),
            _ => self.add_rule(&name),
        }
        if self.random.chance(25) && self.clauses.len() == before + 1 && !self.clauses[before].aggregates() {
            let arity = self.clauses[before].head.args.len();
            self.add_rule(&name);
            if self.clauses.last().is_some_and(|clause| clause.head.args.len() != arity) {
                self.clauses.pop();
            }
        }
        let program = Program { clauses: self.clauses.clone(), bags: Vec::new(), faithful: true };
        match facts(&program, &self.world) {
            Some(facts) => self.facts = facts,
            None => self.clauses.truncate(before),
        }
    }

    /// A conjunction that holds in the world, with its variables.
    fn conjunction(&mut self, conditions: usize) -> Option<(Vec<Premise>, Bindings)> {
        let mut body = Body { random: &mut self.random, premises: Vec::new(), bindings: Vec::new(), next: 0 };
        let keys: Vec<&Key> =
            self.facts.iter().filter(|(_, tuples)| !tuples.is_empty()).map(|(key, _)| key).collect();
        if keys.is_empty() {
            return None;
        }
        for _ in 0..1 + body.random.below(3) {
            let key = (*body.random.pick(&keys)).clone();
            let tuples: Vec<_> = self.facts[&key].iter().collect();
            let tuple = *body.random.pick(&tuples);
            let args = tuple.iter().map(|value| argument(&mut body, value)).collect();
            body.premises.push(Premise::Atom { negated: false, atom: Atom { name: key.0, args } });
        }
        for _ in 0..body.random.below(conditions + 1) {
            body.add_condition();
        }
        let (mut premises, bindings) = (body.premises, body.bindings);
        if self.random.chance(35) {
            premises.extend(self.negation(&bindings));
        }
        Some((premises, bindings))
    }

    /// A negated atom that holds in the world. Each of its variables has a value.
    fn negation(&mut self, bindings: &[(Variable, Value)]) -> Option<Premise> {
        let keys: Vec<&Key> = self.facts.keys().collect();
        for _ in 0..4 {
            let key = (*self.random.pick(&keys)).clone();
            let kinds: Vec<Value> = self.facts[&key].iter().next()?.clone();
            let (mut args, mut wanted) = (Vec::new(), Vec::new());
            for kind in &kinds {
                let same = |value: &Value| std::mem::discriminant(value) == std::mem::discriminant(kind);
                let all: Vec<_> = bindings.iter().filter(|(_, value)| same(value)).collect();
                if all.is_empty() {
                    args.push(Term::Value(kind.clone()));
                    wanted.push(kind.clone());
                } else {
                    let (variable, value) = (*self.random.pick(&all)).clone();
                    args.push(Term::Variable(variable));
                    wanted.push(value);
                }
            }
            if !self.facts[&key].contains(&wanted) {
                return Some(Premise::Atom { negated: true, atom: Atom { name: key.0, args } });
            }
        }
        None
    }

    fn add_rule(&mut self, name: &str) {
        let Some((body, bindings)) = self.conjunction(3) else { return };
        let count = 1 + self.random.below(2);
        let variables: Vec<Variable> = bindings.iter().map(|(variable, _)| *variable).collect();
        let args: Vec<Term> = if variables.is_empty() {
            Vec::new()
        } else {
            (0..count).map(|_| Term::Variable(*self.random.pick(&variables))).collect()
        };
        let head = Atom { name: name.to_owned(), args };
        self.clauses.push(Clause { head, body, transform: Transform::None });
    }

    /// The transitive closure of an input with two arguments of one type.
    fn add_closure(&mut self, name: &str) {
        let inputs = self
            .inputs
            .iter()
            .filter(|input| input.columns.len() == 2 && input.columns[0] == input.columns[1]);
        let Some(input) = inputs.map(|input| input.name.clone()).next() else { return self.add_rule(name) };
        let atom = |name: &str, one: Variable, other: Variable| {
            let args = vec![Term::Variable(one), Term::Variable(other)];
            Atom { name: name.to_owned(), args }
        };
        let positive = |atom: Atom| Premise::Atom { negated: false, atom };
        let clause = |body: Vec<Premise>| Clause { head: atom(name, 0, 1), body, transform: Transform::None };
        self.clauses.push(clause(vec![positive(atom(&input, 0, 1))]));
        self.clauses.push(clause(vec![positive(atom(name, 0, 2)), positive(atom(&input, 2, 1))]));
    }

    fn add_aggregate(&mut self, name: &str) {
        let Some((body, bindings)) = self.conjunction(1) else { return };
        let numbers: Vec<Variable> = bindings
            .iter()
            .filter(|(_, value)| matches!(value, Value::Number(_)))
            .map(|(one, _)| *one)
            .collect();
        let keys: Vec<Variable> = if self.random.chance(40) && !bindings.is_empty() {
            vec![self.random.pick(&bindings).0]
        } else {
            Vec::new()
        };
        let result = 20;
        let term = if numbers.is_empty() || self.random.chance(50) {
            Term::Apply("fn:count", Vec::new())
        } else {
            let reducer = *self.random.pick(&["fn:sum", "fn:max", "fn:min"]);
            Term::Apply(reducer, vec![Term::Variable(*self.random.pick(&numbers))])
        };
        let args = keys.iter().copied().chain([result]).map(Term::Variable).collect();
        let head = Atom { name: name.to_owned(), args };
        let transform = Transform::Group { keys, lets: vec![(result, term)] };
        self.clauses.push(Clause { head, body, transform });
    }

    fn finish(mut self) -> Question {
        let body = self.conjunction(3);
        let (body, bindings) = body.unwrap_or_else(|| {
            let head =
                Atom { name: "e".to_owned(), args: vec![Term::Wildcard; self.inputs[0].columns.len()] };
            (vec![Premise::Atom { negated: false, atom: head }], Vec::new())
        });
        let property = match self.random.below(6) {
            0 => Property::Possible(body),
            1 | 2 => match self.negation(&bindings) {
                Some(Premise::Atom { atom, .. }) => Property::Always(body, atom),
                _ => Property::Never(body),
            },
            _ => Property::Never(body),
        };
        let mut assumptions = Vec::new();
        if self.random.chance(20) {
            assumptions.extend(self.unique_key());
        }
        let scope = self.world.len().max(1) + self.random.below(2);
        let mut question = Question {
            inputs: self.inputs,
            policy: Program { clauses: self.clauses, bags: Vec::new(), faithful: true },
            property,
            assumptions,
            scope: scope.min(5),
            seed_world: self.world,
        };
        if self.random.chance(60) {
            for _ in 0..1 + self.random.below(4) {
                change(&mut self.random, &mut question);
            }
        }
        question
    }

    /// An assumption that the first argument of an input determines the second one, if the world fulfills it.
    fn unique_key(&mut self) -> Option<Vec<Premise>> {
        let input = self.inputs.iter().find(|input| input.columns.len() >= 2)?;
        let of_input: Vec<_> = self.world.iter().filter(|(key, _)| *key == input.key()).collect();
        let conflict = of_input
            .iter()
            .any(|(_, one)| of_input.iter().any(|(_, other)| one[0] == other[0] && one[1] != other[1]));
        if conflict {
            return None;
        }
        let atom = |second: Variable| {
            let mut args = vec![Term::Wildcard; input.columns.len()];
            (args[0], args[1]) = (Term::Variable(0), Term::Variable(second));
            Premise::Atom { negated: false, atom: Atom { name: input.name.clone(), args } }
        };
        let differ = Premise::Compare { left: Term::Variable(1), operator: "!=", right: Term::Variable(2) };
        Some(vec![atom(1), atom(2), differ])
    }
}

/// An argument of a premise that a value fits.
fn argument(body: &mut Body<'_>, value: &Value) -> Term {
    let known: Vec<Variable> =
        body.bindings.iter().filter(|(_, known)| known == value).map(|(variable, _)| *variable).collect();
    match body.random.below(10) {
        0 => Term::Wildcard,
        1 if value.is_plain() => Term::Value(value.clone()),
        2..7 if !known.is_empty() => Term::Variable(*body.random.pick(&known)),
        _ => {
            let variable = body.next;
            body.next += 1;
            body.bindings.push((variable, value.clone()));
            Term::Variable(variable)
        }
    }
}

/// All facts of a program and a world; `None` if an evaluation stops with an error or takes too long.
pub fn facts(program: &Program, world: &[WorldFact]) -> Option<Facts> {
    let mut all = program.clone();
    let clause = |((name, _), tuple): &WorldFact| Clause {
        head: Atom { name: name.clone(), args: tuple.iter().cloned().map(Term::Value).collect() },
        body: Vec::new(),
        transform: Transform::None,
    };
    all.clauses.extend(world.iter().map(clause));
    let evaluated = evaluate(&all, FUEL)?;
    (evaluated.failures == 0).then_some(evaluated.facts)
}

/// Changes a constant or an operator, or leaves a rule out, so that the world may no longer answer the property.
pub fn change(random: &mut Random, question: &mut Question) {
    if random.chance(15) {
        return contradict(random, question);
    }
    if random.chance(25) && question.policy.clauses.len() > 1 {
        let used = |name: &str, clauses: &[Clause]| clauses.iter().any(|clause| clause.head.name == name);
        let at = random.below(question.policy.clauses.len());
        let gone = question.policy.clauses.remove(at);
        if !used(&gone.head.name, &question.policy.clauses) {
            question.policy.clauses.insert(at, gone);
        }
        return;
    }
    let body = match &mut question.property {
        Property::Never(body) | Property::Possible(body) | Property::Always(body, _) => body,
    };
    let rules = question.policy.clauses.iter_mut().flat_map(|clause| clause.body.iter_mut());
    let mut premises: Vec<&mut Premise> = body.iter_mut().chain(rules).collect();
    let at = random.below(premises.len());
    change_premise(random, premises[at]);
}

/// Requires a fact and its absence, in the property or in a rule.
fn contradict(random: &mut Random, question: &mut Question) {
    let property = match &mut question.property {
        Property::Never(body) | Property::Possible(body) | Property::Always(body, _) => body,
    };
    let rules = question.policy.clauses.iter_mut().filter(|clause| !clause.aggregates());
    let mut bodies: Vec<&mut Vec<Premise>> =
        std::iter::once(property).chain(rules.map(|rule| &mut rule.body)).collect();
    let at = random.below(bodies.len());
    let opposite = bodies[at].iter().rev().find_map(|premise| match premise {
        Premise::Atom { negated: false, atom } if !atom.args.contains(&Term::Wildcard) => {
            Some(Premise::Atom { negated: true, atom: atom.clone() })
        }
        Premise::Builtin { negated: false, name, args } if name.starts_with(":string") => {
            Some(Premise::Builtin { negated: true, name, args: args.clone() })
        }
        _ => None,
    });
    bodies[at].extend(opposite);
}

fn change_premise(random: &mut Random, premise: &mut Premise) {
    match premise {
        Premise::Compare { operator, right, .. } => match right {
            Term::Value(Value::Number(number)) => *number += i64::try_from(random.below(9)).unwrap() - 4,
            _ if matches!(*operator, "<" | ">=") => *operator = if *operator == "<" { ">=" } else { "<" },
            Term::Value(Value::Name(name)) => name.push('x'),
            _ => {}
        },
        Premise::Builtin { negated, args, .. } => match args.last_mut() {
            Some(Term::Value(Value::Text(text))) => text.push_str(random.pick::<&str>(&["a", "/", "z"])),
            Some(Term::Value(_)) => *negated = !*negated,
            _ => {}
        },
        Premise::Atom { atom, .. } => {
            for arg in &mut atom.args {
                if let Term::Value(Value::Name(name)) = arg {
                    name.push('y');
                }
            }
        }
    }
}
