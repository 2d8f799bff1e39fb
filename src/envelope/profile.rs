//! Which version of the protocol an envelope is written in, told by its members.

use std::fmt;

use super::json::Kind;
use super::reply::Object;
use super::table::{AUDIT, ENVELOPE, PLANNED};
use super::view::View;
use crate::config::Profile;

/// What an envelope has that tells its profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marker {
    /// A member of the control packet, or of its self-correction.
    Member(&'static str),
    /// A memory operation.
    Operation(&'static str),
    /// A category without a slash.
    BareCategory,
    /// The surface comes before the control packet.
    SurfaceFirst,
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(name) => write!(f, "it has `{name}`"),
            Self::Operation(op) => write!(f, "it uses the memory operation `{op}`"),
            Self::BareCategory => f.write_str("its category has no slash"),
            Self::SurfaceFirst => f.write_str("the surface comes first"),
        }
    }
}

/// What a profile is known from, and whether it was chosen or inferred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The command line, what holds the reply, or the settings prescribe it.
    Given,
    /// The envelope names its version.
    Version,
    /// The envelope names a version that is newer than all that are known.
    NewerVersion(String),
    /// It follows from these, or from nothing at all.
    Inferred(Vec<Marker>),
}

/// The profile that an envelope is written in, and what tells it; without a marker it is [`Profile::Current`].
#[must_use]
pub fn infer(object: &Object<'_>) -> (Profile, Vec<Marker>) {
    let json = &object.json;
    of_envelope(&View::of(json, &ENVELOPE, [json.root()]))
}

/// [`infer`], for an envelope that is looked at already.
pub(super) fn of_envelope(envelope: &View<'_>) -> (Profile, Vec<Marker>) {
    let control = envelope.object("control_packet");
    let named = |names: &[&'static str]| -> Vec<Marker> {
        names.iter().filter(|name| control.mentions(name)).map(|name| Marker::Member(name)).collect()
    };
    let planned = named(&PLANNED);
    let requests = named(&["tool_requests", "knowledge_requests", "context_feedback"]);
    let mut audit = named(&AUDIT);
    let correction = control.object("self_correction");
    let members = ["recovery_action", "confidence"];
    audit.extend(members.into_iter().filter(|name| correction.mentions(name)).map(Marker::Member));
    if !planned.is_empty() {
        (Profile::Draft1_3, planned)
    } else if !requests.is_empty() && !audit.is_empty() {
        (Profile::Draft1_3, [requests, audit].concat())
    } else if !requests.is_empty() {
        (Profile::Current, requests)
    } else if !audit.is_empty() {
        (Profile::V1_2, audit)
    } else {
        let old = of_the_first(envelope, &control);
        (if old.is_empty() { Profile::Current } else { Profile::V1_1 }, old)
    }
}

/// What only 1.1 has.
fn of_the_first(envelope: &View<'_>, control: &View<'_>) -> Vec<Marker> {
    let mut found = Vec::new();
    if control.mentions("abductive_hypothesis") {
        found.push(Marker::Member("abductive_hypothesis"));
    }
    for op in ["archive", "rehydrate"] {
        let mut operations = control.objects("memory_operations");
        if operations.any(|operation| operation.text("op").is_some_and(|found| found == op)) {
            found.push(Marker::Operation(op));
        }
    }
    let intent = control.object("intent_classification");
    if intent.text("category").is_some_and(|category| !category.is_empty() && !category.starts_with('/')) {
        found.push(Marker::BareCategory);
    }
    let is_newer = control.mentions("reasoning_trace") || intent.mentions("verb");
    if is_surface_first(envelope) && !is_newer {
        found.push(Marker::SurfaceFirst);
    }
    found
}

/// Whether the surface comes before the control packet.
pub(super) fn is_surface_first(envelope: &View<'_>) -> bool {
    let place = |name| envelope.all(name).next().map(|entry| entry.key);
    matches!((place("surface_response"), place("control_packet")), (Some(surface), Some(control)) if surface < control)
}

/// The profile of an envelope: what is given, else what it says of itself, else the settings, else what its members
/// tell.
pub(super) fn choose(
    envelope: &View<'_>,
    given: Option<Profile>,
    settings: Option<Profile>,
) -> (Profile, Origin) {
    if let Some(profile) = given {
        return (profile, Origin::Given);
    }
    if let Some(found) = version(envelope) {
        return found;
    }
    if let Some(profile) = settings {
        return (profile, Origin::Given);
    }
    let (profile, markers) = of_envelope(envelope);
    (profile, Origin::Inferred(markers))
}

/// The profile that `piggyback_version` names.
fn version(envelope: &View<'_>) -> Option<(Profile, Origin)> {
    let entry = envelope.get("piggyback_version")?;
    let json = envelope.json;
    let word = match json.kind(entry.value) {
        Kind::Number => String::from_utf8_lossy(json.raw(entry.value)).into_owned(),
        _ => json.string(entry.value)?.into_owned(),
    };
    let word = word.trim();
    if let Some(profile) = Profile::parse(word) {
        return Some((profile, Origin::Version));
    }
    let mut parts = word.strip_prefix('v').unwrap_or(word).split('.');
    let number = parts.next()?.parse::<u32>().ok()?;
    let part = parts.next().map_or(Some(0), |part| part.parse::<u32>().ok())?;
    match (number, part) {
        (1, 1) => Some((Profile::V1_1, Origin::Version)),
        (1, 2) => Some((Profile::V1_2, Origin::Version)),
        (1, 3) => Some((Profile::Draft1_3, Origin::Version)),
        newer if newer > (1, 3) => Some((Profile::Draft1_3, Origin::NewerVersion(word.to_owned()))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::json::Json;
    use super::*;

    fn told(control: &str) -> String {
        let text = format!(r#"{{"control_packet": {{{control}}}, "surface_response": "a"}}"#);
        tell(&text)
    }

    fn tell(text: &str) -> String {
        let json = Json::parse(text.as_bytes());
        let (profile, markers) = of_envelope(&View::of(&json, &ENVELOPE, [json.root()]));
        markers.iter().fold(profile.to_string(), |out, marker| format!("{out}, {marker}"))
    }

    #[test]
    fn members_tell_the_profile() {
        assert_eq!(told(""), "current");
        assert_eq!(told(r#""tool_requests": []"#), "current, it has `tool_requests`");
        assert_eq!(told(r#""safety_gates": {}"#), "1.2, it has `safety_gates`");
        assert_eq!(told(r#""self_correction": {"confidence": 1}"#), "1.2, it has `confidence`");
        assert_eq!(
            told(r#""safety_gates": {}, "tool_requests": []"#),
            "1.3-draft, it has `tool_requests`, it has `safety_gates`"
        );
        assert_eq!(told(r#""git_metadata": {}"#), "1.3-draft, it has `git_metadata`");
        assert_eq!(
            told(r#""memory_operations": [{"op": "archive"}]"#),
            "1.1, it uses the memory operation `archive`"
        );
        assert_eq!(
            told(r#""intent_classification": {"category": "query"}"#),
            "1.1, its category has no slash"
        );
        assert_eq!(
            tell(r#"{"surface_response": "a", "control_packet": {}}"#),
            "1.1, the surface comes first"
        );
        assert_eq!(
            tell(r#"{"surface_response": "a", "control_packet": {"reasoning_trace": ""}}"#),
            "current"
        );
    }

    #[test]
    fn what_is_given_counts_most() {
        let choose = |version: &str, given, settings| {
            let text = format!(r#"{{"piggyback_version": {version}}}"#);
            let json = Json::parse(text.as_bytes());
            let (profile, origin) = choose(&View::of(&json, &ENVELOPE, [json.root()]), given, settings);
            format!("{profile} {origin:?}")
        };
        assert_eq!(choose("1.1", Some(Profile::V1_2), None), "1.2 Given");
        assert_eq!(choose("1.1", None, Some(Profile::V1_2)), "1.1 Version");
        assert_eq!(choose("\"1.2-go\"", None, None), "1.2-go Version");
        assert_eq!(choose("\"2.0\"", None, None), "1.3-draft NewerVersion(\"2.0\")");
        assert_eq!(choose("null", None, Some(Profile::V1_2)), "1.2 Given");
        assert_eq!(choose("\"\"", None, None), "current Inferred([])");
    }
}
