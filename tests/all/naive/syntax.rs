//! Programs as the second evaluator sees them, and as text.

use std::collections::BTreeSet;
use std::fmt;

use super::value::Value;

pub type Variable = usize;

#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    Variable(Variable),
    Wildcard,
    Value(Value),
    Apply(&'static str, Vec<Term>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    pub name: String,
    pub args: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Premise {
    Atom { negated: bool, atom: Atom },
    Builtin { negated: bool, name: &'static str, args: Vec<Term> },
    Compare { left: Term, operator: &'static str, right: Term },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Transform {
    None,
    Let(Vec<(Variable, Term)>),
    Group { keys: Vec<Variable>, lets: Vec<(Variable, Term)> },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    pub head: Atom,
    pub body: Vec<Premise>,
    pub transform: Transform,
}

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub clauses: Vec<Clause>,
    /// The predicates, and in which of their columns stand lists without an order.
    pub bags: Vec<(String, Vec<bool>)>,
    /// Whether the engine computes what is written: it drops no negation.
    pub faithful: bool,
}

impl Program {
    /// True if a rule has several positive premises on predicates that depend on its head: the engine combines no two
    /// facts of the same round there.
    pub fn combines_facts_of_a_round(&self) -> bool {
        self.clauses.iter().any(|clause| {
            let atoms = clause.body.iter().filter_map(Premise::positive);
            atoms.filter(|atom| self.depends(&atom.key(), &clause.head.key())).count() > 1
        })
    }

    /// True if a predicate is derived from another one.
    fn depends(&self, from: &(String, usize), on: &(String, usize)) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(predicate) = open.pop() {
            if predicate == *on {
                return true;
            }
            let rules = self.clauses.iter().filter(|clause| clause.head.key() == predicate);
            let asked =
                rules.flat_map(|clause| clause.body.iter().filter_map(Premise::positive)).map(Atom::key);
            let new: Vec<_> = asked.filter(|key| seen.insert(key.clone())).collect();
            open.extend(new);
        }
        false
    }
}

impl Atom {
    /// Name and arity.
    pub fn key(&self) -> (String, usize) {
        (self.name.clone(), self.args.len())
    }
}

impl Term {
    pub fn variables(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Apply(_, args) => args.iter().for_each(|arg| arg.variables(visit)),
            _ => {}
        }
    }
}

impl Premise {
    pub fn terms(&self) -> Vec<&Term> {
        match self {
            Self::Atom { atom, .. } => atom.args.iter().collect(),
            Self::Builtin { args, .. } => args.iter().collect(),
            Self::Compare { left, right, .. } => vec![left, right],
        }
    }

    pub fn variables(&self) -> Vec<Variable> {
        let mut all = Vec::new();
        self.terms().iter().for_each(|term| term.variables(&mut |variable| all.push(variable)));
        all
    }

    /// The stored atom that is to be there.
    pub fn positive(&self) -> Option<&Atom> {
        match self {
            Self::Atom { negated: false, atom } => Some(atom),
            _ => None,
        }
    }

    /// Whether it gives no variable a value and may wait for those that get one later.
    pub fn waits(&self) -> bool {
        match self {
            Self::Atom { negated, .. } | Self::Builtin { negated, .. } => *negated,
            Self::Compare { operator, .. } => *operator == "!=",
        }
    }
}

impl Clause {
    pub fn aggregates(&self) -> bool {
        matches!(self.transform, Transform::Group { .. })
    }

    pub fn is_fact(&self) -> bool {
        self.body.is_empty()
    }
}

fn list(terms: &[Term]) -> String {
    terms.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(variable) => write!(f, "X{variable}"),
            Self::Wildcard => f.write_str("_"),
            Self::Value(value) => write!(f, "{value}"),
            Self::Apply(name, args) => write!(f, "{name}({})", list(args)),
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, list(&self.args))
    }
}

impl fmt::Display for Premise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |negated: &bool| if *negated { "!" } else { "" };
        match self {
            Self::Atom { negated, atom } => write!(f, "{}{atom}", sign(negated)),
            Self::Builtin { negated, name, args } => write!(f, "{}{name}({})", sign(negated), list(args)),
            Self::Compare { left, operator, right } => write!(f, "{left} {operator} {right}"),
        }
    }
}

fn lets(lets: &[(Variable, Term)]) -> String {
    lets.iter().map(|(name, term)| format!("let X{name} = {term}")).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.head)?;
        for (at, premise) in self.body.iter().enumerate() {
            write!(f, "{}{premise}", if at == 0 { " :- " } else { ", " })?;
        }
        match &self.transform {
            Transform::None => {}
            Transform::Let(all) => write!(f, " |> {}", lets(all))?,
            Transform::Group { keys, lets: all } => {
                let keys: Vec<_> = keys.iter().map(|key| format!("X{key}")).collect();
                write!(f, " |> do fn:group_by({})", keys.join(", "))?;
                write!(f, "{}{}", if all.is_empty() { "" } else { ", " }, lets(all))?;
            }
        }
        // A full stop behind a name would belong to it.
        f.write_str(" .")
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clauses.iter().try_for_each(|clause| writeln!(f, "{clause}"))
    }
}
