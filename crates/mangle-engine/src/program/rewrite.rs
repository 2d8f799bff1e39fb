//! Clause rewriting of the Go implementation, including its bugs: the premises that it evaluates,
//! and their order.
//!
//! Two transformations change a body:
//!
//! - A premise of a predicate that `reflects` a name prefix becomes `:match_prefix`.
//! - A negated atom with an unseen variable is delayed until the premise that contains the last of
//!   its variables.
//!
//! Atoms that are still delayed at the end are dropped. If several atoms are delayed, the engine
//! removes the wrong entry from its list: see [`NegationEffect`].

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::Signature;
use mangle_settings::versions::{DelayedNegations, EarlyInequality, EngineCapabilities, UnboundNegation};
use mangle_syntax::syntax::ast::{Atom, Clause, Comparison, Literal, Operator, Premise, Term, TermKind};
use mangle_syntax::text::Symbol;

/// A variable, as the rewriting compares it. `None` is `_`, which the rewriting treats as a name.
type Word = Option<Symbol>;

/// The signatures of the predicates of one clause.
#[derive(Debug)]
pub struct ClauseSignatures<'p> {
    /// The signature of the head predicate, if it is known.
    pub head: Option<&'p Signature>,
    /// The signature of each premise. `None` for built-ins and comparisons.
    pub premises: SmallVec<[Option<&'p Signature>; 8]>,
}

impl<'p> ClauseSignatures<'p> {
    /// Calls `lookup` for every predicate of `clause`.
    pub fn new(clause: &Clause, lookup: impl Fn(&Atom) -> Option<&'p Signature>) -> Self {
        let of = |premise: &Premise| match premise {
            Premise::Literal(literal) if !literal.atom.is_builtin() => lookup(&literal.atom),
            _ => None,
        };
        Self { head: lookup(&clause.head), premises: clause.premises.iter().map(of).collect() }
    }

    /// The signature of the predicate of a premise.
    #[must_use]
    pub fn premise(&self, index: u32) -> Option<&'p Signature> {
        self.premises.get(index as usize).copied().flatten()
    }
}

/// One premise in the evaluation order of the Go implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The index of the premise in the source.
    pub premise: u32,
    /// The name prefix, if the premise is evaluated as `:match_prefix(first argument, prefix)`.
    pub reflected: Option<Symbol>,
}

/// The effect of the rewriting on a negated premise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NegationEffect {
    /// Evaluated once, at its position or later.
    Kept,
    /// Evaluated more than once, without an effect on the result.
    Repeated,
    /// Silently dropped, because one of its variables (or `_`) is never seen.
    Dropped,
    /// Dropped by a bug: all its variables are seen, but the engine removes it from the list
    /// instead of another entry.
    Lost,
}

/// A premise that can be delayed: a negation, or an inequality in engines that delay inequalities.
#[derive(Debug)]
pub struct Negation {
    /// The index of the premise in the source.
    pub premise: u32,
    /// The effect of the rewriting.
    pub fate: NegationEffect,
    /// The last premise without `!` before its evaluation. `None` if the negation is first or is
    /// not evaluated.
    pub after: Option<u32>,
    /// The unseen variables at the time of the delay.
    missing: SmallVec<[Word; 8]>,
    count: u32,
}

/// The seen words. From [`MIN_HASHED_WORDS`] words on, a hash set keeps the search time constant.
#[derive(Debug, Default)]
struct WordSet {
    few: SmallVec<[Word; 8]>,
    many: FxHashSet<Word>,
}

/// The minimum number of words for lookup with a hash set.
const MIN_HASHED_WORDS: usize = 24;

impl WordSet {
    fn contains(&self, word: &Word) -> bool {
        if self.few.len() < MIN_HASHED_WORDS { self.few.contains(word) } else { self.many.contains(word) }
    }

    fn insert(&mut self, word: Word) {
        if self.contains(&word) {
            return;
        }
        self.few.push(word);
        if self.few.len() == MIN_HASHED_WORDS {
            self.many.extend(self.few.iter().copied());
        } else if self.few.len() > MIN_HASHED_WORDS {
            self.many.insert(word);
        }
    }
}

/// The result of the rewriting of a clause.
#[derive(Debug)]
pub struct Rewriting {
    /// The premises in the order of evaluation. Premises without `!` keep their order and occur
    /// once. Negated premises may occur anywhere, any number of times.
    pub order: SmallVec<[Step; 8]>,
    /// The negated premises in source order. Includes inequalities if the engine delays them.
    pub negations: SmallVec<[Negation; 2]>,
    capabilities: EngineCapabilities,
    /// The variables of head inputs, positive atoms and equalities.
    seen: WordSet,
    /// The premises that are replaced by a prefix test, with the prefix.
    reflections: FxHashMap<u32, Symbol>,
    /// The delayed negations, as indexes into `negations`.
    waiting: SmallVec<[usize; 4]>,
    /// The number of seen words when no delayed negation was ready.
    settled: Option<usize>,
    /// The last premise without `!` so far.
    last: Option<u32>,
}

impl Rewriting {
    /// Rewrites `clause` like an engine with these capabilities.
    #[must_use]
    pub fn new(
        clause: &Clause,
        signatures: &ClauseSignatures<'_>,
        capabilities: &EngineCapabilities,
    ) -> Self {
        let mut rewriting = Self {
            order: SmallVec::new(),
            negations: SmallVec::new(),
            capabilities: *capabilities,
            seen: WordSet::default(),
            reflections: FxHashMap::default(),
            waiting: SmallVec::new(),
            settled: None,
            last: None,
        };
        if !needs_rewriting(clause, signatures, capabilities) {
            let steps = (0..).zip(&clause.premises).map(|(premise, _)| Step { premise, reflected: None });
            rewriting.order.extend(steps);
            return rewriting;
        }
        rewriting.see_head(clause, signatures.head);
        for (index, premise) in (0..).zip(&clause.premises) {
            rewriting.take(index, premise, signatures);
        }
        rewriting.put_rest();
        rewriting.decide_fates();
        rewriting
    }

    /// True if the body is empty after the rewriting. The clause is then an unconditional fact.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The name prefix that replaces the lookup of a premise.
    #[must_use]
    pub fn reflected(&self, premise: u32) -> Option<Symbol> {
        self.reflections.get(&premise).copied()
    }

    /// The effect on the premise with this index. `None` if it cannot be delayed.
    #[must_use]
    pub fn negation(&self, premise: u32) -> Option<&Negation> {
        let at = self.negations.binary_search_by_key(&premise, |negation| negation.premise).ok()?;
        self.negations.get(at)
    }

    /// The variables that cause a negation to be dropped.
    pub fn missing<'a>(&'a self, negation: &'a Negation) -> impl Iterator<Item = Symbol> + 'a {
        negation.missing.iter().filter(|word| !self.seen.contains(word)).filter_map(|word| *word)
    }

    fn see_head(&mut self, clause: &Clause, signature: Option<&Signature>) {
        let modes = signature.map_or(&[][..], |signature| &signature.modes);
        for (term, mode) in clause.head.args.iter().zip(modes) {
            if mode.accepts_input()
                && let Some(word) = word(term)
            {
                self.seen.insert(word);
            }
        }
    }

    fn take(&mut self, index: u32, premise: &Premise, signatures: &ClauseSignatures<'_>) {
        match premise {
            Premise::Literal(literal) if literal.is_negated() => {
                return self.take_negation(index, &literal.atom.args);
            }
            Premise::Literal(literal) if !literal.is_temporal() => {
                if let Some(prefix) = self.reflection(literal, signatures.premise(index)) {
                    self.order.push(Step { premise: index, reflected: Some(prefix) });
                    self.reflections.insert(index, prefix);
                    self.last = Some(index);
                    return;
                }
                self.see_terms(&literal.atom.args);
            }
            // The Go implementation treats `<`, `<=`, `>` and `>=` as atoms, and ignores `!=`.
            Premise::Comparison(Comparison { operator, left, right, .. })
                if *operator != Operator::NotEqual =>
            {
                self.see_terms([left, right]);
            }
            Premise::Comparison(Comparison { left, right, .. })
                if self.capabilities.inequality_before_binding == EarlyInequality::Delayed =>
            {
                return self.take_negation(index, [left, right]);
            }
            _ => {}
        }
        self.order.push(Step { premise: index, reflected: None });
        self.last = Some(index);
        self.put_back();
    }

    fn take_negation<'t>(&mut self, index: u32, terms: impl IntoIterator<Item = &'t Term>) {
        let mut missing = WordSet::default();
        for_each_word(terms, |word| {
            if !self.seen.contains(&word) {
                missing.insert(word);
            }
        });
        let missing = missing.few;
        let waits = !missing.is_empty();
        let negation =
            Negation { premise: index, fate: NegationEffect::Kept, after: None, missing, count: 0 };
        self.negations.push(negation);
        let id = self.negations.len() - 1;
        if waits {
            self.settled = None;
            self.waiting.push(id);
        } else {
            self.place(id);
            self.put_back();
        }
    }

    /// The prefix, if a premise is replaced by `:match_prefix`.
    fn reflection(&self, literal: &Literal, signature: Option<&Signature>) -> Option<Symbol> {
        let signature = signature?;
        let word = word(literal.atom.args.first()?)?;
        let known = signature.first_is_input || self.seen.contains(&word);
        signature.reflects.filter(|_| known)
    }

    fn place(&mut self, id: usize) {
        let Some(negation) = self.negations.get_mut(id) else { return };
        if negation.count == 0 {
            negation.after = self.last;
        }
        negation.count += 1;
        self.order.push(Step { premise: negation.premise, reflected: None });
    }

    /// Places all delayed negations that are ready.
    fn put_back(&mut self) {
        // No negation can have become ready unless a new word was seen.
        if self.settled == Some(self.seen.few.len()) {
            return;
        }
        let waiting = self.waiting.clone();
        let mut placed = 0;
        for id in waiting {
            let ready = self.negations.get(id).is_some_and(|negation| self.is_seen(&negation.missing));
            if ready {
                self.place(id);
                placed += 1;
            }
        }
        match self.capabilities.delayed_negations {
            DelayedNegations::SomeLost => self.cross_off(placed),
            DelayedNegations::AllKept => {
                let negations = &self.negations;
                self.waiting.retain(|id| negations.get(*id).is_some_and(|negation| negation.count == 0));
            }
        }
        self.settled = (placed == 0).then_some(self.seen.few.len());
    }

    /// Reproduces a bug of the Go implementation, which removes the right number of entries from
    /// the list, but at the wrong positions.
    ///
    /// The bug removes the positions 0, 1, … of a shrinking list. A removal behind the end restores
    /// the entry that was stored there.
    fn cross_off(&mut self, placed: usize) {
        let mut len = self.waiting.len();
        for at in 0..placed {
            if at + 1 < len {
                self.waiting.copy_within(at + 1..len, at);
                len -= 1;
            } else {
                len = at;
            }
        }
        self.waiting.truncate(len);
    }

    /// Places the remaining delayed negations at the end, unless the engine drops them.
    fn put_rest(&mut self) {
        if self.capabilities.negation_with_unbound_variable == UnboundNegation::Rejected {
            for id in std::mem::take(&mut self.waiting) {
                self.place(id);
            }
        }
    }

    fn decide_fates(&mut self) {
        for at in 0..self.negations.len() {
            let Some(negation) = self.negations.get(at) else { return };
            let fate = match negation.count {
                0 if self.is_seen(&negation.missing) => NegationEffect::Lost,
                0 => NegationEffect::Dropped,
                1 => NegationEffect::Kept,
                _ => NegationEffect::Repeated,
            };
            if let Some(negation) = self.negations.get_mut(at) {
                negation.fate = fate;
            }
        }
    }

    fn is_seen(&self, words: &[Word]) -> bool {
        words.iter().all(|word| self.seen.contains(word))
    }

    fn see_terms<'t>(&mut self, terms: impl IntoIterator<Item = &'t Term>) {
        for_each_word(terms, |word| {
            self.seen.insert(word);
        });
    }
}

fn needs_rewriting(
    clause: &Clause,
    signatures: &ClauseSignatures<'_>,
    capabilities: &EngineCapabilities,
) -> bool {
    let is_delayed = |premise: &Premise| match premise {
        Premise::Literal(literal) => literal.is_negated(),
        Premise::Comparison(comparison) => {
            comparison.operator == Operator::NotEqual
                && capabilities.inequality_before_binding == EarlyInequality::Delayed
        }
        Premise::Broken(..) => false,
    };
    clause.premises.iter().any(is_delayed)
        || signatures.premises.iter().flatten().any(|signature| signature.reflects.is_some())
}

/// The variable of a term that is a variable or `_`.
fn word(term: &Term) -> Option<Word> {
    match term.kind {
        TermKind::Variable(symbol) => Some(Some(symbol)),
        TermKind::Wildcard => Some(None),
        _ => None,
    }
}

fn for_each_word<'t>(terms: impl IntoIterator<Item = &'t Term>, mut visit: impl FnMut(Word)) {
    for term in terms {
        term.walk(&mut |term| {
            if let Some(word) = word(term) {
                visit(word);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use super::*;
    use crate::program::{FileSummary, Program, ProgramEnvironment};
    use mangle_settings::EngineVersion;
    use mangle_settings::versions::ENGINES;
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::text::{FileId, slice};

    /// Compares the evaluated premises of the last clause of `text`, and its negation effects.
    #[track_caller]
    fn check(text: &str, order: &str, fates: &[NegationEffect]) {
        check_for(EngineVersion::default(), text, order, fates);
    }

    /// Same as `check` for the newest engine, which keeps all negations.
    #[track_caller]
    fn check_newest(text: &str, order: &str) {
        let engine = EngineVersion::from(ENGINES.last().unwrap());
        let delayed = text.matches('!').count();
        check_for(engine, text, order, &vec![NegationEffect::Kept; delayed]);
    }

    #[track_caller]
    fn check_for(engine: EngineVersion, text: &str, order: &str, fates: &[NegationEffect]) {
        let file = Arc::new(FileSummary::new(FileId(0), &SourceFile::parse(text.into())));
        let embedding = Arc::new(ProgramEnvironment { engine, ..ProgramEnvironment::default() });
        let program = Program::embedded(vec![Arc::clone(&file)], embedding);
        let item = file.items.last().unwrap();
        let clause = item.statement.clause().unwrap();
        let lookup = |atom: &Atom| Some(&program.predicate_of(&file, atom)?.signature);
        let capabilities = program.embedding.capabilities();
        let rewriting = Rewriting::new(clause, &ClauseSignatures::new(clause, lookup), capabilities);
        let steps = rewriting.order.iter().map(|step| match step.reflected {
            Some(prefix) => format!(":match_prefix({prefix})"),
            None => {
                let range = clause.premises[step.premise as usize].range();
                slice(file.statement_text(item), range).to_owned()
            }
        });
        assert_eq!(steps.collect::<Vec<_>>().join(", "), order);
        let found: Vec<_> = rewriting.negations.iter().map(|negation| negation.fate).collect();
        assert_eq!(found, fates);
    }

    #[test]
    fn a_negation_goes_behind_the_last_of_its_variables() {
        check("p(X) :- !n(X), a(X).", "a(X), !n(X)", &[NegationEffect::Kept]);
        check("p(X) :- !n(X, Y), a(X), b(Y), c(X).", "a(X), b(Y), !n(X, Y), c(X)", &[NegationEffect::Kept]);
        check("p(X) :- a(X), !n(X), b(X).", "a(X), !n(X), b(X)", &[NegationEffect::Kept]);
    }

    #[test]
    fn what_shows_variables() {
        check("p(X) :- !n(X), X = 1.", "X = 1, !n(X)", &[NegationEffect::Kept]);
        check("p(X) :- !n(X), X < 1, a(X).", "X < 1, !n(X), a(X)", &[NegationEffect::Kept]);
        check("p(X) :- !n(X), X != 1, a(X).", "X != 1, a(X), !n(X)", &[NegationEffect::Kept]);
        check("p(X) :- !n(X), a([X]).", "a([X]), !n(X)", &[NegationEffect::Kept]);
        check("p(X) :- !n(X), a(X)@[S, E].", "a(X)@[S, E]", &[NegationEffect::Dropped]);
    }

    #[test]
    fn wildcards_are_one_more_name() {
        check("p(X) :- a(X), !n(X, _).", "a(X)", &[NegationEffect::Dropped]);
        check("p(X) :- a(X, _), !n(X, _).", "a(X, _), !n(X, _)", &[NegationEffect::Kept]);
        check("p(1) :- !n(_).", "", &[NegationEffect::Dropped]);
    }

    #[test]
    fn the_wrong_one_is_crossed_off() {
        check(
            "calm(A, B) :- !red(A), !blue(B), b(B), a(A).",
            "b(B), !blue(B), a(A), !blue(B)",
            &[NegationEffect::Lost, NegationEffect::Repeated],
        );
        // Removing the positions 0, 1 and 2 of three entries restores the third.
        check(
            "p(X) :- !a(X), !b(X), !c(X), d(X), e(X), f(X).",
            "d(X), !a(X), !b(X), !c(X), e(X), !b(X), !c(X), f(X), !c(X)",
            &[NegationEffect::Kept, NegationEffect::Repeated, NegationEffect::Repeated],
        );
    }

    #[test]
    fn newest_engine_keeps_every_negation_and_delays_inequalities() {
        check_newest("p(X) :- !a(Y), !b(X), q(X), r(Y).", "q(X), !b(X), r(Y), !a(Y)");
        check_newest("p(X) :- X != Y, e(X), f(Y).", "e(X), f(Y), X != Y");
        check_newest("p(X) :- !a(Y), X != Z, q(X), r(Y), s(Z).", "q(X), r(Y), !a(Y), s(Z), X != Z");
        check_newest("p(X) :- e(X), X != 1, X != Y.", "e(X), X != 1, X != Y");
        check_newest("p(W) :- !e(_, W), q(W).", "q(W), !e(_, W)");
        check_newest("p(X) :- !n(X), a(X)@[S, E].", "a(X)@[S, E], !n(X)");
    }

    #[test]
    fn modes_of_the_head_show_variables() {
        let declared = r#"Decl p(X, Y, Z) descr [mode("+", "?", "-")]. "#;
        check(
            &format!("{declared}p(X, Y, Z) :- !n(X), !n(Y), !n(Z), a(Z)."),
            "!n(X), !n(Y), a(Z), !n(Z)",
            &[NegationEffect::Kept; 3],
        );
    }

    #[test]
    fn reflected_predicates_become_prefix_tests() {
        let declared = "Decl t(X) descr [reflects(/pre)]. ";
        check(&format!("{declared}p(X) :- a(X), t(X)."), "a(X), :match_prefix(/pre)", &[]);
        check(&format!("{declared}p(X) :- t(X), a(X)."), "t(X), a(X)", &[]);
        check(&format!("{declared}p(X) :- a(X), t(/pre/x)."), "a(X), t(/pre/x)", &[]);
        let asked = r#"Decl t(X) descr [reflects(/pre), mode("+")]. "#;
        check(&format!("{asked}p(X) :- t(X), a(X)."), ":match_prefix(/pre), a(X)", &[]);
    }
}
