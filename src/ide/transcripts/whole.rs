//! The diagnostics of a transcript that is in memory, as an editor shows them.

use super::comments::Comments;
use super::judge::{Judge, TranscriptCheck};
use super::members;
use crate::config::Container;
use crate::lint::Diagnostic;
use crate::text::{FileId, TextSize};
use crate::transcript::{Found, Options, Reader, Transcript};

/// All diagnostics of a transcript, sorted by start. `name` is its path, of which the end tells the container.
#[must_use]
pub fn diagnostics(file: FileId, name: &str, text: &[u8], judge: Judge<'_>) -> Vec<Diagnostic> {
    let settings = judge.context.settings;
    let options = Options {
        container: settings.container,
        name: name.to_owned(),
        separator: settings.turn_separator.clone(),
    };
    let (mut check, mut found) = (TranscriptCheck::new(judge), Vec::new());
    let mut reader = Reader::new(options);
    reader.feed(text, &mut |record| found.extend(check.record(record).found));
    let summary = reader.finish(&mut |record| found.extend(check.record(record).found));
    found.extend(check.finish(&summary));
    placed(file, text, summary.container, found, judge)
}

/// [`diagnostics`] of a transcript that was read before: records that were judged under the same `key`, a number that
/// changes with whatever the judge consists of, are not judged again.
#[must_use]
pub fn diagnostics_of(
    file: FileId,
    name: &str,
    transcript: &Transcript,
    text: &[u8],
    judge: Judge<'_>,
    key: u64,
) -> Vec<Diagnostic> {
    // What silences stands in the replies, which are read again then.
    if members::is_marked(text) {
        return diagnostics(file, name, text, judge);
    }
    let found = transcript.check(text, &judge.context, judge.limits, key);
    placed(file, text, transcript.container(), found, judge)
}

fn placed(
    file: FileId,
    text: &[u8],
    container: Option<Container>,
    found: Vec<Found>,
    judge: Judge<'_>,
) -> Vec<Diagnostic> {
    let comments = match container {
        Some(Container::Markdown | Container::Raw) => Comments::of(text),
        _ => Comments::default(),
    };
    let place = |found: Found| {
        let start = found.start;
        let rule = found.finding.rule;
        let offset = start + u64::from(u32::from(found.finding.range.start()));
        let base = TextSize::new(u32::try_from(start).unwrap_or(u32::MAX));
        judge.diagnostic(found, file, base).filter(|_| !comments.silence(rule, offset))
    };
    let mut placed: Vec<_> = found.into_iter().filter_map(place).collect();
    placed.sort_by(|a, b| {
        let key = |one: &Diagnostic| (one.range.start(), one.range.end(), one.rule.code);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    placed
}
