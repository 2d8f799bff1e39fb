//! Detection of secrets that follow a name, for example `password: hunter2!`, `api_key("k3y…")`,
//! `--token t0ken` or `Bearer b34r3r`, and of random strings.
//!
//! Random strings are recognized by entropy and digit distribution.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::SHORTEST_NAMED;

/// Descriptions of secrets, with the names that precede them.
#[rustfmt::skip] // One row a kind.
const NAMES: &[(&str, &[&str])] = &[
    ("a password", &["password", "passwd", "passphrase", "pwd", "passwort", "kennwort"]),
    ("an API key", &["api_key", "apikey", "api-key", "access_key", "accesskey", "access-key", "account_key", "accountkey", "sharedaccesskey", "auth_key", "authkey"]),
    ("a private key", &["private_key", "privatekey", "private-key", "signing_key", "encryption_key", "master_key", "secret_key", "secretkey", "secret-key"]),
    ("a token", &["token", "bearer", "jwt"]),
    ("a secret", &["secret", "credential", "credentials", "client_secret"]),
];

/// Returns the names that introduce secrets. One of them precedes each secret of this module.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    NAMES.iter().flat_map(|(_, words)| words.iter().copied()).chain(["authorization"])
}

/// The maximum distance in bytes between a name and its value.
const BACK: usize = 96;

/// The maximum length in bytes of a quoted secret.
const MAX_LEN: usize = 400;

/// Words with digits that are not secrets.
const TECHNICAL: &[&str] = &[
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "base64",
    "oauth2",
    "utf8",
    "rs256",
    "es256",
    "hs256",
    "ed25519",
    "aes256",
    "argon2",
    "argon2id",
    "pbkdf2",
    "bcrypt2",
    "x25519",
    "secp256k1",
    "oauth1",
    "http2",
    "ipv4",
    "ipv6",
];

/// The strength of the relation between a name and the value after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bond {
    /// `name: value`, `name = value`, `name is value`, `--name value`
    Direct,
    /// `name("a", value)`, `"name", value`
    Loose,
    /// `Authorization: Basic value`
    Header,
}

/// Returns the end and kind of the secret that begins at `start` with `token`, if a name precedes
/// it.
pub(super) fn find(text: &str, start: usize, token: &str) -> Option<(usize, &'static str)> {
    if token.len() < SHORTEST_NAMED {
        return None;
    }
    super::count_steps(BACK + token.len());
    let from = (start.saturating_sub(BACK)..start).find(|at| text.is_char_boundary(*at))?;
    let before = text.get(from..start)?;
    // Fast check, because most words do not follow any of these characters.
    let last = before.trim_end_matches(QUOTES).bytes().next_back()?;
    if !(matches!(last, b':' | b'=' | b'(' | b',' | b'>') || last.is_ascii_alphabetic()) {
        return None;
    }
    let before = before.to_ascii_lowercase();
    let (kind, bond) = name(&before)?;
    let (end, value) = extended(text, start, token, &before);
    is_plausible(value, kind, bond, text.get(end..).unwrap_or("")).then_some((end, kind))
}

/// Insignificant characters between a name and its value.
const QUOTES: [char; 7] = ['"', '\'', '`', ' ', '\t', '\\', '$'];

/// Returns the kind of a value from the lowercase text before it.
fn name(before: &str) -> Option<(&'static str, Bond)> {
    let before = before.strip_suffix('$').map_or(before, |_| "");
    let bare = before.trim_end_matches(QUOTES);
    if let Some(name) = bare.strip_suffix([':', '=']).or_else(|| bare.strip_suffix("=>")) {
        let name = name.trim_end_matches([':', '=']).trim_end_matches(QUOTES);
        // `"key": "db_password", "value": "…"`
        let name = ["value", "val", "content", "data"]
            .iter()
            .find_map(|generic| name.strip_suffix(generic))
            .map_or(name, |key| key.trim_end_matches(QUOTES).trim_end_matches(',').trim_end_matches(QUOTES));
        return Some((kind(name)?, Bond::Direct));
    }
    if let Some(name) = bare.strip_suffix(" is") {
        return Some((kind(name.trim_end_matches(QUOTES))?, Bond::Direct));
    }
    if let Some(scheme) = ["bearer", "basic"].iter().find(|scheme| bare.ends_with(**scheme)) {
        let is_header = before.contains("authorization");
        let bond = if is_header { Bond::Header } else { Bond::Direct };
        return (is_header || *scheme == "bearer").then_some(("a token", bond));
    }
    let last = bare.rsplit([' ', '\n', '"', '\'']).next().unwrap_or(bare);
    if last.starts_with("--") && bare.len() < before.len() {
        return Some((kind(last)?, Bond::Direct));
    }
    if let Some(quoted) = bare.strip_suffix(',') {
        let is_quoted = quoted.trim_end().ends_with(['"', '\'']);
        let named = kind(quoted.trim_end_matches(QUOTES)).filter(|_| is_quoted);
        return named.or_else(|| predicate(bare)).map(|kind| (kind, Bond::Loose));
    }
    predicate(bare).filter(|_| bare.ends_with('(')).map(|kind| (kind, Bond::Loose))
}

/// Returns the kind that the surrounding predicate or function name implies.
fn predicate(before: &str) -> Option<&'static str> {
    let open =
        before.rfind('(').filter(|open| before.get(*open..).is_some_and(|rest| !rest.contains(')')))?;
    kind(before.get(..open)?)
}

/// Returns the kind that a name implies.
fn kind(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|(_, words)| words.iter().any(|word| name.ends_with(word))).map(|(kind, _)| *kind)
}

/// Returns a value and its end: at the closing quote, or at the end of the word.
fn extended<'t>(text: &'t str, start: usize, token: &'t str, before: &str) -> (usize, &'t str) {
    let plain = (start + token.len(), token);
    let Some(quote) = before.chars().next_back().filter(|char| matches!(char, '"' | '\'' | '`')) else {
        return plain;
    };
    super::count_steps(MAX_LEN);
    let rest = text.get(start..).unwrap_or("");
    let is_end = |(_, char): &(usize, char)| *char == quote || char.is_whitespace();
    match rest.char_indices().take(MAX_LEN).find(is_end) {
        Some((end, char)) if char == quote => {
            let value = rest.get(..end).unwrap_or(token).trim_end_matches('\\');
            (start + value.len(), value)
        }
        _ => plain,
    }
}

/// True if a value may be a secret of this kind. `behind` is the text after the value.
fn is_plausible(value: &str, kind: &str, bond: Bond, behind: &str) -> bool {
    let has = |is: fn(char) -> bool| value.contains(is);
    let (has_digit, has_letter) = (has(|char| char.is_ascii_digit()), has(|char| char.is_alphabetic()));
    let has_sign = has(|char| "!@#$%^&*~+".contains(char));
    let is_password = kind == "a password";
    let is_number = value.chars().all(|char| char.is_ascii_digit() || ".:-/tTzZ+_".contains(char));
    if value.len() < SHORTEST_NAMED
        || is_placeholder(value)
        || is_path(value)
        || is_number
            && !(is_password && bond == Bond::Direct && value.len() >= 8 && !value.contains(['-', ':', '.']))
        || TECHNICAL.contains(&value.to_ascii_lowercase().as_str())
        || behind.starts_with('(')
    {
        return false;
    }
    if is_identifier(value) && !is_password {
        return false;
    }
    match bond {
        Bond::Direct => has_digit || has_sign,
        Bond::Header => has_digit || value.len() >= 12,
        Bond::Loose => has_digit && has_letter && !is_identifier(value),
    }
}

/// True if a value is a placeholder or was redacted.
pub(super) fn is_placeholder(value: &str) -> bool {
    let is_variable = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let lower = value.to_ascii_lowercase();
    let first = value.chars().next().unwrap_or('*');
    let is_mixed = value.bytes().any(|byte| byte.is_ascii_uppercase()) && value != value.to_ascii_uppercase();
    let stand_ins = ["redacted", "placeholder", "your_", "your-", "example", "****", "xxxx", "…", "..."];
    value.is_empty()
        || value.chars().all(|char| char == first)
        || !is_mixed && !has_many_digits(value) && stand_ins.iter().any(|word| lower.contains(word))
        || value.strip_prefix(['$', '%', ':', '@']).is_some_and(|name| {
            is_variable(name.trim_end_matches('%')) && !name.starts_with(|char: char| char.is_ascii_digit())
        })
}

fn has_many_digits(value: &str) -> bool {
    value.bytes().filter(u8::is_ascii_digit).count() >= 4
}

/// True if a value is a path, a name constant or an expression: `/etc/key2.pem`, `config/v1.yaml`,
/// `args.p1`.
fn is_path(value: &str) -> bool {
    let is_small =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"/._-~:*".contains(&byte);
    let starts = ["/", "./", "../", "~", "http", "file:", "v0", "v1", "v2"];
    let begins = starts.iter().any(|start| value.starts_with(start));
    let ending = value.rsplit_once('.').is_some_and(|(_, ending)| {
        (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    value.bytes().all(is_small) && (begins || ending || value.contains("::"))
}

/// True if a value is an identifier: words with `_`, and a few digits at the end of a word.
fn is_identifier(value: &str) -> bool {
    let is_small =
        value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let is_large =
        value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let words = value.split('_').all(|word| {
        let letters = word.trim_end_matches(|char: char| char.is_ascii_digit());
        word.len() - letters.len() <= 3 && !letters.contains(|char: char| char.is_ascii_digit())
    });
    (is_small || is_large) && value.contains('_') && words
}

/// A lowercase pattern of the words, which allows a vectorized search. `None` if the pattern is
/// invalid.
static WORD_SEARCH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words: Vec<_> = words().map(regex::escape).collect();
    Regex::new(&format!("(?-u:{})", words.join("|"))).ok()
});

/// True if a text contains one of the words, in any case.
pub(super) fn contains_word(text: &[u8]) -> bool {
    super::count_steps(text.len());
    WORD_SEARCH.as_ref().is_none_or(|words| words.is_match(&text.to_ascii_lowercase()))
}

/// The minimum length of a random string in bytes.
pub(super) const MIN_RANDOM_LEN: usize = 20;

/// The minimum entropy of a random string in bits per byte.
const MIN_BITS: f64 = 3.7;

/// Prefixes of digests.
const DIGESTS: [&str; 6] = ["sha1", "sha256", "sha384", "sha512", "md5", "blake3"];

/// True if a token is a random string with mixed case and digits. `word` is the word that contains
/// the token.
pub(super) fn is_random(word: &str, token: &str) -> bool {
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
    let bytes = token.as_bytes();
    super::count_steps(word.len() + bytes.len());
    if bytes.len() < MIN_RANDOM_LEN || !bytes.iter().all(|byte| is_letter(*byte)) || is_digest(word) {
        return false;
    }
    let count = |is: fn(&u8) -> bool| bytes.iter().filter(|byte| is(byte)).count();
    let digits = count(u8::is_ascii_digit);
    let mixed = digits >= 3 && count(u8::is_ascii_uppercase) >= 3 && count(u8::is_ascii_lowercase) >= 3;
    // In paths and names, digits are grouped.
    mixed
        && digit_transitions(token) * 8 >= bytes.len()
        && entropy(bytes) >= MIN_BITS
        && !is_compound_name(token)
}

/// Counts the transitions between digits and other characters.
fn digit_transitions(text: &str) -> usize {
    let class = |byte: &u8| byte.is_ascii_digit();
    text.as_bytes().windows(2).filter(|pair| pair.first().map(class) != pair.last().map(class)).count()
}

/// True if a token is a name with several parts, for example the model name
/// `SmolLM2-135M-Instruct`.
///
/// At least one part is a word, and each part has at most one transition between letters and
/// digits.
fn is_compound_name(token: &str) -> bool {
    let is_word = |part: &str| part.len() >= 5 && part.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
    let parts = || token.split(['-', '_']);
    parts().any(is_word) && parts().all(|part| digit_transitions(part) <= 1)
}

/// True if a word has the prefix of a digest: `sha512-…`, `sha256:…`
fn is_digest(word: &str) -> bool {
    let is_named = |name: &&str| word.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    DIGESTS.iter().any(|name| {
        is_named(name) && word.as_bytes().get(name.len()).is_some_and(|next| b"-:=/_".contains(next))
    })
}

/// Returns the entropy in bits per byte.
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
    use super::*;

    #[test]
    fn words_are_found_in_any_case() {
        for word in words() {
            for text in [word.to_owned(), format!("é{word}s"), format!("a_{} b", word.to_ascii_uppercase())]
            {
                assert!(contains_word(text.as_bytes()), "{text}");
            }
        }
        assert!(!contains_word(b"passes its secre to ken"));
    }
}
