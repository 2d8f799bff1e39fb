//! Assist that adds an `arg` descriptor for each undescribed parameter of a `Decl`.

use super::{Change, Context};
use mangle_syntax::syntax::ast::TermKind;
use mangle_syntax::text::{TextRange, TextSize, size, slice};

pub(super) fn describe(context: &Context<'_>) -> Option<Change> {
    let item = context.item()?;
    let declaration = item.statement.declaration()?;
    let described: Vec<_> = declaration
        .descriptors
        .iter()
        .filter(|atom| atom.name.as_str() == "arg")
        .filter_map(|atom| atom.args.first()?.variable())
        .collect();
    let parameters = declaration.atom.args.iter().filter_map(|arg| match arg.kind {
        TermKind::Variable(name) => Some(name),
        _ => None,
    });
    let missing: Vec<_> = parameters.filter(|name| !described.contains(name)).collect();
    if missing.is_empty() {
        return None;
    }
    let atoms: Vec<_> = missing.iter().map(|name| format!("arg({name}, \"\")")).collect();
    let title = match missing.as_slice() {
        [one] => format!("Describe the parameter `{one}`"),
        _ => format!("Describe {} parameters", missing.len()),
    };
    let change = Change::new(title);
    let atoms = atoms.join(", ");
    if let Some(last) = declaration.descriptors.last() {
        return Some(change.insert(item.start + last.range.end(), format!(", {atoms}")));
    }
    let head = declaration.temporal.map_or(declaration.atom.range.end(), TextRange::end);
    // An empty `descr []` has no item to insert after.
    let rest =
        slice(context.place.text(), TextRange::new(item.start + head, item.start + item.statement.len));
    match empty_list(rest) {
        Some(inside) => Some(change.insert(item.start + head + inside, atoms)),
        None => Some(change.insert(item.start + head, format!(" descr [{atoms}]"))),
    }
}

/// Returns the offset of the inside of an empty `descr [ ]` at the start of `rest`.
fn empty_list(rest: &str) -> Option<TextSize> {
    let list = rest.trim_start().strip_prefix("descr")?.trim_start().strip_prefix('[')?;
    Some(size(rest.len() - list.len()))
}
