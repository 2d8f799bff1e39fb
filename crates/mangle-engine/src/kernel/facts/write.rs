//! Writes values as table cells that the reader converts back to the same values.
//!
//! Values that are too deep or too large for JSON are shortened. An omitted part becomes a string
//! with the number of missing bytes and a hash of the part.

use serde_json::{Map, Value as Json};

use crate::kernel::values::{MARK, cut_text, duration_text, mark, time_text};
use crate::kernel::{Datum, ValueId, Values};

impl Values {
    /// Formats a value as a cell of at most about `bytes` bytes. Strings are unchanged, and
    /// compound values become JSON.
    #[must_use]
    pub fn cell_within(&self, id: ValueId, bytes: usize) -> String {
        match self.json_within(id, bytes) {
            Json::String(text) => text,
            json => json.to_string(),
        }
    }

    /// Converts a value to JSON of at most about `bytes` bytes. Names, instants and durations
    /// become strings.
    #[must_use]
    pub fn json_within(&self, id: ValueId, bytes: usize) -> Json {
        Writer { values: self, left: bytes, depth: 0 }.value(id)
    }
}

/// Converts values to JSON until the size limit is reached.
struct Writer<'v> {
    values: &'v Values,
    left: usize,
    /// The nesting depth of the current value.
    depth: u32,
}

/// The maximum nesting depth of the JSON. Readers fail at 128 levels.
const MAX_DEPTH: u32 = 100;

impl Writer<'_> {
    fn value(&mut self, id: ValueId) -> Json {
        let datum = self.values.get(id);
        if is_long(datum) && (self.left == 0 || self.depth == MAX_DEPTH) {
            self.left = self.left.saturating_sub(MARK);
            return mark(self.values, id, 0).into();
        }
        self.depth += 1;
        let json = match datum {
            Datum::Pair(first, second) => self.elements(&[*first, *second]),
            Datum::List(elements) => self.elements(elements),
            Datum::Map(entries) | Datum::Struct(entries) => self.entries(entries),
            datum => self.leaf(id, datum),
        };
        self.depth -= 1;
        json
    }

    /// Converts a map key with a part of the remaining size, because nested JSON in a string grows
    /// with every level.
    fn key(&mut self, id: ValueId) -> String {
        let room = (self.left / 16).max(MARK).min(self.left);
        let others = self.left - room;
        self.left = room;
        let json = self.value(id);
        self.left += others;
        match json {
            Json::String(text) => text,
            json => {
                let text = json.to_string();
                self.left = self.left.saturating_sub(text.len());
                if text.len() > room { mark(self.values, id, 0) } else { text }
            }
        }
    }

    fn leaf(&mut self, id: ValueId, datum: &Datum) -> Json {
        let json: Json = match datum {
            Datum::Name(text) | Datum::String(text) => self.text(id, text),
            Datum::Number(number) => (*number).into(),
            // JSON has no infinity.
            Datum::Float(bits) => serde_json::Number::from_f64(f64::from_bits(*bits))
                .map_or_else(|| self.values.display(id).to_string().into(), Json::Number),
            Datum::Bytes(bytes) => {
                let start = bytes.get(..self.left.saturating_mul(2).min(bytes.len())).unwrap_or_default();
                self.text(id, &String::from_utf8_lossy(start))
            }
            Datum::Time(nanos) => time_text(*nanos).into(),
            Datum::Duration(nanos) => duration_text(*nanos).into(),
            Datum::Pair(..) | Datum::List(_) | Datum::Map(_) | Datum::Struct(_) => Json::Null,
        };
        let size = usize::try_from(self.values.printed_bytes(id)).unwrap_or(usize::MAX);
        self.left = self.left.saturating_sub(size);
        json
    }

    fn text(&self, id: ValueId, text: &str) -> Json {
        cut_text(self.values, id, text, self.left).into()
    }

    fn elements(&mut self, elements: &[ValueId]) -> Json {
        let mut all = Vec::new();
        for (at, element) in elements.iter().enumerate() {
            if self.left == 0 {
                all.push(self.rest(elements.get(at..).unwrap_or_default().iter().copied()));
                break;
            }
            self.left = self.left.saturating_sub(1);
            all.push(self.value(*element));
        }
        Json::Array(all)
    }

    fn entries(&mut self, entries: &[(ValueId, ValueId)]) -> Json {
        let mut all = Map::new();
        for (at, (key, value)) in entries.iter().enumerate() {
            if self.left == 0 {
                let rest =
                    entries.get(at..).unwrap_or_default().iter().flat_map(|(key, value)| [*key, *value]);
                all.insert("…".to_owned(), self.rest(rest));
                break;
            }
            let key = self.key(*key);
            self.left = self.left.saturating_sub(2);
            all.insert(key, self.value(*value));
        }
        Json::Object(all)
    }

    /// The placeholder for parts that exceed the size limit.
    fn rest(&self, parts: impl Iterator<Item = ValueId>) -> Json {
        let sizes = parts.map(|part| self.values.printed_bytes(part));
        format!("…({} bytes)…", sizes.fold(0, u64::saturating_add)).into()
    }
}

/// True if a value can be longer than its placeholder.
fn is_long(datum: &Datum) -> bool {
    match datum {
        Datum::Name(text) | Datum::String(text) => text.len() > 64,
        Datum::Bytes(bytes) => bytes.len() > 64,
        Datum::List(elements) => !elements.is_empty(),
        Datum::Map(entries) | Datum::Struct(entries) => !entries.is_empty(),
        Datum::Pair(..) => true,
        _ => false,
    }
}
