//! Detection of PEM private keys.

use super::Secret;

/// The start of the first line of a key.
pub(super) const BEGINNING: &str = "-----BEGIN ";

/// The start of the last line of a key.
const ENDING: &str = "-----END ";

/// Suffixes of the label of a private key.
const LABELS: [&str; 2] = ["PRIVATE KEY", "PRIVATE KEY BLOCK"];

/// The maximum length of a label in bytes.
const MAX_LABEL_LEN: usize = 40;

/// The maximum length of a key in bytes.
const MAX_LEN: usize = 32 << 10;

/// Returns the private keys in a text. A key without a last line ends at the first byte that cannot
/// be part of a key.
pub(super) fn blocks(text: &str) -> Vec<Secret> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(begin) = text.get(at..).and_then(|rest| rest.find(BEGINNING)) {
        let start = at + begin;
        at = start + BEGINNING.len();
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
    super::steps::count(MAX_LABEL_LEN);
    let dashes = rest.bytes().take(MAX_LABEL_LEN + 1).position(|byte| byte == b'-')?;
    let (label, rest) = (rest.get(..dashes)?, rest.get(dashes..)?);
    LABELS.iter().any(|known| label.ends_with(known)).then(|| rest.strip_prefix("-----"))?
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
    let most = body.as_bytes().get(..MAX_LEN.min(body.len())).unwrap_or(&[]);
    let ending = memchr::memmem::find(most, ENDING.as_bytes());
    let len = most.iter().take(ending.unwrap_or(MAX_LEN)).take_while(|byte| is_part(**byte)).count();
    super::steps::count(ending.unwrap_or(most.len()).min(most.len()) + len);
    if ending == Some(len) {
        let tail = body.as_bytes().get(len + ENDING.len()..).unwrap_or(&[]);
        let tail = tail.get(..MAX_LEN.min(tail.len())).unwrap_or(tail);
        let dashes = memchr::memmem::find(tail, b"-----");
        let part = tail.iter().take(dashes.unwrap_or(MAX_LEN)).take_while(|byte| is_part(**byte)).count();
        super::steps::count(part + dashes.unwrap_or(tail.len()));
        return len + ENDING.len() + part + if dashes == Some(part) { 5 } else { 0 };
    }
    // A trailing backslash is the start of an escape.
    let run = body.get(..len).unwrap_or("");
    run.trim_end_matches(|char: char| char.is_whitespace() || char == '\\').len()
}
