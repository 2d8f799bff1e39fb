//! Detection of credentials by the key formats of known services, and of PEM private keys.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::Secret;

/// The set of characters in a key.
#[derive(Clone, Copy)]
enum Letters {
    /// Letters and digits.
    Plain,
    /// Uppercase letters and digits.
    Capitals,
    /// Hexadecimal digits.
    Hex,
    /// Letters, digits, `-` and `_`.
    Url,
    /// The characters of `Url` and `.`, `/`, `+`, `=`.
    Any,
}

impl Letters {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Plain => byte.is_ascii_alphanumeric(),
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Any => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'+' | b'=')
            }
        }
    }
}

use Letters::{Any, Capitals, Hex, Plain, Url};

/// Key prefixes, the minimum length and character set of the rest, and a description of the key.
#[rustfmt::skip] // One row a service.
const BEGINNINGS: &[(&str, usize, Letters, &str)] = &[
    ("sk-", 16, Url, "an API key"),
    ("sk_live_", 10, Plain, "a Stripe key"), ("sk_test_", 10, Plain, "a Stripe key"),
    ("rk_live_", 10, Plain, "a Stripe key"), ("rk_test_", 10, Plain, "a Stripe key"),
    ("pk_live_", 10, Plain, "a Stripe key"), ("whsec_", 20, Any, "a Stripe secret"),
    ("ghp_", 20, Plain, "a GitHub token"), ("gho_", 20, Plain, "a GitHub token"),
    ("ghu_", 20, Plain, "a GitHub token"), ("ghs_", 20, Plain, "a GitHub token"),
    ("ghr_", 20, Plain, "a GitHub token"), ("github_pat_", 20, Url, "a GitHub token"),
    ("glpat-", 16, Url, "a GitLab token"), ("gldt-", 16, Url, "a GitLab token"),
    ("glrt-", 16, Url, "a GitLab token"), ("glcbt-", 16, Url, "a GitLab token"),
    ("glptt-", 16, Url, "a GitLab token"), ("glsoat-", 16, Url, "a GitLab token"),
    ("glagent-", 16, Url, "a GitLab token"), ("glft-", 16, Url, "a GitLab token"),
    ("xoxb-", 10, Url, "a Slack token"), ("xoxp-", 10, Url, "a Slack token"),
    ("xoxa-", 10, Url, "a Slack token"), ("xoxr-", 10, Url, "a Slack token"),
    ("xoxs-", 10, Url, "a Slack token"), ("xoxe-", 10, Url, "a Slack token"),
    ("xoxe.", 10, Any, "a Slack token"), ("xapp-", 10, Url, "a Slack token"),
    ("hooks.slack.com/services/", 20, Any, "a Slack webhook"),
    ("hooks.slack.com/workflows/", 20, Any, "a Slack webhook"),
    ("discord.com/api/webhooks/", 30, Any, "a Discord webhook"),
    ("discordapp.com/api/webhooks/", 30, Any, "a Discord webhook"),
    ("AKIA", 16, Capitals, "an AWS key"), ("ASIA", 16, Capitals, "an AWS key"),
    ("ABIA", 16, Capitals, "an AWS key"), ("ACCA", 16, Capitals, "an AWS key"),
    ("AIza", 30, Url, "a Google API key"), ("ya29.", 20, Any, "a Google token"),
    ("GOCSPX-", 20, Url, "a Google secret"),
    ("npm_", 30, Plain, "an npm token"), ("pypi-", 30, Url, "a PyPI token"),
    ("rubygems_", 30, Hex, "a RubyGems token"), ("dckr_pat_", 20, Url, "a Docker token"),
    ("hf_", 20, Plain, "a Hugging Face token"), ("r8_", 30, Plain, "a Replicate token"),
    ("gsk_", 30, Plain, "a Groq key"), ("xai-", 30, Plain, "an xAI key"), ("pplx-", 30, Plain, "a Perplexity key"),
    ("dop_v1_", 30, Hex, "a DigitalOcean token"), ("doo_v1_", 30, Hex, "a DigitalOcean token"),
    ("dor_v1_", 30, Hex, "a DigitalOcean token"),
    ("SG.", 30, Any, "a SendGrid key"), ("key-", 32, Hex, "a Mailgun key"),
    ("shpat_", 30, Hex, "a Shopify token"), ("shpss_", 30, Hex, "a Shopify secret"),
    ("shpca_", 30, Hex, "a Shopify token"), ("shppa_", 30, Hex, "a Shopify token"),
    ("sq0atp-", 20, Url, "a Square token"), ("sq0csp-", 30, Url, "a Square secret"),
    ("lin_api_", 30, Plain, "a Linear key"), ("ntn_", 30, Plain, "a Notion token"),
    ("figd_", 30, Url, "a Figma token"), ("PMAK-", 30, Url, "a Postman key"),
    ("hvs.", 20, Url, "a Vault token"), ("hvb.", 20, Url, "a Vault token"), ("hvr.", 20, Url, "a Vault token"),
    ("ATATT3", 30, Any, "an Atlassian token"), ("ATCTT3", 30, Any, "an Atlassian token"),
    ("dapi", 32, Hex, "a Databricks token"), ("pul-", 40, Hex, "a Pulumi token"),
    ("NRAK-", 20, Capitals, "a New Relic key"), ("glsa_", 30, Url, "a Grafana token"),
    ("glc_", 30, Any, "a Grafana token"), ("sntrys_", 30, Any, "a Sentry token"), ("sntryu_", 30, Hex, "a Sentry token"),
    ("tskey-", 20, Url, "a Tailscale key"), ("fo1_", 30, Url, "a Fly.io token"), ("fm2_", 60, Any, "a Fly.io token"),
    ("CFPAT-", 40, Url, "a Contentful token"), ("dp.pt.", 30, Plain, "a Doppler token"),
    ("dp.st.", 30, Any, "a Doppler token"), ("EZAK", 50, Plain, "an EasyPost key"),
    ("AGE-SECRET-KEY-1", 40, Capitals, "an age key"), ("PuTTY-User-Key-File-", 1, Any, "a private key"),
    ("eyJ", 30, Any, "a JSON web token"),
];

/// Prefixes that are also suffixes of words. Such a prefix begins a key only at the start of a
/// word.
const WORD_ENDS: &[&str] = &["key-", "pul-"];

/// The minimum length of a prefix that begins a key after a letter.
const DISTINCT: usize = 5;

/// Shorter prefixes that begin a key after a letter.
const ALSO_DISTINCT: &[&str] =
    &["AKIA", "ASIA", "ABIA", "ACCA", "AIza", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "hvs.", "hvb.", "hvr."];

/// The maximum length of a word with keys after a letter, a digit, `_` or `-`. Longer words are
/// data, for example images.
const MAX_NAME_LEN: usize = 512;

/// A search for key prefixes. `None` if the pattern is invalid.
static SEARCH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let all: Vec<_> = BEGINNINGS.iter().map(|row| regex::escape(row.0)).collect();
    Regex::new(&format!("(?-u:{})", all.join("|"))).ok()
});

/// Returns the key prefixes.
#[cfg(test)]
pub(super) fn beginnings() -> impl Iterator<Item = &'static str> {
    BEGINNINGS.iter().map(|row| row.0)
}

/// Returns the first key in a word.
pub(super) fn find(word: &str) -> Option<(Range<usize>, &'static str)> {
    all(word).into_iter().next()
}

/// Returns the keys in a word, in order and without overlaps. Takes time linear in the length of
/// the word.
pub(super) fn all(word: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found: Vec<(Range<usize>, &'static str)> = Vec::new();
    let (mut runs, mut at) = (Runs::new(word.as_bytes()), 0);
    while let Some(start) = next_beginning(word.as_bytes(), at) {
        at = start + 1;
        if let Some((range, kind)) = begins(word, start, &mut runs) {
            at = range.end.max(at);
            found.push((range, kind));
        }
    }
    found.extend(bots(word).chain(azure(word)));
    found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    found.retain(|(range, _)| {
        let is_new = range.start >= end;
        end = end.max(range.end);
        is_new
    });
    found
}

/// Returns the offset of the first key prefix at or after `at`.
fn next_beginning(word: &[u8], at: usize) -> Option<usize> {
    let found = match &*SEARCH {
        Some(search) if at <= word.len() => search.find_at(word, at).map(|found| found.start()),
        Some(_) => None,
        None => (at < word.len()).then_some(at),
    };
    super::count_steps(found.unwrap_or(word.len()).saturating_sub(at));
    found
}

/// The kind of character before a key prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// The start of the word or of a part of the word.
    Border,
    /// A digit, `_`, `-` or another sign.
    Sign,
    Letter,
}

impl Before {
    fn new(word: &[u8], at: usize) -> Self {
        match at.checked_sub(1).and_then(|before| word.get(before)) {
            None | Some(b'/' | b'=' | b':' | b'@' | b'\\' | b'.' | b'#' | b'*') => Self::Border,
            Some(byte) if byte.is_ascii_alphabetic() => Self::Letter,
            Some(_) => Self::Sign,
        }
    }
}

/// Returns the key that begins at an offset.
fn begins(word: &str, at: usize, runs: &mut Runs<'_>) -> Option<(Range<usize>, &'static str)> {
    let rest = word.get(at..)?;
    let before = Before::new(word.as_bytes(), at);
    let known = |row: &&(&str, usize, Letters, &str)| rest.starts_with(row.0) && before.allows(row.0, word);
    BEGINNINGS.iter().filter(known).find_map(|(beginning, least, letters, kind)| {
        let start = at + beginning.len();
        let run = runs.at(start, *letters);
        // Hyphenated words, for example branch names, have no digits.
        let is_key = run.trimmed >= start + least && run.is_mixed(start);
        let is_sure = || before == Before::Border || is_random(word.get(start..run.trimmed), beginning);
        (is_key && is_sure()).then_some((at..run.trimmed, *kind))
    })
}

impl Before {
    /// True if a prefix may begin a key after this character.
    fn allows(self, beginning: &str, word: &str) -> bool {
        match self {
            Self::Border => true,
            _ if word.len() > MAX_NAME_LEN || WORD_ENDS.contains(&beginning) => false,
            Self::Sign => true,
            Self::Letter => beginning.len() >= DISTINCT || ALSO_DISTINCT.contains(&beginning),
        }
    }
}

/// The minimum length of a part without signs that is not a word of a name.
const LONG_PART: usize = 10;

/// True if the text of a key is not a name: a long part mixes letters and digits.
///
/// JSON web tokens and SendGrid tokens must have several parts.
fn is_random(letters: Option<&str>, beginning: &str) -> bool {
    let Some(letters) = letters else { return false };
    super::count_steps(letters.len());
    let is_long = |part: &str| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        part.len() >= LONG_PART && digits >= 1 && part.len() - digits >= 2
    };
    let has_parts = !matches!(beginning, "eyJ" | "SG.") || letters.contains('.');
    has_parts && letters.split(['-', '_', '.', '/', '+', '=']).any(is_long)
}

/// The runs of key characters in a word. Each run is scanned once.
struct Runs<'w> {
    word: &'w [u8],
    latest: [Run; 5],
}

/// A run of key characters.
#[derive(Clone, Copy, Default)]
struct Run {
    start: usize,
    end: usize,
    /// The end of the run without trailing punctuation.
    trimmed: usize,
    /// The offsets of the last digit, uppercase letter and lowercase letter.
    digit: Option<usize>,
    capital: Option<usize>,
    small: Option<usize>,
}

impl Run {
    /// True if the text from an offset on has digits or mixed case.
    fn is_mixed(&self, from: usize) -> bool {
        let has = |place: Option<usize>| place.is_some_and(|place| place >= from);
        has(self.digit) || (has(self.capital) && (has(self.small) || self.end.saturating_sub(from) == 16))
    }
}

impl<'w> Runs<'w> {
    fn new(word: &'w [u8]) -> Self {
        Self { word, latest: [Run::default(); 5] }
    }

    /// Returns the rest of the run that contains an offset.
    fn at(&mut self, start: usize, letters: Letters) -> Run {
        let Some(latest) = self.latest.get_mut(letters as usize) else { return Run::default() };
        if !(latest.start..latest.end).contains(&start) {
            *latest = Self::read(self.word, start, letters);
        }
        Run { trimmed: latest.trimmed.max(start), ..*latest }
    }

    fn read(word: &[u8], start: usize, letters: Letters) -> Run {
        let mut run = Run { start, end: start, trimmed: start, ..Run::default() };
        let inside = word.get(start..).unwrap_or(&[]).iter().take_while(|byte| letters.has(**byte));
        for (at, byte) in (start..).zip(inside) {
            run.end = at + 1;
            match byte {
                b'0'..=b'9' => run.digit = Some(at),
                b'A'..=b'Z' => run.capital = Some(at),
                b'a'..=b'z' => run.small = Some(at),
                _ => {}
            }
            if !matches!(byte, b'.' | b'-' | b'/') {
                run.trimmed = at + 1;
            }
        }
        super::count_steps(run.end - start);
        run
    }
}

/// Returns tokens of Telegram bots: `123456789:AA…`
fn bots(word: &str) -> impl Iterator<Item = (Range<usize>, &'static str)> {
    word.match_indices(":AA").filter_map(|(colon, _)| {
        let before = word.as_bytes().get(..colon)?;
        let digits = before.iter().rev().take(11).take_while(|byte| byte.is_ascii_digit()).count();
        let rest = word.as_bytes().get(colon + 1..)?;
        let len = rest.iter().take_while(|byte| Url.has(**byte)).count();
        super::count_steps(len + digits);
        let is_token = (8..=10).contains(&digits) && len >= 30;
        is_token.then_some((colon - digits..colon + 1 + len, "a Telegram token"))
    })
}

/// The number of characters after `Q~` in an Azure client secret.
const AZURE: usize = 31;

/// Returns Azure client secrets: three letters, a digit, `Q~`, and more letters.
fn azure(word: &str) -> impl Iterator<Item = (Range<usize>, &'static str)> {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'~' | b'.' | b'-');
    word.match_indices("Q~").filter_map(move |(at, _)| {
        let before = word.as_bytes().get(at.checked_sub(4)?..at)?;
        let rest = word.as_bytes().get(at + 2..)?;
        let len = rest.iter().take(2 * AZURE).take_while(|byte| is_letter(byte)).count();
        let is_key =
            before.iter().all(is_letter) && before.last().is_some_and(u8::is_ascii_digit) && len >= AZURE;
        is_key.then_some((at - 4..at + 2 + len, "an Azure secret"))
    })
}

/// The start of the first line of a key.
pub(super) const BLOCK_BEGINNING: &str = "-----BEGIN ";

/// The start of the last line of a key.
const BLOCK_ENDING: &str = "-----END ";

/// Suffixes of the label of a private key.
const BLOCK_LABELS: [&str; 2] = ["PRIVATE KEY", "PRIVATE KEY BLOCK"];

/// The maximum length of a label in bytes.
const MAX_LABEL_LEN: usize = 40;

/// The maximum length of a key in bytes.
const MAX_BLOCK_LEN: usize = 32 << 10;

/// Returns the private keys in a text. A key without a last line ends at the first byte that cannot
/// be part of a key.
pub(super) fn private_keys(text: &str) -> Vec<Secret> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(begin) = text.get(at..).and_then(|rest| rest.find(BLOCK_BEGINNING)) {
        let start = at + begin;
        at = start + BLOCK_BEGINNING.len();
        let Some(body) = text.get(at..).and_then(after_label) else { continue };
        let body_start = text.len() - body.len();
        let end = body_start + body_len(body);
        found.push(Secret { range: start..end, kind: "a private key" });
        at = end;
    }
    found
}

/// Returns the text after the label of a private key.
fn after_label(rest: &str) -> Option<&str> {
    super::count_steps(MAX_LABEL_LEN);
    let dashes = rest.bytes().take(MAX_LABEL_LEN + 1).position(|byte| byte == b'-')?;
    let (label, rest) = (rest.get(..dashes)?, rest.get(dashes..)?);
    BLOCK_LABELS.iter().any(|known| label.ends_with(known)).then(|| rest.strip_prefix("-----"))?
}

/// Returns the length of a key including its last line.
fn body_len(body: &str) -> usize {
    let is_part = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || byte.is_ascii_whitespace()
            || matches!(
                byte,
                b'+' | b'/' | b'=' | b'-' | b'\\' | b',' | b':' | b'.' | b'*' | b'|' | b'_' | b'@'
            )
    };
    // Most keys end long before the maximum length.
    let most = body.as_bytes().get(..MAX_BLOCK_LEN.min(body.len())).unwrap_or(&[]);
    let ending = memchr::memmem::find(most, BLOCK_ENDING.as_bytes());
    let len = most.iter().take(ending.unwrap_or(MAX_BLOCK_LEN)).take_while(|byte| is_part(**byte)).count();
    super::count_steps(ending.unwrap_or(most.len()).min(most.len()) + len);
    if ending == Some(len) {
        let tail = body.as_bytes().get(len + BLOCK_ENDING.len()..).unwrap_or(&[]);
        let tail = tail.get(..MAX_BLOCK_LEN.min(tail.len())).unwrap_or(tail);
        let dashes = memchr::memmem::find(tail, b"-----");
        let part =
            tail.iter().take(dashes.unwrap_or(MAX_BLOCK_LEN)).take_while(|byte| is_part(**byte)).count();
        super::count_steps(part + dashes.unwrap_or(tail.len()));
        return len + BLOCK_ENDING.len() + part + if dashes == Some(part) { 5 } else { 0 };
    }
    // A trailing backslash is the start of an escape.
    let run = body.get(..len).unwrap_or("");
    run.trim_end_matches(|char: char| char.is_whitespace() || char == '\\').len()
}
