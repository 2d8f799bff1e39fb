//! Rules for the protocol version of an envelope.

use crate::envelope::edits;
use crate::envelope::profile::{Marker, ProfileOrigin};
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};

/// Reports the inferred profile of an envelope, if no profile is given.
pub static PROFILE_INFERRED: Rule = rule!("profile-inferred.md");

pub(in crate::envelope) static NEWER_VERSION: Rule = rule!("newer-version.md");

/// The help text for fixing the version of all envelopes.
const PIN: &str = "set `[transcripts] profile`";

/// The maximum number of reasons in a message.
const MARKERS: usize = 2;

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let expects_version = subject.context.settings.conventions_of().is_some();
    match &subject.origin {
        ProfileOrigin::Inferred(markers) if expects_version && !markers.is_empty() => {
            let message = inferred(subject.profile, markers);
            let mut finding = Finding::new(&PROFILE_INFERRED, subject.brace(), message).help(PIN);
            let version = edits::quoted(subject.profile.as_str());
            let edit = edits::insert_member(&subject.envelope, "piggyback_version", &version, true);
            let is_said = subject.envelope.contains_key("piggyback_version");
            finding.fix = edit.filter(|_| !subject.is_schema() && !is_said).map(|(range, text)| {
                Fix::guess(format!("insert `piggyback_version` with `{}`", subject.profile))
                    .replace(range, text)
            });
            sink.push(finding);
        }
        ProfileOrigin::Session if expects_version && subject.profile != Profile::Current => {
            let message = format!("checked as `{}`, like most of the session", subject.profile);
            sink.push(Finding::new(&PROFILE_INFERRED, subject.brace(), message).help(PIN));
        }
        ProfileOrigin::NewerVersion(version) => {
            let version: String = version.chars().take(20).collect();
            let message = format!("protocol version {version} is newer than this version of mangle-ls");
            let range = subject.envelope.value_range("piggyback_version").unwrap_or(subject.brace());
            let note = "the envelope is checked as `1.3-draft`, with milder severities";
            sink.push(Finding::new(&NEWER_VERSION, range, message).note(note));
        }
        _ => {}
    }
}

/// Formats the message about the inferred profile of an envelope.
pub(in crate::envelope) fn inferred(profile: Profile, markers: &[Marker]) -> String {
    let shown = markers.iter().take(MARKERS).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let more = if markers.len() > MARKERS { ", …" } else { "" };
    format!("checked as `{profile}`: {shown}{more}")
}
