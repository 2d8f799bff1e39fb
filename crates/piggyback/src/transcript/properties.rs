//! Properties of every reply in every container and escape style. Each range of the reply maps to
//! exactly the bytes that produce it. A fix that is applied to the file results in the intended
//! reply.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::placement;
use super::testing::{CONTAINERS, Choices, wrap};
use super::*;
use crate::envelope::Reply;
use crate::envelope::json::{Json, JsonKind as Node};
use mangle_settings::Caps;
use mangle_syntax::lint::Fix;
use mangle_syntax::text::{TextRange, size};

/// Returns the only reply of a file, with the start and the bytes of its record.
fn read(name: &str, bytes: &[u8]) -> (usize, Vec<u8>, Turn) {
    let mut found = Vec::new();
    let mut reader =
        TranscriptReader::new(TranscriptOptions { name: name.into(), ..TranscriptOptions::default() });
    let mut each = |record: &Record<'_>| {
        for turn in record.turns.iter().filter(|turn| turn.is_reply()) {
            found.push((usize::try_from(record.start).unwrap(), record.bytes.to_vec(), turn.clone()));
        }
    };
    reader.feed(bytes, &mut each);
    reader.finish(&mut each);
    assert_eq!(found.len(), 1, "{name}: {}", String::from_utf8_lossy(bytes));
    found.remove(0)
}

/// Decodes the inside of a JSON string.
pub(super) fn decoded(bytes: &[u8]) -> String {
    serde_json::from_slice(&[b"\"", bytes, b"\""].concat()).unwrap()
}

/// Decodes bytes of a record to the text of the reply.
pub(super) fn said(record: &[u8], place: TextRange, turn: &Turn) -> String {
    let bytes = &record[usize::from(place.start())..usize::from(place.end())];
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    (0..turn.levels).fold(text, |text, _| decoded(text.as_bytes()))
}

/// Removes white space at the start of lines. An indented fence has additional white space there.
fn unindented(text: &str) -> String {
    text.split_inclusive('\n').map(|line| line.trim_start_matches([' ', '\t'])).collect()
}

fn strategy() -> impl Strategy<Value = (usize, String, Vec<String>, Vec<u8>, String)> {
    let text = r#"[a\\"/é🦀\n\t\r{}, ]{0,12}"#;
    let choices = prop::collection::vec(any::<u8>(), 16..64);
    (0..CONTAINERS, text, prop::collection::vec(text, 0..3), choices, text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn ranges_are_made_by_their_bytes((kind, surface, updates, choices, _) in strategy()) {
        let mut choices = Choices(choices, 0);
        let envelope = choices.envelope(&surface, &updates);
        let (name, file) = wrap(kind, &envelope, &mut choices);
        let file = if choices.next(3) == 0 { format!("\u{feff}{file}") } else { file };
        let (start, record, turn) = read(name, file.as_bytes());
        let text = String::from_utf8(turn.text(&record).to_vec()).unwrap();
        prop_assert_eq!(text.trim(), envelope.as_str());
        prop_assert_eq!(&record[..], &file.as_bytes()[start..start + record.len()]);

        // Each range of the reply.
        let ends: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for _ in 0..20 {
            let (one, other) = (ends[choices.next(ends.len())], ends[choices.next(ends.len())]);
            let (from, to) = (one.min(other), one.max(other));
            if from == to {
                continue;
            }
            let places = turn.places(TextRange::new(size(from), size(to)));
            let found: String = places.iter().map(|place| said(&record, *place, &turn)).collect();
            match turn.is_verbatim() || turn.levels > 0 {
                true => prop_assert_eq!(&found, &text[from..to]),
                false => prop_assert_eq!(unindented(&found), unindented(&text[from..to])),
            }
        }

        // Each character of each string in the envelope: keys, updates and the surface.
        let reply = Reply::new(text.as_bytes(), &Caps::default());
        let object = reply.picked_object().unwrap();
        for node in strings(&object.json) {
            let (value, map) = object.json.string_with_map(node).unwrap();
            for (at, char) in value.char_indices() {
                let inner = map.to_source(TextRange::at(size(at), size(char.len_utf8())));
                let places = turn.places(inner);
                let found: String = places.iter().map(|place| said(&record, *place, &turn)).collect();
                prop_assert_eq!(decoded(found.as_bytes()), char.to_string());
            }
        }
    }

    #[test]
    fn fixes_say_what_was_meant((kind, surface, updates, choices, new) in strategy()) {
        let mut choices = Choices(choices, 0);
        let envelope = choices.envelope(&surface, &updates);
        let (name, file) = wrap(kind, &envelope, &mut choices);
        let (start, record, turn) = read(name, file.as_bytes());
        let text = String::from_utf8(turn.text(&record).to_vec()).unwrap();

        // A range inside the surface: its replacement is part of a JSON string.
        let json = Json::parse(text.as_bytes());
        let surface = json.range(strings(&json).last().copied().unwrap());
        let inside = &text[usize::from(surface.start()) + 2..usize::from(surface.end()) - 1];
        let (_, map) = json.string_with_map(strings(&json).last().copied().unwrap()).unwrap();
        let ends: Vec<_> = inside.char_indices().map(|(at, _)| at).chain([inside.len()]).collect();
        let at = |index: usize| surface.start() + size(2 + ends[index]);
        let (one, other) = (at(choices.next(ends.len())), at(choices.next(ends.len())));
        // Not inside an escape of the envelope itself.
        let snapped = |offset| map.to_derived(offset).map(|at| map.to_source(TextRange::empty(at)).start());
        let (Some(one), Some(other)) = (snapped(one), snapped(other)) else { return Ok(()) };
        let range = TextRange::new(one.min(other), one.max(other));
        let new = choices.escaped(&new);
        let meant = format!("{}{new}{}", &text[..range.start().into()], &text[range.end().into()..]);

        let fix = placement::map_fix_to_record(Fix::safe("x").replace(range, new.clone()), &turn, &record);
        let is_simple = turn.is_verbatim() || turn.levels > 0;
        let Some(fix) = fix else {
            let is_split = turn.seams_in(range).next().is_some();
            prop_assert!(is_split || !is_simple, "{:?} was not carried over into {}", range, file);
            return Ok(());
        };
        let edit = &fix.edits[0];
        let (from, to) = (start + usize::from(edit.span.range.start()), start + usize::from(edit.span.range.end()));
        let edited = format!("{}{}{}", &file[..from], edit.text, &file[to..]);
        let (_, record, turn) = read(name, edited.as_bytes());
        prop_assert_eq!(String::from_utf8(turn.text(&record).to_vec()).unwrap(), meant, "{}", edited);
    }

    #[test]
    fn any_bytes_are_read(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(br#"{}[]":,\u"#.to_vec())], 0..200),
        named in prop::option::of(0..Container::ALL.len()),
        name in prop::sample::select(vec!["a.json", "a.jsonl", "a.md", "a.txt", "a.log", ""]),
    ) {
        let container = named.map(|at| Container::ALL[at]);
        let mut reader = TranscriptReader::new(TranscriptOptions { container, name: name.into(), ..TranscriptOptions::default() });
        let mut each = |record: &Record<'_>| {
            let start = usize::try_from(record.start).unwrap();
            assert_eq!(record.bytes, &bytes[start..start + record.bytes.len()]);
            for turn in &record.turns {
                for place in turn.places(TextRange::up_to(size(turn.len()))) {
                    assert!(usize::from(place.end()) <= record.bytes.len());
                }
            }
        };
        for chunk in bytes.chunks(37) {
            reader.feed(chunk, &mut each);
        }
        reader.finish(&mut each);
    }
}

/// Returns the strings of an envelope in order.
pub(super) fn strings(json: &Json<'_>) -> Vec<crate::envelope::json::NodeId> {
    let (mut found, mut waiting) = (Vec::new(), vec![json.root()]);
    while let Some(node) = waiting.pop() {
        match json.kind(node) {
            Node::Plain | Node::Escaped => found.push(node),
            _ => {
                let inner: Vec<_> = json.elements(node).collect();
                waiting.extend(inner.into_iter().rev());
                let members: Vec<_> =
                    json.members(node).flat_map(|member| [member.key, member.value]).collect();
                waiting.extend(members.into_iter().rev());
            }
        }
    }
    found
}
