//! Texts that look like credentials: the one detector for the rule about them and for what output masks.
//!
//! Knows the forms in which services write their keys, what is given a name such as `password`, and words of random
//! letters. Takes time that grows with the text alone.

use std::borrow::Cow;
use std::ops::Range;

/// What stands in place of a secret.
pub const MASK: &str = "[redacted]";

/// Beginnings of keys, how many characters follow at least, and what such a key is.
const BEGINNINGS: &[(&str, usize, &str)] = &[
    ("sk-", 16, "an API key"),
    ("sk_live_", 10, "an API key"),
    ("sk_test_", 10, "an API key"),
    ("rk_live_", 10, "an API key"),
    ("pk_live_", 10, "an API key"),
    ("ghp_", 20, "a GitHub token"),
    ("gho_", 20, "a GitHub token"),
    ("ghu_", 20, "a GitHub token"),
    ("ghs_", 20, "a GitHub token"),
    ("ghr_", 20, "a GitHub token"),
    ("github_pat_", 20, "a GitHub token"),
    ("glpat-", 16, "a GitLab token"),
    ("xoxb-", 10, "a Slack token"),
    ("xoxp-", 10, "a Slack token"),
    ("xoxa-", 10, "a Slack token"),
    ("xoxs-", 10, "a Slack token"),
    ("xapp-", 10, "a Slack token"),
    ("AKIA", 16, "an AWS key"),
    ("ASIA", 16, "an AWS key"),
    ("AIza", 30, "a Google API key"),
    ("ya29.", 20, "a Google token"),
    ("npm_", 30, "an npm token"),
    ("pypi-", 30, "a PyPI token"),
    ("hf_", 20, "a Hugging Face token"),
    ("dop_v1_", 30, "a DigitalOcean token"),
    ("SG.", 30, "a SendGrid key"),
    ("eyJ", 30, "a JSON web token"),
];

/// Words that name what follows them, and what that is.
const NAMES: &[(&str, &str)] = &[
    ("password", "a password"),
    ("passwd", "a password"),
    ("passphrase", "a password"),
    ("pwd", "a password"),
    ("secret", "a secret"),
    ("api_key", "an API key"),
    ("apikey", "an API key"),
    ("api-key", "an API key"),
    ("access_key", "an API key"),
    ("private_key", "a private key"),
    ("auth_token", "a token"),
    ("access_token", "a token"),
    ("refresh_token", "a token"),
    ("token", "a token"),
    ("bearer", "a token"),
];

/// The beginning and the end of a key in a file of its own.
const BLOCK: (&str, &str) = ("-----BEGIN ", "-----END ");

/// How short what follows a name may be.
const SHORTEST_NAMED: usize = 6;

/// How short a key may be that has nothing but letters in it.
const SHORTEST_KEY: usize = 20;

/// How short a word of random letters may be, and how many bits each of its letters tells at least.
const RANDOM: (usize, f64) = (20, 3.7);

/// Something that looks like a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Its bytes.
    pub range: Range<usize>,
    /// What it looks like: `a GitHub token`.
    pub kind: &'static str,
}

/// What in a text looks like a credential, in order.
#[must_use]
pub fn secrets(text: &str) -> Vec<Secret> {
    let blocks = blocks(text);
    let (mut found, mut ahead) = (Vec::new(), blocks.iter().peekable());
    for word in words(text) {
        while let Some(block) = ahead.next_if(|block| block.range.end <= word.start) {
            found.push(block.clone());
        }
        let is_in_block = ahead.peek().is_some_and(|block| block.range.start < word.end);
        if !is_in_block {
            found.extend(secret(text, word));
        }
    }
    found.extend(ahead.cloned());
    found
}

/// A text with [`MASK`] in place of each secret.
#[must_use]
pub fn redacted(text: &str) -> Cow<'_, str> {
    let found = secrets(text);
    if found.is_empty() {
        return text.into();
    }
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for Secret { range, .. } in found {
        out.push_str(text.get(at..range.start).unwrap_or(""));
        out.push_str(MASK);
        at = range.end.max(at);
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out.into()
}

/// Keys between lines of dashes. One that does not end goes on to the end of the text.
fn blocks(text: &str) -> Vec<Secret> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(begin) = text.get(at..).and_then(|rest| rest.find(BLOCK.0)) {
        let start = at + begin;
        let rest = text.get(start..).unwrap_or("");
        at = start + BLOCK.0.len();
        let label = rest.get(BLOCK.0.len()..).and_then(|label| label.split_once("-----"));
        if label.is_some_and(|(label, _)| label.len() < 40 && label.ends_with("PRIVATE KEY")) {
            let end = rest.find(BLOCK.1).map_or(rest.len(), |end| {
                let tail = rest.get(end + BLOCK.1.len()..).unwrap_or("");
                end + BLOCK.1.len() + tail.find("-----").map_or(tail.len(), |dashes| dashes + 5)
            });
            found.push(Secret { range: start..start + end, kind: "a private key" });
            at = start + end;
        }
    }
    found
}

/// The words of a text that may be secrets: what stands between white space, quotes, brackets and commas.
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
    let (borders, mut table, mut at) = (b" \t\n\x0b\x0c\r\"'`,;()[]{}<>", [false; 256], 0);
    while at < borders.len() {
        table[borders[at] as usize] = true;
        at += 1;
    }
    table
};

/// The secret in a word.
fn secret(text: &str, word: Range<usize>) -> Option<Secret> {
    let here = text.get(word.clone())?;
    if is_harmless(here) {
        return None;
    }
    let part = |from: usize, to: usize, kind| Secret { range: word.start + from..word.start + to, kind };
    if let Some((from, to)) = in_address(here) {
        return Some(part(from, to, "a password"));
    }
    // `KEY=value`, `key:value`
    let value = here.rfind(['=', ':']).filter(|at| at + 1 < here.len()).map_or(0, |at| at + 1);
    // Padding ends a word of base 64; what is in front of it is no name.
    let value =
        if here.get(value..).is_some_and(|rest| rest.chars().all(|char| char == '=')) { 0 } else { value };
    let from =
        here.find('=').filter(|at| at + 1 < here.len()).map_or(value, |at| (at + 1).min(value.max(at + 1)));
    let token = here.get(from..)?.trim_end_matches(['.', '!', '?', ':']);
    if let Some(kind) = known(token).or_else(|| named(text, word.start + from, token)) {
        return Some(part(from, from + token.len(), kind));
    }
    is_random(token).then(|| part(from, from + token.len(), "a key"))
}

/// Whether nothing below can make a secret of a word: it is too short, or a word of letters that is too short for a key.
fn is_harmless(word: &str) -> bool {
    word.len() < SHORTEST_NAMED
        || (word.len() < SHORTEST_KEY && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// The password of `scheme://user:password@host`.
fn in_address(word: &str) -> Option<(usize, usize)> {
    let user = word.find("://")? + 3;
    let rest = word.get(user..)?;
    let authority = rest.split('/').next()?;
    let at = authority.rfind('@')?;
    let colon = authority.get(..at)?.find(':')?;
    (colon + 1 < at).then_some((user + colon + 1, user + at))
}

/// What begins as a service writes its keys.
fn known(token: &str) -> Option<&'static str> {
    let found = BEGINNINGS.iter().find(|(beginning, ..)| token.starts_with(beginning))?;
    let (beginning, least, kind) = *found;
    let rest = token.get(beginning.len()..)?;
    let is_key =
        |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '/' | '+' | '=');
    (rest.len() >= least && rest.chars().all(is_key)).then_some(kind)
}

/// What follows a word such as `password`, with `:`, `=` or `is` between them.
fn named(text: &str, start: usize, token: &str) -> Option<&'static str> {
    if token.len() < SHORTEST_NAMED
        || !token.contains(|char: char| char.is_ascii_digit() || char.is_ascii_punctuation())
    {
        return None;
    }
    let from = start.saturating_sub(40);
    let from = (from..start).find(|at| text.is_char_boundary(*at)).unwrap_or(start);
    let before = text.get(from..start)?.to_ascii_lowercase();
    let before = before.trim_end_matches(['"', '\'', '`', ' ']);
    let (name, is_bound) = match before.strip_suffix([':', '=']) {
        Some(name) => (name, true),
        None => (before.strip_suffix(" is").unwrap_or(before), before.ends_with(" is")),
    };
    let name = name.trim_end_matches(['"', '\'', '`', ' ']);
    let (word, kind) = NAMES.iter().find(|(word, _)| name.ends_with(word))?;
    (is_bound || *word == "bearer").then_some(*kind)
}

/// Whether a word is of letters that nobody chose: capitals, small ones and digits by turns.
fn is_random(token: &str) -> bool {
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
    let bytes = token.as_bytes();
    if bytes.len() < RANDOM.0 || !bytes.iter().all(|byte| is_letter(*byte)) {
        return false;
    }
    let count = |is: fn(&u8) -> bool| bytes.iter().filter(|byte| is(byte)).count();
    let digits = count(u8::is_ascii_digit);
    let mixed = digits >= 3 && count(u8::is_ascii_uppercase) >= 3 && count(u8::is_ascii_lowercase) >= 3;
    // In the words of a path or of a name, digits stand together.
    let class = |byte: &u8| byte.is_ascii_digit();
    let turns = bytes.windows(2).filter(|pair| pair.first().map(class) != pair.last().map(class)).count();
    mixed && turns * 8 >= bytes.len() && entropy(bytes) >= RANDOM.1
}

/// How many bits each byte tells.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let all = f64::from(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        expected.assert_eq(&redacted(text));
    }

    #[test]
    fn keys_of_services() {
        check("use sk-ant-api03-AbCdEf0123456789xyz.", expect!["use [redacted]."]);
        check("token ghp_0123456789abcdefghij0123 works", expect!["token [redacted] works"]);
        check("{\"key\":\"AKIAIOSFODNN7EXAMPLE\"}", expect![[r#"{"key":"[redacted]"}"#]]);
        check("sk-learn and AKIAN are words", expect!["sk-learn and AKIAN are words"]);
    }

    #[test]
    fn what_has_a_name() {
        check("password: hunter2!", expect!["password: [redacted]!"]);
        check("DB_PASSWORD=hunter2x", expect!["DB_PASSWORD=[redacted]"]);
        check("the password is \"tr0ub4dor\"", expect![[r#"the password is "[redacted]""#]]);
        check("Authorization: Bearer abc123def", expect!["Authorization: Bearer [redacted]"]);
        check("postgres://me:s3cret@db/x", expect!["postgres://me:[redacted]@db/x"]);
        check("the token is missing", expect!["the token is missing"]);
        check("password: forgotten", expect!["password: forgotten"]);
        check("tokens: 120000 of 200000", expect!["tokens: 120000 of 200000"]);
    }

    #[test]
    fn random_letters() {
        check("q8Zt3kLw9XcV2bNm7RfY is one", expect!["[redacted] is one"]);
        check("src/envelope/runtime/Stages2024.rs", expect!["src/envelope/runtime/Stages2024.rs"]);
        check(
            "da39a3ee5e6b4b0d3255bfef95601890afd80709",
            expect!["da39a3ee5e6b4b0d3255bfef95601890afd80709"],
        );
        check("550e8400-e29b-41d4-a716-446655440000", expect!["550e8400-e29b-41d4-a716-446655440000"]);
        check("TestTheParserOfTheSecondVersion123Again", expect!["TestTheParserOfTheSecondVersion123Again"]);
    }

    #[test]
    fn keys_in_blocks() {
        check(
            "a -----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY----- b",
            expect!["a [redacted] b"],
        );
        check("-----BEGIN PRIVATE KEY-----\nMIIEow", expect!["[redacted]"]);
        check(
            "-----BEGIN CERTIFICATE-----\nMIIEow",
            expect![[r#"
            -----BEGIN CERTIFICATE-----
            MIIEow"#]],
        );
    }

    #[test]
    fn many_beginnings_cost_little() {
        assert!(secrets(&"-----BEGIN ".repeat(20_000)).is_empty());
        assert_eq!(secrets(&"password: x1 ".repeat(20_000)).len(), 0);
    }
}
