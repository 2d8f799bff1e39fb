//! What a connection to a client consists of before anything runs: the handlers with the queues around them, and the writer.

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

/// The parts of a connection. Which threads they run on is for their owner to say.
pub(super) struct Connection {
    pub(super) runtime: tokio::runtime::Runtime,
    pub(super) handlers: Handlers,
    /// The way to the handlers.
    pub(super) inbound: channels::Sender<Inbound>,
    /// What goes to the client.
    pub(super) outgoing: Receiver<Outbound>,
    pub(super) writer: Writer,
    /// The way to the writer.
    pub(super) address: Sender<Message>,
}

/// The handlers of the protocol, between their queues.
pub(super) struct Handlers {
    input: Input,
    service: LspService<Server>,
    socket: ClientSocket,
    pub(super) output: Output,
}

impl Connection {
    /// The parts of a connection whose answers are computed by `pool`, and whose evaluations by `evaluator`.
    ///
    /// # Errors
    /// When the framework cannot be started.
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
    /// Serves until the client leaves.
    pub(super) async fn serve(self) -> ConnectionEnd {
        let Self { input, service, socket, output } = self;
        transport::serve(input, service, socket, &output, Server::observe).await
    }
}
