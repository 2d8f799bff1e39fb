//! Transcripts under keystrokes: their diagnostics come at once, the verdicts about their requests when nobody types for a
//! moment.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::support::client::{Client, Folder, pulling, with_encoding};
use super::support::text::Dice;
use super::{STROKES, diagnosed, ms, processor_time, row};

/// How a transcript is edited, and what its answers ask for.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Letters all over it.
    Edited,
    /// The same, where each answer asks for a tool: what a replay found stays among the diagnostics.
    Judged,
    /// Records are added at its end.
    Grows,
}

/// Budget: 10 ms at 1 MB.
pub(super) fn measure(program: &Folder) {
    transcript(program, 1 << 20, Kind::Edited);
    transcript(program, 1 << 20, Kind::Judged);
    transcript(program, 50 << 20, Kind::Grows);
}

/// A transcript of this many bytes, a record a line: each edit is made when the diagnostics of the one before have come.
fn transcript(folder: &Folder, bytes: usize, kind: Kind) {
    let mut text = String::with_capacity(bytes + 1024);
    while text.len() < bytes {
        text.push_str(&record(text.len(), kind));
    }
    let uri = folder.uri("transcripts/bench.jsonl");
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-8"));
    let document = json!({ "uri": uri, "languageId": "jsonl", "version": 0, "text": text });
    let start = Instant::now();
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let mut found = diagnosed(&mut client, &uri, 0, true);
    let open = start.elapsed();
    if kind == Kind::Judged {
        while found < text.lines().count() {
            client.incoming("workspace/diagnostic/refresh");
            found = diagnosed(&mut client, &uri, 0, true);
        }
        println!("{:<44} {:>9}", "verdicts of 1 MB, from the start on", ms(start.elapsed()));
    }
    let (times, processor) = edited(&mut client, &uri, &text, kind);
    let what = match kind {
        Kind::Edited => "edited",
        Kind::Judged => "judged",
        Kind::Grows => "grows",
    };
    row(&format!("transcript of {} MB {what}, {found} diagnostics", bytes >> 20), open, times, processor);
    assert!(client.shut_down().success());
}

/// The times from an edit to its diagnostics, and the processor time of each.
fn edited(client: &mut Client, uri: &str, text: &str, kind: Kind) -> (Vec<Duration>, Duration) {
    let mut lines = text.lines().count();
    let columns: Vec<_> = text.lines().map(|line| line.find('(').unwrap()).collect();
    let (mut dice, mut times) = (Dice::new(3), Vec::new());
    let strokes = if kind == Kind::Grows { 50 } else { STROKES };
    let before = processor_time(client.process());
    for version in 1..=i32::try_from(strokes).unwrap() {
        let at = |line: usize, column: usize| json!({ "line": line, "character": column });
        let (from, new) = match kind {
            Kind::Grows => {
                lines += 1;
                (at(lines - 1, 0), record(lines, kind))
            }
            Kind::Edited | Kind::Judged => {
                let line = dice.below(columns.len());
                (at(line, columns[line]), "x".to_owned())
            }
        };
        let changes = json!([{ "range": { "start": from, "end": from }, "text": new }]);
        let start = Instant::now();
        client.did_change(uri, version, changes);
        diagnosed(client, uri, version, true);
        times.push(start.elapsed());
    }
    let count = u32::try_from(times.len()).unwrap();
    (times, (processor_time(client.process()) - before) / count)
}

/// A record of a chat in which an agent answers.
fn record(number: usize, kind: Kind) -> String {
    let request = json!({
        "id": format!("r{number}"), "tool_name": "no_such_tool", "tool_args": { "path": format!("src/file_{number}.go") },
        "purpose": "to see", "required": true,
    });
    let requests: Vec<Value> = (kind == Kind::Judged).then_some(request).into_iter().collect();
    let reply = json!({
        "control_packet": {
            "intent_classification": {
                "category": "/mutation", "verb": "/fix", "target": format!("src/file_{number}.go"),
                "constraint": "none", "confidence": 0.9,
            },
            "mangle_updates": [
                format!("observation(\"step {number}\", \"did it\")."),
                format!("modified(\"src/file_{number}.go\")."),
            ],
            "memory_operations": [],
            "self_correction": { "triggered": false, "hypothesis": "" },
            "reasoning_trace": "It was simple.",
            "knowledge_requests": [],
            "context_feedback": {
                "overall_usefulness": 0.7, "helpful_facts": [], "noise_facts": [], "missing_context": "",
            },
            "tool_requests": requests,
        },
        "surface_response": format!("File number {number} is as it should be."),
    });
    format!("{}\n", json!({ "role": "assistant", "content": reply.to_string() }))
}
