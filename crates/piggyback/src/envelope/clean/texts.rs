//! The texts of an envelope: its updates, its surface, its reasoning.

use rustc_hash::FxHashSet;

use super::Recogniser;
use crate::envelope::fields::{TRACE_MISMATCH, TRACE_SHORT, files, leaked_key};
use crate::envelope::json::{Json, JsonKind, Member, NodeId};

/// From how many updates on texts are looked up rather than compared.
const FEW: usize = 16;

/// The updates of an envelope, and room for its surface.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// What the updates say, one behind the other.
    text: String,
    /// Each update, and where its text ends.
    ends: Vec<(NodeId, usize)>,
    surface: String,
}

impl Buffer {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Adds an update; gives what it says.
    pub(super) fn push(&mut self, json: &Json<'_>, node: NodeId) -> Option<&str> {
        let start = self.text.len();
        let is_text = json.push_string(node, &mut self.text);
        self.ends.push((node, self.text.len()));
        self.text.get(start..).filter(|_| is_text)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The updates and what they say.
    pub(super) fn updates(&self) -> impl Iterator<Item = (NodeId, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |(node, end)| {
            let text = self.text.get(start..*end).unwrap_or("");
            start = *end;
            (*node, text)
        })
    }

    /// Whether no update says what another one says.
    pub(super) fn are_different(&self) -> bool {
        let texts = || self.updates().map(|(_, text)| text);
        if self.len() < FEW {
            return texts().enumerate().all(|(at, text)| !texts().take(at).any(|other| other == text));
        }
        let mut seen = FxHashSet::default();
        texts().all(|text| seen.insert(text))
    }
}

impl Recogniser<'_> {
    /// Looks at the reasoning trace, which has to be there where something `changes`.
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
        if !is_string(json, value) || raw.len() > settings.caps.trace {
            return None;
        }
        if !json.says(value) {
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

    /// Looks at what a person sees; gives how many characters that are.
    pub(super) fn surface(
        &mut self,
        json: &Json<'_>,
        surface: NodeId,
        asks: bool,
        runs: bool,
    ) -> Option<usize> {
        let cap = self.context.settings.caps.surface;
        if !json.says(surface) || cap > 0 && json.raw(surface).len() > cap {
            return None;
        }
        self.buffer.surface.clear();
        json.push_string(surface, &mut self.buffer.surface);
        let text = &self.buffer.surface;
        let phrase = match (runs, asks) {
            (true, _) => self.claims.first_in(text),
            (false, true) => None,
            (false, false) => self.ignorance.first_in(text),
        };
        let is_told =
            leaked_key(text).is_some() || self.buffer.updates().any(|(_, update)| repeats(text, update));
        (phrase.is_none() && !is_told).then(|| text.chars().count())
    }
}

/// Whether a text may have an update in it.
fn repeats(text: &str, update: &str) -> bool {
    text.contains('(') && text.contains(update.trim().trim_end_matches('.'))
}

pub(super) fn is_string(json: &Json<'_>, node: NodeId) -> bool {
    matches!(json.kind(node), JsonKind::Plain | JsonKind::Escaped)
}

/// Whether some escape may be half of a surrogate pair.
pub(super) fn has_surrogates(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"\\ud").is_some() || memchr::memmem::find(text, b"\\uD").is_some()
}

/// How many words a string has at least: letters behind a space, which no escape has in it.
fn words(raw: &[u8]) -> usize {
    let pairs = raw.iter().zip(raw.get(1..).unwrap_or(&[]));
    let begins = |(one, other): (&u8, &u8)| usize::from(*one == b' ' && other.is_ascii_alphanumeric());
    pairs.map(begins).sum()
}

/// Whether a string may have names of files in it: a full stop in front of a letter, or of an escape.
fn may_name_files(raw: &[u8]) -> bool {
    let pairs = raw.iter().zip(raw.get(1..).unwrap_or(&[]));
    // All of them, so that several are compared at once.
    pairs.fold(false, |any, (one, other)| {
        any | (*one == b'.' && (other.is_ascii_alphabetic() || *other == b'\\'))
    })
}
