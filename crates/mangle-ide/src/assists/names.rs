//! Unused names for new predicates and variables.

use rustc_hash::FxHashSet;

use super::Context;
use crate::mention::{self, Entity};
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::Symbol;

/// Returns `stem`, or `stem2`, `stem3`, … if the program already has a predicate with that name.
pub(super) fn predicate(context: &Context<'_>, stem: &str) -> String {
    let plain: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let (program, package) = (context.place.program(), context.place.file.package);
    let taken = |name: &str| {
        let qualified = package.map(|package| Symbol::new(&format!("{package}.{name}")));
        [Some(Symbol::new(name)), qualified]
            .into_iter()
            .flatten()
            .any(|name| program.named(name).next().is_some())
    };
    let numbered = (2..).map(|number: u32| format!("{plain}{number}"));
    std::iter::once(plain.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}

/// Returns the distinct variables of a statement, in order of first occurrence.
pub(super) fn variables(item: &Item) -> Vec<Symbol> {
    let (mut names, mut seen) = (Vec::new(), FxHashSet::default());
    mention::each(item, &mut |mention| {
        if let Entity::Variable(name) = mention.entity
            && seen.insert(name)
        {
            names.push(name);
        }
    });
    names
}

/// Returns `stem`, or `stem2`, `stem3`, … if `taken` contains it. Adds the result to `taken`.
pub(super) fn variable(stem: Symbol, taken: &mut FxHashSet<Symbol>) -> Symbol {
    let numbered = (2..).map(|number: u32| Symbol::new(&format!("{stem}{number}")));
    let free = std::iter::once(stem).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(stem);
    taken.insert(free);
    free
}
