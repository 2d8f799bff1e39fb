//! Detection of the protocol version (profile) of an envelope from its members.

use std::fmt;

use super::json::{Json, JsonKind};
use super::table::{AUDIT, ENVELOPE, PLANNED};
use super::view::View;
use mangle_settings::{PeriodRequirement, Profile};

/// Evidence in an envelope for its protocol version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marker {
    /// A member of the control packet, or of its self-correction.
    Member(&'static str),
    /// A memory operation.
    Operation(&'static str),
    /// A category without a slash.
    BareCategory,
    /// The surface precedes the control packet.
    SurfaceFirst,
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(name) => write!(f, "has `{name}`"),
            Self::Operation(op) => write!(f, "uses operation `{op}`"),
            Self::BareCategory => f.write_str("category without slash"),
            Self::SurfaceFirst => f.write_str("surface comes first"),
        }
    }
}

/// The source of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProfileOrigin {
    /// Prescribed by the command line, the container of the reply, or the settings.
    Given,
    /// Named in the envelope.
    Version,
    /// The envelope names a version that is newer than all known versions.
    NewerVersion(String),
    /// The profile of most envelopes of the session.
    Session,
    /// Inferred from these markers. Without markers, the default profile.
    Inferred(Vec<Marker>),
}

/// The evidence in an envelope for its protocol version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProfileEvidence {
    /// The version that the envelope names.
    pub declared: Option<Profile>,
    /// The only version with the members of the envelope. `None` if several versions match.
    pub own: Option<Profile>,
    /// The evidence for `own`.
    pub markers: Vec<Marker>,
    /// Features of 1.1 that may be mistakes in any other version. A single hint is not sufficient
    /// evidence.
    ///
    /// Empty if other markers show a newer version.
    pub hints: Vec<Marker>,
}

/// Infers the profile of an envelope with its evidence. Default: [`Profile::Current`].
#[must_use]
pub fn infer(json: &Json<'_>) -> (Profile, Vec<Marker>) {
    of_envelope(&View::new(json, &ENVELOPE, [json.root()]))
}

/// Returns the evidence in an envelope for its protocol version.
#[must_use]
pub fn evidence(json: &Json<'_>) -> ProfileEvidence {
    let envelope = View::new(json, &ENVELOPE, [json.root()]);
    let declared = version(&envelope).map(|(profile, _)| profile);
    let (own, markers) = of_members(&envelope);
    let hints = if own.is_none() { hints(&envelope) } else { Vec::new() };
    ProfileEvidence { declared, own, markers, hints }.settled()
}

impl ProfileEvidence {
    /// Several independent hints are sufficient evidence for version 1.1.
    fn settled(mut self) -> Self {
        if self.own.is_none() && self.hints.len() > 1 {
            self.own = Some(Profile::V1_1);
            self.markers = std::mem::take(&mut self.hints);
        }
        self
    }
}

/// Infers the profile like [`infer`], for an envelope that is already parsed.
fn of_envelope(envelope: &View<'_>) -> (Profile, Vec<Marker>) {
    let (own, markers) = of_members(envelope);
    let hints = if own.is_none() { hints(envelope) } else { Vec::new() };
    let signs = ProfileEvidence { declared: None, own, markers, hints }.settled();
    (signs.own.unwrap_or(Profile::Current), signs.markers)
}

/// Returns the only version with the members of an envelope, and the evidence.
fn of_members(envelope: &View<'_>) -> (Option<Profile>, Vec<Marker>) {
    let control = envelope.object("control_packet");
    let named = |names: &[&'static str]| -> Vec<Marker> {
        names.iter().filter(|name| control.contains_key(name)).map(|name| Marker::Member(name)).collect()
    };
    let planned = named(&PLANNED);
    let requests = named(&["tool_requests", "knowledge_requests", "context_feedback"]);
    let mut audit = named(&AUDIT);
    let correction = control.object("self_correction");
    let members = ["recovery_action", "confidence"];
    audit.extend(members.into_iter().filter(|name| correction.contains_key(name)).map(Marker::Member));
    if !planned.is_empty() {
        (Some(Profile::Draft1_3), planned)
    } else if !requests.is_empty() && !audit.is_empty() {
        (Some(Profile::Draft1_3), [requests, audit].concat())
    } else if !requests.is_empty() {
        (Some(Profile::Current), requests)
    } else if !audit.is_empty() {
        (Some(Profile::V1_2), audit)
    } else {
        let oldest = named(&["abductive_hypothesis"]);
        ((!oldest.is_empty()).then_some(Profile::V1_1), oldest)
    }
}

/// Returns features of 1.1 that may be mistakes in other versions: member order, form and
/// operations.
fn hints(envelope: &View<'_>) -> Vec<Marker> {
    let control = envelope.object("control_packet");
    let intent = control.object("intent_classification");
    let category = intent.text("category").unwrap_or_default();
    let newer = ["verb", "target", "constraint"];
    if control.contains_key("reasoning_trace")
        || category.starts_with('/')
        || newer.iter().any(|name| intent.contains_key(name))
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    if is_surface_first(envelope) {
        found.push(Marker::SurfaceFirst);
    }
    if !category.is_empty() {
        found.push(Marker::BareCategory);
    }
    let operation = ["archive", "rehydrate"].into_iter().find(|op| {
        let mut operations = control.objects("memory_operations");
        operations.any(|operation| operation.text("op").is_some_and(|found| found == *op))
    });
    found.extend(operation.map(Marker::Operation));
    found
}

/// True if the updates of an envelope must end with a period.
pub(super) fn needs_full_stops(json: &Json<'_>, stops: PeriodRequirement) -> bool {
    let envelope = View::new(json, &ENVELOPE, [json.root()]);
    stops.are_needed_in(choose(&envelope, stops.prescribed, stops.usual, None).0)
}

/// True if the surface precedes the control packet.
pub(super) fn is_surface_first(envelope: &View<'_>) -> bool {
    let place = |name| envelope.all(name).next().map(|entry| entry.key);
    matches!((place("surface_response"), place("control_packet")), (Some(surface), Some(control)) if surface < control)
}

/// Chooses the profile of an envelope.
///
/// The order is: a given profile, the named version, the settings, the majority of the session, and
/// the members.
pub(super) fn choose(
    envelope: &View<'_>,
    given: Option<Profile>,
    settings: Option<Profile>,
    session: Option<Profile>,
) -> (Profile, ProfileOrigin) {
    if let Some(profile) = given {
        return (profile, ProfileOrigin::Given);
    }
    if let Some(found) = version(envelope) {
        return found;
    }
    if let Some(profile) = settings {
        return (profile, ProfileOrigin::Given);
    }
    let (profile, markers) = of_envelope(envelope);
    match session {
        Some(session) if session != profile || markers.is_empty() => (session, ProfileOrigin::Session),
        _ => (profile, ProfileOrigin::Inferred(markers)),
    }
}

/// Returns the profile that `piggyback_version` names.
fn version(envelope: &View<'_>) -> Option<(Profile, ProfileOrigin)> {
    let entry = envelope.get("piggyback_version")?;
    let json = envelope.json;
    let word = match json.kind(entry.value) {
        JsonKind::Number => String::from_utf8_lossy(json.raw(entry.value)).into_owned(),
        _ => json.string(entry.value)?.into_owned(),
    };
    let word = word.trim();
    if let Some(profile) = Profile::parse(word) {
        return Some((profile, ProfileOrigin::Version));
    }
    let mut parts = word.strip_prefix('v').unwrap_or(word).split('.');
    let number = parts.next()?.parse::<u32>().ok()?;
    let part = parts.next().map_or(Some(0), |part| part.parse::<u32>().ok())?;
    match (number, part) {
        (1, 1) => Some((Profile::V1_1, ProfileOrigin::Version)),
        (1, 2) => Some((Profile::V1_2, ProfileOrigin::Version)),
        (1, 3) => Some((Profile::Draft1_3, ProfileOrigin::Version)),
        newer if newer > (1, 3) => Some((Profile::Draft1_3, ProfileOrigin::NewerVersion(word.to_owned()))),
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
        let (profile, markers) = of_envelope(&View::new(&json, &ENVELOPE, [json.root()]));
        markers.iter().fold(profile.to_string(), |out, marker| format!("{out}, {marker}"))
    }

    #[test]
    fn members_tell_the_profile() {
        assert_eq!(told(""), "current");
        assert_eq!(told(r#""tool_requests": []"#), "current, has `tool_requests`");
        assert_eq!(told(r#""safety_gates": {}"#), "1.2, has `safety_gates`");
        assert_eq!(told(r#""self_correction": {"confidence": 1}"#), "1.2, has `confidence`");
        assert_eq!(
            told(r#""safety_gates": {}, "tool_requests": []"#),
            "1.3-draft, has `tool_requests`, has `safety_gates`"
        );
        assert_eq!(told(r#""git_metadata": {}"#), "1.3-draft, has `git_metadata`");
        assert_eq!(told(r#""abductive_hypothesis": "b""#), "1.1, has `abductive_hypothesis`");
        assert_eq!(
            tell(r#"{"surface_response": "a", "control_packet": {"reasoning_trace": ""}}"#),
            "current"
        );
    }

    #[test]
    fn a_slip_tells_no_version() {
        let archive = r#""memory_operations": [{"op": "archive"}]"#;
        let bare = r#""intent_classification": {"category": "query", "confidence": 1}"#;
        let verb = r#""intent_classification": {"category": "query", "verb": "/explain", "confidence": 1}"#;
        let slash = r#""intent_classification": {"category": "/query", "confidence": 1}"#;
        let first =
            |control: &str| tell(&format!(r#"{{"surface_response": "a", "control_packet": {{{control}}}}}"#));
        for one in [told(archive), told(bare), first("")] {
            assert_eq!(one, "current");
        }
        for newer in [verb, slash, r#""reasoning_trace": """#] {
            assert_eq!(first(&format!("{archive}, {newer}")), "current");
        }
        assert_eq!(first(bare), "1.1, surface comes first, category without slash");
        assert_eq!(
            told(&format!("{archive}, {bare}")),
            "1.1, category without slash, uses operation `archive`"
        );
    }

    #[test]
    fn what_is_given_counts_most() {
        let choose = |version: &str, given, settings| {
            let text = format!(r#"{{"piggyback_version": {version}}}"#);
            let json = Json::parse(text.as_bytes());
            let (profile, origin) =
                choose(&View::new(&json, &ENVELOPE, [json.root()]), given, settings, None);
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
