//! Rules for memory operations (`PB3xx`): known operations, their effect on the store, and
//! contradictions.
//!
//! The inputs are the operations of a [`Subject`], the output is findings. Rules that need several
//! turns are in `transcript`.

mod conflict;
mod keys;
mod operations;
mod secret;

use mangle_syntax::lint::Rule;

use super::sink::{Family, Sink};
use super::subject::Subject;

pub(super) use keys::is_styled;
pub use keys::may_be_predicate;
pub use operations::{MemoryOperation, OPERATIONS};

pub(super) const FAMILY: Family = Family {
    rules: &[
        &keys::EPHEMERAL_PROMOTED,
        &operations::BAD_OP,
        &operations::FOREIGN_OP,
        &operations::NO_KEY,
        &operations::NO_VALUE,
        &operations::USELESS_VALUE,
        &keys::KEY_STYLE,
        &keys::BROAD_FORGET,
        &keys::NOOP_FORGET,
        &conflict::OP_CONFLICT,
        &secret::SECRET_STORED,
    ],
    reply: None,
    envelope: Some(check),
};

/// True if a rule is about the facts that `forget` retracts.
pub(crate) fn is_about_forgotten_facts(rule: &Rule) -> bool {
    [&keys::BROAD_FORGET, &keys::NOOP_FORGET].contains(&rule)
}

fn check(subject: &Subject<'_>, sink: &mut Sink) {
    for operation in subject.control.objects("memory_operations").filter(super::view::View::exists) {
        operations::check(subject, &operation, sink);
        keys::check(subject, &operation, sink);
        secret::check(&operation, sink);
    }
    conflict::check(subject, sink);
}
