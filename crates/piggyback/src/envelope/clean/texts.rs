//! Recognition of valid texts: updates, surface and reasoning trace.

use super::Recogniser;
use crate::envelope::fields::{TRACE_MISMATCH, TRACE_SHORT, files, leaked_key};
use crate::envelope::json::{Json, JsonKind, Member, NodeId};
use crate::envelope::runtime::is_placeholder;

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
