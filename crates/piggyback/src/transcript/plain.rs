//! Raw text (K12): one reply, or several turns with separator lines.

use std::ops::Range;

use regex::bytes::Regex;

use super::entry::{self, Prefix};
use super::turn::{TextKind, TurnRole};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlainTurn {
    pub(super) role: TurnRole,
    pub(super) kind: TextKind,
    pub(super) range: Range<usize>,
}

/// A line that separates turns.
struct Separator {
    role: TurnRole,
    /// Start of the turn's text in the line. The end of the line if the line is only a separator.
    text: usize,
}

/// Returns the turns of a text.
///
/// `separator` matches the lines between turns. By default, lines such as `=== …`, `--- turn 3` and
/// `Assistant:` separate turns. If `is_one` is true and there is no separator, the text is
/// one reply.
pub(super) fn parts(text: &[u8], separator: Option<&Regex>, is_one: bool) -> Vec<PlainTurn> {
    let is_separator = |line: &[u8]| match separator {
        Some(regex) => regex.find(line).map(|found| configured(line, found.end())),
        None => usual(line).or_else(|| labelled(line)),
    };
    let mut parts: Vec<PlainTurn> = Vec::new();
    let mut at = 0;
    if !is_one || separator.is_some() {
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let start = at;
            at += line.len();
            let Some(found) = is_separator(line.trim_ascii_end()) else { continue };
            if let Some(last) = parts.last_mut() {
                last.range.end = start;
            } else if !text.get(..start).unwrap_or(&[]).trim_ascii().is_empty() {
                parts.push(part(TurnRole::Other, 0..start));
            }
            parts.push(part(found.role, start + found.text..text.len()));
        }
    }
    if !parts.iter().any(|part| part.role == TurnRole::Assistant) {
        return vec![part(TurnRole::Assistant, 0..text.len())];
    }
    parts.retain(|part| !text.get(part.range.clone()).unwrap_or(&[]).trim_ascii().is_empty());
    parts.into_iter().flat_map(|part| without_damage(part, text)).collect()
}

/// Splits a reply after a damaged envelope, so that the next envelope is not part of the damage.
fn without_damage(part: PlainTurn, text: &[u8]) -> Vec<PlainTurn> {
    let bytes = text.get(part.range.clone()).unwrap_or(&[]);
    if part.role != TurnRole::Assistant {
        return vec![part];
    }
    let start = part.range.start;
    let ranges = entry::parts(bytes).into_iter().map(|range| start + range.start..start + range.end);
    ranges.map(|range| PlainTurn { range, ..part.clone() }).collect()
}

/// Interprets a line that matches the configured separator up to `end`.
///
/// The rest of the line belongs to the turn if it is a reply or if the line names a speaker.
fn configured(line: &[u8], end: usize) -> Separator {
    let prefix = Prefix::parse(line);
    let after = |at: usize| line.get(at..).unwrap_or(&[]).trim_ascii_start();
    let brace = memchr::memchr(b'{', line).filter(|at| entry::begins_envelope(after(*at)));
    let text = match prefix {
        Some(prefix) if prefix.role.is_some() && prefix.end >= end => prefix.end,
        _ => brace.filter(|at| *at >= end).unwrap_or(line.len()),
    };
    let role = prefix.and_then(|prefix| prefix.role);
    Separator { role: role.unwrap_or_else(|| role_in(line.get(..text).unwrap_or(line))), text }
}

/// Recognizes a line that begins with a speaker: `[user]`, `Assistant>`, `<- model`.
fn labelled(line: &[u8]) -> Option<Separator> {
    let prefix = Prefix::parse(line)?;
    Some(Separator { role: prefix.role.filter(|_| prefix.is_speaker())?, text: prefix.end })
}

fn part(role: TurnRole, range: Range<usize>) -> PlainTurn {
    let kind = if role == TurnRole::Assistant { TextKind::Reply } else { TextKind::Prompt };
    PlainTurn { role, kind, range }
}

/// Recognizes the built-in separators.
fn usual(line: &[u8]) -> Option<Separator> {
    let whole = |role| Some(Separator { role, text: line.len() });
    let heading = line.strip_prefix(b"=== ").or_else(|| line.strip_prefix(b"--- "));
    if let Some(heading) = heading {
        let is_turn = heading.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"turn "));
        return (line.starts_with(b"===") || is_turn).then(|| role_in(heading)).and_then(whole);
    }
    let colon = memchr::memchr(b':', line.get(..16.min(line.len()))?)?;
    let label = std::str::from_utf8(line.get(..colon)?).ok()?;
    let role = TurnRole::parse(label);
    (role != TurnRole::Other).then_some(Separator { role, text: colon + 1 })
}

/// Returns the speaker that a separator names; the model if it names none.
fn role_in(line: &[u8]) -> TurnRole {
    let words =
        line.split(|byte| !byte.is_ascii_alphabetic()).filter_map(|word| std::str::from_utf8(word).ok());
    words.map(TurnRole::parse).find(|role| *role != TurnRole::Other).unwrap_or(TurnRole::Assistant)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn shown(text: &str, separator: Option<&str>) -> Vec<(TurnRole, String)> {
        let separator = separator.map(|regex| Regex::new(regex).unwrap());
        let parts = parts(text.as_bytes(), separator.as_ref(), false);
        parts.into_iter().map(|part| (part.role, text[part.range].trim().to_owned())).collect()
    }

    #[test]
    fn lines_separate_turns() {
        let turns = [(TurnRole::User, "go".to_owned()), (TurnRole::Assistant, "{}".to_owned())];
        assert_eq!(shown("User: go\nAssistant:\n{}\n", None), turns);
        assert_eq!(shown("=== user ===\ngo\n=== turn 2 ===\n{}\n", None), turns);
        assert_eq!(shown("--- turn 1, user\ngo\n--- turn 2\n{}", None), turns);
        assert_eq!(shown("~user\ngo\n~\n{}", Some("^~")), turns);
    }

    #[test]
    fn an_echo_of_the_user_is_no_turn() {
        let text = "User: {}\n\n{}";
        assert_eq!(shown(text, None), [(TurnRole::Assistant, text.to_owned())]);
        assert_eq!(parts(b"User: a\nAssistant: b", None, true).len(), 1);
    }
}
