//! A solver on the path for tests. Tests are skipped if it is missing.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mangle_syntax::text::Cancel;

use crate::{Solver, SolverError, Solvers};

#[derive(Debug)]
struct Process(&'static str);

impl Solver for Process {
    fn name(&self) -> &'static str {
        self.0
    }

    fn run(&self, script: &str, limit: Duration, _: &Cancel) -> Result<String, SolverError> {
        let millis = limit.as_millis().max(1);
        let args = match self.0 {
            "z3" => vec!["-in".to_owned(), "-smt2".to_owned(), format!("-t:{millis}")],
            _ => vec![
                "--lang=smt2".to_owned(),
                "--strings-exp".to_owned(),
                format!("--tlimit={millis}"),
                "-".to_owned(),
            ],
        };
        let start = Instant::now();
        let failed = |error: std::io::Error| SolverError::Failed(error.to_string());
        let mut child = Command::new(self.0)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let mut input = child.stdin.take().ok_or(SolverError::Time)?;
        let text = script.to_owned();
        let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
        let mut stdout = child.stdout.take().ok_or(SolverError::Time)?;
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stdout.read_to_end(&mut bytes);
            bytes
        });
        while child.try_wait().map_err(failed)?.is_none() {
            if start.elapsed() >= limit {
                let _ = child.kill();
                let _ = child.wait();
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = writer.join();
        let output = String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned();
        if output.trim().is_empty() || start.elapsed() >= limit && !output.contains("sat") {
            return Err(SolverError::Time);
        }
        Ok(output)
    }
}

/// Returns the solver with a name if it is on the path.
pub(super) fn solver(name: &'static str) -> Option<Solvers> {
    process(name).map(|solver| Solvers::new(vec![solver]))
}

pub(super) fn process(name: &'static str) -> Option<Arc<dyn Solver>> {
    let found = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success()).then(|| -> Arc<dyn Solver> { Arc::new(Process(name)) })
}
