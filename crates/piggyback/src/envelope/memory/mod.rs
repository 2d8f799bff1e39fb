//! Rules for memory operations (`PB3xx`): known operations, their required members, their effect on
//! the store, and contradictions.
//!
//! The inputs are the operations of a [`Subject`], the output is findings. Rules that need several
//! turns are in `transcript`.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::edits::{self, quoted};
use super::pointer::shortened;
use super::secrets::secrets_of;
use super::survey::Subject;
use super::view::View;
use super::{Family, Sink, atoms};
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::{TextRange, nearest, size};

pub(super) const FAMILY: Family = Family {
    rules: &[
        &EPHEMERAL_PROMOTED,
        &BAD_OP,
        &FOREIGN_OP,
        &NO_KEY,
        &NO_VALUE,
        &USELESS_VALUE,
        &KEY_STYLE,
        &BROAD_FORGET,
        &NOOP_FORGET,
        &OP_CONFLICT,
        &SECRET_STORED,
    ],
    reply: None,
    envelope: Some(check),
};

static BAD_OP: Rule = rule!("bad-op.md");

static FOREIGN_OP: Rule = rule!("foreign-op.md");

static NO_KEY: Rule = rule!("no-key.md");

static NO_VALUE: Rule = rule!("no-value.md");

static USELESS_VALUE: Rule = rule!("useless-value.md");

static KEY_STYLE: Rule = rule!("key-style.md");

static BROAD_FORGET: Rule = rule!("broad-forget.md");

static NOOP_FORGET: Rule = rule!("noop-forget.md");

static EPHEMERAL_PROMOTED: Rule = rule!("ephemeral-promoted.md");

static OP_CONFLICT: Rule = rule!("op-conflict.md");

static SECRET_STORED: Rule = rule!("secret-stored.md");

/// True if a rule is about the facts that `forget` retracts.
pub(crate) fn is_about_forgotten_facts(rule: &Rule) -> bool {
    [&BROAD_FORGET, &NOOP_FORGET].contains(&rule)
}

fn check(subject: &Subject<'_>, sink: &mut Sink) {
    for operation in subject.control.objects("memory_operations").filter(super::view::View::exists) {
        check_operation(subject, &operation, sink);
        check_key_style(subject, &operation, sink);
        check_secret(&operation, sink);
    }
    check_conflicts(subject, sink);
}

/// A kind of operation on the agent's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryOperation {
    /// The name of the operation in a packet.
    pub name: &'static str,
    /// True if version 1.1 has the operation.
    pub is_old: bool,
    /// True if later versions have the operation.
    pub is_new: bool,
    /// True if the operation stores a value.
    pub stores: bool,
    /// A sentence about the effect of the operation in the runtime.
    pub effect: &'static str,
}

/// The operations of all versions.
pub static OPERATIONS: [MemoryOperation; 6] = [
    MemoryOperation {
        name: "promote_to_long_term",
        is_old: true,
        is_new: true,
        stores: true,
        effect: "stores the fact key(value) for good, as a preference of priority 10",
    },
    MemoryOperation {
        name: "forget",
        is_old: true,
        is_new: true,
        stores: false,
        effect: "retracts every fact of the predicate that its key names",
    },
    MemoryOperation {
        name: "archive",
        is_old: true,
        is_new: false,
        stores: false,
        effect: "is to move facts to cold storage; the runtime ignores it",
    },
    MemoryOperation {
        name: "rehydrate",
        is_old: true,
        is_new: false,
        stores: false,
        effect: "is to fetch facts from cold storage; the runtime ignores it",
    },
    MemoryOperation {
        name: "store_vector",
        is_old: false,
        is_new: true,
        stores: true,
        effect: "embeds the value in the vector store",
    },
    MemoryOperation {
        name: "note",
        is_old: false,
        is_new: true,
        stores: true,
        effect: "notes something for the session; the runtime's compressor ignores it",
    },
];

impl MemoryOperation {
    /// Returns the operation with a name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| operation.name == name)
    }

    /// True if a profile has the operation.
    #[must_use]
    pub fn is_in(&self, profile: Profile) -> bool {
        if profile < Profile::V1_2 { self.is_old } else { self.is_new }
    }
}

fn check_operation(subject: &Subject<'_>, operation: &View<'_>, sink: &mut Sink) {
    let known = check_operator(subject, operation, sink);
    check_key(subject, operation, sink);
    if let Some(known) = known {
        check_value(subject, known, operation, sink);
    }
}

/// The note about an operation that the runtime does not support.
const IGNORED_NOTE: &str = "the runtime silently ignores the operation";

fn check_operator(
    subject: &Subject<'_>,
    operation: &View<'_>,
    sink: &mut Sink,
) -> Option<&'static MemoryOperation> {
    let Some(op) = operation.text("op").filter(|op| !op.is_empty()) else {
        let is_missing = !operation.has("op") || operation.text("op").is_some();
        if is_missing && operation.misspelled_key("op").is_none() && subject.is_whole() {
            let range = operation.value_range("op").unwrap_or_else(|| operation.brace());
            sink.push(Finding::new(&BAD_OP, range, "memory operation has no `op`").note(IGNORED_NOTE));
        }
        return None;
    };
    let range = operation.value_range("op")?;
    let Some(known) = MemoryOperation::find(&op) else {
        let near = similar_operation(&op);
        let message = format!("unknown memory operation `{}`", shortened(&op));
        let mut finding = Finding::new(&BAD_OP, range, message).note(IGNORED_NOTE);
        finding.fix = near.map(|near| Fix::guess(format!("write `{near}`")).replace(range, quoted(near)));
        sink.push(finding);
        return None;
    };
    if !known.is_in(subject.profile) {
        let home = if known.is_old { "1.1" } else { "1.2 and later" };
        let effect = if known.is_new { "the runtime executes it all the same" } else { IGNORED_NOTE };
        let message = format!("`{op}` belongs to {home}, this envelope is {}", subject.profile);
        sink.push(Finding::new(&FOREIGN_OP, range, message).note(effect));
    }
    Some(known)
}

/// Returns the probably intended operation: similar, in another case, or with the same first word.
fn similar_operation(op: &str) -> Option<&'static str> {
    let names = OPERATIONS.iter().map(|operation| operation.name);
    let same = op.to_lowercase().replace('-', "_");
    let begins = |name: &&str| same.len() > 3 && name.split('_').next() == same.split('_').next();
    nearest(op, names.clone())
        .or_else(|| names.clone().find(|name| *name == same))
        .or_else(|| names.clone().find(begins))
}

fn check_key(subject: &Subject<'_>, operation: &View<'_>, sink: &mut Sink) {
    let is_empty = operation.text("key").is_some_and(|key| key.trim().is_empty());
    let is_missing = !operation.has("key") && operation.misspelled_key("key").is_none() && subject.is_whole();
    if is_empty || is_missing {
        let range = operation.value_range("key").unwrap_or_else(|| operation.brace());
        let finding = Finding::new(&NO_KEY, range, "memory operation has no key");
        sink.push(finding.note("without a key no value can be found again and no fact is retracted"));
    }
}

fn check_value(subject: &Subject<'_>, known: &MemoryOperation, operation: &View<'_>, sink: &mut Sink) {
    let value = operation.text("value");
    let range = operation.value_range("value");
    let may_lack =
        matches!(subject.profile, Profile::V1_1 | Profile::V1_1Bnf) && !operation.contains_key("value");
    let is_empty =
        value.as_ref().map_or(!operation.has("value"), |value| value.trim().is_empty()) && !may_lack;
    if known.stores && is_empty && operation.misspelled_key("value").is_none() && subject.is_whole() {
        let message = format!("value of `{}` is empty", known.name);
        let finding = Finding::new(&NO_VALUE, range.unwrap_or_else(|| operation.brace()), message);
        sink.push(finding.note("the operation stores nothing"));
    } else if let (false, Some(range), Some(value)) = (known.stores, range, value)
        && !value.is_empty()
    {
        let note = if known.name == "forget" {
            "it retracts every fact of the predicate, not one value"
        } else {
            "it uses the key only"
        };
        let message = format!("`{}` ignores its value", known.name);
        let fix = Fix::safe("empty the value").replace(range, "\"\"");
        sink.push(Finding::new(&USELESS_VALUE, range, message).note(note).fix(fix));
    }
}

fn check_key_style(subject: &Subject<'_>, operation: &View<'_>, sink: &mut Sink) {
    let (Some(op), Some(key), Some(range)) =
        (operation.text("op"), operation.text("key"), operation.value_range("key"))
    else {
        return;
    };
    if key.trim().is_empty() {
        return;
    }
    if op == "forget" {
        check_forget(subject, &key, range, sink);
    } else if !is_styled(&key) {
        let message = format!("key `{}` is not of the form `namespace:item`", shortened(&key));
        let finding = Finding::new(&KEY_STYLE, range, message)
            .note("only the key of a `forget` is the name of a predicate")
            .help("add a namespace, as in `user:style`");
        sink.push(finding);
    }
    if op == "promote_to_long_term" && atoms::is_ephemeral(&key) {
        let message = format!("promoted `{}` does not survive a restart", shortened(&key));
        let finding = Finding::new(&EPHEMERAL_PROMOTED, range, message);
        sink.push(finding.note("the runtime deletes the facts of this predicate at every start"));
    }
}

fn check_forget(subject: &Subject<'_>, key: &str, range: TextRange, sink: &mut Sink) {
    if !may_be_predicate(key) {
        let message = format!("`forget` has no effect: `{}` is not a predicate", shortened(key));
        let finding = Finding::new(&NOOP_FORGET, range, message)
            .note("`forget` retracts the facts of a predicate, and no predicate can have this name")
            .note("a key such as `namespace:item` is for stored values");
        sink.push(finding);
        return;
    }
    let settings = &subject.context.settings.atoms;
    if atoms::is_delicate(key, settings) {
        let message = format!("`forget` retracts every fact of `{}`", shortened(key));
        let finding = Finding::new(&BROAD_FORGET, range, message);
        sink.push(finding.note("the safety of the agent depends on this predicate"));
        return;
    }
    let used = subject.context.declarations.and_then(|all| all.named(key).find(|declared| declared.is_used));
    if let Some(used) = used {
        let message = format!("`forget` retracts every fact of `{}`", shortened(key));
        let mut finding =
            Finding::new(&BROAD_FORGET, range, message).note("rules of the policy read this predicate");
        if let Some((file, statement, place)) = used.place {
            finding = finding.related(Span::new(file, statement, place), "predicate in the policy");
        }
        sink.push(finding);
    }
}

/// True if a key may be the name of a predicate, which `forget` requires.
#[must_use]
pub fn may_be_predicate(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && key.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.'))
}

/// True if a key has a namespace and only common characters.
pub(in crate::envelope) fn is_styled(key: &str) -> bool {
    let is_usual = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | ':' | '/' | '-');
    let mut parts = key.split(':');
    let is_filled = parts.clone().all(|part| !part.is_empty());
    key.chars().all(is_usual) && is_filled && parts.by_ref().count() >= 2
}

/// The first operation on a key.
struct FirstOperation<'t> {
    index: usize,
    op: Cow<'t, str>,
    value: Option<Cow<'t, str>>,
    range: TextRange,
}

fn check_conflicts(subject: &Subject<'_>, sink: &mut Sink) {
    let mut seen: FxHashMap<Cow<'_, str>, FirstOperation<'_>> = FxHashMap::default();
    for (index, operation) in subject.control.objects("memory_operations").enumerate() {
        let (Some(op), Some(key)) = (operation.text("op"), operation.text("key")) else { continue };
        if key.is_empty() || sink.is_full(&OP_CONFLICT) {
            continue;
        }
        let value = operation.text("value");
        let Some(first) = seen.get(&key) else {
            seen.insert(key, FirstOperation { index, op, value, range: operation.brace() });
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

fn check_secret(operation: &View<'_>, sink: &mut Sink) {
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
