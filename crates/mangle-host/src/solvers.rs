//! The external solvers that decide properties: `z3` and `cvc5`, found on the search path and run
//! as processes.
//!
//! No setting can name a program. A folder of the path is used only if it is absolute, and outside
//! the working folder and the folders of a confined process. Otherwise, anyone with write access
//! to them could place a program there.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};

use super::{disk, real};
use mangle_settings::SolverChoice;
use mangle_syntax::text::Cancel;
use mangle_verify::{Solver, SolverError, Solvers};

/// The maximum length of a solver's output, in bytes.
const MAX_OUTPUT_BYTES: u64 = 4_000_000;

/// The memory limit of a solver, in megabytes.
const MAX_MEGABYTES: u32 = 900;

/// The polling interval of a running solver.
const POLL: Duration = Duration::from_millis(5);

/// A solver and its arguments.
struct KnownSolver {
    name: &'static str,
    choice: SolverChoice,
}

/// In order of preference.
const KNOWN: [KnownSolver; 2] = [
    KnownSolver { name: "cvc5", choice: SolverChoice::Cvc5 },
    KnownSolver { name: "z3", choice: SolverChoice::Z3 },
];

/// Returns the selected solvers that are on the search path.
#[must_use]
pub fn solvers(choice: SolverChoice) -> Solvers {
    static FOUND: OnceLock<Vec<(SolverChoice, Arc<dyn Solver>)>> = OnceLock::new();
    if choice == SolverChoice::None || cfg!(target_family = "wasm") {
        return Solvers::default();
    }
    let found = FOUND.get_or_init(find);
    let wanted = found.iter().filter(|(of, _)| choice == SolverChoice::Auto || choice == *of);
    Solvers::new(wanted.map(|(_, solver)| Arc::clone(solver)).collect())
}

fn find() -> Vec<(SolverChoice, Arc<dyn Solver>)> {
    // Tests must have the same results on all machines.
    if cfg!(debug_assertions) && std::env::var_os("MANGLE_LS_TEST_WITHOUT_SOLVERS").is_some() {
        return Vec::new();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let working = std::env::current_dir().ok();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found = KNOWN.iter().filter_map(|known| {
        let program = program(known.name, &folders, working.as_deref())?;
        let solver: Arc<dyn Solver> = Arc::new(SolverProcess { name: known.name, program });
        Some((known.choice, solver))
    });
    found.collect()
}

/// Returns the first program with a name in the trusted folders.
fn program(name: &str, folders: &[PathBuf], working: Option<&Path>) -> Option<PathBuf> {
    let working = working.map(real);
    let is_trusted = |folder: &&PathBuf| {
        let place = real(folder);
        let is_working =
            working.as_ref().is_some_and(|working| place.starts_with(working) && working.parent().is_some());
        folder.is_absolute() && !is_working && !disk::is_confined_to(&place)
    };
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    folders.iter().filter(is_trusted).map(|folder| folder.join(&file)).find(|path| path.is_file())
}

/// A solver that is run as a process.
#[derive(Debug)]
struct SolverProcess {
    name: &'static str,
    program: PathBuf,
}

/// A process that is killed when this value is dropped.
struct KilledAtEnd(Child);

impl Drop for KilledAtEnd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl SolverProcess {
    fn arguments(&self, limit: Duration) -> Vec<String> {
        let millis = limit.as_millis().max(1);
        match self.name {
            "z3" => {
                vec!["-in".into(), "-smt2".into(), format!("-memory:{MAX_MEGABYTES}"), format!("-t:{millis}")]
            }
            _ => vec!["--lang=smt2".into(), "--strings-exp".into(), format!("--tlimit={millis}"), "-".into()],
        }
    }
}

impl Solver for SolverProcess {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, script: &str, limit: Duration, cancel: &Cancel) -> Result<String, SolverError> {
        let failed = |error: std::io::Error| SolverError::Failed(format!("cannot be run: {error}"));
        let end = Instant::now() + limit;
        let mut command = Command::new(&self.program);
        command.args(self.arguments(limit)).current_dir(std::env::temp_dir());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = KilledAtEnd(command.spawn().map_err(failed)?);
        let (input, output) = (process.0.stdin.take(), process.0.stdout.take());
        let (Some(mut input), Some(output)) = (input, output) else {
            return Err(SolverError::Failed("has no standard streams".to_owned()));
        };
        let script = script.to_owned();
        let (sender, receiver) = mpsc::channel();
        // Both threads end when the process ends.
        let writes = std::thread::Builder::new().spawn(move || {
            let _ = input.write_all(script.as_bytes());
        });
        let reads = std::thread::Builder::new().spawn(move || {
            let mut bytes = Vec::new();
            let _ = output.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
            let _ = sender.send(bytes);
        });
        writes.and(reads).map_err(failed)?;
        loop {
            match receiver.recv_timeout(POLL) {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    if text.trim().is_empty() {
                        return Err(if Instant::now() >= end {
                            SolverError::Time
                        } else {
                            SolverError::Failed("ended without an answer".to_owned())
                        });
                    }
                    return Ok(text);
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(SolverError::Failed("ended without an answer".to_owned()));
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
            if cancel.is_cancelled() {
                return Err(SolverError::Cancelled);
            }
            if Instant::now() >= end {
                return Err(SolverError::Time);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[cfg(unix)]
    fn folder_with(name: &str) -> tempfile::TempDir {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, "#!/bin/sh\ncat > /dev/null\necho sat\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    #[cfg(unix)]
    #[test]
    fn programs_in_the_working_folder_and_relative_folders_do_not_count() {
        let (own, other) = (folder_with("z3"), folder_with("z3"));
        let folders = [PathBuf::from("bin"), own.path().to_path_buf(), other.path().to_path_buf()];
        assert_eq!(program("z3", &folders, Some(own.path())), Some(other.path().join("z3")));
        assert_eq!(program("cvc5", &folders, None), None);
    }

    #[cfg(unix)]
    #[test]
    fn an_answer_is_returned_and_a_silent_process_is_killed() {
        let folder = folder_with("z3");
        let program = folder.path().join("z3");
        let solver = SolverProcess { name: "z3", program: program.clone() };
        let cancel = Cancel::new();
        assert_eq!(solver.run("(check-sat)", Duration::from_secs(20), &cancel), Ok("sat\n".to_owned()));
        std::fs::write(&program, "#!/bin/sh\nexec sleep 60\n").unwrap();
        let start = Instant::now();
        assert_eq!(solver.run("", Duration::from_millis(50), &cancel), Err(SolverError::Time));
        cancel.cancel();
        assert_eq!(solver.run("", Duration::from_secs(60), &cancel), Err(SolverError::Cancelled));
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
