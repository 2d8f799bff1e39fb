//! `textDocument/signatureHelp`

use tower_lsp::ls_types::{
    Documentation, ParameterInformation, ParameterLabel, SignatureHelp, SignatureHelpOptions,
    SignatureHelpParams, SignatureInformation, SignatureInformationSettings,
};

use super::markup::markup;
use crate::lsp::session::ClientSession;
use crate::lsp::view::View;
use mangle_ide::signature_help::{Parameter, Signature};
use mangle_syntax::text::{TextRange, TextSize, slice};

pub(in crate::lsp) fn options() -> SignatureHelpOptions {
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
