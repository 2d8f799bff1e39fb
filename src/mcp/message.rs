//! Parsing of input lines into messages. An invalid line is refused with an error response, or
//! ignored if JSON-RPC allows no response.

use std::cell::{Cell, RefCell};

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode};
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value, json};

use mangle_syntax::text::without_halves;

#[derive(Debug)]
pub(super) enum Incoming {
    Message(Box<ClientJsonRpcMessage>),
    /// The error response.
    Refused(Value),
    /// A notification without effect, a response without a request, or an empty line.
    Ignored,
}

/// Parses a line without its line end. Unpaired surrogates are replaced with U+FFFD.
pub(super) fn read(line: &[u8]) -> Incoming {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Incoming::Ignored;
    }
    let whole = || serde_json::from_slice(&without_halves(line)).ok();
    let value = match serde_json::from_slice(line) {
        Ok(value) => Some(value),
        Err(error) => match whole() {
            Some(value) => Some(value),
            None => {
                return refused(id(line), ErrorCode::PARSE_ERROR, &format!("the line is not JSON: {error}"));
            }
        },
    };
    match value {
        Some(Value::Object(message)) => of_object(message),
        Some(Value::Array(_)) => refused(
            None,
            ErrorCode::INVALID_REQUEST,
            "lists of messages are not supported: send one message per line",
        ),
        _ => refused(None, ErrorCode::INVALID_REQUEST, "a message must be an object"),
    }
}

/// Returns the response to a line with more than `limit` bytes. `start` is the beginning of the
/// line.
pub(super) fn too_long(start: &[u8], limit: usize) -> Incoming {
    refused(id(start), ErrorCode::INVALID_REQUEST, &format!("the message is longer than {limit} bytes"))
}

fn of_object(message: Map<String, Value>) -> Incoming {
    let id = message.get("id").cloned();
    let answerable = id.clone().filter(is_id);
    let invalid = |why: &str| refused(answerable.clone(), ErrorCode::INVALID_REQUEST, why);
    let is_response = message.contains_key("result") || message.contains_key("error");
    let method = match message.get("method") {
        Some(Value::String(method)) => method.clone(),
        Some(_) => return invalid("`method` must be a string"),
        None if is_response => String::new(),
        None => return invalid("`method` is missing"),
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid("`jsonrpc` must be \"2.0\"");
    }
    if id.is_some() && answerable.is_none() && !is_response {
        return invalid("`id` must be a string or an integer");
    }
    let params_fit = message.get("params").is_none_or(|params| params.is_object());
    match serde_json::from_value::<ClientJsonRpcMessage>(Value::Object(message)) {
        Ok(ClientJsonRpcMessage::Request(request)) => {
            // The framework parses a request with invalid parameters as a request with a custom
            // method.
            let is_unknown = matches!(request.request, ClientRequest::CustomRequest(_));
            if is_unknown && SERVED.contains(&method.as_str()) || !params_fit {
                return refused(
                    answerable,
                    ErrorCode::INVALID_PARAMS,
                    &format!("the parameters of `{method}` are invalid"),
                );
            }
            Incoming::Message(Box::new(ClientJsonRpcMessage::Request(request)))
        }
        Ok(message) => Incoming::Message(Box::new(message)),
        Err(_) if answerable.is_none() || is_response => Incoming::Ignored,
        Err(_) if !params_fit => refused(
            answerable,
            ErrorCode::INVALID_PARAMS,
            &format!("the parameters of `{method}` are invalid"),
        ),
        Err(_) => invalid("not a message of the protocol"),
    }
}

/// The requests that the server answers.
const SERVED: [&str; 9] = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
];

/// True if a response can repeat the id.
fn is_id(id: &Value) -> bool {
    id.is_string() || id.as_i64().is_some()
}

fn refused(id: Option<Value>, code: ErrorCode, why: &str) -> Incoming {
    let error = json!({ "code": code.0, "message": mangle_report::sink::lines(why) });
    Incoming::Refused(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
}

/// Returns the id of a damaged or truncated request, if it is before the damage.
fn id(line: &[u8]) -> Option<Value> {
    struct Members<'f> {
        id: &'f RefCell<Option<Value>>,
        is_request: &'f Cell<bool>,
    }

    impl<'de> Visitor<'de> for Members<'_> {
        type Value = ();

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<String>()? {
                match key.as_str() {
                    "id" => *self.id.borrow_mut() = Some(map.next_value()?),
                    key => {
                        self.is_request.set(self.is_request.get() && !matches!(key, "result" | "error"));
                        map.next_value::<IgnoredAny>()?;
                    }
                }
            }
            Ok(())
        }
    }

    let (id, is_request) = (RefCell::new(None), Cell::new(true));
    let text = String::from_utf8_lossy(line);
    // Parsing stops at the damage.
    let _ = serde_json::Deserializer::from_str(&text)
        .deserialize_map(Members { id: &id, is_request: &is_request });
    id.into_inner().filter(|id| is_request.get() && is_id(id))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Checks the result of parsing a line.
    fn check(line: &[u8], expected: &Expect) {
        expected.assert_eq(&match read(line) {
            Incoming::Message(message) => {
                format!("taken: {}", serde_json::to_string(&message).unwrap_or_default())
            }
            Incoming::Refused(response) => format!("{} {}", response["id"], response["error"]),
            Incoming::Ignored => "ignored".into(),
        });
    }

    #[test]
    fn half_of_a_surrogate_pair_is_a_replacement_character() {
        let line = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"check","arguments":{"text":"\ud83d"}}}"#;
        let Incoming::Message(message) = read(line.as_bytes()) else { panic!("it is a request") };
        assert!(serde_json::to_string(&message).is_ok_and(|text| text.contains('\u{fffd}')));
        // A surrogate pair is one character, and an escaped backslash starts no escape.
        for (text, shown) in
            [(r"\ud83d\ude00", "\u{1f600}"), (r"\\ud83d", r"\\ud83d"), (r"\ude00\ud83d", "\u{fffd}\u{fffd}")]
        {
            let line =
                format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"{text}"}}}}"#);
            let Incoming::Message(message) = read(line.as_bytes()) else { panic!("{text}") };
            assert!(serde_json::to_string(&message).is_ok_and(|text| text.contains(shown)), "{text}");
        }
    }

    #[test]
    fn damaged_json_is_answered() {
        check(
            b"{bad json",
            &expect![[
                r#"null {"code":-32700,"message":"the line is not JSON: key must be a string at line 1 column 2"}"#
            ]],
        );
        check(
            br#"{"jsonrpc":"2.0","id":7,"method":"ping", bad"#,
            &expect![[
                r#"7 {"code":-32700,"message":"the line is not JSON: key must be a string at line 1 column 42"}"#
            ]],
        );
        check(
            b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"\xff\"}",
            &expect![[
                r#""a" {"code":-32700,"message":"the line is not JSON: invalid unicode code point at line 1 column 37"}"#
            ]],
        );
        check(
            br#"{"jsonrpc":"2.0","id":7,"method":"ping"} {}"#,
            &expect![[
                r#"7 {"code":-32700,"message":"the line is not JSON: trailing characters at line 1 column 42"}"#
            ]],
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"result":{}"#,
            &expect![[
                r#"null {"code":-32700,"message":"the line is not JSON: EOF while parsing an object at line 1 column 35"}"#
            ]],
        );
        check(
            "[".repeat(100_000).as_bytes(),
            &expect![[
                r#"null {"code":-32700,"message":"the line is not JSON: recursion limit exceeded at line 1 column 128"}"#
            ]],
        );
        check(b"", &expect!["ignored"]);
        check(b"\xef\xbb\xbf\r", &expect!["ignored"]);
    }

    #[test]
    fn what_is_not_a_message_is_answered() {
        check(
            b"[]",
            &expect![[
                r#"null {"code":-32600,"message":"lists of messages are not supported: send one message per line"}"#
            ]],
        );
        check(
            br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            &expect![[
                r#"null {"code":-32600,"message":"lists of messages are not supported: send one message per line"}"#
            ]],
        );
        check(b"7", &expect![[r#"null {"code":-32600,"message":"a message must be an object"}"#]]);
        check(b"{}", &expect![[r#"null {"code":-32600,"message":"`method` is missing"}"#]]);
        check(
            br#"{"jsonrpc":"2.0","id":1}"#,
            &expect![[r#"1 {"code":-32600,"message":"`method` is missing"}"#]],
        );
        check(
            br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            &expect![[r#"1 {"code":-32600,"message":"`jsonrpc` must be \"2.0\""}"#]],
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            &expect![[r#"1 {"code":-32600,"message":"`method` must be a string"}"#]],
        );
        check(
            br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            &expect![[r#"null {"code":-32600,"message":"`id` must be a string or an integer"}"#]],
        );
        check(
            br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            &expect![[r#"null {"code":-32600,"message":"`id` must be a string or an integer"}"#]],
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#,
            &expect![[r#"1 {"code":-32602,"message":"the parameters of `tools/call` are invalid"}"#]],
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            &expect![[r#"1 {"code":-32602,"message":"the parameters of `tools/call` are invalid"}"#]],
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":7}"#,
            &expect![[r#"1 {"code":-32602,"message":"the parameters of `tools/list` are invalid"}"#]],
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
            &expect![[r#"1 {"code":-32602,"message":"the parameters of `initialize` are invalid"}"#]],
        );
    }

    #[test]
    fn no_response_is_sent_to_notifications_and_responses() {
        check(
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
            &expect![[r#"taken: {"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#]],
        );
        check(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}"#, &expect!["ignored"]);
        check(
            br#"{"jsonrpc":"2.0","method":"no/such"}"#,
            &expect![[r#"taken: {"jsonrpc":"2.0","method":"no/such","params":null}"#]],
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"result":7}"#,
            &expect![[r#"taken: {"jsonrpc":"2.0","id":1,"result":7}"#]],
        );
        check(br#"{"jsonrpc":"2.0","id":{},"error":7}"#, &expect!["ignored"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_answered_by_its_id() {
        let Incoming::Refused(response) = too_long(br#"{"jsonrpc":"2.0","id":5,"params":{"text":"xxx"#, 8)
        else {
            panic!("refused")
        };
        assert_eq!(response["id"], json!(5));
    }
}
