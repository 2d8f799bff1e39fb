//! What is said of a proposal when somebody looks at it.

use super::Subject;
use crate::ide::markup::Markup;
use crate::ide::{Analysis, registry, vocabulary};
use mangle_check::describe::Callable;
use mangle_engine::program::builtins;

/// The rest of an item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resolved {
    /// One line: a signature.
    pub detail: Option<String>,
    /// Words.
    pub documentation: Markup,
}

/// What there is to say of the subject of an item.
#[must_use]
pub fn resolve(analysis: &dyn Analysis, subject: &Subject) -> Resolved {
    match subject {
        Subject::Predicate(key) => {
            let predicate = analysis.program().predicate(*key);
            predicate.map_or_else(Resolved::default, |predicate| {
                let callable = Callable::predicate(analysis, predicate);
                let said = callable.documentation.clone();
                Resolved {
                    detail: Some(callable.label().0),
                    documentation: said.into_iter().fold(Markup::default(), Markup::foreign),
                }
            })
        }
        Subject::Builtin(name) => of(builtins::predicate(name).map(Callable::builtin)),
        Subject::Function(name) => of(builtins::function(name).map(Callable::function)),
        Subject::Word(word) => said(vocabulary::word_of(word)),
        Subject::Descriptor(name) => said(vocabulary::descriptor(name)),
        Subject::Rule(name) => registry::find(name).map_or_else(Resolved::default, |rule| Resolved {
            detail: Some(rule.code.to_owned()),
            documentation: Markup::default().words(rule.summary).words(rule.rationale),
        }),
    }
}

fn of(callable: Option<Callable>) -> Resolved {
    callable.map_or_else(Resolved::default, |callable| Resolved {
        detail: Some(callable.label().0),
        documentation: callable.documentation.into_iter().fold(Markup::default(), Markup::words),
    })
}

fn said(word: Option<&vocabulary::Word>) -> Resolved {
    word.map_or_else(Resolved::default, |word| Resolved {
        detail: Some(word.usage.to_owned()),
        documentation: Markup::default().words(word.says),
    })
}
