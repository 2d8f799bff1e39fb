//! `check` of a file that is larger than its memory may be: one envelope a line, atoms held against codeNERD's
//! declarations.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::replies;
use crate::support::{Random, high_water, seconds};

/// How much is written and read, in bytes.
const BYTES: usize = 1 << 30;

/// How much is made at once.
const PIECE: usize = 16 << 20;

/// Runs the program on a gigabyte, and tells its speed, the most memory that it had, and how many cores it kept busy.
pub(crate) fn check(program: &[Arc<str>]) {
    let folder = tempfile::tempdir().unwrap();
    for (number, text) in program.iter().enumerate() {
        std::fs::write(folder.path().join(format!("kernel_{number:03}.mg")), text.as_bytes()).unwrap();
    }
    std::fs::write(folder.path().join("mangle-ls.toml"), "[transcripts]\nprofile = \"current\"\n").unwrap();
    std::fs::create_dir(folder.path().join("transcripts")).unwrap();
    let bytes = write(&folder.path().join("transcripts/session.jsonl"));
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["check", "--format", "json", "--fail-on", "never", "transcripts/session.jsonl"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (mut peak, mut processor) = (0.0f64, 0.0f64);
    let status = loop {
        peak = peak.max(high_water(child.id()).unwrap_or(0.0));
        processor = processor.max(seconds(child.id()).unwrap_or(0.0));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        thread::sleep(Duration::from_millis(20));
    };
    let wall = start.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "it is shown")]
    let speed = bytes as f64 / wall / 1e6;
    println!("`mangle-ls check`, {bytes} bytes: {wall:.1} s, {speed:.0} MB/s, {status}");
    println!("{:<40} {peak:>8.1} MB", "memory, peak (budget 64)");
    println!("{:<40} {:>8.2}", "cores that it keeps busy", processor / wall);
}

/// Writes the file, and tells its length.
fn write(path: &Path) -> usize {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let (mut random, mut written, mut number) = (Random(7), 0, 0);
    while written < BYTES {
        let text = replies::lines(PIECE, &mut number, &mut random);
        file.write_all(text.as_bytes()).unwrap();
        written += text.len();
    }
    file.flush().unwrap();
    written
}
