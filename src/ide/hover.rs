//! What is shown of the word under the pointer.

use super::Place;
use super::describe::Callable;
use super::markup::Markup;
use super::mention::Entity;
use crate::text::TextRange;

/// What is shown, and of which bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// The word.
    pub range: TextRange,
    /// What is said of it.
    pub markup: Markup,
}

/// What there is to say of what stands at a place.
#[must_use]
pub fn hover(place: Place<'_>) -> Option<Hover> {
    let mention = place.mention()?;
    let markup = match mention.entity {
        Entity::Predicate(key) => {
            let callable = Callable::predicate(place.analysis, place.predicate(key)?);
            let markup = Markup::default().code(callable.label().0);
            callable.documentation.into_iter().fold(markup, Markup::foreign)
        }
        _ => return None,
    };
    Some(Hover { range: mention.range, markup })
}
