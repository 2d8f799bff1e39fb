//! Classification of the word at an offset, and enumeration of all mentions in a statement:
//! predicates, functions, variables, names, types, packages. Shared by hover, navigation, rename,
//! tokens and others.

use super::Place;
use mangle_engine::program::{PredicateKey, key_of};
use mangle_syntax::syntax::ast::{
    Apply, ApplyForm, Atom, Clause, Declaration, Interval, Item, Literal, PackageName, Premise,
    StatementKind, Term, TermKind, TimeBound, TimeBoundKind,
};
use mangle_syntax::text::{FileId, Symbol, TextRange, TextSize};

/// A word in a statement with its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    /// Byte range in the file.
    pub range: TextRange,
    pub entity: Entity,
    pub part: StatementPart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entity {
    /// A predicate with its name as written. [`Place::predicate`] resolves it.
    Predicate(PredicateKey),
    /// A built-in predicate, with its leading colon.
    Builtin(PredicateKey),
    /// A function, with its `fn:` prefix.
    Function(Symbol),
    Variable(Symbol),
    /// `_`
    Wildcard,
    Name(Symbol),
    /// A name in a type expression: `/string`, or a prefix such as `/role`.
    Type(Symbol),
    /// A type constructor with its `fn:` prefix, even if written as `.List`.
    Constructor(Symbol),
    Package(Symbol),
    /// An atom of `descr […]`, for example `doc` or `mode`.
    Descriptor(PredicateKey),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatementPart {
    Declared,
    /// `descr […]`
    Descriptor,
    /// `bound […]`
    Bound,
    /// `inclusion […]`
    Inclusion,
    /// Head of a fact.
    Fact,
    /// Head of a rule.
    Head,
    /// A positive premise.
    Body,
    /// A negated premise.
    Negated,
    Transform,
    /// `Package …!`
    Package,
    /// `Use …!`
    Use,
    /// A comment directive of a policy test or preview.
    Comment,
}

impl StatementPart {
    /// True for heads of facts and rules.
    #[must_use]
    pub fn is_head(self) -> bool {
        matches!(self, Self::Fact | Self::Head)
    }
}

impl Place<'_> {
    /// Returns the mention at the offset in a statement.
    pub(super) fn mention_in_statement(&self) -> Option<Mention> {
        let mut found: Option<Mention> = None;
        each(self.item()?, &mut |mention| {
            let holds = mention.range.contains_inclusive(self.offset);
            if holds && found.is_none_or(|found| mention.range.start() > found.range.start()) {
                found = Some(mention);
            }
        });
        found
    }
}

/// Calls `visit` for every mention in a statement, with or without syntax errors. The order may
/// differ from source order.
pub fn each(item: &Item, visit: &mut impl FnMut(Mention)) {
    let mut walk = Walk { start: item.start, part: StatementPart::Body, visit };
    match &item.statement.kind {
        StatementKind::Package(package) => walk.package(package, StatementPart::Package),
        StatementKind::Use(package) => walk.package(package, StatementPart::Use),
        StatementKind::Declaration(declaration) => walk.declaration(declaration),
        StatementKind::Clause(clause) => walk.clause(clause),
        StatementKind::Broken => {}
    }
}

struct Walk<'v, V> {
    start: TextSize,
    part: StatementPart,
    visit: &'v mut V,
}

impl<V: FnMut(Mention)> Walk<'_, V> {
    fn emit(&mut self, range: TextRange, entity: Entity) {
        (self.visit)(Mention { range: range + self.start, entity, part: self.part });
    }

    fn package(&mut self, package: &PackageName, part: StatementPart) {
        self.part = part;
        self.emit(package.name.range, Entity::Package(package.name.symbol));
    }

    fn declaration(&mut self, declaration: &Declaration) {
        self.part = StatementPart::Declared;
        self.atom(&declaration.atom);
        self.part = StatementPart::Descriptor;
        for descriptor in &declaration.descriptors {
            self.emit(descriptor.name.range, Entity::Descriptor(key_of(descriptor)));
            self.terms(&descriptor.args);
        }
        self.part = StatementPart::Bound;
        for row in &declaration.bounds {
            row.types.iter().for_each(|ty| self.ty(ty));
        }
        self.part = StatementPart::Inclusion;
        declaration.inclusion.iter().for_each(|atom| self.atom(atom));
    }

    fn clause(&mut self, clause: &Clause) {
        self.part = if clause.is_fact() { StatementPart::Fact } else { StatementPart::Head };
        self.atom(&clause.head);
        self.interval(clause.interval.as_deref());
        clause.premises.iter().for_each(|premise| self.premise(premise));
        self.part = StatementPart::Transform;
        for statement in clause.transforms.iter().flat_map(|transform| &transform.statements) {
            statement.variable.iter().for_each(|variable| self.term(variable));
            self.term(&statement.value);
        }
    }

    fn premise(&mut self, premise: &Premise) {
        self.part = StatementPart::Body;
        match premise {
            Premise::Literal(literal) => self.literal(literal),
            Premise::Comparison(comparison) => {
                self.term(&comparison.left);
                self.term(&comparison.right);
            }
            Premise::Broken(_, terms) => self.terms(terms),
        }
    }

    fn literal(&mut self, literal: &Literal) {
        if literal.is_negated() {
            self.part = StatementPart::Negated;
        }
        literal.operator.iter().for_each(|operator| self.bounds(&operator.bounds));
        self.atom(&literal.atom);
        self.interval(literal.interval.as_deref());
    }

    fn atom(&mut self, atom: &Atom) {
        let entity = if atom.is_function() {
            Entity::Function(atom.name.symbol)
        } else if atom.is_builtin() {
            Entity::Builtin(key_of(atom))
        } else {
            Entity::Predicate(key_of(atom))
        };
        self.emit(atom.name.range, entity);
        self.terms(&atom.args);
    }

    fn interval(&mut self, interval: Option<&Interval>) {
        interval.into_iter().for_each(|interval| self.bounds(&interval.bounds));
    }

    fn bounds(&mut self, bounds: &[TimeBound]) {
        for bound in bounds {
            match bound.kind {
                TimeBoundKind::Variable(symbol) => self.emit(bound.range, Entity::Variable(symbol)),
                TimeBoundKind::Wildcard => self.emit(bound.range, Entity::Wildcard),
                _ => {}
            }
        }
    }

    fn terms(&mut self, terms: &[Term]) {
        terms.iter().for_each(|term| self.term(term));
    }

    /// The recursion is bounded because the lowering limits the depth of terms.
    fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Variable(symbol) => self.emit(term.range, Entity::Variable(*symbol)),
            TermKind::Wildcard => self.emit(term.range, Entity::Wildcard),
            TermKind::Name(symbol) => self.emit(term.range, Entity::Name(*symbol)),
            TermKind::Apply(apply) if apply.form == ApplyForm::DotType => self.ty(term),
            TermKind::Apply(apply) => {
                self.function(apply);
                self.terms(&apply.args);
            }
            TermKind::Number(_)
            | TermKind::Float(_)
            | TermKind::String
            | TermKind::Bytes
            | TermKind::Broken => {}
        }
    }

    /// Visits the name of a function call. Bracket notation is not a mention.
    fn function(&mut self, apply: &Apply) {
        if apply.form != ApplyForm::Call {
            return;
        }
        let entity = if apply.is_atom() {
            let arity = u16::try_from(apply.args.len()).unwrap_or(u16::MAX);
            Entity::Predicate(PredicateKey { name: apply.function.symbol, arity })
        } else {
            Entity::Function(apply.function.symbol)
        };
        self.emit(apply.function.range, entity);
    }

    /// Visits a type expression.
    fn ty(&mut self, ty: &Term) {
        match &ty.kind {
            TermKind::Name(symbol) => self.emit(ty.range, Entity::Type(*symbol)),
            TermKind::Apply(apply) => {
                if matches!(apply.form, ApplyForm::DotType | ApplyForm::Call) {
                    self.emit(apply.function.range, Entity::Constructor(apply.function.symbol));
                }
                apply.args.iter().for_each(|arg| self.ty(arg));
            }
            _ => self.term(ty),
        }
    }
}

/// A variable of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variable {
    pub symbol: Symbol,
    pub file: FileId,
    /// Index of the statement in `FileSummary::items`. Indexes past the end refer to comments
    /// with Mangle code ([`crate::directives`]).
    pub item: u32,
    /// True for a type variable in `bound […]`, which is unrelated to parameters.
    pub of_types: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::text::slice;
    use std::fmt::Write as _;

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(text: &str, expect: Expect) {
        let mut out = String::new();
        for item in SourceFile::parse(text.into()).items().iter() {
            each(item, &mut |mention| {
                let kind = format!("{:?}", mention.entity);
                let kind = kind.split(['(', ' ']).next().unwrap_or("");
                let _ = writeln!(out, "{:?} {kind} {}", mention.part, slice(text, mention.range));
            });
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn in_a_rule() {
        check(
            "p(X, [/a, fn:f(Y)])@[T, _] :- !q(_), :lt(X, 1), Y = {/k : X} |> let Z = fn:plus(X, Y).",
            expect![[r#"
            Head Predicate p
            Head Variable X
            Head Name /a
            Head Function fn:f
            Head Variable Y
            Head Variable T
            Head Wildcard _
            Negated Predicate q
            Negated Wildcard _
            Body Builtin :lt
            Body Variable X
            Body Variable Y
            Body Name /k
            Body Variable X
            Transform Variable Z
            Transform Function fn:plus
            Transform Variable X
            Transform Variable Y
        "#]],
        );
    }

    #[test]
    fn in_a_declaration() {
        check(
            "Use a.b!\nDecl p(X) descr [arg(X, \"x\"), reflects(/r)] bound [.List</string>] bound [fn:List(/a)] inclusion [q(X)].",
            expect![[r#"
                Use Package a.b
                Declared Predicate p
                Declared Variable X
                Descriptor Descriptor arg
                Descriptor Variable X
                Descriptor Descriptor reflects
                Descriptor Name /r
                Bound Constructor .List
                Bound Type /string
                Bound Constructor fn:List
                Bound Type /a
                Inclusion Predicate q
                Inclusion Variable X
            "#]],
        );
    }

    #[test]
    fn in_damage() {
        check(
            "p(X, ) :- q(/a",
            expect![[r#"
            Head Predicate p
            Head Variable X
            Body Predicate q
            Body Name /a
        "#]],
        );
    }
}
