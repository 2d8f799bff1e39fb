//! The connection: incoming messages in order, and outgoing responses, requests and notifications.
//!
//! The input thread parses JSON, the output thread writes messages, and the caller's thread runs
//! the service of the framework. A handler runs up to its first await when its message is taken
//! from the queue. Messages from handlers to the writer are therefore in the order of arrival.
//!
//! The number of concurrent requests is not limited, so that a cancellation never waits for the
//! request that it cancels.

use std::borrow::Cow;
use std::io;
use std::io::{BufRead, Write};
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

use super::body;
use super::body::{Loss, ResponseSlot, TextHalves};
use super::frame::Frames;
use mangle_report::escaped_but;

/// The maximum number of parsed messages in the queue. Reading of input pauses when the queue is
/// full.
pub(super) const QUEUE: usize = 256;

/// Parsed input.
#[derive(Debug)]
pub(super) enum Inbound {
    /// A request or notification, and the unpaired surrogates in its texts.
    Request(Request, TextHalves),
    /// The client's response to a request of the server.
    Response(Response),
    /// An unusable message, the error response, and the possible loss.
    Broken(Response, Loss),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Outbound {
    Response(Response),
    /// A request or notification.
    Request(Request),
    /// A response whose result is already serialized.
    #[serde(skip)]
    Written(Id, Vec<u8>),
    /// The end of the output.
    #[serde(skip)]
    Close,
}

impl Outbound {
    /// True for a response without an error.
    fn is_ok(&self) -> bool {
        match self {
            Self::Response(response) => response.is_ok(),
            Self::Written(..) => true,
            Self::Request(_) | Self::Close => false,
        }
    }
}

/// Sender of outgoing messages. Sending never blocks, so that a client that writes before it reads
/// causes no deadlock.
#[derive(Debug, Clone)]
pub(super) struct Output(blocking::Sender<Outbound>);

impl Output {
    /// Returns an output and the receiver for its thread.
    pub(super) fn new() -> (Self, blocking::Receiver<Outbound>) {
        let (sender, receiver) = blocking::channel();
        (Self(sender), receiver)
    }

    pub(super) fn notify(&self, method: &'static str, params: impl Serialize) {
        match serde_json::to_value(params) {
            Ok(params) => self.send(Outbound::Request(Request::build(method).params(params).finish())),
            Err(error) => tracing::error!(method, %error, "a notification cannot be written as JSON"),
        }
    }

    /// Ends the output thread after all previous messages are written.
    pub(super) fn close(&self) {
        self.send(Outbound::Close);
    }

    fn send(&self, message: Outbound) {
        // The output thread ends only after the client has disconnected, so the message can be
        // dropped.
        let _ = self.0.send(message);
    }
}

/// Reads messages until the input ends or the receiver is dropped. Runs on its own thread.
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

pub(super) fn parse(body: &[u8]) -> Inbound {
    let body::Body { mut value, halves } = match body::read(body) {
        Ok(body) => body,
        Err(damaged) => {
            let refusal = refusal(ErrorCode::ParseError, id_of(damaged.id), damaged.error.to_string());
            return Inbound::Broken(refusal, damaged.loss);
        }
    };
    if value.get("method").is_none() {
        let loss = Loss::new(&value, true);
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
        repair_uris(params, NESTING);
    }
    match Request::deserialize(&value) {
        Ok(request) => {
            // Only the method and the id are logged, because parameters contain user text.
            tracing::debug!(method = request.method(), id = ?request.id(), "message");
            Inbound::Request(request, halves)
        }
        Err(error) => {
            let refusal =
                refusal(ErrorCode::InvalidRequest, id_of(value.get("id").cloned()), error.to_string());
            Inbound::Broken(refusal, Loss::new(&value, true))
        }
    }
}

/// Returns the id for an error response to an unusable message, if it has one.
fn id_of(id: Option<Value>) -> Id {
    id.and_then(|id| serde_json::from_value(id).ok()).unwrap_or_default()
}

/// Adds the empty parameters of `initialized`. Some clients omit them or send `null`.
fn supply_params(message: &mut Value) {
    if message.get("method").is_some_and(|method| method == "initialized")
        && message.get("params").is_none_or(Value::is_null)
    {
        message["params"] = Value::Object(serde_json::Map::new());
    }
}

/// The maximum nesting depth of URIs in parameters.
const NESTING: u8 = 5;

/// Encodes invalid characters in URIs. Some clients send plain paths after `file://`, and the
/// framework would drop their messages.
fn repair_uris(value: &mut Value, depth: u8) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(uri) if key.ends_with("uri") || key.ends_with("Uri") => repair_uri(uri),
                    member => repair_uris(member, depth - 1),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| repair_uris(element, depth - 1)),
        _ => {}
    }
}

fn repair_uri(uri: &mut String) {
    const NOT_ALLOWED: &AsciiSet = &escaped_but(b"-._~:/?#@!$&'()*+,;=%");
    if let Cow::Owned(encoded) = utf8_percent_encode(uri, NOT_ALLOWED).into() {
        *uri = encoded;
    }
}

fn refusal(code: ErrorCode, id: Id, message: String) -> Response {
    Response::from_error(id, Error { code, message: message.into(), data: None })
}

/// Returns the messages that are ready to be sent, each as JSON.
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

/// Writes messages until the senders are dropped or the client disconnects. Runs on its own
/// thread.
///
/// # Errors
///
/// If the output cannot be written.
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

/// Returns the body of a message in consecutive parts, so that a long response is not copied.
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
    /// Receives a value when the client's process has ended.
    pub(super) client_ended: mpsc::UnboundedReceiver<()>,
}

/// Input that the server observes before a handler runs.
#[derive(Debug)]
pub(super) enum Incoming<'r> {
    /// A request or notification, with the slot for its response and the unpaired surrogates in
    /// its texts.
    Request(&'r Request, ResponseSlot, TextHalves),
    /// The possible loss of a message that no handler receives.
    Lost(Loss),
}

/// Serves the connection until it ends. `observe` receives every request and notification before
/// its handler, and every loss.
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
                    let slot = ResponseSlot::default();
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

/// The phase of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// `initialize` has not been answered.
    Uninitialized,
    Running,
    /// `shutdown` was answered. Only `exit` is allowed.
    ShutDown,
}

/// `ServerNotInitialized` of the protocol.
const NOT_INITIALIZED: ErrorCode = ErrorCode::ServerError(-32002);

impl Phase {
    /// Returns the phase after a request was answered without an error.
    fn after(self, request: &Request) -> Self {
        match request.method() {
            "initialize" => Self::Running,
            "shutdown" => Self::ShutDown,
            _ => self,
        }
    }

    /// Returns the kind of end if the connection ends in this phase.
    fn end(self) -> ConnectionEnd {
        if self == Self::ShutDown { ConnectionEnd::Orderly } else { ConnectionEnd::Abrupt }
    }

    /// Returns the response to a message that is not allowed in this phase: an error for requests,
    /// and nothing for notifications. Returns `None` for allowed messages.
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

/// Returns the response of a handler or, if it is a placeholder, the content of the slot.
fn answer(response: Response, slot: &ResponseSlot) -> Outbound {
    match slot.take() {
        Some(result) if response.is_ok() => Outbound::Written(response.id().clone(), result),
        _ => Outbound::Response(response),
    }
}

async fn next<T: Stream + Unpin>(stream: &mut T) -> Option<T::Item> {
    stream.next().await
}

/// Calls the handler of a message and runs it up to its first await. Returns `Ok` if it has
/// completed.
async fn start<S: LanguageServer>(
    service: &mut LspService<S>,
    request: Request,
    slot: ResponseSlot,
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
    // The future is polled again with a real waker after it joins the running futures.
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
