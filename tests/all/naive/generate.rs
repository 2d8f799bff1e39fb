//! Programs by a seed: typed predicates in layers, so that what is generated means something, terminates and derives
//! something more often than not.

use crate::support::Random;

use super::syntax::{Atom, Clause, Premise, Program, Term, Transform, Variable};
use super::value::Value;

mod terms;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Number,
    Name,
    Text,
    Float,
    /// Of a number and a name.
    Pair,
    /// Of numbers.
    List,
    /// From names to numbers.
    Map,
    /// `{/f: number, /g: name}`
    Struct,
    /// From numbers to the same numbers.
    Index,
    /// A list of numbers whose order is open.
    Bag,
    /// A list of tuples whose order is open.
    Tuples,
}

pub const COMPARISONS: &[&str] = &["=", "!=", "<", "<=", ">", ">="];
/// Built-in predicates that only test.
pub const TESTS: &[&str] = &[
    ":lt",
    ":le",
    ":gt",
    ":ge",
    ":match_prefix",
    ":string:starts_with",
    ":string:ends_with",
    ":string:contains",
    ":match_nil",
    ":filter",
    ":list:member",
];
/// All built-in predicates that are used.
pub const PREDICATES: &[&str] = &[
    ":lt",
    ":le",
    ":gt",
    ":ge",
    ":within_distance",
    ":match_prefix",
    ":string:starts_with",
    ":string:ends_with",
    ":string:contains",
    ":match_nil",
    ":filter",
    ":list:member",
    ":match_pair",
    ":match_cons",
    ":match_entry",
    ":match_field",
];
pub const FUNCTIONS: &[&str] = &[
    "fn:plus",
    "fn:minus",
    "fn:mult",
    "fn:div",
    "fn:mod",
    "fn:float:plus",
    "fn:string:concat",
    "fn:number:to_string",
    "fn:name:to_string",
    "fn:name:root",
    "fn:name:tip",
    "fn:pair",
    "fn:tuple",
    "fn:list",
    "fn:list:cons",
    "fn:list:append",
    "fn:list:get",
    "fn:list:len",
    "fn:list:contains",
    "fn:map",
    "fn:struct",
    "fn:struct:get",
    "fn:sum",
    "fn:max",
    "fn:min",
];
/// What fails now and then.
pub const FAILING: &[&str] = &["fn:div", "fn:list:get", "fn:struct:get", "reducer fn:sum"];

const NAMES: [&str; 5] = ["/a", "/b", "/a/b", "/a/bc", "/c"];
const TEXTS: [&str; 4] = ["", "a", "ab", "ba"];

#[derive(Clone)]
struct Predicate {
    name: String,
    columns: Vec<Type>,
    layer: usize,
}

struct Generator {
    random: Random,
    predicates: Vec<Predicate>,
    clauses: Vec<Clause>,
    faithful: bool,
    /// The variables of the clause at hand that have a value.
    scope: Vec<(Variable, Type)>,
    next: Variable,
    /// Whether the clause at hand may use what its own layer derives, so that it must not make ever new values.
    recursive: bool,
    body: Vec<Premise>,
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    program_of(Random::seeded(seed.wrapping_mul(0x1234_5678_9abc_def1)))
}

/// The program that these numbers choose.
pub fn program_of(random: Random) -> Program {
    let mut generator = Generator {
        random,
        predicates: Vec::new(),
        clauses: Vec::new(),
        faithful: true,
        scope: Vec::new(),
        next: 0,
        recursive: false,
        body: Vec::new(),
    };
    generator.faithful = !generator.chance(25);
    for _ in 0..2 + generator.below(3) {
        generator.base();
    }
    for layer in 1..=2 + generator.below(4) {
        if generator.chance(35) {
            generator.aggregated(layer);
        } else if generator.chance(35) {
            generator.closure(layer);
        } else {
            generator.derived(layer);
        }
    }
    let is_bag = |column: &Type| matches!(column, Type::Bag | Type::Tuples);
    let of = |it: &Predicate| (it.name.clone(), it.columns.iter().map(is_bag).collect());
    Program {
        bags: generator.predicates.iter().map(of).collect(),
        clauses: generator.clauses,
        faithful: generator.faithful,
    }
}

fn value(value: Value) -> Term {
    Term::Value(value)
}

fn number(number: i64) -> Term {
    Term::Value(Value::Number(number))
}

fn apply(name: &'static str, args: impl IntoIterator<Item = Term>) -> Term {
    Term::Apply(name, args.into_iter().collect())
}

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn number(&mut self) -> i64 {
        i64::try_from(self.below(7)).unwrap() - 1
    }

    fn column(&mut self) -> Type {
        match self.below(100) {
            0..45 => Type::Number,
            45..70 => Type::Name,
            70..78 => Type::Text,
            78..82 => Type::Float,
            82..87 => Type::Pair,
            87..93 => Type::List,
            93..96 => Type::Map,
            _ => Type::Struct,
        }
    }

    fn columns(&mut self) -> Vec<Type> {
        let arity = self.pick(&[0, 1, 1, 2, 2, 2, 2, 3, 3]);
        (0..arity).map(|_| self.column()).collect()
    }

    fn constant(&mut self, of: Type) -> Value {
        match of {
            Type::Number => Value::Number(self.number()),
            Type::Name => Value::name(self.pick(&NAMES)),
            Type::Text => Value::text(self.pick(&TEXTS)),
            Type::Float => Value::float(self.pick(&[0.5, 1.0, -1.5, 2.25])),
            Type::Pair => {
                let (first, second) = (self.constant(Type::Number), self.constant(Type::Name));
                Value::Pair(first.into(), second.into())
            }
            Type::List => {
                let length = self.below(3);
                Value::List((0..length).map(|_| self.constant(Type::Number)).collect())
            }
            Type::Map => {
                let keys: Vec<&str> = NAMES.into_iter().filter(|_| self.chance(30)).collect();
                Value::map(
                    keys.into_iter().map(|key| (Value::name(key), Value::Number(self.number()))).collect(),
                )
            }
            Type::Struct => Value::structure(vec![
                (Value::name("/f"), self.constant(Type::Number)),
                (Value::name("/g"), self.constant(Type::Name)),
            ]),
            Type::Index | Type::Bag | Type::Tuples => unreachable!("{of:?} comes from aggregations"),
        }
    }

    /// A predicate of facts alone.
    fn base(&mut self) {
        let columns = self.columns();
        let predicate = self.add(columns, 0);
        let facts = if predicate.columns.is_empty() { self.below(2) } else { self.below(10) };
        for _ in 0..facts {
            self.fact(&predicate);
        }
    }

    fn add(&mut self, columns: Vec<Type>, layer: usize) -> Predicate {
        let predicate = Predicate { name: format!("p{}", self.predicates.len()), columns, layer };
        self.predicates.push(predicate.clone());
        predicate
    }

    fn fact(&mut self, predicate: &Predicate) {
        let mut args: Vec<Term> =
            predicate.columns.iter().map(|column| value(self.constant(*column))).collect();
        if self.chance(5)
            && let Some(arg @ Term::Value(Value::Number(_))) = args.first_mut()
        {
            *arg = apply("fn:plus", [arg.clone(), number(1)]);
        }
        self.finish(predicate, args, Transform::None);
    }

    fn finish(&mut self, predicate: &Predicate, args: Vec<Term>, transform: Transform) {
        let body = std::mem::take(&mut self.body);
        self.clauses.push(Clause { head: Atom { name: predicate.name.clone(), args }, body, transform });
        self.scope.clear();
        self.next = 0;
        self.recursive = false;
    }

    fn new_variable(&mut self, of: Type) -> Term {
        let variable = self.next;
        self.next += 1;
        self.scope.push((variable, of));
        Term::Variable(variable)
    }

    /// A variable with a value of this type, if there is one.
    fn known(&mut self, of: Type) -> Option<Term> {
        let all: Vec<Variable> =
            self.scope.iter().filter(|(_, known)| *known == of).map(|(name, _)| *name).collect();
        (!all.is_empty()).then(|| Term::Variable(self.pick(&all)))
    }

    /// A variable with a value, or a constant.
    fn simple(&mut self, of: Type) -> Term {
        match self.known(of) {
            Some(known) if !self.chance(20) => known,
            _ => value(self.constant(of)),
        }
    }

    /// One or two predicates of rules, perhaps of each other.
    fn derived(&mut self, layer: usize) {
        let count = if self.chance(35) { 2 } else { 1 };
        let members: Vec<Predicate> = (0..count)
            .map(|_| {
                let columns = self.columns();
                self.add(columns, layer)
            })
            .collect();
        for predicate in &members {
            for clause in 0..1 + self.below(3) {
                self.recursive = clause > 0 && self.chance(75);
                self.rule(predicate);
            }
            if self.chance(15) {
                self.fact(predicate);
            }
        }
    }

    /// What can be reached over the edges of a graph, with one or several recursive premises, by one or two predicates.
    fn closure(&mut self, layer: usize) {
        let of = self.pick(&[Type::Number, Type::Number, Type::Name, Type::Pair]);
        let edges = self.add(vec![of, of], 0);
        for _ in 0..4 + self.below(6) {
            self.fact(&edges);
        }
        let reach = self.add(vec![of, of], layer);
        let other = if self.chance(40) { self.add(vec![of, of], layer) } else { reach.clone() };
        self.path(&reach, &[&edges]);
        let middle = if self.chance(50) { &edges } else { &reach };
        match self.below(4) {
            0 => self.path(&other, &[&reach, middle]),
            1 => self.path(&other, &[middle, &reach]),
            2 => self.path(&other, &[&reach, middle, &reach]),
            _ => self.path(&other, &[&reach, &edges, &reach, middle]),
        }
        if other.name != reach.name {
            let again = self.pick(&[0, 1, 2]);
            self.path(&reach, [[&other, &reach], [&edges, &other], [&other, &other]][again].as_slice());
        }
        if self.chance(30) {
            self.recursive = true;
            self.rule(&reach);
        }
    }

    /// From the first to the last variable of a chain of atoms.
    fn path(&mut self, head: &Predicate, steps: &[&Predicate]) {
        for (at, step) in steps.iter().enumerate() {
            let args = vec![Term::Variable(at), Term::Variable(at + 1)];
            self.body.push(Premise::Atom { negated: false, atom: Atom { name: step.name.clone(), args } });
        }
        self.next = steps.len() + 1;
        self.scope = (0..self.next).map(|name| (name, head.columns[0])).collect();
        if self.chance(30) {
            self.about(head.layer);
        }
        let last = if self.chance(10) { 0 } else { steps.len() };
        self.finish(head, vec![Term::Variable(0), Term::Variable(last)], Transform::None);
    }

    fn rule(&mut self, predicate: &Predicate) {
        let atoms = self.pick(&[1, 1, 2, 2, 2, 3]);
        self.premises(predicate.layer, atoms);
        let lets = self.chance(15);
        let mut statements = Vec::new();
        let mut args = Vec::new();
        for column in &predicate.columns {
            let known = self.known(*column).filter(|_| !self.chance(10));
            let term = match known {
                Some(known) => known,
                None => self.expression(*column),
            };
            if lets && matches!(term, Term::Apply(..)) {
                let name = self.next;
                self.next += 1;
                statements.push((name, term));
                args.push(Term::Variable(name));
            } else {
                args.push(term);
            }
        }
        let transform = if statements.is_empty() { Transform::None } else { Transform::Let(statements) };
        self.wait();
        self.finish(predicate, args, transform);
    }

    /// Moves a negation or inequality to the front, where its variables are unbound.
    fn wait(&mut self) {
        if !self.faithful
            && self.chance(40)
            && let Some(at) = self.body.iter().position(Premise::waits)
        {
            let premise = self.body.remove(at);
            self.body.insert(0, premise);
        }
    }

    /// A body of so many atoms, and what can be said about their variables.
    fn premises(&mut self, layer: usize, atoms: usize) {
        for _ in 0..atoms {
            let recursive = self.recursive && self.chance(60);
            let is_fit = |it: &&Predicate| if recursive { it.layer == layer } else { it.layer < layer };
            let all: Vec<Predicate> = self.predicates.iter().filter(is_fit).cloned().collect();
            let at = self.below(all.len());
            self.atom(&all[at]);
            for _ in 0..self.pick(&[0, 0, 1, 1, 2]) {
                self.about(layer);
            }
        }
    }

    fn atom(&mut self, predicate: &Predicate) {
        let mut args: Vec<Term> = Vec::new();
        let mut new: Vec<(Term, Type)> = Vec::new();
        for column in predicate.columns.iter().copied() {
            let roll = self.below(100);
            let again: Vec<Term> =
                new.iter().filter(|(_, of)| *of == column).map(|(name, _)| name.clone()).collect();
            let is_bag = matches!(column, Type::Bag | Type::Tuples | Type::Index);
            let known = self.known(column);
            args.push(match (roll, known) {
                (0..12, _) => Term::Wildcard,
                (12..22, _) if !is_bag => value(self.constant(column)),
                (22..27, Some(known)) if column == Type::Number => apply("fn:plus", [known, number(1)]),
                (27..60, Some(known)) if !is_bag => known,
                (60..75, _) if !again.is_empty() && !is_bag => again[self.below(again.len())].clone(),
                (75..79, _) => {
                    // Two that are equal before either has a value.
                    let (one, other) = (self.next, self.next + 1);
                    self.next += 2;
                    let (left, right) = (Term::Variable(one), Term::Variable(other));
                    self.body.push(Premise::Compare { left: left.clone(), operator: "=", right });
                    new.push((left.clone(), column));
                    new.push((Term::Variable(other), column));
                    left
                }
                _ => {
                    let name = Term::Variable(self.next);
                    self.next += 1;
                    new.push((name.clone(), column));
                    name
                }
            });
        }
        for (name, column) in new {
            if let Term::Variable(variable) = name {
                self.scope.push((variable, column));
            }
        }
        self.body.push(Premise::Atom { negated: false, atom: Atom { name: predicate.name.clone(), args } });
    }

    fn push(&mut self, negated: bool, name: &'static str, args: impl IntoIterator<Item = Term>) {
        self.body.push(Premise::Builtin { negated, name, args: args.into_iter().collect() });
    }

    /// A negated atom of a lower layer.
    fn negation(&mut self, layer: usize) {
        let all: Vec<Predicate> = self.predicates.iter().filter(|it| it.layer < layer).cloned().collect();
        let at = self.below(all.len());
        let predicate = all[at].clone();
        let mut args = Vec::new();
        for column in predicate.columns {
            let is_open = matches!(column, Type::Bag | Type::Tuples | Type::Index);
            if is_open && self.faithful {
                return;
            }
            args.push(if is_open || (!self.faithful && self.chance(30)) {
                Term::Wildcard
            } else {
                self.simple(column)
            });
        }
        self.body.push(Premise::Atom { negated: true, atom: Atom { name: predicate.name, args } });
    }

    /// A predicate of one aggregation.
    fn aggregated(&mut self, layer: usize) {
        if self.chance(45) {
            let all: Vec<Predicate> = self.predicates.iter().filter(|it| it.layer < layer).cloned().collect();
            let at = self.below(all.len());
            self.lone(&all[at]);
        } else {
            let atoms = 1 + self.below(2);
            self.premises(layer, atoms);
            self.negation(layer);
        }
        let is_open = |it: &(Variable, Type)| matches!(it.1, Type::Bag | Type::Tuples);
        if self.scope.iter().any(is_open) {
            self.hide_open();
        }
        let mut keys: Vec<(Variable, Type)> = Vec::new();
        for _ in 0..self.below(3) {
            let at = self.below(self.scope.len());
            if let Some(key) = self.scope.get(at).copied().filter(|key| !keys.contains(key)) {
                keys.push(key);
            }
        }
        let (mut lets, mut columns, mut args) = (Vec::new(), Vec::new(), Vec::new());
        for (name, of) in &keys {
            args.push(Term::Variable(*name));
            columns.push(*of);
        }
        for _ in 0..1 + self.below(2) {
            let (term, of) = self.reducer();
            lets.push((self.next, term));
            args.push(Term::Variable(self.next));
            columns.push(of);
            self.next += 1;
            if of == Type::Number && self.chance(25) {
                let (name, before) = (self.next, Term::Variable(self.next - 1));
                lets.push((name, apply("fn:mult", [before, number(10)])));
                args.push(Term::Variable(name));
                columns.push(Type::Number);
                self.next += 1;
            }
        }
        let predicate = self.add(columns, layer);
        self.wait();
        let keys = keys.into_iter().map(|(name, _)| name).collect();
        self.finish(&predicate, args, Transform::Group { keys, lets });
    }

    /// The only atom of an aggregation.
    fn lone(&mut self, predicate: &Predicate) {
        let mut args = Vec::new();
        for column in predicate.columns.iter().copied() {
            let is_bag = matches!(column, Type::Bag | Type::Tuples);
            args.push(match self.below(10) {
                0..2 => Term::Wildcard,
                _ if is_bag => Term::Wildcard,
                2 if column != Type::Index => value(self.constant(column)),
                3 => self.known(column).unwrap_or(Term::Wildcard),
                _ => self.new_variable(column),
            });
        }
        self.body.push(Premise::Atom { negated: false, atom: Atom { name: predicate.name.clone(), args } });
    }

    /// Rows with a list whose order is open could be one or several: starts again with a body that has none.
    fn hide_open(&mut self) {
        self.body.clear();
        self.scope.clear();
        self.next = 0;
        let base = self.predicates[0].clone();
        self.lone(&base);
    }

    fn reducer(&mut self) -> (Term, Type) {
        let of = self.pick(&[Type::Number, Type::Number, Type::Float, Type::Name]);
        match (of, self.known(of)) {
            (Type::Number, Some(column)) => match self.below(8) {
                0 => (apply("fn:sum", [column]), of),
                1 => (apply("fn:max", [column]), of),
                2 => (apply("fn:min", [column]), of),
                3 => (apply("fn:avg", [column]), Type::Float),
                4 => (apply("fn:collect", [column]), Type::Bag),
                5 => (apply("fn:collect_distinct", [column]), Type::Bag),
                6 => (apply("fn:collect_to_map", [column.clone(), column]), Type::Index),
                _ => {
                    let other = self.known(of).unwrap_or(column.clone());
                    (apply("fn:collect", [column, other]), Type::Tuples)
                }
            },
            (Type::Float, Some(column)) => {
                let name = self.pick(&["fn:float:sum", "fn:float:max", "fn:float:min", "fn:avg"]);
                (apply(name, [column]), of)
            }
            // Names have no sum: it fails.
            (Type::Name, Some(column)) if self.chance(5) => (apply("fn:sum", [column]), Type::Number),
            (Type::Name, Some(column)) => {
                let name = self.pick(&["fn:collect", "fn:collect_distinct"]);
                (apply(name, [column]), Type::Tuples)
            }
            _ => (apply("fn:count", []), Type::Number),
        }
    }
}
