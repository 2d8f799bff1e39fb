//! Recognition of valid envelopes in one traversal of their JSON tree.
//!
//! Most lines of a log are valid, and running all rules on them costs more than parsing them. A
//! [`Recogniser`] runs first: if it accepts an envelope, no rule has a finding. If it rejects an
//! envelope, the rules decide.
//!
//! A [`Recogniser`] also extracts the data for the rules about sessions.
//!
//! Rules do not depend on the recognizer, so every rule must be listed in `COVERED_CODES`. If a
//! rule is not listed, every envelope is rejected. Tests check accepted envelopes against all
//! rules.

mod members;
#[cfg(test)]
mod tests;
mod values;

pub use values::Rating;

use std::sync::LazyLock;

use super::atoms::{UpdateContext, UpdateRecogniser};
use super::context::ReplyContext;
use super::fields::{self, CATEGORIES, Taxonomy};
use super::json::{Json, JsonKind, Member, NodeId};
use super::profile::Marker;
use super::requests::{IGNORANT, Phrases};
use super::secrets::{is_free, secrets_in};
use super::{rules, table};
use mangle_settings::Profile;
use members::{Buffer, ObjectSpec};

/// Recognizes most envelopes without findings.
#[derive(Debug)]
pub struct Recogniser<'c> {
    context: ReplyContext<'c>,
    profile: Profile,
    /// Messages about inferred profiles, if the profile is not given.
    inferred: Option<InferredMessages>,
    /// True if every envelope is rejected, because a rule is not covered or the profile is not
    /// supported.
    is_idle: bool,
    expected: ObjectSpecs,
    welcome: UpdateRecogniser<'c>,
    claims: Phrases<'c>,
    ignorance: Phrases<'static>,
    buffer: Buffer,
}

/// Specifications for each kind of object.
#[derive(Debug)]
struct ObjectSpecs {
    envelope: ObjectSpec,
    control: ObjectSpec,
    intent: ObjectSpec,
    memory: ObjectSpec,
    correction: ObjectSpec,
    knowledge: ObjectSpec,
    feedback: ObjectSpec,
    tool: ObjectSpec,
}

impl ObjectSpecs {
    /// Returns true if any object lacked a member that only the strict schema requires. Resets the
    /// flags.
    fn take_lacks(&self) -> bool {
        let Self { envelope, control, intent, memory, correction, knowledge, feedback, tool } = self;
        let all = [envelope, control, intent, memory, correction, knowledge, feedback, tool];
        all.iter().fold(false, |lacks, spec| spec.take_lacks() | lacks)
    }
}

/// An envelope without findings that is the whole reply, with data for the rules about sessions.
#[derive(Debug)]
pub struct ValidEnvelope<'s> {
    /// The envelope as JSON.
    pub json: &'s Json<'s>,
    /// The value of the surface.
    pub surface: NodeId,
    /// The length of the surface in characters.
    pub characters: usize,
    /// The key of the control packet.
    pub control: NodeId,
    /// The list of updates.
    pub updates: NodeId,
    /// The memory operations.
    pub memory: Vec<NodeId>,
    /// The predicates in the context feedback.
    pub rated: Vec<Rating>,
    /// The fields of the envelope that only the current version has.
    pub requests: RequestFields,
    /// True if the envelope lacks fields of the strict schema, and the file is checked with that
    /// schema.
    ///
    /// This is the only fault that an accepted envelope may have (`envelope::missing_fields`).
    pub lacks_fields: bool,
    texts: &'s Buffer,
}

impl ValidEnvelope<'_> {
    /// Returns the updates with their texts, in order.
    pub fn updates(&self) -> impl Iterator<Item = (NodeId, &str)> {
        self.texts.updates()
    }
}

/// True if every rule about replies is covered.
static COVERS_ALL_RULES: LazyLock<bool> =
    LazyLock::new(|| rules().all(|rule| COVERED_CODES.contains(&rule.code)));

impl<'c> Recogniser<'c> {
    /// Creates a recognizer for envelopes in this context.
    #[must_use]
    pub fn new(context: ReplyContext<'c>) -> Self {
        let ReplyContext { settings, declarations, .. } = context;
        let given = context.profile.or(settings.profile);
        let profile = given.unwrap_or(Profile::Current);
        let inferred = given.is_none().then(|| InferredMessages::new(profile));
        let expected = |table| ObjectSpec::new(table, profile, settings.strict);
        Self {
            context,
            profile,
            inferred,
            is_idle: !*COVERS_ALL_RULES
                || !profile.is_control_first()
                || matches!(profile, Profile::V1_2 | Profile::Draft1_3),
            expected: ObjectSpecs {
                envelope: expected(&table::ENVELOPE),
                control: expected(&table::CONTROL),
                intent: expected(&table::INTENT),
                memory: expected(&table::MEMORY),
                correction: expected(&table::CORRECTION),
                knowledge: expected(&table::KNOWLEDGE),
                feedback: expected(&table::FEEDBACK),
                tool: expected(&table::TOOL),
            },
            welcome: UpdateRecogniser::new(&UpdateContext { settings, declarations, profile }),
            claims: Phrases::new(settings.success_phrases.iter().map(String::as_str)).searched(),
            ignorance: Phrases::new(IGNORANT.into_iter()).searched(),
            buffer: Buffer::default(),
        }
    }

    /// The profile of accepted envelopes.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Returns the message of the only possible finding for an accepted envelope with these fields:
    /// its inferred profile.
    ///
    /// `None` if the profile is given or the set of fields is empty.
    #[must_use]
    pub fn inferred(&self, fields: RequestFields) -> Option<&str> {
        self.inferred.as_ref()?.get(fields)
    }

    /// Returns the envelope of a reply if it is certain that no rule has a finding.
    pub fn recognise<'s>(&'s mut self, json: &'s Json<'s>) -> Option<ValidEnvelope<'s>> {
        self.buffer.clear();
        self.expected.take_lacks();
        let found = self.envelope(json)?;
        let (surface, characters) = found.surface;
        Some(ValidEnvelope {
            json,
            surface,
            characters,
            control: found.control,
            updates: found.updates,
            memory: found.memory,
            rated: found.rated,
            requests: found.requests,
            lacks_fields: self.expected.take_lacks(),
            texts: &self.buffer,
        })
    }

    fn envelope(&mut self, json: &Json<'_>) -> Option<CleanParts> {
        let text = json.text();
        let is_bare = text.first() == Some(&b'{') && text.last() == Some(&b'}');
        if self.is_idle
            || !is_bare
            || !json.is_text()
            || !json.is_valid_to_the_end()
            || values::has_surrogates(text)
        {
            return None;
        }
        let [control, surface] = self.expected.envelope.read(json, json.root())?;
        let (control, surface) = (control?, surface?);
        if control.key > surface.key {
            return None;
        }
        let [intent, updates, memory, correction, trace, knowledge, feedback, tools] =
            self.expected.control.read(json, control.value)?;
        let target = self.intent(json, intent?.value)?;
        let updates = updates?.value;
        let changes = self.updates(json, updates)?;
        let may_hold = !simdutf8::basic::from_utf8(text).is_ok_and(is_free);
        let memory = self.memory(json, memory?.value, may_hold)?;
        correction.map_or(Some(()), |one| self.correction(json, one.value))?;
        let asks = knowledge.map_or(Some(false), |list| self.knowledge(json, list.value))?;
        let rated = feedback.map_or(Some(Vec::new()), |one| self.feedback(json, one.value))?;
        let runs = tools.map_or(Some(false), |list| self.tools(json, list.value))?;
        self.trace(json, trace, target, changes || runs)?;
        let characters = self.surface(json, surface.value, asks, runs)?;
        if may_hold && !secrets_in(text).is_empty() {
            return None;
        }
        let requests = RequestFields::new([tools, knowledge, feedback].map(|field| field.is_some()));
        Some(CleanParts {
            surface: (surface.value, characters),
            control: control.key,
            updates,
            memory,
            rated,
            requests,
        })
    }

    /// Returns the target of a valid intent.
    fn intent(&self, json: &Json<'_>, node: NodeId) -> Option<NodeId> {
        let [category, verb, target, constraint, confidence] = self.expected.intent.read(json, node)?;
        let name = |member: Option<Member>| {
            let text = members::plain(json, member?.value)?.strip_prefix(b"/")?;
            std::str::from_utf8(text).ok()
        };
        let (category, verb) = (name(category)?, name(verb)?);
        let mut known = Taxonomy::new(self.context.declarations).named(verb);
        let is_known = CATEGORIES.contains(&category) && known.any(|known| known.category == category);
        let confidence = super::view::number(json, confidence?.value)?;
        let is_fit = is_known && confidence > 0.0 && confidence <= 1.0;
        let (target, constraint) = (target?.value, constraint?.value);
        let text = json.string(target)?;
        // This profile requires a placeholder for empty fields.
        let is_filled =
            self.profile != Profile::V1_2Go || !text.is_empty() && !json.is_empty_string(constraint);
        let is_fit = is_fit && is_filled && values::is_string(json, constraint);
        (is_fit && !fields::leaves_workspace(&text)).then_some(target)
    }

    /// Returns true if there are any updates.
    fn updates(&mut self, json: &Json<'_>, list: NodeId) -> Option<bool> {
        if json.kind(list) != JsonKind::Array {
            return None;
        }
        for node in json.elements(list) {
            let text = self.buffer.push(json, node)?;
            if !self.welcome.accepts(text) {
                return None;
            }
        }
        let count = self.buffer.len();
        (count <= self.welcome.most() && self.buffer.are_different()).then_some(count > 0)
    }
}

/// The parts of an envelope that are collected while the buffer is borrowed.
struct CleanParts {
    surface: (NodeId, usize),
    control: NodeId,
    updates: NodeId,
    memory: Vec<NodeId>,
    rated: Vec<Rating>,
    requests: RequestFields,
}

/// The fields of the current version only, in the order of messages.
const FIELDS: [&str; 3] = ["tool_requests", "knowledge_requests", "context_feedback"];

/// A set of the fields that only the current version has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestFields(u8);

impl RequestFields {
    /// Returns all sets.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..1 << FIELDS.len()).map(Self)
    }

    /// Creates a set, in the order tools, questions, feedback.
    pub(super) fn new(are_there: [bool; FIELDS.len()]) -> Self {
        Self((0u8..).zip(are_there).map(|(at, is_there)| u8::from(is_there) << at).sum())
    }

    /// True if the set is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns a bit that identifies this set in a set of sets.
    #[must_use]
    pub fn bit(self) -> u8 {
        1 << self.0
    }

    fn markers(self) -> Vec<Marker> {
        let is_there = |at: usize| self.0 & (1 << at) != 0;
        FIELDS
            .iter()
            .enumerate()
            .filter(|(at, _)| is_there(*at))
            .map(|(_, name)| Marker::Member(name))
            .collect()
    }
}

/// The message for each set of fields.
#[derive(Debug)]
struct InferredMessages(Vec<String>);

impl InferredMessages {
    pub(super) fn new(profile: Profile) -> Self {
        Self(RequestFields::all().map(|fields| fields::inferred(profile, &fields.markers())).collect())
    }

    /// Returns the message for an envelope with these fields. `None` for the empty set.
    pub(super) fn get(&self, fields: RequestFields) -> Option<&str> {
        let message = self.0.get(usize::from(fields.0)).filter(|_| !fields.is_empty())?;
        Some(message)
    }
}

/// The codes of the covered rules.
#[rustfmt::skip] // One row a reason.
const COVERED_CODES: &[&str] = &[
    // The whole reply is one object of valid JSON, without surrounding text.
    "PB001", "PB002", "PB003", "PB004", "PB005", "PB006", "PB007", "PB010", "PB015", "PB016", "PB017", "PB021", "PB022",
    "PB023", "PB024", "PB025", "PB026", "PB027", "PB028", "PB029", "PB109", "PB110",
    // The reply is UTF-8, and no escape is a surrogate.
    "PB011",
    // The streamed text is the same: the surface occurs once, and each escape is a character.
    "PB038",
    // `members`: each member is known to the profile, read by the runtime, spelled exactly and
    // unique. No member is missing.
    "PB012", "PB102", "PB103", "PB104", "PB111", "PB112", "PB113", "PB114", "PB115", "PB116", "PB120", "PB121", "PB122",
    "PB124", "PB125", "PB403", "PB404", "PB408",
    // No audit object of 1.2 exists. Envelopes of 1.2 and 1.3-draft, which should have audit
    // objects, are rejected.
    "PB150", "PB151", "PB152", "PB153", "PB154", "PB155", "PB156", "PB157", "PB158", "PB159",
    "PB160", "PB161",
    // The kind of each value is checked.
    "PB013", "PB014",
    // `Recogniser::inferred`
    "PB105",
    // Only 1.1-bnf requires an update, and its envelopes are rejected.
    "PB117",
    // The order of the envelope's keys is checked.
    "PB106",
    // `intent`
    "PB123", "PB126", "PB127", "PB128", "PB129", "PB133", "PB134", "PB135", "PB136",
    // `values`: the trace, the surface and the number of updates
    "PB030", "PB031", "PB033", "PB037", "PB101", "PB108", "PB130", "PB131", "PB132", "PB427", "PB434",
    // `atoms::UpdateRecogniser`: plain facts that match their declarations
    "PB032", "PB201", "PB202", "PB203", "PB204", "PB205", "PB206", "PB207", "PB208", "PB209", "PB210", "PB211", "PB212",
    "PB213", "PB214", "PB215", "PB216", "PB217", "PB218", "PB219", "PB224", "PB225", "PB226", "PB228", "PB229", "PB230", "PB508",
    // The text has no credentials. The surface has no key of a packet and no update.
    "PB137", "PB138", "PB139",
    // `values`: updates are compared pairwise
    "PB227",
    // `values`: memory operations
    "PB034", "PB220", "PB301", "PB302", "PB303", "PB304", "PB305", "PB306", "PB307", "PB308", "PB309", "PB311",
    // `values`: self-corrections
    "PB401", "PB402", "PB406",
    // `values`: tools
    "PB035", "PB420", "PB421", "PB422", "PB423", "PB424", "PB425", "PB426",
    // `values`: knowledge
    "PB036", "PB430", "PB431", "PB432", "PB433",
    // `values`: feedback
    "PB440", "PB441", "PB442", "PB443", "PB444",
];
