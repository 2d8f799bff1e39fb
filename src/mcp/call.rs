//! Execution of a tool call on a separate thread, with a deadline and cancellation.

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

/// The deadline of a call, including its wait for a free slot.
const DEADLINE: Duration = Duration::from_secs(20);

/// In bytes: the stack of a thread that runs a command. Equals the main thread's stack, which
/// commands usually run on.
const STACK: usize = 8 << 20;

/// The number of concurrent calls. A call that ended early occupies its slot until its thread has
/// ended.
const AT_ONCE: usize = 2;

/// The shared state of all calls.
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

    /// Calls a tool. `cancelled` completes when the client no longer needs the result.
    ///
    /// # Errors
    ///
    /// A sentence for the model, if the arguments are invalid, or if the command fails, takes too
    /// long, is canceled or panics.
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

    /// Waits for a free slot and runs the command.
    async fn work(&self, tool: &'static Tool, sent: JsonObject, cancel: Cancel) -> Result<Value, String> {
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|error| error.to_string())?;
        let (folders, run) = (Arc::clone(&self.folders), self.run);
        let work = move || {
            // Released when the thread has ended, which may be after the end of the call.
            let _place = place;
            run_command(tool, sent, &folders, run, cancel)
        };
        let (sender, answer) = oneshot::channel();
        let thread = std::thread::Builder::new().name("call".into()).stack_size(STACK);
        // The receiver is dropped if the call ended early.
        if let Err(error) = thread.spawn(move || _ = sender.send(work())) {
            return Err(format!("no thread can be started: {error}"));
        }
        match answer.await {
            Ok(answer) => answer,
            Err(_) => {
                Err("an internal error ended the call; the log of mangle-ls has its source position"
                    .to_owned())
            }
        }
    }
}

/// Runs the command of a tool on this thread.
fn run_command(
    tool: &Tool,
    sent: JsonObject,
    folders: &Folders,
    run: RunCommand,
    cancel: Cancel,
) -> Result<Value, String> {
    let arguments = Arguments::read(sent, tool.arguments)?;
    let twin = (tool.command)(&arguments, folders)?;
    let request = CommandRequest {
        arguments: twin.arguments,
        working: folders.working().to_path_buf(),
        texts: twin.texts,
        cancel,
    };
    let written = run(request);
    answer::from_command(&written, folders.notes(), |output| (tool.answer)(output, &arguments))
}
