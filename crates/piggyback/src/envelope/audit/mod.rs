//! The audit objects of 1.2 (`PB150`–`PB161`): what running cost, which state changed, what is reached, what had to be
//! allowed, what can be learned.
//!
//! Takes a [`Subject`]; gives findings. The runtime does not read these objects, so nothing here loses an envelope.

mod atom;
mod gates;
mod impact;
mod incomplete;
mod shape;
mod transitions;

pub use transitions::TRANSITION_UNBACKED;

use super::sink::{Family, Sink};
use super::subject::Subject;
use super::table::AUDIT;

/// The rules about audit objects.
pub(super) const FAMILY: Family = Family {
    rules: &[
        &shape::AUDIT_SHAPE,
        &transitions::TRANSITION_TIME,
        &transitions::TRANSITION_PAIR,
        &transitions::TRANSITION_UNBACKED,
        &transitions::TRANSITION_MISSING,
        &impact::SCOPE_MISMATCH,
        &gates::GATE_MISMATCH,
        &gates::LEARNING_MISMATCH,
        &impact::IMPACT_INCOMPLETE,
        &gates::GATES_ABSENT,
        &incomplete::AUDIT_ABSENT,
        &incomplete::AUDIT_INCOMPLETE,
    ],
    reply: None,
    envelope: Some(check),
};

fn check(subject: &Subject<'_>, sink: &mut Sink) {
    gates::absent(subject, sink);
    incomplete::check(subject, sink);
    // What a profile does not know is not judged.
    let is_known = |name: &&str| {
        let field = subject.control.table.field(name);
        field.is_some_and(|field| field.is_in(subject.profile)) && subject.control.mentions(name)
    };
    if AUDIT.iter().any(is_known) {
        shape::check(subject, sink);
        transitions::check(subject, sink);
        impact::check(subject, sink);
        gates::check(subject, sink);
    }
}
