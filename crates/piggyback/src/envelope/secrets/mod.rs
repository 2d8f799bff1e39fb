//! Detection of credentials in text, for the rules about secrets and for masking output.
//!
//! The detectors are:
//! - key formats of known services and private keys (`key_formats`)
//! - values after a name such as `password`, and random strings (`labels`)
//! - passwords in URLs
//!
//! Escapes of JSON and Mangle strings are decoded. A fast check (`prefilter`) skips most texts
//! without secrets. The running time is linear in the length of the text.

mod context;
mod key_formats;
mod labels;
mod prefilter;
#[cfg(test)]
mod tests;

pub use context::SecretContext;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// The replacement for a secret.
pub const MASK: &str = "[redacted]";

/// The minimum length in bytes of a secret that follows a name.
const SHORTEST_NAMED: usize = 6;

/// The minimum length in bytes of a key that consists only of letters.
const SHORTEST_KEY: usize = 20;

/// True if output shows secrets. Set once, at the start of the process.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// Disables masking for the whole process (`--no-redact`).
pub fn show_secrets() {
    SHOWN.store(true, Ordering::Relaxed);
}

/// True if output shows secrets.
#[must_use]
pub fn are_shown() -> bool {
    SHOWN.load(Ordering::Relaxed)
}

/// A text that looks like a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// The byte range of the secret.
    pub range: Range<usize>,
    /// A description, for example `a GitHub token`.
    pub kind: &'static str,
}

/// Returns the likely credentials in a text, in order and without overlaps.
#[must_use]
pub fn secrets(text: &str) -> Vec<Secret> {
    if prefilter::is_free(text) { Vec::new() } else { search(text) }
}

/// Searches for credentials like [`secrets`], without the fast check.
fn search(text: &str) -> Vec<Secret> {
    let mut found = scan(text);
    let mut layer = decoded_once(text);
    for _ in 0..MAX_ESCAPE_LEVELS {
        let Some(plain) = layer else { break };
        found.extend(
            scan(&plain.text)
                .into_iter()
                .map(|secret| Secret { range: plain.to_source(&secret.range), kind: secret.kind }),
        );
        layer = plain.next();
    }
    merged(found)
}

/// Returns the likely credentials in the value of a member. The name of the member may identify a
/// secret.
#[must_use]
pub fn secrets_of(name: &str, value: &str) -> Vec<Secret> {
    let front = format!("\"{name}\": \"");
    let found = secrets(&format!("{front}{value}\""));
    let at = |offset: usize| offset.saturating_sub(front.len()).min(value.len());
    let shifted = found.into_iter().map(|secret| {
        let range = at(secret.range.start)..at(secret.range.end);
        Secret { range, kind: secret.kind }
    });
    shifted.filter(|secret| !secret.range.is_empty()).collect()
}

/// Returns the texts with a known key format, in order and without overlaps. Names such as
/// `password` are ignored.
#[must_use]
pub fn keys(text: &str) -> Vec<Secret> {
    key_formats::all(text).into_iter().map(|(range, kind)| Secret { range, kind }).collect()
}

/// True if a fast check shows that neither a text nor its decoded strings contain a credential.
#[must_use]
pub fn is_free(text: &str) -> bool {
    prefilter::is_free(text)
}

/// Returns the likely credentials in bytes. No secret spans invalid UTF-8.
#[must_use]
pub fn secrets_in(bytes: &[u8]) -> Vec<Secret> {
    match std::str::from_utf8(bytes) {
        Ok(text) => secrets(text),
        Err(_) => secrets(&substituted(bytes)),
    }
}

/// Replaces each byte that is not UTF-8 with one control character. Lengths do not change.
#[must_use]
pub fn substituted(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
    }
    text
}

/// Replaces each secret with [`MASK`], unless output shows secrets.
#[must_use]
pub fn redacted(text: &str) -> Cow<'_, str> {
    replaced(text, &|_| MASK.into())
}

/// Replaces each byte of a secret with an asterisk, unless output shows secrets. Line breaks are
/// kept.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    replaced(text, &asterisks)
}

/// Masks like [`masked`], and returns the secrets. The text is searched once. No secrets are returned
/// if output shows them.
#[must_use]
pub fn masked_with_secrets(text: &str) -> (Cow<'_, str>, SecretContext) {
    let mut context = SecretContext::default();
    if are_shown() {
        return (text.into(), context);
    }
    let found = secrets(text);
    context.add_found(text, &found);
    (replace(text, &found, &asterisks), context)
}

/// Replaces each secret in the value of a member with [`MASK`], unless output shows secrets.
#[must_use]
pub fn redacted_of<'t>(name: &str, value: &'t str) -> Cow<'t, str> {
    if are_shown() {
        return value.into();
    }
    replace(value, &secrets_of(name, value), &|_| MASK.into())
}

fn asterisks(secret: &str) -> Cow<'static, str> {
    let mask = |byte: u8| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { '*' };
    secret.bytes().map(mask).collect()
}

/// Masks like [`masked`], even if output shows secrets. For output that must be the same in each
/// run.
#[must_use]
pub fn masked_always(text: &str) -> Cow<'_, str> {
    replace(text, &secrets(text), &asterisks)
}

fn replaced<'t>(text: &'t str, mask: &dyn Fn(&str) -> Cow<'static, str>) -> Cow<'t, str> {
    if are_shown() {
        return text.into();
    }
    replace(text, &secrets(text), mask)
}

fn replace<'t>(text: &'t str, found: &[Secret], mask: &dyn Fn(&str) -> Cow<'static, str>) -> Cow<'t, str> {
    if found.is_empty() {
        return text.into();
    }
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for Secret { range, .. } in found {
        out.push_str(text.get(at..range.start).unwrap_or(""));
        out.push_str(&mask(text.get(range.clone()).unwrap_or("")));
        at = range.end.max(at);
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out.into()
}

/// Sorts secrets and merges overlaps.
fn merged(mut found: Vec<Secret>) -> Vec<Secret> {
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end)));
    let mut out: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in found {
        match out.last_mut().filter(|last| last.range.end > secret.range.start) {
            Some(last) => last.range.end = last.range.end.max(secret.range.end),
            None => out.push(secret),
        }
    }
    out
}

/// Returns the secrets of a text without decoding escapes.
fn scan(text: &str) -> Vec<Secret> {
    let blocks = key_formats::private_keys(text);
    let (mut found, mut ahead, mut end) = (Vec::new(), blocks.iter().peekable(), 0);
    for word in words(text) {
        while let Some(block) = ahead.next_if(|block| block.range.end <= word.start) {
            found.push(block.clone());
        }
        let is_in_block = ahead.peek().is_some_and(|block| block.range.start < word.end);
        if is_in_block || word.start < end {
            continue;
        }
        for secret in secrets_of_word(text, &word) {
            end = end.max(secret.range.end);
            found.push(secret);
        }
    }
    found.extend(ahead.cloned());
    found
}

/// Returns the words of a text that may be secrets, separated by white space, quotes, brackets and
/// commas.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    let parts = text.as_bytes().split(|byte| IS_BORDER[usize::from(*byte)]).map(move |part| {
        let start = at;
        at += part.len() + 1;
        start..start + part.len()
    });
    // If the unsplit part is harmless, all of its pieces are harmless.
    parts.filter(|part| text.get(part.clone()).is_some_and(|word| !is_harmless(word))).flat_map(|part| {
        let mut at = part.start;
        let part = text.get(part).unwrap_or("");
        // White space outside of ASCII.
        part.split_inclusive(char::is_whitespace).filter_map(move |piece| {
            let (start, word) = (at, piece.trim_end_matches(char::is_whitespace));
            at += piece.len();
            (!word.is_empty()).then_some(start..start + word.len())
        })
    })
}

/// ASCII characters that separate words.
static IS_BORDER: [bool; 256] = {
    let (borders, mut table, mut at) = (b" \t\n\x0b\x0c\r\"'`,;()[]{}<>&?|", [false; 256], 0);
    while at < borders.len() {
        table[borders[at] as usize] = true;
        at += 1;
    }
    table
};

/// True if a word cannot be a secret: it is too short, or consists of letters and is too short for
/// a key.
fn is_harmless(word: &str) -> bool {
    word.len() < SHORTEST_NAMED
        || (word.len() < SHORTEST_KEY && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// Returns the secrets in a word: keys, a password in a URL, or a value after a name.
fn secrets_of_word(text: &str, word: &Range<usize>) -> Vec<Secret> {
    let Some(here) = text.get(word.clone()) else { return Vec::new() };
    let part = |from: usize, to: usize, kind| Secret { range: word.start + from..word.start + to, kind };
    let keys = key_formats::all(here).into_iter().map(|(range, kind)| part(range.start, range.end, kind));
    let address = in_address(here).map(|(from, to)| part(from, to, "a password"));
    let found: Vec<_> = address.into_iter().chain(keys).collect();
    if found.is_empty() { named_or_random(text, word).into_iter().collect() } else { found }
}

/// Returns the secret in a word that is identified by a preceding name or by its randomness.
fn named_or_random(text: &str, word: &Range<usize>) -> Option<Secret> {
    let here = text.get(word.clone())?;
    // `KEY=value` or `key:value`. A trailing `=` is padding.
    let inner = here.trim_end_matches('=');
    let starts = inner.match_indices(['=', ':']).map(|(at, _)| at + 1).filter(|at| *at < inner.len());
    for from in std::iter::once(0).chain(starts.take(MAX_PARTS)) {
        let token = trimmed(here.get(from..)?);
        if let Some((end, kind)) = labels::find(text, word.start + from, token) {
            return Some(Secret { range: word.start + from..end, kind });
        }
    }
    let last = inner.rfind(['=', ':']).map_or(0, |at| at + 1);
    let token = trimmed(here.get(last..)?);
    let range = word.start + last..word.start + last + token.len();
    labels::is_random(here, token).then_some(Secret { range, kind: "a key" })
}

/// The maximum number of parts of a word that are checked for a preceding name.
const MAX_PARTS: usize = 8;

/// Removes trailing punctuation and a trailing escape from a word.
fn trimmed(word: &str) -> &str {
    let word = word.split('\\').next().unwrap_or(word);
    count_steps(word.len());
    word.trim_end_matches(['.', '!', '?', ':'])
}

/// Returns the range of the password in `scheme://user:password@host`.
fn in_address(word: &str) -> Option<(usize, usize)> {
    count_steps(word.len());
    let user = word.find("://")? + 3;
    let rest = word.get(user..)?;
    let authority = rest.split('/').next()?;
    let at = authority.rfind('@')?;
    let colon = authority.get(..at)?.find(':')?;
    let is_blank = authority.get(colon + 1..at).is_none_or(labels::is_placeholder);
    (colon + 1 < at && !is_blank).then_some((user + colon + 1, user + at))
}

/// The maximum nesting depth of strings in strings.
const MAX_ESCAPE_LEVELS: usize = 4;

/// A text after decoding its outermost escapes.
struct Decoded {
    pub(super) text: String,
    /// For each byte of the text and for its end, the offset in the source.
    places: Vec<u32>,
}

impl Decoded {
    /// Maps a range to the source.
    pub(super) fn to_source(&self, range: &Range<usize>) -> Range<usize> {
        let at = |offset: usize| self.places.get(offset).map_or(0, |place| *place as usize);
        at(range.start)..at(range.end)
    }

    /// Decodes the next level of escapes. `None` if the text has no escapes.
    pub(super) fn next(&self) -> Option<Self> {
        let inner = decoded_once(&self.text)?;
        let places = inner.places.iter().map(|place| self.places.get(*place as usize).copied().unwrap_or(0));
        Some(Self { places: places.collect(), text: inner.text })
    }
}

/// Decodes the outermost escapes and removes invisible characters. `None` if the text has neither.
fn decoded_once(text: &str) -> Option<Decoded> {
    let may_hide = !text.is_ascii() && text.contains(is_hidden);
    if !may_hide && memchr::memchr(b'\\', text.as_bytes()).is_none() || u32::try_from(text.len()).is_err() {
        return None;
    }
    count_steps(text.len());
    let mut out = Decoded { text: String::with_capacity(text.len()), places: Vec::with_capacity(text.len()) };
    let mut at = 0;
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at + first.len_utf8()..).unwrap_or("");
        let (char, len) = match first {
            '\\' => escape(rest).map_or((Some('\\'), 1), |(char, len)| (char, len + 1)),
            _ if is_hidden(first) => (None, first.len_utf8()),
            _ => (Some(first), first.len_utf8()),
        };
        if let Some(char) = char.filter(|char| !is_hidden(*char)) {
            out.text.push(char);
            let place = u32::try_from(at).unwrap_or(u32::MAX);
            out.places.extend(std::iter::repeat_n(place, char.len_utf8()));
        }
        at += len;
    }
    out.places.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
    Some(out)
}

/// Returns the character of an escape and the length of the escape after the backslash.
fn escape(rest: &str) -> Option<(Option<char>, usize)> {
    let simple = |char| Some((Some(char), 1));
    match rest.bytes().next()? {
        b'n' => simple('\n'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'"' => simple('"'),
        b'\'' => simple('\''),
        b'\\' => simple('\\'),
        b'/' => simple('/'),
        b'x' => hex(rest.get(1..3)?).map(|char| (Some(char), 3)),
        b'u' if rest.as_bytes().get(1) == Some(&b'{') => {
            let end = rest.bytes().take(10).position(|byte| byte == b'}')?;
            hex(rest.get(2..end)?).map(|char| (Some(char), end + 1))
        }
        b'u' => hex(rest.get(1..5)?).map(|char| (Some(char), 5)),
        _ => None,
    }
}

fn hex(digits: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

/// True if a character has zero width.
fn is_hidden(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts bytes that a detector reads.
#[inline]
fn count_steps(bytes: usize) {
    #[cfg(test)]
    STEPS.with(|steps| steps.set(steps.get() + bytes + 1));
    #[cfg(not(test))]
    let _ = bytes;
}

/// Returns the number of bytes since the latest call.
#[cfg(test)]
fn take_steps() -> usize {
    STEPS.with(std::cell::Cell::take)
}
