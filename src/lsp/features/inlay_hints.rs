//! `textDocument/inlayHint` and `inlayHint/resolve`

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{
    InlayHint, InlayHintKind, InlayHintLabel, InlayHintLabelPart, InlayHintOptions, InlayHintParams,
    InlayHintServerCapabilities, InlayHintTooltip, MarkupKind, OneOf, Uri,
};

use super::markup::markup;
use super::transcripts;
use crate::lsp::session::ClientSession;
use crate::lsp::view::View;
use crate::lsp::{from_proto, to_proto};
use mangle_engine::program::PredicateKey;
use mangle_host::workspace::SnapshotFile;
use mangle_ide::Analysis;
use mangle_ide::inlay_hints::{self, Hint, HintKind};
use mangle_syntax::text::{Symbol, TextRange, TextSize};

pub(in crate::lsp) fn options(session: &ClientSession) -> OneOf<bool, InlayHintServerCapabilities> {
    let resolve_provider = Some(!lazy(session).is_empty());
    let options = InlayHintOptions { resolve_provider, ..InlayHintOptions::default() };
    OneOf::Right(InlayHintServerCapabilities::Options(options))
}

/// Returns the members that the client resolves lazily.
fn lazy(session: &ClientSession) -> Vec<&'static str> {
    let client = session.client.text_document.as_ref().and_then(|document| document.inlay_hint.as_ref());
    let support = client.and_then(|client| client.resolve_support.as_ref());
    let asks = |name: &&str| support.is_some_and(|known| known.properties.iter().any(|one| one == name));
    ["tooltip", "label.location"].into_iter().filter(asks).collect()
}

pub(in crate::lsp) fn inlay_hints(view: &View, params: &InlayHintParams) -> Option<Vec<InlayHint>> {
    view.writer_status.hinted.store(true, Ordering::Release);
    let uri = &params.text_document.uri;
    let file = view.file(uri)?;
    if let Some(transcript) = view.snapshot.transcript(file.id) {
        return Some(transcripts::inlay_hints(view, transcript, params.range));
    }
    let program = view.snapshot.programs_of(file.id).next()?;
    let analysis: &dyn Analysis = program.as_ref();
    let offset = |position| {
        let at = file.lines().offset(file.text(), from_proto::line_col(position), view.session.encoding);
        file.map().to_derived(at)
    };
    let start = offset(params.range.start).unwrap_or(TextSize::new(0));
    let end = offset(params.range.end).unwrap_or_else(|| mangle_syntax::text::text_len(file.text()));
    let range = TextRange::new(start, end.max(start));
    let mut found = inlay_hints::inlay_hints(analysis, file.id, range, &view.hints);
    if view.hints.unfired {
        let tried = view.evaluations_of(file.id);
        found.extend(
            tried.with(|tried| {
                inlay_hints::rules_without_solutions(analysis.program(), file.id, range, tried)
            }),
        );
        found.sort_by_key(|hint| hint.offset);
    }
    let convert = Convert { view, file, analysis, uri, lazy: lazy(&view.session) };
    Some(found.iter().map(|hint| convert.hint(hint)).collect())
}

/// Context for the conversion of hints.
struct Convert<'a> {
    view: &'a View,
    file: &'a SnapshotFile,
    analysis: &'a dyn Analysis,
    uri: &'a Uri,
    lazy: Vec<&'static str>,
}

impl Convert<'_> {
    fn hint(&self, hint: &Hint) -> InlayHint {
        let position = self.view.range(self.file, TextRange::empty(hint.offset)).start;
        let is_argument = hint.kind == HintKind::Argument;
        let mut converted = InlayHint {
            position,
            label: InlayHintLabel::String(hint.label.clone()),
            kind: match hint.kind {
                HintKind::Argument => Some(InlayHintKind::PARAMETER),
                HintKind::Type => Some(InlayHintKind::TYPE),
                HintKind::Outcome => None,
            },
            text_edits: None,
            tooltip: hint.full.clone().map(InlayHintTooltip::String),
            padding_left: (hint.kind == HintKind::Outcome).then_some(true),
            padding_right: is_argument.then_some(true),
            data: None,
        };
        let Some((key, at)) = hint.parameter else { return converted };
        let data = Data {
            uri: self.uri.as_str().to_owned(),
            predicate: key.name.as_str().to_owned(),
            arity: key.arity,
            parameter: at,
        };
        // A resolve request may not change the parts of a label. Clients that resolve tooltips but
        // not locations get no location.
        if self.lazy.is_empty() || self.lazy.contains(&"label.location") {
            converted.label = parts(hint.label.clone());
        }
        if self.lazy.is_empty() {
            fill(self.view, self.analysis, &data, &mut converted);
            return converted;
        }
        converted.data = serde_json::to_value(data).ok();
        converted
    }
}

/// The `data` of a hint for its resolution.
#[derive(Debug, Serialize, Deserialize)]
struct Data {
    uri: String,
    predicate: String,
    arity: u16,
    parameter: usize,
}

impl Data {
    fn parse(hint: &InlayHint) -> Option<Self> {
        Self::deserialize(hint.data.as_ref()?).ok()
    }
}

pub(in crate::lsp) fn document(hint: &InlayHint) -> Option<PathBuf> {
    Some(from_proto::document_path(&Data::parse(hint)?.uri.parse().ok()?))
}

/// Resolves the remaining members of a hint.
pub(in crate::lsp) fn resolve(view: &View, mut hint: InlayHint) -> InlayHint {
    let Some(data) = Data::parse(&hint) else { return hint };
    let file = data.uri.parse().ok().and_then(|uri| view.file(&uri));
    if let Some(program) = file.and_then(|file| view.snapshot.programs_of(file.id).next()) {
        fill(view, program.as_ref(), &data, &mut hint);
    }
    hint
}

/// Adds the documentation of a parameter, and a link to its declaration.
fn fill(view: &View, analysis: &dyn Analysis, data: &Data, hint: &mut InlayHint) {
    let key = PredicateKey { name: Symbol::new(&data.predicate), arity: data.arity };
    let Some((words, place)) = inlay_hints::resolve(analysis, key, data.parameter) else { return };
    // No capability exists for the format of tooltips. Clients that support Markdown in hovers get
    // Markdown.
    let hover = view.session.client.text_document.as_ref().and_then(|document| document.hover.as_ref());
    let formats: Option<&Vec<MarkupKind>> = hover.and_then(|hover| hover.content_format.as_ref());
    hint.tooltip = Some(InlayHintTooltip::MarkupContent(markup(&words, formats)));
    let location = place.and_then(|(file, range)| to_proto::location(view, file, range));
    if let InlayHintLabel::LabelParts(parts) = &mut hint.label {
        parts.iter_mut().for_each(|part| part.location.clone_from(&location));
    }
}

/// Returns a label with a part that can be a link.
fn parts(value: String) -> InlayHintLabel {
    InlayHintLabel::LabelParts(vec![InlayHintLabelPart { value, ..InlayHintLabelPart::default() }])
}
