//! Rule for credentials that a memory operation would store.

use super::operations::MemoryOperation;
use crate::envelope::secrets::secrets_of;
use crate::envelope::sink::Sink;
use crate::envelope::view::View;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{TextRange, size};

pub(super) static SECRET_STORED: Rule = rule!("secret-stored.md");

pub(super) fn check(operation: &View<'_>, sink: &mut Sink) {
    let Some(op) = operation.text("op") else { return };
    let stores = MemoryOperation::find(&op).is_none_or(|operation| operation.stores);
    let Some(entry) = operation.get("value").filter(|_| stores && !sink.is_full(&SECRET_STORED)) else {
        return;
    };
    let Some(value) = operation.json.string(entry.value) else { return };
    let name = operation.text("key").unwrap_or_default();
    let found = secrets_of(&name, &value);
    let (Some(first), Some((_, map))) = (found.first(), operation.json.string_with_map(entry.value)) else {
        return;
    };
    let place = map.to_source(TextRange::new(size(first.range.start), size(first.range.end)));
    let kind = first.kind;
    let finding = Finding::new(&SECRET_STORED, place, format!("stored value looks like {kind}"));
    let note = "the runtime keeps the value and reads it back into later prompts";
    sink.push(finding.note(note).help("keep the credential in a secret store"));
}
