//! Insertion of verdict and finding lines below the lines that they refer to.

use crate::replays::RequestVerdict;
use mangle_report::conversation::{ConversationLine, PieceSource};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{TextRange, TextSize};

/// A remark about a range of the record.
#[derive(Debug, Clone, Copy)]
pub(super) enum Annotation<'a> {
    Request(&'a RequestVerdict),
    Finding(&'a Diagnostic),
}

impl Annotation<'_> {
    /// Byte range in the record.
    pub(super) fn range(self) -> TextRange {
        match self {
            Self::Request(request) => request.place.whole,
            Self::Finding(found) => found.range,
        }
    }

    /// True if the annotation belongs below the line with the last byte of its range, instead of
    /// the first.
    fn is_last(self) -> bool {
        matches!(self, Self::Request(_))
    }
}

/// Map from byte ranges of the record to line indexes, sorted by range.
#[derive(Debug)]
struct LineIndex(Vec<(TextRange, usize)>);

impl LineIndex {
    fn new(lines: &[ConversationLine]) -> Self {
        let mut shown = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let pieces = line.pieces.iter().filter(|piece| piece.kind.is_transcript());
            let sources = pieces.filter_map(|piece| piece.source).chain(line.end);
            shown.extend(sources.map(|PieceSource { range, .. }| (range, at)));
        }
        shown.sort_by_key(|(range, at)| (range.start(), range.end(), *at));
        Self(shown)
    }

    /// Returns the line that shows the first (or last) visible byte of a range.
    fn line_of(&self, place: TextRange, is_last: bool) -> Option<usize> {
        let end = if place.is_empty() { place.start() + TextSize::new(1) } else { place.end() };
        let behind = self.0.partition_point(|(range, _)| range.start() < end);
        let before = self.0.get(..behind).unwrap_or(&[]);
        if is_last {
            let (range, line) = before.last()?;
            return (range.end() > place.start()).then_some(*line);
        }
        let first = before.partition_point(|(range, _)| range.end() <= place.start());
        before.get(first).map(|(_, line)| *line)
    }
}

/// Returns the last continuation line that contains only generated text about `line`.
fn last_of(lines: &[ConversationLine], line: usize) -> usize {
    let has_text = |line: &ConversationLine| line.pieces.iter().any(|piece| piece.kind.is_transcript());
    let rest = lines.get(line + 1..).unwrap_or(&[]).iter();
    line + rest.take_while(|next| next.is_continuation && !has_text(next)).count()
}

/// Inserts the lines that `write` returns for each annotation. Also returns the annotations whose
/// range no line shows.
pub(super) fn annotate<'a>(
    lines: Vec<ConversationLine>,
    annotations: impl Iterator<Item = Annotation<'a>>,
    write: &dyn Fn(Annotation<'a>) -> Vec<ConversationLine>,
) -> (Vec<ConversationLine>, Vec<Annotation<'a>>) {
    let index = LineIndex::new(&lines);
    let (mut placed, mut loose) = (Vec::new(), Vec::new());
    for annotation in annotations {
        match index.line_of(annotation.range(), annotation.is_last()) {
            Some(line) => placed.push((last_of(&lines, line), annotation)),
            None => loose.push(annotation),
        }
    }
    placed.sort_by_key(|(line, _)| *line);
    let mut placed = placed.into_iter().peekable();
    let mut out = Vec::with_capacity(lines.len() + placed.len());
    for (at, line) in lines.into_iter().enumerate() {
        out.push(line);
        while let Some((_, annotation)) = placed.next_if(|(of, _)| *of == at) {
            out.extend(write(annotation));
        }
    }
    (out, loose)
}
