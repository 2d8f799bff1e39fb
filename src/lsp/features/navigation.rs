//! `textDocument/definition`, `declaration`, `typeDefinition` and `implementation`

use tower_lsp::ls_types::request::{
    GotoDeclarationParams, GotoDeclarationResponse, GotoImplementationParams, GotoImplementationResponse,
    GotoTypeDefinitionParams, GotoTypeDefinitionResponse,
};
use tower_lsp::ls_types::{
    GotoCapability, GotoDefinitionParams, GotoDefinitionResponse, Location, LocationLink,
    TextDocumentClientCapabilities,
};

use super::conversations::ShownConversation;
use super::paths;
use crate::lsp::to_proto;
use crate::lsp::view::{DocumentPlace, View};
use crate::lsp::virtual_documents::shown_conversation;
use mangle_ide::Place;
use mangle_ide::definition::{self, Definition, DefinitionTarget};

pub(in crate::lsp) fn definition(
    view: &View,
    params: &GotoDefinitionParams,
) -> Option<GotoDefinitionResponse> {
    if let Some(shown) = conversation(view, params) {
        return shown.go(params, |raw| definition(view, raw));
    }
    if let Some(found) = paths::definition(view, &params.text_document_position_params) {
        return Some(found);
    }
    go(view, params, definition::definition, |client| client.definition.as_ref())
}

pub(in crate::lsp) fn declaration(
    view: &View,
    params: &GotoDeclarationParams,
) -> Option<GotoDeclarationResponse> {
    go(view, params, definition::declaration, |client| client.declaration.as_ref())
}

pub(in crate::lsp) fn type_definition(
    view: &View,
    params: &GotoTypeDefinitionParams,
) -> Option<GotoTypeDefinitionResponse> {
    go(view, params, definition::type_definition, |client| client.type_definition.as_ref())
}

pub(in crate::lsp) fn implementation(
    view: &View,
    params: &GotoImplementationParams,
) -> Option<GotoImplementationResponse> {
    go(view, params, definition::implementation, |client| client.implementation.as_ref())
}

fn go(
    view: &View,
    params: &GotoDefinitionParams,
    feature: fn(Place<'_>) -> Option<Definition>,
    capability: fn(&TextDocumentClientCapabilities) -> Option<&GotoCapability>,
) -> Option<GotoDefinitionResponse> {
    if let Some(shown) = conversation(view, params) {
        return shown.go(params, |raw| go(view, raw, feature, capability));
    }
    let at = view.spot(&params.text_document_position_params)?;
    let all: Vec<Definition> = at.places().filter_map(feature).collect();
    let mut targets: Vec<DefinitionTarget> = Vec::new();
    for target in all.iter().flat_map(|found| &found.targets) {
        if !targets.contains(target) {
            targets.push(*target);
        }
    }
    let client = view.session.client.text_document.as_ref();
    let links = client.and_then(capability).is_some_and(|it| it.link_support == Some(true));
    let origin = all.first()?.origin;
    Some(if links {
        let links = targets.iter().filter_map(|target| link(&at, origin, target));
        GotoDefinitionResponse::Link(links.collect())
    } else {
        let locations = targets.iter().filter_map(|target| location(view, target));
        GotoDefinitionResponse::Array(locations.collect())
    })
}

/// Returns the conversation of a request, if its document is one.
fn conversation<'v>(view: &'v View, params: &GotoDefinitionParams) -> Option<ShownConversation<'v>> {
    shown_conversation(view, &params.text_document_position_params.text_document.uri)
}

fn location(view: &View, target: &DefinitionTarget) -> Option<Location> {
    to_proto::location(view, target.file, target.name)
}

fn link(
    at: &DocumentPlace<'_>,
    origin: mangle_syntax::text::TextRange,
    target: &DefinitionTarget,
) -> Option<LocationLink> {
    let whole = to_proto::location(at.view, target.file, target.whole)?;
    let name = location(at.view, target)?;
    Some(LocationLink {
        origin_selection_range: Some(at.range(origin)),
        target_uri: whole.uri,
        target_range: whole.range,
        target_selection_range: name.range,
    })
}
