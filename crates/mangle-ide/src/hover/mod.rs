//! Hover of the word under the pointer.
//!
//! - `predicate`: signature and uses of a predicate
//! - `variable`: type and origin of a variable
//! - `name`: uses of a name
//! - `figures`: evaluation results
//! - `prompts`: prompt lines
//!
//! Built-ins, keywords, types and operators show their documentation.

mod directive;
mod evaluation_results;
mod name;
mod predicate;
pub mod prompts;
#[cfg(test)]
mod tests;
mod variable;

pub use evaluation_results::evaluation_results;

use super::Place;
use super::directives::DirectiveFile;
use super::markup::Markup;
use super::mention::Entity;
use super::vocabulary::{self, Word};
use mangle_check::describe::Callable;
use mangle_engine::program::builtins;
use mangle_syntax::syntax::TokenKind;
use mangle_syntax::text::{TextRange, TextSize, slice};

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
        None => of_code(place).or_else(|| directive::hover(place)),
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
        Entity::Variable(symbol) => variable::markup(place, symbol, mention.part)?,
        Entity::Name(symbol) => name::markup(place, symbol),
        Entity::Type(symbol) => {
            vocabulary::find_word(symbol.as_str()).map_or_else(|| name::prefix(place, symbol), word)
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
