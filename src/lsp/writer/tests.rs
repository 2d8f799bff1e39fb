//! The writer from message to message.

#![allow(clippy::unwrap_used)]

use std::sync::mpsc;

use tower_lsp::LspService;

use super::answering::Running;
use super::*;
use crate::lsp::message::Needs;
use crate::lsp::push::Audience;
use crate::lsp::server::Server;
use crate::lsp::transport::Output;
use crate::text::Cancel;

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

fn question() -> (Question, Cancel) {
    let cancel = Cancel::new();
    let needs = Needs::Diagnostics("/a.mg".into());
    let span = tracing::Span::none();
    (Question { needs, cancel: cancel.clone(), span, answer: Box::new(|_| {}) }, cancel)
}

#[test]
fn work_stops_when_the_last_one_who_waits_for_it_leaves() {
    let mut writer = writer();
    let work = Cancel::new();
    writer.running = Some(Running { cancel: work.clone(), audience: None });
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
    writer.running = Some(Running { cancel: work.clone(), audience: Some(Audience::Listener) });
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
