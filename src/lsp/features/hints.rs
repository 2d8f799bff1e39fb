//! Information at a place: `textDocument/hover`, `textDocument/signatureHelp`,
//! `textDocument/inlayHint` and `inlayHint/resolve`.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{
    Documentation, Hover, HoverContents, HoverParams, InlayHint, InlayHintKind, InlayHintLabel,
    InlayHintLabelPart, InlayHintOptions, InlayHintParams, InlayHintServerCapabilities, InlayHintTooltip,
    MarkupKind, OneOf, ParameterInformation, ParameterLabel, SignatureHelp, SignatureHelpOptions,
    SignatureHelpParams, SignatureInformation, SignatureInformationSettings, Uri,
};

use super::{paths, test, transcripts};
use crate::lsp::session::ClientSession;
use crate::lsp::to_proto::{formats, markup};
use crate::lsp::view::View;
use crate::lsp::virtual_documents::shown_conversation;
use crate::lsp::{from_proto, to_proto};
use mangle_engine::program::PredicateKey;
use mangle_host::workspace::SnapshotFile;
use mangle_ide::hover::prompts;
use mangle_ide::inlay_hints::{Hint, HintKind};
use mangle_ide::signature_help::{Parameter, Signature};
use mangle_ide::{Analysis, Place, inlay_hints};
use mangle_syntax::text::{FileId, Symbol, TextRange, TextSize, slice};

pub(in crate::lsp) fn hover(view: &View, params: &HoverParams) -> Option<Hover> {
    if view.transcript(&params.text_document_position_params.text_document.uri).is_some() {
        return transcripts::hover(view, &params.text_document_position_params);
    }
    let uri = &params.text_document_position_params.text_document.uri;
    if let Some(conversation) = shown_conversation(view, uri) {
        return conversation.hover(params, |raw| hover(view, raw));
    }
    let at = view.spot(&params.text_document_position_params)?;
    let found = match at.place() {
        Some(place) => paths::hover(&at).or_else(|| of_policy(view, at.file.id, place)),
        // A session file or prompt atoms.
        None => view.with_provenance(at.file.id, |provenance| {
            prompts::prompts_in_source_file(at.file.id, at.file.text(), at.offset, provenance)
        }),
    }?;
    Some(Hover {
        contents: HoverContents::Markup(markup(&found.markup, formats(view))),
        range: Some(at.range(found.range)),
    })
}

/// Returns the hover at a position of a policy: documentation, evaluation results, and uses in
/// prompts.
fn of_policy(view: &View, file: FileId, place: Place<'_>) -> Option<mangle_ide::hover::Hover> {
    let provenance = view.with_provenance(file, |provenance| prompts::prompts(place, provenance));
    let property = view.snapshot.file(file).and_then(|file| test::hover(view, file, place.offset));
    let Some(mut found) = mangle_ide::hover::hover(place) else { return provenance.or(property) };
    let figures = view.evaluations_of(file).with(|tried| mangle_ide::hover::evaluation_results(place, tried));
    found.markup =
        found.markup.and(figures).and(provenance.map(|provenance| provenance.markup).unwrap_or_default());
    found.markup = found.markup.and(property.map(|property| property.markup).unwrap_or_default());
    Some(found)
}

pub(in crate::lsp) fn signature_options() -> SignatureHelpOptions {
    let characters = |all: &[&str]| Some(all.iter().map(|one| (*one).to_owned()).collect());
    SignatureHelpOptions {
        trigger_characters: characters(&["(", "[", "<", ","]),
        // After a closing bracket, the enclosing call is shown.
        retrigger_characters: characters(&[")", "]", ">"]),
        ..SignatureHelpOptions::default()
    }
}

pub(in crate::lsp) fn signature_help(view: &View, params: &SignatureHelpParams) -> Option<SignatureHelp> {
    let at = view.spot(&params.text_document_position_params)?;
    let found = mangle_ide::signature_help::signature_help(at.place()?)?;
    let settings = settings(&view.session);
    let active = chosen(params, &found.signatures).unwrap_or(found.active);
    let active_parameter = found.signatures.get(active).map(|signature| count(signature.active));
    let signatures = found.signatures.iter().map(|one| signature(one, &settings)).collect();
    Some(SignatureHelp { signatures, active_signature: Some(count(active)), active_parameter })
}

fn settings(session: &ClientSession) -> SignatureInformationSettings {
    let client = session.client.text_document.as_ref().and_then(|document| document.signature_help.as_ref());
    client.and_then(|client| client.signature_information.clone()).unwrap_or_default()
}

/// Returns the signature that the user selected while the help was displayed, if it has enough
/// parameters.
fn chosen(params: &SignatureHelpParams, signatures: &[Signature]) -> Option<usize> {
    let context = params.context.as_ref().filter(|context| context.is_retrigger)?;
    let shown = context.active_signature_help.as_ref()?;
    let label = &shown.signatures.get(shown.active_signature? as usize)?.label;
    let at = signatures.iter().position(|signature| signature.label == *label)?;
    signatures.get(at).filter(|signature| signature.active < signature.parameters.len()).map(|_| at)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn signature(signature: &Signature, settings: &SignatureInformationSettings) -> SignatureInformation {
    let formats = settings.documentation_format.as_ref();
    let said = |words: &mangle_ide::markup::Markup| {
        (!words.is_empty()).then(|| Documentation::MarkupContent(markup(words, formats)))
    };
    let offsets = settings.parameter_information.as_ref().and_then(|known| known.label_offset_support);
    let label = |parameter: &Parameter| match offsets {
        Some(true) => ParameterLabel::LabelOffsets(utf16(&signature.label, parameter.range)),
        _ => ParameterLabel::Simple(slice(&signature.label, parameter.range).to_owned()),
    };
    let parameters = signature.parameters.iter().map(|parameter| ParameterInformation {
        label: label(parameter),
        documentation: said(&parameter.documentation),
    });
    SignatureInformation {
        label: signature.label.clone(),
        documentation: said(&signature.documentation),
        parameters: Some(parameters.collect()),
        active_parameter: (settings.active_parameter_support == Some(true)).then(|| count(signature.active)),
    }
}

/// Converts a range of a label to UTF-16, which the protocol requires for labels, regardless of
/// the negotiated encoding.
fn utf16(label: &str, range: TextRange) -> [u32; 2] {
    [range.start(), range.end()].map(|end| {
        let before = slice(label, TextRange::new(TextSize::new(0), end));
        count(before.encode_utf16().count())
    })
}

pub(in crate::lsp) fn inlay_hint_options(
    session: &ClientSession,
) -> OneOf<bool, InlayHintServerCapabilities> {
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

pub(in crate::lsp) fn inlay_hint_document(hint: &InlayHint) -> Option<PathBuf> {
    Some(from_proto::document_path(&Data::parse(hint)?.uri.parse().ok()?))
}

/// Resolves the remaining members of a hint.
pub(in crate::lsp) fn resolve_inlay_hint(view: &View, mut hint: InlayHint) -> InlayHint {
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
