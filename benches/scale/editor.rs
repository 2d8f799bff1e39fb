//! The server over a folder of copies: how long opening takes, what an edit costs, how fast questions are answered.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::copies::{Copies, Place};
use crate::support::client::{Client, pulling, with_encoding};
use crate::support::high_water;
use crate::{Figures, percentile};

/// Edits and questions of each kind.
const ROUNDS: usize = 100;

/// How often the server is asked whether it has read all files.
const STEP: Duration = Duration::from_millis(2);

pub(crate) fn measure(program: &Path, copies: &Copies) -> Figures {
    let start = Instant::now();
    let mut client = Client::start_program(program, &["lsp"], &[])
        .with_workspace(Some(&copies.path()), with_encoding(pulling(), "utf-8"));
    let uri = copies.uri(&copies.body.path);
    client.did_open(&uri, 0, &copies.body.text);
    client.pull(&uri);
    let first = start.elapsed();
    // Until then answers are about what lies beside the open file.
    while client.status()["scan"]["complete"] != true {
        std::thread::sleep(STEP);
    }
    let report = client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).unwrap();
    let all = start.elapsed();
    let reported = report["items"].as_array().map_or(0, Vec::len);
    assert!(reported >= copies.files, "findings of {reported} files, not {}", copies.files);
    let mut figures: Figures = vec![
        ("open, first findings", "ms", first.as_secs_f64() * 1e3),
        ("open, all findings", "ms", all.as_secs_f64() * 1e3),
    ];
    let mut document = Document { client, uri, version: 0 };
    let mut times = document.edits(&copies.body, "(", "x(");
    figures.push(("edit of a body, p50", "ms", percentile(&mut times, 50)));
    figures.push(("edit of a body, p95", "ms", percentile(&mut times, 95)));
    let end = end_of(&copies.body);
    let mut times = document.edits(&end, "\n", "\nquite_new(1). ");
    figures.push(("edit that adds a predicate, p50", "ms", percentile(&mut times, 50)));
    figures.push(("edit that adds a predicate, p95", "ms", percentile(&mut times, 95)));
    for (what, method) in [
        ("completion after an edit, p95", "textDocument/completion"),
        ("references after an edit, p95", "textDocument/references"),
    ] {
        let mut times = document.questions(&copies.body, method);
        figures.push((what, "ms", percentile(&mut times, 95)));
    }
    let uri = copies.uri(&copies.declaration.path);
    document.client.did_open(&uri, 0, &copies.declaration.text);
    document.client.pull(&uri);
    let mut document = Document { uri, version: 0, ..document };
    let mut times = document.edits(&copies.declaration, "/string", "/number");
    figures.push(("edit of a declaration, p50", "ms", percentile(&mut times, 50)));
    figures.push(("edit of a declaration, p95", "ms", percentile(&mut times, 95)));
    figures.push(("memory of the server", "MB", high_water(document.client.process()).unwrap_or(f64::NAN)));
    assert!(document.client.shut_down().success());
    figures
}

/// The end of the line of the last statement of a file.
fn end_of(place: &Place) -> Place {
    let at = place.text.trim_end().len();
    Place { range: at..at + 1, ..place.clone() }
}

/// An open document.
struct Document {
    client: Client,
    uri: String,
    version: i32,
}

impl Document {
    /// Replaces a place by another text and back, and waits for the findings each time.
    fn edits(&mut self, place: &Place, before: &str, after: &str) -> Vec<Duration> {
        let mut times = Vec::new();
        for _ in 0..ROUNDS / 2 {
            for (old, new) in [(before, after), (after, before)] {
                let start = Instant::now();
                self.replace(place, old, new);
                self.client.pull(&self.uri);
                times.push(start.elapsed());
            }
        }
        times
    }

    /// Sends a request about a place right after an edit there.
    fn questions(&mut self, place: &Place, method: &str) -> Vec<Duration> {
        let mut times = Vec::new();
        for _ in 0..ROUNDS / 2 {
            for (old, new) in [("(", "x("), ("x(", "(")] {
                let at = position(place, place.range.start);
                let params = json!({
                    "textDocument": { "uri": self.uri },
                    "position": at,
                    "context": { "includeDeclaration": true, "triggerKind": 1 },
                });
                let start = Instant::now();
                self.replace(place, old, new);
                self.client.request(method, params).unwrap();
                times.push(start.elapsed());
            }
        }
        times
    }

    fn replace(&mut self, place: &Place, old: &str, new: &str) {
        self.version += 1;
        let start = position(place, place.range.start);
        let line_end = old.starts_with('\n');
        let end = if line_end {
            json!({ "line": start["line"].as_u64().unwrap() + 1, "character": old.len() - 1 })
        } else {
            json!({ "line": start["line"], "character": start["character"].as_u64().unwrap() + old.len() as u64 })
        };
        let change = json!([{ "range": { "start": start, "end": end }, "text": new }]);
        self.client.did_change(&self.uri, self.version, change);
    }
}

/// Line and column in bytes.
fn position(place: &Place, at: usize) -> Value {
    let before = &place.text[..at];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": line, "character": at - start })
}
