//! The page of `stats --report`: its counts are those of `check`, `replay` and `stats`, and foreign text is text in it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::support::{command, folder};
use crate::support::Random;

/// Writes the page of transcripts below a folder; gives it with what `stats` says as JSON.
fn page(folder: &Path, files: &[&str]) -> (String, Vec<Value>) {
    let pages = tempfile::tempdir().unwrap();
    let page = pages.path().join("page.html");
    let arguments =
        [&["transcript", "stats", "--format", "json", "--report", page.to_str().unwrap()][..], files]
            .concat();
    let figures = values(folder, &arguments);
    (std::fs::read_to_string(&page).unwrap(), figures)
}

fn values(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = command(folder, arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The number in a tile of the page.
fn tile(page: &str, what: &[&str]) -> u64 {
    let found = what.iter().find_map(|what| page.split_once(&format!("</b> {what}</li>")));
    let (before, _) = found.unwrap_or_else(|| panic!("no {what:?}: {page}"));
    number(before.rsplit_once("<b>").unwrap().1)
}

fn number(text: &str) -> u64 {
    text.replace(',', "").parse().unwrap_or_else(|_| panic!("{text}"))
}

/// The sum of a column of the tables with a caption; 0 where there is none.
fn column(page: &str, caption: &str, at: usize) -> u64 {
    let Some((_, rest)) = page.split_once(&format!("<caption>{caption}</caption>")) else { return 0 };
    let body = rest.split_once("<tbody>").unwrap().1.split_once("</tbody>").unwrap().0;
    let cells = |row: &str| -> Vec<String> {
        row.split("<td>").skip(1).map(|cell| cell.split("</td>").next().unwrap().to_owned()).collect()
    };
    body.lines().filter(|row| row.starts_with("<tr>")).map(|row| number(&cells(row)[at])).sum()
}

fn severities<'v>(findings: impl Iterator<Item = &'v Value>) -> [u64; 2] {
    let mut counts = [0; 2];
    for finding in findings {
        match finding["severity"].as_str() {
            Some("error") => counts[0] += 1,
            Some("warning") => counts[1] += 1,
            _ => {}
        }
    }
    counts
}

/// Compares the page of a transcript with what the commands count. Gives whether `check` takes it for one.
fn compare(folder: &Path, file: &str) -> bool {
    let (page, figures) = page(folder, &[file]);
    let figures = &figures[0];
    let checked = values(folder, &["check", "--format", "json", "--max-findings", "0", file]);
    if checked.iter().any(|line| line["summary"]["clauses"].as_u64() > Some(0)) {
        return false;
    }
    let [mut errors, mut warnings] = severities(checked.iter());
    let blocks = &figures["constitutional_blocks"];
    if !blocks.is_null() {
        let turns = values(folder, &["replay", "--format", "json", file]);
        let [more, also] =
            severities(turns.iter().flat_map(|turn| turn["findings"].as_array().into_iter().flatten()));
        (errors, warnings) = (errors + more, warnings + also);
    }
    let counts = [tile(&page, &["errors", "error"]), tile(&page, &["warnings", "warning"])];
    assert_eq!(counts, [errors, warnings], "{file}");
    let of_stats: u64 = figures["diagnostics"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert!(of_stats >= errors + warnings, "{file}: {of_stats}");
    for word in ["rule", "shard", "model", "version"] {
        assert_eq!(column(&page, &format!("Violations by {word}"), 0), errors + warnings, "{file}: {word}");
    }
    let answers = figures["answers"].as_u64().unwrap();
    for word in ["shard", "model", "version"].into_iter().filter(|_| page.contains("<table>")) {
        assert_eq!(column(&page, &format!("Violations by {word}"), 1), answers, "{file}: {word}");
    }
    let stages = "Replies by the stage of the runtime&#39;s parser that reads them";
    let methods: u64 = figures["envelopes"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!(column(&page, stages, 0), methods, "{file}");
    let blocked = blocks["total"].as_u64().unwrap_or_default();
    assert_eq!(column(&page, "Blocked and denied", 0), blocked, "{file}");
    assert_eq!(tile(&page, &["blocked or denied"]), blocked);
    let tokens = &figures["compression"];
    assert_eq!(json!(tile(&page, &["tokens said"])), tokens["original_tokens"], "{file}");
    assert_eq!(json!(tile(&page, &["tokens of state"])), tokens["state"]["tokens"], "{file}");
    true
}

fn transcripts(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_hidden = path.file_name().unwrap().to_string_lossy().starts_with('.');
        let ends = ["jsonl", "json", "log", "md", "txt", "piggyback"];
        if path.is_dir() && !is_hidden {
            transcripts(&path, files);
        } else if path.extension().is_some_and(|end| ends.iter().any(|one| end == *one)) {
            files.push(path);
        }
    }
    files.sort();
}

#[test]
fn counts_of_the_page_are_those_of_the_commands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut files = Vec::new();
    transcripts(&root, &mut files);
    let mut compared = 0;
    for path in files {
        let name = path.to_string_lossy();
        let figures = values(&root, &["transcript", "stats", "--format", "json", &name]);
        if figures.iter().any(|figures| figures["answers"].as_u64() > Some(0)) {
            compared += usize::from(compare(&root, &name));
        }
    }
    assert!(compared > 10, "{compared}");
}

/// A session of chat lines, a reply a minute, with what is added to each record.
fn chat(replies: u64, more: impl Fn(u64) -> Value) -> String {
    let line = |number: u64| {
        let envelope = json!({
            "control_packet": { "mangle_updates": ["broken("], "memory_operations": [] },
            "surface_response": "So.",
        });
        let mut record = json!({ "role": "assistant", "content": envelope.to_string() });
        let more = more(number);
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{record}\n")
    };
    (0..replies).map(line).collect()
}

#[test]
fn foreign_text_is_text_and_credentials_are_masked() {
    const SECRET: &str = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
    let names = ["<script>alert(1)</script>".to_owned(), "x".repeat(10_000), SECRET.to_owned()];
    let record = |number: u64| {
        let name = &names[usize::try_from(number % 3).unwrap()];
        json!({ "session_id": name, "model": name, "agent": name, "timestamp": name })
    };
    let folder = folder(&[("chat.jsonl", &chat(6, record))]);
    let (page, _) = page(folder.path(), &["chat.jsonl"]);
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;alert(1)"), "{page}");
    assert!(!page.contains(SECRET) && !page.contains(&"x".repeat(200)), "{page}");
    assert!(page.contains("6 replies carry a time that cannot be read"), "{page}");
    assert!(page.len() < 100_000, "{}", page.len());
}

#[test]
fn times_and_gaps_are_shown() {
    let record = |number: u64| match number {
        0 | 1 => {
            json!({ "timestamp": format!("2026-03-01T12:0{number}:00+02:00"), "session": "a", "model": "m" })
        }
        2 => json!({ "created": 1_772_366_400, "session": "b" }),
        _ => json!({}),
    };
    let folder = folder(&[("logs/chat: one.jsonl", &chat(4, record))]);
    let page = folder.path().join("page.html");
    std::fs::write(&page, "old").unwrap();
    let output =
        command(folder.path(), &["transcript", "stats", "logs", "--report", "page.html"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(page.contains("1 reply carries no time"), "{page}");
    assert!(page.contains("4 replies in 3 sessions, 1 input"), "{page}");
    assert!(page.contains("<tr><th scope=\"row\">2026-03-01 10:00</th>"), "{page}");
    assert!(page.contains("href=\"./logs/chat%3A%20one.jsonl\">logs/chat: one.jsonl, line 1</a>"), "{page}");
    for chart in page.split("<svg").skip(1) {
        let chart = format!("<svg{}</svg>", chart.split("</svg>").next().unwrap());
        assert!(roxmltree::Document::parse(&chart).is_ok(), "{chart}");
    }
}

#[test]
fn a_page_of_nothing_says_so() {
    let folder = folder(&[("chat.jsonl", "{\"role\":\"user\",\"content\":\"Hello?\"}\n")]);
    let (page, _) = page(folder.path(), &["chat.jsonl"]);
    assert!(page.contains("There is no reply in these sessions."), "{page}");
    assert!(page.contains("PB045 no-reply-found") && page.contains("1 input cannot be read"), "{page}");
}

/// A log of many sessions of three turns, which go on for half a year: five shards, twenty models, and every fifth reply has a fault.
fn fleet(sessions: u64) -> String {
    const FAULTS: [&str; 5] = ["broken(", "p(/a)", "p(X).", "permitted(/x, \"y\", \"z\").", ""];
    let mut random = Random(11);
    let mut out = String::new();
    for session in 0..sessions {
        let second = 1_767_571_200 + session * 15_552_000 / sessions;
        for turn in 0..3u64 {
            let is_bad = random.below(5) == 0;
            let fault = FAULTS[random.below(FAULTS.len())];
            let envelope = json!({
                "control_packet": {
                    "intent_classification": { "category": "/query", "verb": "/explain", "target": "x", "constraint": "none", "confidence": 0.9 },
                    "mangle_updates": if is_bad { json!([fault]) } else { json!([format!("seen(\"{session}-{turn}\").")]) },
                    "memory_operations": [],
                    "tool_requests": if fault.is_empty() { json!([{ "id": "r", "tool_name": "deploy", "tool_args": { "path": "a" } }]) } else { json!([]) },
                },
                "surface_response": "I have looked at it, and there is nothing else to be said about this.",
            });
            let text =
                if is_bad && fault.is_empty() { "No envelope.".to_owned() } else { envelope.to_string() };
            let more = json!({
                "role": "assistant", "content": text, "session_id": format!("session-{session}"), "timestamp": second + turn,
                "model": format!("model-{}", random.below(20)), "agent": (["coder", "planner", "tester", "reviewer", "scribe"])[random.below(5)],
            });
            let question = json!({ "role": "user", "content": "What is there to be said about this?", "session_id": format!("session-{session}"), "timestamp": second + turn });
            out.push_str(&format!("{question}\n{more}\n"));
        }
    }
    out
}

/// `MANGLE_LS_SESSIONS=100000 MANGLE_LS_PAGE=page.html cargo test --test all -- the_page_stays_small --nocapture` measures more, and keeps the page.
#[test]
fn the_page_stays_small() {
    let sessions =
        std::env::var("MANGLE_LS_SESSIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(1_000);
    let policy = "Decl pending_action(Id, Action, Target, Payload, At) descr [extensional()]\n  bound [/string, /name, /string, /string, /number].\n\
                  Decl permitted(Action, Target, Payload) bound [/name, /string, /string].\nDecl seen(What) bound [/string].\n\
                  permitted(/read_file, Target, Payload) :- pending_action(_, /read_file, Target, Payload, _).\n";
    let folder = folder(&[("policy.mg", policy), ("transcripts/log.jsonl", &fleet(sessions))]);
    let start = std::time::Instant::now();
    let (page, _) = page(folder.path(), &["transcripts/log.jsonl"]);
    println!("{sessions} sessions: {} bytes in {:.1} s", page.len(), start.elapsed().as_secs_f64());
    if let Some(path) = std::env::var_os("MANGLE_LS_PAGE") {
        std::fs::write(path, &page).unwrap();
    }
    assert!(page.len() < 1_000_000, "{}", page.len());
    assert!(sessions != 1_000 || page.contains("3,000 replies in 1,000 sessions"), "{page}");
    for word in ["shard", "model", "version"] {
        assert_eq!(
            column(&page, &format!("Violations by {word}"), 0),
            column(&page, "Violations by rule", 0)
        );
    }
}
