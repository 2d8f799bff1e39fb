//! Hostile transcripts: what each costs at a size and at twice that size. `cargo bench --bench traps -- [NAME…]`.
//!
//! Runs the program itself on files that it writes, and prints the seconds of its processor and its memory for both
//! sizes. A command is linear where neither grows by more than the file does; where one of them does, that is said,
//! and the status is 1. `--write=DIR` leaves the files there and runs nothing.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod files;
#[path = "../../tests/all/support/mod.rs"]
mod support;
mod traps;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use traps::{TRAPS, Trap};

/// What is run on each file.
const COMMANDS: [&[&str]; 3] = [
    &["check", "--format", "json", "--fail-on", "never"],
    &["transcript", "parse", "--format", "json"],
    &["transcript", "stats"],
];

/// By how much more than the file time and memory may grow: noise, and tables that grow by leaps.
const SLACK: f64 = 1.4;

/// Below what nothing is said, in seconds and in megabytes.
const NOTHING: (f64, f64) = (0.3, 48.0);

/// How many seconds a run may take.
const PATIENCE: f64 = 60.0;

/// What a run took: seconds of the processor, and the most memory that it had.
#[derive(Default)]
struct Cost {
    seconds: f64,
    megabytes: f64,
}

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let is_wanted = |trap: &&Trap| wanted.is_empty() || wanted.iter().any(|name| trap.name.contains(&**name));
    if let Some(folder) = std::env::args().find_map(|arg| Some(arg.strip_prefix("--write=")?.to_owned())) {
        for trap in TRAPS.iter().filter(is_wanted) {
            let folder = Path::new(&folder).join(trap.name);
            std::fs::create_dir_all(&folder).unwrap();
            println!("{:<28} {:>10} bytes", trap.name, files::write(&folder, trap, trap.size));
        }
        return ExitCode::SUCCESS;
    }
    println!(
        "{:<28} {:<6} {:>7} {:>8} {:>8} {:>6} {:>8} {:>8} {:>6}",
        "trap", "", "MB", "s", "s of 2n", "ratio", "MB peak", "of 2n", "ratio"
    );
    let mut is_linear = true;
    for trap in TRAPS.iter().filter(is_wanted) {
        for command in COMMANDS {
            is_linear &= row(trap, command);
        }
    }
    if is_linear { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Measures a command on a trap of both sizes; says whether it is linear.
fn row(trap: &Trap, command: &[&str]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let mut costs = [trap.size, 2 * trap.size].map(|size| {
        let len = files::write(folder.path(), trap, size);
        (len, run(folder.path(), trap.file, command))
    });
    let [(len, one), (twice, two)] = &mut costs;
    #[expect(clippy::cast_precision_loss, reason = "it is shown")]
    let (megabytes, growth) = (*len as f64 / 1e6, *twice as f64 / *len as f64);
    let (slower, larger) = (two.seconds / one.seconds.max(1e-3), two.megabytes / one.megabytes);
    let is_linear = (two.seconds < NOTHING.0 || slower <= growth * SLACK)
        && (two.megabytes < NOTHING.1 || larger <= growth * SLACK);
    println!(
        "{:<28} {:<6} {megabytes:>7.1} {:>8.2} {:>8.2} {slower:>6.2} {:>8.1} {:>8.1} {larger:>6.2}{}",
        trap.name,
        command[0],
        one.seconds,
        two.seconds,
        one.megabytes,
        two.megabytes,
        if is_linear { "" } else { "  NOT LINEAR" }
    );
    is_linear
}

fn run(folder: &Path, file: &str, command: &[&str]) -> Cost {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(command)
        .arg(file)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut cost = Cost::default();
    let status = loop {
        cost.megabytes = cost.megabytes.max(support::high_water(child.id()).unwrap_or(0.0));
        cost.seconds = cost.seconds.max(support::seconds(child.id()).unwrap_or(0.0));
        if cost.seconds > PATIENCE {
            child.kill().unwrap();
        }
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        thread::sleep(Duration::from_millis(2));
    };
    let is_sound = cost.seconds > PATIENCE || status.code().is_some_and(|code| code <= 2);
    assert!(is_sound, "{command:?} of {file}: {status}");
    cost
}
