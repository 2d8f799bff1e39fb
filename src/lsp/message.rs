//! Messages from the handlers to the writer. Handlers have no other effect.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::oneshot;
use tower_lsp::ls_types::PreviousResultId;
use tracing::Span;

use super::body::Loss;
use super::from_proto::DocumentName;
use super::pool::Panicked;
use super::session::ClientSession;
use super::view::View;
use super::virtual_documents::Watch;
use mangle_host::DiskChanges;
use mangle_host::workspace::{FileEvent, ScanResult};
use mangle_syntax::text::{Cancel, Half, SentChange};

/// A message to the writer: an event or a request.
#[derive(Debug)]
pub(super) enum Message {
    /// The client sent `initialize`.
    Initialize(ClientSession),
    /// The client is ready for requests.
    Initialized,
    Open(OpenedDocument),
    Change(DocumentChange),
    /// A message could not be read or used, so that these effects may be lost.
    Lost(Loss),
    Close(DocumentName),
    /// A document was saved, or the editor regained focus. Files that are not open may have
    /// changed on disk.
    LookAtDisk,
    /// The detection of changes on disk has finished.
    DiskLooked(Result<DiskChanges, Panicked>),
    /// Files changed outside the editor.
    Files(Vec<(PathBuf, FileEvent)>),
    /// Workspace folders were added or removed.
    Folders {
        added: Vec<PathBuf>,
        removed: Vec<PathBuf>,
    },
    /// The client's settings changed, possibly including the `mangle` section. Contains the
    /// settings in the notification.
    Reconfigure(Value),
    /// The client's settings, in response to a request.
    Settings(Value),
    /// A virtual document was requested.
    Watch(Watch),
    /// A request that one snapshot answers.
    Request(PendingRequest),
    /// A request that may wait for changes.
    Pull(WorkspacePull),
    /// A request was canceled.
    Cancelled,
    /// The client sent `shutdown`.
    ShutDown,
    /// A scan has finished.
    Scanned(Box<Result<ScanResult, Panicked>>),
    /// A computation of diagnostics has finished.
    Diagnosed(DiagnosticsResult),
    /// A program was evaluated, but the findings of its prompts are not known yet.
    ProgramEvaluated,
    /// An evaluation has finished.
    Evaluated(EvaluationResult),
    /// Replays of open transcripts have finished.
    Replayed(EvaluationResult),
    /// A property was checked, and others follow.
    PropertyChecked,
    /// The properties of open test files are checked.
    Verified(EvaluationResult),
    Leave,
}

impl Message {
    /// The name in the log.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Initialize(_) => "initialize",
            Self::Initialized => "initialized",
            Self::Open(_) => "open",
            Self::Change(_) => "change",
            Self::Lost(_) => "lost",
            Self::Close(_) => "close",
            Self::LookAtDisk => "look-at-disk",
            Self::DiskLooked(_) => "disk-looked",
            Self::Files(_) => "files",
            Self::Folders { .. } => "folders",
            Self::Reconfigure(_) => "reconfigure",
            Self::Settings(_) => "settings",
            Self::Watch(_) => "watch",
            Self::Request(_) => "ask",
            Self::Pull(_) => "pull",
            Self::Cancelled => "cancelled",
            Self::ShutDown => "shutdown",
            Self::Scanned(_) => "scanned",
            Self::Diagnosed(_) => "diagnosed",
            Self::ProgramEvaluated => "tried",
            Self::Evaluated(_) => "evaluated",
            Self::Replayed(_) => "replayed",
            Self::PropertyChecked => "property-checked",
            Self::Verified(_) => "verified",
            Self::Leave => "leave",
        }
    }
}

/// The end of a computation of diagnostics.
#[derive(Debug)]
pub(super) struct DiagnosticsResult {
    /// The number of the computation.
    pub(super) number: u64,
    /// The revision of its snapshot.
    pub(super) revision: u64,
    /// True if all diagnostics to push were pushed.
    pub(super) result: Result<bool, Panicked>,
}

/// The state that diagnostics are computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Basis {
    /// The revision of the workspace.
    pub(super) revision: u64,
    /// The number of finished evaluations and replays, which add findings.
    pub(super) additions: u64,
}

/// The end of an evaluation, of replays, or of a check of properties.
#[derive(Debug)]
pub(super) struct EvaluationResult {
    /// The revision of its snapshot.
    pub(super) revision: u64,
    /// True if it started, so that it may have added findings before it was canceled.
    pub(super) began: bool,
    /// `None` if it was canceled.
    pub(super) result: Result<Option<EvaluationDigest>, Panicked>,
}

/// A short summary of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EvaluationDigest {
    /// A number that changes when the displayed results change.
    pub(super) digest: u64,
    /// True if the client has outdated diagnostics of an open document.
    pub(super) diagnostics: bool,
}

#[derive(Debug)]
pub(super) struct OpenedDocument {
    pub(super) path: PathBuf,
    pub(super) uri: String,
    pub(super) language: String,
    pub(super) version: i32,
    pub(super) text: String,
    /// The unpaired surrogates that were replaced with U+FFFD in the text.
    pub(super) halves: Vec<Half>,
}

#[derive(Debug)]
pub(super) struct DocumentChange {
    pub(super) path: PathBuf,
    pub(super) uri: String,
    pub(super) version: i32,
    pub(super) changes: Vec<SentChange>,
}

/// The analysis state that a request requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Prerequisite {
    /// Only the texts.
    Nothing,
    /// The program of one document.
    Place(PathBuf),
    /// All files of the workspace.
    Workspace,
    /// The program of one document. The response also shows evaluation results, if they are known.
    KnownEvaluation(PathBuf),
    /// The evaluation of the programs of one document, or of the workspace.
    Evaluation(Option<PathBuf>),
    /// The diagnostics of one document.
    Diagnostics(PathBuf),
}

/// The reason why a request is not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequestRefusal {
    /// The text was edited meanwhile.
    Outdated,
    Panicked(Panicked),
}

/// Computes a response and sends it.
pub(super) type Responder = Box<dyn FnOnce(Result<&View, RequestRefusal>) + Send>;

/// A request that is answered from the snapshot at the time when the writer accepts it.
pub(super) struct PendingRequest {
    pub(super) needs: Prerequisite,
    /// Canceled when the response is no longer needed.
    pub(super) cancel: Cancel,
    pub(super) span: Span,
    pub(super) answer: Responder,
}

impl std::fmt::Debug for PendingRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PendingRequest").field("needs", &self.needs).finish_non_exhaustive()
    }
}

/// A pull of the diagnostics of all files. The response is sent when the diagnostics differ from
/// the client's, so that the client need not poll.
#[derive(Debug)]
pub(super) struct WorkspacePull {
    pub(super) known: Arc<[PreviousResultId]>,
    pub(super) cancel: Cancel,
    pub(super) span: Span,
    /// Receives the report as JSON.
    pub(super) reply: oneshot::Sender<Vec<u8>>,
    /// The state that was already compared without a difference.
    pub(super) checked: Option<Basis>,
}
