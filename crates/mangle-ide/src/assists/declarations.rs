//! Assists on declarations and `Use` statements: generate, describe, convert, sort and clean up.

use rustc_hash::FxHashSet;

use super::{Change, Context};
use crate::mention::{self, Entity};
use mangle_check::declaration_text::{before, edits, is_undeclared, undeclared};
use mangle_check::lines::comment_start;
use mangle_engine::program::{FileSummary, Predicate, PredicateKey};
use mangle_syntax::lint::Anchor;
use mangle_syntax::syntax::ast::{Item, StatementKind, TermKind};
use mangle_syntax::syntax::rules::LEGACY_TYPED_ARG;
use mangle_syntax::text::{Symbol, TextRange, TextSize, size, slice};

/// Declares the predicate at the cursor. Parameter names come from the clauses, bounds from the
/// inferred types.
pub(super) fn declare(context: &Context<'_>) -> Option<Change> {
    let (written, predicate) = undeclared_here(context)?;
    let place = context.place;
    let elsewhere = place.item().map(|item| before(place.file, item));
    let edits = edits(place.analysis, &[predicate], elsewhere);
    (!edits.is_empty()).then(|| Change::new(format!("Declare `{written}`")).in_files(edits))
}

/// Declares all undeclared predicates of the program. Offered only if the predicate at the cursor
/// is undeclared.
pub(super) fn declare_all(context: &Context<'_>) -> Option<Change> {
    undeclared_here(context)?;
    let place = context.place;
    let all: Vec<_> = undeclared(place.program()).collect();
    let edits = edits(place.analysis, &all, None);
    let title = format!("Declare all {} predicates that have no `Decl`", all.len());
    (all.len() > 1).then(|| Change::new(title).in_files(edits))
}

/// Returns the undeclared predicate at the cursor, with its name as written there.
fn undeclared_here<'a>(context: &Context<'a>) -> Option<(PredicateKey, &'a Predicate)> {
    let Entity::Predicate(key) = context.place.mention()?.entity else { return None };
    let predicate = context.place.predicate(key).filter(|predicate| is_undeclared(predicate))?;
    Some((key, predicate))
}

/// Adds an `arg` descriptor for each undescribed parameter of a `Decl`.
pub(super) fn describe_parameters(context: &Context<'_>) -> Option<Change> {
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

/// Rewrites `p(A.Type<string>)`, which no engine parses, to `p(A) bound [/string]`, in all such
/// declarations of a file.
pub(super) fn convert_typed_arguments(context: &Context<'_>) -> Option<Change> {
    let items = context.place.file.items.iter();
    let is_here = |item: &&mangle_syntax::syntax::ast::Item| {
        item.statement.findings.iter().any(|finding| finding.rule == &LEGACY_TYPED_ARG)
    };
    let damaged: Vec<_> = items.filter(is_here).collect();
    let at_place = context.place.item()?.statement.id;
    if !damaged.iter().any(|item| item.statement.id == at_place) {
        return None;
    }
    let mut change = Change::new("Convert all `.Type<…>` of this file to `bound`");
    for item in damaged {
        let fixes = item.statement.findings.iter().filter(|finding| finding.rule == &LEGACY_TYPED_ARG);
        for edit in fixes.filter_map(|finding| finding.fix.as_ref()).flat_map(|fix| &fix.edits) {
            if edit.span.anchor == Anchor::Own {
                change = change.replace(edit.span.range + item.start, edit.text.clone());
            }
        }
    }
    (!change.edits.is_empty()).then_some(change)
}

/// Sorts adjacent declarations by name. Each declaration keeps the comment above it. A blank line
/// followed by a separate comment, such as a banner, ends a group.
pub(super) fn sort_declarations(context: &Context<'_>) -> Option<Change> {
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

/// Sorts the `Use` statements of a file, removes duplicate and unused statements, and adds missing
/// ones.
pub(super) fn organise(context: &Context<'_>) -> Option<Change> {
    let file = context.place.file;
    let uses: Vec<_> =
        file.items.iter().filter(|item| matches!(item.statement.kind, StatementKind::Use(_))).collect();
    if file.items.iter().any(|item| item.statement.damaged) {
        // An unparsable statement may use any package.
        return None;
    }
    let text = tidy(context, &uses);
    let (first, last) = (uses.first(), uses.last());
    let change = Change::new("Organise the `Use` statements");
    match (first, last) {
        (Some(first), Some(last)) => {
            let range = TextRange::new(first.start, last.start + last.statement.len);
            let old = slice(&file.text, range);
            // Replacing the statements would delete a comment between them.
            let is_plain = !old.contains('#') && old.replace("\r\n", "\n") != text;
            is_plain.then(|| match text.is_empty() {
                true => change.replace(with_line_end(file, range), ""),
                false => change.replace(range, text),
            })
        }
        _ if text.is_empty() => None,
        _ => {
            let package =
                file.items.first().filter(|item| matches!(item.statement.kind, StatementKind::Package(_)));
            Some(match package {
                Some(package) => change.insert(package.start + package.statement.len, format!("\n{text}")),
                None => change.insert(file.items.first()?.start, format!("{text}\n\n")),
            })
        }
    }
}

/// Formats the organized statements, one per line. Statements with attributes keep their text.
fn tidy(context: &Context<'_>, uses: &[&Item]) -> String {
    let file = context.place.file;
    let needed = needed(context);
    let mut lines: Vec<(&str, String)> = Vec::new();
    for item in uses {
        let StatementKind::Use(package) = &item.statement.kind else { continue };
        let is_new = !lines.iter().any(|(name, _)| *name == package.name.as_str());
        if is_new && needed.contains(&package.name.symbol) {
            lines.push((package.name.as_str(), file.statement_text(item).to_owned()));
        }
    }
    let missing = needed.iter().filter(|name| !lines.iter().any(|(known, _)| *known == name.as_str()));
    let missing: Vec<_> = missing.map(|name| (name.as_str(), format!("Use {name}!"))).collect();
    lines.extend(missing);
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

/// Returns the packages whose predicates the file mentions by qualified name.
fn needed(context: &Context<'_>) -> FxHashSet<Symbol> {
    let (file, program) = (context.place.file, context.place.program());
    let mut needed = FxHashSet::default();
    for item in file.items.iter() {
        mention::each(item, &mut |mention| {
            if let Entity::Predicate(key) = mention.entity
                && !key.package().is_empty()
            {
                let package = Symbol::new(key.package());
                if file.package != Some(package) && program.has_package(package) {
                    needed.insert(package);
                }
            }
        });
    }
    needed
}

/// Extends a range to the end of its line if the rest of the line is blank.
fn with_line_end(file: &FileSummary, range: TextRange) -> TextRange {
    let rest = file.text.get(usize::from(range.end())..).unwrap_or("");
    let line = rest.split_inclusive('\n').next().unwrap_or("");
    if line.trim().is_empty() {
        TextRange::new(range.start(), range.end() + mangle_syntax::text::text_len(line))
    } else {
        range
    }
}
