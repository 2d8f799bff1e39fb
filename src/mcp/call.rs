//! Execution of a tool call: a command of the command line runs on a separate thread, with a deadline
//! and cancellation. Its output is masked and cut to a page. The caller of the server provides the
//! function that runs the command.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};
use tokio::sync::{Semaphore, oneshot};

use super::arguments::{Arguments, Folders};
use super::pages;
use super::tools::Tool;
use mangle_report::sink;
use mangle_syntax::text::Cancel;
use piggyback::envelope::secrets::redacted;

/// A command and its environment.
#[derive(Debug, Clone, Default)]
pub struct CommandRequest {
    /// Without the name of the program.
    pub arguments: Vec<OsString>,
    /// The base folder of relative paths.
    pub working: PathBuf,
    /// Texts that override the files on disk, by absolute path.
    pub texts: Vec<(PathBuf, Arc<str>)>,
    /// Canceled when the result is no longer needed.
    pub cancel: Cancel,
}

/// The output and the exit status of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandAnswer {
    /// 0, 1 for findings, 2 if the work could not be done.
    pub status: u8,
    /// Standard output: JSON, with all credentials masked.
    pub output: String,
    /// Standard error, one message per line.
    pub errors: String,
}

/// Runs a command on the current thread.
pub type RunCommand = fn(CommandRequest) -> CommandAnswer;

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
    from_command(&written, folders.notes(), |output| (tool.answer)(output, &arguments))
}

/// The names of the exit statuses, by value.
const STATUSES: [&str; 3] = ["clean", "findings", "failure"];

/// Builds the result from the output of the command, which `shape` converts to an object.
///
/// # Errors
///
/// The error messages of the command, if it could not do its work.
fn from_command(
    twin: &CommandAnswer,
    notes: Vec<String>,
    shape: impl FnOnce(&str) -> Result<Value, String>,
) -> Result<Value, String> {
    let mut problems = problems(&twin.errors);
    let is_failure = usize::from(twin.status) >= STATUSES.len() - 1;
    if is_failure && twin.output.trim().is_empty() {
        let said: Vec<_> = problems.iter().filter_map(|problem| problem["message"].as_str()).collect();
        return Err(if said.is_empty() {
            "the command failed without a message".into()
        } else {
            said.join("\n")
        });
    }
    let mut answer = shape(&twin.output)?;
    problems.extend(notes.into_iter().map(|note| problem("warning", &note)));
    if let Value::Object(members) = &mut answer {
        let status = STATUSES.get(usize::from(twin.status)).copied().unwrap_or("failure");
        members.insert("status".into(), status.into());
        if !problems.is_empty() {
            members.insert("problems".into(), problems.into());
        }
    }
    Ok(pages::fit(answer))
}

/// Returns the messages that a command wrote to standard error, one per line. A continuation line
/// is joined to the previous line.
fn problems(errors: &str) -> Vec<Value> {
    let lines = errors.lines().filter(|line| !line.trim().is_empty());
    let split = |line: &str| match line.split_once(": ") {
        Some(("error", said)) => problem("error", said),
        Some(("warning", said)) => problem("warning", said),
        _ => problem("note", line.trim_end()),
    };
    lines.map(split).collect()
}

fn problem(severity: &str, message: &str) -> Value {
    json!({ "severity": severity, "message": message })
}

/// Masks possible credentials and makes hidden characters visible, because a model would read text
/// that its user does not see. The command already masks its output; this is the last safeguard.
/// Only the new text of an edit keeps its characters, because it is written to a file.
pub(super) fn masked(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(sink::lines(&text)),
        Value::Array(items) => items.into_iter().map(masked).collect(),
        Value::Object(members) => {
            let masked = |(name, member): (String, Value)| match (name.as_str(), member) {
                ("edits", Value::Array(edits)) => (name, edits.into_iter().map(masked_edit).collect()),
                (_, member) => (name, masked(member)),
            };
            Value::Object(members.into_iter().map(masked).collect::<Map<_, _>>())
        }
        other => other,
    }
}

fn masked_edit(edit: Value) -> Value {
    let text = edit["text"].as_str().map(|text| redacted(text).into_owned());
    let mut edit = masked(edit);
    if let (Some(text), Some(member)) = (text, edit.get_mut("text")) {
        *member = text.into();
    }
    edit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twin(status: u8, output: &str, errors: &str) -> CommandAnswer {
        CommandAnswer { status, output: output.into(), errors: errors.into() }
    }

    fn shape(text: &str) -> Result<Value, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn problems_are_beside_the_answer() {
        let twin = twin(2, "{\"a\":1}", "error: x.mg: no such file\nwarning: slow\nnothing here\n");
        let answer = from_command(&twin, vec!["a note".into()], shape).unwrap();
        let expected = json!({"a": 1, "status": "failure", "problems": [
            {"severity": "error", "message": "x.mg: no such file"},
            {"severity": "warning", "message": "slow"},
            {"severity": "note", "message": "nothing here"},
            {"severity": "warning", "message": "a note"},
        ]});
        assert_eq!(answer, expected);
    }

    #[test]
    fn failures_without_output_are_errors() {
        let why = from_command(&twin(2, "", "error: no such rule\n"), Vec::new(), shape).unwrap_err();
        assert_eq!(why, "no such rule");
    }

    #[test]
    fn hidden_characters_are_signs_but_in_edits() {
        let hidden = "a\u{202e}b\u{1b}[0m";
        let answer =
            json!({"message": hidden, "fix": {"title": hidden, "edits": [{"file": "x", "text": hidden}]}});
        let shown = "a\u{fffd}b\u{241b}[0m";
        let expected =
            json!({"message": shown, "fix": {"title": shown, "edits": [{"file": "x", "text": hidden}]}});
        assert_eq!(masked(answer), expected);
    }
}
