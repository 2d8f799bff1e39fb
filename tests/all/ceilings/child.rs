//! The program on a hostile input, in a process that may have only so much memory and time.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::support::high_water;

/// How much address space a process may have, in kilobytes: an end for what runs away, far above every ceiling.
const ADDRESSES: u64 = 12 << 20;

/// How long a process may take before it is ended. Only a hang takes that long.
const PATIENCE: Duration = Duration::from_secs(300);

/// How much of an output is kept; the rest is counted.
const KEPT: usize = 1 << 16;

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit status; `None` when a signal ended it.
    pub(crate) status: Option<i32>,
    /// The most memory that it had, in megabytes.
    pub(crate) peak: f64,
    /// How long it took.
    pub(crate) time: Duration,
    /// How many bytes it wrote to standard output.
    pub(crate) written: usize,
    /// The beginning of standard error.
    pub(crate) complaints: String,
}

/// Runs the program in `folder`.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Run {
    let start = Instant::now();
    let mut child = limited(folder, arguments);
    let (mut output, mut errors) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let written = std::thread::spawn(move || read(&mut output).1);
    let complaints = std::thread::spawn(move || read(&mut errors).0);
    let (status, peak) = watch(&mut child, start);
    let complaints = String::from_utf8_lossy(&complaints.join().unwrap()).into_owned();
    Run { status, peak, time: start.elapsed(), written: written.join().unwrap(), complaints }
}

fn limited(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {ADDRESSES} 2>/dev/null; exec \"$0\" \"$@\"")]);
    command.arg(env!("CARGO_BIN_EXE_mangle-ls")).args(arguments).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("GIT_CEILING_DIRECTORIES", std::env::temp_dir()).spawn().unwrap()
}

/// Waits for the end; gives the status and the peak.
fn watch(child: &mut Child, start: Instant) -> (Option<i32>, f64) {
    let mut peak = 0.0_f64;
    loop {
        peak = peak.max(high_water(child.id()).unwrap_or(0.0));
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), peak);
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The beginning of a stream, and how long all of it is.
fn read(stream: &mut impl Read) -> (Vec<u8>, usize) {
    let (mut kept, mut all, mut piece) = (Vec::new(), 0, vec![0; 1 << 16]);
    while let Ok(count) = stream.read(&mut piece) {
        if count == 0 {
            break;
        }
        all += count;
        let room = KEPT.saturating_sub(kept.len());
        kept.extend_from_slice(&piece[..count.min(room)]);
    }
    (kept, all)
}
