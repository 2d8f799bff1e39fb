//! A case of the suite: its input and the recorded results by version.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// The recorded result of one version: the parts to compare, and remarks.
pub(crate) type Expectation = Map<String, Value>;

/// A case.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// Its name, which is unique in the file.
    pub(crate) id: String,
    /// The members of the input.
    pub(crate) input: Map<String, Value>,
    /// The recorded results by version.
    pub(crate) expected: BTreeMap<String, Expectation>,
}

impl Case {
    /// The line of the case.
    pub(crate) fn line(&self) -> Value {
        let mut line = Map::new();
        line.insert("id".into(), self.id.as_str().into());
        line.extend(self.input.clone());
        line.insert("expected".into(), json!(self.expected));
        line.into()
    }

    /// The bytes of a reply.
    pub(crate) fn raw(&self) -> Option<Vec<u8>> {
        bytes(&self.input, "raw")
    }

    /// The names and contents of the files of a program, in the order of the case.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let files = self.input.get("files").and_then(Value::as_array).into_iter().flatten();
        let file =
            |file: &Value| Some((file["name"].as_str()?.to_owned(), bytes(file.as_object()?, "text")?));
        files.filter_map(file).collect()
    }

    /// The text of a member of the input.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.input.get(name)?.as_str()
    }
}

/// The bytes of the member `name`, or of `name_base64`.
fn bytes(members: &Map<String, Value>, name: &str) -> Option<Vec<u8>> {
    match members.get(name) {
        Some(text) => Some(text.as_str()?.as_bytes().to_vec()),
        None => STANDARD.decode(members.get(&format!("{name}_base64"))?.as_str()?).ok(),
    }
}

/// Adds bytes as the member `name`, or as `name_base64` if they are not UTF-8.
pub(super) fn insert_bytes(members: &mut Map<String, Value>, name: &str, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => members.insert(name.into(), text.into()),
        Err(_) => members.insert(format!("{name}_base64"), STANDARD.encode(bytes).into()),
    };
}
