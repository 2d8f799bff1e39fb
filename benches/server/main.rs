//! The server under keystrokes: the real binary, driven over its pipes. `cargo bench --bench server`; with
//! `-- previews` only how prompts follow them, with `-- transcripts` only how transcripts do, with `-- hostile` only keystrokes beside hostile policies, with methods as in
//! `-- textDocument/hover` only these questions.
//!
//! Needs a checkout of codeNERD in `MANGLE_LS_CORPUS`; `tests/corpora/codenerd.json` names the
//! revision and the files of the program. The file that is edited there has 1,203 lines; the other
//! one is made from the same files and has 20,000.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod hostile;
#[allow(dead_code)] // The tests use the rest.
#[path = "../../tests/all/ceilings/policies.rs"]
mod policies;
mod previews;
#[allow(dead_code)] // The tests use the rest.
#[path = "../../tests/all/ceilings/session.rs"]
mod session;
#[path = "../../tests/all/support/mod.rs"]
mod support;
mod transcripts;

use std::time::{Duration, Instant};

use serde_json::json;

use support::client::{Client, Folder, pulling, pushed, with_encoding};
use support::text::Dice;
use support::{corpus, kernel_files};

/// The allocator of the program, so that reading its answers takes no longer than making them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Keystrokes of each measurement.
const STROKES: usize = 300;

/// The longest of the program's files; it is not one of those that the kernel always loads.
const EDITED: &str = "internal/core/defaults/schema/intent_campaign.mg";

fn main() {
    if is_wanted("hostile") {
        return hostile::measure();
    }
    let Some(corpus) = corpus() else { return };
    let mut files = kernel_files();
    files.push(EDITED.into());
    let read = |file: &String| std::fs::read_to_string(corpus.join(file)).unwrap();
    let texts: Vec<(String, String)> = files.iter().map(|file| (file.clone(), read(file))).collect();
    heading();
    if is_wanted("previews") {
        return previews::measure(&texts);
    }
    let program = program(&texts);
    if is_wanted("transcripts") {
        return transcripts::measure(&program);
    }
    if ASKED.iter().any(|(method, _)| is_wanted(method)) {
        return ask_all(&program);
    }
    keystrokes("1,203 lines, pulled", &program, EDITED, pulling());
    keystrokes("1,203 lines, pushed", &program, EDITED, pushed());
    let large = Folder::new(&[("large.mg", &large(&texts))]);
    keystrokes("20,000 lines, pulled", &large, "large.mg", pulling());
    keystrokes("20,000 lines, pushed", &large, "large.mg", pushed());
    ask_all(&program);
    previews::measure(&texts);
    transcripts::measure(&program);
    hostile::measure();
    memory(&program);
}

/// Whether an argument asks for this part.
fn is_wanted(part: &str) -> bool {
    std::env::args().any(|argument| argument == part)
}

/// What is asked about places while one types, and the p95 that it may take, in milliseconds.
const ASKED: &[(&str, u32)] = &[
    ("textDocument/hover", 5),
    ("textDocument/completion", 5),
    ("textDocument/signatureHelp", 5),
    ("textDocument/definition", 5),
    ("textDocument/documentHighlight", 5),
    ("textDocument/references", 20),
    ("textDocument/documentSymbol", 5),
    ("textDocument/semanticTokens/full/delta", 10),
    ("workspace/symbol", 20),
];

/// What is searched for in the workspace.
const QUERIES: [&str; 6] = ["", "p", "perden", "campaign", "task_status", "nothing_of_the_kind"];

/// Asks each question that is asked for, or all of them.
fn ask_all(program: &Folder) {
    println!("{:<44} {:>9} {:>9} {:>9} {:>9} {:>9}", "", "", "p50", "p95", "max", "budget");
    let is_one = ASKED.iter().any(|(method, _)| is_wanted(method));
    for (method, budget) in ASKED.iter().filter(|(method, _)| !is_one || is_wanted(method)) {
        questions(method, *budget, program);
    }
}

/// Asks about places all over the file, each right after a letter was typed there: the answer needs the program
/// of that moment.
fn questions(method: &str, budget: u32, folder: &Folder) {
    let uri = folder.uri(EDITED);
    let text = std::fs::read_to_string(folder.path().join(EDITED)).unwrap();
    let mut capabilities = with_encoding(pulling(), "utf-8");
    capabilities["textDocument"]["documentSymbol"] = json!({ "hierarchicalDocumentSymbolSupport": true });
    capabilities["textDocument"]["semanticTokens"] = json!({
        "requests": { "full": { "delta": true } },
        "tokenTypes": ["function", "method", "variable", "parameter", "enumMember", "type", "string", "number",
            "keyword", "operator", "comment"],
        "tokenModifiers": ["declaration", "definition"],
        "formats": ["relative"],
    });
    let mut client = Client::open_workspace(Some(&folder.path()), capabilities);
    client.request("textDocument/codeAction", nowhere(&uri)).unwrap();
    client.did_open(&uri, 0, &text);
    diagnosed(&mut client, &uri, 0, true);
    let mut tokens = json!("");
    let lines: Vec<&str> = text.lines().collect();
    let mut dice = Dice::new(2);
    let (mut times, mut answers, mut version) = (Vec::new(), 0, 0);
    while times.len() < STROKES {
        let line = dice.below(lines.len());
        if lines[line].starts_with('#') {
            continue;
        }
        let places: Vec<_> = lines[line].match_indices(['(', ',', '/', ')']).map(|(at, _)| at).collect();
        let Some(&column) = places.get(dice.below(places.len())) else { continue };
        let at = |column: usize| json!({ "line": line, "character": column });
        let edits = [
            json!([{ "range": { "start": at(column), "end": at(column) }, "text": "x" }]),
            json!([{ "range": { "start": at(column), "end": at(column + 1) }, "text": "" }]),
        ];
        for (changes, character) in edits.into_iter().zip([column + 1, column]) {
            version += 1;
            client.did_change(&uri, version, changes);
            let params = json!({
                "textDocument": { "uri": uri },
                "position": at(character),
                "context": { "includeDeclaration": true, "triggerKind": 1, "isRetrigger": false },
                "query": QUERIES[dice.below(QUERIES.len())],
                "previousResultId": tokens,
            });
            let start = Instant::now();
            let answer = client.request(method, params).unwrap();
            times.push(start.elapsed());
            answers += usize::from(!answer.is_null());
            tokens = answer.get("resultId").cloned().unwrap_or(tokens);
        }
    }
    assert!(answers * 6 > times.len(), "{method}: {answers} answers");
    times.sort_unstable();
    let at = |percent: usize| ms(times[times.len() * percent / 100]);
    println!("{method:<54} {:>9} {:>9} {:>9} {budget:>6} ms", at(50), at(95), ms(*times.last().unwrap()));
    assert!(client.shut_down().success());
}

fn program(texts: &[(String, String)]) -> Folder {
    let mut files: Vec<_> = texts.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    files.push(("mangle-ls.toml", "[transcripts]\nprofile = \"current\"\n"));
    Folder::new(&files)
}

/// 20,000 lines: all files, then the first ones again with other predicates.
fn large(texts: &[(String, String)]) -> String {
    let all: String = texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
    let again = all.lines().map(renamed).collect::<Vec<_>>();
    let lines: Vec<_> = all.lines().map(str::to_owned).chain(again).take(20_000).collect();
    lines.join("\n")
}

/// The line with `_again` behind every predicate.
fn renamed(line: &str) -> String {
    let mut out = String::new();
    for (at, char) in line.char_indices() {
        let word =
            line[..at].rsplit(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next().unwrap_or("");
        if char == '(' && word.starts_with(|c: char| c.is_ascii_lowercase()) && !word.contains(':') {
            out.push_str("_again");
        }
        out.push(char);
    }
    out
}

/// Types and deletes single characters all over the file, each after the diagnostics of the one
/// before have come.
fn keystrokes(what: &str, folder: &Folder, file: &str, capabilities: serde_json::Value) {
    let pulls = capabilities["textDocument"].get("diagnostic").is_some();
    let uri = folder.uri(file);
    let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(capabilities, "utf-8"));
    // Answered once the workspace is loaded.
    client.request("textDocument/codeAction", nowhere(&uri)).unwrap();
    let start = Instant::now();
    client.did_open(&uri, 0, &text);
    let found = diagnosed(&mut client, &uri, 0, pulls);
    let open = start.elapsed();
    let lines: Vec<&str> = text.lines().collect();
    let mut dice = Dice::new(1);
    let mut times = Vec::new();
    let mut version = 0;
    let before = processor_time(client.process());
    while times.len() < STROKES {
        let line = dice.below(lines.len());
        let Some(column) = lines[line].find('(') else { continue };
        let at = |column: usize| json!({ "line": line, "character": column });
        let typed = json!([{ "range": { "start": at(column), "end": at(column) }, "text": "x" }]);
        let deleted = json!([{ "range": { "start": at(column), "end": at(column + 1) }, "text": "" }]);
        for changes in [typed, deleted] {
            version += 1;
            let start = Instant::now();
            client.did_change(&uri, version, changes);
            diagnosed(&mut client, &uri, version, pulls);
            times.push(start.elapsed());
        }
    }
    let processor = (processor_time(client.process()) - before) / u32::try_from(times.len()).unwrap();
    row(&format!("{what}, {found} diagnostics"), open, times, processor);
    let longest = client.status()["longestTurnUs"].as_u64().unwrap();
    println!("{:<44} {:>39}", "  longest turn of the writer", ms(Duration::from_micros(longest)));
    assert!(client.shut_down().success());
}

/// Waits for the diagnostics of a version; gives how many they are.
fn diagnosed(client: &mut Client, uri: &str, version: i32, pulls: bool) -> usize {
    let items = if pulls {
        client.pull(uri)["items"].take()
    } else {
        let message = client.wait("diagnostics", |message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        message["params"]["diagnostics"].clone()
    };
    items.as_array().map_or(0, Vec::len)
}

/// The parameters of a request that asks for nothing much.
fn nowhere(uri: &str) -> serde_json::Value {
    let start = json!({ "line": 0, "character": 0 });
    json!({
        "textDocument": { "uri": uri },
        "range": { "start": start, "end": start },
        "context": { "diagnostics": [] },
    })
}

/// The processor time that the server has used.
fn processor_time(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

fn heading() {
    println!("{:<44} {:>9} {:>9} {:>9} {:>9} {:>9}", "", "open", "p50", "p95", "max", "CPU");
}

fn row(what: &str, open: Duration, mut times: Vec<Duration>, processor: Duration) {
    times.sort_unstable();
    let at = |percent: usize| times[times.len() * percent / 100];
    let (p50, p95, max) = (at(50), at(95), *times.last().unwrap());
    let (open, p50, p95, max) = (ms(open), ms(p50), ms(p95), ms(max));
    println!("{what:<44} {open:>9} {p50:>9} {p95:>9} {max:>9} {:>9}", ms(processor));
}

fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// The server's memory with the program: five seconds after the last question, and at most.
fn memory(folder: &Folder) {
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let uri = folder.uri(EDITED);
    client.did_open(&uri, 0, &std::fs::read_to_string(folder.path().join(EDITED)).unwrap());
    client.pull(&uri);
    client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).unwrap();
    std::thread::sleep(Duration::from_secs(5));
    let idle = resident(client.process(), "VmRSS");
    println!("{:<44} {:>36.1} MB", "memory, 5 s idle (budget 40)", idle);
    for version in 1..=200 {
        let at = json!({ "line": version, "character": 0 });
        client.did_change(&uri, version, json!([{ "range": { "start": at, "end": at }, "text": "p(1). " }]));
        client.pull(&uri);
    }
    println!("{:<44} {:>36.1} MB", "memory, after 200 edits", resident(client.process(), "VmRSS"));
    println!("{:<44} {:>36.1} MB", "memory, peak (budget 90)", resident(client.process(), "VmHWM"));
}

fn resident(process: u32, what: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(what)).unwrap_or_default();
    let kilobytes: f64 =
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(f64::NAN);
    kilobytes / 1024.0
}
