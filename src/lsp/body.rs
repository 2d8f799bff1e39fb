//! Message bodies: parsing of requests, and responses as raw JSON. Unpaired surrogates are accepted. If
//! a body is damaged otherwise, only its method and document are extracted.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use mangle_syntax::text::{Half, HalvedText, without_halves};

/// A parsed JSON message.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) value: Value,
    /// Unpaired surrogates that were replaced with U+FFFD in the texts of the message.
    pub(super) halves: TextHalves,
}

/// Unpaired surrogates in the texts of a message.
#[derive(Debug, Default)]
pub(super) struct TextHalves {
    /// In the text of an opened document.
    pub(super) opened: Vec<Half>,
    /// In the text of each change of a document.
    pub(super) changes: Vec<Vec<Half>>,
}

/// Possible effects of an unusable message, if recognizable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Loss {
    /// Documents whose text the message would have changed.
    pub(super) documents: Vec<LostDocument>,
    /// True if the message may have changed the text of any document.
    pub(super) unknown: bool,
    /// True if the message may have reported changes of files or folders.
    pub(super) files: bool,
}

/// A document with a lost text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LostDocument {
    pub(super) uri: String,
    /// True if the message would have opened the document.
    pub(super) is_opening: bool,
    /// True if the rest of the message was intact, so that the URI is correct.
    pub(super) is_certain: bool,
}

/// A body that is not JSON.
#[derive(Debug)]
pub(super) struct InvalidBody {
    pub(super) error: serde_json::Error,
    /// The id of the request, if it can be recognized.
    pub(super) id: Option<Value>,
    pub(super) loss: Loss,
}

/// Notifications that determine the texts of documents.
const TEXTS: [&str; 3] = ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"];

/// Notifications that cause a scan of the disk.
const FILES: [&str; 2] = ["workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration"];

/// Parses the body of a message.
///
/// # Errors
///
/// If the body is not JSON, apart from unpaired surrogates.
pub(super) fn read(body: &[u8]) -> Result<Body, InvalidBody> {
    let error = match serde_json::from_slice(body) {
        Ok(value) => return Ok(Body { value, halves: TextHalves::default() }),
        Err(error) => error,
    };
    let whole = without_halves(body);
    if let Ok(value) = serde_json::from_slice(&whole) {
        return Ok(Body { value, halves: halves(body) });
    }
    let lossy = serde_json::from_str::<Value>(&String::from_utf8_lossy(&whole)).ok();
    let id = lossy.as_ref().and_then(|value| value.get("id")).cloned();
    let loss = match lossy {
        Some(value) => Loss::new(&value, false),
        None => Loss::of_damage(&whole),
    };
    Err(InvalidBody { error, id, loss })
}

/// Finds unpaired surrogates in the texts of documents. serde_json returns the texts as bytes,
/// with surrogates encoded like other code points.
fn halves(body: &[u8]) -> TextHalves {
    #[derive(Deserialize)]
    struct Message {
        params: Params,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        #[serde(default)]
        text_document: Text,
        #[serde(default)]
        content_changes: Vec<Text>,
    }
    #[derive(Default, Deserialize)]
    struct Text {
        #[serde(default)]
        text: Bytes,
    }
    let Ok(Message { params }) = serde_json::from_slice(body) else { return TextHalves::default() };
    let of = |text: Text| HalvedText::of_wtf8(text.text.0).map(|text| text.halves).unwrap_or_default();
    TextHalves {
        opened: of(params.text_document),
        changes: params.content_changes.into_iter().map(of).collect(),
    }
}

/// A JSON string with arbitrary bytes.
#[derive(Debug, Default)]
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Text)
    }
}

impl Loss {
    /// True if the text of a document may be lost.
    pub(super) fn is_of_text(&self) -> bool {
        self.unknown || !self.documents.is_empty()
    }

    /// A loss that may affect any document.
    pub(super) fn of_anything() -> Self {
        Self { unknown: true, files: true, ..Self::default() }
    }

    /// Returns the loss of a message or of a batch of messages.
    pub(super) fn new(message: &Value, is_certain: bool) -> Self {
        let mut loss = Self::default();
        match message {
            Value::Array(messages) => messages.iter().for_each(|message| loss.add(message, is_certain)),
            message => loss.add(message, is_certain),
        }
        loss
    }

    fn add(&mut self, message: &Value, is_certain: bool) {
        let is_response = message.get("result").is_some() || message.get("error").is_some();
        match (message.get("method"), message.get("params")) {
            (None, None) => {}
            (None, _) if is_response => {}
            (method, params) => self.add_call(method.and_then(Value::as_str), params, is_certain),
        }
    }

    /// Returns the loss of a call that cannot be used.
    pub(super) fn of_call(method: &str, params: Option<&Value>) -> Self {
        let mut loss = Self::default();
        loss.add_call(Some(method), params, true);
        loss
    }

    fn add_call(&mut self, method: Option<&str>, params: Option<&Value>, is_certain: bool) {
        let document = params.and_then(|params| params.get("textDocument"));
        if method.is_none_or(|method| TEXTS.contains(&method)) || params.is_some_and(has_text) {
            let uri = document.and_then(|document| document.get("uri")).and_then(Value::as_str);
            let is_opening = document.is_some_and(|document| document.get("text").is_some());
            self.add_document(uri, is_opening || method == Some(TEXTS[0]), is_certain);
        }
        self.files |= method.is_none_or(|method| FILES.contains(&method));
    }

    fn add_document(&mut self, uri: Option<&str>, is_opening: bool, is_certain: bool) {
        match uri.filter(|uri| !uri.contains(char::REPLACEMENT_CHARACTER)) {
            Some(uri) => {
                self.documents.push(LostDocument { uri: uri.to_owned(), is_opening, is_certain });
            }
            None => self.unknown = true,
        }
    }

    /// Returns the loss of a body that is not JSON, by searching for its method and URI.
    fn of_damage(body: &[u8]) -> Self {
        let has = |key: &[u8]| memchr::memmem::find(body, key).is_some();
        let method = member(body, b"\"method\"");
        let has_text = has(b"\"contentChanges\"") || has(b"\"languageId\"");
        let files = method.as_deref().is_none_or(|method| FILES.contains(&method));
        let mut loss = Self { files, ..Self::default() };
        if has_text || method.as_deref().is_none_or(|method| TEXTS.contains(&method)) {
            let document = memchr::memmem::find(body, b"\"textDocument\"").unwrap_or(0);
            let uri = member(body.get(document..).unwrap_or_default(), b"\"uri\"");
            let is_opening = has(b"\"languageId\"") || method.as_deref() == Some(TEXTS[0]);
            loss.add_document(uri.as_deref(), is_opening, false);
        }
        loss
    }
}

/// True if the parameters of a call contain the text of a document. The method name may be
/// damaged.
fn has_text(params: &Value) -> bool {
    params.get("contentChanges").is_some() || params.pointer("/textDocument/text").is_some()
}

/// Returns the string after a key. Quotes of the key inside another string would be escaped.
fn member(body: &[u8], key: &[u8]) -> Option<String> {
    let at = memchr::memmem::find(body, key)? + key.len();
    let rest = body.get(at..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let mut end = 1;
    while *rest.get(end)? != b'"' {
        end += if rest.get(end) == Some(&b'\\') { 2 } else { 1 };
    }
    let string = rest.get(..=end).filter(|string| string.starts_with(b"\""))?;
    serde_json::from_str(&String::from_utf8_lossy(string)).ok()
}

/// Holder of the response to one request as JSON. The handler returns a placeholder to the
/// framework.
#[derive(Debug, Clone, Default)]
pub(super) struct ResponseSlot(Arc<Mutex<Option<Vec<u8>>>>);

impl ResponseSlot {
    /// Stores a response.
    ///
    /// # Errors
    ///
    /// If the response cannot be represented in JSON.
    pub(super) fn fill(&self, answer: &impl Serialize) -> serde_json::Result<()> {
        self.fill_with(serde_json::to_vec(answer)?);
        Ok(())
    }

    /// Stores a response that is already JSON.
    pub(super) fn fill_with(&self, json: Vec<u8>) {
        *self.0.lock() = Some(json);
    }

    /// Takes the stored response, if any.
    pub(super) fn take(&self) -> Option<Vec<u8>> {
        self.0.lock().take()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn message(text: &[u8]) -> Vec<u8> {
        let parts: [&[u8]; 3] = [
            br#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a.mg","version":2},"contentChanges":[{"text":""#,
            text,
            br#""}]}}"#,
        ];
        parts.concat()
    }

    fn text(body: &Body) -> &str {
        body.value.pointer("/params/contentChanges/0/text").and_then(Value::as_str).unwrap()
    }

    fn lost(uri: &str) -> Loss {
        let document = LostDocument { uri: uri.into(), is_opening: false, is_certain: false };
        Loss { documents: vec![document], ..Loss::default() }
    }

    #[test]
    fn halves_are_read() {
        let cases: [(&[u8], &str, &[Half]); 7] = [
            (br"a\ud83d", "a\u{fffd}", &[Half { at: 1, unit: 0xd83d }]),
            (br"\uDE00a", "\u{fffd}a", &[Half { at: 0, unit: 0xde00 }]),
            (br"\ud83d\ude00\ud83d", "😀\u{fffd}", &[Half { at: 4, unit: 0xd83d }]),
            (br"\\ud83d\ud83dx", "\\ud83d\u{fffd}x", &[Half { at: 6, unit: 0xd83d }]),
            (br"\ud83d\n", "\u{fffd}\n", &[Half { at: 0, unit: 0xd83d }]),
            (br"\ufffd\ud83d\ud83d\ude00", "\u{fffd}\u{fffd}😀", &[Half { at: 3, unit: 0xd83d }]),
            (b"\xed\xa0\xbd.", "\u{fffd}.", &[Half { at: 0, unit: 0xd83d }]),
        ];
        for (sent, expected, halves) in cases {
            let body = read(&message(sent)).unwrap();
            assert_eq!((text(&body), body.halves.changes[0].as_slice()), (expected, halves));
        }
    }

    #[test]
    fn damage_shows_what_is_lost() {
        let damaged = |body: &[u8]| read(body).unwrap_err().loss;
        for text in [&b"\xff"[..], br"\x", b"\x01", br"\ud8", b"\xed\xa0", b"\" \""] {
            assert_eq!(damaged(&message(text)), lost("file:///a.mg"), "{}", text.escape_ascii());
        }
        let whole = message(b"x");
        assert_eq!(damaged(&whole[..whole.len() - 2]), lost("file:///a.mg"));
        assert!(damaged(&whole[..60]).unknown, "the URI is missing");
        let other = String::from_utf8(message(b"\\x")).unwrap().replace("didChange", "didChanged");
        assert_eq!(damaged(other.as_bytes()), lost("file:///a.mg"));
        let hover =
            br#"{"id":7,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a.mg"},"x":"#;
        assert_eq!(damaged(hover), Loss::default());
        assert!(damaged(b"{").unknown && damaged(b"").unknown);
        let of_uri = String::from_utf8(message(b"\\x")).unwrap().replace("a.mg", "\\x.mg");
        assert!(damaged(of_uri.as_bytes()).unknown);
    }

    #[test]
    fn a_damaged_request_keeps_its_id() {
        let damaged =
            read(b"{\"id\":7,\"method\":\"workspace/symbol\",\"params\":{\"query\":\"\xff\"}}").unwrap_err();
        assert_eq!((damaged.id, damaged.loss), (Some(7.into()), Loss::default()));
    }

    #[test]
    fn what_is_lost_with_messages_in_a_list() {
        let change = String::from_utf8(message(b"x")).unwrap();
        let list: Value =
            serde_json::from_str(&format!("[{change},{{\"id\":1,\"result\":null}},7]")).unwrap();
        let document = LostDocument { uri: "file:///a.mg".into(), is_opening: false, is_certain: true };
        assert_eq!(Loss::new(&list, true), Loss { documents: vec![document], ..Loss::default() });
        assert_eq!(Loss::new(&serde_json::json!({ "id": 1, "result": null }), true), Loss::default());
    }
}
