//! A `Decl` for a predicate that has none, with the parameter names that its clauses use and the types
//! that they show.

use super::{Change, Context};
use crate::ide::describe::Callable;
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
    let ty =
        |parameter: &crate::ide::describe::Parameter| parameter.ty.clone().unwrap_or_else(|| "/any".into());
    let types: Vec<_> = callable.parameters.iter().map(ty).map(widened).collect();
    format!("Decl {name}({}) bound [{}].", names.join(", "), types.join(", "))
}

/// The type that an author would write: names that happen to occur are not all that may.
fn widened(ty: String) -> String {
    let is_base = |word: &str| crate::ide::vocabulary::TYPES.iter().any(|known| known.word == word);
    let is_name = |word: &str| word.starts_with('/') && !is_base(word);
    let names = ty.strip_prefix(".Union<").and_then(|members| members.strip_suffix('>'));
    let all_names =
        names.is_some_and(|members| members.split(", ").all(|member| is_name(member) || member == "…"));
    if is_name(&ty) || all_names || ty.starts_with(".Singleton<") { "/name".into() } else { ty }
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
