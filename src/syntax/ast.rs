//! The typed form of a program: statements, clauses, atoms, terms, each token with its range.
//!
//! Lowering is total. A broken clause yields what could be recognised, marks the gap with
//! [`Premise::Broken`] or [`TermKind::Broken`], and is [`Statement::damaged`]; rules about meaning
//! then keep silent about it, while its predicates still count as defined and used.
//!
//! **All ranges count from the start of their statement**, so that a statement can be kept while
//! edits elsewhere move it.

use crate::lint::Finding;
use crate::text::{StatementId, Symbol, TextRange, TextSize};

/// A statement and where it starts in its file.
#[derive(Debug, Clone)]
pub struct Item {
    /// The offset of the statement's first byte in the file.
    pub start: TextSize,
    /// The statement.
    pub statement: std::sync::Arc<Statement>,
}

/// One statement of a file.
#[derive(Debug)]
pub struct Statement {
    /// Identity; kept while the statement is unchanged.
    pub id: StatementId,
    /// Length in bytes, the full stop included, comments before it not.
    pub len: TextSize,
    /// What it is.
    pub kind: StatementKind,
    /// Whether something in it could not be read. Rules about meaning skip it then.
    pub damaged: bool,
    /// What the parser has to say about it.
    pub findings: Vec<Finding>,
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

/// The kinds of statements.
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
    /// The head.
    pub head: Atom,
    /// `@[…]` behind the head.
    pub interval: Option<Interval>,
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

/// One part of a body.
#[derive(Debug)]
pub enum Premise {
    /// An atom, perhaps negated, perhaps temporal.
    Literal(Literal),
    /// `A = B`, `A < B`, …
    Comparison(Comparison),
    /// Something that is no premise; the terms in it are kept for its variables.
    Broken(TextRange, Vec<Term>),
}

impl Premise {
    /// The bytes of the premise.
    #[must_use]
    pub fn range(&self) -> TextRange {
        match self {
            Self::Literal(literal) => literal.range,
            Self::Comparison(comparison) => comparison.range,
            Self::Broken(range, _) => *range,
        }
    }
}

/// An atom as a premise.
#[derive(Debug)]
pub struct Literal {
    /// From the negation or operator to the end of the annotation.
    pub range: TextRange,
    /// The `!`.
    pub negation: Option<TextRange>,
    /// `<-[…]` and its kin.
    pub operator: Option<TemporalOperator>,
    /// The atom.
    pub atom: Atom,
    /// `@[…]` behind the atom.
    pub interval: Option<Interval>,
}

impl Literal {
    /// Whether it has an annotation or an operator.
    #[must_use]
    pub fn is_temporal(&self) -> bool {
        self.operator.is_some() || self.interval.is_some()
    }

    /// Whether it is negated.
    #[must_use]
    pub fn is_negated(&self) -> bool {
        self.negation.is_some()
    }
}

/// `<-[a, b]`, `[-[a, b]`, `<+[a, b]`, `[+[a, b]`.
#[derive(Debug)]
pub struct TemporalOperator {
    /// Operator and brackets.
    pub range: TextRange,
    /// `<+` or `[+`: looks into the future.
    pub future: bool,
    /// `[-` or `[+`: holds all the time.
    pub always: bool,
    /// The bounds, two when well-formed.
    pub bounds: Vec<TimeBound>,
}

/// `@[a, b]` or `@[a]`.
#[derive(Debug)]
pub struct Interval {
    /// From `@` to `]`.
    pub range: TextRange,
    /// One or two bounds when well-formed.
    pub bounds: Vec<TimeBound>,
}

impl Interval {
    /// `@[_]` or `@[_, _]`: from the beginning to the end of time.
    #[must_use]
    pub fn is_eternal(&self) -> bool {
        self.bounds.iter().all(|bound| bound.kind == TimeBoundKind::Wildcard)
    }
}

/// One bound of an interval.
#[derive(Debug, Clone)]
pub struct TimeBound {
    /// The bytes.
    pub range: TextRange,
    /// What it is.
    pub kind: TimeBoundKind,
}

/// The kinds of interval bounds.
#[derive(Debug, Clone, PartialEq)]
pub enum TimeBoundKind {
    /// An instant, nanoseconds since 1970 UTC; `None` if out of range (reported).
    Timestamp(Option<i64>),
    /// A duration in nanoseconds; `None` if out of range (reported).
    Duration(Option<i64>),
    /// A variable.
    Variable(Symbol),
    /// `_`: unbounded.
    Wildcard,
    /// `now`.
    Now,
    /// Unreadable (reported).
    Broken,
}

/// `left op right`.
#[derive(Debug)]
pub struct Comparison {
    /// The whole premise.
    pub range: TextRange,
    /// The operator.
    pub operator: Operator,
    /// The operator's bytes.
    pub operator_range: TextRange,
    /// Left side.
    pub left: Term,
    /// Right side.
    pub right: Term,
}

/// Comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `=`: unification.
    Equal,
    /// `!=`: not unifiable.
    NotEqual,
    /// `<`, the built-in `:lt`.
    Less,
    /// `<=`, the built-in `:le`.
    LessEqual,
    /// `>`, the built-in `:gt`.
    Greater,
    /// `>=`, the built-in `:ge`.
    GreaterEqual,
}

impl Operator {
    /// The spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }

    /// The operator that holds exactly when this one does not.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }

    /// Whether it is one of the four integer comparisons.
    #[must_use]
    pub fn is_ordering(self) -> bool {
        !matches!(self, Self::Equal | Self::NotEqual)
    }
}

/// `|> do …` or `|> let …`.
#[derive(Debug)]
pub struct Transform {
    /// From `|>` to the end of its last statement.
    pub range: TextRange,
    /// Its statements.
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

/// A term or a type expression.
#[derive(Debug)]
pub struct Term {
    /// The bytes.
    pub range: TextRange,
    /// What it is.
    pub kind: TermKind,
}

/// The kinds of terms.
#[derive(Debug)]
pub enum TermKind {
    /// A variable.
    Variable(Symbol),
    /// `_`.
    Wildcard,
    /// A name constant, slash included.
    Name(Symbol),
    /// An integer; `None` if it does not fit 64 bits (reported).
    Number(Option<i64>),
    /// A float.
    Float(f64),
    /// A string in any of the three quotes; its value is [`super::literal::string_value`] of its text.
    String,
    /// A byte string.
    Bytes,
    /// A function, a list, a map, a struct or a type constructor applied to terms.
    Apply(Box<Apply>),
    /// Something else (reported).
    Broken,
}

/// How an application is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApplyForm {
    /// `fn:f(…)`. Also `p(…)`, an atom where a term belongs.
    Call,
    /// `[a, b]`, which is `fn:list(a, b)`.
    List,
    /// `[k : v]`, which is `fn:map(k, v)`.
    Map,
    /// `{k : v}`, which is `fn:struct(k, v)`.
    Struct,
    /// `.List<t>`, which is `fn:List(t)`.
    DotType,
    /// `opt k : t` in `.Struct<…>`, which is `fn:opt(k, t)`.
    Optional,
}

/// An application.
#[derive(Debug)]
pub struct Apply {
    /// The function with its `fn:`, whatever the spelling (`[1]` has `fn:list`); its range is the
    /// written name, or the opening bracket.
    pub function: Name,
    /// How it is written.
    pub form: ApplyForm,
    /// The arguments; keys and values alternate for maps and structs.
    pub args: Vec<Term>,
}

impl Apply {
    /// Whether this is an atom (`p(…)`) that stands where a term belongs.
    #[must_use]
    pub fn is_atom(&self) -> bool {
        !self.function.as_str().starts_with("fn:")
    }
}

impl Term {
    /// The variable, if it is one (not `_`).
    #[must_use]
    pub fn variable(&self) -> Option<Symbol> {
        match self.kind {
            TermKind::Variable(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Whether it is `_`.
    #[must_use]
    pub fn is_wildcard(&self) -> bool {
        matches!(self.kind, TermKind::Wildcard)
    }

    /// The application, if it is one.
    #[must_use]
    pub fn apply(&self) -> Option<&Apply> {
        match &self.kind {
            TermKind::Apply(apply) => Some(apply),
            _ => None,
        }
    }

    /// Whether it is a literal constant: a name, number, float, string or byte string.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        matches!(
            self.kind,
            TermKind::Name(_) | TermKind::Number(_) | TermKind::Float(_) | TermKind::String | TermKind::Bytes
        )
    }

    /// Calls `visit` for this term and every term inside it, outer first. Depth is bounded by the
    /// nesting limit of the lowering.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Term)) {
        visit(self);
        if let TermKind::Apply(apply) = &self.kind {
            for arg in &apply.args {
                arg.walk(visit);
            }
        }
    }

    /// Calls `visit` for every variable occurrence (not `_`) in this term.
    pub fn variables(&self, visit: &mut impl FnMut(Symbol, TextRange)) {
        self.walk(&mut |term| {
            if let TermKind::Variable(symbol) = term.kind {
                visit(symbol, term.range);
            }
        });
    }
}
