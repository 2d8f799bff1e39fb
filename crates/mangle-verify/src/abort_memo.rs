//! Searches for worlds that stop the evaluation with an error. Such a search looks at the whole program and not at a property,
//! so the properties of a file share it.

use std::sync::Mutex;

use mangle_engine::kernel::Reading;
use mangle_syntax::text::Symbol;

use crate::search::{Outcome, Question, Scope, Searched};

/// What was searched for without finding a world.
#[derive(Debug, Default)]
pub struct AbortMemo {
    none: Mutex<Vec<AbortSearch>>,
}

/// A search for a world that stops the evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AbortSearch {
    reading: Reading,
    facts: usize,
    /// What worlds hold facts of.
    inputs: Vec<Symbol>,
}

impl AbortSearch {
    /// The search of a question; `None` where worlds are restricted, which is each question's own affair.
    fn of(question: &Question, scope: Scope) -> Option<Self> {
        let inputs = question.inputs.iter().flat_map(|input| &input.predicates);
        let inputs = inputs.map(|id| question.compiled.name(*id)).collect();
        let reading = question.compiled.reading;
        question.forbidden.is_empty().then_some(Self { reading, facts: scope.facts, inputs })
    }
}

impl AbortMemo {
    /// The question, which looks for no such world again if there is none.
    pub(crate) fn spared(&self, question: Question, scope: Scope) -> Question {
        let wanted = AbortSearch::of(&question, scope);
        let is_known =
            self.none.lock().is_ok_and(|none| none.iter().any(|known| Some(known) == wanted.as_ref()));
        Question { looks_for_aborts: question.looks_for_aborts && !is_known, ..question }
    }

    /// Takes notice of what a question came to.
    pub(crate) fn note(&self, question: &Question, scope: Scope, searched: &Searched) {
        let is_none = matches!(searched.outcome, Outcome::Never(_) | Outcome::NotInScope);
        let search = AbortSearch::of(question, scope).filter(|_| is_none && question.looks_for_aborts);
        if let (Some(search), Ok(mut none)) = (search, self.none.lock()) {
            none.push(search);
        }
    }
}
