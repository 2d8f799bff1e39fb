//! One call of a tool: on a thread of its own, for so long and no longer, ended by a cancellation.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::JsonObject;
use serde_json::Value;
use tokio::sync::{Semaphore, oneshot};

use super::answer;
use super::arguments::Arguments;
use super::command::{CommandRequest, RunCommand};
use super::folders::Folders;
use super::tools::Tool;
use mangle_syntax::text::Cancel;

/// How long a call may take, in which it may also wait for others.
const DEADLINE: Duration = Duration::from_secs(20);

/// The stack of a thread that runs a command: as much as the main thread has, on which commands run otherwise.
const STACK: usize = 8 << 20;

/// How many calls run at once. One that has ended early holds its place until its thread has ended.
const AT_ONCE: usize = 2;

/// What calls have in common.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    folders: Arc<Folders>,
    run: RunCommand,
    places: Arc<Semaphore>,
}

impl Caller {
    pub(super) fn new(folders: Folders, run: RunCommand) -> Self {
        Self { folders: folders.into(), run, places: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Calls a tool. `cancelled` ends when the client no longer wants the answer.
    ///
    /// # Errors
    /// When the arguments do not fit, the work cannot be done, takes too long, is cancelled or panics: a sentence for the model.
    pub(super) async fn call(
        &self,
        tool: &'static Tool,
        sent: JsonObject,
        cancelled: impl Future<Output = ()>,
    ) -> Result<Value, String> {
        let cancel = Cancel::new();
        let work = self.work(tool, sent, cancel.clone());
        let ended = tokio::select! {
            done = work => return done,
            () = cancelled => "the call was cancelled".to_owned(),
            () = tokio::time::sleep(DEADLINE) => {
                format!("the call took longer than {} seconds: limit the request", DEADLINE.as_secs())
            }
        };
        cancel.cancel();
        Err(ended)
    }

    /// Waits for a place, and runs the twin there.
    async fn work(&self, tool: &'static Tool, sent: JsonObject, cancel: Cancel) -> Result<Value, String> {
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|error| error.to_string())?;
        let (folders, run) = (Arc::clone(&self.folders), self.run);
        let work = move || {
            // It is given back when the thread is done, not when the answer is no longer waited for.
            let _place = place;
            twin(tool, sent, &folders, run, cancel)
        };
        let (sender, answer) = oneshot::channel();
        let thread = std::thread::Builder::new().name("call".into()).stack_size(STACK);
        // Nobody takes the answer of a call that has ended early.
        if let Err(error) = thread.spawn(move || _ = sender.send(work())) {
            return Err(format!("no thread can be started: {error}"));
        }
        match answer.await {
            Ok(answer) => answer,
            Err(_) => Err("an internal error ended the call; the log of mangle-ls has its source position".to_owned()),
        }
    }
}

/// Runs the twin of a tool on this thread.
fn twin(
    tool: &Tool,
    sent: JsonObject,
    folders: &Folders,
    run: RunCommand,
    cancel: Cancel,
) -> Result<Value, String> {
    let arguments = Arguments::read(sent, tool.arguments)?;
    let twin = (tool.twin)(&arguments, folders)?;
    let request = CommandRequest {
        arguments: twin.arguments,
        working: folders.working().to_path_buf(),
        texts: twin.texts,
        cancel,
    };
    let written = run(request);
    answer::of_twin(&written, folders.notes(), |output| (tool.answer)(output, &arguments))
}
