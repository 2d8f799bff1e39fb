//! What handlers send to the writer. A handler does nothing else.

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
use crate::host::DiskChanges;
use crate::host::workspace::{FileEvent, Scanned};
use mangle_syntax::text::{Cancel, Half, SentChange};

/// A message to the writer: something that happened, or a question.
#[derive(Debug)]
pub(super) enum Message {
    /// The client introduced itself.
    Initialize(ClientSession),
    /// The client is ready for requests.
    Initialized,
    /// A document was opened.
    Open(OpenedDocument),
    /// A document was edited.
    Change(DocumentChange),
    /// A message could not be read or used, and this may be lost with it.
    Lost(Loss),
    /// A document was closed.
    Close(DocumentName),
    /// A document was saved, or the editor has the focus again: files that are not open may have changed on disk.
    LookAtDisk,
    /// A look for changes on disk is done.
    DiskLooked(Result<DiskChanges, Panicked>),
    /// Files changed outside the editor.
    Files(Vec<(PathBuf, FileEvent)>),
    /// Workspace folders came and went.
    Folders {
        added: Vec<PathBuf>,
        removed: Vec<PathBuf>,
    },
    /// The client's settings changed; ours may have too. What it sent along of them.
    Reconfigure(Value),
    /// The client's settings, as it was asked for them.
    Settings(Value),
    /// A virtual document is asked for.
    Watch(Watch),
    /// A question that one snapshot answers.
    Ask(Question),
    /// A question that may wait until something changes.
    Pull(WorkspacePull),
    /// Somebody no longer waits for an answer.
    Cancelled,
    /// The client asks for nothing more.
    ShutDown,
    /// A look at the disk is done.
    Scanned(Box<Result<Scanned, Panicked>>),
    /// A computation of diagnostics is done.
    Diagnosed(DiagnosticsResult),
    /// A program was evaluated; what is wrong with its prompts is yet to come.
    Tried,
    /// An evaluation is done.
    Evaluated(EvaluationResult),
    /// Replays of open transcripts are done.
    Replayed(EvaluationResult),
    /// A property was checked; others are yet to come.
    PropertyChecked,
    /// The properties of open test files are checked.
    Verified(EvaluationResult),
    Leave,
}

impl Message {
    /// What the log calls it.
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
            Self::Ask(_) => "ask",
            Self::Pull(_) => "pull",
            Self::Cancelled => "cancelled",
            Self::ShutDown => "shutdown",
            Self::Scanned(_) => "scanned",
            Self::Diagnosed(_) => "diagnosed",
            Self::Tried => "tried",
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
    /// Which computation it was.
    pub(super) number: u64,
    /// The revision that it was about.
    pub(super) revision: u64,
    /// Whether what is to be pushed was pushed.
    pub(super) result: Result<bool, Panicked>,
}

/// What diagnostics are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Basis {
    /// The revision of the workspace.
    pub(super) revision: u64,
    /// How many evaluations and replays have ended and added what they know.
    pub(super) additions: u64,
}

/// The end of an evaluation, of replays, or of a check of properties.
#[derive(Debug)]
pub(super) struct EvaluationResult {
    /// The revision that it was about.
    pub(super) revision: u64,
    /// Whether it began, so that it may have added what it knows even if it was stopped then.
    pub(super) began: bool,
    /// What came of it; `None` if it was stopped.
    pub(super) result: Result<Option<EvaluationDigest>, Panicked>,
}

/// What came of it, in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EvaluationDigest {
    /// A number that changes with what is shown of it.
    pub(super) digest: u64,
    /// Whether the client was told of other diagnostics of an open document than there are now.
    pub(super) diagnostics: bool,
}

#[derive(Debug)]
pub(super) struct OpenedDocument {
    pub(super) path: PathBuf,
    pub(super) uri: String,
    pub(super) language: String,
    pub(super) version: i32,
    pub(super) text: String,
    /// The halves of surrogate pairs for which U+FFFD stands in the text.
    pub(super) halves: Vec<Half>,
}

/// A new version of a document.
#[derive(Debug)]
pub(super) struct DocumentChange {
    pub(super) path: PathBuf,
    pub(super) uri: String,
    pub(super) version: i32,
    pub(super) changes: Vec<SentChange>,
}

/// What must be known before a question can be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Prerequisite {
    /// Nothing but the texts.
    Nothing,
    /// Which program one document belongs to.
    Place(PathBuf),
    /// All files of the workspace.
    Workspace,
    /// As for a place; what follows from its program is shown, as far as it is known.
    Figures(PathBuf),
    /// What follows from the programs of one document, or of the workspace.
    Evaluation(Option<PathBuf>),
    /// The diagnostics of one document.
    Diagnostics(PathBuf),
}

/// Why a question is not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequestRefusal {
    /// The text changed meanwhile.
    Outdated,
    Panicked(Panicked),
}

/// Computes an answer and sends it.
pub(super) type Responder = Box<dyn FnOnce(Result<&View, RequestRefusal>) + Send>;

/// A question, answered from the snapshot of the moment at which the writer takes it up.
pub(super) struct Question {
    pub(super) needs: Prerequisite,
    /// Raised when nobody waits for the answer any more.
    pub(super) cancel: Cancel,
    pub(super) span: Span,
    pub(super) answer: Responder,
}

impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question").field("needs", &self.needs).finish_non_exhaustive()
    }
}

/// A pull of the diagnostics of all files. Answered when something differs from what the client
/// knows; until then it waits, so that the client need not ask again and again.
#[derive(Debug)]
pub(super) struct WorkspacePull {
    pub(super) known: Arc<[PreviousResultId]>,
    pub(super) cancel: Cancel,
    pub(super) span: Span,
    /// Gets the report as JSON.
    pub(super) reply: oneshot::Sender<Vec<u8>>,
    /// The basis on which nothing differed, if that was found.
    pub(super) checked: Option<Basis>,
}
