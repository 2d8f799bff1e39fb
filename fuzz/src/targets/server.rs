//! A session with the language server, in process: whatever an editor sends, each of its requests gets one response, none
//! of them from a panic, and the server leaves when it is asked to.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mangle_ls::lsp::{SessionEnd, serve_on};
use serde_json::{Value, json};

use crate::generate::{Step, documents, steps};
use crate::sandbox::{self, Sandbox};

/// How long a session waits for a response that must come.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn run(bytes: &[u8]) {
    let sandbox = Sandbox::new();
    for (name, text) in documents() {
        sandbox.write(name, text.as_bytes());
    }
    let steps = steps(bytes);
    let wanted: Vec<i64> = steps.iter().filter_map(wanted).collect();
    let answers = Arc::new(Answers::default());
    let editor = Editor {
        steps: steps.into_iter().collect(),
        sent: Vec::new(),
        at: 0,
        answers: Arc::clone(&answers),
        wanted: wanted.clone(),
        requests: Vec::new(),
        end: End::Steps,
    };
    let ended = serve_on(BufReader::new(editor), Output::new(Arc::clone(&answers))).unwrap();
    assert_eq!(ended, SessionEnd::Orderly);
    let found = answers.found.lock().unwrap_or_else(PoisonError::into_inner);
    for id in wanted {
        let count = found.responses.get(&id).map_or(0, Vec::len);
        assert_eq!(count, 1, "request {id} has {count} responses");
    }
    for response in found.responses.values().flatten() {
        let message = response["error"]["message"].as_str().unwrap_or_default();
        assert!(!message.contains("internal error"), "{response}");
    }
}

/// The id of a request.
fn wanted(step: &Step) -> Option<i64> {
    if let Step::Request(id, _) = step { Some(*id) } else { None }
}

/// The responses so far.
#[derive(Default)]
struct Answers {
    found: Mutex<Found>,
    news: Condvar,
}

#[derive(Default)]
struct Found {
    responses: BTreeMap<i64, Vec<Value>>,
}

impl Answers {
    /// Waits until all of these requests have a response; gives those that have none.
    fn wait(&self, wanted: &[i64]) -> Vec<i64> {
        let start = Instant::now();
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let missing: Vec<_> =
                wanted.iter().filter(|id| !found.responses.contains_key(id)).copied().collect();
            if missing.is_empty() || start.elapsed() > PATIENCE {
                return missing;
            }
            found = self
                .news
                .wait_timeout(found, Duration::from_millis(200))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

/// What the editor still has to do.
#[derive(PartialEq, Eq)]
enum End {
    Steps,
    Shutdown,
    Exit,
    Gone,
}

/// The editor's side of the input.
struct Editor {
    steps: std::collections::VecDeque<Step>,
    sent: Vec<u8>,
    at: usize,
    answers: Arc<Answers>,
    wanted: Vec<i64>,
    /// The requests that were sent.
    requests: Vec<(i64, Value)>,
    end: End,
}

impl Editor {
    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.sent = format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes();
        self.at = 0;
    }

    /// Does the next thing; false when there is nothing left.
    fn next(&mut self) -> bool {
        match self.steps.pop_front() {
            Some(Step::Request(id, message)) => {
                self.send(&message);
                self.requests.push((id, message));
            }
            Some(Step::Notification(message)) => self.send(&message),
            Some(Step::File(name, bytes)) => drop(sandbox::write(name, &bytes)),
            None => return self.leave(),
        }
        true
    }

    fn leave(&mut self) -> bool {
        match self.end {
            End::Steps => {
                let missing = self.answers.wait(&self.wanted);
                let silent: Vec<_> = self.requests.iter().filter(|(id, _)| missing.contains(id)).collect();
                assert!(silent.is_empty(), "no response to {silent:?}");
                self.end = End::Shutdown;
                self.send(&json!({ "jsonrpc": "2.0", "id": LAST, "method": "shutdown" }));
            }
            End::Shutdown => {
                let missing = self.answers.wait(&[LAST]);
                assert!(missing.is_empty(), "no response to `shutdown`");
                self.end = End::Exit;
                self.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
            }
            End::Exit => self.end = End::Gone,
            End::Gone => {}
        }
        self.end != End::Gone
    }
}

/// The id of the last request.
const LAST: i64 = 1_000_000;

impl Read for Editor {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.sent.len() {
            if !self.next() {
                return Ok(0);
            }
        }
        let rest = &self.sent[self.at..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

/// The editor's side of the output: cuts messages and notes responses.
struct Output {
    answers: Arc<Answers>,
    buffer: Vec<u8>,
}

impl Output {
    fn new(answers: Arc<Answers>) -> Self {
        Self { answers, buffer: Vec::new() }
    }

    fn take(&mut self, message: &Value) {
        let mut found = self.answers.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let (None, Some(id)) = (message.get("method"), message["id"].as_i64()) {
            found.responses.entry(id).or_default().push(message.clone());
        }
        self.answers.news.notify_all();
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        while let Some((message, len)) = framed(&self.buffer) {
            self.take(&message);
            self.buffer.drain(..len);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The first message of some bytes, if it is whole, and how many bytes it takes.
pub(super) fn framed(bytes: &[u8]) -> Option<(Value, usize)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let header = std::str::from_utf8(&bytes[..end]).unwrap();
    let length: usize =
        header.strip_prefix("Content-Length: ").unwrap_or_else(|| panic!("{header:?}")).parse().unwrap();
    let body = bytes.get(end + 4..end + 4 + length)?;
    let message = serde_json::from_slice(body)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(body)));
    Some((message, end + 4 + length))
}
