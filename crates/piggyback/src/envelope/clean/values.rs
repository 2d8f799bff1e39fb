//! Recognition of valid values: updates, surface, reasoning trace, memory operations, questions, tool
//! requests and context feedback.

use super::{Recogniser, members};
use crate::envelope::atoms::is_ephemeral;
use crate::envelope::fields::{TRACE_MISMATCH, TRACE_SHORT, files, leaked_key};
use crate::envelope::json::{Json, JsonKind, Member, NodeId};
use crate::envelope::memory::{MemoryOperation, is_styled};
use crate::envelope::requests::{is_command, is_dangerous, is_known, is_priority};
use crate::envelope::runtime::is_placeholder;
use crate::envelope::secrets;
use crate::envelope::view::number;

/// The maximum number of items of one kind that are compared pairwise. Envelopes with more items
/// are rejected.
const MAX_ITEMS: usize = 16;

/// The maximum length of a number that a float represents exactly.
const MAX_DIGITS: usize = 15;

/// A predicate in the context feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rating {
    /// The name of the list that contains the predicate.
    pub list: &'static str,
    /// The index in the list.
    pub index: usize,
    /// The string with the name of the predicate.
    pub name: NodeId,
}

impl Recogniser<'_> {
    /// Returns the operations. `may_hold` is true if the envelope may contain secrets.
    pub(super) fn memory(&self, json: &Json<'_>, list: NodeId, may_hold: bool) -> Option<Vec<NodeId>> {
        let operations = elements(json, list, self.context.settings.caps.memory())?;
        let mut keys = Vec::with_capacity(operations.len());
        for node in &operations {
            let [op, key, value] = self.expected.memory.read(json, *node)?;
            let op = json.string(op?.value)?;
            let known =
                MemoryOperation::find(&op).filter(|known| known.stores && known.is_in(self.profile))?;
            let (key, value) = (json.string(key?.value)?, value?.value);
            let is_kept = known.name != "promote_to_long_term" || !is_ephemeral(&key);
            let has_secret = || json.string(value).is_none_or(|value| has_secrets(&key, &value));
            if !is_styled(&key) || !is_kept || !is_filled_string(json, value) || may_hold && has_secret() {
                return None;
            }
            keys.push(key);
        }
        are_different(&keys).then_some(operations)
    }

    /// Accepts a self-correction that is not triggered.
    pub(super) fn correction(&self, json: &Json<'_>, node: NodeId) -> Option<()> {
        let [triggered, hypothesis] = self.expected.correction.read(json, node)?;
        let is_idle = json.kind(triggered?.value) == JsonKind::Bool(false);
        (is_idle && json.is_empty_string(hypothesis?.value)).then_some(())
    }

    /// Returns true if there are any questions.
    pub(super) fn knowledge(&self, json: &Json<'_>, list: NodeId) -> Option<bool> {
        let settings = self.context.settings;
        let requests = elements(json, list, settings.caps.knowledge())?;
        let mut questions = Vec::with_capacity(requests.len());
        for node in &requests {
            let [specialist, query, purpose, priority] = self.expected.knowledge.read(json, *node)?;
            let (specialist, query) = (specialist?.value, query?.value);
            let name = json.string(specialist)?;
            let is_fit = is_filled_string(json, specialist)
                && is_filled_string(json, query)
                && is_known(&name, settings.specialists.as_ref())
                && purpose.is_none_or(|purpose| is_string_member(json, purpose))
                && priority.is_none_or(|one| json.string(one.value).is_some_and(|one| is_priority(&one)));
            if !is_fit {
                return None;
            }
            questions.push((name, json.string(query)?));
        }
        are_different(&questions).then_some(!requests.is_empty())
    }

    /// Returns the rated predicates.
    pub(super) fn feedback(&self, json: &Json<'_>, node: NodeId) -> Option<Vec<Rating>> {
        let [score, helpful, noise, missing] = self.expected.feedback.read(json, node)?;
        let score = number(json, score?.value)?;
        let mut rated = Vec::new();
        for (list, member) in [("helpful_facts", helpful?), ("noise_facts", noise?)] {
            let names = elements(json, member.value, MAX_ITEMS)?.into_iter().enumerate();
            rated.extend(names.map(|(index, name)| Rating { list, index, name }));
        }
        let names: Vec<_> = rated.iter().map(|one| json.string(one.name)).collect::<Option<_>>()?;
        let is_known = |name: &str| {
            let declarations = self.context.declarations.filter(|all| !all.is_empty());
            declarations.is_none_or(|all| all.named(name).next().is_some())
        };
        let are_fit = names.iter().all(|name| !name.contains('(') && is_known(name));
        let lacks = missing.is_some_and(|missing| !json.is_empty_string(missing.value));
        let helped = rated.iter().any(|one| one.list == "helpful_facts");
        let is_text = missing.is_none_or(|missing| is_string_member(json, missing));
        let is_score = (0.0..=1.0).contains(&score) && !(score >= 0.9 && lacks) && !(score <= 0.1 && helped);
        (are_fit && is_text && is_score && are_different(&names)).then_some(rated)
    }

    /// Returns true if there are any tool requests.
    pub(super) fn tools(&self, json: &Json<'_>, list: NodeId) -> Option<bool> {
        let requests = elements(json, list, self.context.settings.caps.tools())?;
        let mut ids = Vec::with_capacity(requests.len());
        for node in &requests {
            let [id, name, args, purpose, required] = self.expected.tool.read(json, *node)?;
            let (id, name, args) = (json.string(id?.value)?, name?.value, args?.value);
            let is_fit = !id.is_empty()
                && is_filled_string(json, name)
                && purpose.is_none_or(|purpose| is_string_member(json, purpose))
                && required.is_none_or(|flag| matches!(json.kind(flag.value), JsonKind::Bool(_)));
            if !is_fit {
                return None;
            }
            let given = arguments(json, args)?;
            if let Some(catalogue) = self.context.tools {
                let name = json.string(name)?;
                let wanted = catalogue.tools.get(name.strip_prefix('/').unwrap_or(&name))?;
                if !wanted.iter().all(|name| given.contains(&name.as_bytes())) {
                    return None;
                }
            }
            ids.push(id);
        }
        are_different(&ids).then_some(!requests.is_empty())
    }
}

/// Returns the argument names of a tool, if no rule has a finding about the arguments.
fn arguments<'t>(json: &Json<'t>, args: NodeId) -> Option<Vec<&'t [u8]>> {
    if json.kind(args) != JsonKind::Object {
        return None;
    }
    // Numbers are short enough to be exact and finite as floats.
    let is_odd = |node: NodeId| {
        json.kind(node) == JsonKind::Number
            && (json.raw(node).len() > MAX_DIGITS
                || json.raw(node).contains(&b'e')
                || json.raw(node).contains(&b'E'))
    };
    if json.nodes_in(args).any(is_odd) {
        return None;
    }
    let mut names = Vec::new();
    for Member { key, value } in json.members(args) {
        let name = members::plain(json, key)?;
        let is_refused = std::str::from_utf8(name).is_ok_and(is_command)
            && json.string(value).is_some_and(|command| is_dangerous(&command));
        if is_refused {
            return None;
        }
        names.push(name);
    }
    are_different(&names).then_some(names)
}

/// Returns the elements of an array with at most `most` elements.
fn elements(json: &Json<'_>, list: NodeId, most: usize) -> Option<Vec<NodeId>> {
    let found: Vec<_> = json.elements(list).take(most.saturating_add(1)).collect();
    (json.kind(list) == JsonKind::Array && found.len() <= most).then_some(found)
}

fn are_different<T: PartialEq>(all: &[T]) -> bool {
    let is_new = |(at, one): (usize, &T)| !all.iter().take(at).any(|other| other == one);
    all.len() <= MAX_ITEMS && all.iter().enumerate().all(is_new)
}

fn is_string_member(json: &Json<'_>, member: Member) -> bool {
    is_string(json, member.value)
}

/// True if a node is a string that is not blank.
fn is_filled_string(json: &Json<'_>, node: NodeId) -> bool {
    is_string(json, node) && json.has_text(node)
}

fn has_secrets(key: &str, text: &str) -> bool {
    !secrets::secrets_of(key, text).is_empty()
}

impl Recogniser<'_> {
    /// Checks the reasoning trace, which is required if `changes` is set.
    pub(super) fn trace(
        &self,
        json: &Json<'_>,
        trace: Option<Member>,
        target: NodeId,
        changes: bool,
    ) -> Option<()> {
        let Some(Member { value, .. }) = trace else { return (!changes).then_some(()) };
        let raw = json.raw(value);
        let settings = self.context.settings;
        if !is_string(json, value) || raw.len() > settings.caps.trace() {
            return None;
        }
        if !json.has_text(value) {
            return (!changes).then_some(());
        }
        let wanted = usize::try_from(settings.min_trace_words).unwrap_or(usize::MAX);
        if self.context.wants(&TRACE_SHORT)
            && words(raw) < wanted
            && json.string(value)?.split_whitespace().count() < wanted
        {
            return None;
        }
        let is_told = !self.context.wants(&TRACE_MISMATCH) || !may_name_files(raw) || {
            let (trace, target) = (json.string(value)?, json.string(target)?);
            files(&trace).all(|file| {
                target.contains(file) || self.buffer.updates().any(|(_, text)| text.contains(file))
            })
        };
        is_told.then_some(())
    }

    /// Checks the surface and returns its length in characters.
    pub(super) fn surface(
        &mut self,
        json: &Json<'_>,
        surface: NodeId,
        asks: bool,
        runs: bool,
    ) -> Option<usize> {
        let cap = self.context.settings.caps.surface();
        if !json.has_text(surface) || cap > 0 && json.raw(surface).len() > cap {
            return None;
        }
        self.buffer.surface.clear();
        json.push_string(surface, &mut self.buffer.surface);
        let text = &self.buffer.surface;
        if self.context.settings.caps.runtime.placeholders && is_placeholder(text.as_bytes()) {
            return None;
        }
        let phrase = match (runs, asks) {
            (true, _) => self.claims.first_in(text),
            (false, true) => None,
            (false, false) => self.ignorance.first_in(text),
        };
        let is_told = leaked_key(text).is_some()
            || text.contains('(') && self.buffer.updates().any(|(_, update)| repeats(text, update));
        (phrase.is_none() && !is_told).then(|| text.chars().count())
    }
}

/// True if a text may contain an update.
fn repeats(text: &str, update: &str) -> bool {
    text.contains(update.trim().trim_end_matches('.'))
}

pub(super) fn is_string(json: &Json<'_>, node: NodeId) -> bool {
    matches!(json.kind(node), JsonKind::Plain | JsonKind::Escaped)
}

/// True if an escape may be a surrogate.
pub(super) fn has_surrogates(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"\\ud").is_some() || memchr::memmem::find(text, b"\\uD").is_some()
}

/// Returns a lower bound for the number of words in a string: letters after a space, which is not
/// part of an escape.
fn words(raw: &[u8]) -> usize {
    let pairs = raw.iter().zip(raw.get(1..).unwrap_or(&[]));
    let begins = |(one, other): (&u8, &u8)| usize::from(*one == b' ' && other.is_ascii_alphanumeric());
    pairs.map(begins).sum()
}

/// True if a string may contain file names: a period before a letter or an escape.
fn may_name_files(raw: &[u8]) -> bool {
    let pairs = raw.iter().zip(raw.get(1..).unwrap_or(&[]));
    // No early exit, so that the loop can be vectorized.
    pairs.fold(false, |any, (one, other)| {
        any | (*one == b'.' && (other.is_ascii_alphabetic() || *other == b'\\'))
    })
}
