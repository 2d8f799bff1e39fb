//! Diagnostic as text: message, excerpt with carets, related locations, fix.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::advice::remark;
use super::excerpt::excerpt;
use super::excerpt_text::Excerpt;
use super::redact::redacted;
use super::sink::terminal as visible;
use super::{ReportEntry, SourceText, Sources, guard};
use mangle_syntax::lint::{Diagnostic, RelatedPlace, ResolvedFix, Severity};
use mangle_syntax::text::{FileId, TextRange};

/// The maximum distance in lines of related locations that share an excerpt.
const MAX_EXCERPT_DISTANCE: u32 = 40;

/// Renders a diagnostic on several lines, with a blank line at the end.
#[must_use]
pub fn text(entry: &ReportEntry, sources: &Sources, renderer: &Renderer) -> String {
    let entry = &*redacted(entry, sources);
    guard::rendered(|| whole(entry, sources, renderer), || bare(entry, sources, renderer))
}

/// A diagnostic without its excerpt.
fn bare(entry: &ReportEntry, sources: &Sources, renderer: &Renderer) -> String {
    let at = sources.place(entry.file, entry.diagnostic.range.start());
    let path = Origin::path(visible(sources.name(entry.file)));
    let group = title(entry).element(path.line(at.line as usize).char_column(at.col as usize));
    renderer.render(&[group.element(Level::NOTE.message(guard::NO_EXCERPT))]) + "\n\n"
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
