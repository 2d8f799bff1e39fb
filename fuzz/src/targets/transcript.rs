//! A transcript that comes in pieces of any size is read as it is at once. What is found lies inside, and a safe fix gives a
//! file that can be read no worse.

use mangle_settings::{Container, TranscriptSettings};
use mangle_syntax::lint::{Anchor, Applicability, Fix};
use mangle_syntax::text::TextRange;
use piggyback::envelope::ReplyContext;
use piggyback::transcript::{
    Checker, Limits, ReadSummary, Record, Transcript, TranscriptFinding, TranscriptOptions, TranscriptReader,
};

use crate::generate::transcript;
use crate::oracle;
use crate::support::Random;

pub(crate) fn run(bytes: &[u8]) {
    let [chunks, container, rest @ ..] = bytes else { return };
    let (name, file) = transcript(rest);
    let container = Container::ALL.get(usize::from(*container)).copied();
    let options = TranscriptOptions { container, name, ..TranscriptOptions::default() };
    let whole = Read::new(options.clone(), &file, usize::MAX);
    let parts = Read::new(options.clone(), &file, usize::from(*chunks) + 1);
    assert_eq!(whole.records, parts.records, "in pieces of {}", usize::from(*chunks) + 1);
    assert_eq!(whole.summary, parts.summary);
    assert_eq!(shown(&whole.found), shown(&parts.found));
    for found in &whole.found {
        let start = usize::try_from(found.start).unwrap();
        oracle::finding(&found.finding, &file[start..]);
    }
    let document = Transcript::parse(options.clone(), &file);
    assert_eq!(document.entries().len(), whole.records.len());
    let mut random = Random::from_bytes(rest);
    let fixed: Vec<_> = whole.found.iter().filter_map(|found| Some((found, safe(found)?))).collect();
    if !fixed.is_empty() {
        let (found, fix) = fixed[random.below(fixed.len())];
        apply(found, fix, &file, &options, &whole);
    }
}

/// What was read.
struct Read {
    records: Vec<String>,
    found: Vec<TranscriptFinding>,
    summary: ReadSummary,
    errors: usize,
}

impl Read {
    fn new(options: TranscriptOptions, file: &[u8], chunk: usize) -> Self {
        let settings = TranscriptSettings::default();
        let mut checker = Checker::new(ReplyContext::new(&settings), Limits::default());
        let (mut records, mut found) = (Vec::new(), Vec::new());
        let mut reader = TranscriptReader::new(options);
        let mut each = |record: &Record<'_>| {
            let start = usize::try_from(record.start).unwrap();
            assert_eq!(record.bytes, &file[start..start + record.bytes.len()]);
            for turn in &record.turns {
                for place in turn.places(TextRange::up_to(mangle_syntax::text::size(turn.len()))) {
                    assert!(usize::from(place.end()) <= record.bytes.len());
                }
            }
            records.push(format!("{record:?}"));
            checker.record(record, &mut found);
        };
        for chunk in file.chunks(chunk.clamp(1, file.len().max(1))) {
            reader.feed(chunk, &mut each);
        }
        let summary = reader.finish(&mut each);
        checker.finish(&summary, &mut found);
        let is_error = |found: &&TranscriptFinding| found.finding.rule.is_unreadable();
        let errors = found.iter().filter(is_error).count();
        Self { records, found, summary, errors }
    }
}

fn shown(found: &[TranscriptFinding]) -> Vec<String> {
    found.iter().map(|found| format!("{} {:?}", found.start, found.finding)).collect()
}

fn safe(found: &TranscriptFinding) -> Option<&Fix> {
    let is_here = |fix: &&Fix| fix.edits.iter().all(|edit| edit.span.anchor == Anchor::Own);
    found.finding.fix.as_ref().filter(|fix| fix.applicability == Applicability::Safe).filter(is_here)
}

/// Makes the edits of a fix, and reads the file again.
fn apply(found: &TranscriptFinding, fix: &Fix, file: &[u8], options: &TranscriptOptions, before: &Read) {
    let start = usize::try_from(found.start).unwrap();
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.range.start()));
    let mut fixed = file.to_vec();
    for edit in edits {
        let range = edit.span.range;
        fixed.splice(start + usize::from(range.start())..start + usize::from(range.end()), edit.text.bytes());
    }
    if std::str::from_utf8(file).is_ok() {
        assert!(std::str::from_utf8(&fixed).is_ok(), "{fix:?} makes bytes that are no text");
    }
    let after = Read::new(options.clone(), &fixed, usize::MAX);
    let shown = format!("{fix:?} of {}\n{}", found.finding.message, String::from_utf8_lossy(&fixed));
    assert_eq!(after.records.len(), before.records.len(), "{shown}");
    assert!(after.errors <= before.errors, "{shown}");
}
