//! Commands where the system gives no threads, as in a container with a limit on processes.

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use super::support::{BAD, folder, run};

/// A user without processes, so that one process is all that the limit allows.
const NOBODY: &str = "65534";

/// Runs the program with a limit of one process. `None` if this system offers no way to do that.
fn run_alone(folder: &std::path::Path, arguments: &[&str]) -> Option<Output> {
    let is_root = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) == 0;
    // The limit does not hold for root.
    let user: &[&str] =
        if is_root { &["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"] } else { &[] };
    let program = env!("CARGO_BIN_EXE_mangle-ls");
    let mut words =
        user.iter().copied().chain(["prlimit", "--nproc=1:1", program]).chain(arguments.iter().copied());
    let mut command = Command::new(words.next()?);
    command.args(words).current_dir(folder).env("HOME", "/nonexistent");
    // No such program, or it may not be run by that user.
    let output = command.output().ok()?;
    let is_refused =
        matches!(output.status.code(), Some(126 | 127)) || output.stderr.starts_with(b"setpriv:");
    (!is_refused).then_some(output)
}

#[test]
fn commands_compute_on_one_thread_if_there_are_no_others() {
    let text = "a long answer ".repeat(5_000);
    let reply = format!(
        "{{\"control_packet\": {{\"mangle_updates\": [\"q(1).\"]}}, \"surface_response\": \"{text}\"}}\n"
    );
    // Longer than what one thread reads alone, and with few records, since each costs time.
    let long = reply.repeat((3 << 20) / reply.len());
    let at = folder(&[
        ("a.mg", BAD),
        ("t/a.jsonl", &long),
        ("a_test.mg", "# @test case: one\n# @expect q(1)\np(1).\n"),
    ]);
    std::fs::set_permissions(at.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let commands: [&[&str]; 6] = [
        &["check"],
        &["check", "t/a.jsonl"],
        &["format", "--check"],
        &["test"],
        &["transcript", "stats", "t/a.jsonl"],
        &["replay", "t/a.jsonl", "--format", "json"],
    ];
    for arguments in commands {
        let Some(alone) = run_alone(at.path(), arguments) else {
            println!("skipped: no user without processes");
            return;
        };
        let usual = run(at.path(), arguments);
        let said = String::from_utf8_lossy(&alone.stderr).into_owned();
        assert_eq!(alone.status.code(), usual.status.code(), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
        assert_eq!(alone.stdout.len(), usual.stdout.len(), "{arguments:?}");
    }
    for server in ["lsp", "mcp"] {
        let Some(output) = run_alone(at.path(), &[server]) else { return };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("cannot start threads"), "{said}");
    }
}
