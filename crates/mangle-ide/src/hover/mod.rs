//! Hover of the word under the pointer.
//!
//! - [`hover`]: type and origin of a variable, and documentation of built-ins, keywords, types,
//!   operators and keys of comment directives
//! - `predicate`: signature and uses of a predicate, uses of a name, and evaluation results
//! - [`prompts`]: prompt lines

mod predicate;
pub mod prompts;
#[cfg(test)]
mod tests;

use super::Place;
use super::directives::DirectiveFile;
use super::markup::Markup;
use super::mention::{Entity, StatementPart};
use super::vocabulary::{self, Word};
use agent_prompt::PreviewSetting;
use mangle_check::describe::Callable;
use mangle_check::policy_test::comment_at;
use mangle_engine::program::binding::{Binder, BindingSource, Bindings};
use mangle_engine::program::builtins;
use mangle_engine::program::rewrite::{ClauseSignatures, Rewriting};
use mangle_engine::types::{ClauseTypes, Type};
use mangle_report::sink::code_span;
use mangle_syntax::syntax::TokenKind;
use mangle_syntax::syntax::ast::{Clause, Declaration, Item};
use mangle_syntax::text::{Symbol, TextRange, TextSize, slice};

pub use predicate::evaluation_results;

/// Hover text with its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    pub range: TextRange,
    pub markup: Markup,
}

#[must_use]
pub fn hover(place: Place<'_>) -> Option<Hover> {
    match DirectiveFile::new(place) {
        Some(inside) => of_code(inside.place(place)),
        None => of_code(place).or_else(|| directive(place)),
    }
}

fn of_code(place: Place<'_>) -> Option<Hover> {
    of_mention(place).or_else(|| of_token(place))
}

fn of_mention(place: Place<'_>) -> Option<Hover> {
    let mention = place.mention()?;
    let text = slice(place.text(), mention.range);
    let markup = match mention.entity {
        Entity::Predicate(key) => predicate::markup(place, place.predicate(key)?),
        Entity::Builtin(key) => builtin(builtins::predicate(key.name.as_str())?),
        Entity::Function(symbol) => function(builtins::function(symbol.as_str())?),
        Entity::Variable(symbol) => variable(place, symbol, mention.part)?,
        Entity::Name(symbol) => predicate::name(place, symbol),
        Entity::Type(symbol) => {
            vocabulary::find_word(symbol.as_str()).map_or_else(|| predicate::name_prefix(place, symbol), word)
        }
        Entity::Constructor(symbol) => word(vocabulary::find_word(&symbol.as_str().replacen("fn:", ".", 1))?),
        Entity::Descriptor(key) => word(vocabulary::descriptor(key.name.as_str())?),
        Entity::Package(symbol) => predicate::package(place, symbol),
        Entity::Wildcard => word(vocabulary::find_word(text)?),
    };
    Some(Hover { range: mention.range, markup })
}

/// Returns the hover of keywords and operators.
fn of_token(place: Place<'_>) -> Option<Hover> {
    let around = TextRange::new(place.offset, place.offset + TextSize::new(1));
    let token = place.source.tokens(around).into_iter().find(|token| token.range.contains(place.offset))?;
    let is_word = !matches!(
        token.kind,
        TokenKind::Comment | TokenKind::String | TokenKind::Open | TokenKind::Close | TokenKind::Dot
    );
    let known = vocabulary::find_word(token.text(place.text())).filter(|_| is_word)?;
    Some(Hover { range: token.range, markup: word(known) })
}

fn word(word: &Word) -> Markup {
    Markup::default().code(word.usage).text(word.description)
}

fn builtin(builtin: &builtins::BuiltinPredicate) -> Markup {
    of_engine(&Callable::builtin(builtin), builtin.since)
}

fn function(function: &builtins::BuiltinFunction) -> Markup {
    of_engine(&Callable::function(function), function.since)
}

/// Returns the documentation of a built-in of the engine.
fn of_engine(callable: &Callable, since: &str) -> Markup {
    let markup = Markup::default().code(callable.label().0);
    let markup = callable.documentation.iter().fold(markup, |markup, says| markup.text(says.as_str()));
    markup.text(format!("Built in since {since}."))
}

/// Returns the hover of a key of a comment directive: `@expect` and others in policy tests,
/// `@preview` settings in samples.
fn directive(place: Place<'_>) -> Option<Hover> {
    let (key, range) = key_at(place)?;
    let known = vocabulary::directive(place.program().embedding.is_test(place.file.id), key)?;
    Some(Hover { range, markup: Markup::default().excerpt(known.usage).text(known.description) })
}

/// Returns the key at a place with its range.
fn key_at<'a>(place: Place<'a>) -> Option<(&'a str, TextRange)> {
    let embedding = &place.program().embedding;
    let key = if embedding.is_test(place.file.id) {
        let comment = comment_at(place.file, place.offset)?;
        (comment.key, comment.key_range)
    } else if embedding.is_kernel(place.file.id) {
        let setting = PreviewSetting::at(place.text(), place.offset)?;
        (setting.key, setting.key_range)
    } else {
        return None;
    };
    Some(key).filter(|(_, range)| range.contains_inclusive(place.offset))
}

/// Returns the whole hover. `part` is the part of the statement at the cursor.
fn variable(place: Place<'_>, name: Symbol, part: StatementPart) -> Option<Markup> {
    let item = place.item()?;
    let statement = &item.statement;
    if let Some(declaration) = statement.declaration() {
        return parameter(place, declaration, name, part);
    }
    let clause = statement.clause()?;
    if statement.damaged {
        return Some(Markup::default().code(name.as_str()));
    }
    let ty = type_of(place, clause, name);
    let code = if ty == Type::Any { name.as_str().to_owned() } else { format!("{name}: {ty}") };
    Some(Markup::default().code(code).text(source(place, item, clause, name)))
}

/// Returns the hover of a `Decl` parameter.
fn parameter(
    place: Place<'_>,
    declaration: &Declaration,
    name: Symbol,
    part: StatementPart,
) -> Option<Markup> {
    let at = declaration.atom.args.iter().position(|arg| arg.variable() == Some(name));
    let Some(at) = at else {
        let is_type = part == StatementPart::Bound;
        return is_type.then(|| Markup::default().code(name.as_str()).text("A type variable: any type."));
    };
    let predicate = place.program().predicate_of(place.file, &declaration.atom)?;
    let callable = Callable::predicate(place.analysis, predicate);
    let parameter = callable.parameters.get(at)?;
    let markup = Markup::default().code(parameter.to_string());
    Some(parameter.documentation.iter().fold(markup, |markup, said| markup.untrusted(said.as_str())))
}

/// Returns the inferred type of a variable.
fn type_of(place: Place<'_>, clause: &Clause, name: Symbol) -> Type {
    let (program, types) = (place.program(), place.analysis.types());
    let inferred = ClauseTypes::infer(clause, |atom| types.relation(program, place.file, atom));
    match inferred.states.as_slice() {
        [] => Type::Any,
        states => Type::union(states.iter().map(|state| state.get(name))),
    }
}

/// Describes the place that binds a variable.
fn source(place: Place<'_>, item: &Item, clause: &Clause, name: Symbol) -> String {
    let lookup = |atom: &_| Some(&place.program().predicate_of(place.file, atom)?.signature);
    let signatures = ClauseSignatures::new(clause, lookup);
    let capabilities = place.program().embedding.capabilities();
    let rewriting = Rewriting::new(clause, &signatures, capabilities);
    let bindings = Bindings::new(clause, &signatures, &rewriting);
    let text = place.file.statement_text(item);
    let letting = clause.transforms.iter().flat_map(|transform| &transform.statements);
    let mut letting =
        letting.filter(|statement| statement.variable.as_ref().and_then(|v| v.variable()) == Some(name));
    if let Some(statement) = letting.next() {
        return format!("Bound by {}.", code_span(&excerpt(text, statement.range)));
    }
    match bindings.get(name).and_then(|variable| variable.value) {
        Some(binder) => bound_by(clause, text, binder),
        None if clause.is_fact() => "A fact cannot have variables.".to_owned(),
        None => "It is unbound.".to_owned(),
    }
}

fn bound_by(clause: &Clause, text: &str, Binder { place, how }: Binder) -> String {
    use mangle_engine::program::binding::BindingPlace;
    let premise = match place {
        BindingPlace::Head => return "The caller binds it.".to_owned(),
        BindingPlace::Premise(index) => clause.premises.get(index as usize),
    };
    let excerpt = premise.map_or("", |premise| slice(text, premise.range()));
    let excerpt = code_span(&shortened(excerpt));
    match how {
        BindingSource::HeadInput => "The caller binds it.".to_owned(),
        BindingSource::Argument | BindingSource::Output | BindingSource::Interval => {
            format!("Bound by {excerpt}.")
        }
        BindingSource::InsideExpression => {
            format!("Inside an expression in {excerpt}, which does not bind it.")
        }
        BindingSource::Equality | BindingSource::Alias => format!("Bound by {excerpt}."),
    }
}

fn excerpt(text: &str, range: TextRange) -> String {
    shortened(slice(text, range))
}

/// Shortens a text to one line.
fn shortened(text: &str) -> String {
    const MAX_LEN: usize = 60;
    let words: Vec<_> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MAX_LEN) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or("")),
        None => line,
    }
}
