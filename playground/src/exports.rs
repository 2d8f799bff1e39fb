//! The functions that a page calls.
#![allow(unsafe_code, reason = "an export needs the name that the page calls; there is no unsafe block")]

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::Write as _;
use std::path::PathBuf;

use agent_prompt::vocabulary;
use mangle_ls::cli::capture_in;
use mangle_ls::lsp::{NextStep, SingleThreadServer};
use serde::{Deserialize, Serialize};

use crate::exchange;

/// What `server_step` gives when nothing is left to do until the next message.
const IDLE: i32 = -1;

thread_local! {
    static IS_PREPARED: Cell<bool> = const { Cell::new(false) };
    static SERVER: RefCell<Option<SingleThreadServer>> = const { RefCell::new(None) };
    static MESSAGES: RefCell<VecDeque<Vec<u8>>> = const { RefCell::new(VecDeque::new()) };
}

/// A command line, without the name of the program, and the folder that its paths count from.
#[derive(Deserialize)]
struct Request {
    working: PathBuf,
    arguments: Vec<String>,
}

/// What a command wrote.
#[derive(Serialize)]
struct Answer {
    status: u8,
    output: String,
    errors: String,
}

/// Makes room for an input, and gives where it is to be written. Each call of a page begins with it.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    if !IS_PREPARED.replace(true) {
        name_panics();
    }
    exchange::reserve(length)
}

/// Where the output of the last call is.
#[unsafe(no_mangle)]
pub extern "C" fn output_pointer() -> *const u8 {
    exchange::pointer()
}

/// How many bytes the output of the last call has.
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> usize {
    exchange::length()
}

/// Runs the command that the input names, as `{"working": "/w", "arguments": ["check"]}`. The output is
/// `{"status": 0, "output": "", "errors": ""}`.
#[unsafe(no_mangle)]
pub extern "C" fn run_command() {
    let answer = match serde_json::from_slice::<Request>(&exchange::input()) {
        Ok(request) => {
            let written = capture_in(request.working, &request.arguments);
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            Answer { status: written.status, output: text(written.output), errors: text(written.errors) }
        }
        Err(error) => Answer { status: 2, output: String::new(), errors: error.to_string() },
    };
    exchange::put(serde_json::to_vec(&answer).unwrap_or_default());
}

/// Takes a vocabulary, the input: its name (`cl100k` or `o200k`) and a line break, then the lines of it. Gives whether it is one.
#[unsafe(no_mangle)]
pub extern "C" fn provide_vocabulary() -> i32 {
    let input = String::from_utf8(exchange::input()).unwrap_or_default();
    let vocabulary = match input.split_once('\n') {
        Some(("cl100k", lines)) => vocabulary::CL100K.provide(lines),
        Some(("o200k", lines)) => vocabulary::O200K.provide(lines),
        _ => false,
    };
    i32::from(vocabulary)
}

/// Passes a message, the input, to the server, which is started by the first one. Gives 0, or 1 when it cannot be started: then the
/// output says why.
#[unsafe(no_mangle)]
pub extern "C" fn server_send() -> i32 {
    let message = exchange::input();
    SERVER.with_borrow_mut(|server| {
        if server.is_none() {
            match SingleThreadServer::new() {
                Ok(started) => *server = Some(started),
                Err(error) => {
                    exchange::put(format!("{error:#}").into_bytes());
                    return 1;
                }
            }
        }
        if let Some(server) = server {
            server.send(&message);
        }
        0
    })
}

/// Lets the server do one thing. Gives after how many milliseconds it is to be called again, -1 for not before the next message.
#[unsafe(no_mangle)]
pub extern "C" fn server_step() -> i32 {
    SERVER.with_borrow_mut(|server| {
        let Some(server) = server else { return IDLE };
        let next = server.step();
        MESSAGES.with_borrow_mut(|messages| messages.extend(server.messages()));
        match next {
            NextStep::Now => 0,
            NextStep::After(pause) => i32::try_from(pause.as_millis()).unwrap_or(i32::MAX).max(1),
            NextStep::Idle => IDLE,
        }
    })
}

/// Makes the next message of the server the output. Gives 0 when there is none.
#[unsafe(no_mangle)]
pub extern "C" fn server_next() -> i32 {
    let Some(message) = MESSAGES.with_borrow_mut(VecDeque::pop_front) else { return 0 };
    exchange::put(message);
    1
}

/// Has a panic, which ends the module, say where it was on standard error. Its message may quote a file.
fn name_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        let _ = writeln!(std::io::stderr(), "internal error at {place}");
    }));
}
