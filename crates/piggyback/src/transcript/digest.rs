//! Summary of a turn for checks across a session.
//!
//! A digest is small and owned. Files of any length can be checked record by record, and an editor
//! rereads only changed records.

use std::sync::{Arc, LazyLock};

use regex::bytes::Regex;
use rustc_hash::{FxBuildHasher, FxHashSet};
use smallvec::SmallVec;

use super::placement::{Address, TranscriptFinding};
use super::tokens;
use super::turn::{Details, Record, TextKind, Turn, TurnRole, up_to};
use super::words::{hash, member, text};
use crate::envelope::account::Filters;
use crate::envelope::clean::ValidEnvelope;
use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::envelope::runtime::{self, DropReason};
use crate::envelope::{Object, Reply, ReplyContext, plain, profile};
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Rule, Severity, rule};
use mangle_syntax::text::{TextRange, TextSize, whole_characters};

/// Rule: a turn names a file that no update contains. Digests note the names only if it is enabled.
pub(super) static LOSSY_TURN: Rule = rule!("session/lossy-turn.md");

/// Maximum number of words of a prompt that are kept. Longer prompts are not checked for missing
/// words.
const MAX_WORDS: usize = 1 << 16;

/// Estimated length of a word including its separator, in bytes.
const WORD_LEN: usize = 6;

/// Phrases in a prompt that report an unusable reply.
const ERROR_REPORTS: [&str; 10] = [
    "could not be used",
    "could not be parsed",
    "could not parse",
    "failed to parse",
    "parse error",
    "invalid json",
    "not valid json",
    "syntax error",
    "validation error",
    "validation failed",
];

/// Predicates whose facts are compared across turns. Sorted for binary search.
const WATCHED: [&str; 9] = [
    "activation",
    "campaign",
    "campaign_phase",
    "campaign_progress",
    "campaign_task",
    "context_compression",
    "retry_count",
    "task_status",
    "test_state",
];

/// Summary of a turn for other turns. Ranges are relative to the start of its record.
#[derive(Debug)]
pub struct Digest {
    /// The speaker.
    pub role: TurnRole,
    /// The kind of text.
    pub kind: TextKind,
    /// Byte range of the turn.
    pub place: TextRange,
    pub(super) path: Vec<String>,
    pub(super) details: Option<Box<Details>>,
    /// Length in bytes.
    pub(super) bytes: usize,
    /// Length in tokens, in the estimate of the runtime. 0 except for prompts and surfaces.
    pub(super) tokens: usize,
    /// True if the prompt reports that a reply could not be used.
    pub(super) is_error_report: bool,
    /// Hashes of the words of a prompt; `None` if there are more than `MAX_WORDS`, or for other
    /// turns.
    pub(super) words: Option<Arc<FxHashSet<u64>>>,
    /// Summary of the reply, if the turn is one.
    pub(super) reply: Option<Box<ReplyDigest>>,
    /// Protocol version of the majority of replies in the file.
    pub(super) session: Option<Profile>,
}

#[derive(Debug)]
pub(super) struct ReplyDigest {
    /// Name of the stage that read the reply, as in the runtime.
    pub(super) method: &'static str,
    /// Hash of the errors in the reply; `None` if it has none.
    pub(super) errors: Option<u64>,
    /// The profile that the members indicate, if any.
    pub(super) profile: Option<Profile>,
    /// True if the runtime accepts an envelope.
    pub(super) has_accepted_envelope: bool,
    /// True if the runtime drops an update.
    pub(super) has_losses: bool,
    /// The opening brace of the envelope.
    pub(super) brace: TextRange,
    /// Range of the surface text.
    pub(super) surface: TextRange,
    pub(super) surface_tokens: usize,
    /// Files that the surface names and that no accepted update contains.
    pub(super) unmentioned_files: SmallVec<[(String, TextRange); 0]>,
    /// Range of the `control_packet` key.
    pub(super) control: TextRange,
    pub(super) has_intent: bool,
    /// True if the intent is a greeting.
    pub(super) is_greeting: bool,
    /// Updates within the caps of the runtime.
    pub(super) atoms: Vec<DigestAtom>,
    pub(super) memory: SmallVec<[MemoryDigest; 2]>,
    pub(super) correction: Option<(u64, TextRange)>,
    /// Predicates that `context_feedback` rates.
    pub(super) feedback: SmallVec<[PredicateRating; 0]>,
    pub(super) numbers: Option<Box<Numbers>>,
}

/// An update within the caps of the runtime.
#[derive(Debug)]
pub(super) struct DigestAtom {
    pub(super) index: usize,
    /// Hash of the text, without surrounding white space and the full stop.
    pub(super) hash: u64,
    pub(super) predicate: u64,
    pub(super) characters: usize,
    /// True if the consumer's filter accepts the update.
    pub(super) is_accepted: bool,
    pub(super) place: TextRange,
    pub(super) is_campaign: bool,
    pub(super) fact: Option<Box<WatchedFact>>,
}

/// A fact that is compared across turns.
#[derive(Debug)]
pub(super) struct WatchedFact {
    pub(super) predicate: &'static str,
    pub(super) args: Vec<DigestArgument>,
}

#[derive(Debug)]
pub(super) struct DigestArgument {
    /// Content: a string without its quotes, or a name without its first slash.
    pub(super) text: String,
    pub(super) number: Option<i64>,
    pub(super) place: TextRange,
}

/// A rated predicate.
#[derive(Debug)]
pub(super) struct PredicateRating {
    pub(super) name: String,
    /// Name of the list that contains the predicate.
    pub(super) list: &'static str,
    pub(super) index: usize,
    pub(super) place: TextRange,
}

#[derive(Debug)]
pub(super) struct MemoryDigest {
    pub(super) index: usize,
    pub(super) op: String,
    pub(super) key: String,
    pub(super) place: TextRange,
}

/// Values of `execution_metadata` with their ranges.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) shard: Option<(String, TextRange)>,
    pub(super) milliseconds: Option<(f64, TextRange)>,
    pub(super) tokens: Option<(f64, TextRange)>,
    pub(super) retries: Option<(f64, TextRange)>,
}

impl Digest {
    /// Summarizes a turn. `reply` and `found` are its parsed reply and findings, if it is a reply.
    #[must_use]
    pub fn from_turn(
        record: &Record<'_>,
        turn: &Turn,
        reply: Option<&Reply<'_>>,
        found: &[TranscriptFinding],
        context: &ReplyContext<'_>,
    ) -> Self {
        let digest = reply
            .map(|reply| Box::new(RecordMapper { turn, bytes: record.bytes }.reply(reply, found, context)));
        Self::build(record, turn, digest)
    }

    /// Summarizes a turn that is a clean envelope.
    pub(super) fn from_clean(
        record: &Record<'_>,
        turn: &Turn,
        clean: &ValidEnvelope<'_>,
        context: &ReplyContext<'_>,
    ) -> Self {
        Self::build(
            record,
            turn,
            Some(Box::new(RecordMapper { turn, bytes: record.bytes }.clean(clean, context))),
        )
    }

    /// Sets the error hash of a reply that was recognized as clean except for these findings.
    pub(super) fn add_errors(&mut self, found: &[TranscriptFinding]) {
        if let Some(reply) = &mut self.reply {
            reply.errors = errors(found);
        }
    }

    fn build(record: &Record<'_>, turn: &Turn, reply: Option<Box<ReplyDigest>>) -> Self {
        let said = turn.text(record.bytes);
        let is_prompt = turn.kind == TextKind::Prompt;
        Self {
            role: turn.role,
            kind: turn.kind,
            place: whole_characters(record.bytes, turn.place(up_to(said))),
            path: turn.path.clone(),
            details: turn.details.clone(),
            bytes: said.len(),
            tokens: if is_prompt || turn.kind == TextKind::Surface { tokens::bytes(said) } else { 0 },
            is_error_report: is_prompt && is_error_report(said),
            words: if is_prompt { words(said).map(Arc::new) } else { None },
            reply,
            session: turn.session,
        }
    }

    /// True if the runtime accepts an envelope of this turn.
    #[must_use]
    pub fn is_picked(&self) -> bool {
        self.reply.as_ref().is_some_and(|reply| reply.has_accepted_envelope)
    }

    /// Creates a finding about this turn. `pointer` is relative to the reply.
    pub(super) fn found(
        &self,
        site: TurnSite,
        finding: Finding,
        pointer: impl Into<String>,
    ) -> TranscriptFinding {
        let mut path = self.path.clone();
        path.extend(Some(pointer.into()).filter(|pointer| !pointer.is_empty()));
        TranscriptFinding {
            record: site.record,
            start: site.start,
            finding,
            address: Address { path, inner: None },
        }
    }
}

/// Position of the record of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnSite {
    /// Record number.
    pub record: u64,
    /// Offset of the record in the file, in bytes.
    pub start: u64,
}

/// Converts ranges of a reply to ranges of its record.
struct RecordMapper<'t> {
    turn: &'t Turn,
    bytes: &'t [u8],
}

impl RecordMapper<'_> {
    /// Returns the range of the record that a range of the reply comes from, extended to whole
    /// characters.
    fn at(&self, range: TextRange) -> TextRange {
        whole_characters(self.bytes, self.turn.place(range))
    }

    fn reply(
        &self,
        reply: &Reply<'_>,
        found: &[TranscriptFinding],
        context: &ReplyContext<'_>,
    ) -> ReplyDigest {
        let mut digest = ReplyDigest {
            method: reply.reading.as_ref().map_or("error", |reading| reading.stage.method()),
            errors: errors(found),
            profile: None,
            has_accepted_envelope: reply.accepted.is_some(),
            has_losses: false,
            brace: TextRange::default(),
            surface: self.at(up_to(reply.raw)),
            surface_tokens: surface_tokens(reply),
            unmentioned_files: SmallVec::new(),
            control: TextRange::default(),
            has_intent: false,
            is_greeting: false,
            atoms: Vec::new(),
            memory: SmallVec::new(),
            correction: None,
            feedback: SmallVec::new(),
            numbers: None,
        };
        if let Some(object) = reply.picked_object() {
            let picked = reply.reading.as_ref().ok().and_then(|reading| reading.accepted.as_ref());
            let dropped = picked.map_or(&[][..], |picked| &picked.kept.dropped);
            digest.has_losses = !dropped.is_empty();
            self.envelope(object, dropped, context, &mut digest);
        }
        digest
    }

    /// Summarizes a clean envelope. Fields that are the same for all clean envelopes are constants.
    fn clean(&self, clean: &ValidEnvelope<'_>, context: &ReplyContext<'_>) -> ReplyDigest {
        let json = clean.json;
        let updates = clean.updates().enumerate();
        let operations = clean.memory.iter().enumerate();
        let rated = clean.rated.iter().filter_map(|one| {
            let (name, place) = (json.string(one.name)?.trim().to_owned(), self.string(json, one.name));
            Some(PredicateRating { name, list: one.list, index: one.index, place })
        });
        let mut digest = ReplyDigest {
            method: runtime::Stage::Whole.method(),
            errors: None,
            profile: (!clean.requests.is_empty()).then_some(Profile::Current),
            has_accepted_envelope: true,
            has_losses: false,
            brace: self.at(TextRange::at(json.range(json.root()).start(), TextSize::new(1))),
            surface: self.string(json, clean.surface),
            surface_tokens: tokens::characters(clean.characters),
            unmentioned_files: SmallVec::new(),
            control: self.at(json.range(clean.control)),
            has_intent: true,
            is_greeting: member(json, json.root(), "control_packet")
                .is_some_and(|control| greets(json, control)),
            atoms: updates.map(|(index, (node, says))| self.accepted_atom(json, node, index, says)).collect(),
            memory: operations.filter_map(|(index, node)| self.memory(json, *node, index)).collect(),
            correction: None,
            feedback: rated.collect(),
            numbers: None,
        };
        if context.wants(&LOSSY_TURN) {
            self.unmentioned_files(json, json.root(), clean.updates, &mut digest);
        }
        digest
    }

    fn envelope(
        &self,
        object: &Object<'_>,
        dropped: &[(usize, DropReason)],
        context: &ReplyContext<'_>,
        digest: &mut ReplyDigest,
    ) {
        let caps = &context.settings.caps;
        let json = &object.json;
        let root = json.root();
        let (found, markers) = profile::infer(&object.json);
        digest.profile = (!markers.is_empty()).then_some(found);
        digest.brace = self.at(TextRange::at(json.range(root).start(), TextSize::new(1)));
        if let Some(surface) = member(json, root, "surface_response") {
            digest.surface = self.string(json, surface);
            digest.surface_tokens = tokens::text(&json.string(surface).unwrap_or_default());
        }
        let key =
            json.members(root).find(|one| json.string(one.key).is_some_and(|key| key == "control_packet"));
        let Some(key) = key else { return };
        digest.control = self.at(json.range(key.key));
        let control = key.value;
        digest.has_intent = member(json, control, "intent_classification").is_some();
        digest.is_greeting = greets(json, control);
        if let Some(updates) = member(json, control, "mangle_updates") {
            // Some runtimes accept a single string as a list of one update.
            let lone = Some(updates).filter(|_| caps.runtime.lenient_types && json.string(updates).is_some());
            let kept = lone.into_iter().chain(json.elements(updates)).take(caps.updates()).enumerate();
            let filters = Filters::new(context.settings, context.declarations);
            let atom = |(index, node)| self.atom(json, node, index, dropped, filters);
            digest.atoms = kept.filter_map(atom).collect();
            if context.wants(&LOSSY_TURN) {
                self.unmentioned_files(json, root, updates, digest);
            }
        }
        if let Some(operations) = member(json, control, "memory_operations") {
            let kept = json.elements(operations).take(caps.memory()).enumerate();
            digest.memory = kept.filter_map(|(index, node)| self.memory(json, node, index)).collect();
        }
        if let Some(correction) = member(json, control, "self_correction")
            && member(json, correction, "triggered").is_some_and(|flag| json.kind(flag) == Node::Bool(true))
        {
            let hypothesis = text(json, correction, "hypothesis").unwrap_or_default();
            digest.correction = Some((hash(&*hypothesis), self.at(json.range(correction))));
        }
        if let Some(feedback) = member(json, control, "context_feedback") {
            self.feedback(json, feedback, digest);
        }
        if let Some(metadata) = member(json, control, "execution_metadata") {
            digest.numbers = Some(Box::new(self.numbers(json, metadata)));
        }
    }

    /// Returns the range between the quotes of a string, or the whole range of another value.
    fn string(&self, json: &Json<'_>, node: NodeId) -> TextRange {
        self.at(inside(json, node))
    }

    fn atom(
        &self,
        json: &Json<'_>,
        node: NodeId,
        index: usize,
        dropped: &[(usize, DropReason)],
        filters: Filters<'_>,
    ) -> Option<DigestAtom> {
        let update = json.string(node)?;
        if dropped.binary_search_by_key(&index, |(at, _)| *at).is_ok() {
            return None;
        }
        let fate = filters.update_fate(&update, index);
        Some(DigestAtom { is_accepted: fate.is_kept(), ..self.accepted_atom(json, node, index, &update) })
    }

    /// Returns an update that the consumer accepts.
    fn accepted_atom(&self, json: &Json<'_>, node: NodeId, index: usize, update: &str) -> DigestAtom {
        let said = update.trim();
        let name = said.split('(').next().unwrap_or(said).trim_end();
        DigestAtom {
            index,
            hash: hash(said.strip_suffix('.').unwrap_or(said)),
            predicate: hash(name),
            characters: said.chars().count(),
            is_accepted: true,
            place: self.string(json, node),
            is_campaign: name == "campaign" || name.starts_with("campaign_") || name.starts_with("phase_"),
            fact: self.watched(json, node, update, name).map(Box::new),
        }
    }

    fn watched(&self, json: &Json<'_>, node: NodeId, update: &str, name: &str) -> Option<WatchedFact> {
        let predicate = *WATCHED.get(WATCHED.binary_search(&name).ok()?)?;
        let found = plain::read(update)?;
        let (_, map) = json.string_with_map(node)?;
        let argument = |argument: &plain::Argument| {
            let written = mangle_syntax::text::slice(update, argument.range);
            let text = match argument.kind {
                plain::ArgumentKind::Name => written.strip_prefix('/').unwrap_or(written),
                plain::ArgumentKind::String | plain::ArgumentKind::Escaped => {
                    written.get(1..written.len().saturating_sub(1)).unwrap_or("")
                }
                _ => written,
            };
            let number = match argument.kind {
                plain::ArgumentKind::Number(number) => Some(number),
                _ => None,
            };
            DigestArgument { text: text.to_owned(), number, place: self.at(map.to_source(argument.range)) }
        };
        Some(WatchedFact { predicate, args: found.args.iter().map(argument).collect() })
    }

    fn memory(&self, json: &Json<'_>, node: NodeId, index: usize) -> Option<MemoryDigest> {
        Some(MemoryDigest {
            index,
            op: text(json, node, "op")?.into_owned(),
            key: text(json, node, "key")?.into_owned(),
            place: self.at(json.range(node)),
        })
    }

    fn feedback(&self, json: &Json<'_>, feedback: NodeId, digest: &mut ReplyDigest) {
        for list in ["helpful_facts", "noise_facts"] {
            let Some(names) = member(json, feedback, list) else { continue };
            for (index, node) in json.elements(names).enumerate() {
                let Some(name) = json.string(node) else { continue };
                let (name, place) = (name.trim().to_owned(), self.string(json, node));
                digest.feedback.push(PredicateRating { name, list, index, place });
            }
        }
    }

    fn numbers(&self, json: &Json<'_>, metadata: NodeId) -> Numbers {
        let number = |name: &str| {
            let node = member(json, metadata, name).filter(|node| json.kind(*node) == Node::Number)?;
            let value = std::str::from_utf8(json.raw(node)).ok()?.parse().ok()?;
            Some((value, self.at(json.range(node))))
        };
        let shard = member(json, metadata, "shard_type")
            .and_then(|node| Some((json.string(node)?.into_owned(), self.string(json, node))));
        let (milliseconds, tokens) = (number("execution_time_ms"), number("tokens_used"));
        Numbers { shard, milliseconds, tokens, retries: number("retry_count") }
    }

    /// Collects file names in the surface that no accepted update contains.
    fn unmentioned_files(&self, json: &Json<'_>, root: NodeId, updates: NodeId, digest: &mut ReplyDigest) {
        let Some(node) = member(json, root, "surface_response") else { return };
        let Some(surface) = json.string(node).filter(|surface| surface.contains('.')) else { return };
        let names: Vec<_> = files(&surface).take(16).collect();
        if names.is_empty() {
            return;
        }
        let updates: Vec<NodeId> = json.elements(updates).collect();
        let accepted = digest.atoms.iter().filter(|atom| atom.is_accepted);
        let accepted = accepted.filter_map(|atom| json.string(*updates.get(atom.index)?));
        let atoms: Vec<_> = accepted.collect();
        let Some((_, map)) = json.string_with_map(node) else { return };
        for (name, range) in names {
            let is_told = digest.unmentioned_files.iter().any(|(told, _)| told == name);
            if !is_told && !atoms.iter().any(|atom| atom.contains(name)) {
                digest.unmentioned_files.push((name.to_owned(), self.at(map.to_source(range))));
            }
        }
    }
}

/// True if the intent verb is `greet`.
fn greets(json: &Json<'_>, control: NodeId) -> bool {
    let intent = member(json, control, "intent_classification");
    intent.is_some_and(|intent| {
        text(json, intent, "verb").is_some_and(|verb| verb.trim_start_matches('/') == "greet")
    })
}

/// Returns the number of tokens that the user sees of a reply without an envelope.
fn surface_tokens(reply: &Reply<'_>) -> usize {
    match &reply.reading {
        Ok(reading) if reading.accepted.is_none() => tokens::bytes(&reading.surface),
        _ => 0,
    }
}

/// Returns the range between the quotes of a string, or the whole range of another value.
pub(super) fn inside(json: &Json<'_>, node: NodeId) -> TextRange {
    let range = json.range(node);
    let quote = TextSize::new(1);
    match json.kind(node) {
        Node::Plain | Node::Escaped if range.len() >= quote + quote => {
            TextRange::new(range.start() + quote, range.end() - quote)
        }
        _ => range,
    }
}

/// Returns words that look like file names.
fn files(text: &str) -> impl Iterator<Item = (&str, TextRange)> {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '.' | '/' | '_' | '-');
    let mut at = 0;
    text.split_inclusive(move |char| !is_part(char)).filter_map(move |piece| {
        let start = at;
        at += piece.len();
        let word = piece.trim_end_matches(|char| !is_part(char)).trim_end_matches('.');
        let is_file = runtime::has_extension(word) && !word.starts_with('.');
        is_file.then(|| {
            (word, TextRange::at(mangle_syntax::text::size(start), mangle_syntax::text::size(word.len())))
        })
    })
}

/// True if a prompt reports that the previous reply could not be used.
fn is_error_report(prompt: &[u8]) -> bool {
    static REPORTS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&ERROR_REPORTS.join("|")).ok());
    let head = prompt.get(..4096.min(prompt.len())).unwrap_or(&[]).to_ascii_lowercase();
    REPORTS.as_ref().is_some_and(|reports| reports.is_match(&head))
}

/// Returns hashes of the words that could be predicate names; `None` if there are too many.
fn words(text: &[u8]) -> Option<FxHashSet<u64>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let found = text.split(|byte| !is_part(byte)).filter(|word| word.len() > 1);
    let expected = (text.len() / WORD_LEN).min(MAX_WORDS);
    let mut words = FxHashSet::with_capacity_and_hasher(expected, FxBuildHasher);
    for word in found {
        words.insert(hash(word));
        if words.len() > MAX_WORDS {
            return None;
        }
    }
    Some(words)
}

/// Returns a hash of the error codes and their paths, or `None` if there are no errors.
fn errors(found: &[TranscriptFinding]) -> Option<u64> {
    let mut errors: Vec<_> = found
        .iter()
        .filter(|found| found.finding.severity.or(found.finding.rule.severity) == Some(Severity::Error))
        .map(|found| (found.finding.rule.code, &found.address.path))
        .collect();
    errors.sort_unstable();
    errors.dedup();
    (!errors.is_empty()).then(|| hash(&errors))
}
