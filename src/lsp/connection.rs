//! Components of a connection to a client (handlers, queues and writer), and the server on one thread.
//!
//! For platforms without threads, the caller passes messages, runs steps until nothing remains to do,
//! and collects messages. Handlers, writer and computations are the same as in [`super::serve_on`].

use std::pin::Pin;
use std::sync::mpsc;
use std::sync::mpsc::{Receiver, Sender};
use std::task::Poll;
use std::time::Duration;

use anyhow::Context as _;
use futures::future::poll_fn;
use tokio::sync::mpsc as channels;
use tower_lsp::{ClientSocket, LspService};

use super::client::Outbox;
use super::message::Message;
use super::pool::{JobQueue, Pool};
use super::server::Server;
use super::transport::{ConnectionEnd, Inbound, Input, Outbound, Output, QUEUE};
use super::writer::Writer;
use super::{server, transport};

/// The parts of a connection. The owner chooses their threads.
pub(super) struct Connection {
    pub(super) runtime: tokio::runtime::Runtime,
    pub(super) handlers: Handlers,
    /// Messages to the handlers.
    pub(super) inbound: channels::Sender<Inbound>,
    /// Messages to the client.
    pub(super) outgoing: Receiver<Outbound>,
    pub(super) writer: Writer,
    /// Messages to the writer.
    pub(super) address: Sender<Message>,
}

/// The protocol handlers, between their queues.
pub(super) struct Handlers {
    input: Input,
    service: LspService<Server>,
    socket: ClientSocket,
    pub(super) output: Output,
}

impl Connection {
    /// Creates a connection. `pool` computes responses, and `evaluator` runs evaluations.
    ///
    /// # Errors
    ///
    /// If the LSP framework cannot be started.
    pub(super) fn new(pool: Pool, evaluator: Pool) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .context("cannot start the connection")?;
        let (output, outgoing) = Output::new();
        let (inbound, messages) = channels::channel(QUEUE);
        let (ended, client_ended) = channels::unbounded_channel();
        let (address, inbox) = mpsc::channel();
        let mut client = None;
        let handlers = LspService::build(|handle| {
            client = Some(handle);
            Server::new(address.clone(), ended)
        });
        let (service, socket) = server::extended(handlers).finish();
        let client = client.context("the framework gave no client")?;
        let outbox = Outbox::new(client, output.clone(), runtime.handle().clone());
        let writer = Writer::new(inbox, address.clone(), outbox, pool, evaluator);
        let handlers = Handlers { input: Input { messages, client_ended }, service, socket, output };
        Ok(Self { runtime, handlers, inbound, outgoing, writer, address })
    }
}

impl Handlers {
    /// Serves until the client disconnects.
    pub(super) async fn serve(self) -> ConnectionEnd {
        let Self { input, service, socket, output } = self;
        transport::serve(input, service, socket, &output, Server::observe).await
    }
}

/// The number of times that handlers and client requests are polled in one step. A response wakes
/// a handler, which may wake another one.
const TURNS: usize = 4;

/// The time of the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// Immediately. Messages that have arrived should be sent first.
    Now,
    /// After a pause, or when a message arrives.
    After(Duration),
    /// Not before a message arrives.
    Idle,
}

/// A server that is driven by its caller.
pub struct SingleThreadServer {
    runtime: tokio::runtime::Runtime,
    /// `None` after the connection has ended.
    connection: Option<Pin<Box<dyn Future<Output = ()>>>>,
    inbound: tokio::sync::mpsc::Sender<Inbound>,
    outgoing: mpsc::Receiver<Outbound>,
    writer: Writer,
    jobs: JobQueue,
    evaluations: JobQueue,
}

impl SingleThreadServer {
    /// Creates a server that waits for `initialize`.
    ///
    /// # Errors
    ///
    /// If the LSP framework cannot be started.
    pub fn new() -> anyhow::Result<Self> {
        let (jobs, evaluations) = (JobQueue::default(), JobQueue::default());
        let pools = (Pool::Queue(jobs.clone()), Pool::Queue(evaluations.clone()));
        let Connection { runtime, handlers, inbound, outgoing, writer, .. } =
            Connection::new(pools.0, pools.1)?;
        let connection: Pin<Box<dyn Future<Output = ()>>> = Box::pin(async move {
            handlers.serve().await;
        });
        Ok(Self { runtime, connection: Some(connection), inbound, outgoing, writer, jobs, evaluations })
    }

    /// Passes a message of the client: its JSON, without a header.
    pub fn send(&mut self, message: &[u8]) {
        // Each message is processed in the same call, so the queue has space. After the end of the
        // connection, messages are dropped.
        let _ = self.inbound.try_send(transport::parse(message));
        self.turn();
    }

    /// Executes one step: processes waiting messages, or computes one response.
    pub fn step(&mut self) -> NextStep {
        self.turn();
        if self.writer.take_waiting() > 0 || self.jobs.run_next() || self.evaluations.run_next() {
            return NextStep::Now;
        }
        match self.evaluations.pause() {
            Some(pause) => NextStep::After(pause),
            None => NextStep::Idle,
        }
    }

    /// Returns the messages for the client, each as JSON.
    pub fn messages(&mut self) -> Vec<Vec<u8>> {
        transport::waiting_output(&self.outgoing)
    }

    /// Polls handlers and client requests until none can continue.
    fn turn(&mut self) {
        let connection = &mut self.connection;
        self.runtime.block_on(async {
            for _ in 0..TURNS {
                let poll = |context: &mut std::task::Context<'_>| {
                    let Some(future) = connection else { return Poll::Ready(()) };
                    if future.as_mut().poll(context).is_ready() {
                        *connection = None;
                    }
                    Poll::Ready(())
                };
                poll_fn(poll).await;
                tokio::task::yield_now().await;
            }
        });
    }
}

impl std::fmt::Debug for SingleThreadServer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SingleThreadServer").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Runs steps until nothing remains to do. Returns the messages for the client.
    fn finish(server: &mut SingleThreadServer) -> Vec<Value> {
        loop {
            match server.step() {
                NextStep::Now => {}
                NextStep::After(pause) => std::thread::sleep(pause),
                NextStep::Idle => break,
            }
        }
        server.messages().iter().map(|message| serde_json::from_slice(message).unwrap()).collect()
    }

    fn send(server: &mut SingleThreadServer, message: &Value) -> Vec<Value> {
        server.send(message.to_string().as_bytes());
        finish(server)
    }

    #[test]
    fn findings_come_and_go_without_threads() {
        let mut server = SingleThreadServer::new().unwrap();
        let initialize =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } });
        let answer = send(&mut server, &initialize);
        assert!(answer[0]["result"]["capabilities"].is_object());
        send(&mut server, &json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
        let document = json!({ "uri": "untitled:a.mg", "languageId": "mangle", "version": 1, "text": "p(X) :- q(Y).\n" });
        let open = json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } });
        let pushed = send(&mut server, &open);
        let codes = |messages: &[Value]| -> Vec<String> {
            let pushed =
                messages.iter().rfind(|message| message["method"] == "textDocument/publishDiagnostics");
            let diagnostics =
                pushed.map(|message| message["params"]["diagnostics"].as_array().unwrap().clone());
            diagnostics
                .unwrap_or_default()
                .iter()
                .map(|one| one["code"].as_str().unwrap().to_owned())
                .collect()
        };
        assert!(codes(&pushed).contains(&"unbound-head-var".to_owned()), "{pushed:?}");
        let change = json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
            "textDocument": { "uri": "untitled:a.mg", "version": 2 }, "contentChanges": [{ "text": "p(1).\n" }] } });
        let pushed = send(&mut server, &change);
        assert!(!codes(&pushed).contains(&"unbound-head-var".to_owned()), "{pushed:?}");
        let exit = json!({ "jsonrpc": "2.0", "method": "exit" });
        assert!(send(&mut server, &exit).is_empty());
        assert!(send(&mut server, &change).is_empty(), "nothing is taken after the end");
    }
}
