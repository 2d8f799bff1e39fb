//! Assist that sorts adjacent declarations by name. Each declaration keeps the comment above it. A
//! blank line followed by a separate comment, such as a banner, ends a group.

use super::{Change, Context};
use mangle_check::lines::comment_start;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{TextRange, slice};

pub(super) fn sort(context: &Context<'_>) -> Option<Change> {
    let place = context.place;
    let at = place.file.item_at(place.offset)?;
    let group = group(context, at)?;
    let pieces: Vec<_> = group.iter().map(|item| with_comment(context, item)).collect();
    let mut sorted: Vec<_> = group.iter().zip(&pieces).collect();
    sorted.sort_by_key(|(item, _)| key(item));
    if sorted.iter().zip(&pieces).all(|((_, sorted), own)| *sorted == own) {
        return None;
    }
    let mut change = Change::new(format!("Sort {} declarations by name", group.len()));
    for ((_, new), old) in sorted.iter().zip(&pieces).filter(|((_, new), old)| *new != *old) {
        change = change.replace(*old, slice(place.text(), **new).replace("\r\n", "\n"));
    }
    Some(change)
}

/// Returns the range of a declaration and the comment above it.
fn with_comment(context: &Context<'_>, item: &Item) -> TextRange {
    TextRange::new(comment_start(context.place.text(), item.start), item.start + item.statement.len)
}

fn key(item: &Item) -> Option<(&'static str, u16)> {
    let atom = &item.statement.declaration()?.atom;
    Some((atom.name.as_str(), atom.arity()))
}

/// Returns the declarations around index `at` that are separated only by white space.
fn group<'a>(context: &Context<'a>, at: usize) -> Option<&'a [Item]> {
    let items: &[Item] = &context.place.file.items;
    let is_whole = |item: &Item| item.statement.declaration().is_some() && !item.statement.damaged;
    let joined = |first: &Item, second: &Item| {
        let end = first.start + first.statement.len;
        let start = with_comment(context, second).start();
        let between = TextRange::new(end, start.max(end));
        is_whole(first) && is_whole(second) && slice(context.place.text(), between).trim().is_empty()
    };
    let mut from = 0;
    for run in items.chunk_by(joined) {
        if (from..from + run.len()).contains(&at) {
            return (run.len() > 1).then_some(run);
        }
        from += run.len();
    }
    None
}
