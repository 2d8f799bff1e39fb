//! Diagnostic as text: message, excerpt with carets, related locations, fix. A panic of the rendering
//! affects only its finding.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::part::{Excerpt, MAX_LINE, fitted, harmless};
use super::sink::terminal as visible;
use super::{ReportEntry, SourceText, Sources, redacted, remark};
use mangle_syntax::lint::{Diagnostic, RelatedPlace, ResolvedFix, Severity};
use mangle_syntax::text::{FileId, TextRange, TextSize, character_start, slice};

/// The maximum distance in lines of related locations that share an excerpt.
const MAX_EXCERPT_DISTANCE: u32 = 40;

/// Renders a diagnostic on several lines, with a blank line at the end.
#[must_use]
pub fn text(entry: &ReportEntry, sources: &Sources, renderer: &Renderer) -> String {
    let entry = &*redacted(entry, sources);
    rendered(|| whole(entry, sources, renderer), || bare(entry, sources, renderer))
}

/// A diagnostic without its excerpt.
fn bare(entry: &ReportEntry, sources: &Sources, renderer: &Renderer) -> String {
    let at = sources.place(entry.file, entry.diagnostic.range.start());
    let path = Origin::path(visible(sources.name(entry.file)));
    let group = title(entry).element(path.line(at.line as usize).char_column(at.col as usize));
    renderer.render(&[group.element(Level::NOTE.message(NO_EXCERPT))]) + "\n\n"
}

/// Severity, rule and message.
fn title(entry: &ReportEntry) -> Group<'static> {
    let diagnostic = &entry.diagnostic;
    let id = format!("{} {}", diagnostic.rule.code, diagnostic.rule.name);
    Group::with_title(level(diagnostic.severity).primary_title(visible(&diagnostic.message)).id(id))
}

fn whole(entry: &ReportEntry, sources: &Sources, renderer: &Renderer) -> String {
    let diagnostic = &entry.diagnostic;
    let mut group = title(entry);
    let (near, far): (Vec<_>, Vec<_>) =
        diagnostic.related.iter().partition(|place| is_near(sources, entry.file, diagnostic.range, place));
    let mut marks = vec![Mark {
        range: diagnostic.range,
        kind: AnnotationKind::Primary,
        label: diagnostic.label.as_deref().unwrap_or_default(),
    }];
    marks.extend(near.into_iter().map(Mark::new));
    group = group.elements(show(sources, entry.file, &marks));
    for place in far {
        group = group.elements(show(sources, place.file, &[Mark::new(place)]));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(visible(note)));
    }
    for help in helps(diagnostic) {
        group = group.element(Level::HELP.message(help));
    }
    without_empty_origins(&renderer.render(&[group])) + "\n\n"
}

/// The rendering without the origin lines of excerpts that have no file.
fn without_empty_origins(rendered: &str) -> String {
    let is_empty = |line: &str| matches!(anstream::adapter::strip_str(line).to_string().trim(), ":::" | "⸬");
    rendered.lines().filter(|line| !is_empty(line)).collect::<Vec<_>>().join("\n")
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO.with_name("information"),
        Severity::Hint => Level::NOTE.with_name("hint"),
    }
}

/// The help lines of a finding.
fn helps(diagnostic: &Diagnostic) -> Vec<String> {
    let title =
        |fix: &ResolvedFix| format!("{}{}", visible(&fix.title), remark(fix, ", look before you apply it"));
    match &diagnostic.fix {
        Some(fix) => std::iter::once(title(fix)).chain(fix.alternative.as_deref().map(title)).collect(),
        None => diagnostic.help.as_deref().map(visible).into_iter().collect(),
    }
}

/// A range with carets under it.
struct Mark<'a> {
    range: TextRange,
    kind: AnnotationKind,
    label: &'a str,
}

impl<'a> Mark<'a> {
    fn new(place: &'a RelatedPlace) -> Self {
        Self { range: place.range, kind: AnnotationKind::Context, label: &place.message }
    }
}

fn is_near(sources: &Sources, file: FileId, range: TextRange, place: &RelatedPlace) -> bool {
    let line = |range: TextRange| sources.place(file, range.start()).line;
    let is_near = || match sources.get(file).and_then(SourceText::part) {
        Some(part) => part.shows_both(range.start(), place.range.start()),
        None => line(range).abs_diff(line(place.range)) <= MAX_EXCERPT_DISTANCE,
    };
    place.file == file && is_near()
}

/// The lines of a file with marks. The first mark provides the displayed line and column.
fn show(sources: &Sources, file: FileId, marks: &[Mark<'_>]) -> Vec<Element<'static>> {
    let name = visible(sources.name(file));
    let Some(first) = marks.first() else { return Vec::new() };
    let Some(source) = sources.get(file).filter(|source| !source.is_unknown()) else {
        return vec![Origin::path(name).into()];
    };
    let ranges: Vec<_> = marks.iter().map(|mark| mark.range).collect();
    let excerpt = match source.part() {
        Some(part) => part.excerpt(&ranges),
        None => Some(excerpt(source, &ranges)),
    };
    let Some(Excerpt { text, first_line, ranges, shifted }) = excerpt else { return Vec::new() };
    let annotations = marks.iter().zip(ranges).map(|(mark, range)| {
        let label = (!mark.label.is_empty()).then(|| visible(mark.label));
        mark.kind.span(range).label(label)
    });
    let snippet = Snippet::source(text).line_start(first_line as usize + 1).annotations(annotations);
    if shifted {
        vec![origin(source, name, first.range).into(), snippet.into()]
    } else {
        vec![snippet.path(name).into()]
    }
}

/// The origin of a range, for an excerpt whose columns differ from the file.
fn origin(source: &SourceText, name: String, range: TextRange) -> Origin<'static> {
    let at = source.place(range.start());
    Origin::path(name).line(at.line as usize).char_column(at.col as usize)
}

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

thread_local! {
    /// True while a panic of this thread is caught here.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// The remark for a finding without its excerpt.
const NO_EXCERPT: &str = "the excerpt of this finding cannot be shown; please report this as a bug";

/// Returns the result of `render`, or of `otherwise` after a panic.
///
/// The panic is logged without its message and without output to standard error, because the
/// message can quote the rendered text.
fn rendered<T>(render: impl FnOnce() -> T, otherwise: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IS_CAUGHT.get() {
                tracing::error!(place = ?info.location().map(ToString::to_string), "a finding cannot be rendered");
            } else {
                before(info);
            }
        }));
    });
    let before = IS_CAUGHT.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(render));
    IS_CAUGHT.set(before);
    result.unwrap_or_else(|_| otherwise())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_at_the_finding() {
        let shown = |text: &'static str, at: usize| move || text.split_at(at).0.to_owned();
        assert_eq!(rendered(shown("é!", 2), || NO_EXCERPT.to_owned()), "é");
        assert_eq!(rendered(shown("é!", 1), || NO_EXCERPT.to_owned()), NO_EXCERPT);
        assert!(!IS_CAUGHT.get());
    }
}
