//! Settings tables that an editor sends as JSON, such as `mangle.hints`.

use serde_json::Value as Json;
use toml_span::Value;
use toml_span::value::ValueInner;

use super::Vocabulary;
use super::hints::HintSettings;
use super::lenses::LensSettings;
use super::value::{KeyPath, Reader, TableReader};

impl HintSettings {
    /// Reads the settings that an editor sends. Values of the wrong kind are ignored.
    #[must_use]
    pub fn from_editor(sent: &Json) -> Self {
        read(sent)
    }
}

impl LensSettings {
    /// Reads the settings that an editor sends. Values of the wrong kind are ignored.
    #[must_use]
    pub fn from_editor(sent: &Json) -> Self {
        read(sent)
    }
}

fn read<T: TableReader>(sent: &Json) -> T {
    let mut reader = Reader::new("", T::SECTION, Vocabulary { rules: &[] });
    let mut settings = T::default();
    for key in T::SECTION.keys {
        let value = match sent.get(key.name) {
            Some(Json::Bool(flag)) => ValueInner::Boolean(*flag),
            Some(Json::String(word)) => ValueInner::String(word.as_str().into()),
            _ => continue,
        };
        settings.set(KeyPath { section: T::SECTION, key }, Value::new(value), &mut reader);
    }
    settings
}
