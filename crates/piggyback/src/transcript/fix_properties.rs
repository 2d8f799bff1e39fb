//! Properties of the fixes of all rules about replies, in randomly damaged replies in every
//! container.
//!
//! After a fix, the runtime reads at least as much as before, and the finding is gone. There are no
//! new errors or lost updates, and only protocol keys are added or removed.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::testing::{CONTAINERS, Choices, wrap};
use super::*;
use crate::envelope;
use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::testing::Example;
use mangle_syntax::lint::{Anchor, Applicability, Fix, FixKind, Severity};

/// Text that damage inserts.
const PIECES: [&str; 24] = [
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "null",
    "0.5",
    "\"\"",
    "\"a\":1,",
    "é",
    "\\u00e9",
    "/",
    ".",
    "(",
    ")",
    ";",
    "X",
    "\"p(done).\",",
    "\"q(1)\",",
];

/// Replacement values.
const VALUES: [&str; 9] =
    ["null", "[null]", "{}", "[]", "\"\"", "5", "true", "\"0.5\"", "[{}, null, \"p(1).\"]"];

/// Findings of a file and the extent that the runtime reads.
struct State {
    found: Vec<TranscriptFinding>,
    picked: usize,
    is_whole: bool,
    /// Texts of the replies.
    texts: Vec<String>,
    /// Number of updates in all objects of all replies.
    updates: usize,
}

impl State {
    fn new(name: &str, bytes: &[u8], example: &Example) -> Self {
        let (mut found, mut picked, mut is_whole) = (Vec::new(), 0, true);
        let (mut texts, mut updates) = (Vec::new(), 0);
        let mut checker = Checker::new(example.context(), Limits::default());
        let mut reader =
            TranscriptReader::new(TranscriptOptions { name: name.into(), ..TranscriptOptions::default() });
        let mut each = |record: &Record<'_>| {
            checker.record_with(record, &mut found, &mut |_, reply| {
                picked += usize::from(reply.accepted.is_some());
                is_whole &= reply.picked_object().is_some_and(|object| object.json.problems.is_empty());
                texts.push(String::from_utf8_lossy(reply.raw).into_owned());
                updates += reply.objects.iter().map(|object| updates_in(&object.json)).sum::<usize>();
            });
        };
        reader.feed(bytes, &mut each);
        let summary = reader.finish(&mut each);
        checker.finish(&summary, &mut found);
        Self { found, picked, is_whole, texts, updates }
    }

    /// Counts a finding. If its fix lets the runtime read more, compares also the message.
    fn count(&self, wanted: &TranscriptFinding) -> usize {
        let is_it = |found: &&TranscriptFinding| {
            found.finding.rule == wanted.finding.rule
                && (!opens(wanted) || found.finding.message == wanted.finding.message)
        };
        self.found.iter().filter(is_it).count()
    }

    /// Counts errors by rule.
    fn errors(&self) -> BTreeMap<&'static str, usize> {
        let mut errors = BTreeMap::new();
        let severity = |found: &TranscriptFinding| found.finding.severity.or(found.finding.rule.severity);
        for found in self.found.iter().filter(|found| severity(found) == Some(Severity::Error)) {
            *errors.entry(found.finding.rule.code).or_default() += 1;
        }
        errors
    }
}

/// Counts the elements of update lists at any depth. Blank or `null` elements are not counted.
fn updates_in(json: &Json<'_>) -> usize {
    let lists = json.nodes().flat_map(|node| json.members(node));
    let lists = lists.filter(|member| json.string(member.key).is_some_and(|key| key == "mangle_updates"));
    let is_said = |node: &NodeId| {
        json.kind(*node) != JsonKind::Null && json.string(*node).is_none_or(|text| !text.trim().is_empty())
    };
    lists.map(|member| json.elements(member.value).filter(is_said).count()).sum()
}

/// Counts the words of the replies. Escapes count as spaces.
fn words(state: &State) -> BTreeMap<String, i64> {
    let mut words = BTreeMap::new();
    for text in &state.texts {
        let plain = text.replace("\\n", " ").replace("\\t", " ").replace("\\r", " ").replace('\\', "");
        let all = plain.split(|char: char| !(char.is_alphanumeric() || char == '_'));
        for word in all.filter(|word| !word.is_empty()) {
            *words.entry(word.to_owned()).or_default() += 1;
        }
    }
    words
}

/// Returns a message if a fix removed an update or added a word. Allowed words are protocol keys,
/// `null`, and other spellings of the same literal, number or escape.
fn altered(before: &State, after: &State) -> Option<String> {
    if after.updates < before.updates && before.is_whole {
        return Some("an update is gone".into());
    }
    let mut words_after = words(after);
    for (word, count) in words(before) {
        *words_after.entry(word).or_default() -= count;
    }
    let is_spelling = |word: &str| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit()) && word.trim_matches('0').is_empty();
        let is_literal = ["true", "false", "null", "none", "undefined", "nil"];
        // `\u000a`, and the digits of a number in another notation.
        let is_escape = word.starts_with('u') && word.get(1..5).is_some_and(|code| code.starts_with("00"));
        is_number || is_literal.contains(&word.to_ascii_lowercase().as_str()) || is_escape
    };
    let is_key = |word: &str| crate::envelope::table::is_key(word);
    let came = words_after.iter().find(|(word, count)| **count > 0 && !is_key(word) && !is_spelling(word));
    came.map(|(word, _)| format!("`{word}` came from nowhere"))
}

/// Returns the file after a fix, if the fix applies to the file.
fn applied(file: &[u8], start: u64, fix: &Fix) -> Option<Vec<u8>> {
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| edit.span.range.start());
    let (mut new, mut at) = (Vec::new(), 0);
    for edit in edits {
        if !matches!(edit.span.anchor, Anchor::Own | Anchor::File) {
            return None;
        }
        let base = if edit.span.anchor == Anchor::Own { usize::try_from(start).unwrap() } else { 0 };
        let range = base + usize::from(edit.span.range.start())..base + usize::from(edit.span.range.end());
        new.extend_from_slice(&file[at..range.start]);
        new.extend_from_slice(edit.text.as_bytes());
        at = range.end;
    }
    new.extend_from_slice(&file[at..]);
    Some(new)
}

/// Deletes, inserts and replaces characters.
fn damaged(reply: &str, damage: &[(u16, u8, usize)]) -> String {
    let mut text = reply.to_owned();
    for (place, len, piece) in damage {
        let boundary = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = boundary(usize::from(*place) % (text.len() + 1));
        let end = boundary((start + usize::from(len % 4)).min(text.len())).max(start);
        text.replace_range(start..end, PIECES[*piece]);
    }
    text
}

/// Replaces a value of the reply.
fn exchanged(reply: &str, place: u16, value: usize) -> String {
    let json = Json::parse(reply.as_bytes());
    let values: Vec<_> = json
        .nodes()
        .flat_map(|node| json.elements(node).chain(json.members(node).map(|member| member.value)))
        .collect();
    let Some(node) = values.get(usize::from(place) % values.len().max(1)) else { return reply.to_owned() };
    let range = json.range(*node);
    let mut text = reply.to_owned();
    text.replace_range(usize::from(range.start())..usize::from(range.end()), VALUES[value]);
    text
}

/// True if a fix lets the runtime read text that was unreadable before, so that new findings are
/// expected. Examples: text after a JSON error, an update that was not an atom, or a misspelled
/// key.
fn opens(found: &TranscriptFinding) -> bool {
    let renames =
        |fix: &Fix| fix.applicability == Applicability::Unsafe && fix.title.starts_with("rename it");
    matches!(found.finding.rule.name, "json-syntax" | "atom-syntax")
        || found.finding.fix.as_ref().is_some_and(renames)
}

/// Checks that the state after a fix is not worse than before.
fn judge(before: &State, after: &State, found: &TranscriptFinding) -> Result<(), String> {
    let rule = found.finding.rule;
    if after.picked < before.picked {
        return Err("fewer envelopes are read".into());
    }
    let (was, is) = (before.count(found), after.count(found));
    // In damaged JSON, the next error may have the same message.
    if is >= was && rule.name != "json-syntax" && (before.is_whole || !opens(found)) {
        return Err(format!("{} was found {was} times, and is found {is} times", rule.name));
    }
    if opens(found) {
        return Ok(());
    }
    let (errors, left) = (before.errors(), after.errors());
    let new = left.iter().find(|(code, count)| errors.get(*code).is_none_or(|before| before < *count));
    match new {
        // An unreadable text has no other errors.
        Some((code, _)) if before.is_whole => Err(format!("{code} is new")),
        _ => Ok(()),
    }
}

fn examples() -> Vec<&'static Rule> {
    let is_reply = |rule: &&'static Rule| !rule.bad.starts_with("#- ") && rule.fix != FixKind::None;
    envelope::rules().filter(is_reply).collect()
}

/// Returns the problems of the fixes of a file, or an empty string.
fn wrong(name: &str, file: &str, example: &Example) -> String {
    let before = State::new(name, file.as_bytes(), example);
    let mut wrong = String::new();
    for found in &before.found {
        let Some(fix) = &found.finding.fix else { continue };
        let Some(edited) = applied(file.as_bytes(), found.start, fix) else { continue };
        let after = State::new(name, &edited, example);
        let outcome = match altered(&before, &after) {
            Some(why) => Err(why),
            None => judge(&before, &after, found),
        };
        if let Err(why) = outcome {
            let (code, message) = (found.finding.rule.code, &found.finding.message);
            let edited = String::from_utf8_lossy(&edited);
            wrong += &format!("{code} {message}: {why}\n{name}: {file}\nbecomes\n{edited}\n{fix:?}\n");
        }
    }
    wrong
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, rng_seed: RngSeed::Fixed(6), ..ProptestConfig::default() })]

    #[test]
    fn fixes_make_nothing_worse(
        rule in 0..examples().len(),
        kind in 0..CONTAINERS,
        damage in prop::collection::vec((any::<u16>(), any::<u8>(), 0..PIECES.len()), 0..3),
        exchange in prop::option::of((any::<u16>(), 0..VALUES.len())),
        choices in prop::collection::vec(any::<u8>(), 16..64),
    ) {
        let example = Example::new(examples()[rule].bad);
        let reply = exchange.map_or(example.reply.clone(), |(at, value)| exchanged(&example.reply, at, value));
        let reply = damaged(&reply, &damage);
        let (name, file) = wrap(kind, &reply, &mut Choices(choices, 0));
        let wrong = wrong(name, &file, &example);
        prop_assert!(wrong.is_empty(), "{}", wrong);
    }
}
