//! Assist that organizes the `Use` statements of a file: sorts them, removes duplicate and unused
//! statements, and adds missing ones.

use rustc_hash::FxHashSet;

use super::{Change, Context};
use crate::mention::{self, Entity};
use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::ast::{Item, StatementKind};
use mangle_syntax::text::{Symbol, TextRange, slice};

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
