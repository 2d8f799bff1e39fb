//! Diagnostics of an in-memory transcript, for editors.

use super::checker::{TranscriptChecker, TranscriptContext};
use super::comments::Comments;
use super::records::Records;
use super::{fenced, fences, members};
use mangle_check::diagnostics::FindingCache;
use mangle_settings::Container;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{FileId, TextSize};
use piggyback::transcript::{TranscriptFinding, TranscriptOptions, TranscriptReader, TurnSite};

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
    let mut found =
        fenced::diagnostics(file, &fences::fences(text), judge, &FindingCache::new(crate::registry::all()));
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
    let mut in_fences = fenced::diagnostics(file, records.fences(), judge, cache);
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
