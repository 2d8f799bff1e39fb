//! The operations that there are, and what each needs.

use crate::envelope::edits::quoted;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::view::View;
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::text::nearest;

/// A kind of operation on the agent's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryOperation {
    /// The word for the operation in a packet.
    pub name: &'static str,
    /// Whether 1.1 has it.
    pub is_old: bool,
    /// Whether later versions have it.
    pub is_new: bool,
    /// Whether it stores a value.
    pub stores: bool,
    /// What it does to the store, as a sentence about the runtime.
    pub effect: &'static str,
}

/// The operations that some version knows.
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
    /// The operation of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| operation.name == name)
    }

    /// Whether a profile has it.
    #[must_use]
    pub fn is_in(&self, profile: Profile) -> bool {
        if profile < Profile::V1_2 { self.is_old } else { self.is_new }
    }
}

pub(super) static BAD_OP: Rule = rule!("bad-op.md");

pub(super) static FOREIGN_OP: Rule = rule!("foreign-op.md");

pub(super) static NO_KEY: Rule = rule!("no-key.md");

pub(super) static NO_VALUE: Rule = rule!("no-value.md");

pub(super) static USELESS_VALUE: Rule = rule!("useless-value.md");

pub(super) fn check(subject: &Subject<'_>, operation: &View<'_>, sink: &mut Sink) {
    let known = operator(subject, operation, sink);
    key(subject, operation, sink);
    if let Some(known) = known {
        value(subject, known, operation, sink);
    }
}

fn operator(
    subject: &Subject<'_>,
    operation: &View<'_>,
    sink: &mut Sink,
) -> Option<&'static MemoryOperation> {
    let Some(op) = operation.text("op").filter(|op| !op.is_empty()) else {
        let is_missing = !operation.has("op") || operation.text("op").is_some();
        if is_missing && operation.meant_for("op").is_none() && subject.is_whole() {
            let range = operation.value_range("op").unwrap_or_else(|| operation.brace());
            let message = "a memory operation without `op`: the runtime ignores it";
            sink.push(Finding::new(&BAD_OP, range, message));
        }
        return None;
    };
    let range = operation.value_range("op")?;
    let Some(known) = MemoryOperation::find(&op) else {
        let near = near(&op);
        let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let short: String = op.chars().take(40).collect();
        let message = format!("there is no memory operation `{short}`: the runtime ignores it{meant}");
        let mut finding = Finding::new(&BAD_OP, range, message);
        finding.fix = near.map(|near| Fix::guess(format!("Write `{near}`")).replace(range, quoted(near)));
        sink.push(finding);
        return None;
    };
    if !known.is_in(subject.profile) {
        let home = if known.is_old { "1.1" } else { "1.2 and later" };
        let effect = if known.is_new { "" } else { "; the runtime ignores it" };
        let message = format!("`{op}` belongs to {home}, this envelope is {}{effect}", subject.profile);
        sink.push(Finding::new(&FOREIGN_OP, range, message));
    }
    Some(known)
}

/// The operation that was probably meant: one in other letters, or the first word of one.
fn near(op: &str) -> Option<&'static str> {
    let names = OPERATIONS.iter().map(|operation| operation.name);
    let same = op.to_lowercase().replace('-', "_");
    let begins = |name: &&str| same.len() > 3 && name.split('_').next() == same.split('_').next();
    nearest(op, names.clone())
        .or_else(|| names.clone().find(|name| *name == same))
        .or_else(|| names.clone().find(begins))
}

fn key(subject: &Subject<'_>, operation: &View<'_>, sink: &mut Sink) {
    let is_empty = operation.text("key").is_some_and(|key| key.trim().is_empty());
    let is_missing = !operation.has("key") && operation.meant_for("key").is_none() && subject.is_whole();
    if is_empty || is_missing {
        let range = operation.value_range("key").unwrap_or_else(|| operation.brace());
        let message = "this memory operation has no key: nothing is found under it, and nothing forgotten";
        sink.push(Finding::new(&NO_KEY, range, message));
    }
}

fn value(subject: &Subject<'_>, known: &MemoryOperation, operation: &View<'_>, sink: &mut Sink) {
    let value = operation.text("value");
    let range = operation.value_range("value");
    let may_lack =
        matches!(subject.profile, Profile::V1_1 | Profile::V1_1Bnf) && !operation.mentions("value");
    let is_empty =
        value.as_ref().map_or(!operation.has("value"), |value| value.trim().is_empty()) && !may_lack;
    if known.stores && is_empty && operation.meant_for("value").is_none() && subject.is_whole() {
        let message = format!("`{}` without a value stores nothing", known.name);
        sink.push(Finding::new(&NO_VALUE, range.unwrap_or_else(|| operation.brace()), message));
    } else if let (false, Some(range), Some(value)) = (known.stores, range, value)
        && !value.is_empty()
    {
        let more = if known.name == "forget" {
            ": it retracts every fact of the predicate, not this one"
        } else {
            ""
        };
        let message = format!("`{}` ignores the value{more}", known.name);
        let fix = Fix::safe("Empty the value").replace(range, "\"\"");
        sink.push(Finding::new(&USELESS_VALUE, range, message).fix(fix));
    }
}
