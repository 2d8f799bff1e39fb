//! A policy with a property, and a world that answers it if one is known.

use std::fmt;

use crate::naive::evaluate::{Key, Tuple};
use crate::naive::syntax::{Atom, Clause, Premise, Program, Transform};

/// The type of an argument of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Name,
    Number,
    Text,
    Names,
    Numbers,
    Pair,
}

impl Kind {
    /// The type as a bound of a declaration.
    pub fn bound(self) -> &'static str {
        match self {
            Self::Name => "/name",
            Self::Number => "/number",
            Self::Text => "/string",
            Self::Names => ".List</name>",
            Self::Numbers => ".List</number>",
            Self::Pair => ".Pair</name, /number>",
        }
    }
}

/// An input predicate.
#[derive(Clone, Debug)]
pub struct Input {
    pub name: String,
    pub columns: Vec<Kind>,
}

impl Input {
    pub fn key(&self) -> Key {
        (self.name.clone(), self.columns.len())
    }
}

/// A fact of a world.
pub type WorldFact = (Key, Tuple);

/// The property of a question.
#[derive(Clone, Debug)]
pub enum Property {
    Never(Vec<Premise>),
    Possible(Vec<Premise>),
    /// Each solution of the body has the head.
    Always(Vec<Premise>, Atom),
}

#[derive(Clone, Debug)]
pub struct Question {
    pub inputs: Vec<Input>,
    pub policy: Program,
    pub property: Property,
    /// Bodies that no world has a solution of.
    pub assumptions: Vec<Vec<Premise>>,
    /// The largest number of facts of a world.
    pub scope: usize,
    /// The facts around which the question was built.
    pub seed_world: Vec<WorldFact>,
}

/// The predicate of the oracle for worlds that answer the property.
pub const GOAL: &str = "oracle_goal";
/// The predicate of the oracle for worlds that are excluded.
pub const EXCLUDED: &str = "oracle_excluded";

fn clause(head: &str, body: Vec<Premise>) -> Clause {
    Clause { head: Atom { name: head.to_owned(), args: Vec::new() }, body, transform: Transform::None }
}

impl Question {
    /// The policy with clauses for the property and the assumptions, for the oracle.
    pub fn program(&self) -> Program {
        let goal = match &self.property {
            Property::Never(body) | Property::Possible(body) => body.clone(),
            Property::Always(body, head) => {
                let missing = Premise::Atom { negated: true, atom: head.clone() };
                body.iter().cloned().chain([missing]).collect()
            }
        };
        let mut program = self.policy.clone();
        program.clauses.push(clause(GOAL, goal));
        program.clauses.extend(self.assumptions.iter().map(|body| clause(EXCLUDED, body.clone())));
        program
    }

    /// The text of the policy.
    pub fn policy_text(&self) -> String {
        let declaration = |input: &Input| {
            let names: Vec<_> = (0..input.columns.len()).map(|at| format!("A{at}")).collect();
            let bounds: Vec<_> = input.columns.iter().map(|kind| kind.bound()).collect();
            let (name, names, bounds) = (&input.name, names.join(", "), bounds.join(", "));
            format!("Decl {name}({names}) descr [extensional()] bound [{bounds}].\n")
        };
        self.inputs.iter().map(declaration).collect::<String>() + &self.policy.to_string()
    }

    /// The text of the test file.
    pub fn test_text(&self) -> String {
        let body = |body: &[Premise]| body.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let assumptions: String =
            self.assumptions.iter().map(|found| format!("# @assume never {}\n", body(found))).collect();
        let property = match &self.property {
            Property::Never(found) => format!("never {}", body(found)),
            Property::Possible(found) => format!("possible {}", body(found)),
            Property::Always(found, head) => format!("always {} then {head}", body(found)),
        };
        format!("{assumptions}# @{property}\n")
    }
}

/// A fact as it is written in a program, without its full stop.
pub fn fact_text((key, tuple): &WorldFact) -> String {
    let args: Vec<_> = tuple.iter().map(ToString::to_string).collect();
    format!("{}({})", key.0, args.join(", "))
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}--- scope {}\n{}", self.policy_text(), self.scope, self.test_text())
    }
}
