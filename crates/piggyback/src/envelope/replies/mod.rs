//! Rules about the search for an envelope in a reply (`PB0xx`).
//!
//! Inputs are a [`Survey`] or a [`Subject`], outputs are findings. The rules cover surrounding
//! text, decoys, JSON syntax errors and truncation. Rules about files of replies are in
//! `transcript`.

mod around;
mod caps;
mod decoys;
mod hidden;
mod leak;
mod live;
mod placeholder;
mod shape;
mod stage;
mod syntax;
mod truncation;
mod unicode;

pub use leak::{CONTROL_LEAK, control_shown};
pub use syntax::JSON_SYNTAX;
pub use unicode::BAD_UNICODE;

use super::sink::{Family, Sink};
use super::subject::Subject;
use super::survey::Survey;

pub(super) const FAMILY: Family = Family {
    rules: &[
        &stage::NO_JSON,
        &around::LEADING_TEXT,
        &around::TRAILING_TEXT,
        &around::FENCED,
        &stage::EXTRACTED,
        &stage::FALLBACK,
        &decoys::MULTIPLE_ENVELOPES,
        &syntax::JSON_SYNTAX,
        &unicode::BAD_UNICODE,
        &shape::NOT_OBJECT,
        &shape::ARRAY_WRAPPED,
        &shape::NESTED_ENVELOPE,
        &decoys::DECOY_ACCEPTED,
        &decoys::DECOY_REJECTED,
        &decoys::ECHOED_ENVELOPE,
        &hidden::STRAY_QUOTE,
        &hidden::STRAY_BRACE,
        &truncation::TRUNCATED,
        &hidden::DEPTH,
        &hidden::TOO_LARGE,
        &hidden::CANDIDATE_FLOOD,
        &caps::SURFACE_CAP,
        &caps::UPDATES_CAP,
        &caps::ATOMS_DROPPED,
        &caps::TRACE_CAP,
        &caps::MEMORY_CAP,
        &caps::TOOLS_CAP,
        &caps::KNOWLEDGE_CAP,
        &truncation::PREMATURE_ARTICULATION,
        &placeholder::PLACEHOLDER_SURFACE,
        &live::LIVE_DIFFERS,
        &leak::CONTROL_LEAK,
    ],
    reply: Some(check_reply),
    envelope: Some(check_envelope),
};

fn check_reply(survey: &Survey<'_>, sink: &mut Sink) {
    stage::check(survey, sink);
    if !survey.context.is_documentation {
        around::check(survey, sink);
    }
    shape::check(survey, sink);
    decoys::check(survey, sink);
    hidden::check(survey, sink);
    truncation::check(survey, sink);
    syntax::check(survey, sink);
    leak::check(survey, sink);
    placeholder::check(survey, sink);
    live::check(survey, sink);
}

fn check_envelope(subject: &Subject<'_>, sink: &mut Sink) {
    unicode::check(subject, sink);
    if !subject.is_truncated {
        caps::check(subject, sink);
    }
}
