//! Requests in a conversation: each is made at the bytes of the transcript that a place shows, and what comes back is put in the
//! places of the conversation. Edits and targets are those of the transcript.

use std::sync::Arc;

use tower_lsp::ls_types::{
    CodeAction, CodeActionOrCommand, CodeActionParams, Diagnostic, DocumentSymbol, DocumentSymbolResponse,
    FoldingRange, FoldingRangeKind, GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverParams,
    Location, LocationLink, Position, Range, SymbolKind, TextDocumentPositionParams, Uri,
};

use crate::host::workspace::SnapshotFile;
use crate::ide::conversation::window::{ConversationWindow, WindowTurn};
use crate::lsp::actions::code_actions;
use crate::lsp::from_proto;
use crate::lsp::to_proto;
use crate::lsp::view::View;
use crate::report::conversation::{ConversationLink, PieceKind};
use mangle_syntax::lint;
use mangle_syntax::text::{LineIndex, TextRange, TextSize, size, slice};
use piggyback::envelope::secrets::redacted;

/// So many line breaks are in a range of which only the first line is shown.
const MANY_LINES: u32 = 3;

/// A conversation that a request is about.
pub(in crate::lsp) struct ShownConversation<'v> {
    view: &'v View,
    file: &'v SnapshotFile,
    /// The URI of the transcript.
    source: Uri,
    window: Arc<ConversationWindow>,
    lines: LineIndex,
    /// How many lines of the transcript are before those of `file`, where that is a part of it.
    lines_before: u32,
}

impl<'v> ShownConversation<'v> {
    /// A conversation of a transcript.
    pub(in crate::lsp) fn new(
        view: &'v View,
        file: &'v SnapshotFile,
        window: Arc<ConversationWindow>,
    ) -> Option<Self> {
        let lines = LineIndex::new(&window.text.text);
        Some(Self { view, file, source: to_proto::uri(file)?, window, lines, lines_before: 0 })
    }

    /// The same for a part of the transcript that begins after so many lines.
    pub(in crate::lsp) fn after_lines(self, lines_before: u32) -> Self {
        Self { lines_before, ..self }
    }

    /// A part of the text as lines and columns.
    pub(in crate::lsp) fn range(&self, part: TextRange) -> Range {
        let position = |offset| {
            let at = self.lines.line_col(&self.window.text.text, offset, self.view.session.encoding);
            Position { line: at.line, character: at.col }
        };
        Range { start: position(part.start()), end: position(part.end()) }
    }

    /// Where bytes of the transcript are shown.
    fn shown(&self, bytes: TextRange) -> Option<Range> {
        self.window.shown(bytes).map(|part| self.range(part))
    }

    /// Where a finding about bytes of the transcript is: of many lines the first one, for there is more between them than is
    /// meant.
    fn place(&self, bytes: TextRange) -> Option<Range> {
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

    /// Where a range of the transcript is shown.
    fn shown_range(&self, range: Range) -> Option<Range> {
        let (file, encoding) = (self.file, self.view.session.encoding);
        self.shown(from_proto::text_range(file.text(), file.lines(), range, encoding))
    }

    /// Bytes of the transcript as a place in it.
    pub(in crate::lsp) fn location(&self, bytes: TextRange) -> Location {
        let mut range = self.view.range(self.file, bytes);
        range.start.line += self.lines_before;
        range.end.line += self.lines_before;
        Location { uri: self.source.clone(), range }
    }

    /// What is found in the records that are shown, in its places here; everything else of it is as in the transcript.
    pub(in crate::lsp) fn diagnostics(&self, found: &[&lint::Diagnostic]) -> Vec<Diagnostic> {
        let raw = to_proto::diagnostics(self.view, self.file, found.iter().copied());
        let placed = found.iter().zip(raw).filter_map(|(one, raw)| {
            let mut placed = Diagnostic { range: self.place(one.range)?, ..raw };
            if self.lines_before > 0 {
                // The places of a part are not those of the transcript.
                placed.related_information = None;
            }
            Some(placed)
        });
        placed.collect()
    }

    /// What shows, or is about, something at a position of the text; the bytes are those of the very place where it is a copy.
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

    /// A position here as one in the transcript.
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

    /// Answers `textDocument/hover` as `hover` does in the transcript.
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

    /// Where what is at a place comes from: as in the transcript where `go` knows that, else the bytes that are shown.
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

    /// Answers `textDocument/codeAction`: what can be done in the transcript about the bytes that a range shows.
    pub(in crate::lsp) fn code_actions(&self, params: &CodeActionParams) -> Vec<CodeActionOrCommand> {
        let Some(bytes) = self.bytes(params.range) else { return Vec::new() };
        let mut raw = params.clone();
        raw.text_document.uri = self.source.clone();
        raw.range = self.view.range(self.file, bytes);
        // Whatever an action is about is named as it was sent, in its place here.
        raw.context.diagnostics.clear();
        let here = |diagnostic: Diagnostic| {
            let (file, encoding) = (self.file, self.view.session.encoding);
            let bytes = from_proto::text_range(file.text(), file.lines(), diagnostic.range, encoding);
            let range = self.place(bytes)?;
            let same = |sent: &&Diagnostic| sent.range == range && sent.code == diagnostic.code;
            let sent = params.context.diagnostics.iter().find(same).cloned();
            Some(sent.unwrap_or(Diagnostic { range, ..diagnostic }))
        };
        let placed = |action| match action {
            CodeActionOrCommand::CodeAction(action) => {
                let about = action.diagnostics.map(|about| about.into_iter().filter_map(here).collect());
                CodeActionOrCommand::CodeAction(CodeAction { diagnostics: about, ..action })
            }
            command @ CodeActionOrCommand::Command(_) => command,
        };
        code_actions(self.view, &raw).into_iter().map(placed).collect()
    }

    /// The bytes of the transcript that a range shows; of a place between two parts, those of the next one on its line.
    fn bytes(&self, range: Range) -> Option<TextRange> {
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

    /// Each turn with its lines, counted from 0: from the line above it to its last one.
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

    /// Answers `textDocument/documentSymbol`: the turns, with what became of them.
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

    /// Answers `textDocument/foldingRange`: each turn.
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

/// What became of a turn, and what is said in it.
fn detail(turn: &WindowTurn) -> String {
    let summary = &turn.summary;
    let counted = [(summary.denied, "denied"), (summary.lost, "lost")];
    let counted =
        counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let corrected = summary.is_correction.then(|| "corrects itself".to_owned());
    let excerpt = Some(redacted(&turn.excerpt).into_owned()).filter(|excerpt| !excerpt.is_empty());
    counted.chain(corrected).chain(excerpt).collect::<Vec<_>>().join(" · ")
}
