//! Credentials that would be persisted.

use super::operations::Operation;
use crate::envelope::check::Sink;
use crate::envelope::examples::packet;
use crate::envelope::secrets::secrets_of;
use crate::envelope::view::View;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity};
use mangle_syntax::text::{TextRange, size};

pub(super) static SECRET_STORED: Rule = Rule {
    code: "PB311",
    name: "secret-stored",
    group: Group::Memory,
    severity: Some(Severity::Warning),
    summary: "Something that looks like a credential is to be remembered.",
    rationale: "Long-term memory and vector stores are read back into later prompts, by anybody's agent that shares them. A \
                credential belongs into a secret store. What was found is not repeated here.",
    bad: packet!(
        "\"mangle_updates\": []",
        "\"memory_operations\": [{\"op\": \"note\", \"key\": \"deploy:login\", \"value\": \"password: 7hXq-9vTz-2Lm4\"}]"
    ),
    good: packet!(
        "\"mangle_updates\": []",
        "\"memory_operations\": [{\"op\": \"note\", \"key\": \"deploy:login\", \"value\": \"in the team's vault\"}]"
    ),
    fix: FixKind::None,
};

pub(super) fn check(operation: &View<'_>, sink: &mut Sink) {
    let Some(op) = operation.text("op") else { return };
    let stores = Operation::find(&op).is_none_or(|operation| operation.stores);
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
    let message = format!("this looks like {kind}; it would be persisted and read back into later prompts");
    sink.push(Finding::new(&SECRET_STORED, place, message));
}
