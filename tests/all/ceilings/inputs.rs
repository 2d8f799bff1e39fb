//! Transcripts and configurations that are large or deep, for the commands that read them.

use std::fmt::Write as _;

/// A hostile file.
pub(crate) struct Input {
    /// What it is.
    pub(crate) name: &'static str,
    /// Where it lies.
    pub(crate) path: &'static str,
    /// Its text at a size.
    pub(crate) text: fn(usize) -> String,
    /// The size in the ordinary test; a hundred times that is measured by `cargo xtask ceilings`.
    pub(crate) size: usize,
    /// What reads it.
    pub(crate) commands: &'static [&'static str],
}

const READ: &[&str] = &["check", "stats", "replay"];

/// How much memory a command may have for an input of so many bytes, in megabytes: a process with the rules and their
/// tables, and a document with its tree; in a replay also what is said of each update until its turn is written.
pub(crate) fn ceiling(command: &str, bytes: usize) -> f64 {
    let each = if command == "replay" { 40.0 } else { 16.0 };
    120.0 + each * megabytes(bytes)
}

fn megabytes(bytes: usize) -> f64 {
    f64::from(u32::try_from(bytes >> 10).unwrap()) / 1024.0
}

/// All of them.
pub(crate) const INPUTS: &[Input] = &[
    Input {
        name: "open brackets",
        path: "transcripts/a.json",
        text: |size| "[".repeat(size),
        size: 20_000,
        commands: READ,
    },
    Input {
        name: "objects in objects",
        path: "transcripts/a.json",
        text: |size| "{\"a\":".repeat(size),
        size: 10_000,
        commands: READ,
    },
    Input { name: "many updates", path: "transcripts/a.json", text: updates, size: 1_000, commands: READ },
    Input {
        name: "one long line",
        path: "transcripts/a.jsonl",
        text: |size| envelope("", &"a".repeat(size)),
        size: 500_000,
        commands: READ,
    },
    Input {
        name: "escapes",
        path: "transcripts/a.jsonl",
        text: |size| envelope("", &"\\u0041\\n".repeat(size)),
        size: 20_000,
        commands: READ,
    },
    Input {
        name: "many records",
        path: "transcripts/a.jsonl",
        text: |size| (envelope("", "Done.") + "\n").repeat(size),
        size: 100,
        commands: READ,
    },
    Input { name: "many programs", path: "mangle-ls.toml", text: programs, size: 20, commands: &["check"] },
    Input { name: "many globs", path: "mangle-ls.toml", text: globs, size: 20, commands: &["check"] },
    Input {
        name: "nested tables",
        path: "mangle-ls.toml",
        text: |size| format!("a = {}", "{ a = ".repeat(size)),
        size: 1_000,
        commands: &["check"],
    },
    Input {
        name: "long keys",
        path: "mangle-ls.toml",
        text: |size| format!("{} = 1\n", "a.".repeat(size) + "a"),
        size: 500,
        commands: &["check"],
    },
];

fn envelope(updates: &str, surface: &str) -> String {
    format!(
        "{{\"control_packet\": {{\"intent_classification\": {{\"category\": \"/query\", \"verb\": \"/explain\", \"target\": \"x\", \
         \"constraint\": \"\", \"confidence\": 0.9}}, \"mangle_updates\": [{updates}], \"memory_operations\": [], \"tool_requests\": []}}, \
         \"surface_response\": \"{surface}\"}}"
    )
}

fn updates(count: usize) -> String {
    let updates: Vec<String> = (0..count).map(|at| format!("\"task_status(/t{at}, /done).\"")).collect();
    envelope(&updates.join(", "), "Done.")
}

fn programs(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, at| {
        let _ = writeln!(text, "[[program]]\nname = \"p{at}\"\ninclude = [\"p{at}/**/*.mg\"]\n");
        text
    })
}

fn globs(count: usize) -> String {
    let globs: Vec<String> = (0..count).map(|at| format!("\"folder{at}/**/*.{{mg,gl}}\"")).collect();
    format!("[[program]]\nname = \"all\"\ninclude = [{}]\n", globs.join(", "))
}
