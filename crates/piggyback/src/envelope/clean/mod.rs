//! Recognition of valid envelopes in one traversal of their JSON tree.
//!
//! Most lines of a log are valid, and running all rules on them costs more than parsing them. A
//! [`Recogniser`] runs first: if it accepts an envelope, no rule has a finding. If it rejects an
//! envelope, the rules decide.
//!
//! A [`Recogniser`] also extracts the data for the rules about sessions.
//!
//! Rules do not depend on the recognizer, so every rule must be listed in `rule_coverage`. If a
//! rule is not listed, every envelope is rejected. Tests check accepted envelopes against all
//! rules.

mod buffer;
mod inferred;
mod members;
mod requests;
mod rule_coverage;
#[cfg(test)]
mod tests;
mod texts;

use std::sync::LazyLock;

use super::atoms::{UpdateContext, UpdateRecogniser};
use super::check::rules;
use super::context::ReplyContext;
use super::fields::{self, CATEGORIES, Taxonomy};
use super::json::{Json, JsonKind, Member, NodeId};
use super::requests::{IGNORANT, Phrases};
use super::secrets::{is_free, secrets_in};
use super::table;
use buffer::Buffer;
use inferred::InferredMessages;
pub use inferred::RequestFields;
use mangle_settings::Profile;
use members::ObjectSpec;
pub use requests::Rating;

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
    LazyLock::new(|| rules().all(|rule| rule_coverage::CODES.contains(&rule.code)));

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
            || texts::has_surrogates(text)
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
        let is_fit = is_fit && is_filled && texts::is_string(json, constraint);
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
