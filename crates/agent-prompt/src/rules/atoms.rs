//! Rules about prompt atoms, and about their outcome in the requested prompts.

use std::sync::Arc;

use super::subject::{PromptFinding, Subject};
use crate::jit::rules::{check_compilation, check_corpus};
use crate::jit::{Corpus, Dimension, has_value};
use crate::token_budget::TokenBudget;

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let mut corpora: Vec<&Arc<Corpus>> = Vec::new();
    for shown in subject.shown.iter() {
        let compiler = subject.common.settings().compiler(&shown.request);
        let corpus = compiler.map(|compiler| &compiler.corpus);
        corpora.extend(corpus.filter(|corpus| !corpora.iter().any(|known| Arc::ptr_eq(known, corpus))));
        let Some(compilation) = &shown.prompt.compilation else { continue };
        let (whole, placed) = check_compilation(
            compilation,
            &shown.derived,
            (&shown.request.name, shown.request.range),
            TokenBudget::is_enforced(&shown.request, &shown.derived),
        );
        let sample = subject.sample();
        found.extend(whole.into_iter().filter_map(|finding| Some(PromptFinding { file: sample?, finding })));
        found.extend(placed.into_iter().map(|(file, finding)| PromptFinding { file, finding }));
    }
    let is_produced = |dimension: Dimension, name: &str| {
        subject.shown.iter().any(|shown| has_value(&shown.derived, dimension, name))
    };
    for corpus in corpora {
        let placed = check_corpus(corpus, &is_produced);
        found.extend(placed.into_iter().map(|(file, finding)| PromptFinding { file, finding }));
    }
}
