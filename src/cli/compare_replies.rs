//! Comparison of replies between two choices of versions, record by record.

use std::io;
use std::ops::ControlFlow;

use serde_json::Value;

use super::reply_reader::ReplyReader;
use super::transcripts::{RecordWorker, Transcripts};
use mangle_host::{AccountPolicies, Problem, TranscriptFile};
use mangle_ide::transcripts::ExaminedRecord;
use mangle_report::LinePosition;
use mangle_report::replies::{ReplyComparison, parsed, reply_differences, without_secrets};
use piggyback::transcript::Record;

/// The findings of both readings of a record.
type ExaminedTwice = [Option<ExaminedRecord>; 2];

/// A reading of a reply: its runtime, and the record that `parse` writes.
struct Reading {
    runtime: &'static str,
    record: Value,
}

/// Reads the files of `old` once, and passes each reply with the differences between both readings.
/// Returns the unreadable files.
///
/// # Errors
/// The errors of `each`.
pub(super) fn compare_replies(
    old: &mut Transcripts,
    new: &mut Transcripts,
    each: &mut dyn FnMut(ReplyComparison) -> io::Result<()>,
) -> io::Result<Vec<Problem>> {
    let sources = [std::mem::take(&mut old.sources), std::mem::take(&mut new.sources)];
    let policies = [&*old, &*new].map(|side| AccountPolicies::with_denials(side.programs()));
    let [old_sources, new_sources] = sources;
    let [old_policies, new_policies] = &policies;
    let mut old_reader = ReplyReader::new(old, old_policies, old_sources);
    let mut new_reader = ReplyReader::new(new, new_policies, new_sources);
    let programs = [old.programs(), new.programs()];
    let worker: &RecordWorker<'_, ExaminedTwice> = &|found| {
        let mut examiners = programs.map(|programs| ReplyReader::examiner(programs, found));
        Box::new(move |record| examiners.each_mut().map(|examiner| examiner(record)))
    };
    let mut see = |found: &TranscriptFile,
                   record: &Record<'_>,
                   [before, after]: ExaminedTwice,
                   spot: &mut dyn FnMut() -> LinePosition| {
        let before = readings(&mut old_reader, found, record, before, spot)?;
        let after = readings(&mut new_reader, found, record, after, spot)?;
        for (before, after) in before.iter().zip(&after) {
            each(comparison(before, after))?;
        }
        Ok(ControlFlow::Continue(()))
    };
    let problems = old.each_record_with(worker, &mut |_, _, _| {}, &mut see, &mut |_, _| Ok(()))?;
    old.note_without_reply(old_reader.without_reply());
    Ok(problems)
}

/// The readings of the replies in a record.
fn readings(
    reader: &mut ReplyReader<'_>,
    found: &TranscriptFile,
    record: &Record<'_>,
    examined: Option<ExaminedRecord>,
    spot: &mut dyn FnMut() -> LinePosition,
) -> io::Result<Vec<Reading>> {
    let mut readings = Vec::new();
    reader.record(found, record, examined, spot, &mut |seen| {
        let caps = &seen.context.settings.caps;
        let record = without_secrets(parsed(seen.answered, caps, seen.diagnostics));
        readings.push(Reading { runtime: caps.runtime.name(), record });
        Ok(())
    })?;
    Ok(readings)
}

fn comparison(old: &Reading, new: &Reading) -> ReplyComparison {
    let record = &old.record;
    ReplyComparison {
        file: record["file"].as_str().unwrap_or_default().to_owned(),
        record: record["record"].as_u64().unwrap_or_default(),
        path: record["path"].clone(),
        runtimes: [old.runtime, new.runtime],
        differences: reply_differences(record, &new.record),
    }
}
