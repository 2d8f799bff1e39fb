//! The language server: the LSP layer on top of `host` and `ide`.
//!
//! Input is JSON-RPC from a client; output is responses, diagnostics and code actions. All
//! analysis is in other modules.
//!
//! Path of a message:
//!
//! 1. `frame` splits the input into messages.
//! 2. `transport` parses them and starts handlers.
//! 3. `server` has one handler per method, which sends a `message` and waits for the reply.
//! 4. `writer` is one thread that owns the workspace and processes messages in order.
//! 5. `pool` computes the response from a `view`, an immutable snapshot.
//! 6. The response returns through the handler, or bypasses it as raw JSON.

mod actions;
mod body;
mod capabilities;
mod client;
#[cfg(not(target_family = "wasm"))]
mod client_process;
mod connection;
mod features;
mod frame;
mod from_proto;
mod message;
#[cfg(test)]
mod methods_tests;
mod pool;
mod pull;
mod report;
mod server;
mod session;
mod source_name;
mod status;
mod to_proto;
mod transport;
mod view;
mod virtual_documents;
mod writer;

use std::io::{BufRead, BufReader, Write};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;

use self::connection::Connection;
use self::message::Message;
use self::pool::{Pool, log_panics};
use self::transport::ConnectionEnd;

pub use connection::{NextStep, SingleThreadServer};

/// The time to write the last messages after the connection has ended.
const FAREWELL: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    /// The client sent `shutdown` and `exit`.
    Orderly,
    /// The client disconnected without `shutdown`.
    Abruptly,
}

/// Serves a client on standard input and output until it disconnects.
///
/// # Errors
///
/// If the system creates no threads.
pub fn serve() -> anyhow::Result<SessionEnd> {
    log_panics();
    serve_on(BufReader::new(std::io::stdin()), std::io::stdout())
}

/// Serves a client on any two streams. Running computations are canceled when the client
/// disconnects, and end soon afterwards.
///
/// # Errors
///
/// If the system creates no threads.
pub fn serve_on(
    input: impl BufRead + Send + 'static,
    mut out: impl Write + Send + 'static,
) -> anyhow::Result<SessionEnd> {
    let Connection { runtime, handlers, inbound, outgoing, writer, address } =
        Connection::new(Pool::new()?, Pool::single("evaluator")?)?;
    let output = handlers.output.clone();
    let (written, farewell) = mpsc::channel();

    spawn("input", move || transport::read_input(input, &inbound))?;
    spawn("output", move || {
        if let Err(error) = transport::write_output(&mut out, &outgoing) {
            tracing::error!(%error, "the output cannot be written");
        }
        let _ = out.flush();
        let _ = written.send(());
    })?;
    spawn("writer", move || writer.run())?;

    let end = runtime.block_on(handlers.serve());
    // The writer holds a sender of its own channel, so the channel never closes.
    let _ = address.send(Message::Leave);
    output.close();
    let _ = farewell.recv_timeout(FAREWELL);
    Ok(match end {
        ConnectionEnd::Orderly => SessionEnd::Orderly,
        ConnectionEnd::Abrupt => SessionEnd::Abruptly,
    })
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    let thread = thread::Builder::new().name(name.into()).spawn(body);
    thread.map(drop).with_context(|| format!("cannot start the {name} thread"))
}
