//! The typed form of a program: statements, clauses, atoms, terms, each token with its range.
//!
//! Lowering is total. A broken clause yields what could be recognised, marks the gap with
//! [`Premise::Broken`] or [`TermKind::Broken`], and is [`Statement::damaged`]; rules about meaning
//! then keep silent about it, while its predicates still count as defined and used.
//!
//! A program has many statements, so lists have no room to spare and what is rare is behind a pointer.
//!
//! **All ranges count from the start of their statement**, so that a statement can be kept while
//! edits elsewhere move it.

mod premise;
pub(in crate::syntax) mod ranges;
mod term;

pub use premise::{
    Comparison, Interval, Literal, Operator, Premise, TemporalOperator, TimeBound, TimeBoundKind,
};
pub use term::{Apply, ApplyForm, Term, TermKind};

use crate::lint::{Finding, Rule};
use crate::text::{StatementId, Symbol, TextRange, TextSize};

/// A statement and where it starts in its file.
#[derive(Debug, Clone)]
pub struct Item {
    /// The offset of the statement's first byte in the file.
    pub start: TextSize,
    /// The statement, shared by all revisions in which it is unchanged.
    pub statement: std::sync::Arc<Statement>,
    /// Whether it is what damage right before it left: unreadable too, and with no blank line in
    /// between. Its findings say nothing that the first finding does not.
    pub rubble: bool,
}

/// One statement of a file.
#[derive(Debug)]
pub struct Statement {
    /// Identity; kept while the statement is unchanged.
    pub id: StatementId,
    /// Length in bytes, the full stop included, comments before it not.
    pub len: TextSize,
    /// The statement's typed form.
    pub kind: StatementKind,
    /// Whether something in it could not be read. Rules about meaning skip it then.
    pub damaged: bool,
    /// What the parser has to say about it.
    pub findings: Vec<Finding>,
    /// The rule of what the parser would have to say, where its file has too much that cannot be read to list it all.
    pub left_out: Option<&'static Rule>,
    /// A number for what it says: equal for statements that differ in layout and comments alone.
    pub digest: u64,
}

impl Statement {
    /// The whole statement, from its own start.
    #[must_use]
    pub fn range(&self) -> TextRange {
        TextRange::up_to(self.len)
    }

    /// The clause, if it is one.
    #[must_use]
    pub fn clause(&self) -> Option<&Clause> {
        match &self.kind {
            StatementKind::Clause(clause) => Some(clause),
            _ => None,
        }
    }

    /// The declaration, if it is one.
    #[must_use]
    pub fn declaration(&self) -> Option<&Declaration> {
        match &self.kind {
            StatementKind::Declaration(declaration) => Some(declaration),
            _ => None,
        }
    }
}

/// The statements that a file can hold, each with its typed form.
#[derive(Debug)]
pub enum StatementKind {
    /// `Package a.b!`
    Package(PackageName),
    /// `Use a.b!`
    Use(PackageName),
    /// `Decl p(X) … .`
    Declaration(Box<Declaration>),
    /// A fact or a rule.
    Clause(Box<Clause>),
    /// Text that is no statement at all.
    Broken,
}

/// The name in a `Package` or `Use` statement.
#[derive(Debug)]
pub struct PackageName {
    /// The package.
    pub name: Name,
    /// `[…]` behind the name; without meaning in the reference.
    pub attributes: Vec<Atom>,
}

/// A word and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub symbol: Symbol,
    /// Its bytes.
    pub range: TextRange,
}

impl Name {
    /// The word as text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.symbol.as_str()
    }
}

/// `Decl p(X, Y) temporal descr […] bound […] inclusion […].`
#[derive(Debug)]
pub struct Declaration {
    /// The declared atom; its arguments should be distinct variables.
    pub atom: Atom,
    /// The word `temporal`.
    pub temporal: Option<TextRange>,
    /// The atoms of `descr […]`, all blocks in order.
    pub descriptors: Vec<Atom>,
    /// The rows `bound […]`.
    pub bounds: Vec<BoundRow>,
    /// The atoms of `inclusion […]`.
    pub inclusion: Vec<Atom>,
}

/// One `bound […]`.
#[derive(Debug)]
pub struct BoundRow {
    /// From `bound` to `]`.
    pub range: TextRange,
    /// The type expressions.
    pub types: Vec<Term>,
}

/// A fact or a rule.
#[derive(Debug)]
pub struct Clause {
    /// The atom before the arrow, or the fact itself.
    pub head: Atom,
    /// `@[…]` behind the head.
    pub interval: Option<Box<Interval>>,
    /// `:-` or `⟸`; `None` for a fact.
    pub arrow: Option<TextRange>,
    /// The premises in order.
    pub premises: Vec<Premise>,
    /// The `|>` parts in order; the reference takes one at most.
    pub transforms: Vec<Transform>,
}

impl Clause {
    /// Whether it is a fact (has no body).
    #[must_use]
    pub fn is_fact(&self) -> bool {
        self.premises.is_empty()
    }

    /// The premises that are atoms, negated and temporal ones included.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        self.premises.iter().filter_map(|premise| match premise {
            Premise::Literal(literal) => Some(literal),
            _ => None,
        })
    }

    /// The premise whose predicate's name stands at `name`, if an atom's does. Takes no longer in a long
    /// clause: premises stand in the order of their ranges.
    #[must_use]
    pub fn literal_at(&self, name: TextRange) -> Option<&Literal> {
        let at = self.premises.partition_point(|premise| premise.range().end() <= name.start());
        match self.premises.get(at)? {
            Premise::Literal(literal) => Some(literal).filter(|literal| literal.atom.name.range == name),
            Premise::Comparison(_) | Premise::Broken(..) => None,
        }
    }

    /// Whether its transform aggregates (starts with `do`).
    #[must_use]
    pub fn aggregates(&self) -> bool {
        self.transforms.iter().any(Transform::is_do)
    }
}

/// A predicate applied to terms. Also what a function application looks like where an atom was
/// expected; `name` starts with `fn:` then.
#[derive(Debug)]
pub struct Atom {
    /// The predicate as written (not qualified by the package).
    pub name: Name,
    /// The arguments.
    pub args: Vec<Term>,
    /// Name and arguments.
    pub range: TextRange,
}

impl Atom {
    /// The number of arguments. The grammar bounds it far below `u16::MAX`; a longer list counts
    /// as that.
    #[must_use]
    pub fn arity(&self) -> u16 {
        u16::try_from(self.args.len()).unwrap_or(u16::MAX)
    }

    /// From behind the name to the closing parenthesis; empty for an atom without parentheses.
    #[must_use]
    pub fn args_range(&self) -> TextRange {
        TextRange::new(self.name.range.end(), self.range.end())
    }

    /// Whether the name belongs to a built-in predicate (`:lt`, `:string:contains`).
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        self.name.as_str().starts_with(':')
    }

    /// Whether this is a function application that stands where an atom belongs.
    #[must_use]
    pub fn is_function(&self) -> bool {
        self.name.as_str().starts_with("fn:")
    }
}

/// `|> do …` or `|> let …`.
#[derive(Debug)]
pub struct Transform {
    /// From `|>` to the end of its last statement.
    pub range: TextRange,
    /// The statements after `|>`, in their order.
    pub statements: Vec<TransformStatement>,
}

impl Transform {
    /// Whether it starts with `do`.
    #[must_use]
    pub fn is_do(&self) -> bool {
        self.statements.first().is_some_and(|statement| statement.variable.is_none())
    }
}

/// `do fn:f(…)` or `let V = fn:f(…)`.
#[derive(Debug)]
pub struct TransformStatement {
    /// The statement.
    pub range: TextRange,
    /// The variable of a `let` (a [`TermKind::Variable`] or [`TermKind::Wildcard`]); `None` for `do`.
    pub variable: Option<Term>,
    /// The right side: an application when well-formed.
    pub value: Term,
}
