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
use crate::support::Random;

/// How much is written and read, in bytes.
const BYTES: usize = 1 << 30;

/// How much is made at once.
const PIECE: usize = 16 << 20;

/// Runs the program on a gigabyte, and tells its speed and the most memory that it had.
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
    let mut peak = 0.0f64;
    let status = loop {
        peak = peak.max(high_water(child.id()).unwrap_or(0.0));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        thread::sleep(Duration::from_millis(20));
    };
    let seconds = start.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "it is shown")]
    let speed = bytes as f64 / seconds / 1e6;
    println!("`mangle-ls check`, {bytes} bytes: {seconds:.1} s, {speed:.0} MB/s, {status}");
    println!("{:<40} {peak:>8.1} MB", "memory, peak (budget 64)");
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

/// The most memory that a process had so far, in megabytes.
fn high_water(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
