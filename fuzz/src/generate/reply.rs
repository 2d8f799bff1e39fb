//! Replies of agents from bytes: JSON with the fields of the protocol, strings with escapes of all kinds at every level, JSON
//! in JSON; in every container; and damaged.

use crate::support::Random;

use super::wrapping::{CONTAINERS, Choices, wrap};
use super::{border, pick};

const KEYS: &[&str] = &[
    "control_packet",
    "surface_response",
    "intent_classification",
    "mangle_updates",
    "memory_operations",
    "category",
    "verb",
    "target",
    "constraint",
    "confidence",
    "op",
    "key",
    "value",
    "reasoning_trace",
    "knowledge_requests",
    "context_feedback",
    "overall_usefulness",
    "helpful_facts",
    "noise_facts",
    "missing_context",
    "self_correction",
    "triggered",
    "hypothesis",
    "tool_requests",
    "id",
    "tool_name",
    "tool_args",
    "purpose",
    "required",
    "path",
    "command",
    "role",
    "content",
    "text",
    "mangle_ls_ignore",
    "protocol_version",
    "é",
    "",
    "a/b~1",
    "\\u0000",
];

/// Insides of JSON strings, most of them well formed.
const PIECES: &[&str] = &[
    "task_status(\\\"é1\\\", /done).",
    "p(1)",
    "p(",
    ").",
    "/query",
    "/explain",
    "note",
    "a:b",
    "password: hunter2x",
    "done",
    "rm -rf src/",
    "é",
    "🦀",
    "漢字",
    "\\ud83e\\udd80",
    "\\ud83d",
    "\\udc00",
    "\\u0000",
    "\\u00e9",
    "\\n",
    "\\r\\n",
    "\\t",
    "\\\"",
    "\\\\",
    "\\/",
    "\\\\\\\"",
    "\\x",
    "\\u12",
    "\u{202e}",
    "\u{200b}",
    "```json",
    "```",
    "{",
    "}",
    "[",
    "]",
    "<think>",
    "</think>",
    "`",
    "|",
    "::error::",
    "1.0",
    " ",
    "\u{1b}[31m",
    "\n",
    "\\u2028",
];

const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "0.9",
    "-1",
    "1e400",
    "99999999999999999999",
    "0x1",
    "NaN",
    "\"/done\"",
    "\"\"",
    "[]",
    "{}",
];

/// What damage puts in.
const DAMAGE: &[&str] = &[
    "", "\"", "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "é", "\\ud83d", "\u{feff}", "null", "//",
    "\"a\":1,", "\u{0}", "```",
];

/// A reply.
pub(crate) fn reply(random: &mut Random) -> String {
    let before = ["", "", "", "Here it is:\n", "```json\n", "<think>é</think>\n"];
    let behind = ["", "", "", "\nDone.", "\n```", "\n{}"];
    let mut out = pick(random, &before).to_owned();
    match random.below(4) {
        0 => value(random, 3, &mut out),
        _ => envelope(random, &mut out),
    }
    out.push_str(pick(random, &behind));
    if random.below(3) == 0 {
        damage(random, &mut out);
    }
    out
}

/// An envelope with whatever fields.
fn envelope(random: &mut Random, out: &mut String) {
    out.push_str("{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":");
    string(random, out);
    out.push_str(",\"constraint\":\"none\",\"confidence\":");
    out.push_str(pick(random, VALUES));
    out.push_str("},\"mangle_updates\":[");
    for at in 0..random.below(4) {
        out.push_str(if at > 0 { "," } else { "" });
        string(random, out);
    }
    out.push_str("],\"memory_operations\":");
    value(random, 2, out);
    for _ in 0..random.below(3) {
        out.push(',');
        member(random, 2, out);
    }
    out.push_str("},\"surface_response\":");
    string(random, out);
    out.push('}');
}

fn member(random: &mut Random, depth: usize, out: &mut String) {
    out.push('"');
    out.push_str(pick(random, KEYS));
    out.push_str("\":");
    value(random, depth, out);
}

fn value(random: &mut Random, depth: usize, out: &mut String) {
    match random.below(if depth == 0 { 3 } else { 7 }) {
        0 => out.push_str(pick(random, VALUES)),
        1 | 2 => string(random, out),
        3 | 4 => {
            out.push('{');
            for at in 0..random.below(4) {
                out.push_str(if at > 0 { "," } else { "" });
                member(random, depth - 1, out);
            }
            out.push('}');
        }
        5 => {
            out.push('[');
            for at in 0..random.below(4) {
                out.push_str(if at > 0 { ", " } else { "" });
                value(random, depth - 1, out);
            }
            out.push(']');
        }
        _ => {
            // JSON in a string.
            let mut inner = String::new();
            value(random, depth - 1, &mut inner);
            out.push_str(&serde_json::to_string(&inner).unwrap_or_default());
        }
    }
}

fn string(random: &mut Random, out: &mut String) {
    out.push('"');
    for _ in 0..random.below(5) {
        out.push_str(pick(random, PIECES));
    }
    out.push('"');
}

fn damage(random: &mut Random, out: &mut String) {
    for _ in 0..1 + random.below(3) {
        let at = border(out, random.below(256) * out.len().max(1) / 256);
        let end = border(out, at + random.below(9)).max(at);
        out.replace_range(at..end, pick(random, DAMAGE));
    }
}

/// A transcript: the name of a file and its bytes. Made of a few replies in a container, or the bytes themselves.
pub(crate) fn transcript(bytes: &[u8]) -> (String, Vec<u8>) {
    let names = ["t.json", "t.jsonl", "t.md", "t.txt", "t.log", "t.sse", "t.traj", "t"];
    match bytes.split_first() {
        Some((b'\x01', rest)) => {
            let mut random = Random::from_bytes(rest);
            let choices: Vec<u8> = (0..9).map(|_| u8::try_from(random.below(256)).unwrap_or(0)).collect();
            let mut choices = Choices(choices, 0);
            let (kind, is_damaged) = (random.below(CONTAINERS), random.below(4) == 0);
            let (name, mut file) = wrap(kind, &reply(&mut random), &mut choices);
            if name.ends_with("jsonl") || name.ends_with("sse") || name.ends_with("txt") {
                for _ in 0..random.below(3) {
                    let (_, more) = wrap(kind, &reply(&mut random), &mut choices);
                    file.push_str(&more);
                }
            }
            if is_damaged {
                damage(&mut random, &mut file);
            }
            (name.to_owned(), file.into_bytes())
        }
        Some((first, rest)) => (names[usize::from(*first) % names.len()].to_owned(), rest.to_vec()),
        None => ("t.json".to_owned(), Vec::new()),
    }
}
