//! Timestamps at the start of a log line.

use std::sync::LazyLock;

use regex::bytes::Regex;

/// Fingerprint of a timestamp format, without numbers, words and lengths: `0-0` for `2026-03-01`,
/// `a0:` for `Mar 1 12:00:00`. Lines of one program have the same mask.
pub(super) type Mask = [u8; 3];

/// A timestamp at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Time {
    /// Length in bytes.
    pub(super) len: usize,
    pub(super) mask: Mask,
    /// True for a date without a time of day. Ordinary text often begins with a date.
    pub(super) is_day: bool,
}

const CLOCK: &str = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,:]\d+)?)?(?: ?[AaPp][Mm]\b)?";
const ZONE: &str =
    r"(?: ?(?:Z\b|UTC\b|GMT\b|CES?T\b|EES?T\b|WES?T\b|[ECMP][SD]T\b|BST\b|IST\b|JST\b|[+-]\d{2}:?\d{2}\b))?";
const MONTH: &str = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*";
const DAY: &str = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +)?";

/// Timestamp formats with a time of day.
static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let ways = [
        format!(r"\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?:[T_:]|,? +)\d{{0}}{CLOCK}{ZONE}"),
        format!(r"\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}(?:[T_:]|,? +){CLOCK}{ZONE}"),
        format!(r"\d{{1,2}}[-/ ]{MONTH}[-/ ]\d{{2,4}}(?:[T_:]|,? +){CLOCK}{ZONE}"),
        format!(r"{DAY}\d{{1,2}} {MONTH} \d{{4}},? {CLOCK}{ZONE}"),
        format!(r"{DAY}{MONTH} +\d{{1,2}},?(?: \d{{4}},?)? +{CLOCK}{ZONE}(?: \d{{4}}\b)?"),
        format!(r"\d{{8}}[T_ -]\d{{6}}(?:[.,]\d+)?{ZONE}"),
        format!(r"[DIWEF]\d{{4}} {CLOCK}"),
        r"\d{1,2}:\d{2}:\d{2}(?:[.,:]\d+)?(?: ?[AaPp][Mm]\b)?".to_owned(),
        r"\d{1,2}:\d{2} ?[AaPp][Mm]\b".to_owned(),
        r"1\d{9}(?:[.,]\d+|\d{3}|\d{6}|\d{9})?".to_owned(),
        r"\d+\.\d{6}".to_owned(),
    ];
    Regex::new(&format!(r"(?-u)^(?:{})", ways.join("|"))).ok()
});

/// A date without a time of day.
static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?-u)^\d{4}[-/.]\d{2}[-/.]\d{2}").ok());

/// Bytes that may follow a timestamp.
const ENDS: &[u8] = b" \t\r\n])}>|:,;\"'-\x1b";

/// Parses the timestamp at the start of a text.
pub(super) fn at_start(text: &[u8]) -> Option<Time> {
    // Fast path: most lines begin with another character.
    if !text.first()?.is_ascii_alphanumeric() {
        return None;
    }
    let found = |regex: &LazyLock<Option<Regex>>| Some(regex.as_ref()?.find(text)?.end());
    let (len, is_day) = match found(&TIME) {
        Some(len) => (len, false),
        None => (found(&DATE)?, true),
    };
    let is_end = text.get(len).is_none_or(|next| ENDS.contains(next));
    is_end.then(|| Time { len, mask: mask(text.get(..len).unwrap_or(&[])), is_day })
}

fn mask(text: &[u8]) -> Mask {
    let mut mask = Mask::default();
    let mut symbols = text.iter().map(|byte| match byte {
        b'0'..=b'9' | b' ' => b'0',
        byte if byte.is_ascii_alphabetic() => b'a',
        byte => *byte,
    });
    let mut last = None;
    for place in &mut mask {
        let next = symbols.by_ref().find(|symbol| Some(*symbol) != last || !matches!(symbol, b'0' | b'a'));
        *place = next.unwrap_or_default();
        last = next;
    }
    mask
}
