//! Which version of the protocol an envelope is judged by.

use std::fmt::Write as _;

use crate::envelope::check::Sink;
use crate::envelope::edits;
use crate::envelope::examples::packet;
use crate::envelope::profile::{Marker, Origin};
use crate::envelope::subject::Subject;
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Fix, FixKind, Group, Rule, Severity};

/// By which profile an envelope is judged, where nobody says it.
pub static PROFILE_INFERRED: Rule = Rule {
    code: "PB105",
    name: "profile-inferred",
    group: Group::Fields,
    severity: Some(Severity::Information),
    summary: "The version of the protocol was inferred.",
    rationale: "Neither the command line nor the settings nor the envelope says which profile it is written in, so the members \
                of most envelopes of the session decide, and of a single envelope its own. A slip decides nothing: surface \
                first, a category without a slash and an operation of 1.1 tell that version only together. `[transcripts] profile` pins it for all, a member `piggyback_version` for one.",
    bad: packet!("\"mangle_updates\": []", "\"memory_operations\": []", "\"tool_requests\": []"),
    good: concat!(
        "{\n  \"piggyback_version\": \"1.1\",\n  \"surface_response\": \"Looking.\",\n",
        "  \"control_packet\": {\"mangle_updates\": []}\n}\n"
    ),
    fix: FixKind::Suggestion,
};

pub(in crate::envelope) static NEWER_VERSION: Rule = Rule {
    code: "PB116",
    name: "newer-version",
    group: Group::Fields,
    severity: Some(Severity::Information),
    summary: "A version of the protocol that is newer than this tool.",
    rationale: "The envelope is judged by the newest profile that is known, and what is wrong with its members is a step less grave.",
    bad: concat!(
        "{\n  \"piggyback_version\": \"2.0\",\n",
        "  \"control_packet\": {\"mangle_updates\": [], \"memory_operations\": [], \"safety_gates\": {}},\n",
        "  \"surface_response\": \"Looking.\"\n}\n"
    ),
    good: concat!(
        "{\n  \"piggyback_version\": \"1.1\",\n  \"surface_response\": \"Looking.\",\n",
        "  \"control_packet\": {\"mangle_updates\": []}\n}\n"
    ),
    fix: FixKind::None,
};

/// How many reasons are told; more of them convince nobody.
const MARKERS: usize = 2;

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    match &subject.origin {
        Origin::Inferred(markers) if !markers.is_empty() => {
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
        Origin::Session if subject.profile != Profile::Current => {
            let message = format!(
                "judged as {}, as most envelopes of this session are; `[transcripts] profile` pins it",
                subject.profile
            );
            sink.push(Finding::new(&PROFILE_INFERRED, subject.brace(), message));
        }
        Origin::NewerVersion(version) => {
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
