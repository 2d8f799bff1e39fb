//! What may be written at a cursor, the likeliest first.
//!
//! Takes a [`Place`]; gives [`Completions`]. `context` finds out where in a statement the cursor is; each file
//! beside it proposes one kind of things, `ranking` puts them in order. What the reference would reject at
//! that place is not proposed. Documentation is asked for item by item: [`resolve`].

mod constants;
mod context;
mod declarations;
mod descriptors;
mod directives;
mod functions;
mod insertion;
mod keywords;
mod packages;
mod predicates;
mod ranking;
mod resolve;
mod rule_names;
mod statements;
#[cfg(test)]
mod tests;
mod types;
mod usage;
mod variables;

pub use directives::completions_of_paths;
pub use insertion::Insertion;
pub use resolve::{CompletionDetails, resolve};

use std::cell::Cell;

use self::context::{CompletionContext, TermSlot};
use super::Place;
use super::cursor::{self, Cursor, CursorPlace};
use mangle_check::describe;
use mangle_engine::program::{Mode, PredicateKey, builtins};
use mangle_syntax::text::TextRange;

/// How many items are sent at most. More than that nobody reads; typing on finds the rest.
pub const LIMIT: usize = 200;

/// What may be written at a cursor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Completions {
    /// The items, the likeliest first.
    pub items: Vec<Completion>,
    /// Whether there are more, so that one should ask again when more was typed.
    pub incomplete: bool,
    /// What is replaced when an item is inserted: the word up to the cursor.
    pub insert: TextRange,
    /// What is replaced when the whole word is to be replaced.
    pub replace: TextRange,
}

/// One thing that may be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// What is shown, and looked for.
    pub label: String,
    pub kind: CompletionKind,
    /// What is shown faintly right behind the label: parameters.
    pub signature: Option<String>,
    /// What is shown faintly at the right: where it was seen, or of which type it is.
    pub note: Option<String>,
    pub insertion: Insertion,
    /// Whether its author says that it is deprecated.
    pub deprecated: bool,
    /// Whom [`resolve`] can tell more about.
    pub subject: Option<CompletionSubject>,
    /// The greater, the likelier.
    score: f64,
}

/// The kinds of things that may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CompletionKind {
    /// A word of the language.
    Keyword,
    /// A predicate of the program.
    Predicate,
    Builtin,
    Function,
    Reducer,
    Variable,
    Name,
    String,
    Type,
    /// A constructor of types.
    Constructor,
    /// An atom of `descr […]`.
    Descriptor,
    Package,
    /// A rule of this tool, in a comment that silences it.
    Rule,
    /// A whole statement, or much of one.
    Snippet,
}

/// What a completion is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionSubject {
    /// A predicate, its name qualified by its package.
    Predicate(PredicateKey),
    Builtin(String),
    Function(String),
    /// A word of the language.
    Word(String),
    /// An atom of `descr […]`.
    Descriptor(String),
    Rule(String),
}

impl Completion {
    pub(in crate::ide) fn new(label: impl Into<String>, kind: CompletionKind, score: f64) -> Self {
        let label = label.into();
        let insertion = Insertion::plain(label.clone());
        let (signature, note, subject) = (None, None, None);
        Self { label, kind, signature, note, insertion, deprecated: false, subject, score }
    }

    pub(in crate::ide) fn inserting(self, insertion: Insertion) -> Self {
        Self { insertion, ..self }
    }

    fn about(self, subject: CompletionSubject) -> Self {
        Self { subject: Some(subject), ..self }
    }

    pub(in crate::ide) fn note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}

/// What is asked: what the providers of items look at.
struct Request<'a> {
    place: Place<'a>,
    cursor: &'a Cursor,
    typed: &'a str,
    /// Whether a provider left out what it has too much of.
    sifted: Cell<bool>,
    /// Which predicates may be asserted, where a single fact is written and nothing else.
    facts: Option<&'a dyn Fn(&str) -> bool>,
}

impl Request<'_> {
    /// Whether the word at the cursor has its parenthesis already.
    fn is_called(&self) -> bool {
        self.cursor.called_with.is_some()
    }

    /// Whether a clause for a predicate may be written.
    fn is_wanted(&self, name: &str) -> bool {
        self.facts.is_none_or(|is_wanted| is_wanted(name))
    }

    /// How much speaks for a predicate with so many arguments where these are there already.
    fn fit(&self, arity: u16) -> f64 {
        let called_with = self.cursor.called_with.filter(|count| *count != usize::from(arity));
        if called_with.is_some() { 0.1 } else { 1.0 }
    }

    /// Whether the engine of this program has what came on the day `since`.
    fn has(&self, since: &str) -> bool {
        self.place.program().embedding.has(since)
    }
}

/// What may be written at a place.
#[must_use]
pub fn completions(place: Place<'_>) -> Completions {
    if let Some(found) = directives::completions(place) {
        return found;
    }
    match cursor::look(place) {
        CursorPlace::Code(cursor) => in_code(place, &cursor, None),
        CursorPlace::Comment(comment) => rule_names::completions(place, comment),
        CursorPlace::String(_) => Completions::default(),
    }
}

/// What may be written at a place of a text that is one fact: predicates that `is_wanted` holds for, and constants.
#[must_use]
pub fn completions_of_fact(place: Place<'_>, is_wanted: &dyn Fn(&str) -> bool) -> Completions {
    match cursor::look(place) {
        CursorPlace::Code(cursor) => in_code(place, &cursor, Some(is_wanted)),
        CursorPlace::Comment(_) | CursorPlace::String(_) => Completions::default(),
    }
}

fn in_code(place: Place<'_>, cursor: &Cursor, facts: Option<&dyn Fn(&str) -> bool>) -> Completions {
    let typed = cursor.word.typed(place.text());
    let request = Request { place, cursor, typed, sifted: Cell::new(false), facts };
    let mut items = Vec::new();
    match (facts, context::place(cursor, place.text())) {
        (Some(_), CompletionContext::Statement) => statements::heads(&request, &mut items),
        (Some(_), CompletionContext::Term(hole)) => {
            term(&request, hole, &mut items);
            items.retain(|item| matches!(item.kind, CompletionKind::Name | CompletionKind::String));
        }
        (Some(_), _) => {}
        (None, context) => provide(&request, &context, &mut items),
    }
    let (mut items, incomplete) = ranking::best(items, typed);
    items.iter_mut().for_each(|item| item.deprecated = is_deprecated(place, item.subject.as_ref()));
    let incomplete = incomplete || request.sifted.get();
    Completions { items, incomplete, insert: cursor.word.range, replace: cursor.word.whole() }
}

/// Whether the author of a predicate says first of all that it is deprecated.
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
            statements::heads(request, items);
            declarations::statements(request, items);
        }
        CompletionContext::Package => packages::used(request, items),
        CompletionContext::Declared => declarations::atoms(request, items),
        CompletionContext::DeclarationPart => keywords::declaration_parts(request, items),
        CompletionContext::Descriptor => descriptors::atoms(request, items),
        CompletionContext::Inclusion => predicates::included(request, items),
        CompletionContext::Type { column } => types::types(request, *column, items),
        CompletionContext::TypeName => types::names(request, items),
        CompletionContext::Label => {
            types::names(request, items);
            keywords::optional(request, items);
        }
        CompletionContext::Premise => {
            predicates::premises(request, items);
            variables::starters(request, items);
        }
        CompletionContext::Operand(left) => {
            let hole = TermSlot { callee: None, index: 0, label: false, nested: false };
            variables::terms(request, hole, *left, None, items);
            // `<` and its kin compare integers alone.
            if !request.cursor.before.ordering {
                constants::compared(request, *left, items);
                constants::others(request, items);
            }
            functions::functions(request, items);
        }
        CompletionContext::Term(hole) => term(request, *hole, items),
        CompletionContext::Time => keywords::times(request, items),
        CompletionContext::Transform => keywords::transforms(request, items),
        CompletionContext::Let => keywords::next_let(request, items),
        CompletionContext::Grouping => functions::grouping(request, items),
        CompletionContext::LetVariable => variables::results(request, items),
        CompletionContext::LetValue => {
            functions::reducers(request, items);
            functions::functions(request, items);
        }
    }
}

/// An argument of a built-in: a value, a literal constant, or a variable without a value.
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
            functions::functions(request, items);
        }
    }
}

/// A term: what it may be depends on whose argument it is.
fn term(request: &Request<'_>, hole: TermSlot, items: &mut Vec<Completion>) {
    let name = hole.callee.map_or("", |callee| callee.name.as_str());
    if request.cursor.before.part == cursor::CursorPart::Declaration {
        descriptors::arguments(request, hole, items);
        return;
    }
    if hole.label {
        constants::labels(request, items);
        return;
    }
    match name {
        // Only plain variables, whatever else the grammar allows.
        "fn:group_by" => variables::terms(request, hole, None, None, items),
        _ if functions::is_reducer(name) => variables::terms(request, hole, None, None, items),
        _ if name.starts_with(':') => builtin_argument(request, hole, name, items),
        _ => {
            let seen = usage::at(request, hole);
            variables::terms(request, hole, None, seen.as_ref(), items);
            constants::terms(request, hole, seen.as_ref(), items);
            constants::others(request, items);
            functions::functions(request, items);
        }
    }
}
