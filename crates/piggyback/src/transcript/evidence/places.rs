//! Comparison of a damaged reply before and after a fix.
//!
//! The text of each string must stay in one string, and text outside of strings must stay outside.

use std::collections::BTreeMap;

use super::{Token, tokens};
use crate::envelope::json::{Json, JsonKind};
use crate::envelope::{edits, table};
use mangle_syntax::lint::Fix;

/// Maximum length in bytes of replies that are compared. For longer replies, the rules themselves
/// check their fixes.
const MAX_LEN: usize = 32 << 10;

/// Words of a string, or of a scalar outside of strings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Leaf {
    is_string: bool,
    words: Vec<Token>,
}

/// True if all words stay inside or outside of their strings. Only checked for damaged objects.
pub(super) fn strings_are_preserved(text: &[u8], fix: &Fix) -> bool {
    let Some(start) = memchr::memchr(b'{', text).filter(|_| text.len() <= MAX_LEN) else { return true };
    let is_inside = fix.edits.iter().all(|edit| usize::from(edit.span.range.start()) > start);
    let before = Json::parse(text.get(start..).unwrap_or(&[]));
    // In an undamaged object, edits replace whole values.
    if !is_inside || before.problems.is_empty() {
        return true;
    }
    let Some(new) = edits::applied(text, fix) else { return false };
    let leaves = |text: &[u8]| leaves(&Json::parse_damaged(text, start..text.len()));
    let (mut left, after) = (leaves(text), leaves(&new));
    let is_new = |leaf: &Leaf| match left.get_mut(leaf).filter(|count| **count > 0) {
        Some(count) => {
            *count -= 1;
            false
        }
        None => true,
    };
    let new: Vec<_> = after.into_iter().flat_map(|(leaf, count)| vec![leaf; count]).filter(is_new).collect();
    left.retain(|_, count| *count > 0);
    let is_lost = |leaf: &Leaf| !new.iter().any(|other| is_respelled(leaf, other));
    new.iter().all(|leaf| is_key(leaf) || left.keys().any(|other| is_respelled(other, leaf)))
        && left.keys().all(|leaf| is_key(leaf) || !is_lost(leaf))
}

/// Returns the strings, numbers and words of a value with their counts. Blank ones are omitted.
fn leaves(json: &Json<'_>) -> BTreeMap<Leaf, usize> {
    let mut leaves = BTreeMap::new();
    for node in json.nodes() {
        let leaf = match json.kind(node) {
            JsonKind::Plain | JsonKind::Escaped => {
                Leaf { is_string: true, words: words(&json.string(node).unwrap_or_default()) }
            }
            JsonKind::Array | JsonKind::Object => continue,
            _ => Leaf { is_string: false, words: words(&String::from_utf8_lossy(json.raw(node))) },
        };
        if leaf.words.iter().any(|word| *word != Token::Blank) {
            *leaves.entry(leaf).or_default() += 1;
        }
    }
    leaves
}

fn words(text: &str) -> Vec<Token> {
    tokens(&text.replace('\\', " "))
}

/// True if one leaf is another spelling of the second: a key without quotes, a literal of another
/// language, or a number in quotes.
fn is_respelled(one: &Leaf, other: &Leaf) -> bool {
    let word = |leaf: &Leaf| match leaf.words.as_slice() {
        [Token::Word(word) | Token::Key(word)] => Some(word.to_lowercase()),
        _ => None,
    };
    let is_literal = |word: &str| {
        let is_name = matches!(word, "true" | "false" | "none" | "nil" | "undefined");
        is_name || word.parse::<f64>().is_ok()
    };
    let is_spelled = word(one).is_some_and(|word| is_literal(&word)) && word(one) == word(other);
    one.words == other.words && (one.is_string == other.is_string || is_key(one) || is_key(other))
        || is_spelled
        || other.words.is_empty()
}

/// True if a leaf is a key of the protocol.
fn is_key(leaf: &Leaf) -> bool {
    matches!(leaf.words.as_slice(), [Token::Word(word) | Token::Key(word)] if table::is_key(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mangle_syntax::text::{TextRange, size};

    fn check(text: &str, from: &str, to: &str) -> bool {
        let at = text.find(from).unwrap_or(text.len());
        strings_are_preserved(
            text.as_bytes(),
            &Fix::safe("x").replace(TextRange::at(size(at), size(from.len())), to),
        )
    }

    #[test]
    fn strings_are_not_split_and_take_up_nothing() {
        let text = r#"{"surface_response": "to the "dictator", waiting", "a": [1,000.5, True]}"#;
        assert!(check(text, "True", "true"));
        let split = r#"the", "b": "dictator", "c": "waiting""#;
        assert!(!check(text, "the \"dictator\", waiting", split));
        assert!(!check(text, "1,000.5", "1,0.5"));
        let text = r#"{"mangle_updates": ["p(/a)." # what
            , "q(/b)."]}"#;
        assert!(!check(text, "# what", ", \"what\""));
        assert!(check(r#"{control_packet: {"a": 1}}"#, "control_packet", "\"control_packet\""));
    }
}
