//! A log of a gigabyte as a conversation: how long until its first turns are there, and the most memory that is needed, on the
//! command line and in an editor.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::chat;
use crate::support::client::{Client, pulling, uri, with_encoding};
use crate::support::{Random, high_water};

/// How much is written, in bytes.
const BYTES: usize = 1 << 30;

/// How much is made at once.
const PIECE: usize = 16 << 20;

/// How long `show` may go on after its first turns, while its memory is looked at.
const LOOK: Duration = Duration::from_secs(20);

/// Measures both.
pub(crate) fn measure() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("schemas.gl"), chat::SCHEMAS).unwrap();
    std::fs::create_dir(folder.path().join("transcripts")).unwrap();
    let path = folder.path().join("transcripts/session.jsonl");
    let bytes = write(&path);
    println!("a chat log of {bytes} bytes as a conversation (budget 500 ms and 150 MB)");
    show(folder.path());
    editor(folder.path(), &path);
}

/// `mangle-ls transcript show`, whose output is read as fast as it comes.
fn show(folder: &Path) {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["transcript", "show", "transcripts/session.jsonl"])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("turn 2 ") {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "there is no second turn");
    }
    let first = start.elapsed();
    let reader = std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
    let peak = watched(&mut child);
    let _ = reader.join();
    row("show: first turns", first, peak);
}

/// The most memory of a program until it ends, or was looked at long enough.
fn watched(child: &mut Child) -> f64 {
    let (start, mut peak) = (Instant::now(), 0.0f64);
    while child.try_wait().unwrap().is_none() && start.elapsed() < LOOK {
        peak = peak.max(high_water(child.id()).unwrap_or(0.0));
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let _ = child.wait();
    peak
}

/// A server, from its start to the first turns, to those after them, and to turns in the middle of the file.
fn editor(folder: &Path, path: &Path) {
    let start = Instant::now();
    let mut client = Client::open_workspace(Some(folder), with_encoding(pulling(), "utf-16"));
    let source = uri(path);
    let mut shown = |what: &str, address: &str, start: Instant| -> Value {
        let made = client.request("mangle/virtualDocument", json!({ "uri": address })).unwrap();
        let time = start.elapsed();
        assert!(made["text"].as_str().unwrap().contains("── turn "), "{what}");
        row(what, time, high_water(client.process()).unwrap_or(0.0));
        made
    };
    let first = shown("editor: start and first turns", &format!("mangle-conversation:/1?of={source}"), start);
    let after = first["window"]["after"].as_str().unwrap();
    let second = shown("editor: the turns after them", after, Instant::now());
    let before = second["window"]["before"].as_str().unwrap();
    shown("editor: back again", before, Instant::now());
    let middle = format!("mangle-conversation:/100000?of={source}");
    let there = shown("editor: record 100,000, found by reading", &middle, Instant::now());
    let after = there["window"]["after"].as_str().unwrap();
    shown("editor: the turns after those", after, Instant::now());
}

fn row(what: &str, time: Duration, peak: f64) {
    println!("{what:<44} {:>8.0} ms {peak:>8.1} MB", time.as_secs_f64() * 1e3);
}

/// Writes the file, and tells its length.
fn write(path: &Path) -> usize {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let (mut random, mut number) = (Random(7), 0);
    let piece = chat::lines(PIECE, &mut number, &mut random, true);
    let mut written = 0;
    while written < BYTES {
        file.write_all(piece.as_bytes()).unwrap();
        written += piece.len();
    }
    file.flush().unwrap();
    written
}
