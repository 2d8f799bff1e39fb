//! `check --fix` and `--fix-transcripts` are done in one run, lose no word of a capture, and leave no more unreadable than
//! there was.

use std::collections::{BTreeMap, BTreeSet};

use crate::generate::World;
use crate::oracle::Form;
use crate::sandbox::Sandbox;

use super::commands;

/// Words that stand for a value: they may become the words of JSON, and nothing an empty list.
const LITERALS: &[&str] = &["true", "false", "none", "null", "undefined"];

/// Runs that captures may need: a fix may bring the next one to light.
const MOST_RUNS: usize = 1;

pub(crate) fn run(bytes: &[u8]) {
    let (sandbox, world) = (Sandbox::new(), World::from_bytes(bytes));
    let is_of_captures = world.choice % 2 == 1;
    let names = world.write(&sandbox);
    let read = || -> BTreeMap<String, Vec<u8>> {
        names.iter().filter_map(|name| Some((name.clone(), sandbox.read(name)?))).collect()
    };
    let option = if is_of_captures { "--fix-transcripts" } else { "--fix" };
    let before = read();
    commands::run(&["check", option], Form::Text);
    let mut after = read();
    let most = if is_of_captures { MOST_RUNS } else { 1 };
    for number in 1..=most {
        let again = commands::run(&["check", option], Form::Text);
        let next = read();
        if next == after {
            break;
        }
        let output = String::from_utf8_lossy(&again.output).into_owned();
        assert!(number < most, "{} runs did not fix all: {:?}\n{output}", number + 1, changed(&after, &next));
        after = next;
    }
    if is_of_captures {
        for (name, old) in before.iter().filter(|(name, _)| name.starts_with("transcripts/")) {
            keeps_words(name, old, &after[name]);
        }
    }
}

fn changed(one: &BTreeMap<String, Vec<u8>>, other: &BTreeMap<String, Vec<u8>>) -> Vec<(String, String)> {
    let differs = |(name, bytes): (&String, &Vec<u8>)| {
        let old = &one[name];
        (old != bytes)
            .then(|| (String::from_utf8_lossy(old).into_owned(), String::from_utf8_lossy(bytes).into_owned()))
    };
    other.iter().filter_map(differs).collect()
}

/// Each word of a file is still in it, however it is escaped, but for keys, which may be exchanged for keys of the protocol,
/// and literals, which may be respelled.
fn keeps_words(name: &str, old: &[u8], new: &[u8]) {
    let is_kept = |word: &Word| !word.is_key && !LITERALS.contains(&word.text.to_lowercase().as_str());
    let before: BTreeSet<String> = words(old).into_iter().filter(is_kept).map(|word| word.text).collect();
    let after: BTreeSet<String> = words(new).into_iter().map(|word| word.text).collect();
    let lost: Vec<_> = before.difference(&after).collect();
    let shown = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(lost.is_empty(), "{name} lost {lost:?}\n{}\nbecame\n{}", shown(old), shown(new));
}

/// A word of more than three characters.
struct Word {
    text: String,
    /// Whether a colon follows.
    is_key: bool,
}

fn words(bytes: &[u8]) -> Vec<Word> {
    let text = unescaped(&String::from_utf8_lossy(bytes));
    let mut words = Vec::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find(|char: char| char.is_alphanumeric() || char == '_') {
        let from = &rest[start..];
        let end = from.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(from.len());
        let (word, behind) = from.split_at(end);
        let is_key = behind.trim_start_matches(['"', '\'', ' ', '\n']).starts_with(':');
        if word.chars().count() > 3 {
            words.push(Word { text: word.to_owned(), is_key });
        }
        rest = behind;
    }
    words
}

/// The text without the escapes of any level: `\\\\u0061` is `a`, line ends are spaces.
fn unescaped(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = rest[at..].trim_start_matches('\\');
        let digits = rest.strip_prefix('u').and_then(|tail| tail.get(..4));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let (char, len) = match (code, rest.chars().next()) {
            (Some(code), _) => (char::from_u32(code).unwrap_or(' '), 5),
            (None, Some('n' | 'r' | 't' | 'b' | 'f')) => (' ', 1),
            _ => (' ', 0),
        };
        out.push(char);
        rest = &rest[len..];
    }
    out + rest
}
