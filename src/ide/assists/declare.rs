//! A `Decl` for a predicate that has none, with the parameter names that its clauses use and the types
//! that they show.

use super::{Change, Context};
use crate::ide::describe::{Callable, bounds};
use crate::ide::lines::comment_start;
use crate::ide::mention::Entity;
use crate::program::Predicate;
use crate::text::TextSize;

pub(super) fn declare(context: &Context<'_>) -> Option<Change> {
    let place = context.place;
    let Entity::Predicate(key) = place.mention()?.entity else { return None };
    let predicate = place.predicate(key)?;
    if predicate.signature.declared.is_some() || predicate.signature.temporal {
        return None;
    }
    let text = declaration(context, predicate, key.name.as_str());
    let change = Change::new(format!("Declare `{key}`"));
    Some(change.insert(before_first_clause(context, predicate)?, format!("{text}\n")))
}

/// `Decl p(A, B) bound [/name, /string].`
fn declaration(context: &Context<'_>, predicate: &Predicate, name: &str) -> String {
    let callable = Callable::predicate(context.place.analysis, predicate);
    let mut names: Vec<String> = Vec::new();
    for (index, parameter) in callable.parameters.iter().enumerate() {
        let own = parameter.name.clone().filter(|name| name != "_" && !names.contains(name));
        names.push(own.unwrap_or_else(|| format!("Arg{}", index + 1)));
    }
    let types = bounds(context.place.analysis, predicate);
    format!("Decl {name}({}) bound [{}].", names.join(", "), types.join(", "))
}

/// Before the first clause of the predicate in this file, below the comment that describes it; else before the
/// statement at the place and its comment.
fn before_first_clause(context: &Context<'_>, predicate: &Predicate) -> Option<TextSize> {
    let place = context.place;
    let own = place.program().clauses(predicate).find(|site| site.file.id == place.file.id);
    match own {
        Some(site) => Some(site.item.start),
        None => Some(comment_start(place.text(), place.item()?.start)),
    }
}
