//! Reader of replies with their findings, record by record, and the comparison of replies between two
//! choices of versions.

use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

use serde_json::Value;

use super::transcripts::{ExaminedReply, RecordWorker, Transcripts};
use mangle_host::{AccountPolicies, Accounts, Problem, TranscriptFile, TranscriptPrograms};
use mangle_ide::transcripts::{ExaminedRecord, RecordExaminer, TranscriptChecker};
use mangle_report::replies::{ReplyComparison, TranscriptReply, parsed, reply_differences, without_secrets};
use mangle_report::{FilePart, LinePosition, RECORD, SourceText, Sources, json_value};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{TextRange, TextSize, size};
use piggyback::transcript::{Record, TextKind, Turn};

/// Callback for a reply with its findings.
pub(super) type EachReply<'f> = dyn FnMut(ExaminedReply<'_>) -> io::Result<()> + 'f;

/// Reads the replies of transcripts, with the given settings and policies.
struct ReplyReader<'t> {
    transcripts: &'t Transcripts,
    sources: Sources,
    accounts: Accounts<'t>,
    /// The state of checks that span several records of the current file.
    check: Option<(PathBuf, TranscriptChecker<'t>)>,
    /// Files with replies.
    answered: BTreeSet<PathBuf>,
    /// Files with surfaces or updates outside of replies.
    unanswered: BTreeSet<PathBuf>,
}

impl Transcripts {
    /// Passes each reply with its findings to `each`.
    ///
    /// # Errors
    /// The errors of `each`.
    pub(super) fn each_reply(&mut self, each: &mut EachReply<'_>) -> io::Result<Vec<Problem>> {
        let sources = std::mem::take(&mut self.sources);
        let policies = AccountPolicies::with_denials(self.programs());
        let mut reader = ReplyReader::new(self, &policies, sources);
        let mut see = |found: &TranscriptFile,
                       record: &Record<'_>,
                       examined: Option<ExaminedRecord>,
                       spot: &mut dyn FnMut() -> LinePosition| {
            reader.record(found, record, examined, spot, each).map(ControlFlow::Continue)
        };
        let programs = self.programs();
        let worker: &RecordWorker<'_, Option<ExaminedRecord>> =
            &|found| ReplyReader::examiner(programs, found);
        let problems = self.each_record_with(worker, &mut |_, _, _| {}, &mut see, &mut |_, _| Ok(()))?;
        self.note_without_reply(reader.without_reply());
        Ok(problems)
    }
}

/// Examines the records of a file. Returns `None` for an unknown file.
type Examiner<'t> = Box<dyn FnMut(&Record<'_>) -> Option<ExaminedRecord> + 't>;

impl<'t> ReplyReader<'t> {
    /// Creates a reader. `sources` are the texts of the policies.
    fn new(transcripts: &'t Transcripts, policies: &'t AccountPolicies, sources: Sources) -> Self {
        Self {
            transcripts,
            sources,
            accounts: Accounts::new(transcripts.programs(), policies),
            check: None,
            answered: BTreeSet::new(),
            unanswered: BTreeSet::new(),
        }
    }

    /// Creates the examiner for the records of a file. The examiner can run on another thread.
    fn examiner(programs: TranscriptPrograms<'t>, found: &TranscriptFile) -> Examiner<'t> {
        let known = programs.same(found);
        let mut examiner = known.map(|known| RecordExaminer::new(programs.knowledges.judge(known)));
        Box::new(move |record| Some(examiner.as_mut()?.record(record)))
    }

    /// Reads a record, and passes each of its replies.
    ///
    /// # Errors
    /// The errors of `each`.
    fn record(
        &mut self,
        found: &TranscriptFile,
        record: &Record<'_>,
        examined: Option<ExaminedRecord>,
        spot: &mut dyn FnMut() -> LinePosition,
        each: &mut EachReply<'_>,
    ) -> io::Result<()> {
        let Some(known) = self.transcripts.resolution.transcript(found) else { return Ok(()) };
        let name = self.transcripts.name(found);
        let judge = self.transcripts.knowledges.judge(known);
        let placed = self.placed(known, record, examined);
        if !placed.is_empty() {
            let part = FilePart::new(RECORD, record.start, spot(), record.bytes, RECORD, &placed);
            self.sources.insert_source(RECORD, SourceText::of_part(name.clone(), part));
        }
        let mut lines: Vec<_> = placed.iter().map(|found| json_value(RECORD, found, &self.sources)).collect();
        self.accounts.record(known, record);
        self.note_replies(known, record);
        for (at, turn) in record.turns.iter().enumerate().filter(|(_, turn)| turn.is_reply()) {
            let text = turn.text(record.bytes);
            let whole = turn.place(TextRange::up_to(size(text.len())));
            let own = |found: &Diagnostic| whole.contains_inclusive(found.range.start());
            let diagnostics = placed.iter().zip(&mut lines).filter(|(found, _)| own(found));
            let diagnostics = diagnostics.map(|(_, line)| line.take()).filter(|line| !line.is_null());
            let diagnostics: Vec<Value> = diagnostics.collect();
            let reply = turn.reply(record.bytes, &known.settings);
            let account = self.accounts.account(at, &reply);
            let answered = TranscriptReply { file: &name, record, turn, reply: &reply, account: &account };
            each(ExaminedReply { answered, context: judge.context, diagnostics })?;
        }
        Ok(())
    }

    /// The findings that start in a record.
    fn placed(
        &mut self,
        known: &'t TranscriptFile,
        record: &Record<'_>,
        examined: Option<ExaminedRecord>,
    ) -> Vec<Diagnostic> {
        let judge = self.transcripts.knowledges.judge(known);
        if self.check.as_ref().is_none_or(|(path, _)| *path != known.path) {
            // Files are read one after the other.
            self.check = Some((known.path.clone(), TranscriptChecker::new(judge)));
        }
        let Some((_, check)) = &mut self.check else { return Vec::new() };
        let findings = match examined {
            Some(examined) => check.take(record, examined).found,
            None => check.record(record).found,
        };
        let here = findings.into_iter().filter(|found| found.start == record.start);
        here.filter_map(|found| judge.diagnostic(found, RECORD, TextSize::new(0))).collect()
    }

    fn note_replies(&mut self, found: &TranscriptFile, record: &Record<'_>) {
        if record.turns.iter().any(Turn::is_reply) {
            self.answered.insert(found.path.clone());
        } else if record.turns.iter().any(|turn| matches!(turn.kind, TextKind::Surface | TextKind::Atom)) {
            self.unanswered.insert(found.path.clone());
        }
    }

    /// The files with only surfaces and updates.
    fn without_reply(&self) -> Vec<PathBuf> {
        self.unanswered.difference(&self.answered).cloned().collect()
    }
}

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
