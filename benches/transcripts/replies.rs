//! Replies of an invented coding agent, one envelope a line (container K4), whose atoms codeNERD declares.

use std::fmt::Write as _;

use serde_json::json;

use super::Random;

const FILES: [&str; 6] =
    ["core/queue.rs", "core/lease.rs", "api/server.go", "docs/setup.md", "tests/clock.py", "web/app.tsx"];
const VERBS: [(&str, &str); 5] = [
    ("/fix", "/mutation"),
    ("/refactor", "/mutation"),
    ("/explain", "/query"),
    ("/test", "/mutation"),
    ("/review", "/query"),
];
const WORDS: [&str; 24] = [
    "the",
    "queue",
    "retries",
    "a",
    "lease",
    "before",
    "its",
    "clock",
    "expires",
    "which",
    "test",
    "fails",
    "because",
    "of",
    "time",
    "zones",
    "and",
    "server",
    "\"closed\"",
    "early\n",
    "naïve",
    "path",
    "C:\\tmp",
    "again",
];

/// At least `bytes` bytes of lines; `number` is that of the last one.
pub(crate) fn lines(bytes: usize, number: &mut usize, random: &mut Random) -> String {
    let mut out = String::with_capacity(bytes + 4096);
    while out.len() < bytes {
        *number += 1;
        line(*number, random, &mut out);
    }
    out
}

/// Faults, each a text of a line and what takes its place.
const FAULTS: [(&str, &str); 5] = [
    ("\"triggered\":false", "\"triggered\":true"),
    ("\"op\":\"note\"", "\"op\":\"remember\""),
    ("\"tool_args\"", "\"tool_arg\""),
    (").\"", ")\""),
    ("\"verb\":\"/", "\"verb\":\""),
];

/// The same lines, every tenth of them with a fault.
pub(crate) fn spoiled(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4096);
    for (at, line) in text.split_inclusive('\n').enumerate() {
        match at % 10 {
            0 => out.push_str(&fault(line, at / 10)),
            _ => out.push_str(line),
        }
    }
    out
}

/// A line with the fault of this number.
pub(crate) fn fault(line: &str, number: usize) -> String {
    let (from, to) = FAULTS[number % FAULTS.len()];
    line.replacen(from, to, 1)
}

fn line(number: usize, random: &mut Random, out: &mut String) {
    let (verb, category) = VERBS[random.below(VERBS.len())];
    let file = FILES[random.below(FILES.len())];
    let updates: Vec<String> = (0..3 + random.below(8)).map(|at| atom(number, at, file, random)).collect();
    let envelope = json!({
        "control_packet": {
            "intent_classification": {
                "category": category, "verb": verb, "target": file, "constraint": "none",
                "confidence": 0.5 + 0.05 * f64::from(u8::try_from(random.below(10)).unwrap_or(0)),
            },
            "mangle_updates": updates,
            "memory_operations": [
                { "op": "note", "key": format!("turn:{number}"), "value": text(12, random) },
            ],
            "self_correction": { "triggered": false, "hypothesis": "" },
            "reasoning_trace": text(60 + random.below(60), random),
            "knowledge_requests": [],
            "context_feedback": {
                "overall_usefulness": 0.7, "helpful_facts": ["diagnostic"], "noise_facts": [], "missing_context": "",
            },
            "tool_requests": [{
                "id": "req_1", "tool_name": "read_file", "tool_args": { "path": file }, "purpose": "look", "required": true,
            }],
        },
        "surface_response": text(80 + random.below(200), random),
    });
    let _ = writeln!(out, "{envelope}");
}

fn atom(number: usize, at: usize, file: &str, random: &mut Random) -> String {
    match random.below(5) {
        0 => format!("task_completed(\"task-{number}-{at}\")."),
        1 => format!("modified(\"{at}/{number}/{file}\")."),
        2 => format!("observation(\"turn-{number}-{at}\", \"{}\").", WORDS[random.below(18)]),
        3 => format!("git_history(\"{file}\", \"c{number}\", \"ann\", {number}{at}, \"shorter lines\")."),
        _ => format!("failing_test(\"test_{number}_{at}\", \"timeout after 9 s\")."),
    }
}

pub(crate) fn text(words: usize, random: &mut Random) -> String {
    (0..words).map(|_| WORDS[random.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
}
