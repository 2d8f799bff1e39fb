//! Which version of the protocol an envelope is written in, told by its members.

use std::fmt;

use super::json::{Json, JsonKind};
use super::table::{AUDIT, ENVELOPE, PLANNED};
use super::view::View;
use mangle_settings::{FullStops, Profile};

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
            Self::Member(name) => write!(f, "has `{name}`"),
            Self::Operation(op) => write!(f, "uses operation `{op}`"),
            Self::BareCategory => f.write_str("category without slash"),
            Self::SurfaceFirst => f.write_str("surface comes first"),
        }
    }
}

/// What a profile is known from, and whether it was chosen or inferred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProfileOrigin {
    /// The command line, what holds the reply, or the settings prescribe it.
    Given,
    /// The envelope names its version.
    Version,
    /// The envelope names a version that is newer than all that are known.
    NewerVersion(String),
    /// Most envelopes of the session are of it.
    Session,
    /// It follows from these, or from nothing at all.
    Inferred(Vec<Marker>),
}

/// What an envelope tells of its version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProfileEvidence {
    /// The version that it names.
    pub declared: Option<Profile>,
    /// The version that has what it has; `None` where that may be any.
    pub own: Option<Profile>,
    /// What tells that.
    pub markers: Vec<Marker>,
    /// What 1.1 has, and what may be a slip in any other version: by itself it tells nothing. Empty where something else
    /// tells that it is newer.
    pub hints: Vec<Marker>,
}

/// The profile that an envelope is written in, and what tells it; without a marker it is [`Profile::Current`].
#[must_use]
pub fn infer(json: &Json<'_>) -> (Profile, Vec<Marker>) {
    of_envelope(&View::of(json, &ENVELOPE, [json.root()]))
}

/// What an envelope tells of its version.
#[must_use]
pub fn signs(json: &Json<'_>) -> ProfileEvidence {
    let envelope = View::of(json, &ENVELOPE, [json.root()]);
    let declared = version(&envelope).map(|(profile, _)| profile);
    let (own, markers) = of_members(&envelope);
    let hints = if own.is_none() { hints(&envelope) } else { Vec::new() };
    ProfileEvidence { declared, own, markers, hints }.settled()
}

impl ProfileEvidence {
    /// Several hints that do not depend on each other make a version.
    fn settled(mut self) -> Self {
        if self.own.is_none() && self.hints.len() > 1 {
            self.own = Some(Profile::V1_1);
            self.markers = std::mem::take(&mut self.hints);
        }
        self
    }
}

/// [`infer`], for an envelope that is looked at already.
pub(super) fn of_envelope(envelope: &View<'_>) -> (Profile, Vec<Marker>) {
    let (own, markers) = of_members(envelope);
    let hints = if own.is_none() { hints(envelope) } else { Vec::new() };
    let signs = ProfileEvidence { declared: None, own, markers, hints }.settled();
    (signs.own.unwrap_or(Profile::Current), signs.markers)
}

/// The version that is the only one to have the members that an envelope has.
fn of_members(envelope: &View<'_>) -> (Option<Profile>, Vec<Marker>) {
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

/// What 1.1 has, and what is a slip elsewhere: an order, a form, an operation.
fn hints(envelope: &View<'_>) -> Vec<Marker> {
    let control = envelope.object("control_packet");
    let intent = control.object("intent_classification");
    let category = intent.text("category").unwrap_or_default();
    let newer = ["verb", "target", "constraint"];
    if control.mentions("reasoning_trace")
        || category.starts_with('/')
        || newer.iter().any(|name| intent.mentions(name))
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

/// Whether updates of an envelope have to end in a full stop to be kept.
pub(super) fn needs_full_stops(json: &Json<'_>, stops: FullStops) -> bool {
    let envelope = View::of(json, &ENVELOPE, [json.root()]);
    stops.are_needed_in(choose(&envelope, stops.given, stops.usual, None).0)
}

/// Whether the surface comes before the control packet.
pub(super) fn is_surface_first(envelope: &View<'_>) -> bool {
    let place = |name| envelope.all(name).next().map(|entry| entry.key);
    matches!((place("surface_response"), place("control_packet")), (Some(surface), Some(control)) if surface < control)
}

/// The profile of an envelope: what is given, else what it says of itself, else the settings, else what most of the
/// session is, else what its members tell.
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

/// The profile that `piggyback_version` names.
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
        let (profile, markers) = of_envelope(&View::of(&json, &ENVELOPE, [json.root()]));
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
            let (profile, origin) = choose(&View::of(&json, &ENVELOPE, [json.root()]), given, settings, None);
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
