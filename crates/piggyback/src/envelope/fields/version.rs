//! Which version of the protocol an envelope is judged by.

use std::fmt::Write as _;

use crate::envelope::edits;
use crate::envelope::profile::{Marker, ProfileOrigin};
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};

/// By which profile an envelope is judged, where nobody says it.
pub static PROFILE_INFERRED: Rule = rule!("profile-inferred.md");

pub(in crate::envelope) static NEWER_VERSION: Rule = rule!("newer-version.md");

/// How many reasons are told; more of them convince nobody.
const MARKERS: usize = 2;

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    match &subject.origin {
        ProfileOrigin::Inferred(markers) if !markers.is_empty() => {
            let message = inferred(subject.profile, markers);
            let mut finding = Finding::new(&PROFILE_INFERRED, subject.brace(), message);
            let version = edits::quoted(subject.profile.as_str());
            let edit = edits::insert_member(&subject.envelope, "piggyback_version", &version, true);
            let is_said = subject.envelope.mentions("piggyback_version");
            finding.fix = edit.filter(|_| !subject.is_schema() && !is_said).map(|(range, text)| {
                Fix::guess(format!("Say that it is {}", subject.profile)).replace(range, text)
            });
            sink.push(finding);
        }
        ProfileOrigin::Session if subject.profile != Profile::Current => {
            let message = format!(
                "judged as {}, as most envelopes of this session are; `[transcripts] profile` pins it",
                subject.profile
            );
            sink.push(Finding::new(&PROFILE_INFERRED, subject.brace(), message));
        }
        ProfileOrigin::NewerVersion(version) => {
            let version: String = version.chars().take(20).collect();
            let message = format!(
                "version {version} is newer than this tool; the envelope is judged mildly, as 1.3-draft"
            );
            let range = subject.envelope.value_range("piggyback_version").unwrap_or(subject.brace());
            sink.push(Finding::new(&NEWER_VERSION, range, message));
        }
        _ => {}
    }
}

/// By which profile an envelope is judged, and why.
pub(in crate::envelope) fn inferred(profile: Profile, markers: &[Marker]) -> String {
    let mut message = format!("judged as {profile}, because ");
    for (at, marker) in markers.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(message, "{}{marker}", if at > 0 { " and " } else { "" });
        if at + 1 == MARKERS && markers.len() > MARKERS {
            message.push_str(" and so on");
            break;
        }
    }
    message.push_str("; `[transcripts] profile` pins it");
    message
}
