//! Batches that are read out of order, with separate checkers, give the same result as reading the
//! file at once.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::testing::{CONTAINERS, Choices, wrap};
use super::*;
use crate::envelope::ReplyContext;
use mangle_settings::TranscriptSettings;

/// Returns the result for a file that is read at once.
fn at_once(name: &str, bytes: &[u8], context: ReplyContext<'_>) -> String {
    let (mut out, mut seen) = (Vec::new(), Vec::new());
    let mut checker = Checker::new(context, Limits::default());
    let mut reader = reader(name, bytes);
    let mut each = |record: &Record<'_>| {
        seen.push(format!("{record:?}"));
        checker.record(record, &mut out);
    };
    reader.feed(bytes, &mut each);
    let summary = reader.finish(&mut each);
    let envelopes = checker.envelopes();
    checker.finish(&summary, &mut out);
    format!("{seen:#?}\n{out:#?}\n{summary:#?}\n{envelopes}")
}

/// Returns the result for a file that is cut into batches. The last batches are read first.
fn in_batches(name: &str, bytes: &[u8], size: usize, context: ReplyContext<'_>) -> String {
    let mut reader = reader(name, bytes);
    let mut batches: Vec<_> = bytes.chunks(size).map(|chunk| reader.cut(chunk)).collect();
    batches.push(reader.cut_rest());
    let all: Vec<u8> = batches.iter().flat_map(|batch| batch.bytes().to_vec()).collect();
    assert_eq!(all, bytes, "{name}");
    let mut records = RecordChecker::new(context);
    let read = |batch: Batch| batch.read(&mut |record| records.record(record));
    let mut read: Vec<_> = batches.into_iter().rev().map(read).collect();
    read.reverse();
    let (mut out, mut seen) = (Vec::new(), Vec::new());
    let mut checker = Checker::new(context, Limits::default());
    let mut before = 0;
    for batch in read {
        let taken = reader.take(batch, &mut |record, front, checked| {
            seen.push(format!("{record:?}"));
            let is_refused = record.bytes.is_empty();
            assert!(is_refused || record.start == before + front.len() as u64, "{name}: {}", record.start);
            match checked {
                Some(checked) => checker.add_result(record, checked, &mut out),
                None => checker.record(record, &mut out),
            }
        });
        before += taken.len() as u64;
    }
    let summary = reader.summary();
    let envelopes = checker.envelopes();
    checker.finish(&summary, &mut out);
    format!("{seen:#?}\n{out:#?}\n{summary:#?}\n{envelopes}")
}

/// Creates a reader that already knows the format of the file.
fn reader(name: &str, bytes: &[u8]) -> TranscriptReader {
    let options = TranscriptOptions { name: name.into(), ..TranscriptOptions::default() };
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let reader = TranscriptReader::new(options).with_limit(1 << 12);
    if binary_kind(bytes).is_some() { reader } else { reader.with_format(text, true) }
}

#[track_caller]
fn check(name: &str, bytes: &[u8], context: ReplyContext<'_>) {
    let expected = at_once(name, bytes, context);
    for size in [5, 61] {
        assert_eq!(in_batches(name, bytes, size, context), expected, "{name} in pieces of {size}");
    }
}

#[test]
fn examples_of_all_rules_are_read_the_same() {
    let settings = TranscriptSettings::default();
    for rule in rules().filter(|rule| !rule.bad.starts_with(&format!("#- {}", settings::PATH))) {
        for text in [rule.bad, rule.good] {
            let (first, rest) = text.split_once('\n').unwrap();
            let name = first.trim_start_matches("#- ").split(' ').next().unwrap();
            let file = rest.split("\n#- ").next().unwrap();
            check(name, file.as_bytes(), ReplyContext::new(&settings));
        }
    }
}

#[test]
fn records_beyond_the_limit_and_other_files_are_read_the_same() {
    let settings = TranscriptSettings::default();
    let context = ReplyContext::new(&settings);
    let long = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "a ".repeat(3_000));
    let short = "{\"role\":\"assistant\",\"content\":\"no JSON\"}\n";
    check("a.jsonl", format!("{short}{long}{short}\n\r\n{long}{short}").as_bytes(), context);
    check("a.jsonl", format!("\u{feff}{short}{short}").as_bytes(), context);
    check("a.jsonl", b"", context);
    check("a.jsonl", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR and more", context);
}

#[test]
fn copies_are_known_across_batches() {
    let settings = TranscriptSettings::default();
    let reply =
        r#"{\"control_packet\":{\"mangle_updates\":[\"p(1).\"]},\"surface_response\":\"Done so far.\"}"#;
    let line = |side: &str| format!("{{\"{side}\":[{{\"role\":\"assistant\",\"content\":\"{reply}\"}}]}}\n");
    let file = format!("{}{}", line("output"), line("input")).repeat(3);
    check("a.jsonl", file.as_bytes(), ReplyContext::new(&settings));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn logs_in_all_containers_are_read_the_same(
        kind in 0..CONTAINERS,
        texts in prop::collection::vec((r#"[a\\"/é🦀\n\t{}, ]{0,12}"#, prop::collection::vec("[a-c]{0,3}", 0..3)), 1..5),
        choices in prop::collection::vec(any::<u8>(), 16..64),
        size in 1..90usize,
    ) {
        let mut choices = Choices(choices, 0);
        let (mut file, mut name) = (String::new(), "");
        for (surface, updates) in &texts {
            let envelope = choices.envelope(surface, updates);
            let (known, one) = wrap(kind, &envelope, &mut choices);
            name = known;
            file.push_str(&one);
            if !file.ends_with('\n') {
                file.push('\n');
            }
        }
        let settings = TranscriptSettings::default();
        let context = ReplyContext::new(&settings);
        let expected = at_once(name, file.as_bytes(), context);
        prop_assert_eq!(in_batches(name, file.as_bytes(), size, context), expected, "{}", file);
    }
}
