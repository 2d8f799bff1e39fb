//! Rules for the members of envelopes and control packets (`PB1xx`): missing, unknown, of the wrong
//! kind, and values of the intent.
//!
//! The input is a [`Subject`], the output is findings. The requirements come from the table of
//! members. The audit objects of 1.2 are in `audit`.

mod draft;
mod exposure;
mod intent;
mod kinds;
mod missing;
mod order;
mod trace;
mod unknown;
mod verbs;
mod version;

use super::sink::{Family, Sink};
use super::subject::Subject;
use super::survey::Survey;
pub(super) use exposure::leaked_key;
pub(super) use intent::leaves_workspace;
pub use missing::CONTROL_MISSING;
pub(super) use missing::missing_fields;
pub(super) use trace::{TRACE_MISMATCH, TRACE_SHORT, files};
pub use verbs::{CATEGORIES, Taxonomy, VERBS};
pub use version::PROFILE_INFERRED;
pub(super) use version::{NEWER_VERSION, inferred};

pub(super) const FAMILY: Family = Family {
    rules: &[
        &kinds::DUPLICATE_MEMBER,
        &kinds::NULL_MEMBER,
        &kinds::WRONG_KIND,
        &missing::SURFACE_MISSING,
        &missing::CONTROL_MISSING,
        &missing::UPDATES_MISSING,
        &unknown::ABBREVIATED_KEYS,
        &version::PROFILE_INFERRED,
        &order::KEY_ORDER,
        &missing::BLANK_SURFACE,
        &unknown::UNKNOWN_FIELD,
        &unknown::FOREIGN_FIELD,
        &unknown::CASE_VARIANT,
        &unknown::NEAR_MISS,
        &unknown::EXTRA_FORBIDDEN,
        &version::NEWER_VERSION,
        &missing::NO_UPDATE,
        &draft::DRAFT_SHAPE,
        &missing::INTENT_MISSING,
        &intent::INTENT_MEMBER,
        &intent::EMPTY_FILLER,
        &missing::MEMORY_MISSING,
        &missing::SCHEMA_MEMBER,
        &intent::BARE_CATEGORY,
        &intent::BAD_CATEGORY,
        &intent::UNKNOWN_VERB,
        &intent::BARE_VERB,
        &trace::TRACE_MISSING,
        &trace::TRACE_SHORT,
        &trace::TRACE_MISMATCH,
        &intent::VERB_CATEGORY,
        &intent::UNIT_RANGE,
        &intent::ZERO_CONFIDENCE,
        &intent::TARGET_ESCAPE,
        &exposure::SURFACE_SECRET,
        &exposure::SURFACE_LEAK,
        &exposure::PACKET_SECRET,
    ],
    reply: Some(check_reply),
    envelope: Some(check),
};

fn check_reply(survey: &Survey<'_>, sink: &mut Sink) {
    missing::check_reply(survey, sink);
    exposure::check_reply(survey, sink);
}

fn check(subject: &Subject<'_>, sink: &mut Sink) {
    kinds::check(subject, sink);
    unknown::check(subject, sink);
    version::check(subject, sink);
    order::check(subject, sink);
    missing::check(subject, sink);
    intent::check(subject, sink);
    trace::check(subject, sink);
    draft::check(subject, sink);
    exposure::check(subject, sink);
}
