//! Lazy documentation of completion items (`completionItem/resolve`).

use super::CompletionSubject;
use crate::markup::Markup;
use crate::{Analysis, registry, vocabulary};
use mangle_check::describe::Callable;
use mangle_engine::program::builtins;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompletionDetails {
    /// Signature on one line.
    pub detail: Option<String>,
    pub documentation: Markup,
}

/// Returns the documentation of a completion item.
#[must_use]
pub fn resolve(analysis: &dyn Analysis, subject: &CompletionSubject) -> CompletionDetails {
    match subject {
        CompletionSubject::Predicate(key) => {
            let predicate = analysis.program().predicate(*key);
            predicate.map_or_else(CompletionDetails::default, |predicate| {
                let callable = Callable::predicate(analysis, predicate);
                let said = callable.documentation.clone();
                CompletionDetails {
                    detail: Some(callable.label().0),
                    documentation: said.into_iter().fold(Markup::default(), Markup::untrusted),
                }
            })
        }
        CompletionSubject::Builtin(name) => details(builtins::predicate(name).map(Callable::builtin)),
        CompletionSubject::Function(name) => details(builtins::function(name).map(Callable::function)),
        CompletionSubject::Word(word) => said(vocabulary::find_word(word)),
        CompletionSubject::Descriptor(name) => said(vocabulary::descriptor(name)),
        CompletionSubject::Rule(name) => {
            registry::find(name).map_or_else(CompletionDetails::default, |rule| CompletionDetails {
                detail: Some(rule.code.to_owned()),
                documentation: Markup::default().text(rule.summary).text(rule.rationale),
            })
        }
    }
}

fn details(callable: Option<Callable>) -> CompletionDetails {
    callable.map_or_else(CompletionDetails::default, |callable| CompletionDetails {
        detail: Some(callable.label().0),
        documentation: callable.documentation.into_iter().fold(Markup::default(), Markup::text),
    })
}

fn said(word: Option<&vocabulary::Word>) -> CompletionDetails {
    word.map_or_else(CompletionDetails::default, |word| CompletionDetails {
        detail: Some(word.usage.to_owned()),
        documentation: Markup::default().text(word.description),
    })
}
