//! The evaluation, as plain as it can be.

use std::collections::{BTreeMap, BTreeSet};

use super::builtin::{apply, is_reducer, reduce, solve};
use super::syntax::{Atom, Clause, Premise, Program, Term, Transform, Variable};
use super::value::Value;

pub type Tuple = Vec<Value>;
/// Name and arity.
pub type Key = (String, usize);
pub type Facts = BTreeMap<Key, BTreeSet<Tuple>>;

/// What a variable stands for: a value, or another variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    Free,
    Value(Value),
    Same(Variable),
}

pub type Environment = Vec<Binding>;

/// More variables than any clause has.
const VARIABLES: usize = 24;

/// What a program says.
#[derive(Debug, Default)]
pub struct World {
    pub facts: Facts,
    /// How often something happened, by its name.
    pub seen: BTreeMap<String, usize>,
    /// How many rows were lost because something had no value.
    pub failures: usize,
    /// How much work is left before it is too much.
    pub fuel: usize,
}

/// A group of an aggregation: its keys, the tuples that were counted, and the head if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub rows: BTreeSet<Tuple>,
    pub head: Option<Tuple>,
}

/// All facts of a program; `None` when that is too much work.
pub fn evaluate(program: &Program, fuel: usize) -> Option<World> {
    let mut world = World { fuel, ..World::default() };
    for component in components(program) {
        let of = |clause: &&Clause| component.contains(&clause.head.key());
        let (groups, plain): (Vec<_>, Vec<_>) =
            program.clauses.iter().filter(of).partition(|it| it.aggregates());
        let mut rounds = 0;
        loop {
            let heads: Vec<(Key, Tuple)> = plain
                .iter()
                .flat_map(|clause| world.heads(clause).into_iter().map(|head| (clause.head.key(), head)))
                .collect();
            let mut grows = false;
            for (key, head) in heads {
                grows |= world.facts.entry(key).or_default().insert(head);
            }
            if world.fuel == 0 {
                return None;
            }
            if !grows {
                break;
            }
            rounds += 1;
            if rounds > 2 {
                world.see("a third round");
                plain.iter().for_each(|clause| world.see_recursion(clause, &component));
            }
        }
        for clause in groups {
            for group in world.groups(clause) {
                world.facts.entry(clause.head.key()).or_default().extend(group.head);
            }
        }
    }
    (world.fuel > 0).then_some(world)
}

/// The predicates that depend on each other, in an order in which they can be evaluated.
fn components(program: &Program) -> Vec<BTreeSet<Key>> {
    let mut keys: BTreeSet<Key> = BTreeSet::new();
    let mut needs: BTreeSet<(Key, Key)> = BTreeSet::new();
    for clause in &program.clauses {
        keys.insert(clause.head.key());
        for premise in &clause.body {
            if let Premise::Atom { atom, .. } = premise {
                keys.insert(atom.key());
                needs.insert((clause.head.key(), atom.key()));
            }
        }
    }
    // Whatever is needed by what is needed.
    for middle in &keys {
        for from in &keys {
            for to in &keys {
                let of = |one: &Key, other: &Key| needs.contains(&(one.clone(), other.clone()));
                if of(from, middle) && of(middle, to) {
                    needs.insert((from.clone(), to.clone()));
                }
            }
        }
    }
    let of = |one: &Key, other: &Key| needs.contains(&(one.clone(), other.clone()));
    let mut done: BTreeSet<Key> = BTreeSet::new();
    let mut order = Vec::new();
    while let Some(first) = keys.iter().find(|key| {
        !done.contains(*key)
            && keys.iter().all(|other| !of(key, other) || of(other, key) || done.contains(other))
    }) {
        let members = keys.iter().filter(|other| *other == first || (of(first, other) && of(other, first)));
        let component: BTreeSet<Key> = members.cloned().collect();
        done.extend(component.iter().cloned());
        order.push(component);
    }
    assert_eq!(done.len(), keys.len());
    order
}

pub fn nothing() -> Environment {
    vec![Binding::Free; VARIABLES]
}

/// The variable at the end of a chain of equal ones.
fn root(environment: &[Binding], mut variable: Variable) -> Variable {
    while let Binding::Same(other) = environment[variable] {
        variable = other;
    }
    variable
}

pub fn lookup(environment: &[Binding], variable: Variable) -> Option<&Value> {
    match &environment[root(environment, variable)] {
        Binding::Value(value) => Some(value),
        _ => None,
    }
}

pub fn bind(environment: &mut Environment, variable: Variable, value: Value) {
    let root = root(environment, variable);
    environment[root] = Binding::Value(value);
}

/// The order in which the premises are evaluated: a negation or `!=` waits until all its variables have a value.
pub fn order(clause: &Clause) -> Vec<usize> {
    let mut bound: BTreeSet<Variable> = BTreeSet::new();
    let mut equal: Vec<(Variable, Variable)> = Vec::new();
    let (mut order, mut late) = (Vec::new(), Vec::new());
    for (at, premise) in clause.body.iter().enumerate() {
        if premise.waits() {
            late.push(at);
        } else {
            order.push(at);
            match premise {
                Premise::Compare { left: Term::Variable(one), right: Term::Variable(other), .. } => {
                    equal.push((*one, *other));
                }
                _ => bound.extend(premise.variables()),
            }
        }
        for _ in 0..equal.len() {
            for (one, other) in &equal {
                if bound.contains(one) || bound.contains(other) {
                    bound.extend([*one, *other]);
                }
            }
        }
        let is_ready = |at: &usize| clause.body[*at].variables().iter().all(|it| bound.contains(it));
        order.extend(late.iter().copied().filter(is_ready));
        late.retain(|at| !is_ready(at));
    }
    order.extend(late);
    order
}

/// Whether a variable without a value stands twice in an atom.
fn repeats(atom: &Atom, wanted: &[Option<Value>]) -> bool {
    let open: Vec<&Term> =
        atom.args.iter().zip(wanted).filter(|(_, value)| value.is_none()).map(|(arg, _)| arg).collect();
    let is_again = |(at, arg): (usize, &&Term)| **arg != Term::Wildcard && open[..at].contains(arg);
    open.iter().enumerate().any(is_again)
}

/// Whether an argument can stand for a value, and what is known then.
fn fit(environment: &mut Environment, arg: &Term, wanted: Option<&Value>, value: &Value) -> bool {
    match (wanted, arg) {
        (Some(wanted), _) => wanted == value,
        (None, Term::Variable(variable)) => match lookup(environment, *variable).cloned() {
            Some(known) => known == *value,
            None => {
                bind(environment, *variable, value.clone());
                true
            }
        },
        _ => true,
    }
}

impl World {
    pub fn see(&mut self, what: &str) {
        if let Some(count) = self.seen.get_mut(what) {
            *count += 1;
        } else {
            self.seen.insert(what.to_owned(), 1);
        }
    }

    fn see_recursion(&mut self, clause: &Clause, component: &BTreeSet<Key>) {
        let atoms = clause.body.iter().filter_map(Premise::positive);
        match atoms.filter(|atom| component.contains(&atom.key())).count() {
            0 | 1 => {}
            2 => self.see("several recursive premises"),
            _ => self.see("three recursive premises"),
        }
        if component.len() > 1 {
            self.see("rules of two predicates about each other");
        }
    }

    pub fn holds(&self, key: &Key, tuple: &[Value]) -> bool {
        self.facts.get(key).is_some_and(|facts| facts.contains(tuple))
    }

    /// What the clause derives from the facts that there are.
    pub fn heads(&mut self, clause: &Clause) -> Vec<Tuple> {
        let all = self.body(clause, vec![nothing()], clause.body.len(), &BTreeMap::new());
        all.iter().filter_map(|environment| self.head(clause, environment)).collect()
    }

    /// The environments in which the first `count` premises, in the order of evaluation, hold. `only`: for some
    /// premises the only tuple that they may find.
    pub fn body(
        &mut self,
        clause: &Clause,
        mut environments: Vec<Environment>,
        count: usize,
        only: &BTreeMap<usize, Tuple>,
    ) -> Vec<Environment> {
        for at in order(clause).into_iter().take(count) {
            environments = self.premise(&clause.body[at], &environments, only.get(&at));
        }
        environments
    }

    pub fn premise(
        &mut self,
        premise: &Premise,
        environments: &[Environment],
        only: Option<&Tuple>,
    ) -> Vec<Environment> {
        let mut all = Vec::new();
        for environment in environments {
            if self.fuel == 0 {
                return Vec::new();
            }
            self.fuel -= 1;
            match premise {
                Premise::Atom { negated: false, atom } => all.extend(self.found(atom, environment, only)),
                Premise::Atom { negated: true, atom } => {
                    let is_absent = self.found(atom, environment, None).is_empty();
                    self.see(if is_absent { "a negation holds" } else { "a negation fails" });
                    if atom.args.contains(&Term::Wildcard) {
                        self.see(if is_absent { "`!p(_)` holds" } else { "`!p(_)` fails" });
                    }
                    all.extend(is_absent.then(|| environment.clone()));
                }
                Premise::Builtin { negated, name, args } => {
                    all.extend(self.builtin(*negated, name, args, environment));
                }
                Premise::Compare { left, operator, right } => {
                    all.extend(self.compare(left, operator, right, environment));
                }
            }
        }
        all
    }

    /// The value of a term: an error when it fails, `None` when it is a variable or `_` without one.
    pub fn value(&mut self, term: &Term, environment: &Environment) -> Result<Option<Value>, ()> {
        Ok(match term {
            Term::Value(value) => Some(value.clone()),
            Term::Wildcard => None,
            Term::Variable(variable) => lookup(environment, *variable).cloned(),
            Term::Apply(name, args) => {
                let mut values = Vec::new();
                for arg in args {
                    let value = self.value(arg, environment)?;
                    values.push(value.unwrap_or_else(|| panic!("{term} has an argument without a value")));
                }
                let value = apply(name, &values);
                self.see(&format!("{name}{}", if value.is_some() { "" } else { " fails" }));
                if value.is_none() {
                    self.failures += 1;
                }
                Some(value.ok_or(())?)
            }
        })
    }

    fn values(&mut self, terms: &[Term], environment: &Environment) -> Option<Vec<Option<Value>>> {
        terms.iter().map(|term| self.value(term, environment).ok()).collect()
    }

    fn found(&mut self, atom: &Atom, environment: &Environment, only: Option<&Tuple>) -> Vec<Environment> {
        let Some(wanted) = self.values(&atom.args, environment) else { return Vec::new() };
        let facts = self.facts.get(&atom.key());
        let tuples: Vec<&Tuple> =
            facts.into_iter().flatten().filter(|tuple| only.is_none_or(|it| it == *tuple)).collect();
        self.fuel = self.fuel.saturating_sub(tuples.len());
        let repeats = repeats(atom, &wanted);
        let (mut all, mut misses) = (Vec::new(), false);
        for tuple in tuples {
            let mut next = environment.clone();
            let mut parts = atom.args.iter().zip(&wanted).zip(tuple);
            if parts.all(|((arg, wanted), value)| fit(&mut next, arg, wanted.as_ref(), value)) {
                all.push(next);
            } else {
                misses = true;
            }
        }
        if repeats && misses {
            self.see("a repeated variable does not fit");
        }
        if !all.is_empty() {
            self.see_shape(atom, repeats);
        }
        all
    }

    fn see_shape(&mut self, atom: &Atom, repeats: bool) {
        if repeats {
            self.see("a repeated variable fits");
        }
        if atom.args.is_empty() {
            self.see("a predicate without arguments");
        }
        if atom.args.iter().any(|arg| matches!(arg, Term::Value(_))) {
            self.see("a constant in a premise");
        }
        if atom.args.iter().any(|arg| matches!(arg, Term::Apply(..))) {
            self.see("a function in a premise");
        }
    }

    fn builtin(
        &mut self,
        negated: bool,
        name: &str,
        args: &[Term],
        environment: &Environment,
    ) -> Vec<Environment> {
        let Some(values) = self.values(args, environment) else { return Vec::new() };
        let Some(solutions) = solve(name, &values) else {
            self.failures += 1;
            self.see("a built-in predicate fails");
            return Vec::new();
        };
        let sign = if negated { "!" } else { "" };
        self.see(&format!("{sign}{name} {}", !solutions.is_empty()));
        if negated {
            return if solutions.is_empty() { vec![environment.clone()] } else { Vec::new() };
        }
        let mut all = Vec::new();
        for solution in solutions {
            let mut next = environment.clone();
            let open = args.iter().zip(&values).filter(|(_, value)| value.is_none()).map(|(arg, _)| arg);
            if open.zip(&solution).all(|(arg, value)| fit(&mut next, arg, None, value)) {
                all.push(next);
            }
        }
        all
    }

    fn compare(
        &mut self,
        left: &Term,
        operator: &str,
        right: &Term,
        environment: &Environment,
    ) -> Option<Environment> {
        let (one, other) = (self.value(left, environment).ok()?, self.value(right, environment).ok()?);
        let mut next = environment.clone();
        let holds = match (operator, &one, &other) {
            ("=", Some(one), Some(other)) => one == other,
            ("=", Some(value), None) | ("=", None, Some(value)) => {
                let open = if one.is_none() { left } else { right };
                if let Term::Variable(variable) = open {
                    bind(&mut next, *variable, value.clone());
                }
                true
            }
            ("=", None, None) => {
                if let (Term::Variable(one), Term::Variable(other)) = (left, right) {
                    let (one, other) = (root(&next, *one), root(&next, *other));
                    if one != other {
                        next[one] = Binding::Same(other);
                    }
                    self.see("two variables without a value are made equal");
                }
                true
            }
            ("!=", Some(one), Some(other)) => one != other,
            (_, Some(one), Some(other)) => {
                let name = match operator {
                    "<" => ":lt",
                    "<=" => ":le",
                    ">" => ":gt",
                    _ => ":ge",
                };
                let Some(solutions) = solve(name, &[Some(one.clone()), Some(other.clone())]) else {
                    self.failures += 1;
                    self.see("a comparison fails");
                    return None;
                };
                !solutions.is_empty()
            }
            _ => panic!("{left} {operator} {right} has a side without a value"),
        };
        self.see(&format!("{operator} {holds}"));
        holds.then_some(next)
    }

    /// The tuple that a clause without groups makes of an environment.
    pub fn head(&mut self, clause: &Clause, environment: &Environment) -> Option<Tuple> {
        let mut environment = environment.clone();
        if let Transform::Let(lets) = &clause.transform {
            for (variable, term) in lets {
                let value = self.value(term, &environment).ok()?.unwrap();
                bind(&mut environment, *variable, value);
                self.see("a let");
            }
        }
        clause.head.args.iter().map(|arg| self.value(arg, &environment).ok().map(Option::unwrap)).collect()
    }

    /// The tuples that an aggregation counts: of a single atom those of its relation, else the values of all
    /// variables of the body. With them what the variables are.
    fn rows(&mut self, clause: &Clause) -> BTreeMap<Tuple, Environment> {
        if let [Premise::Atom { negated: false, atom }] = clause.body.as_slice() {
            let tuples = self.facts.get(&atom.key()).cloned().unwrap_or_default();
            let row = |tuple: Tuple| {
                let mut environment = nothing();
                for (arg, value) in atom.args.iter().zip(&tuple) {
                    match arg {
                        // What is built of other values selects nothing.
                        Term::Value(wanted) if wanted != value && wanted.is_plain() => return None,
                        // Of a variable that stands twice the first column counts.
                        Term::Variable(variable) if lookup(&environment, *variable).is_none() => {
                            bind(&mut environment, *variable, value.clone());
                        }
                        _ => {}
                    }
                }
                Some((tuple, environment))
            };
            self.see("rows are the tuples of a relation");
            return tuples.into_iter().filter_map(row).collect();
        }
        self.see("rows are the solutions of a body");
        let names = row_variables(clause);
        let all = self.body(clause, vec![nothing()], clause.body.len(), &BTreeMap::new());
        let row = |environment: Environment| {
            let row = names.iter().map(|name| lookup(&environment, *name).unwrap().clone()).collect();
            (row, environment)
        };
        all.into_iter().map(row).collect()
    }

    /// The groups of an aggregation.
    pub fn groups(&mut self, clause: &Clause) -> Vec<Group> {
        let Transform::Group { keys, lets } = &clause.transform else { return Vec::new() };
        let mut groups: BTreeMap<Tuple, Vec<(Tuple, Environment)>> = BTreeMap::new();
        for (row, environment) in self.rows(clause) {
            let key = keys.iter().map(|key| lookup(&environment, *key).unwrap().clone()).collect();
            groups.entry(key).or_default().push((row, environment));
        }
        let mut all = Vec::new();
        for (key, rows) in groups {
            if rows.len() > 1 {
                self.see("a group of several rows");
            }
            let mut environment = nothing();
            keys.iter().zip(key).for_each(|(name, value)| bind(&mut environment, *name, value));
            let head = self.reduced(clause, lets, &rows, environment);
            all.push(Group { rows: rows.into_iter().map(|(row, _)| row).collect(), head });
        }
        all
    }

    fn reduced(
        &mut self,
        clause: &Clause,
        lets: &[(Variable, Term)],
        rows: &[(Tuple, Environment)],
        mut environment: Environment,
    ) -> Option<Tuple> {
        for (name, term) in lets {
            let value = match term {
                Term::Apply(reducer, args) if is_reducer(reducer) => {
                    let of = |row: &Environment, arg: &Term| match arg {
                        Term::Variable(variable) => lookup(row, *variable).unwrap().clone(),
                        other => panic!("{other} is no variable"),
                    };
                    let rows: Vec<Vec<Value>> =
                        rows.iter().map(|(_, row)| args.iter().map(|arg| of(row, arg)).collect()).collect();
                    let value = reduce(reducer, &rows);
                    self.see(&format!("reducer {reducer}{}", if value.is_some() { "" } else { " fails" }));
                    if value.is_none() {
                        self.failures += 1;
                    }
                    value?
                }
                other => {
                    self.see("a function behind a reducer");
                    self.value(other, &environment).ok()?.unwrap()
                }
            };
            bind(&mut environment, *name, value);
        }
        clause.head.args.iter().map(|arg| self.value(arg, &environment).ok().map(Option::unwrap)).collect()
    }
}

/// The variables of a body that an aggregation's rows have, in the order of their first mention.
pub fn row_variables(clause: &Clause) -> Vec<Variable> {
    let mut names: Vec<Variable> = Vec::new();
    let gives = |premise: &&Premise| {
        !premise.waits() && !matches!(premise, Premise::Compare { operator, .. } if *operator != "=")
    };
    for premise in clause.body.iter().filter(gives) {
        for variable in premise.variables() {
            if !names.contains(&variable) {
                names.push(variable);
            }
        }
    }
    names
}
