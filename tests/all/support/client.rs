//! A language client for tests: starts the real server, speaks the protocol over its pipes, keeps
//! the text of its documents, answers (or does not answer) the server's requests.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used, clippy::print_stderr)] // each test file uses a part of it

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// How long a test waits for something that must come. Only a failure takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server and this end of its pipes.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    incoming: Receiver<Value>,
    /// Messages that came while something else was awaited.
    pending: VecDeque<Value>,
    next_id: i64,
    /// Requests of the server are answered with `null`.
    pub answers: bool,
}

impl Client {
    /// Starts a server, without `initialize`.
    pub fn start() -> Self {
        Self::start_with(&["lsp"], &[])
    }

    /// Starts a server with these arguments and in this environment.
    pub fn start_with(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        Self::start_program(Path::new(env!("CARGO_BIN_EXE_mangle-ls")), arguments, environment)
    }

    /// The same with a server that is this program.
    pub fn start_program(program: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut child = Command::new(program)
            .args(arguments)
            .env("MANGLE_LS_TEST_WITHOUT_SOLVERS", "1")
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let (sender, incoming) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read_message(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, incoming, pending: VecDeque::new(), next_id: 0, answers: true }
    }

    /// Starts a server and introduces the client. `capabilities` as in `initialize`; `folder` is the
    /// workspace.
    pub fn open_workspace(folder: Option<&Path>, capabilities: Value) -> Self {
        Self::start().with_workspace(folder, capabilities)
    }

    /// Introduces the client to the server, with a workspace.
    pub fn with_workspace(mut self, folder: Option<&Path>, capabilities: Value) -> Self {
        let folders = folder.map(|folder| json!([{ "uri": uri(folder), "name": "test" }]));
        self.initialize(json!({
            "processId": null,
            "rootUri": null,
            "capabilities": capabilities,
            "workspaceFolders": folders,
        }));
        self
    }

    /// Sends `initialize` and `initialized`; gives the server's capabilities.
    pub fn initialize(&mut self, params: Value) -> Value {
        let result = self.request("initialize", params).unwrap();
        self.notify("initialized", json!({}));
        result["capabilities"].clone()
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request without waiting for the response; gives its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params }));
        self.next_id
    }

    pub fn cancel(&mut self, id: i64) {
        self.notify("$/cancelRequest", json!({ "id": id }));
    }

    /// Sends a request and waits for the response: its result or its error.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.response(id)
    }

    /// The response to a request.
    pub fn response(&mut self, id: i64) -> Result<Value, Value> {
        let mut message = self.wait(&format!("the response to {id}"), |message| {
            message.get("method").is_none() && message["id"] == id
        });
        match message.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(message["result"].take()),
        }
    }

    /// The next notification or request of the server with this method.
    pub fn incoming(&mut self, method: &str) -> Value {
        self.wait(method, |message| message["method"] == method)
    }

    /// The first message, of those that came and those to come, for which `wanted` holds; it is
    /// taken out.
    pub fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.pending.iter().position(&wanted) {
            return self.pending.remove(at).unwrap();
        }
        loop {
            let message = self.incoming.recv_timeout(PATIENCE);
            let message = message.unwrap_or_else(|error| panic!("waited in vain for {what}: {error}"));
            self.reply(&message);
            if wanted(&message) {
                return message;
            }
            self.pending.push_back(message);
        }
    }

    /// Answers a request of the server, as clients do at once.
    fn reply(&mut self, message: &Value) {
        if self.answers && message.get("method").is_some() && message.get("id").is_some() {
            let response = json!({ "jsonrpc": "2.0", "id": message["id"], "result": null });
            self.send(&response);
        }
    }

    /// Everything that has come and was not asked for.
    pub fn drain(&mut self) -> Vec<Value> {
        while let Ok(message) = self.incoming.try_recv() {
            self.reply(&message);
            self.pending.push_back(message);
        }
        self.pending.drain(..).collect()
    }

    pub fn did_open(&mut self, uri: &str, version: i32, text: &str) {
        self.did_open_as(uri, "mangle", version, text);
    }

    /// Opens a document in another language.
    pub fn did_open_as(&mut self, uri: &str, language: &str, version: i32, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub fn did_change(&mut self, uri: &str, version: i32, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    pub fn did_close(&mut self, uri: &str) {
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    /// Pulls the diagnostics of a document, again and again while the server says that the text
    /// changed meanwhile.
    pub fn pull(&mut self, uri: &str) -> Value {
        self.pull_after(uri, &Value::Null)
    }

    /// The same where the client knows the report with this id.
    pub fn pull_after(&mut self, uri: &str, known: &Value) -> Value {
        let params = json!({ "textDocument": { "uri": uri }, "previousResultId": known });
        loop {
            match self.request("textDocument/diagnostic", params.clone()) {
                Ok(report) => return report,
                Err(error) => assert_eq!(error["data"]["retriggerRequest"], true, "{error}"),
            }
        }
    }

    /// Pulls the diagnostics of a document whenever the server says that something changed, until
    /// there are `wanted` of them.
    pub fn pull_until(&mut self, uri: &str, wanted: usize) {
        while self.pull(uri)["items"].as_array().unwrap().len() != wanted {
            self.incoming("workspace/diagnostic/refresh");
        }
    }

    /// `mangle/status`.
    pub fn status(&mut self) -> Value {
        self.request("mangle/status", json!(null)).unwrap()
    }

    /// Says goodbye properly and gives the exit status.
    pub fn shut_down(mut self) -> ExitStatus {
        self.request("shutdown", json!(null)).unwrap();
        self.notify("exit", json!(null));
        self.exit_status()
    }

    /// Closes the input, as a client that dies does.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    /// Waits for the server to end.
    pub fn exit_status(&mut self) -> ExitStatus {
        let start = std::time::Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The server's process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_message(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}

/// The URI of a path.
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// A folder with files, and their URIs.
pub struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    /// Writes files, given by relative path and text.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let this = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            this.write(path, text);
        }
        this
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.path().join(path)).unwrap();
    }

    pub fn uri(&self, path: &str) -> String {
        uri(&self.path().join(path))
    }
}

/// Capabilities of a client that pulls diagnostics.
pub fn pulling() -> Value {
    json!({
        "textDocument": {
            "diagnostic": { "relatedDocumentSupport": false },
            "codeAction": {
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix", "source"] } },
                "isPreferredSupport": true,
            },
            "publishDiagnostics": { "relatedInformation": true },
        },
        "workspace": {
            "diagnostics": { "refreshSupport": true },
            "workspaceEdit": { "documentChanges": true },
            "didChangeWatchedFiles": { "dynamicRegistration": true },
        },
    })
}

/// Capabilities of a client that waits to be told.
pub fn pushed() -> Value {
    json!({ "textDocument": { "publishDiagnostics": { "versionSupport": true, "relatedInformation": true } } })
}

/// `capabilities` with a choice of position encodings.
pub fn with_encoding(mut capabilities: Value, encoding: &str) -> Value {
    capabilities["general"] = json!({ "positionEncodings": [encoding] });
    capabilities
}

/// The messages of a list of diagnostics, with their lines.
pub fn messages(items: &Value) -> Vec<String> {
    let one = |item: &Value| {
        format!(
            "{}: {}: {}",
            item["range"]["start"]["line"],
            item["code"].as_str().unwrap(),
            item["message"].as_str().unwrap()
        )
    };
    items.as_array().unwrap().iter().map(one).collect()
}
