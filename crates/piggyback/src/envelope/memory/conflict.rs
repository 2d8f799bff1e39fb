//! Rule for duplicate and contradictory operations in one packet.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::envelope::edits;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::TextRange;

pub(super) static OP_CONFLICT: Rule = rule!("op-conflict.md");

/// The first operation on a key.
struct First<'t> {
    index: usize,
    op: Cow<'t, str>,
    value: Option<Cow<'t, str>>,
    range: TextRange,
}

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let mut seen: FxHashMap<Cow<'_, str>, First<'_>> = FxHashMap::default();
    for (index, operation) in subject.control.objects("memory_operations").enumerate() {
        let (Some(op), Some(key)) = (operation.text("op"), operation.text("key")) else { continue };
        if key.is_empty() || sink.is_full(&OP_CONFLICT) {
            continue;
        }
        let value = operation.text("value");
        let Some(first) = seen.get(&key) else {
            seen.insert(key, First { index, op, value, range: operation.brace() });
            continue;
        };
        let (message, note) = if first.op == op {
            (format!("second `{op}` on the same key"), "the runtime runs both in order")
        } else if is_contrary(&first.op, &op) {
            let message = format!("`{op}` contradicts `{}` on the same key", first.op);
            (message, "the runtime runs both in order, so only the last one has an effect")
        } else {
            continue;
        };
        let mut finding = Finding::new(&OP_CONFLICT, operation.brace(), message)
            .related(Span::here(first.range), format!("operation {} on this key", first.index))
            .note(note);
        if first.op == op && first.value == value && subject.json.problems.is_empty() {
            let item = edits::with_comma(subject.json, operation.range());
            finding.fix = Some(Fix::safe("delete the repeated operation").replace(item, ""));
        }
        sink.push(finding);
    }
}

fn is_contrary(one: &str, other: &str) -> bool {
    let takes_away = |op: &str| matches!(op, "forget" | "archive");
    takes_away(one) != takes_away(other)
}
