//! The findings of a transcript, record by record, with their severities, less what is silenced in the records.

use std::sync::Arc;

use super::members::{self, Cover};
use mangle_engine::program::Program;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Placement};
use mangle_syntax::text::{FileId, StatementId, TextSize};
use piggyback::envelope::ReplyContext;
use piggyback::transcript::{
    Checker, Limits, ReadSummary, Record, RecordCheck, RecordChecker, TranscriptFinding, TurnSite, check_with,
};

/// What a transcript is judged by.
#[derive(Debug, Clone, Copy)]
pub struct Judge<'a> {
    /// How grave which findings are.
    pub rules: &'a RuleSettings,
    /// Settings, declarations, tools.
    pub context: ReplyContext<'a>,
    /// The limits of the runtime's configuration.
    pub limits: &'a Limits,
    /// The programs that findings may point into.
    pub programs: &'a [Arc<Program>],
}

/// What was found in a record.
#[derive(Debug, Default)]
pub struct RecordFindings {
    /// What was found, with the place that its ranges count from.
    pub found: Vec<TranscriptFinding>,
    /// How many envelopes the runtime takes from it.
    pub envelopes: u64,
}

/// Checks single records, for [`TranscriptCheck::take`]. Several of them may work at one transcript.
#[derive(Debug)]
pub struct RecordExaminer<'a> {
    context: ReplyContext<'a>,
    records: RecordChecker<'a>,
}

/// What was found in a record by itself.
#[derive(Debug)]
pub struct ExaminedRecord {
    checked: RecordCheck,
    /// What silences some of it, where there may be such.
    covers: Option<Vec<Cover>>,
}

impl<'a> RecordExaminer<'a> {
    /// One for a transcript.
    #[must_use]
    pub fn new(judge: Judge<'a>) -> Self {
        Self { context: judge.context, records: RecordChecker::new(judge.context) }
    }

    /// Checks a record.
    #[must_use]
    pub fn record(&mut self, record: &Record<'_>) -> ExaminedRecord {
        if !members::is_marked(record.bytes) {
            return ExaminedRecord { checked: self.records.record(record), covers: None };
        }
        let mut covers = Vec::new();
        let checked = check_with(record, &self.context, &mut |turn, reply| {
            members::of_reply(turn, reply, record.bytes, &mut covers);
        });
        members::of_record(record.bytes, &mut covers);
        ExaminedRecord { checked, covers: Some(covers) }
    }
}

/// A check of one transcript.
#[derive(Debug)]
pub struct TranscriptCheck<'a> {
    judge: Judge<'a>,
    examiner: RecordExaminer<'a>,
    checker: Checker<'a>,
}

impl<'a> TranscriptCheck<'a> {
    /// Begins a check.
    #[must_use]
    pub fn new(judge: Judge<'a>) -> Self {
        let checker = Checker::new(judge.context, judge.limits.clone());
        Self { judge, examiner: RecordExaminer::new(judge), checker }
    }

    /// Looks at the next record.
    pub fn record(&mut self, record: &Record<'_>) -> RecordFindings {
        let examined = self.examiner.record(record);
        self.take(record, examined)
    }

    /// Takes what a [`RecordExaminer`] found in the next record.
    pub fn take(&mut self, record: &Record<'_>, examined: ExaminedRecord) -> RecordFindings {
        let (mut found, before) = (Vec::new(), self.checker.envelopes());
        self.checker.take(record, examined.checked, &mut found);
        if let Some(covers) = examined.covers {
            let site = TurnSite { record: record.number, start: record.start };
            members::apply(&covers, site, self.judge.rules, &mut found);
        }
        RecordFindings { found, envelopes: self.checker.envelopes() - before }
    }

    /// How many replies were sent back so far.
    #[must_use]
    pub fn repair_rounds(&self) -> u64 {
        self.checker.repair_rounds()
    }

    /// What only the end of the file shows.
    #[must_use]
    pub fn finish(self, summary: &ReadSummary) -> Vec<TranscriptFinding> {
        let mut found = Vec::new();
        self.checker.finish(summary, &mut found);
        found
    }
}

impl Judge<'_> {
    /// Something that was found as a diagnostic of the file `file`, in which the place that its ranges count from is
    /// `base`. `None` if its rule is off.
    #[must_use]
    pub fn diagnostic(&self, found: TranscriptFinding, file: FileId, base: TextSize) -> Option<Diagnostic> {
        let TranscriptFinding { finding, address, .. } = found;
        let severity = self.rules.severity_of(&finding)?;
        let mut start_of = |file, statement| self.start_of(file, statement);
        let mut placed = Placement::new(file, base, &mut start_of).diagnostic(finding, severity);
        if let Some(fix) = &mut placed.fix {
            fix.evidence = fix.edits.iter().any(|edit| edit.file == file);
        }
        Some(Diagnostic { path: address.path, ..placed })
    }

    /// Where a statement of a policy starts.
    fn start_of(&self, file: FileId, statement: StatementId) -> Option<TextSize> {
        let files = self.programs.iter().filter_map(|program| program.file(file));
        let mut items = files.flat_map(|file| file.items.iter());
        items.find(|item| item.statement.id == statement).map(|item| item.start)
    }
}
