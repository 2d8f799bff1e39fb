//! Rules for the kinds of memory operations and their required members.

use crate::envelope::edits::quoted;
use crate::envelope::shorten::shortened;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::view::View;
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::text::nearest;

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

/// The note about an operation that the runtime does not support.
const IGNORED: &str = "the runtime silently ignores the operation";

fn operator(
    subject: &Subject<'_>,
    operation: &View<'_>,
    sink: &mut Sink,
) -> Option<&'static MemoryOperation> {
    let Some(op) = operation.text("op").filter(|op| !op.is_empty()) else {
        let is_missing = !operation.has("op") || operation.text("op").is_some();
        if is_missing && operation.misspelled_key("op").is_none() && subject.is_whole() {
            let range = operation.value_range("op").unwrap_or_else(|| operation.brace());
            sink.push(Finding::new(&BAD_OP, range, "memory operation has no `op`").note(IGNORED));
        }
        return None;
    };
    let range = operation.value_range("op")?;
    let Some(known) = MemoryOperation::find(&op) else {
        let near = near(&op);
        let message = format!("unknown memory operation `{}`", shortened(&op));
        let mut finding = Finding::new(&BAD_OP, range, message).note(IGNORED);
        finding.fix = near.map(|near| Fix::guess(format!("write `{near}`")).replace(range, quoted(near)));
        sink.push(finding);
        return None;
    };
    if !known.is_in(subject.profile) {
        let home = if known.is_old { "1.1" } else { "1.2 and later" };
        let effect = if known.is_new { "the runtime executes it all the same" } else { IGNORED };
        let message = format!("`{op}` belongs to {home}, this envelope is {}", subject.profile);
        sink.push(Finding::new(&FOREIGN_OP, range, message).note(effect));
    }
    Some(known)
}

/// Returns the probably intended operation: similar, in another case, or with the same first word.
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
    let is_missing = !operation.has("key") && operation.misspelled_key("key").is_none() && subject.is_whole();
    if is_empty || is_missing {
        let range = operation.value_range("key").unwrap_or_else(|| operation.brace());
        let finding = Finding::new(&NO_KEY, range, "memory operation has no key");
        sink.push(finding.note("without a key no value can be found again and no fact is retracted"));
    }
}

fn value(subject: &Subject<'_>, known: &MemoryOperation, operation: &View<'_>, sink: &mut Sink) {
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
