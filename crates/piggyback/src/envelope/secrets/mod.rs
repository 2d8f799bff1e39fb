//! Texts that look like credentials: the one detector for the rules about them and for what output masks.
//!
//! Finds the forms in which services write their keys (`known`), private keys (`blocks`), what follows a name such as
//! `password` (`named`), passwords in addresses and words of random letters (`random`), also behind escapes of JSON and
//! Mangle (`decoded`). Most texts are told free of them by one look (`quick`). Takes time that grows with the text alone.

mod blocks;
#[cfg(test)]
mod complexity_tests;
mod context;
mod escapes;
mod key_formats;
mod labels;
mod names;
mod prefilter;
mod random;
mod steps;
#[cfg(test)]
mod tests;

pub use context::SecretContext;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is put in the place of a secret.
pub const MASK: &str = "[redacted]";

/// How short a secret may be that follows a name.
const SHORTEST_NAMED: usize = 6;

/// How short a key may be that has nothing but letters in it.
const SHORTEST_KEY: usize = 20;

/// Whether output shows secrets. Set once, at the start of the process.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// Lets output show secrets from now on, in the whole process: `--no-redact`.
pub fn show_secrets() {
    SHOWN.store(true, Ordering::Relaxed);
}

/// Whether output shows secrets.
#[must_use]
pub fn are_shown() -> bool {
    SHOWN.load(Ordering::Relaxed)
}

/// Something that looks like a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Its bytes.
    pub range: Range<usize>,
    /// What it looks like: `a GitHub token`.
    pub kind: &'static str,
}

/// What in a text looks like a credential, in order and without overlaps.
#[must_use]
pub fn secrets(text: &str) -> Vec<Secret> {
    if prefilter::is_free(text) { Vec::new() } else { search(text) }
}

/// [`secrets`] without a quick look first.
fn search(text: &str) -> Vec<Secret> {
    let mut found = scan(text);
    let mut layer = escapes::once(text);
    for _ in 0..escapes::LEVELS {
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

/// The same in the value of a member that is called `name`, which may tell what it is.
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

/// What in a text has the form of a key, in order and without overlaps: words that follow names such as `password` do not.
#[must_use]
pub fn keys(text: &str) -> Vec<Secret> {
    key_formats::all(text).into_iter().map(|(range, kind)| Secret { range, kind }).collect()
}

/// Whether it is certain, told by a quick look, that neither a text nor what its strings say looks like a credential.
#[must_use]
pub fn is_free(text: &str) -> bool {
    prefilter::is_free(text)
}

/// The same in some bytes; where they are no UTF-8, nothing is found across.
#[must_use]
pub fn secrets_in(bytes: &[u8]) -> Vec<Secret> {
    match std::str::from_utf8(bytes) {
        Ok(text) => secrets(text),
        Err(_) => secrets(&substituted(bytes)),
    }
}

/// Text with one control character for each byte that is no UTF-8, so that lengths stay.
#[must_use]
pub fn substituted(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
    }
    text
}

/// A text with [`MASK`] in place of each secret, unless output shows them.
#[must_use]
pub fn redacted(text: &str) -> Cow<'_, str> {
    replaced(text, &|_| MASK.into())
}

/// A text with asterisks in place of each secret, as many as it has bytes, unless output shows them. Line ends stay.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    replaced(text, &asterisks)
}

/// The value of a member that is called `name`, with [`MASK`] in place of each secret, unless output shows them.
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

/// [`masked`], whatever output shows: for what has to be the same in each run.
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

/// In order, each byte in one of them at most.
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

/// The secrets of a text as it is written.
fn scan(text: &str) -> Vec<Secret> {
    let blocks = blocks::blocks(text);
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

/// The words of a text that may be secrets: what is between white space, quotes, brackets and commas.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    let parts = text.as_bytes().split(|byte| IS_BORDER[usize::from(*byte)]).map(move |part| {
        let start = at;
        at += part.len() + 1;
        start..start + part.len()
    });
    // What is harmless as one has nothing in it that is not.
    parts.filter(|part| text.get(part.clone()).is_some_and(|word| !is_harmless(word))).flat_map(|part| {
        let mut at = part.start;
        let part = text.get(part).unwrap_or("");
        // White space of other scripts than ours.
        part.split_inclusive(char::is_whitespace).filter_map(move |piece| {
            let (start, word) = (at, piece.trim_end_matches(char::is_whitespace));
            at += piece.len();
            (!word.is_empty()).then_some(start..start + word.len())
        })
    })
}

/// The borders of words that are one byte.
static IS_BORDER: [bool; 256] = {
    let (borders, mut table, mut at) = (b" \t\n\x0b\x0c\r\"'`,;()[]{}<>&?|", [false; 256], 0);
    while at < borders.len() {
        table[borders[at] as usize] = true;
        at += 1;
    }
    table
};

/// Whether nothing below can make a secret of a word: it is too short, or a word of letters that is too short for a key.
fn is_harmless(word: &str) -> bool {
    word.len() < SHORTEST_NAMED
        || (word.len() < SHORTEST_KEY && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// The secrets in a word: keys and a password in an address, or one that a name tells.
fn secrets_of_word(text: &str, word: &Range<usize>) -> Vec<Secret> {
    let Some(here) = text.get(word.clone()) else { return Vec::new() };
    let part = |from: usize, to: usize, kind| Secret { range: word.start + from..word.start + to, kind };
    let keys = key_formats::all(here).into_iter().map(|(range, kind)| part(range.start, range.end, kind));
    let address = in_address(here).map(|(from, to)| part(from, to, "a password"));
    let found: Vec<_> = address.into_iter().chain(keys).collect();
    if found.is_empty() { named_or_random(text, word).into_iter().collect() } else { found }
}

/// The secret in a word that a name before it or its own letters tell.
fn named_or_random(text: &str, word: &Range<usize>) -> Option<Secret> {
    let here = text.get(word.clone())?;
    // `KEY=value`, `key:value`; `=` at the end is padding.
    let inner = here.trim_end_matches('=');
    let starts = inner.match_indices(['=', ':']).map(|(at, _)| at + 1).filter(|at| *at < inner.len());
    for from in std::iter::once(0).chain(starts.take(MOST_PARTS)) {
        let token = trimmed(here.get(from..)?);
        if let Some((end, kind)) = labels::find(text, word.start + from, token) {
            return Some(Secret { range: word.start + from..end, kind });
        }
    }
    let last = inner.rfind(['=', ':']).map_or(0, |at| at + 1);
    let token = trimmed(here.get(last..)?);
    let range = word.start + last..word.start + last + token.len();
    random::is_random(here, token).then_some(Secret { range, kind: "a key" })
}

/// How many parts of a word may follow a name.
const MOST_PARTS: usize = 8;

/// A word without the punctuation of the sentence that it ends, and without an escape behind it.
fn trimmed(word: &str) -> &str {
    let word = word.split('\\').next().unwrap_or(word);
    steps::count(word.len());
    word.trim_end_matches(['.', '!', '?', ':'])
}

/// The password of `scheme://user:password@host`.
fn in_address(word: &str) -> Option<(usize, usize)> {
    steps::count(word.len());
    let user = word.find("://")? + 3;
    let rest = word.get(user..)?;
    let authority = rest.split('/').next()?;
    let at = authority.rfind('@')?;
    let colon = authority.get(..at)?.find(':')?;
    let is_blank = authority.get(colon + 1..at).is_none_or(labels::is_placeholder);
    (colon + 1 < at && !is_blank).then_some((user + colon + 1, user + at))
}
