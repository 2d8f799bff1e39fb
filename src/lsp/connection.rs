//! Components of a connection to a client: the handlers, their queues, and the writer.

use std::sync::mpsc::{self, Receiver, Sender};

use anyhow::Context as _;
use tokio::sync::mpsc as channels;
use tower_lsp::{ClientSocket, LspService};

use super::client::Outbox;
use super::message::Message;
use super::pool::Pool;
use super::server::{self, Server};
use super::transport::{self, ConnectionEnd, Inbound, Input, Outbound, Output, QUEUE};
use super::writer::Writer;

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
