//! Safety rules (`MG2xx`): variables without a value, or used before they have one. Includes
//! `negation-after-temporal`, which uses the same rewriting.
//!
//! The checks take a clause with its rewriting and bindings ([`Subject`]). They report clauses that the
//! engine rejects, or evaluates differently than written. Most of the latter are dropped negations.
//!
//! Each file covers one kind of mistake. Facts, the largest part of most programs, are skipped
//! early.

mod expressions;
mod helper;
mod negation;
mod order;
mod singleton;
mod unbound;

pub(crate) use helper::{helper_fingerprint, negated_names, place_behind, with_other_helpers};

use std::borrow::Cow;
use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use super::{CheckContext, Family};
use crate::excerpt;
use mangle_engine::program::binding::{BindingPlace, Bindings};
use mangle_engine::program::rewrite::{ClauseSignatures, Rewriting};
use mangle_engine::program::{Predicate, Signature, key_of};
use mangle_syntax::lint::{Applicability, Finding, Fix};
use mangle_syntax::syntax::ast::{Clause, Premise, Term, TermKind, TimeBoundKind};
use mangle_syntax::text::{Symbol, TextRange};

/// The rules `MG201` to `MG216`, and the check for all rules of this module.
pub(super) const FAMILY: Family = Family {
    rules: &[
        &unbound::UNBOUND_HEAD_VAR,
        &unbound::HEAD_WILDCARD,
        &unbound::UNBOUND_BODY_VAR,
        &order::COMPARISON_BEFORE_BINDING,
        &order::INEQUALITY_BEFORE_BINDING,
        &order::EXPR_BEFORE_BINDING,
        &expressions::EXPR_IN_PREMISE_UNBOUND,
        &expressions::EXPR_IN_OUTPUT_POSITION,
        &negation::NEGATED_VAR_UNBOUND,
        &negation::NEGATION_WILDCARD,
        &negation::NEGATION_REORDER_HAZARD,
        &expressions::WILDCARD_IN_EXPRESSION,
        &expressions::WILDCARD_COMPARE,
        &expressions::UNREACHABLE_PREMISE,
        &singleton::SINGLETON_VARIABLE,
        &order::INPUT_BEFORE_BINDING,
    ],
    clause: Some(check),
    declaration: None,
    program: &[],
};

/// The helper rule for the negated premise `index` of `clause`, without the arguments that never
/// have a value. `None` if all arguments have values, or if a helper would change the meaning.
#[must_use]
pub fn negation_helper(context: &CheckContext<'_>, clause: &Clause, index: u32) -> Option<Fix> {
    let subject = Subject::new(context, clause);
    let Premise::Literal(literal) = subject.premise(index)? else { return None };
    let keeps = |term: &Term| {
        let mut has_value = !term.is_wildcard();
        term.variables(&mut |name, _| has_value &= subject.bindings.is_bound(name));
        has_value
    };
    let keeps_all = literal.atom.args.iter().all(keeps);
    // Repeated terms must be equal, and the helper would lose this condition.
    let twice = |term: &Term| {
        term.variable().is_some_and(|name| {
            literal.atom.args.iter().filter(|other| other.variable() == Some(name)).count() > 1
        })
    };
    let forgets = literal.atom.args.iter().any(|term| !keeps(term) && twice(term));
    if keeps_all || forgets {
        return None;
    }
    helper::fix(&subject, index, literal, &keeps, Applicability::Unsafe)
}

/// A rule of another group that the check of [`FAMILY`] applies.
pub(super) const TEMPORAL: Family =
    Family { rules: &[&negation::NEGATION_AFTER_TEMPORAL], clause: None, declaration: None, program: &[] };

/// Maximum number of premises. Clauses with more were not written by hand, and some checks are
/// quadratic.
const PREMISES: usize = 1_000;

fn check(context: &CheckContext<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    if (clause.is_fact() && is_plain(clause)) || clause.premises.len() > PREMISES {
        return;
    }
    let subject = Subject::new(context, clause);
    let mut report = Report::new(findings);
    if subject.lacks_arguments() {
        report.ignore_unbound();
    }
    // The order matters: later checks skip variables that an earlier check reported.
    unbound::check_head(&subject, &mut report);
    expressions::check_expressions(&subject, &mut report);
    order::check(&subject, &mut report);
    unbound::check_body(&subject, &mut report);
    negation::check(&subject, &mut report);
    expressions::check_wildcards(&subject, &mut report);
    expressions::check_unreachable(&subject, &mut report);
    singleton::check(&subject, &mut report);
}

/// True if a head has no variables.
fn is_plain(clause: &Clause) -> bool {
    let mut plain = true;
    for term in &clause.head.args {
        term.walk(&mut |term| plain &= !matches!(term.kind, TermKind::Variable(_) | TermKind::Wildcard));
    }
    let mut bounds = clause.interval.iter().flat_map(|interval| &interval.bounds);
    plain && bounds.all(|bound| !matches!(bound.kind, TimeBoundKind::Variable(_)))
}

/// Maximum number of characters of quoted program text.
const EXCERPT_CHARS: usize = 32;

/// A clause with its rewriting and variable bindings.
struct Subject<'a> {
    context: &'a CheckContext<'a>,
    clause: &'a Clause,
    signatures: ClauseSignatures<'a>,
    rewriting: Rewriting,
    bindings: Bindings,
    /// The variables that a `let` defines.
    lets: FxHashSet<Symbol>,
    /// The variables of the head among `lets`.
    lets_in_head: FxHashSet<Symbol>,
    /// The variables of negated premises. Computed on demand, because most clauses are correct.
    negated: OnceCell<FxHashSet<Symbol>>,
}

impl<'a> Subject<'a> {
    fn new(context: &'a CheckContext<'a>, clause: &'a Clause) -> Self {
        let signatures = ClauseSignatures::new(clause, |atom| Some(&context.predicate(atom)?.signature));
        let rewriting = Rewriting::new(clause, &signatures, context.program.embedding.capabilities());
        let bindings = Bindings::new(clause, &signatures, &rewriting);
        let statements = clause.transforms.iter().flat_map(|transform| &transform.statements);
        let lets: FxHashSet<_> =
            statements.filter_map(|statement| statement.variable.as_ref()?.variable()).collect();
        let lets_in_head =
            if lets.is_empty() { FxHashSet::default() } else { &variables(&clause.head.args) & &lets };
        let negated = OnceCell::new();
        Self { context, clause, signatures, rewriting, bindings, lets, lets_in_head, negated }
    }

    /// The premises with their indices.
    fn premises(&self) -> impl Iterator<Item = (u32, &'a Premise)> {
        (0..).zip(&self.clause.premises)
    }

    fn premise(&self, index: u32) -> Option<&'a Premise> {
        self.clause.premises.get(index as usize)
    }

    /// The signature of a positive premise that is looked up as written. `None` if the predicate
    /// has no modes.
    fn moded(&self, index: u32) -> Option<&'a Signature> {
        self.signatures.premise(index).filter(|signature| !signature.modes.is_empty())
    }

    /// The signature of a premise's predicate. `None` unless it is deferred or external.
    fn called(&self, index: u32) -> Option<&'a Signature> {
        self.signatures.premise(index).filter(|signature| signature.deferred || signature.external)
    }

    /// Program text for a message, on one line, at most [`EXCERPT_CHARS`] long.
    fn excerpt(&self, range: TextRange) -> Cow<'a, str> {
        excerpt(self.context.slice(range), EXCERPT_CHARS)
    }

    /// The text of a premise for a message.
    fn premise_excerpt(&self, index: u32) -> Cow<'a, str> {
        self.premise(index).map_or(Cow::Borrowed(""), |premise| self.excerpt(premise.range()))
    }

    /// The name of the predicate that the clause defines.
    fn head_name(&self) -> &'static str {
        self.clause.head.name.as_str()
    }

    /// True if a `let` of the clause defines the variable.
    fn is_let(&self, symbol: Symbol) -> bool {
        self.lets.contains(&symbol)
    }

    /// True if the head has the variable and a `let` of the clause defines it.
    fn is_let_in_head(&self, symbol: Symbol) -> bool {
        self.lets_in_head.contains(&symbol)
    }

    /// True if a negated premise has the variable.
    fn is_negated(&self, symbol: Symbol) -> bool {
        let negated = self.negated.get_or_init(|| {
            let literals = self.clause.literals().filter(|literal| literal.is_negated());
            variables(literals.flat_map(|literal| &literal.atom.args))
        });
        negated.contains(&symbol)
    }

    /// True if a positive premise names a missing predicate, and a predicate of the same name has
    /// more arguments. The missing arguments can bind any variable.
    fn lacks_arguments(&self) -> bool {
        let program = self.context.program;
        let mut literals =
            self.clause.literals().filter(|literal| !literal.is_negated() && !literal.atom.is_builtin());
        literals.any(|literal| {
            let exists = self.context.predicate(&literal.atom).is_some_and(Predicate::exists);
            let key = key_of(&literal.atom);
            let within = self.context.file.package.map(|package| key.within(package).name);
            let mut named =
                [Some(key.name), within].into_iter().flatten().flat_map(|name| program.named(name));
            !exists && named.any(|other| other.exists() && other.key.arity > key.arity)
        })
    }

    /// The first premise that binds the variable, according to the engine's analysis.
    fn binding_premise(&self, symbol: Symbol) -> Option<u32> {
        match self.bindings.get(symbol)?.bound?.place {
            BindingPlace::Head => None,
            BindingPlace::Premise(index) => Some(index),
        }
    }

    /// A variable name that the clause does not use.
    fn fresh_variable(&self, stem: &str) -> String {
        let taken = |name: &str| {
            let symbol = Symbol::new(name);
            self.bindings.get(symbol).is_some() || self.is_let(symbol)
        };
        let numbered = (2..).map(|number: u32| format!("{stem}{number}"));
        std::iter::once(stem.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
    }
}

/// The variables of some terms.
fn variables<'t>(terms: impl IntoIterator<Item = &'t Term>) -> FxHashSet<Symbol> {
    let mut found = FxHashSet::default();
    for term in terms {
        term.variables(&mut |symbol, _| {
            found.insert(symbol);
        });
    }
    found
}

/// Maximum number of findings with the same fix. Each has a copy of the fix.
const MAX_SHARED_FIXES: usize = 16;

/// A fix shared by the findings about the variables of one premise.
struct LazyFix<F> {
    make: F,
    fix: Option<Option<Fix>>,
    offered: usize,
}

impl<F: FnMut() -> Option<Fix>> LazyFix<F> {
    fn new(make: F) -> Self {
        Self { make, fix: None, offered: 0 }
    }

    /// The fix for the next finding. `None` if no fix exists, or if enough findings have it.
    fn next(&mut self) -> Option<Fix> {
        self.offered += 1;
        if self.offered > MAX_SHARED_FIXES {
            return None;
        }
        self.fix.get_or_insert_with(&mut self.make).clone()
    }
}

/// Collects the findings of one clause.
struct Report<'f> {
    findings: &'f mut Vec<Finding>,
    named: FxHashSet<Symbol>,
    excused: bool,
    has_unbound: bool,
}

impl<'f> Report<'f> {
    fn new(findings: &'f mut Vec<Finding>) -> Self {
        Self { findings, named: FxHashSet::default(), excused: false, has_unbound: false }
    }

    fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Records that a finding names the variable, so that later checks skip it.
    fn name(&mut self, symbol: Symbol) {
        self.named.insert(symbol);
    }

    fn names(&self, symbol: Symbol) -> bool {
        self.excused || self.named.contains(&symbol)
    }

    /// Records that a finding names the variable and that nothing binds it.
    fn name_unbound(&mut self, symbol: Symbol) {
        self.name(symbol);
        self.has_unbound = true;
    }

    /// True if some variable of the clause is never bound.
    fn has_unbound(&self) -> bool {
        self.excused || self.has_unbound
    }

    /// Marks unbound variables as a consequence of another finding: the premise that would bind
    /// them lacks arguments.
    fn ignore_unbound(&mut self) {
        self.excused = true;
    }

    /// True if unbound variables are a consequence of another finding.
    fn ignores_unbound(&self) -> bool {
        self.excused
    }
}

#[cfg(test)]
mod tests;
