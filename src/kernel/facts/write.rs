//! Values as the cells of a table, so that reading them with the same declaration gives them again.

use serde_json::{Map, Value as Json};

use crate::kernel::values::{duration_text, time_text};
use crate::kernel::{Datum, ValueId, Values};

impl Values {
    /// A value as a cell: strings as they are, what has parts as JSON.
    #[must_use]
    pub fn cell(&self, id: ValueId) -> String {
        match self.json(id) {
            Json::String(text) => text,
            json => json.to_string(),
        }
    }

    /// A value as JSON: names, instants and durations are strings.
    #[must_use]
    pub fn json(&self, id: ValueId) -> Json {
        match self.get(id) {
            Datum::Name(text) | Datum::String(text) => text.as_ref().into(),
            Datum::Number(number) => (*number).into(),
            // JSON knows no infinity.
            Datum::Float(bits) => serde_json::Number::from_f64(f64::from_bits(*bits))
                .map_or_else(|| self.display(id).to_string().into(), Json::Number),
            Datum::Bytes(bytes) => String::from_utf8_lossy(bytes).into(),
            Datum::Time(nanos) => time_text(*nanos).into(),
            Datum::Duration(nanos) => duration_text(*nanos).into(),
            Datum::Pair(first, second) => [self.json(*first), self.json(*second)].to_vec().into(),
            Datum::List(elements) => elements.iter().map(|element| self.json(*element)).collect(),
            Datum::Map(entries) | Datum::Struct(entries) => {
                let entries = entries.iter().map(|(key, value)| (self.cell(*key), self.json(*value)));
                Json::Object(entries.collect::<Map<_, _>>())
            }
        }
    }
}
