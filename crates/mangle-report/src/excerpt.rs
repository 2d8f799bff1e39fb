//! Excerpt of a file around the ranges of a finding.

use std::ops::Range;

use super::SourceText;
use super::excerpt_text::{Excerpt, MAX_LINE, fitted, harmless};
use mangle_syntax::text::{TextRange, TextSize, character_start, slice};

/// The maximum number of lines of a range that is shown in full. Of a longer range, only the first
/// line is shown.
const MAX_LINES: u32 = 4;

/// The mark for truncated text.
const CUT: &str = "…";

/// The lines from the first to the last of `ranges`.
pub(super) fn excerpt(source: &SourceText, ranges: &[TextRange]) -> Excerpt {
    let spans: Vec<_> = ranges.iter().map(|range| (*range, line_span(source, *range))).collect();
    let first_line = spans.iter().map(|(_, lines)| lines.start).min().unwrap_or(0);
    let end_line = spans.iter().map(|(_, lines)| lines.end).max().unwrap_or(0);
    let mut excerpt =
        Excerpt { text: String::new(), first_line, ranges: vec![0..0; ranges.len()], shifted: false };
    for number in first_line..end_line {
        if number > first_line {
            excerpt.text.push('\n');
        }
        excerpt.push_line(source, number, &spans);
    }
    for range in &mut excerpt.ranges {
        *range = fitted(&excerpt.text, range.clone());
    }
    excerpt
}

impl Excerpt {
    fn push_line(&mut self, source: &SourceText, number: u32, spans: &[(TextRange, Range<u32>)]) {
        let whole = source.lines().line_range(number);
        let line = slice(source.shown(), whole).trim_end_matches(['\n', '\r']);
        let offset = |at: TextSize| usize::from(at.max(whole.start()) - whole.start()).min(line.len());
        let starting = spans.iter().find(|(_, lines)| lines.start == number);
        let window = window(line, starting.map_or(0, |(range, _)| offset(range.start())));
        if window.start > 0 {
            self.text.push_str(CUT);
            self.shifted = true;
        }
        let base = self.text.len();
        let shown = |at| base + offset(at).clamp(window.start, window.end) - window.start;
        for ((range, lines), marked) in spans.iter().zip(&mut self.ranges) {
            if lines.start == number {
                marked.start = shown(range.start());
            }
            if lines.contains(&number) {
                marked.end = shown(range.end());
            }
        }
        self.text.extend(line.get(window.clone()).unwrap_or("").chars().map(harmless));
        if window.end < line.len() {
            self.text.push_str(CUT);
        }
    }
}

fn line_span(source: &SourceText, range: TextRange) -> Range<u32> {
    let lines = source.lines();
    let first = lines.line_of(range.start()).min(lines.line_count() - 1);
    let last = lines.line_of(range.end()).min(lines.line_count() - 1).max(first);
    // A range that ends with a line end does not include the next line.
    let last = if last > first && lines.line_range(last).start() == range.end() { last - 1 } else { last };
    if last - first < MAX_LINES { first..last + 1 } else { first..first + 1 }
}

/// The displayed part of a line: the whole line unless it is very long.
fn window(line: &str, place: usize) -> Range<usize> {
    if line.len() <= MAX_LINE {
        return 0..line.len();
    }
    let place = character_start(line.as_bytes(), place);
    let border = |at: usize| (at..=line.len()).find(|&at| line.is_char_boundary(at)).unwrap_or(line.len());
    border(place.saturating_sub(MAX_LINE / 2)).min(place)..border((place + MAX_LINE / 2).min(line.len()))
}
