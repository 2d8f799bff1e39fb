//! A small client of the protocol, over the pipes of the real program.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::command::command;

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct McpClient {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
}

impl McpClient {
    /// Starts the server in `folder`, and begins.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut client = Self::launch(folder, arguments);
        client.initialize("2025-11-25");
        client
    }

    /// Starts the server.
    pub(crate) fn launch(folder: &Path, arguments: &[&str]) -> Self {
        let words: Vec<_> = ["mcp"].into_iter().chain(arguments.iter().copied()).collect();
        let mut child = command(folder, &words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, input, lines, next: 0 }
    }

    /// Begins with this version. Gives what the server says of itself.
    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let client = json!({"name": "tests", "version": "1"});
        let answer = self.request(
            "initialize",
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client}),
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer["result"].clone()
    }

    /// Sends a request and gives the response.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        self.answer(id)
    }

    /// Sends a request. Gives its number.
    pub(crate) fn post(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    /// The next line of the server.
    pub(crate) fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server answers");
        serde_json::from_str(&line).unwrap()
    }

    /// The response to a request; those to others are passed over.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("the server answers");
            assert!(line.len() < 64 << 10, "{} bytes: {}", line.len(), &line[..200]);
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Calls a tool. Gives its structured content, which the text repeats.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result(tool, arguments);
        assert_ne!(result["isError"], json!(true), "{tool}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
        result["structuredContent"].clone()
    }

    /// Calls a tool that refuses. Gives what it says.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.result(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// All pages of the list of a tool's answer.
    pub(crate) fn pages(&mut self, tool: &str, arguments: &Value) -> Vec<Value> {
        let (mut pages, mut arguments) = (Vec::new(), arguments.clone());
        loop {
            let page = self.call(tool, arguments.clone());
            let cursor = page["next_cursor"].clone();
            pages.push(page);
            if cursor.is_null() {
                return pages;
            }
            arguments["cursor"] = cursor;
        }
    }

    fn result(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// The id of the process of the server.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Leaves. Gives the exit status.
    pub(crate) fn leave(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
