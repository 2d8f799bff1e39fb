//! `textDocument/completion` and `completionItem/resolve`

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{
    CompletionItem, CompletionItemCapability, CompletionItemKind, CompletionItemLabelDetails,
    CompletionItemTag, CompletionList, CompletionOptions, CompletionOptionsCompletionItem, CompletionParams,
    CompletionResponse, CompletionTextEdit, Documentation, InsertReplaceEdit, InsertTextFormat, MarkupKind,
    Range, TextDocumentPositionParams, TextEdit, Uri,
};

use super::paths;
use crate::lsp::from_proto;
use crate::lsp::session::ClientSession;
use crate::lsp::to_proto::markup;
use crate::lsp::view::{EmbeddedMangle, View};
use mangle_engine::program::PredicateKey;
use mangle_ide::completion::{Completion, CompletionDetails, CompletionKind, CompletionSubject};
use mangle_ide::transcripts::completion::InEnvelope;
use mangle_ide::transcripts::{escaped, escaped_snippet};
use mangle_ide::{Analysis, completion, transcripts};
use mangle_syntax::text::{EmbeddedKind, Symbol};
use piggyback::envelope::atoms::may_name_be_offered;

/// Trigger characters: start of a name (`:`, `/`, `.`), or of the first item (`(`, `[`, `<`).
/// Space and comma are excluded, because a list that appears after every space is annoying.
const TRIGGERS: [&str; 6] = [":", "/", ".", "(", "[", "<"];

pub(in crate::lsp) fn options(session: &ClientSession) -> CompletionOptions {
    let client = client(session);
    let details = client
        .label_details_support
        .map(|supported| CompletionOptionsCompletionItem { label_details_support: Some(supported) });
    CompletionOptions {
        resolve_provider: Some(!lazy(&client).is_empty()),
        trigger_characters: Some(TRIGGERS.map(String::from).to_vec()),
        completion_item: details,
        ..CompletionOptions::default()
    }
}

fn client(session: &ClientSession) -> CompletionItemCapability {
    let completion = session.client.text_document.as_ref().and_then(|document| document.completion.as_ref());
    completion.and_then(|completion| completion.completion_item.clone()).unwrap_or_default()
}

/// Returns the members that the client resolves lazily.
fn lazy(client: &CompletionItemCapability) -> Vec<&'static str> {
    let asks = |name: &&str| {
        let support = client.resolve_support.as_ref();
        support.is_some_and(|support| support.properties.iter().any(|property| property == name))
    };
    ["detail", "documentation"].into_iter().filter(asks).collect()
}

pub(in crate::lsp) fn completion(view: &View, params: &CompletionParams) -> Option<CompletionResponse> {
    let position = &params.text_document_position;
    let file = view.file(&position.text_document.uri)?;
    // Insertion would replace the wrong text.
    view.snapshot.is_editable(file.id).then_some(())?;
    let at = view.spot(position).and_then(|at| Some((at, at.place()?)));
    let client = client(&view.session);
    let uri = &position.text_document.uri;
    let Some((at, place)) = at else { return in_envelope(view, position, &client) };
    let found = match at.inside.filter(|inside| inside.text.embedded.kind == EmbeddedKind::Atom) {
        Some(EmbeddedMangle { transcript, .. }) => transcript.with_declarations(|known| {
            let is_wanted = |name: &str| may_name_be_offered(name, known, &transcript.settings);
            completion::completions_of_fact(place, &is_wanted)
        }),
        None => paths::completions(&at).unwrap_or_else(|| completion::completions(place)),
    };
    let (insert, replace) = (at.range(found.insert), at.range(found.replace));
    // Inside an escape sequence, no position in the atom exists, so nothing can be inserted.
    if at.inside.is_some() && !(insert.start..=insert.end).contains(&position.position) {
        return None;
    }
    let mut convert = Convert {
        levels: at.inside.map_or(0, |inside| inside.text.levels),
        analysis: Some(place.analysis),
        insert,
        replace,
        uri,
        lazy: lazy(&client),
        kinds: kinds(&view.session),
        client: &client,
    };
    let items = found.items.iter().enumerate().map(|(index, item)| convert.item(index, item)).collect();
    Some(CompletionResponse::List(CompletionList { is_incomplete: found.incomplete, items }))
}

/// Completes in a JSON reply (envelope) of a transcript.
fn in_envelope(
    view: &View,
    position: &TextDocumentPositionParams,
    client: &CompletionItemCapability,
) -> Option<CompletionResponse> {
    let (transcript, offset) = view.transcript_spot(position)?;
    let found = transcript.with_declarations(|declarations| {
        transcripts::completion::completions(transcript.opened(), declarations, offset)
    });
    let InEnvelope { found, levels } = found?;
    let mut convert = Convert {
        levels,
        analysis: None,
        insert: view.range(&transcript.file, found.insert),
        replace: view.range(&transcript.file, found.replace),
        uri: &position.text_document.uri,
        lazy: lazy(client),
        kinds: kinds(&view.session),
        client,
    };
    let items = found.items.iter().enumerate().map(|(index, item)| convert.item(index, item)).collect();
    Some(CompletionResponse::List(CompletionList { is_incomplete: found.incomplete, items }))
}

/// Returns the item kinds that the client supports, or `None` for the kinds of the first protocol
/// version.
fn kinds(session: &ClientSession) -> Option<Vec<CompletionItemKind>> {
    let completion = session.client.text_document.as_ref()?.completion.as_ref()?;
    completion.completion_item_kind.as_ref()?.value_set.clone()
}

/// Context for the conversion of items.
struct Convert<'a> {
    analysis: Option<&'a dyn Analysis>,
    /// The nesting depth of JSON strings around the position.
    levels: u8,
    insert: Range,
    replace: Range,
    uri: &'a Uri,
    lazy: Vec<&'static str>,
    kinds: Option<Vec<CompletionItemKind>>,
    client: &'a CompletionItemCapability,
}

impl Convert<'_> {
    fn item(&mut self, index: usize, item: &Completion) -> CompletionItem {
        let has = |support: Option<bool>| support == Some(true);
        let snippet = item.insertion.snippet.as_ref().filter(|_| has(self.client.snippet_support));
        let new_text = match snippet {
            Some(snippet) => escaped_snippet(snippet, self.levels),
            None => escaped(&item.insertion.plain, self.levels),
        };
        let (insert, replace) = (self.insert, self.replace);
        let text_edit = match has(self.client.insert_replace_support) {
            true => CompletionTextEdit::InsertAndReplace(InsertReplaceEdit { new_text, insert, replace }),
            false => CompletionTextEdit::Edit(TextEdit { range: replace, new_text }),
        };
        let details =
            CompletionItemLabelDetails { detail: item.signature.clone(), description: item.note.clone() };
        let tags = self
            .client
            .tag_support
            .as_ref()
            .is_some_and(|tags| tags.value_set.contains(&CompletionItemTag::DEPRECATED));
        let mut converted = CompletionItem {
            label: item.label.clone(),
            label_details: has(self.client.label_details_support).then_some(details),
            kind: Some(self.kind(item.kind)),
            sort_text: Some(format!("{index:04}")),
            filter_text: Some(item.label.clone()),
            insert_text_format: snippet.map(|_| InsertTextFormat::SNIPPET),
            text_edit: Some(text_edit),
            deprecated: (item.deprecated && !tags && has(self.client.deprecated_support)).then_some(true),
            tags: (item.deprecated && tags).then(|| vec![CompletionItemTag::DEPRECATED]),
            ..CompletionItem::default()
        };
        if let Some(subject) = &item.subject {
            self.describe(subject, &mut converted);
        }
        if converted.detail.is_none() && !has(self.client.label_details_support) {
            converted.detail.clone_from(&item.note);
        }
        converted
    }

    /// Adds the members that the client cannot resolve lazily, and the data to resolve the rest.
    fn describe(&self, subject: &CompletionSubject, item: &mut CompletionItem) {
        let analysis = self.analysis.filter(|_| self.lazy.len() < 2);
        if let Some(analysis) = analysis {
            let resolved = completion::resolve(analysis, subject);
            fill(item, resolved, self.client.documentation_format.as_ref(), |name| {
                !self.lazy.contains(&name)
            });
        }
        if !self.lazy.is_empty() {
            let data = Data { uri: self.uri.as_str().to_owned(), subject: Key::from_subject(subject) };
            item.data = serde_json::to_value(data).ok();
        }
    }

    fn kind(&self, kind: CompletionKind) -> CompletionItemKind {
        // The second kind is for clients that support only the kinds of the first protocol
        // version.
        let (best, known) = match kind {
            CompletionKind::Keyword => (CompletionItemKind::KEYWORD, CompletionItemKind::KEYWORD),
            CompletionKind::Predicate => (CompletionItemKind::FUNCTION, CompletionItemKind::FUNCTION),
            CompletionKind::Builtin => (CompletionItemKind::OPERATOR, CompletionItemKind::FUNCTION),
            CompletionKind::Function | CompletionKind::Reducer => {
                (CompletionItemKind::METHOD, CompletionItemKind::METHOD)
            }
            CompletionKind::Variable => (CompletionItemKind::VARIABLE, CompletionItemKind::VARIABLE),
            CompletionKind::Name => (CompletionItemKind::ENUM_MEMBER, CompletionItemKind::ENUM),
            CompletionKind::String => (CompletionItemKind::VALUE, CompletionItemKind::VALUE),
            CompletionKind::Type => (CompletionItemKind::TYPE_PARAMETER, CompletionItemKind::INTERFACE),
            CompletionKind::Constructor => (CompletionItemKind::STRUCT, CompletionItemKind::CLASS),
            CompletionKind::Descriptor => (CompletionItemKind::PROPERTY, CompletionItemKind::PROPERTY),
            CompletionKind::Package => (CompletionItemKind::MODULE, CompletionItemKind::MODULE),
            CompletionKind::Rule => (CompletionItemKind::REFERENCE, CompletionItemKind::REFERENCE),
            CompletionKind::Snippet => (CompletionItemKind::SNIPPET, CompletionItemKind::SNIPPET),
        };
        let knows = self.kinds.as_ref().is_some_and(|kinds| kinds.contains(&best));
        if knows { best } else { known }
    }
}

/// The `data` of an item for its resolution.
#[derive(Debug, Serialize, Deserialize)]
struct Data {
    uri: String,
    subject: Key,
}

/// Serializable form of [`CompletionSubject`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Key {
    Predicate(String, u16),
    Builtin(String),
    Function(String),
    Word(String),
    Descriptor(String),
    Rule(String),
}

impl Key {
    fn from_subject(subject: &CompletionSubject) -> Self {
        match subject.clone() {
            CompletionSubject::Predicate(key) => Self::Predicate(key.name.as_str().to_owned(), key.arity),
            CompletionSubject::Builtin(name) => Self::Builtin(name),
            CompletionSubject::Function(name) => Self::Function(name),
            CompletionSubject::Word(word) => Self::Word(word),
            CompletionSubject::Descriptor(name) => Self::Descriptor(name),
            CompletionSubject::Rule(name) => Self::Rule(name),
        }
    }

    fn subject(self) -> CompletionSubject {
        match self {
            Self::Predicate(name, arity) => {
                CompletionSubject::Predicate(PredicateKey { name: Symbol::new(&name), arity })
            }
            Self::Builtin(name) => CompletionSubject::Builtin(name),
            Self::Function(name) => CompletionSubject::Function(name),
            Self::Word(word) => CompletionSubject::Word(word),
            Self::Descriptor(name) => CompletionSubject::Descriptor(name),
            Self::Rule(name) => CompletionSubject::Rule(name),
        }
    }
}

pub(in crate::lsp) fn document(item: &CompletionItem) -> Option<PathBuf> {
    let data = Data::deserialize(item.data.as_ref()?).ok()?;
    Some(from_proto::document_path(&data.uri.parse().ok()?))
}

/// Resolves the remaining members of an item.
pub(in crate::lsp) fn resolve(view: &View, mut item: CompletionItem) -> CompletionItem {
    let Some(data) = item.data.as_ref().and_then(|data| Data::deserialize(data).ok()) else { return item };
    let file = data.uri.parse().ok().and_then(|uri| view.file(&uri));
    let Some(program) = file.and_then(|file| view.snapshot.programs_around(file.id).next()) else {
        return item;
    };
    let analysis: &dyn Analysis = program.as_ref();
    let client = client(&view.session);
    let resolved = completion::resolve(analysis, &data.subject.subject());
    fill(&mut item, resolved, client.documentation_format.as_ref(), |_| true);
    item
}

fn fill(
    item: &mut CompletionItem,
    resolved: CompletionDetails,
    formats: Option<&Vec<MarkupKind>>,
    wanted: impl Fn(&str) -> bool,
) {
    if wanted("detail") {
        item.detail = resolved.detail;
    }
    if wanted("documentation") && !resolved.documentation.is_empty() {
        item.documentation = Some(Documentation::MarkupContent(markup(&resolved.documentation, formats)));
    }
}
