//! Input of the safety checks, and shared helpers for their reports.

use std::borrow::Cow;
use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use crate::analysis::CheckContext;
use crate::excerpt;
use mangle_engine::program::binding::{BindingPlace, Bindings};
use mangle_engine::program::rewrite::{ClauseSignatures, Rewriting};
use mangle_engine::program::{Predicate, Signature, key_of};
use mangle_syntax::lint::{Finding, Fix};
use mangle_syntax::syntax::ast::{Clause, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

/// Maximum number of characters of quoted program text.
const EXCERPT_CHARS: usize = 32;

/// A clause with its rewriting and variable bindings.
pub(super) struct Subject<'a> {
    pub(super) context: &'a CheckContext<'a>,
    pub(super) clause: &'a Clause,
    pub(super) signatures: ClauseSignatures<'a>,
    pub(super) rewriting: Rewriting,
    pub(super) bindings: Bindings,
    lets: OnceCell<FxHashSet<Symbol>>,
    in_head: OnceCell<FxHashSet<Symbol>>,
    negated: OnceCell<FxHashSet<Symbol>>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(context: &'a CheckContext<'a>, clause: &'a Clause) -> Self {
        let signatures = ClauseSignatures::new(clause, |atom| Some(&context.predicate(atom)?.signature));
        let rewriting = Rewriting::new(clause, &signatures, context.program.embedding.capabilities());
        let bindings = Bindings::new(clause, &signatures, &rewriting);
        let (lets, in_head, negated) = Default::default();
        Self { context, clause, signatures, rewriting, bindings, lets, in_head, negated }
    }

    /// The premises with their indices.
    pub(super) fn premises(&self) -> impl Iterator<Item = (u32, &'a Premise)> {
        (0..).zip(&self.clause.premises)
    }

    pub(super) fn premise(&self, index: u32) -> Option<&'a Premise> {
        self.clause.premises.get(index as usize)
    }

    /// The signature of a positive premise that is looked up as written. `None` if the predicate
    /// has no modes.
    pub(super) fn moded(&self, index: u32) -> Option<&'a Signature> {
        self.signatures.premise(index).filter(|signature| !signature.modes.is_empty())
    }

    /// The signature of a premise's predicate. `None` unless it is deferred or external.
    pub(super) fn called(&self, index: u32) -> Option<&'a Signature> {
        self.signatures.premise(index).filter(|signature| signature.deferred || signature.external)
    }

    /// Program text for a message, on one line, at most [`EXCERPT_CHARS`] long.
    pub(super) fn excerpt(&self, range: TextRange) -> Cow<'a, str> {
        excerpt(self.context.slice(range), EXCERPT_CHARS)
    }

    /// The text of a premise for a message.
    pub(super) fn premise_excerpt(&self, index: u32) -> Cow<'a, str> {
        self.premise(index).map_or(Cow::Borrowed(""), |premise| self.excerpt(premise.range()))
    }

    /// The name of the predicate that the clause defines.
    pub(super) fn head_name(&self) -> &'static str {
        self.clause.head.name.as_str()
    }

    /// True if a `let` of the clause defines the variable.
    pub(super) fn is_let(&self, symbol: Symbol) -> bool {
        let lets = self.lets.get_or_init(|| {
            let statements = self.clause.transforms.iter().flat_map(|transform| &transform.statements);
            statements.filter_map(|statement| statement.variable.as_ref()?.variable()).collect()
        });
        lets.contains(&symbol)
    }

    pub(super) fn is_in_head(&self, symbol: Symbol) -> bool {
        self.in_head.get_or_init(|| variables(&self.clause.head.args)).contains(&symbol)
    }

    /// True if a negated premise has the variable.
    pub(super) fn is_negated(&self, symbol: Symbol) -> bool {
        let negated = self.negated.get_or_init(|| {
            let literals = self.clause.literals().filter(|literal| literal.is_negated());
            variables(literals.flat_map(|literal| &literal.atom.args))
        });
        negated.contains(&symbol)
    }

    /// True if a positive premise names a missing predicate, and a predicate of the same name has
    /// more arguments. The missing arguments can bind any variable.
    pub(super) fn lacks_arguments(&self) -> bool {
        let program = self.context.program;
        let mut literals = self.clause.literals().filter(|it| !it.is_negated() && !it.atom.is_builtin());
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
    pub(super) fn binding_premise(&self, symbol: Symbol) -> Option<u32> {
        match self.bindings.get(symbol)?.bound?.place {
            BindingPlace::Head => None,
            BindingPlace::Premise(index) => Some(index),
        }
    }

    /// A variable name that the clause does not use.
    pub(super) fn fresh_variable(&self, stem: &str) -> String {
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
pub(super) struct LazyFix<F> {
    make: F,
    fix: Option<Option<Fix>>,
    offered: usize,
}

impl<F: FnMut() -> Option<Fix>> LazyFix<F> {
    pub(super) fn new(make: F) -> Self {
        Self { make, fix: None, offered: 0 }
    }

    /// The fix for the next finding. `None` if no fix exists, or if enough findings have it.
    pub(super) fn next(&mut self) -> Option<Fix> {
        self.offered += 1;
        if self.offered > MAX_SHARED_FIXES {
            return None;
        }
        self.fix.get_or_insert_with(&mut self.make).clone()
    }
}

/// Collects the findings of one clause.
pub(super) struct Report<'f> {
    findings: &'f mut Vec<Finding>,
    named: FxHashSet<Symbol>,
    excused: bool,
    has_unbound: bool,
}

impl<'f> Report<'f> {
    pub(super) fn new(findings: &'f mut Vec<Finding>) -> Self {
        Self { findings, named: FxHashSet::default(), excused: false, has_unbound: false }
    }

    pub(super) fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Records that a finding names the variable, so that later checks skip it.
    pub(super) fn name(&mut self, symbol: Symbol) {
        self.named.insert(symbol);
    }

    pub(super) fn names(&self, symbol: Symbol) -> bool {
        self.excused || self.named.contains(&symbol)
    }

    /// Records that a finding names the variable and that nothing binds it.
    pub(super) fn name_unbound(&mut self, symbol: Symbol) {
        self.name(symbol);
        self.has_unbound = true;
    }

    /// True if some variable of the clause is never bound.
    pub(super) fn has_unbound(&self) -> bool {
        self.excused || self.has_unbound
    }

    /// Marks unbound variables as a consequence of another finding: the premise that would bind
    /// them lacks arguments.
    pub(super) fn ignore_unbound(&mut self) {
        self.excused = true;
    }

    /// True if unbound variables are a consequence of another finding.
    pub(super) fn ignores_unbound(&self) -> bool {
        self.excused
    }
}
