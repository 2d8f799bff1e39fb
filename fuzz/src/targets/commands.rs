//! Commands over a folder of any files: each ends with a status, and what it writes is well formed.

use mangle_ls::cli::{CommandOutput, capture};

use crate::generate::World;
use crate::memory;
use crate::oracle::{Form, well_formed};
use crate::sandbox::Sandbox;

/// How a command is run, and what it writes then.
struct Row {
    arguments: &'static [&'static str],
    form: Form,
}

const fn row(arguments: &'static [&'static str], form: Form) -> Row {
    Row { arguments, form }
}

/// What a command may take, whatever is in a few small files.
const CEILING: usize = 512 << 20;

/// Runs a command, which must not fail in a way that a user could not understand.
pub(crate) fn run(arguments: &[&str], form: Form) -> CommandOutput {
    let captured = memory::within(CEILING, "a command", || capture(arguments));
    let captured = captured.unwrap_or_else(|| panic!("{arguments:?} is no command"));
    assert!(captured.status <= 2, "{arguments:?}: status {}", captured.status);
    well_formed(&captured.output, form);
    well_formed(&captured.errors, Form::Text);
    captured
}

/// Runs the row that the world chooses, with further arguments.
fn run_row(rows: &'static [Row], choice: usize, more: &[&str]) {
    let row = &rows[choice % rows.len()];
    let arguments: Vec<&str> = row.arguments.iter().chain(more).copied().collect();
    run(&arguments, row.form);
}

fn is_policy(name: &str) -> bool {
    name.ends_with(".mg") || name.ends_with(".gl")
}

fn is_table(name: &str) -> bool {
    [".csv", ".jsonl", ".ndjson"].iter().any(|end| name.ends_with(end)) && !name.contains("transcripts/")
}

/// The files that are transcripts, as paths that no command takes for options.
fn transcripts(names: &[String]) -> Vec<String> {
    let ends = [
        ".json", ".jsonl", ".ndjson", ".txt", ".md", ".log", ".sse", ".traj", ".eval", ".zip", ".gz", ".zst",
    ];
    let is_one = |name: &&String| name.contains("transcripts/") || ends.iter().any(|end| name.ends_with(end));
    names.iter().filter(is_one).map(|name| format!("./{name}")).take(4).collect()
}

fn refs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

#[rustfmt::skip]
const REPORT: &[Row] = &[
    row(&["check"], Form::Text),
    row(&["check", "--format", "json"], Form::JsonLines),
    row(&["check", "--format", "sarif"], Form::Sarif),
    row(&["check", "--format", "github"], Form::Commands),
    row(&["check", "--format", "junit"], Form::Xml),
    row(&["check", "--statistics", "--show-program"], Form::Text),
    row(&["check", "--evaluate", "--format", "json", "--statistics"], Form::JsonLines),
    row(&["check", "--evaluate"], Form::Text),
    row(&["check", "--diff"], Form::Text),
    row(&["check", "--diff", "--unsafe-fixes", "--fix-transcripts"], Form::Text),
    row(&["check", "--fail-on", "hint", "--format", "junit", "--show-program"], Form::Xml),
];

/// `check` in every format.
pub(crate) fn report(bytes: &[u8]) {
    let (sandbox, world) = (Sandbox::new(), World::from_bytes(bytes));
    world.write(&sandbox);
    run_row(REPORT, world.choice, &[]);
}

#[rustfmt::skip]
const REPLAY: &[Row] = &[
    row(&["replay"], Form::Text),
    row(&["replay", "--format", "json"], Form::JsonLines),
    row(&["replay", "--format", "markdown"], Form::Text),
    row(&["replay", "--coverage", "--show-permits", "--abduce"], Form::Text),
    row(&["replay", "--reading", "intended", "--format", "json", "--coverage", "--show-permits"], Form::JsonLines),
    row(&["replay", "--report", "page.html"], Form::Text),
    row(&["replay", "--until", "1", "--format", "markdown", "--show-permits"], Form::Text),
];

/// `replay` of the transcripts against the policies.
pub(crate) fn replay(bytes: &[u8]) {
    let (sandbox, world) = (Sandbox::new(), World::from_bytes(bytes));
    let names = world.write(&sandbox);
    let transcripts = transcripts(&names);
    if transcripts.is_empty() {
        return;
    }
    let mut more = refs(&transcripts);
    let policies: Vec<String> =
        names.iter().filter(|name| is_policy(name)).map(|name| format!("--policy=./{name}")).collect();
    let tables: Vec<String> =
        names.iter().filter(|name| is_table(name)).map(|name| format!("--facts=./{name}")).collect();
    if world.choice & 0x80 != 0 {
        more.extend(refs(&policies).iter().chain(&refs(&tables)));
    }
    if world.choice & 0x40 != 0 && world.choice & 0x80 != 0 {
        more.extend(["--compare", "."]);
    }
    run_row(REPLAY, world.choice & 0x3f, &more);
    if let Some(page) = sandbox.read("page.html") {
        well_formed(&page, Form::Text);
    }
}

#[rustfmt::skip]
const PREVIEW: &[Row] = &[
    row(&["preview"], Form::Text),
    row(&["preview", "--format", "json"], Form::JsonValues),
    row(&["preview", "--format", "markdown", "--provenance"], Form::Text),
    row(&["preview", "--provenance", "--mode", "jit"], Form::Text),
    row(&["preview", "--mode", "legacy", "--shard", "coder-7", "coder"], Form::Text),
    row(&["preview", "--mode", "section", "--shard", "tester-1", "tester", "--format", "json"], Form::JsonValues),
    row(&["preview", "--part", "turn", "--shard", "coder-7", "coder"], Form::Text),
    row(&["preview", "--part", "articulation", "--shard", "coder-7", "coder"], Form::Text),
    row(&["preview", "--why", "e"], Form::Text),
    row(&["preview", "--why-not", "coder-7", "/jwt"], Form::Text),
    row(&["preview", "--shuffle-seed", "3", "--sticky"], Form::Text),
    row(&["preview", "--no-synthetic", "--fact", "test_state(/failing).", "--shard", "coder-7", "coder"], Form::Text),
    row(&["preview", "--shard", "coder-7", "coder", "--diff", "policy.mg"], Form::Text),
];

/// `preview` of the samples.
pub(crate) fn preview(bytes: &[u8]) {
    let (sandbox, world) = (Sandbox::new(), World::from_bytes(bytes));
    let names = world.write(&sandbox);
    let samples: Vec<String> =
        names.iter().filter(|name| name.ends_with(".kernel.mg")).map(|name| format!("./{name}")).collect();
    let transcripts = transcripts(&names);
    let mut more = refs(&samples);
    if let (true, Some(transcript)) = (world.choice & 0x80 != 0, transcripts.first()) {
        more.extend(["--transcript", transcript.as_str(), "--turn", "1"]);
    }
    if !samples.is_empty() {
        run_row(PREVIEW, world.choice & 0x7f, &more);
    }
}

#[rustfmt::skip]
const TEST: &[Row] = &[
    row(&["test", "--coverage"], Form::Text),
    row(&["test", "--format", "json", "--coverage"], Form::Json),
    row(&["test", "--format", "junit"], Form::Xml),
    row(&["test", "--reading", "intended", "--min-coverage", "50"], Form::Text),
];

/// `test`.
pub(crate) fn test(bytes: &[u8]) {
    let (sandbox, world) = (Sandbox::new(), World::from_bytes(bytes));
    world.write(&sandbox);
    run_row(TEST, world.choice, &[]);
}

#[rustfmt::skip]
const QUERY: &[Row] = &[
    row(&["query", "--dump"], Form::Text),
    row(&["query", "--dump", "--format", "json", "--reading", "both"], Form::Json),
    row(&["query", "--why", "--others", "2"], Form::Text),
    row(&["query", "--why", "--why-not", "--format", "json"], Form::Json),
    row(&["query", "--why-not", "--reading", "both"], Form::Text),
    row(&["query", "--format", "csv"], Form::Csv),
];

/// `query`. The atom is that of a file `query.txt`, else one of the first words of a policy.
pub(crate) fn query(bytes: &[u8]) {
    let (sandbox, world) = (Sandbox::new(), World::from_bytes(bytes));
    let names = world.write(&sandbox);
    let row = &QUERY[world.choice % QUERY.len()];
    let atom = sandbox.read("query.txt").or_else(|| sandbox.read(names.iter().find(|name| is_policy(name))?));
    let atom = String::from_utf8_lossy(&atom.unwrap_or_default()).into_owned();
    let atom = atom.split([':', '.']).next().unwrap_or_default().trim().replace('\0', "0");
    let atom = format!(" {atom}");
    let tables: Vec<String> =
        names.iter().filter(|name| is_table(name)).map(|name| format!("--facts=./{name}")).collect();
    let mut more = refs(&tables);
    if !row.arguments.contains(&"--dump") {
        more.push(&atom);
    }
    more.push(".");
    run_row(QUERY, world.choice, &more);
}

/// Commands over all files.
#[rustfmt::skip]
const FOLDER: &[Row] = &[
    row(&["format", "--check"], Form::Text),
    row(&["format", "--diff"], Form::Text),
    row(&["graph", "--format", "json"], Form::Json),
    row(&["graph", "--format", "mermaid"], Form::Text),
    row(&["graph", "--format", "dot", "--recursive"], Form::Text),
    row(&["config", "show", "mangle-ls.toml", "--format", "json"], Form::Json),
    row(&["config", "show", "mangle-ls.toml"], Form::Text),
    row(&["config", "files", "--format", "json"], Form::Json),
    row(&["config", "files"], Form::Text),
];

/// Commands over transcripts.
#[rustfmt::skip]
const TRANSCRIPTS: &[Row] = &[
    row(&["transcript", "parse", "--format", "json"], Form::JsonLines),
    row(&["transcript", "parse", "--explain"], Form::Text),
    row(&["transcript", "parse", "--extractor", "harness"], Form::Text),
    row(&["transcript", "parse", "--extractor", "learning", "--format", "json"], Form::JsonLines),
    row(&["transcript", "show"], Form::Text),
    row(&["transcript", "show", "--format", "json"], Form::JsonLines),
    row(&["transcript", "split"], Form::Text),
    row(&["transcript", "stats"], Form::Text),
    row(&["transcript", "stats", "--format", "json"], Form::JsonLines),
    row(&["transcript", "stats", "--metrics", "prom"], Form::Text),
];

const REPAIR: &[Row] = &[
    row(&["transcript", "repair"], Form::Text),
    row(&["transcript", "repair", "--format", "json"], Form::JsonLines),
];

/// The other commands.
pub(crate) fn others(bytes: &[u8]) {
    let (sandbox, world) = (Sandbox::new(), World::from_bytes(bytes));
    let names = world.write(&sandbox);
    let transcripts = transcripts(&names);
    match (world.choice % 4, transcripts.first()) {
        (0, _) | (_, None) => run_row(FOLDER, world.choice / 4, &[]),
        (1, Some(first)) => run_row(REPAIR, world.choice / 4, &[first.as_str()]),
        _ => run_row(TRANSCRIPTS, world.choice / 4, &refs(&transcripts)),
    }
}
