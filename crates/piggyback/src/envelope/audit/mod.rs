//! Rules for the audit objects of version 1.2 (`PB150`–`PB161`): metadata, state transitions,
//! impact, gates and learning.
//!
//! The input is a [`Subject`], the output is findings. The runtime ignores these objects, so no
//! finding affects the acceptance of an envelope.

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
    // Members that the profile does not have are not checked.
    let is_known = |name: &&str| {
        let field = subject.control.table.field(name);
        field.is_some_and(|field| field.is_in(subject.profile)) && subject.control.contains_key(name)
    };
    if AUDIT.iter().any(is_known) {
        shape::check(subject, sink);
        transitions::check(subject, sink);
        impact::check(subject, sink);
        gates::check(subject, sink);
    }
}
