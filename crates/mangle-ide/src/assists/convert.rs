//! Assist that rewrites `p(A.Type<string>)`, which no engine parses, to `p(A) bound [/string]`. All
//! such declarations of a file are rewritten.

use super::{Change, Context};
use mangle_syntax::lint::Anchor;
use mangle_syntax::syntax::rules::LEGACY_TYPED_ARG;

pub(super) fn convert(context: &Context<'_>) -> Option<Change> {
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
