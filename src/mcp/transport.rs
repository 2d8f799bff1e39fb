//! The connection to a client: one thread reads lines, another one writes them. Invalid lines are
//! not passed to the framework, which would drop them without a response.

use std::io::{self, BufRead, Write};
use std::sync::mpsc as blocking;
use std::thread;
use std::time::Duration;

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use tokio::sync::mpsc;

use super::message::{self, Incoming};

/// In bytes: the maximum length of a message. Fits a text of the maximum length with every
/// character escaped.
pub(super) const MAX_MESSAGE: usize = 8 << 20;

/// In bytes: the prefix of a longer message that is searched for its id.
const ID_SEARCH_BYTES: usize = 4 << 10;

/// The maximum number of responses in the queue.
const MAX_QUEUED: usize = 16;

#[derive(Debug, PartialEq, Eq)]
enum Line {
    Whole(Vec<u8>),
    /// The start of a line that is too long.
    TooLong(Vec<u8>),
}

/// Transport that exchanges lines on standard input and output.
#[derive(Debug)]
pub(super) struct LineTransport {
    input: mpsc::Receiver<Line>,
    output: Option<mpsc::Sender<Vec<u8>>>,
    /// True after an `initialize` request or a request with a protocol version. Before that, a
    /// message other than a request would end the framework.
    is_initialized: bool,
}

/// Handle to wait for the end of the output.
#[derive(Debug)]
pub(super) struct WrittenOutput(blocking::Receiver<()>);

impl WrittenOutput {
    /// Waits until all responses are written, at most `limit`, because the client may have stopped
    /// reading.
    pub(super) fn wait(&self, limit: Duration) {
        let _ = self.0.recv_timeout(limit);
    }
}

impl LineTransport {
    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// If the system creates no threads.
    pub(super) fn start(
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<(Self, WrittenOutput)> {
        let (lines, received) = mpsc::channel(1);
        let (responses, waiting) = mpsc::channel(MAX_QUEUED);
        let (done, written) = blocking::channel();
        thread::Builder::new().name("output".into()).spawn(move || {
            write_lines(waiting, output);
            let _ = done.send(());
        })?;
        thread::Builder::new().name("input".into()).spawn(move || read_lines(input, &lines))?;
        let transport = Self { input: received, output: Some(responses), is_initialized: false };
        Ok((transport, WrittenOutput(written)))
    }

    /// True if the framework accepts the message in the current state.
    fn accepts(&mut self, message: &ClientJsonRpcMessage) -> bool {
        let ClientJsonRpcMessage::Request(request) = message else { return self.is_initialized };
        let has_version = || request.request.get_meta().protocol_version().is_some();
        self.is_initialized |=
            matches!(request.request, ClientRequest::InitializeRequest(_)) || has_version();
        true
    }
}

impl Transport<RoleServer> for LineTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let output = self.output.clone();
        async move { send(output.as_ref(), &item).await }
    }

    // Cancel-safe: the framework may drop this future and call again. A received line is lost only
    // together with the client.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let incoming = match self.input.recv().await? {
                Line::Whole(line) => message::read(&line),
                Line::TooLong(start) => message::too_long(&start, MAX_MESSAGE),
            };
            match incoming {
                Incoming::Message(message) if self.accepts(&message) => return Some(*message),
                Incoming::Refused(response) => send(self.output.as_ref(), &response).await.ok()?,
                Incoming::Message(_) | Incoming::Ignored => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output = None;
        Ok(())
    }
}

async fn send(output: Option<&mpsc::Sender<Vec<u8>>>, message: &impl serde::Serialize) -> io::Result<()> {
    let ended = || io::Error::from(io::ErrorKind::NotConnected);
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    output.ok_or_else(ended)?.send(line).await.map_err(|_| ended())
}

/// Writes lines until the channel is closed or the output fails.
fn write_lines(mut lines: mpsc::Receiver<Vec<u8>>, mut output: impl Write) {
    while let Some(line) = lines.blocking_recv() {
        if output.write_all(&line).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

/// Reads lines until the input or the server ends.
fn read_lines(mut input: impl BufRead, lines: &mpsc::Sender<Line>) {
    loop {
        match next_line(&mut input, MAX_MESSAGE) {
            Ok(Some(line)) => {
                if lines.blocking_send(line).is_err() {
                    return;
                }
            }
            Ok(None) => return,
            Err(error) => return tracing::error!(%error, "the input cannot be read"),
        }
    }
}

/// Returns the next line without its line end, or `None` at the end of the input. Never buffers
/// more than `limit` bytes.
fn next_line(input: &mut impl BufRead, limit: usize) -> io::Result<Option<Line>> {
    let (mut line, mut is_too_long, mut is_empty) = (Vec::new(), false, true);
    loop {
        let available = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            available => available?,
        };
        if available.is_empty() {
            break;
        }
        is_empty = false;
        let end = memchr::memchr(b'\n', available);
        let piece = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
        if !is_too_long {
            line.extend_from_slice(piece);
            if line.len() > limit {
                line.truncate(ID_SEARCH_BYTES);
                line.shrink_to_fit();
                is_too_long = true;
            }
        }
        let read = piece.len() + usize::from(end.is_some());
        input.consume(read);
        if end.is_some() {
            break;
        }
    }
    let kind = if is_too_long { Line::TooLong } else { Line::Whole };
    Ok((!is_empty).then(|| kind(line)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lines_have_a_limit() {
        let mut input = &b"one\n\n12345678\n123456789\nlast"[..];
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input, 8).unwrap() {
            lines.push(match line {
                Line::Whole(line) => String::from_utf8(line).unwrap(),
                Line::TooLong(start) => format!("too long: {}", String::from_utf8(start).unwrap()),
            });
        }
        assert_eq!(lines, ["one", "", "12345678", "too long: 123456789", "last"]);
    }
}
