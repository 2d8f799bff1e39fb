//! Transcript checks: findings per record with severities and suppression, and diagnostics of an
//! in-memory transcript and of its Mangle fences.
//!
//! All fences of a file form one part of the surrounding program: fences can use each other's
//! declarations, and unused code is not reported.

use std::sync::Arc;

use super::atom::{self, MangleText, NOWHERE};
use super::comments::Comments;
use super::members::{self, SuppressionMember};
use super::records::Records;
use crate::registry;
use mangle_check::diagnostics::{FindingCache, diagnostics_of_files};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::{Container, RuleSettings};
use mangle_syntax::lint::{
    Diagnostic, FileEdit, Group, Placement, RelatedPlace, ResolvedFix, Rule, Severity,
};
use mangle_syntax::text::{FileId, StatementId, TextRange, TextSize};
use piggyback::envelope::ReplyContext;
use piggyback::transcript::{
    Checker, Limits, ReadSummary, Record, RecordCheck, RecordChecker, TranscriptFinding, TranscriptOptions,
    TranscriptReader, TurnSite, check_with,
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

/// Returns all diagnostics of a transcript, sorted by start. The extension of the path `name`
/// determines the container.
#[must_use]
pub fn diagnostics(file: FileId, name: &str, text: &[u8], judge: TranscriptContext<'_>) -> Vec<Diagnostic> {
    let settings = judge.context.settings;
    let options = TranscriptOptions::new(settings, name);
    let (mut check, mut found) = (TranscriptChecker::new(judge), Vec::new());
    let mut reader = TranscriptReader::new(options);
    reader.feed(text, &mut |record| found.extend(check.record(record).found));
    let summary = reader.finish(&mut |record| found.extend(check.record(record).found));
    found.extend(check.finish(&summary));
    let mut all = placed(file, text, summary.container, found, judge);
    if summary.container == Some(Container::Markdown) {
        all.extend(of_fences(file, &String::from_utf8_lossy(text), judge, true));
        sort(&mut all);
    }
    all
}

/// Returns the unsilenced diagnostics of Mangle fences in a Markdown file. If `is_capture` is set,
/// fixes are marked as edits of evidence.
#[must_use]
pub fn of_fences(
    file: FileId,
    text: &str,
    judge: TranscriptContext<'_>,
    is_capture: bool,
) -> Vec<Diagnostic> {
    let mut found = fence_diagnostics(file, &atom::fences(text), judge, &FindingCache::new(registry::all()));
    silence_in_fences(&mut found, text.as_bytes());
    mark_evidence(&mut found, file, is_capture);
    found
}

/// Marks the fixes that edit `file`, if the file is a capture.
fn mark_evidence(found: &mut [Diagnostic], file: FileId, is_capture: bool) {
    for fix in found.iter_mut().filter_map(|found| found.fix.as_mut()) {
        fix.evidence |= is_capture && fix.edits.iter().any(|edit| edit.file == file);
    }
}

/// [`diagnostics`] of parsed records. Results of unchanged records are reused if `key`, a hash of
/// the judge, is equal. `cache` stores the findings of statements in fences.
#[must_use]
pub fn diagnostics_of(
    file: FileId,
    records: &Records,
    judge: TranscriptContext<'_>,
    key: u64,
    cache: &FindingCache,
) -> Vec<Diagnostic> {
    let text = records.text().as_bytes();
    let mut entries = records.list().iter();
    let is_marked = members::is_marked(text);
    let mut silence = |found: &mut Vec<TranscriptFinding>| {
        let Some(entry) = entries.next().filter(|_| is_marked) else { return };
        let site = TurnSite { record: entry.number, start: u32::from(entry.start).into() };
        members::apply(records.covers(entry, judge.context.settings), site, judge.rules, found);
    };
    let transcript = records.transcript();
    let found = match records.is_document() {
        true => Vec::new(),
        false => transcript.check_each(text, &judge.context, judge.limits, key, &mut silence),
    };
    let mut all = placed(file, text, transcript.container(), found, judge);
    let mut in_fences = fence_diagnostics(file, records.fences(), judge, cache);
    if !in_fences.is_empty() {
        silence_in_fences(&mut in_fences, text);
        mark_evidence(&mut in_fences, file, !records.is_document());
        all.extend(in_fences);
        sort(&mut all);
    }
    all
}

/// Removes findings that comments silence.
fn silence_in_fences(found: &mut Vec<Diagnostic>, text: &[u8]) {
    let comments = Comments::parse(text);
    found.retain(|found| !comments.silence(found.rule, u32::from(found.range.start()).into()));
}

fn sort(found: &mut [Diagnostic]) {
    found.sort_by(|a, b| {
        let key = |one: &Diagnostic| (one.range.start(), one.range.end(), one.rule.code);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
}

fn placed(
    file: FileId,
    text: &[u8],
    container: Option<Container>,
    found: Vec<TranscriptFinding>,
    judge: TranscriptContext<'_>,
) -> Vec<Diagnostic> {
    let comments = Comments::in_container(text, container);
    let place = |found: TranscriptFinding| {
        let start = found.start;
        let rule = found.finding.rule;
        let offset = start + u64::from(u32::from(found.finding.range.start()));
        let base = TextSize::new(u32::try_from(start).unwrap_or(u32::MAX));
        judge.diagnostic(found, file, base).filter(|_| !comments.silence(rule, offset))
    };
    let mut placed: Vec<_> = found.into_iter().filter_map(place).collect();
    sort(&mut placed);
    placed
}

/// Whole-program rules that apply to fences: existence and arity of predicates.
const OF_PROGRAM: [&str; 3] = ["undefined-predicate", "arity-mismatch", "head-arity-conflict"];

/// Returns the findings with ranges of the file. Findings below warning severity are omitted.
fn fence_diagnostics(
    file: FileId,
    fences: &[MangleText],
    judge: TranscriptContext<'_>,
    cache: &FindingCache,
) -> Vec<Diagnostic> {
    if fences.is_empty() {
        return Vec::new();
    }
    let around = judge.programs.first();
    let own = Fences { file, fences };
    let summaries = own.ids().zip(fences);
    let summaries = summaries.map(|(id, fence)| Arc::new(FileSummary::new(id, fence.source())));
    let others = around.map(|program| program.files.to_vec()).unwrap_or_default();
    let embedding = around.map(|program| Arc::clone(&program.embedding)).unwrap_or_default();
    let program = Program::embedded(others.into_iter().chain(summaries).collect(), embedding);
    let ids: Vec<FileId> = own.ids().collect();
    let is_wanted = |rule: &Rule| OF_PROGRAM.contains(&rule.name);
    let found = diagnostics_of_files(&program, &ids, judge.rules, cache, &is_wanted);
    // Without a program, the set of predicates is unknown.
    let is_told = |found: &Diagnostic| {
        found.severity >= Severity::Warning
            && found.rule.group != Group::Quality
            && (around.is_some() || found.rule.group == Group::Syntax)
    };
    let all = found.into_iter().flat_map(|(id, found)| found.into_iter().map(move |found| (id, found)));
    all.filter(|(_, found)| is_told(found)).filter_map(|(id, found)| own.place(id, found)).collect()
}

/// Fences of a file as files of a program.
#[derive(Clone, Copy)]
struct Fences<'f> {
    file: FileId,
    fences: &'f [MangleText],
}

impl Fences<'_> {
    /// Returns the IDs of the fences. No real file has these IDs.
    fn ids(self) -> impl Iterator<Item = FileId> {
        (1..).zip(self.fences).map(|(at, _)| FileId(NOWHERE.0.saturating_sub(at)))
    }

    /// Converts a finding in a fence to a finding in the file.
    fn place(self, id: FileId, found: Diagnostic) -> Option<Diagnostic> {
        let (_, range) = self.range(id, found.range)?;
        let related = found.related.iter().filter_map(|related| {
            let (file, range) = self.range(related.file, related.range)?;
            Some(RelatedPlace { file, range, message: related.message.clone() })
        });
        let related = related.collect();
        let fix = found.fix.clone().and_then(|fix| {
            let edits = fix.edits.into_iter().map(|edit| {
                let (file, range) = self.range(edit.file, edit.range)?;
                Some(FileEdit { file, range, text: edit.text })
            });
            let edits = edits.collect::<Option<Vec<_>>>()?;
            let ResolvedFix { title, applicability, evidence, .. } = fix;
            Some(ResolvedFix { title, applicability, evidence, edits, alternative: None })
        });
        Some(Diagnostic { range, related, fix, ..found })
    }

    /// Converts a range of a fence to a range of the file. Ranges of other files are unchanged.
    fn range(self, id: FileId, range: TextRange) -> Option<(FileId, TextRange)> {
        match self.ids().position(|known| known == id) {
            Some(at) => Some((self.file, self.fences.get(at)?.to_source(range))),
            None => Some((id, range)),
        }
    }
}
