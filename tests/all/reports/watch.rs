//! `--watch`, with a real process.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::support::{BAD, GOOD, command, folder, write};

/// Long enough for the slowest machine; a test that passes never waits so long.
const PATIENCE: Duration = Duration::from_secs(60);

struct Watching {
    child: Child,
    out: Receiver<String>,
    complaints: Receiver<String>,
}

impl Watching {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::running(folder, &[&["check", "--watch", "--format", "json"], arguments].concat())
    }

    fn running(folder: &Path, arguments: &[&str]) -> Self {
        let mut child =
            command(folder, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, complaints) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        Self { child, out, complaints }
    }

    /// Waits for a finding or a summary that holds `text`.
    #[track_caller]
    fn expect(&self, text: &str) {
        expect_line(&self.out, text);
    }

    /// Waits for the end of a check with so many errors.
    #[track_caller]
    fn expect_errors(&self, count: usize) {
        expect_line(&self.out, &format!("\"errors\":{count},"));
    }

    /// Waits for a line on standard error that holds `text`.
    #[track_caller]
    fn expect_complaint(&self, text: &str) {
        expect_line(&self.complaints, text);
    }

    /// Ctrl-C. Gives the exit status.
    fn interrupt(mut self) -> Option<i32> {
        let killed = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        self.child.wait().unwrap().code()
    }
}

/// The lines of a stream, read aside.
fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    lines
}

/// Waits for a line that holds `text`.
#[track_caller]
fn expect_line(lines: &Receiver<String>, text: &str) {
    let mut seen = Vec::new();
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) if line.contains(text) => return,
            Ok(line) => seen.push(line),
            Err(_) => panic!("no `{text}` in {seen:#?}"),
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn edits_are_noticed_until_the_end() {
    let folder = folder(&[("a.mg", GOOD), ("sub/b.mg", BAD)]);
    let root = folder.path();
    let watching = Watching::start(root, &[]);
    watching.expect_errors(1);
    write(root, "sub/b.mg", GOOD);
    watching.expect("\"rule\":\"duplicate-decl\"");
    write(root, "sub/b.mg", "");
    watching.expect_errors(0);
    write(root, "new/deep/c.mg", BAD);
    watching.expect_errors(1);
    write(root, "new/deep/c.mg", "");
    watching.expect_errors(0);
    assert_eq!(watching.interrupt(), Some(0));
}

#[test]
fn the_exit_status_is_that_of_the_last_check() {
    let folder = folder(&[("a.mg", GOOD), ("b.mg", BAD)]);
    let watching = Watching::start(folder.path(), &[]);
    watching.expect_errors(1);
    assert_eq!(watching.interrupt(), Some(1));
}

#[test]
fn editors_that_save_by_renaming() {
    let folder = folder(&[("a.mg", GOOD), ("b.mg", BAD)]);
    let root = folder.path();
    let watching = Watching::start(root, &["a.mg", "b.mg"]);
    watching.expect_errors(1);
    for (text, errors) in [("", 0), (BAD, 1), ("", 0)] {
        write(root, "b.mg.tmp", text);
        std::fs::rename(root.join("b.mg.tmp"), root.join("b.mg")).unwrap();
        watching.expect_errors(errors);
    }
}

#[test]
fn folders_that_go_and_come_back() {
    let folder = folder(&[("policy/a.mg", GOOD), ("policy/sub/b.mg", BAD)]);
    let root = folder.path();
    let watching = Watching::start(root, &["policy"]);
    watching.expect_errors(1);
    std::fs::rename(root.join("policy"), root.join("away")).unwrap();
    watching.expect_complaint("policy: no such file or directory");
    write(root, "policy/a.mg", BAD);
    watching.expect("undefined-predicate");
    std::fs::remove_dir_all(root.join("policy")).unwrap();
    watching.expect_complaint("policy: no such file or directory");
    std::fs::rename(root.join("away"), root.join("policy")).unwrap();
    watching.expect_errors(1);
    write(root, "policy/sub/b.mg", "");
    watching.expect_errors(0);
    assert_eq!(watching.interrupt(), Some(0));
}

#[test]
fn settings_and_baselines_count() {
    let folder = folder(&[("a.mg", GOOD), ("b.mg", BAD)]);
    let root = folder.path();
    let watching = Watching::start(root, &["--baseline", "known/base.jsonl"]);
    watching.expect_complaint("the baseline known/base.jsonl is not there");
    write(root, "known/base.jsonl", "{\"mangle_ls_baseline\":1}\n");
    watching.expect_errors(1);
    write(root, "mangle-ls.toml", "[rules]\nundefined-predicate = 'off'\n");
    watching.expect_errors(0);
    assert_eq!(watching.interrupt(), Some(0));
}

#[test]
fn what_cannot_be_watched() {
    let folder = folder(&[("a.mg", GOOD)]);
    for arguments in [["check", "--watch", "-"], ["check", "--watch", "--format=sarif"]] {
        let output = command(folder.path(), &arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn a_query_is_asked_again_and_says_what_changed() {
    let folder = folder(&[("rules.mg", "door(/a).\nopen(D) :- door(D).\n")]);
    let watching = Watching::running(folder.path(), &["query", "open(D)", "--watch"]);
    watching.expect("open(/a)");
    watching.expect_complaint("Watching for changes");
    write(folder.path(), "rules.mg", "door(/b).\nopen(D) :- door(D).\n");
    watching.expect("open(/b)");
    watching.expect_complaint("Since the last answer:");
    watching.expect_complaint("+ open(/b)");
    watching.expect_complaint("- open(/a)");
    write(folder.path(), "rules.mg", "open(D) :- door(D).\ndoor(/z) :- open(/y).\n");
    watching.expect_complaint("no fact matches `open(D)`");
    assert_eq!(watching.interrupt(), Some(1));
}
