//! Requests in a conversation view. Positions are mapped to the bytes of the transcript, and
//! results are mapped back. Edits and link targets refer to the transcript.

use std::sync::Arc;

use tower_lsp::ls_types::{
    Diagnostic, DocumentSymbol, DocumentSymbolResponse, FoldingRange, FoldingRangeKind, GotoDefinitionParams,
    GotoDefinitionResponse, Hover, HoverParams, Location, LocationLink, Position, Range, SymbolKind,
    TextDocumentPositionParams, Uri,
};

use crate::lsp::view::View;
use crate::lsp::{from_proto, to_proto};
use mangle_host::workspace::SnapshotFile;
use mangle_ide::conversation::window::{ConversationWindow, WindowTurn};
use mangle_report::conversation::{ConversationLink, PieceKind};
use mangle_syntax::lint;
use mangle_syntax::text::{LineIndex, TextRange, TextSize, size, slice};
use piggyback::envelope::secrets::redacted;

/// The minimum number of line breaks in a range that is reduced to its first line.
const MANY_LINES: u32 = 3;

/// The conversation of a request.
pub(in crate::lsp) struct ShownConversation<'v> {
    pub(in crate::lsp) view: &'v View,
    pub(in crate::lsp) file: &'v SnapshotFile,
    /// The URI of the transcript.
    pub(in crate::lsp) source: Uri,
    window: Arc<ConversationWindow>,
    lines: LineIndex,
    /// The number of lines of the transcript before the lines of `file`, if `file` is an excerpt.
    lines_before: u32,
}

impl<'v> ShownConversation<'v> {
    pub(in crate::lsp) fn new(
        view: &'v View,
        file: &'v SnapshotFile,
        window: Arc<ConversationWindow>,
    ) -> Option<Self> {
        let lines = LineIndex::new(&window.text.text);
        Some(Self { view, file, source: to_proto::uri(file)?, window, lines, lines_before: 0 })
    }

    /// Sets the number of lines before an excerpt of the transcript.
    pub(in crate::lsp) fn after_lines(self, lines_before: u32) -> Self {
        Self { lines_before, ..self }
    }

    /// Converts a range of the conversation text.
    pub(in crate::lsp) fn range(&self, part: TextRange) -> Range {
        let position = |offset| {
            let at = self.lines.line_col(&self.window.text.text, offset, self.view.session.encoding);
            Position { line: at.line, character: at.col }
        };
        Range { start: position(part.start()), end: position(part.end()) }
    }

    /// Returns the range that shows some bytes of the transcript.
    fn shown(&self, bytes: TextRange) -> Option<Range> {
        self.window.shown(bytes).map(|part| self.range(part))
    }

    /// Returns the range of a finding about bytes of the transcript. If the range has many lines,
    /// only the first one is used, because unrelated text may be between them.
    pub(in crate::lsp) fn place(&self, bytes: TextRange) -> Option<Range> {
        let part = self.window.shown(bytes)?;
        let (first, last) = (self.lines.line_of(part.start()), self.lines.line_of(part.end()));
        if last - first < MANY_LINES {
            return Some(self.range(part));
        }
        let text = &self.window.text.text;
        let end = self.lines.line_range(first).end().min(part.end());
        let line = TextRange::new(part.start(), end);
        let blanks = slice(text, line).len() - slice(text, line).trim_end().len();
        Some(self.range(TextRange::new(line.start(), end - size(blanks))))
    }

    /// Returns the range that shows a range of the transcript.
    fn shown_range(&self, range: Range) -> Option<Range> {
        let (file, encoding) = (self.file, self.view.session.encoding);
        self.shown(from_proto::text_range(file.text(), file.lines(), range, encoding))
    }

    /// Returns the location of bytes in the transcript.
    pub(in crate::lsp) fn location(&self, bytes: TextRange) -> Location {
        let mut range = self.view.range(self.file, bytes);
        range.start.line += self.lines_before;
        range.end.line += self.lines_before;
        Location { uri: self.source.clone(), range }
    }

    /// Converts the diagnostics of the displayed records to positions in the conversation. Other
    /// members are the same as in the transcript.
    pub(in crate::lsp) fn diagnostics(&self, found: &[&lint::Diagnostic]) -> Vec<Diagnostic> {
        let raw = to_proto::diagnostics(self.view, self.file, found.iter().copied());
        let placed = found.iter().zip(raw).filter_map(|(one, raw)| {
            let mut placed = Diagnostic { range: self.place(one.range)?, ..raw };
            if self.lines_before > 0 {
                // Positions in an excerpt differ from positions in the transcript.
                placed.related_information = None;
            }
            Some(placed)
        });
        placed.collect()
    }

    /// Returns the link at a position of the text, and the bytes. For a verbatim copy, the bytes
    /// are the exact position.
    fn link(&self, position: Position) -> Option<(&ConversationLink, TextRange)> {
        let text = &self.window.text.text;
        let offset = self.lines.offset(text, from_proto::line_col(position), self.view.session.encoding);
        let link = self.window.link_at(offset, offset)?;
        let bytes = match link.source.is_copied {
            true => TextRange::empty(link.source.range.start() + (offset - link.range.start())),
            false => link.source.range,
        };
        Some((link, bytes))
    }

    /// Maps a position in the conversation to a position in the transcript.
    fn raw(
        &self,
        at: &TextDocumentPositionParams,
    ) -> Option<(&ConversationLink, TextDocumentPositionParams)> {
        let (link, bytes) = self.link(at.position)?;
        let mut at = at.clone();
        at.text_document.uri = self.source.clone();
        at.position = self.view.range(self.file, bytes).start;
        Some((link, at))
    }

    /// Answers `textDocument/hover` by calling `hover` for the transcript.
    pub(super) fn hover(
        &self,
        params: &HoverParams,
        hover: impl FnOnce(&HoverParams) -> Option<Hover>,
    ) -> Option<Hover> {
        let (link, at) = self.raw(&params.text_document_position_params)?;
        if link.kind == PieceKind::Turn {
            return None;
        }
        let link = self.range(link.range);
        let raw = HoverParams { text_document_position_params: at, ..params.clone() };
        let hover = hover(&raw)?;
        let range = hover.range.and_then(|range| self.shown_range(range));
        Some(Hover { range: range.or(Some(link)), ..hover })
    }

    /// Answers navigation requests: calls `go` for the transcript. If it has no result, returns
    /// the displayed bytes.
    pub(super) fn go(
        &self,
        params: &GotoDefinitionParams,
        go: impl FnOnce(&GotoDefinitionParams) -> Option<GotoDefinitionResponse>,
    ) -> Option<GotoDefinitionResponse> {
        let at = &params.text_document_position_params;
        let (link, raw) = self.raw(at)?;
        let is_turn = link.kind == PieceKind::Turn;
        let mut asked = params.clone();
        asked.text_document_position_params = raw;
        let found = if is_turn { None } else { go(&asked) };
        let is_nothing = |found: &GotoDefinitionResponse| match found {
            GotoDefinitionResponse::Scalar(_) => false,
            GotoDefinitionResponse::Array(all) => all.is_empty(),
            GotoDefinitionResponse::Link(all) => all.is_empty(),
        };
        match found.filter(|found| !is_nothing(found)) {
            Some(GotoDefinitionResponse::Link(links)) => {
                let here = |link: LocationLink| LocationLink {
                    origin_selection_range: link.origin_selection_range.and_then(|it| self.shown_range(it)),
                    ..link
                };
                Some(GotoDefinitionResponse::Link(links.into_iter().map(here).collect()))
            }
            Some(found) => Some(found),
            None => {
                let (_, bytes) = self.link(at.position)?;
                Some(GotoDefinitionResponse::Scalar(self.location(bytes)))
            }
        }
    }

    /// Returns the bytes of the transcript that a range shows. Between two parts, the next part on
    /// the same line is used.
    pub(in crate::lsp) fn bytes(&self, range: Range) -> Option<TextRange> {
        let text = &self.window.text.text;
        let part = from_proto::text_range(text, &self.lines, range, self.view.session.encoding);
        if !part.is_empty() {
            return self.window.source(part);
        }
        let end = self.lines.line_range(range.start.line).end();
        let link = self.window.link_at(part.start(), end)?;
        let is_inside = link.source.is_copied && link.range.contains(part.start());
        Some(match is_inside {
            true => TextRange::empty(link.source.range.start() + (part.start() - link.range.start())),
            false => link.source.range,
        })
    }

    /// Returns each turn with its first and last line (zero-based). The first line is the
    /// separator above the turn.
    pub(in crate::lsp) fn turns(&self) -> impl Iterator<Item = (&WindowTurn, u32, u32)> {
        let line = |offset: TextSize| self.lines.line_of(offset);
        let turns = &self.window.turns;
        let end = line(TextSize::of(self.window.text.text.as_str())).saturating_sub(1);
        let ends = turns.iter().skip(1).map(move |turn| line(turn.head.start()).saturating_sub(2));
        turns.iter().zip(ends.chain([end])).map(move |(turn, end)| {
            let start = line(turn.head.start());
            (turn, start, end.max(start))
        })
    }

    /// Answers `textDocument/documentSymbol`: the turns and their outcomes.
    pub(super) fn symbols(&self, uri: &Uri, is_tree: bool) -> DocumentSymbolResponse {
        let name = |turn: &WindowTurn| redacted(&turn.summary.title).into_owned();
        if !is_tree {
            let flat = self.turns().map(|(turn, ..)| {
                let location = Location { uri: uri.clone(), range: self.range(turn.head) };
                to_proto::symbol_information(&name(turn), SymbolKind::METHOD, location, None)
            });
            return DocumentSymbolResponse::Flat(flat.collect());
        }
        #[expect(deprecated, reason = "the type has the member")]
        let symbol = |(turn, start, end): (&WindowTurn, u32, u32)| {
            let last = self.range(self.lines.line_range(end)).start;
            let head = self.range(turn.head);
            DocumentSymbol {
                name: name(turn),
                detail: Some(detail(turn)).filter(|detail| !detail.is_empty()),
                kind: SymbolKind::METHOD,
                tags: None,
                deprecated: None,
                range: Range { start: Position { line: start, character: 0 }, end: last.max(head.end) },
                selection_range: head,
                children: None,
            }
        };
        DocumentSymbolResponse::Nested(self.turns().map(symbol).collect())
    }

    /// Answers `textDocument/foldingRange`: one range per turn.
    pub(super) fn folds(&self) -> Vec<FoldingRange> {
        let fold = |(_, start_line, end_line): (&WindowTurn, u32, u32)| FoldingRange {
            start_line,
            end_line,
            kind: Some(FoldingRangeKind::Region),
            ..FoldingRange::default()
        };
        self.turns().filter(|(_, start, end)| start < end).map(fold).collect()
    }
}

/// Returns the outcome of a turn and an excerpt of its text.
fn detail(turn: &WindowTurn) -> String {
    let summary = &turn.summary;
    let counted = [(summary.denied, "denied"), (summary.lost, "lost")];
    let counted =
        counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let corrected = summary.is_correction.then(|| "corrects itself".to_owned());
    let excerpt = Some(redacted(&turn.excerpt).into_owned()).filter(|excerpt| !excerpt.is_empty());
    counted.chain(corrected).chain(excerpt).collect::<Vec<_>>().join(" · ")
}
