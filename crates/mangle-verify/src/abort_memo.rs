//! A memo of searches for worlds that stop the evaluation with an error.
//!
//! Such a search depends on the whole program and not on a property, so all properties of a file
//! share its result.

use std::cell::RefCell;

use mangle_engine::kernel::Reading;
use mangle_syntax::text::Symbol;

use crate::search::{Outcome, Question, Scope, Searched};

/// The completed searches in one program that found no world.
#[derive(Debug, Default)]
pub struct AbortMemo {
    none: RefCell<Vec<AbortSearch>>,
}

/// A search for a world that stops the evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AbortSearch {
    reading: Reading,
    facts: usize,
    /// The input predicates of worlds, by name and arity.
    inputs: Vec<(Symbol, usize)>,
}

impl AbortSearch {
    /// Returns the abort search of a question.
    ///
    /// Returns `None` if worlds are restricted or another program is compared, because such
    /// searches differ between questions.
    fn new(question: &Question, scope: Scope) -> Option<Self> {
        let compiled = &question.compiled;
        let inputs = question.inputs.iter().flat_map(|input| &input.predicates);
        let arity = |relation: u32| compiled.arities.get(relation as usize).copied().unwrap_or(0);
        let inputs = inputs.map(|id| (compiled.name(*id), arity(id.0))).collect();
        let is_free = question.forbidden.is_empty() && question.originals.is_empty();
        is_free.then_some(Self { reading: compiled.reading, facts: scope.facts, inputs })
    }
}

impl AbortMemo {
    /// Returns the question without the abort search, if a previous search found no world.
    pub(crate) fn reduce(&self, question: Question, scope: Scope) -> Question {
        let search = AbortSearch::new(&question, scope);
        let is_known = search.is_some_and(|search| self.none.borrow().contains(&search));
        Question { looks_for_aborts: question.looks_for_aborts && !is_known, ..question }
    }

    /// Records the result of a question.
    pub(crate) fn remember(&self, question: &Question, scope: Scope, searched: &Searched) {
        let is_none = matches!(searched.outcome, Outcome::Never(_) | Outcome::NotInScope);
        let search = AbortSearch::new(question, scope).filter(|_| is_none && question.looks_for_aborts);
        self.none.borrow_mut().extend(search);
    }
}
