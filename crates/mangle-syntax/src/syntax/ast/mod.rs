//! Syntax tree of a program: typed statements, clauses, atoms and terms, with the ranges of all
//! tokens.
//!
//! Lowering is total. A clause with syntax errors keeps its recognizable parts, marks gaps with
//! [`Premise::Broken`] or [`TermKind::Broken`], and is [`Statement::damaged`]. Semantic rules skip
//! the clause, but its predicates still count as defined and used.
//!
//! A program has many statements, so lists have no spare capacity and rare parts are boxed.
//!
//! **All ranges are relative to the start of their statement**, so that a statement stays valid
//! while edits elsewhere move it.

mod term;

pub use term::{
    Apply, ApplyForm, Comparison, Interval, Literal, Operator, Premise, TemporalOperator, Term, TermKind,
    TimeBound, TimeBoundKind,
};

use crate::lint::{Finding, Rule};
use crate::text::{StatementId, Symbol, TextRange, TextSize};

/// A statement and its position in the file.
#[derive(Debug, Clone)]
pub struct Item {
    /// The offset of the statement's first byte in the file.
    pub start: TextSize,
    /// The statement, shared by all revisions that contain it unchanged.
    pub statement: std::sync::Arc<Statement>,
    /// True for unreadable text directly after another syntax error, without a blank line in
    /// between. Its findings only repeat the first error.
    pub follows_damage: bool,
}

/// A statement of a file.
#[derive(Debug)]
pub struct Statement {
    /// The identity, kept while the statement is unchanged.
    pub id: StatementId,
    /// Length in bytes, including the period, excluding comments before the statement.
    pub len: TextSize,
    /// The typed content of the statement.
    pub kind: StatementKind,
    /// True if the statement has a syntax error. Semantic rules skip it.
    pub damaged: bool,
    /// The findings of the parser.
    pub findings: Vec<Finding>,
    /// The rule of an omitted finding, if the file has too many syntax errors to list all.
    pub left_out: Option<&'static Rule>,
    /// A hash of the content: equal for statements that differ only in layout and comments.
    pub digest: u64,
}

impl Statement {
    /// The range of the whole statement, which starts at 0.
    #[must_use]
    pub fn range(&self) -> TextRange {
        TextRange::up_to(self.len)
    }

    /// The clause, if the statement is one.
    #[must_use]
    pub fn clause(&self) -> Option<&Clause> {
        match &self.kind {
            StatementKind::Clause(clause) => Some(clause),
            _ => None,
        }
    }

    /// The declaration, if the statement is one.
    #[must_use]
    pub fn declaration(&self) -> Option<&Declaration> {
        match &self.kind {
            StatementKind::Declaration(declaration) => Some(declaration),
            _ => None,
        }
    }
}

/// The kinds of statements in a file.
#[derive(Debug)]
pub enum StatementKind {
    /// `Package a.b!`.
    Package(PackageName),
    /// `Use a.b!`.
    Use(PackageName),
    /// `Decl p(X) … .`
    Declaration(Box<Declaration>),
    /// A fact or a rule.
    Clause(Box<Clause>),
    /// Text that is not a statement.
    Broken,
}

/// The name in a `Package` or `Use` statement.
#[derive(Debug)]
pub struct PackageName {
    /// The name of the package.
    pub name: Name,
    /// `[…]` after the name, which the engine ignores.
    pub attributes: Vec<Atom>,
}

/// A word with its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub symbol: Symbol,
    /// The range of the word.
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
    /// The declared atom. Its arguments should be distinct variables.
    pub atom: Atom,
    /// The word `temporal`.
    pub temporal: Option<TextRange>,
    /// The atoms of `descr […]`, all blocks in order.
    pub descriptors: Vec<Atom>,
    /// The `bound […]` rows.
    pub bounds: Vec<BoundRow>,
    /// The atoms of `inclusion […]`.
    pub inclusion: Vec<Atom>,
}

/// A `bound […]` row.
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
    /// `@[…]` after the head.
    pub interval: Option<Box<Interval>>,
    /// `:-` or `⟸`; `None` for a fact.
    pub arrow: Option<TextRange>,
    /// The premises in order.
    pub premises: Vec<Premise>,
    /// The `|>` parts in order. The engine accepts at most one.
    pub transforms: Vec<Transform>,
}

impl Clause {
    /// True if the clause has no body.
    #[must_use]
    pub fn is_fact(&self) -> bool {
        self.premises.is_empty()
    }

    /// The premises that are atoms, including negated and temporal ones.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        self.premises.iter().filter_map(|premise| match premise {
            Premise::Literal(literal) => Some(literal),
            _ => None,
        })
    }

    /// The premise whose predicate name is at `name`. Uses binary search, because premises are
    /// sorted by range.
    #[must_use]
    pub fn literal_at(&self, name: TextRange) -> Option<&Literal> {
        let at = self.premises.partition_point(|premise| premise.range().end() <= name.start());
        match self.premises.get(at)? {
            Premise::Literal(literal) => Some(literal).filter(|literal| literal.atom.name.range == name),
            Premise::Comparison(_) | Premise::Broken(..) => None,
        }
    }

    /// True if the transform aggregates (starts with `do`).
    #[must_use]
    pub fn aggregates(&self) -> bool {
        self.transforms.iter().any(Transform::is_do)
    }
}

/// A predicate applied to terms. A function application in the position of an atom is also an
/// `Atom`; its name starts with `fn:`.
#[derive(Debug)]
pub struct Atom {
    /// The predicate as written, without the package of the file.
    pub name: Name,
    /// The arguments.
    pub args: Vec<Term>,
    /// The range of the name and the arguments.
    pub range: TextRange,
}

impl Atom {
    /// The number of arguments. The grammar limits it far below `u16::MAX`; longer lists are
    /// capped.
    #[must_use]
    pub fn arity(&self) -> u16 {
        u16::try_from(self.args.len()).unwrap_or(u16::MAX)
    }

    /// The range from the end of the name to the closing parenthesis. Empty for an atom without
    /// parentheses.
    #[must_use]
    pub fn args_range(&self) -> TextRange {
        TextRange::new(self.name.range.end(), self.range.end())
    }

    /// True for a built-in predicate (`:lt`, `:string:contains`).
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        self.name.as_str().starts_with(':')
    }

    /// True for a function application in the position of an atom.
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
    /// The statements after `|>`, in order.
    pub statements: Vec<TransformStatement>,
}

impl Transform {
    /// True if the transform starts with `do`.
    #[must_use]
    pub fn is_do(&self) -> bool {
        self.statements.first().is_some_and(|statement| statement.variable.is_none())
    }
}

/// `do fn:f(…)` or `let V = fn:f(…)`.
#[derive(Debug)]
pub struct TransformStatement {
    /// The range of the statement.
    pub range: TextRange,
    /// The variable of a `let` (a [`TermKind::Variable`] or [`TermKind::Wildcard`]). `None` for
    /// `do`.
    pub variable: Option<Term>,
    /// The right side. In valid code, an application.
    pub value: Term,
}

/// A callback for each range.
type Visit<'v> = &'v mut dyn FnMut(&mut TextRange);

/// Visits each range of a statement, except the ranges of its findings.
pub(super) fn each_range(statement: &mut Statement, visit: Visit<'_>) {
    match &mut statement.kind {
        StatementKind::Package(package) | StatementKind::Use(package) => {
            name(&mut package.name, visit);
            atoms(&mut package.attributes, visit);
        }
        StatementKind::Declaration(declaration) => {
            atom(&mut declaration.atom, visit);
            declaration.temporal.iter_mut().for_each(&mut *visit);
            atoms(&mut declaration.descriptors, visit);
            for BoundRow { range, types } in &mut declaration.bounds {
                visit(range);
                terms(types, visit);
            }
            atoms(&mut declaration.inclusion, visit);
        }
        StatementKind::Clause(clause) => {
            atom(&mut clause.head, visit);
            clause.interval.iter_mut().for_each(|part| interval(part, visit));
            clause.arrow.iter_mut().for_each(&mut *visit);
            clause.premises.iter_mut().for_each(|part| premise(part, visit));
            for Transform { range, statements } in &mut clause.transforms {
                visit(range);
                statements.iter_mut().for_each(|part| transform(part, visit));
            }
        }
        StatementKind::Broken => {}
    }
}

fn name(name: &mut Name, visit: Visit<'_>) {
    visit(&mut name.range);
}

fn atoms(all: &mut [Atom], visit: Visit<'_>) {
    all.iter_mut().for_each(|part| atom(part, visit));
}

fn atom(atom: &mut Atom, visit: Visit<'_>) {
    name(&mut atom.name, visit);
    visit(&mut atom.range);
    terms(&mut atom.args, visit);
}

fn terms(all: &mut [Term], visit: Visit<'_>) {
    all.iter_mut().for_each(|part| term(part, visit));
}

/// The depth of terms is limited by the lowering.
fn term(term: &mut Term, visit: Visit<'_>) {
    visit(&mut term.range);
    if let TermKind::Apply(apply) = &mut term.kind {
        name(&mut apply.function, visit);
        terms(&mut apply.args, visit);
    }
}

fn premise(premise: &mut Premise, visit: Visit<'_>) {
    match premise {
        Premise::Literal(part) => literal(part, visit),
        Premise::Comparison(Comparison { range, operator_range, left, right, .. }) => {
            visit(range);
            visit(operator_range);
            term(left, visit);
            term(right, visit);
        }
        Premise::Broken(range, inner) => {
            visit(range);
            terms(inner, visit);
        }
    }
}

fn literal(literal: &mut Literal, visit: Visit<'_>) {
    visit(&mut literal.range);
    literal.negation.iter_mut().for_each(&mut *visit);
    if let Some(operator) = &mut literal.operator {
        let TemporalOperator { range, bounds: inner, .. } = &mut **operator;
        visit(range);
        bounds(inner, visit);
    }
    atom(&mut literal.atom, visit);
    literal.interval.iter_mut().for_each(|part| interval(part, visit));
}

fn interval(interval: &mut Interval, visit: Visit<'_>) {
    visit(&mut interval.range);
    bounds(&mut interval.bounds, visit);
}

fn bounds(all: &mut [TimeBound], visit: Visit<'_>) {
    all.iter_mut().for_each(|bound| visit(&mut bound.range));
}

fn transform(statement: &mut TransformStatement, visit: Visit<'_>) {
    visit(&mut statement.range);
    statement.variable.iter_mut().for_each(|part| term(part, visit));
    term(&mut statement.value, visit);
}
