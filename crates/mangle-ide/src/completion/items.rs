//! Items of a completion: ranking, insertion text, and lazy documentation
//! (`completionItem/resolve`).

use std::fmt::Write as _;

use super::{Completion, CompletionSubject, LIMIT};
use crate::markup::Markup;
use crate::{Analysis, registry, vocabulary};
use mangle_check::describe::Callable;
use mangle_engine::program::builtins;
use mangle_syntax::text::LetterSet;

/// Collector of completion candidates by name. If the number of candidates exceeds [`LIMIT`], only
/// matches of the typed text are kept, which limits further work.
pub(super) struct CandidateCollector<'t, T> {
    typed: &'t str,
    letters: LetterSet,
    candidates: Vec<(&'static str, T)>,
    is_full: bool,
}

impl<'t, T> CandidateCollector<'t, T> {
    pub(super) fn new(typed: &'t str) -> Self {
        Self { typed, letters: LetterSet::from_word(typed), candidates: Vec::new(), is_full: false }
    }

    /// True if a candidate may be kept whose qualified name consists of these letters.
    pub(super) fn may_let_through(&self, letters: LetterSet) -> bool {
        !self.is_full || letters.may_hold(self.letters)
    }

    /// True if a candidate with this name would be kept.
    pub(super) fn accepts(&self, name: &str) -> bool {
        !self.is_full || is_meant(name, self.typed)
    }

    pub(super) fn add(&mut self, name: &'static str, of: T) {
        self.candidates.push((name, of));
        if !self.is_full && self.candidates.len() > LIMIT {
            self.is_full = true;
            self.candidates.retain(|(name, _)| is_meant(name, self.typed));
        }
    }

    /// Returns the candidates with the highest `score`, and true if the result is incomplete.
    pub(super) fn best(self, score: impl Fn(&'static str, &T) -> f64) -> (Vec<(&'static str, T, f64)>, bool) {
        let Self { typed, candidates, is_full, .. } = self;
        let scored = candidates.into_iter().map(|(name, of)| {
            let score = score(name, &of);
            (name, of, score)
        });
        let mut all: Vec<_> = scored.collect();
        if !is_full {
            return (all, false);
        }
        let order = |(a, _, of_a): &(&str, T, f64), (b, _, of_b): &(&str, T, f64)| {
            let begins = begins(b, typed).cmp(&begins(a, typed));
            begins.then_with(|| of_b.total_cmp(of_a)).then_with(|| a.cmp(b))
        };
        let is_cut = all.len() > LIMIT;
        if is_cut {
            all.select_nth_unstable_by(LIMIT, order);
            all.truncate(LIMIT);
        }
        all.sort_by(order);
        (all, is_cut || !typed.is_empty())
    }
}

/// Returns the likeliest items, and true if the result is incomplete. If all items fit, all are
/// returned regardless of the typed text: editors filter them, and deleting a letter needs no
/// second request.
pub(super) fn best(mut items: Vec<Completion>, typed: &str) -> (Vec<Completion>, bool) {
    let order = |a: &Completion, b: &Completion| {
        b.score.total_cmp(&a.score).then_with(|| a.label.cmp(&b.label)).then_with(|| a.kind.cmp(&b.kind))
    };
    items.sort_by(order);
    // Of duplicate items, the likelier is kept.
    let mut known = rustc_hash::FxHashSet::default();
    items.retain(|item| known.insert((item.label.clone(), item.signature.clone())));
    if items.len() <= LIMIT {
        return (items, false);
    }
    items.retain(|item| is_meant(&item.label, typed));
    // Items that start with the typed text come first.
    items.sort_by_key(|item| !begins(&item.label, typed));
    let cut = items.len() > LIMIT;
    items.truncate(LIMIT);
    // Incomplete even without truncation: the filtered items may match again after a letter is
    // deleted.
    (items, cut || !typed.is_empty())
}

fn begins(label: &str, typed: &str) -> bool {
    label.get(..typed.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(typed))
}

/// True if the label contains the typed letters in this order, ignoring case.
fn is_meant(label: &str, typed: &str) -> bool {
    let mut letters = label.chars().map(|letter| letter.to_ascii_lowercase());
    typed.chars().all(|wanted| {
        let wanted = wanted.to_ascii_lowercase();
        letters.any(|letter| letter == wanted)
    })
}

/// Text to insert, in plain and snippet form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insertion {
    /// Text for editors without snippet support.
    pub plain: String,
    /// Text in the snippet syntax of the LSP. `None` if the text has no placeholders.
    pub snippet: Option<String>,
}

impl Insertion {
    /// Creates an insertion without placeholders.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self { plain: text.into(), snippet: None }
    }

    /// Creates a snippet. `parts` alternates between text and placeholders, starting with text; a
    /// placeholder contains its default. `plain` is inserted if the editor does not support
    /// snippets.
    pub(crate) fn snippet(plain: impl Into<String>, parts: &[&str]) -> Self {
        let mut snippet = String::new();
        for (index, part) in parts.iter().enumerate() {
            match (index % 2, *part) {
                (0, text) => snippet.push_str(&escaped(text)),
                (_, "") => {
                    let _ = write!(snippet, "${}", index / 2 + 1);
                }
                (_, proposed) => {
                    let _ = write!(snippet, "${{{}:{}}}", index / 2 + 1, escaped(proposed));
                }
            }
        }
        Self { plain: plain.into(), snippet: Some(snippet) }
    }

    /// Creates `name(A, B)` with a placeholder for each argument. Without snippet support, inserts
    /// only the name, or `name()` if there are no arguments.
    pub(super) fn call(name: &str, arguments: &[String]) -> Self {
        if arguments.is_empty() {
            return Self::plain(format!("{name}()"));
        }
        let open = format!("{name}(");
        let mut parts = vec![open.as_str()];
        for (index, argument) in arguments.iter().enumerate() {
            parts.push(argument);
            parts.push(if index + 1 == arguments.len() { ")" } else { ", " });
        }
        Self::snippet(name, &parts)
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

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
