//! Tests of the writer with sequences of messages.

#![allow(clippy::unwrap_used)]

use std::sync::mpsc;

use tower_lsp::LspService;

use super::state::{DiagnosticsRun, DiskLooks};
use super::*;
use crate::lsp::client::Outbox;
use crate::lsp::message::{
    Basis, DiagnosticsResult, EvaluationDigest, EvaluationResult, PendingRequest, Prerequisite,
};
use crate::lsp::pool::Pool;
use crate::lsp::report::PushScope;
use crate::lsp::server::Server;
use crate::lsp::transport::Output;
use mangle_syntax::text::Cancel;

fn writer() -> Writer {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (address, inbox) = mpsc::channel();
    let mut client = None;
    let _ = LspService::new(|handle| {
        client = Some(handle);
        Server::new(address.clone(), tokio::sync::mpsc::unbounded_channel().0)
    });
    let outbox = Outbox::new(client.unwrap(), Output::new().0, runtime.handle().clone());
    Writer::new(inbox, address, outbox, Pool::new().unwrap(), Pool::single("evaluator").unwrap())
}

/// Returns a writer that has scanned a folder with these files.
fn scanned(files: &[&str]) -> (tempfile::TempDir, Writer) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for file in files {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "Decl p(X).\n").unwrap();
    }
    let mut writer = writer();
    writer.session = Some(Arc::new(ClientSession::new(&tower_lsp::ls_types::InitializeParams::default())));
    writer.workspace.set_folders(vec![root]);
    let scan = writer.workspace.next_scan().unwrap();
    writer.workspace.scanned(scan.run(|_, _| {}));
    (folder, writer)
}

fn question() -> (PendingRequest, Cancel) {
    let cancel = Cancel::new();
    let needs = Prerequisite::Diagnostics("/a.mg".into());
    let span = tracing::Span::none();
    (PendingRequest { needs, cancel: cancel.clone(), span, answer: Box::new(|_| {}) }, cancel)
}

fn running(cancel: &Cancel, audience: Option<PushScope>) -> DiagnosticsRun {
    let basis = Basis { revision: 0, additions: 0 };
    DiagnosticsRun { number: 0, cancel: cancel.clone(), basis, audience, current: Arc::default() }
}

#[test]
fn what_a_request_needs_does_not_wait_for_what_was_cancelled() {
    let (folder, mut writer) = scanned(&["one/schemas.gl", "other/schemas.gl"]);
    let root = folder.path().canonicalize().unwrap();
    let (one, other) = (root.join("one/schemas.gl"), root.join("other/schemas.gl"));
    let view = writer.view().unwrap();
    let program = |path: &std::path::Path| {
        let id = view.snapshot.file_at(path).unwrap().id;
        Arc::clone(view.snapshot.programs_of(id).next().unwrap())
    };
    let ask = || PendingRequest {
        needs: Prerequisite::Diagnostics(one.clone()),
        cancel: Cancel::new(),
        span: tracing::Span::none(),
        answer: Box::new(|_| {}),
    };
    let cancelled = Cancel::new();
    cancelled.cancel();
    for (at, starts) in [(program(&one), false), (program(&other), true)] {
        writer.running = Some(running(&cancelled, None));
        *writer.running.as_ref().unwrap().current.lock() = Some(at);
        writer.questions = vec![ask()];
        writer.diagnose();
        assert_eq!(writer.stopping.is_some(), starts);
        assert_eq!(writer.running.as_ref().unwrap().number > 0, starts);
    }
    // No third computation runs, and no unrequested work runs in addition to the two.
    writer.running.as_ref().unwrap().cancel.cancel();
    let number = writer.running.as_ref().unwrap().number;
    writer.diagnose();
    assert_eq!(writer.running.as_ref().unwrap().number, number);
    writer.take(Message::Diagnosed(DiagnosticsResult { number: 0, revision: 0, result: Ok(false) }));
    assert!(writer.stopping.is_none() && writer.running.is_some());
}

#[test]
fn work_stops_when_the_last_one_who_waits_for_it_leaves() {
    let mut writer = writer();
    let work = Cancel::new();
    writer.running = Some(running(&work, None));
    let ((first, leaves), (second, leaves_too)) = (question(), question());
    writer.questions.extend([first, second]);
    leaves.cancel();
    writer.take(Message::Cancelled);
    assert!(!work.is_cancelled());
    leaves_too.cancel();
    writer.take(Message::Cancelled);
    assert!(work.is_cancelled());
}

#[test]
fn work_for_the_public_goes_on() {
    let mut writer = writer();
    let work = Cancel::new();
    writer.running = Some(running(&work, Some(PushScope::All)));
    let (asked, leaves) = question();
    writer.questions.push(asked);
    leaves.cancel();
    writer.take(Message::Cancelled);
    assert!(writer.questions.is_empty() && !work.is_cancelled());
}

#[test]
fn a_turn_that_panics_is_survived() {
    let mut writer = writer();
    writer.timed("test", |_| panic!("on purpose"));
    writer.take(Message::Reconfigure(Value::Null));
    assert!(writer.workspace.next_scan().is_some());
}

#[test]
fn what_an_evaluation_adds_while_diagnostics_are_pushed_is_pushed_afterwards() {
    let (_folder, mut writer) = scanned(&["schemas.gl"]);
    let (basis, revision) = (writer.basis(), writer.workspace.revision());
    let pushing = DiagnosticsRun { basis, ..running(&Cancel::new(), Some(PushScope::All)) };
    let pushed = DiagnosticsResult { number: pushing.number, revision, result: Ok(true) };
    writer.running = Some(pushing);
    let figures = EvaluationDigest { digest: 1, diagnostics: true };
    writer.take(Message::Evaluated(EvaluationResult { revision, began: true, result: Ok(Some(figures)) }));
    writer.take(Message::Diagnosed(pushed));
    writer.ready = true;
    writer.diagnose();
    assert!(writer.running.is_some_and(|running| running.audience == Some(PushScope::All)));
}

#[test]
fn what_a_stopped_evaluation_added_is_shown() {
    for began in [true, false] {
        let (_folder, mut writer) = scanned(&["schemas.gl"]);
        // The only evaluation to do is the canceled one, which may have added findings.
        let view = writer.view().unwrap();
        view.snapshot.programs.iter().for_each(|program| program.evaluate(&Cancel::new()));
        let revision = writer.workspace.revision() - 1;
        writer.take(Message::Evaluated(EvaluationResult { revision, began, result: Ok(None) }));
        writer.needs_evaluation = true;
        writer.evaluate();
        assert_eq!(writer.evaluating.is_some(), began);
    }
}

/// Processes messages until a pass and its scan have finished.
fn finish_look(writer: &mut Writer) {
    while writer.disk_looks.is_running() || writer.workspace.is_scanning() {
        writer.scan();
        let message = writer.inbox.recv().unwrap();
        writer.take(message);
    }
}

#[test]
fn an_idle_server_polls_for_clients_that_do_not_watch() {
    let (folder, mut writer) = scanned(&["schemas.gl"]);
    writer.ready = true;
    assert!(writer.may_poll());
    let (asked, _) = question();
    writer.questions.push(asked);
    assert!(!writer.may_poll(), "somebody waits for an answer");
    writer.questions.clear();
    let answering = writer.disk_looks.answer();
    writer.poll();
    assert!(!writer.disk_looks.is_running(), "an answer is being computed");
    drop(answering);
    std::fs::write(folder.path().join("new.mg"), "Decl q(X).\n").unwrap();
    writer.poll();
    assert!(!writer.may_poll(), "one look at a time");
    finish_look(&mut writer);
    let view = writer.view().unwrap();
    let path = folder.path().canonicalize().unwrap().join("new.mg");
    assert!(view.snapshot.file_at(&path).is_some());
}

#[test]
fn a_request_stops_a_poll_and_not_a_look_after_a_save() {
    let (_folder, mut writer) = scanned(&["schemas.gl"]);
    for (is_poll, stops) in [(true, true), (false, false)] {
        let cancel = Cancel::new();
        writer.disk_looks.run(cancel.clone(), is_poll);
        let (asked, _) = question();
        writer.take(Message::Request(asked));
        assert_eq!(cancel.is_cancelled(), stops);
    }
}

#[test]
fn clients_that_watch_are_not_polled_for() {
    let (_folder, mut writer) = scanned(&["schemas.gl"]);
    let watching = serde_json::json!({ "capabilities": { "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } } });
    writer.session = Some(Arc::new(ClientSession::new(&serde_json::from_value(watching).unwrap())));
    writer.ready = true;
    assert!(!writer.may_poll());
    // A save also starts a pass, because watchers miss changes.
    writer.take(Message::LookAtDisk);
    writer.look_at_disk();
    assert!(writer.disk_looks.is_running());
}

#[test]
fn a_poll_takes_one_percent_of_a_core_at_most() {
    let mut looks = DiskLooks::default();
    for (cost, pause) in [(0, 1_000), (1, 1_000), (50, 4_950), (2_000, 198_000)] {
        looks.set_cost(Duration::from_millis(cost));
        assert_eq!(looks.pause(), Duration::from_millis(pause));
    }
}
