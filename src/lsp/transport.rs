//! The connection: messages in, in order; responses, requests and notifications out.
//!
//! Three threads: one blocks on input and parses JSON, one blocks on output and writes it, and
//! the caller's runs the framework's service between them. Every handler runs up to its first
//! await at the moment its message is taken off the queue, so that what it sends to the writer is
//! sent in the order of arrival; the number of requests in flight is not limited, so that a
//! cancellation never waits behind what it cancels.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::pin::Pin;
use std::sync::mpsc as blocking;
use std::task::{Context, Poll};

use futures::future::{BoxFuture, FutureExt, TryFutureExt, poll_fn};
use futures::stream::{FuturesUnordered, StreamExt};
use futures::{SinkExt, Stream};
use percent_encoding::{AsciiSet, utf8_percent_encode};
use serde::{Deserialize as _, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_lsp::{ClientSocket, ExitedError, LanguageServer, LspService};
use tower_service::Service;
use tracing::Instrument;

use super::body::{self, Loss, TextHalves};
use super::frame::Frames;
use super::raw_response::Slot;
use crate::report::escaped_but;

/// How many parsed messages wait for their turn before the input is left unread.
pub(super) const QUEUE: usize = 256;

/// What the input thread makes of the bytes.
#[derive(Debug)]
pub(super) enum Inbound {
    /// A request or a notification, and the halves of surrogate pairs in its texts.
    Request(Request, TextHalves),
    /// The client's answer to a request of ours.
    Response(Response),
    /// Something else, what to say about it, and what may be lost with it.
    Broken(Response, Loss),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Outbound {
    Response(Response),
    /// A request or a notification.
    Request(Request),
    /// An answer whose result is JSON already.
    #[serde(skip)]
    Written(Id, Vec<u8>),
    /// Nothing more comes.
    #[serde(skip)]
    Close,
}

impl Outbound {
    /// Whether it is an answer, and not an error.
    fn is_ok(&self) -> bool {
        match self {
            Self::Response(response) => response.is_ok(),
            Self::Written(..) => true,
            Self::Request(_) | Self::Close => false,
        }
    }
}

/// Where messages go out. Sending never blocks: a client that writes before it reads must not
/// wedge us both.
#[derive(Debug, Clone)]
pub(super) struct Output(blocking::Sender<Outbound>);

impl Output {
    /// An output and what its thread reads.
    pub(super) fn new() -> (Self, blocking::Receiver<Outbound>) {
        let (sender, receiver) = blocking::channel();
        (Self(sender), receiver)
    }

    /// Sends a notification.
    pub(super) fn notify(&self, method: &'static str, params: impl Serialize) {
        match serde_json::to_value(params) {
            Ok(params) => self.send(Outbound::Request(Request::build(method).params(params).finish())),
            Err(error) => tracing::error!(method, %error, "a notification cannot be written as JSON"),
        }
    }

    /// Ends the output thread once it has written what was sent before.
    pub(super) fn close(&self) {
        self.send(Outbound::Close);
    }

    fn send(&self, message: Outbound) {
        // The output thread ends only when the client is gone; nobody is left to tell.
        let _ = self.0.send(message);
    }
}

/// Reads messages until the input ends or nobody wants them. Runs on its own thread.
pub(super) fn read_input(input: impl BufRead, queue: &mpsc::Sender<Inbound>) {
    let mut frames = Frames::new(input);
    loop {
        let inbound = match frames.next() {
            Ok(None) => return,
            Ok(Some(Ok(body))) => parse(&body),
            Ok(Some(Err(error))) => Inbound::Broken(
                refusal(ErrorCode::ParseError, Id::Null, error.to_string()),
                Loss::of_anything(),
            ),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                tracing::error!(%error, "the input cannot be read");
                return;
            }
        };
        if queue.blocking_send(inbound).is_err() {
            return;
        }
    }
}

/// Reads a message.
pub(super) fn parse(body: &[u8]) -> Inbound {
    let body::Body { mut value, halves } = match body::read(body) {
        Ok(body) => body,
        Err(damaged) => {
            let refusal = refusal(ErrorCode::ParseError, id_of(damaged.id), damaged.error.to_string());
            return Inbound::Broken(refusal, damaged.loss);
        }
    };
    if value.get("method").is_none() {
        let loss = Loss::of(&value, true);
        return match serde_json::from_value(value) {
            Ok(response) => Inbound::Response(response),
            Err(_) => {
                let why = "neither a request nor a response".into();
                Inbound::Broken(refusal(ErrorCode::InvalidRequest, Id::Null, why), loss)
            }
        };
    }
    supply_params(&mut value);
    if let Some(params) = value.get_mut("params") {
        mend_uris(params, NESTING);
    }
    match Request::deserialize(&value) {
        Ok(request) => {
            // The name and the number only: parameters hold the user's text.
            tracing::debug!(method = request.method(), id = ?request.id(), "message");
            Inbound::Request(request, halves)
        }
        Err(error) => {
            let refusal =
                refusal(ErrorCode::InvalidRequest, id_of(value.get("id").cloned()), error.to_string());
            Inbound::Broken(refusal, Loss::of(&value, true))
        }
    }
}

/// The id to answer to, where a message that cannot be used has one.
fn id_of(id: Option<Value>) -> Id {
    id.and_then(|id| serde_json::from_value(id).ok()).unwrap_or_default()
}

/// Clients leave out the empty parameters of `initialized`, or send `null`.
fn supply_params(message: &mut Value) {
    if message.get("method").is_some_and(|method| method == "initialized")
        && message.get("params").is_none_or(Value::is_null)
    {
        message["params"] = Value::Object(serde_json::Map::new());
    }
}

/// How deep URIs are looked for in parameters.
const NESTING: u8 = 5;

/// Encodes what may not stand in a URI as it is. Some clients send plain paths behind `file://`; the
/// framework would drop their messages.
fn mend_uris(value: &mut Value, depth: u8) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(uri) if key.ends_with("uri") || key.ends_with("Uri") => mend_uri(uri),
                    member => mend_uris(member, depth - 1),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| mend_uris(element, depth - 1)),
        _ => {}
    }
}

fn mend_uri(uri: &mut String) {
    const NOT_ALLOWED: &AsciiSet = &escaped_but(b"-._~:/?#@!$&'()*+,;=%");
    if let Cow::Owned(encoded) = utf8_percent_encode(uri, NOT_ALLOWED).into() {
        *uri = encoded;
    }
}

fn refusal(code: ErrorCode, id: Id, message: String) -> Response {
    Response::from_error(id, Error { code, message: message.into(), data: None })
}

/// The messages that are to go out now, each as its JSON.
pub(super) fn waiting_output(queue: &blocking::Receiver<Outbound>) -> Vec<Vec<u8>> {
    let messages = queue.try_iter().filter(|message| !matches!(message, Outbound::Close));
    let written = |message: Outbound| {
        body(&message)
            .inspect_err(|error| tracing::error!(%error, "a message cannot be written as JSON"))
            .ok()
            .map(|parts| parts.concat())
    };
    messages.filter_map(written).collect()
}

/// Writes messages until the senders are gone or the client is. Runs on its own thread.
///
/// # Errors
/// When the output cannot be written.
pub(super) fn write_output(mut output: impl Write, queue: &blocking::Receiver<Outbound>) -> io::Result<()> {
    let mut buffer = Vec::new();
    while let Ok(message) = queue.recv()
        && !matches!(message, Outbound::Close)
    {
        let parts = body(&message)?;
        let length: usize = parts.iter().map(|part| part.len()).sum();
        write!(buffer, "Content-Length: {length}\r\n\r\n")?;
        parts.iter().for_each(|part| buffer.extend_from_slice(part));
        output.write_all(&buffer)?;
        output.flush()?;
        buffer.clear();
        buffer.shrink_to(1 << 16);
    }
    Ok(())
}

/// The body of a message, in parts that follow each other, so that a long answer is not copied.
fn body(message: &Outbound) -> serde_json::Result<[Cow<'_, [u8]>; 3]> {
    const START: &[u8] = br#"{"jsonrpc":"2.0","result":"#;
    Ok(match message {
        Outbound::Written(id, result) => {
            let end = [br#","id":"#, serde_json::to_vec(id)?.as_slice(), b"}"].concat();
            [START.into(), result.into(), end.into()]
        }
        _ => [serde_json::to_vec(message)?.into(), Cow::default(), Cow::default()],
    })
}

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionEnd {
    /// By `exit` after `shutdown`.
    Orderly,
    /// By `exit` without `shutdown`, or by the end of the input.
    Abrupt,
}

type Handler = BoxFuture<'static, Result<Option<Outbound>, ExitedError>>;

#[derive(Debug)]
pub(super) struct Input {
    /// The messages of [`read_input`].
    pub(super) messages: mpsc::Receiver<Inbound>,
    /// Gets something when the client's process has ended.
    pub(super) client_ended: mpsc::UnboundedReceiver<()>,
}

/// What the server looks at before a handler runs.
#[derive(Debug)]
pub(super) enum Incoming<'r> {
    /// A request or a notification, with the place for its answer and the halves of surrogate pairs in its texts.
    Request(&'r Request, Slot, TextHalves),
    /// What may be lost with a message that no handler gets.
    Lost(Loss),
}

/// Serves the connection until it ends. `observe` sees every request and notification before its
/// handler does, and what is lost.
pub(super) async fn serve<S: LanguageServer>(
    mut input: Input,
    mut service: LspService<S>,
    socket: ClientSocket,
    output: &Output,
    observe: impl Fn(&S, Incoming<'_>),
) -> ConnectionEnd {
    let (mut requests, mut responses) = socket.split();
    let mut running: FuturesUnordered<Handler> = FuturesUnordered::new();
    let mut phase = Phase::Uninitialized;
    loop {
        tokio::select! {
            message = input.messages.recv() => match message {
                Some(Inbound::Request(request, halves)) => {
                    let exit = request.method() == "exit";
                    if let Some(answer) = phase.answer(&request) {
                        answer.into_iter().for_each(|answer| output.send(Outbound::Response(answer)));
                        continue;
                    }
                    let slot = Slot::default();
                    observe(service.inner(), Incoming::Request(&request, slot.clone(), halves));
                    let next = phase.after(&request);
                    match start(&mut service, request, slot).await {
                        Ok(answer) => {
                            if answer.as_ref().is_some_and(Outbound::is_ok) {
                                phase = next;
                            }
                            answer.into_iter().for_each(|answer| output.send(answer));
                        }
                        Err(handler) => running.push(handler),
                    }
                    if exit {
                        return phase.end();
                    }
                }
                Some(Inbound::Response(response)) => { let _ = responses.send(response).await; }
                Some(Inbound::Broken(response, loss)) => {
                    tracing::warn!(error = ?response.error(), "a message could not be read");
                    observe(service.inner(), Incoming::Lost(loss));
                    output.send(Outbound::Response(response));
                }
                None => return phase.end(),
            },
            Some(()) = input.client_ended.recv() => return phase.end(),
            Some(answer) = next(&mut running) => {
                answer.unwrap_or_default().into_iter().for_each(|answer| output.send(answer));
            }
            Some(request) = next(&mut requests) => output.send(Outbound::Request(request)),
        }
    }
}

/// How far the connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// `initialize` has not been answered.
    Uninitialized,
    Running,
    /// `shutdown` was answered: nothing but `exit` may come.
    ShutDown,
}

/// `ServerNotInitialized` of the protocol.
const NOT_INITIALIZED: ErrorCode = ErrorCode::ServerError(-32002);

impl Phase {
    /// The phase after a request was answered, and not with an error.
    fn after(self, request: &Request) -> Self {
        match request.method() {
            "initialize" => Self::Running,
            "shutdown" => Self::ShutDown,
            _ => self,
        }
    }

    /// How the connection ends when it ends in this phase.
    fn end(self) -> ConnectionEnd {
        if self == Self::ShutDown { ConnectionEnd::Orderly } else { ConnectionEnd::Abrupt }
    }

    /// What a message gets that no handler may have: requests an error, notifications nothing. `None` for all others.
    fn answer(self, request: &Request) -> Option<Option<Response>> {
        let is_of_protocol = request.method().starts_with("$/");
        let (code, why) = match (self, request.method()) {
            (_, "exit") | (Self::Uninitialized, "initialize") => return None,
            (Self::Uninitialized, _) => (NOT_INITIALIZED, "the server is not initialized"),
            (Self::ShutDown, _) => (ErrorCode::InvalidRequest, "the server is shut down"),
            (Self::Running, method) if is_of_protocol && request.id().is_some() => {
                tracing::debug!(method, "a request outside of the protocol");
                (ErrorCode::MethodNotFound, "unknown request")
            }
            (Self::Running, _) => return None,
        };
        Some(request.id().map(|id| refusal(code, id.clone(), why.into())))
    }
}

/// What the handler of a request gave; where that is a stand-in, what was left in the slot.
fn answer(response: Response, slot: &Slot) -> Outbound {
    match slot.take() {
        Some(result) if response.is_ok() => Outbound::Written(response.id().clone(), result),
        _ => Outbound::Response(response),
    }
}

async fn next<T: Stream + Unpin>(stream: &mut T) -> Option<T::Item> {
    stream.next().await
}

/// Calls the handler of a message and runs it up to its first await: `Ok` if it is done by then.
async fn start<S: LanguageServer>(
    service: &mut LspService<S>,
    request: Request,
    slot: Slot,
) -> Result<Option<Outbound>, Handler> {
    if poll_fn(|context| service.poll_ready(context)).await.is_err() {
        return Ok(None);
    }
    let id = request.id().map(ToString::to_string).unwrap_or_default();
    let span =
        tracing::info_span!("message", method = request.method(), id, revision = tracing::field::Empty);
    let response = service.call(request).instrument(span);
    let mut handler: Handler =
        response.map_ok(move |response| response.map(|response| answer(response, &slot))).boxed();
    // Polled again with a real waker as soon as it is among the running ones.
    let mut context = Context::from_waker(std::task::Waker::noop());
    match Pin::new(&mut handler).poll(&mut context) {
        Poll::Ready(answer) => Ok(answer.unwrap_or_default()),
        Poll::Pending => Err(handler),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use expect_test::{Expect, expect};

    use super::*;

    fn check(message: &str, expected: Expect) {
        let seen = match parse(message.as_bytes()) {
            Inbound::Request(request, _) => format!("request {request}"),
            Inbound::Response(response) => format!("response {}", serde_json::to_string(&response).unwrap()),
            Inbound::Broken(response, _) => format!("broken {}", serde_json::to_string(&response).unwrap()),
        };
        expected.assert_eq(&seen);
    }

    #[test]
    fn tells_requests_from_responses_from_rubbish() {
        check(
            r#"{"jsonrpc":"2.0","id":"a","method":"m"}"#,
            expect![[r#"request {"jsonrpc":"2.0","method":"m","id":"a"}"#]],
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
            expect![[r#"response {"jsonrpc":"2.0","result":null,"id":1}"#]],
        );
        check(
            "[]",
            expect![[
                r#"broken {"jsonrpc":"2.0","error":{"code":-32600,"message":"neither a request nor a response"},"id":null}"#
            ]],
        );
        check(
            r#"{"jsonrpc":"#,
            expect![[
                r#"broken {"jsonrpc":"2.0","error":{"code":-32700,"message":"EOF while parsing a value at line 1 column 11"},"id":null}"#
            ]],
        );
        check(
            r#"{"jsonrpc":"1.0","id":7,"method":"m"}"#,
            expect![[
                r#"broken {"jsonrpc":"2.0","error":{"code":-32600,"message":"expected JSON-RPC version \"2.0\""},"id":7}"#
            ]],
        );
    }

    #[test]
    fn answers_that_are_written_look_as_those_of_the_framework() {
        let result = serde_json::json!({ "a": [1, "é\n"] });
        for id in [Id::Number(7), Id::String("a\"".into())] {
            let written = Outbound::Written(id.clone(), serde_json::to_vec(&result).unwrap());
            let made = Outbound::Response(Response::from_ok(id, result.clone()));
            assert_eq!(body(&written).unwrap().concat(), body(&made).unwrap().concat());
        }
    }

    #[test]
    fn plain_paths_become_uris() {
        check(
            r#"{"jsonrpc":"2.0","method":"m","params":{"textDocument":{"uri":"file:///é [1].mg","text":"é"}}}"#,
            expect![[
                r#"request {"jsonrpc":"2.0","method":"m","params":{"textDocument":{"uri":"file:///%C3%A9%20%5B1%5D.mg","text":"é"}}}"#
            ]],
        );
        check(
            r#"{"jsonrpc":"2.0","method":"m","params":[{"uri":"file:///a%20b"}]}"#,
            expect![[r#"request {"jsonrpc":"2.0","method":"m","params":[{"uri":"file:///a%20b"}]}"#]],
        );
    }

    #[test]
    fn initialized_needs_no_parameters() {
        for params in ["", r#","params":null"#, r#","params":{}"#] {
            let message = format!(r#"{{"jsonrpc":"2.0","method":"initialized"{params}}}"#);
            check(&message, expect![[r#"request {"jsonrpc":"2.0","method":"initialized","params":{}}"#]]);
        }
    }
}
