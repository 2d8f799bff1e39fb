//! Completion: the items that are valid at a cursor, ordered by likelihood.
//!
//! The input is a [`Place`]; the output is [`Completions`]. `context` classifies the cursor
//! position, the other files add kinds of items, and `items` orders them. Items that the reference
//! implementation would reject are omitted.
//!
//! Documentation is loaded per item with [`resolve`].

mod constants;
mod context;
mod declarations;
mod directives;
mod items;
mod keywords;
mod predicates;
#[cfg(test)]
mod tests;
mod variables;

use std::cell::Cell;

use super::Place;
use super::cursor::{self, Cursor, CursorPlace};
use context::{CompletionContext, TermSlot};
use mangle_check::describe;
use mangle_engine::program::{Mode, PredicateKey, builtins};
use mangle_syntax::text::TextRange;

pub use directives::completions_of_paths;
pub use items::{CompletionDetails, Insertion, resolve};

/// Maximum number of items in a response. Typing more letters finds the remaining items.
pub const LIMIT: usize = 200;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Completions {
    /// Items ordered by descending likelihood.
    pub items: Vec<Completion>,
    /// True if more items exist, so the client must request again after further typing.
    pub incomplete: bool,
    /// Range to replace in insert mode: the word up to the cursor.
    pub insert: TextRange,
    /// Range to replace in replace mode: the whole word.
    pub replace: TextRange,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// Text that is shown and filtered.
    pub label: String,
    pub kind: CompletionKind,
    /// Parameters, shown dimmed directly after the label.
    pub signature: Option<String>,
    /// Origin or type, shown dimmed at the right.
    pub note: Option<String>,
    pub insertion: Insertion,
    /// True if the documentation marks the item as deprecated.
    pub deprecated: bool,
    /// Subject for [`resolve`].
    pub subject: Option<CompletionSubject>,
    /// Likelihood; larger is likelier.
    score: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CompletionKind {
    Keyword,
    Predicate,
    Builtin,
    Function,
    Reducer,
    Variable,
    Name,
    String,
    Type,
    /// A type constructor.
    Constructor,
    Descriptor,
    Package,
    /// A lint rule, in an ignore comment.
    Rule,
    /// A whole statement, or a large part of one.
    Snippet,
}

/// Subject of a completion, for its documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionSubject {
    /// A predicate, with its package-qualified name.
    Predicate(PredicateKey),
    Builtin(String),
    Function(String),
    /// A keyword.
    Word(String),
    /// An atom of `descr […]`.
    Descriptor(String),
    Rule(String),
}

impl Completion {
    pub(crate) fn new(label: impl Into<String>, kind: CompletionKind, score: f64) -> Self {
        let label = label.into();
        let insertion = Insertion::plain(label.clone());
        let (signature, note, subject) = (None, None, None);
        Self { label, kind, signature, note, insertion, deprecated: false, subject, score }
    }

    pub(crate) fn inserting(self, insertion: Insertion) -> Self {
        Self { insertion, ..self }
    }

    fn about(self, subject: CompletionSubject) -> Self {
        Self { subject: Some(subject), ..self }
    }

    pub(crate) fn note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}

/// Input of all completion providers.
struct Request<'a> {
    place: Place<'a>,
    cursor: &'a Cursor,
    typed: &'a str,
    /// True if a provider dropped items because of their number.
    is_truncated: Cell<bool>,
    /// Filter of predicate names that may be asserted. Set only if the text is a single fact.
    fact_filter: Option<&'a dyn Fn(&str) -> bool>,
}

impl Request<'_> {
    /// True if the word at the cursor is already followed by a parenthesis.
    fn is_called(&self) -> bool {
        self.cursor.called_with.is_some()
    }

    /// True if a clause for a predicate is allowed.
    fn is_wanted(&self, name: &str) -> bool {
        self.fact_filter.is_none_or(|is_wanted| is_wanted(name))
    }

    /// Score factor: lower if the existing number of arguments differs from `arity`.
    fn fit(&self, arity: u16) -> f64 {
        let called_with = self.cursor.called_with.filter(|count| *count != usize::from(arity));
        if called_with.is_some() { 0.1 } else { 1.0 }
    }

    /// True if the engine of this program has the features introduced on the date `since`.
    fn has(&self, since: &str) -> bool {
        self.place.program().embedding.has(since)
    }
}

#[must_use]
pub fn completions(place: Place<'_>) -> Completions {
    if let Some(found) = directives::completions(place) {
        return found;
    }
    match cursor::analyze(place) {
        CursorPlace::Code(cursor) => in_code(place, &cursor, None),
        CursorPlace::Comment(comment) => directives::rule_names(place, comment),
        CursorPlace::String(_) => Completions::default(),
    }
}

/// Returns the completions in a text that is a single fact: constants, and predicates accepted by
/// `is_wanted`.
#[must_use]
pub fn completions_of_fact(place: Place<'_>, is_wanted: &dyn Fn(&str) -> bool) -> Completions {
    match cursor::analyze(place) {
        CursorPlace::Code(cursor) => in_code(place, &cursor, Some(is_wanted)),
        CursorPlace::Comment(_) | CursorPlace::String(_) => Completions::default(),
    }
}

fn in_code(place: Place<'_>, cursor: &Cursor, facts: Option<&dyn Fn(&str) -> bool>) -> Completions {
    let typed = cursor.word.typed(place.text());
    let request = Request { place, cursor, typed, is_truncated: Cell::new(false), fact_filter: facts };
    let mut items = Vec::new();
    match (facts, context::classify(cursor, place.text())) {
        (Some(_), CompletionContext::Statement) => predicates::heads(&request, &mut items),
        (Some(_), CompletionContext::Term(hole)) => {
            term(&request, hole, &mut items);
            items.retain(|item| matches!(item.kind, CompletionKind::Name | CompletionKind::String));
        }
        (Some(_), _) => {}
        (None, context) => provide(&request, &context, &mut items),
    }
    let (mut items, incomplete) = items::best(items, typed);
    items.iter_mut().for_each(|item| item.deprecated = is_deprecated(place, item.subject.as_ref()));
    let incomplete = incomplete || request.is_truncated.get();
    Completions { items, incomplete, insert: cursor.word.range, replace: cursor.word.whole() }
}

/// True if the documentation of a predicate starts with "deprecated".
fn is_deprecated(place: Place<'_>, subject: Option<&CompletionSubject>) -> bool {
    let Some(CompletionSubject::Predicate(key)) = subject else { return false };
    let predicate = place.program().predicate(*key);
    let said = predicate.and_then(|predicate| describe::documentation(place.program(), predicate));
    said.is_some_and(|said| said.get(..10).is_some_and(|word| word.eq_ignore_ascii_case("deprecated")))
}

fn provide(request: &Request<'_>, context: &CompletionContext, items: &mut Vec<Completion>) {
    match context {
        CompletionContext::Nowhere => {}
        CompletionContext::Statement => {
            keywords::statement(request, items);
            predicates::heads(request, items);
            declarations::statements(request, items);
        }
        CompletionContext::Package => keywords::packages(request, items),
        CompletionContext::Declared => declarations::atoms(request, items),
        CompletionContext::DeclarationPart => keywords::declaration_parts(request, items),
        CompletionContext::Descriptor => declarations::descriptors(request, items),
        CompletionContext::Inclusion => predicates::included(request, items),
        CompletionContext::Type { column } => declarations::types(request, *column, items),
        CompletionContext::TypeName => declarations::type_names(request, items),
        CompletionContext::Label => {
            declarations::type_names(request, items);
            keywords::optional(request, items);
        }
        CompletionContext::Premise => {
            predicates::premises(request, items);
            variables::starters(request, items);
        }
        CompletionContext::Operand(left) => {
            let hole = TermSlot { callee: None, index: 0, label: false, nested: false };
            variables::terms(request, hole, *left, None, items);
            // `<`, `<=`, `>` and `>=` only compare integers.
            if !request.cursor.before.ordering {
                constants::compared(request, *left, items);
                constants::others(request, items);
            }
            keywords::functions(request, items);
        }
        CompletionContext::Term(hole) => term(request, *hole, items),
        CompletionContext::Time => keywords::times(request, items),
        CompletionContext::Transform => keywords::transforms(request, items),
        CompletionContext::Let => keywords::next_let(request, items),
        CompletionContext::Grouping => keywords::grouping(request, items),
        CompletionContext::LetVariable => variables::results(request, items),
        CompletionContext::LetValue => {
            keywords::reducers(request, items);
            keywords::functions(request, items);
        }
    }
}

/// Adds values for an argument of a built-in: a value, a literal constant, or an unbound variable.
fn builtin_argument(request: &Request<'_>, hole: TermSlot, name: &str, items: &mut Vec<Completion>) {
    let parameter = builtins::predicate(name).and_then(|builtin| builtin.parameters.get(hole.index));
    match parameter {
        Some(parameter) if parameter.constant => {
            constants::labels(request, items);
            constants::others(request, items);
        }
        Some(parameter)
            if parameter.mode_in(&request.place.program().embedding) == Mode::Output
                && !request.cursor.before.negated =>
        {
            variables::fresh(request, items);
        }
        _ => {
            variables::terms(request, hole, None, None, items);
            constants::others(request, items);
            keywords::functions(request, items);
        }
    }
}

/// Adds terms. The allowed terms depend on the callee.
fn term(request: &Request<'_>, hole: TermSlot, items: &mut Vec<Completion>) {
    let name = hole.callee.map_or("", |callee| callee.name.as_str());
    if request.cursor.before.part == cursor::CursorPart::Declaration {
        declarations::descriptor_arguments(request, hole, items);
        return;
    }
    if hole.label {
        constants::labels(request, items);
        return;
    }
    match name {
        // `fn:group_by` only accepts variables, although the grammar is more general.
        "fn:group_by" => variables::terms(request, hole, None, None, items),
        _ if keywords::is_reducer(name) => variables::terms(request, hole, None, None, items),
        _ if name.starts_with(':') => builtin_argument(request, hole, name, items),
        _ => {
            let seen = constants::usage_at(request, hole);
            variables::terms(request, hole, None, seen.as_ref(), items);
            constants::terms(request, hole, seen.as_ref(), items);
            constants::others(request, items);
            keywords::functions(request, items);
        }
    }
}
