//! Requests and notifications to the client. Nothing blocks: notifications are queued, and
//! requests run asynchronously with a timeout.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tower_lsp::Client;
use tower_lsp::ls_types::{
    ConfigurationItem, MessageType, ProgressParams, ProgressParamsValue, ProgressToken, Registration,
    ShowDocumentParams, ShowMessageParams, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd,
    WorkDoneProgressReport, WorkspaceEdit,
};

use super::session;
use super::transport::Output;
use piggyback::envelope::secrets::redacted;

/// The timeout of a request to the client.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

const IDLE: u8 = 0;
/// A request must be sent. The state is one less while the request is running.
const REQUEST_NEEDED: u8 = 2;

/// Sender of messages to the client. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Outbox {
    client: Client,
    output: Output,
    runtime: Handle,
    refresh: Arc<AtomicU8>,
    hints: Arc<AtomicU8>,
    lenses: Arc<AtomicU8>,
    tokens: Arc<AtomicU64>,
}

impl Outbox {
    pub(super) fn new(client: Client, output: Output, runtime: Handle) -> Self {
        Self {
            client,
            output,
            runtime,
            refresh: Arc::default(),
            hints: Arc::default(),
            lenses: Arc::default(),
            tokens: Arc::default(),
        }
    }

    /// Queues a notification.
    pub(super) fn notify(&self, method: &'static str, params: impl Serialize) {
        self.output.notify(method, params);
    }

    pub(super) fn register_watchers(&self, watchers: Registration) {
        let client = self.client.clone();
        self.ask(
            "client/registerCapability",
            async move { client.register_capability(vec![watchers]).await },
        );
    }

    pub(super) fn ask_settings(&self, answered: impl FnOnce(Value) + Send + 'static) {
        let client = self.client.clone();
        self.runtime.spawn(async move {
            let item = ConfigurationItem { scope_uri: None, section: Some(session::SETTINGS_SECTION.into()) };
            let answer = limited("workspace/configuration", client.configuration(vec![item])).await;
            if let Some(settings) = answer.and_then(|items| items.into_iter().next()) {
                answered(settings);
            }
        });
    }

    /// Requests the client to pull all diagnostics again. One such request runs at a time. Calls
    /// during a request cause one further request afterwards.
    pub(super) fn refresh_diagnostics(&self) {
        let client = self.client.clone();
        self.once_more(&self.refresh, "workspace/diagnostic/refresh", move || {
            let client = client.clone();
            async move { client.workspace_diagnostic_refresh().await }
        });
    }

    /// Requests the client to reload all inlay hints. At most one such request runs at a time.
    pub(super) fn refresh_hints(&self) {
        let client = self.client.clone();
        self.once_more(&self.hints, "workspace/inlayHint/refresh", move || {
            let client = client.clone();
            async move { client.inlay_hint_refresh().await }
        });
    }

    /// Requests the client to reload all code lenses. At most one such request runs at a time.
    pub(super) fn refresh_lenses(&self) {
        let client = self.client.clone();
        self.once_more(&self.lenses, "workspace/codeLens/refresh", move || {
            let client = client.clone();
            async move { client.code_lens_refresh().await }
        });
    }

    fn once_more<F>(
        &self,
        state: &Arc<AtomicU8>,
        method: &'static str,
        request: impl Fn() -> F + Send + 'static,
    ) where
        F: Future<Output = tower_lsp::jsonrpc::Result<()>> + Send + 'static,
    {
        if state.swap(REQUEST_NEEDED, Ordering::AcqRel) != IDLE {
            return;
        }
        let state = Arc::clone(state);
        self.runtime.spawn(async move {
            while state.fetch_sub(1, Ordering::AcqRel) == REQUEST_NEEDED {
                limited(method, request()).await;
            }
        });
    }

    /// Requests the client to show a document, or a page in the browser.
    pub(super) fn show_document(&self, params: ShowDocumentParams) {
        let client = self.client.clone();
        self.ask("window/showDocument", async move { client.show_document(params).await });
    }

    /// Shows an informational message.
    pub(super) fn show_message(&self, message: String) {
        self.show(MessageType::INFO, &message);
    }

    pub(super) fn show_warning(&self, message: &str) {
        self.show(MessageType::WARNING, message);
    }

    fn show(&self, typ: MessageType, message: &str) {
        let message = redacted(message).into_owned();
        self.notify("window/showMessage", ShowMessageParams { typ, message });
    }

    pub(super) fn apply_edit(&self, edit: WorkspaceEdit) {
        let client = self.client.clone();
        self.ask("workspace/applyEdit", async move { client.apply_edit(edit).await });
    }

    fn ask<T>(
        &self,
        method: &'static str,
        request: impl Future<Output = tower_lsp::jsonrpc::Result<T>> + Send + 'static,
    ) {
        self.runtime.spawn(async move {
            limited(method, request).await;
        });
    }

    /// Opens a progress bar with the `offered` token or, if the client supports it (`can_create`),
    /// with a new token. Dropping the returned handle ends the progress bar.
    pub(super) fn progress(
        &self,
        title: &str,
        offered: Option<ProgressToken>,
        can_create: bool,
    ) -> Option<Progress> {
        if offered.is_none() && !can_create {
            return None;
        }
        let number = self.tokens.fetch_add(1, Ordering::Relaxed);
        let create = offered.is_none();
        let token = offered.unwrap_or_else(|| ProgressToken::String(format!("mangle-ls/{number}")));
        let (sender, receiver) = unbounded_channel();
        let (outbox, title) = (self.clone(), title.to_owned());
        self.runtime.spawn(async move {
            let request = outbox.client.create_work_done_progress(token.clone());
            if !create || limited("window/workDoneProgress/create", request).await.is_some() {
                outbox.run_progress(token, title, receiver).await;
            }
        });
        Some(Progress(sender))
    }

    async fn run_progress(&self, token: ProgressToken, title: String, mut steps: UnboundedReceiver<Step>) {
        let report = |value| {
            let params = ProgressParams { token: token.clone(), value: ProgressParamsValue::WorkDone(value) };
            self.notify("$/progress", params);
        };
        report(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title,
            cancellable: Some(false),
            message: None,
            percentage: Some(0),
        }));
        while let Some(step) = steps.recv().await {
            report(WorkDoneProgress::Report(WorkDoneProgressReport {
                cancellable: Some(false),
                message: Some(step.message),
                percentage: Some(step.percentage),
            }));
        }
        report(WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
    }
}

async fn limited<T>(
    method: &'static str,
    request: impl Future<Output = tower_lsp::jsonrpc::Result<T>>,
) -> Option<T> {
    match tokio::time::timeout(REQUEST_TIMEOUT, request).await {
        Ok(Ok(answer)) => Some(answer),
        Ok(Err(error)) => {
            tracing::warn!(method, code = error.code.code(), "the client refused a request");
            None
        }
        Err(_) => {
            tracing::warn!(method, "the client did not answer a request");
            None
        }
    }
}

#[derive(Debug)]
struct Step {
    message: String,
    percentage: u32,
}

/// A progress bar that ends on drop.
#[derive(Debug, Clone)]
pub(super) struct Progress(UnboundedSender<Step>);

impl Progress {
    /// Reports progress in percent.
    pub(super) fn step(&self, message: String, percentage: u32) {
        let _ = self.0.send(Step { message, percentage });
    }
}
