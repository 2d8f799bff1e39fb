//! `mangle-ls check` over a folder of copies: how long it takes, how many cores it keeps busy, and its memory.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Figures;
use crate::copies::Copies;
use crate::support::{high_water, seconds};

/// How often the process is looked at.
const STEP: Duration = Duration::from_millis(5);

pub(crate) fn measure(program: &Path, copies: &Copies) -> Figures {
    let (wall, processor, memory) = check(program, copies);
    vec![
        ("check", "ms", wall * 1e3),
        ("cores that check keeps busy", "", processor / wall),
        ("memory of check", "MB", memory),
    ]
}

/// Seconds on the clock, seconds of the processor, megabytes.
fn check(program: &Path, copies: &Copies) -> (f64, f64, f64) {
    let output = tempfile::NamedTempFile::new().unwrap();
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(["check", "--format", "json"])
        .arg(copies.path())
        .stdout(output.reopen().unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut processor, mut memory) = (f64::NAN, f64::NAN);
    let wall = loop {
        processor = seconds(child.id()).filter(|seconds| *seconds > 0.0).unwrap_or(processor);
        memory = high_water(child.id()).unwrap_or(memory);
        if child.try_wait().unwrap().is_some() {
            break start.elapsed().as_secs_f64();
        }
        std::thread::sleep(STEP);
    };
    let report = std::fs::read_to_string(output.path()).unwrap();
    let summary: Value = serde_json::from_str(report.lines().last().unwrap()).unwrap();
    assert_eq!(summary["summary"]["files"], copies.files, "{summary}");
    (wall, processor, memory)
}
