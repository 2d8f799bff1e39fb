//! The LSP methods. Each handler sends one message to the writer and waits for its reply, if any.
//! Handlers change no state, and never await before they send.

use std::sync::mpsc::Sender;

use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, Request, Result};
use tower_lsp::ls_types::{
    CodeAction, CodeActionParams, CodeActionResponse, DidChangeConfigurationParams,
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    DocumentDiagnosticParams, DocumentDiagnosticReportResult, ExecuteCommandParams, FileChangeType,
    InitializeParams, InitializeResult, InitializedParams, LSPAny, WorkspaceDiagnosticParams,
    WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult, request,
};
use tower_lsp::{LanguageServer, LspServiceBuilder, ls_types as lsp};
use tracing::Span;

use super::body::{Loss, ResponseSlot, TextHalves};
use super::message::{
    DocumentChange, Message, OpenedDocument, PendingRequest, Prerequisite, RequestRefusal, WorkspacePull,
};
use super::session::{ClientSession, folder_paths};
use super::transport::Incoming;
use super::view::View;
use super::virtual_documents::{
    DocumentAddress, VirtualDocument, VirtualDocumentParams, Watch, document_behind, shown_conversation,
    source_of,
};
use super::{actions, capabilities, features, from_proto, pull, status};
use mangle_host::workspace::FileEvent;
use mangle_report::replies::without_secrets;
use mangle_syntax::text::{Cancel, SentChange};

/// The handlers, and the sender to the writer.
#[derive(Debug)]
pub(super) struct Server {
    writer: Sender<Message>,
    /// The slot for the response of the next handler.
    arriving: Mutex<ResponseSlot>,
    /// The unpaired surrogates in the texts of the next notification.
    halves: Mutex<TextHalves>,
    /// Receives a value when the client's process has ended.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "there are no processes to watch"))]
    client_ended: UnboundedSender<()>,
}

impl Server {
    pub(super) fn new(writer: Sender<Message>, client_ended: UnboundedSender<()>) -> Self {
        Self { writer, arriving: Mutex::default(), halves: Mutex::default(), client_ended }
    }

    fn send(&self, message: Message) {
        if self.writer.send(message).is_err() {
            tracing::error!("the writer is gone");
        }
    }

    /// Sends a request to the writer. A cancellation drops this future, which cancels the token of
    /// the computation ([`CancelGuard`]).
    fn ask<T, C>(
        &self,
        needs: Prerequisite,
        refuse: fn(RequestRefusal) -> Error,
        compute: C,
    ) -> impl Future<Output = Result<T>> + Send + use<T, C>
    where
        T: Send + 'static,
        C: FnOnce(&View, &Cancel) -> Result<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let cancel = Cancel::new();
        let token = cancel.clone();
        let answering = move |view: std::result::Result<&View, RequestRefusal>| {
            let result = match view {
                Ok(view) => compute(view, &token),
                Err(refusal) => Err(refuse(refusal)),
            };
            // The receiver is dropped after a cancellation.
            let _ = reply.send(result);
        };
        let waiting = self.wait_for(cancel.clone());
        self.send(Message::Request(PendingRequest {
            needs,
            cancel,
            span: Span::current(),
            answer: Box::new(answering),
        }));
        async move {
            let answer = answer.await.unwrap_or_else(|_| Err(panicked()));
            waiting.answered();
            answer
        }
    }

    /// [`Self::ask`], but the computing thread serializes the response, and this method returns a
    /// placeholder.
    fn write<T, C>(
        &self,
        needs: Prerequisite,
        compute: C,
    ) -> impl Future<Output = Result<T>> + Send + use<T, C>
    where
        T: Serialize + Default + Send + 'static,
        C: FnOnce(&View) -> Result<T> + Send + 'static,
    {
        let slot = std::mem::take(&mut *self.arriving.lock());
        self.ask(needs, outdated, move |view, _| {
            slot.fill(&compute(view)?).map_err(|error| {
                tracing::error!(%error, "an answer cannot be written as JSON");
                panicked()
            })?;
            Ok(T::default())
        })
    }

    fn wait_for(&self, cancel: Cancel) -> CancelGuard {
        CancelGuard { cancel, writer: Some(self.writer.clone()) }
    }

    /// Records the response slot of a request. Reports texts that are lost because the framework
    /// drops the notification, since its content is not available later.
    pub(super) fn observe(&self, seen: Incoming<'_>) {
        match seen {
            Incoming::Lost(loss) => self.lost(loss),
            Incoming::Request(request, slot, halves) => {
                *self.arriving.lock() = slot;
                if !is_usable(request) {
                    match changed_whole(request) {
                        Some(params) => self.send(Message::Change(changed(params, TextHalves::default()))),
                        None => self.lost(Loss::of_call(request.method(), request.params())),
                    }
                }
                *self.halves.lock() = halves;
            }
        }
    }

    fn lost(&self, loss: Loss) {
        if loss != Loss::default() {
            self.send(Message::Lost(loss));
        }
    }

    /// `mangle/status`: the state of the server, for bug reports.
    async fn status(&self) -> Result<status::Status> {
        self.ask(Prerequisite::Nothing, outdated, |view, _| Ok(status::status(view))).await
    }

    /// `mangle/graph`: the dependencies of predicates.
    async fn graph(&self, params: features::query::GraphParams) -> Result<LSPAny> {
        let path = params.uri.as_ref().map(from_proto::document_path);
        let needs = path.map_or(Prerequisite::Workspace, Prerequisite::Place);
        self.ask(needs, outdated, move |view, _| features::query::graph(view, &params).map(without_secrets))
            .await
    }

    /// `mangle/preview`: the system prompts of agent roles (shards).
    async fn preview(&self, params: features::preview::PreviewParams) -> Result<LSPAny> {
        let needs = Prerequisite::Place(params.document());
        self.ask(needs, outdated, move |view, cancel| {
            features::preview::preview(view, &params, cancel).map(without_secrets)
        })
        .await
    }

    /// `mangle/query`: derived facts and their proofs.
    async fn query(&self, params: features::query::QueryParams) -> Result<LSPAny> {
        let needs = Prerequisite::Evaluation(params.document());
        self.ask(needs, outdated, move |view, _| features::query::query(view, &params).map(without_secrets))
            .await
    }

    /// `mangle/repair`: the message that requests a corrected reply from a model.
    async fn repair(&self, params: features::replies::RepairParams) -> Result<LSPAny> {
        let needs = Prerequisite::Diagnostics(params.document());
        self.ask(needs, outdated, move |view, _| {
            Ok(without_secrets(features::replies::repair(view, &params)))
        })
        .await
    }

    /// `mangle/replay`: the verdicts of the policies about a transcript.
    async fn replay(&self, params: features::replay::ReplayParams) -> Result<LSPAny> {
        let needs = Prerequisite::Place(params.document());
        self.ask(needs, outdated, move |view, cancel| {
            features::replay::replay(view, &params, cancel).map(without_secrets)
        })
        .await
    }

    /// `mangle/test`: the results of policy tests.
    async fn test(&self, params: features::test::TestParams) -> Result<LSPAny> {
        let needs = params.document().map_or(Prerequisite::Workspace, Prerequisite::Place);
        self.ask(needs, outdated, move |view, cancel| {
            Ok(without_secrets(features::test::test(view, &params, cancel)))
        })
        .await
    }

    /// `mangle/virtualDocument`: a generated document.
    async fn virtual_document(&self, params: VirtualDocumentParams) -> Result<VirtualDocument> {
        let address = DocumentAddress::parse(&params.uri)?;
        self.send(Message::Watch(Watch::new(params.uri, address.clone())));
        let path = address.source().map(from_proto::document_path);
        let needs = path.map_or(Prerequisite::Workspace, Prerequisite::Place);
        self.ask(needs, outdated, move |view, cancel| address.make(view, cancel)).await
    }
}

/// Declares the methods that are not part of LSP.
macro_rules! extensions {
    ($($name:literal => $handler:path;)*) => {
        #[cfg(test)]
        pub(super) const EXTENSIONS: &[&str] = &[$($name),*];

        /// Adds these methods to the handlers.
        pub(super) fn extended(builder: LspServiceBuilder<Server>) -> LspServiceBuilder<Server> {
            builder$(.custom_method($name, $handler))*
        }
    };
}

extensions! {
    "mangle/graph" => Server::graph;
    "mangle/preview" => Server::preview;
    "mangle/query" => Server::query;
    "mangle/repair" => Server::repair;
    "mangle/replay" => Server::replay;
    "mangle/status" => Server::status;
    "mangle/test" => Server::test;
    "mangle/virtualDocument" => Server::virtual_document;
}

/// True if a handler accepts the notification about documents or files.
fn is_usable(request: &Request) -> bool {
    fn is<P: DeserializeOwned>(params: Option<&LSPAny>) -> bool {
        params.is_some_and(|params| P::deserialize(params).is_ok())
    }
    let params = request.params();
    let is_notification = request.id().is_none();
    match request.method() {
        "textDocument/didOpen" => is_notification && is::<DidOpenTextDocumentParams>(params),
        "textDocument/didChange" => is_notification && is::<DidChangeTextDocumentParams>(params),
        "textDocument/didClose" => is_notification && is::<DidCloseTextDocumentParams>(params),
        "workspace/didChangeWatchedFiles" => is::<DidChangeWatchedFilesParams>(params),
        method => !(is_notification && Loss::of_call(method, params).is_of_text()),
    }
}

/// Returns the usable suffix of an unreadable change: from the last whole text on, because earlier
/// changes are irrelevant.
fn changed_whole(request: &Request) -> Option<DidChangeTextDocumentParams> {
    let is_change = request.method() == "textDocument/didChange" && request.id().is_none();
    let params = request.params().filter(|_| is_change)?;
    let changes = params.get("contentChanges")?.as_array()?;
    let is_whole = |change: &LSPAny| change.is_object() && change.get("range").is_none_or(LSPAny::is_null);
    let changes = changes.get(changes.iter().rposition(is_whole)?..)?;
    let document = params.get("textDocument")?;
    let params = serde_json::json!({ "textDocument": document, "contentChanges": changes });
    serde_json::from_value(params).ok()
}

fn changed(params: DidChangeTextDocumentParams, halves: TextHalves) -> DocumentChange {
    let mut halves = halves.changes.into_iter();
    let sent = |change| SentChange {
        change: from_proto::content_change(change),
        halves: halves.next().unwrap_or_default(),
    };
    DocumentChange {
        path: from_proto::document_path(&params.text_document.uri),
        uri: params.text_document.uri.as_str().to_owned(),
        version: params.text_document.version,
        changes: params.content_changes.into_iter().map(sent).collect(),
    }
}

/// Held by a handler while it waits. The framework drops the handler of a canceled request and
/// therefore this guard, which cancels the work.
#[derive(Debug)]
struct CancelGuard {
    cancel: Cancel,
    writer: Option<Sender<Message>>,
}

impl CancelGuard {
    fn answered(mut self) {
        self.writer = None;
    }
}

impl Drop for CancelGuard {
    fn drop(&mut self) {
        if let Some(writer) = &self.writer {
            self.cancel.cancel();
            // During shutdown, the writer may already have ended.
            let _ = writer.send(Message::Cancelled);
        }
    }
}

/// Returns the error for a panic. The log contains the position.
fn panicked() -> Error {
    Error { message: "internal error; the log has more".into(), ..Error::internal_error() }
}

/// Returns the error for a request whose response would not match the current text.
fn outdated(refusal: RequestRefusal) -> Error {
    match refusal {
        RequestRefusal::Outdated => Error::content_modified(),
        RequestRefusal::Panicked(panic) => {
            Error { message: panic.to_string().into(), ..Error::internal_error() }
        }
    }
}

/// Returns the prerequisite of a request about the text of a document, which may be virtual.
fn needs_of_made(uri: &lsp::Uri) -> Prerequisite {
    source_of(uri).map_or(Prerequisite::Nothing, Prerequisite::Place)
}

/// Declares the methods of features, one per line, with the prerequisite and the implementation.
/// Use `?` in place of `=>` if the implementation returns a `Result`.
///
/// Prerequisites:
/// - `at[…]`: the program of the document with that URI
/// - `figures[…]`: the same, and known evaluation results
/// - `text[]`: only the text
/// - `made[…]`: only the text or, for a virtual document, the program of its source
/// - `workspace[]`: all files
macro_rules! features {
    ($($name:ident($params:ty) -> $result:ty, $need:ident[$($($uri:ident).+)?] $op:tt $answer:path;)*) => {$(
        async fn $name(&self, params: $params) -> Result<$result> {
            let needs = features!(@$need params $(, $($uri).+)?);
            self.write(needs, move |view| features!(@answer $op ($answer(view, &params)))).await
        }
    )*};
    (@at $params:ident, $($uri:ident).+) => { Prerequisite::Place(document_behind(&$params.$($uri).+)) };
    (@figures $params:ident, $($uri:ident).+) => { Prerequisite::KnownEvaluation(document_behind(&$params.$($uri).+)) };
    (@text $params:ident) => { Prerequisite::Nothing };
    (@made $params:ident, $($uri:ident).+) => { needs_of_made(&$params.$($uri).+) };
    (@workspace $params:ident) => { Prerequisite::Workspace };
    (@answer => ($answer:expr)) => { Ok($answer) };
    (@answer ? ($answer:expr)) => { $answer };
}

impl LanguageServer for Server {
    features! {
        hover(lsp::HoverParams) -> Option<lsp::Hover>,
            figures[text_document_position_params.text_document.uri] => features::hints::hover;
        completion(lsp::CompletionParams) -> Option<lsp::CompletionResponse>,
            at[text_document_position.text_document.uri] => features::completion::completion;
        signature_help(lsp::SignatureHelpParams) -> Option<lsp::SignatureHelp>,
            at[text_document_position_params.text_document.uri] => features::hints::signature_help;
        inlay_hint(lsp::InlayHintParams) -> Option<Vec<lsp::InlayHint>>,
            figures[text_document.uri] => features::hints::inlay_hints;
        code_lens(lsp::CodeLensParams) -> Option<Vec<lsp::CodeLens>>,
            figures[text_document.uri] => features::code_lens::code_lenses;
        folding_range(lsp::FoldingRangeParams) -> Option<Vec<lsp::FoldingRange>>,
            made[text_document.uri] => features::symbols::folding_ranges;
        selection_range(lsp::SelectionRangeParams) -> Option<Vec<lsp::SelectionRange>>,
            text[] => features::symbols::selection_ranges;
        semantic_tokens_full(lsp::SemanticTokensParams) -> Option<lsp::SemanticTokensResult>,
            text[] => features::semantic_tokens::full;
        semantic_tokens_full_delta(lsp::SemanticTokensDeltaParams) -> Option<lsp::SemanticTokensFullDeltaResult>,
            text[] => features::semantic_tokens::delta;
        semantic_tokens_range(lsp::SemanticTokensRangeParams) -> Option<lsp::SemanticTokensRangeResult>,
            text[] => features::semantic_tokens::range;
        goto_definition(lsp::GotoDefinitionParams) -> Option<lsp::GotoDefinitionResponse>,
            at[text_document_position_params.text_document.uri] => features::navigation::definition;
        goto_declaration(request::GotoDeclarationParams) -> Option<request::GotoDeclarationResponse>,
            at[text_document_position_params.text_document.uri] => features::navigation::declaration;
        goto_type_definition(request::GotoTypeDefinitionParams) -> Option<request::GotoTypeDefinitionResponse>,
            at[text_document_position_params.text_document.uri] => features::navigation::type_definition;
        goto_implementation(request::GotoImplementationParams) -> Option<request::GotoImplementationResponse>,
            at[text_document_position_params.text_document.uri] => features::navigation::implementation;
        references(lsp::ReferenceParams) -> Option<Vec<lsp::Location>>,
            at[text_document_position.text_document.uri] => features::navigation::find_references;
        document_highlight(lsp::DocumentHighlightParams) -> Option<Vec<lsp::DocumentHighlight>>,
            at[text_document_position_params.text_document.uri] => features::navigation::highlight;
        document_symbol(lsp::DocumentSymbolParams) -> Option<lsp::DocumentSymbolResponse>,
            made[text_document.uri] => features::symbols::document;
        symbol(lsp::WorkspaceSymbolParams) -> Option<lsp::WorkspaceSymbolResponse>,
            workspace[] => features::symbols::workspace;
        formatting(lsp::DocumentFormattingParams) -> Option<Vec<lsp::TextEdit>>,
            at[text_document.uri] => features::editing::format_document;
        range_formatting(lsp::DocumentRangeFormattingParams) -> Option<Vec<lsp::TextEdit>>,
            at[text_document.uri] => features::editing::format_selection;
        on_type_formatting(lsp::DocumentOnTypeFormattingParams) -> Option<Vec<lsp::TextEdit>>,
            at[text_document_position.text_document.uri] => features::editing::format_typed;
        prepare_rename(lsp::TextDocumentPositionParams) -> Option<lsp::PrepareRenameResponse>,
            at[text_document.uri] ? features::editing::prepare_rename;
        rename(lsp::RenameParams) -> Option<lsp::WorkspaceEdit>,
            at[text_document_position.text_document.uri] ? features::editing::rename;
        prepare_call_hierarchy(lsp::CallHierarchyPrepareParams) -> Option<Vec<lsp::CallHierarchyItem>>,
            at[text_document_position_params.text_document.uri] => features::navigation::prepare_calls;
        incoming_calls(lsp::CallHierarchyIncomingCallsParams) -> Option<Vec<lsp::CallHierarchyIncomingCall>>,
            at[item.uri] => features::navigation::incoming_calls;
        outgoing_calls(lsp::CallHierarchyOutgoingCallsParams) -> Option<Vec<lsp::CallHierarchyOutgoingCall>>,
            at[item.uri] => features::navigation::outgoing_calls;
        linked_editing_range(lsp::LinkedEditingRangeParams) -> Option<lsp::LinkedEditingRanges>,
            at[text_document_position_params.text_document.uri] => features::editing::linked_ranges;
        document_link(lsp::DocumentLinkParams) -> Option<Vec<lsp::DocumentLink>>,
            workspace[] => features::paths::links_of;
    }

    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let session = ClientSession::new(&params);
        let result = capabilities::initialize_result(&session);
        self.send(Message::Initialize(session));
        #[cfg(not(target_family = "wasm"))]
        if let Some(process) = params.process_id {
            super::client_process::watch(process, self.client_ended.clone());
        }
        Ok(result)
    }

    async fn initialized(&self, _: InitializedParams) {
        self.send(Message::Initialized);
    }

    async fn shutdown(&self) -> Result<()> {
        self.send(Message::ShutDown);
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        self.send(Message::Open(OpenedDocument {
            path: from_proto::document_path(&document.uri),
            uri: document.uri.as_str().to_owned(),
            language: document.language_id,
            version: document.version,
            text: document.text,
            halves: std::mem::take(&mut self.halves.lock().opened),
        }));
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let halves = std::mem::take(&mut *self.halves.lock());
        self.send(Message::Change(changed(params, halves)));
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.send(Message::Close(from_proto::named(&params.text_document.uri)));
    }

    async fn did_save(&self, _: DidSaveTextDocumentParams) {
        self.send(Message::LookAtDisk);
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        let events = params.changes.into_iter().filter_map(|change| {
            let changed = change.typ == FileChangeType::CHANGED;
            let event = if changed { FileEvent::Changed } else { FileEvent::CameOrWent };
            Some((from_proto::file_path(&change.uri)?, event))
        });
        self.send(Message::Files(events.collect()));
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        self.send(Message::Folders {
            added: folder_paths(&params.event.added),
            removed: folder_paths(&params.event.removed),
        });
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        self.send(Message::Reconfigure(params.settings));
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let needs = Prerequisite::Diagnostics(from_proto::document_path(&params.text_document.uri));
        self.ask(needs, pull::refusal, move |view, _| pull::document(view, &params)).await
    }

    async fn workspace_diagnostic(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        let slot = std::mem::take(&mut *self.arriving.lock());
        let (reply, answer) = oneshot::channel();
        let cancel = Cancel::new();
        let waiting = self.wait_for(cancel.clone());
        self.send(Message::Pull(WorkspacePull {
            known: params.previous_result_ids.into(),
            cancel,
            span: Span::current(),
            reply,
            checked: None,
        }));
        let report = answer.await;
        waiting.answered();
        slot.fill_with(report.map_err(|_| panicked())?);
        Ok(WorkspaceDiagnosticReportResult::Report(WorkspaceDiagnosticReport::default()))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let needs = Prerequisite::Diagnostics(document_behind(&params.text_document.uri));
        let actions = move |view: &View, _: &Cancel| {
            let conversation = shown_conversation(view, &params.text_document.uri);
            Ok(Some(match conversation {
                Some(shown) => shown.code_actions(&params),
                None => actions::code_actions(view, &params),
            }))
        };
        self.ask(needs, outdated, actions).await
    }

    async fn code_action_resolve(&self, action: CodeAction) -> Result<CodeAction> {
        let needs = actions::document(&action).map_or(Prerequisite::Nothing, Prerequisite::Diagnostics);
        self.ask(needs, outdated, move |view, _| actions::resolve(view, action)).await
    }

    async fn inlay_hint_resolve(&self, hint: lsp::InlayHint) -> Result<lsp::InlayHint> {
        let needs =
            features::hints::inlay_hint_document(&hint).map_or(Prerequisite::Nothing, Prerequisite::Place);
        self.ask(needs, outdated, move |view, _| Ok(features::hints::resolve_inlay_hint(view, hint))).await
    }

    async fn code_lens_resolve(&self, lens: lsp::CodeLens) -> Result<lsp::CodeLens> {
        let document = features::code_lens::document(&lens).filter(|_| lens.command.is_none());
        let needs = document.map_or(Prerequisite::Nothing, |path| Prerequisite::Evaluation(Some(path)));
        self.ask(needs, outdated, move |view, _| features::code_lens::resolve(view, lens)).await
    }

    async fn completion_resolve(&self, item: lsp::CompletionItem) -> Result<lsp::CompletionItem> {
        let needs = features::completion::document(&item).map_or(Prerequisite::Nothing, Prerequisite::Place);
        self.ask(needs, outdated, move |view, _| Ok(features::completion::resolve(view, item))).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        let needs = actions::needs(&params);
        self.ask(needs, outdated, move |view, cancel| actions::command(view, &params, cancel)).await
    }
}
