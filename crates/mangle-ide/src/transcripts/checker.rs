//! Transcript checker: findings per record, with severities and suppression.

use std::sync::Arc;

use super::members::{self, SuppressionMember};
use mangle_engine::program::Program;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Placement};
use mangle_syntax::text::{FileId, StatementId, TextSize};
use piggyback::envelope::ReplyContext;
use piggyback::transcript::{
    Checker, Limits, ReadSummary, Record, RecordCheck, RecordChecker, TranscriptFinding, TurnSite, check_with,
};

/// Context for checking a transcript.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptContext<'a> {
    /// Severities of the rules.
    pub rules: &'a RuleSettings,
    /// Settings, declarations and tools.
    pub context: ReplyContext<'a>,
    /// Limits from the configuration of the runtime.
    pub limits: &'a Limits,
    /// Programs that findings may refer to.
    pub programs: &'a [Arc<Program>],
}

#[derive(Debug, Default)]
pub struct RecordFindings {
    /// Findings with the position that their ranges are relative to.
    pub found: Vec<TranscriptFinding>,
    /// Number of envelopes that the runtime takes from the record.
    pub envelopes: u64,
}

/// Checker of single records, for [`TranscriptChecker::take`]. One transcript can have several
/// examiners.
#[derive(Debug)]
pub struct RecordExaminer<'a> {
    context: ReplyContext<'a>,
    records: RecordChecker<'a>,
}

/// Result of checking a record in isolation.
#[derive(Debug)]
pub struct ExaminedRecord {
    checked: RecordCheck,
    /// Suppressions in the record. `None` if the record has none.
    covers: Option<Vec<SuppressionMember>>,
}

impl<'a> RecordExaminer<'a> {
    #[must_use]
    pub fn new(judge: TranscriptContext<'a>) -> Self {
        Self { context: judge.context, records: RecordChecker::new(judge.context) }
    }

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

/// Check of one transcript.
#[derive(Debug)]
pub struct TranscriptChecker<'a> {
    judge: TranscriptContext<'a>,
    examiner: RecordExaminer<'a>,
    checker: Checker<'a>,
}

impl<'a> TranscriptChecker<'a> {
    #[must_use]
    pub fn new(judge: TranscriptContext<'a>) -> Self {
        let checker = Checker::new(judge.context, judge.limits.clone());
        Self { judge, examiner: RecordExaminer::new(judge), checker }
    }

    /// Checks the next record.
    pub fn record(&mut self, record: &Record<'_>) -> RecordFindings {
        let examined = self.examiner.record(record);
        self.take(record, examined)
    }

    /// Adds the result of a [`RecordExaminer`] for the next record.
    pub fn take(&mut self, record: &Record<'_>, examined: ExaminedRecord) -> RecordFindings {
        let (mut found, before) = (Vec::new(), self.checker.envelopes());
        self.checker.add_result(record, examined.checked, &mut found);
        if let Some(covers) = examined.covers {
            let site = TurnSite { record: record.number, start: record.start };
            members::apply(&covers, site, self.judge.rules, &mut found);
        }
        RecordFindings { found, envelopes: self.checker.envelopes() - before }
    }

    /// Number of rejected replies so far.
    #[must_use]
    pub fn repair_rounds(&self) -> u64 {
        self.checker.repair_rounds()
    }

    /// Returns the findings that depend on the end of the file.
    #[must_use]
    pub fn finish(self, summary: &ReadSummary) -> Vec<TranscriptFinding> {
        let mut found = Vec::new();
        self.checker.finish(summary, &mut found);
        found
    }
}

impl TranscriptContext<'_> {
    /// Converts a finding to a diagnostic of `file`. `base` is the file offset that the ranges are
    /// relative to. `None` if the rule is disabled.
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

    /// Returns the start of a policy statement.
    fn start_of(&self, file: FileId, statement: StatementId) -> Option<TextSize> {
        let files = self.programs.iter().filter_map(|program| program.file(file));
        let mut items = files.flat_map(|file| file.items.iter());
        items.find(|item| item.statement.id == statement).map(|item| item.start)
    }
}
