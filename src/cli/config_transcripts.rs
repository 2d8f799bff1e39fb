//! `config`: the settings of `[transcripts]` as they hold.

use std::collections::BTreeMap;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use mangle_settings::{
    AtomSettings, Caps, Consumer, PointerPattern, Profile, TranscriptOverride, TranscriptSettings,
    TranscriptShape,
};

/// The settings of `[transcripts]` and of the tables in it.
#[derive(Debug, Serialize)]
pub(super) struct Transcripts {
    #[serde(flatten)]
    own: SettingRows,
    atoms: SettingRows,
    caps: SettingRows,
    consumers: BTreeMap<String, SettingRows>,
    #[serde(rename = "shape")]
    shapes: Vec<SettingRows>,
    #[serde(rename = "override")]
    overrides: Vec<SettingRows>,
}

/// The keys of a table, each with its value.
#[derive(Debug)]
pub(super) struct SettingRows(pub(super) Vec<(&'static str, SettingRow)>);

/// The value of a key.
#[derive(Debug)]
pub(super) enum SettingRow {
    Set(Value),
    /// Nothing is set, which means this.
    Unset(&'static str),
}

impl SettingRow {
    pub(super) fn of(value: Option<impl Into<Value>>, unset: &'static str) -> Self {
        value.map_or(Self::Unset(unset), |value| Self::Set(value.into()))
    }
}

impl Transcripts {
    pub(super) fn new(settings: &TranscriptSettings) -> Self {
        let consumers = settings.consumers.iter();
        Self {
            own: own(settings),
            atoms: atoms(&settings.atoms),
            caps: caps(&settings.caps),
            consumers: consumers.map(|(name, one)| (name.clone(), consumer(one))).collect(),
            shapes: settings.shapes.iter().map(shape).collect(),
            overrides: settings.overrides.iter().map(overriding).collect(),
        }
    }

    /// As the part of a configuration file that says it all.
    pub(super) fn text(&self) -> String {
        let mut out = format!("\n[transcripts]\n{}", self.own.text());
        out.push_str(&format!("\n[transcripts.atoms]\n{}", self.atoms.text()));
        out.push_str(&format!("\n[transcripts.caps]\n{}", self.caps.text()));
        for (name, rows) in &self.consumers {
            let is_bare = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
            let name = if is_bare { name.clone() } else { format!("{name:?}") };
            out.push_str(&format!("\n[transcripts.consumers.{name}]\n{}", rows.text()));
        }
        for rows in &self.shapes {
            out.push_str(&format!("\n[[transcripts.shape]]\n{}", rows.text()));
        }
        for rows in &self.overrides {
            out.push_str(&format!("\n[[transcripts.override]]\n{}", rows.text()));
        }
        out
    }
}

fn own(settings: &TranscriptSettings) -> SettingRows {
    let TranscriptSettings { specialists, success_phrases, .. } = settings;
    let usual = |value: &str| SettingRow::Set(value.into());
    SettingRows(vec![
        ("include", SettingRow::Set(settings.include.patterns().into())),
        ("profile", usual(settings.profile.map_or("auto", Profile::as_str))),
        ("consumer", usual(settings.consumer.as_deref().unwrap_or("open"))),
        ("strict", usual(settings.strict.as_str())),
        ("require_valid_json", SettingRow::Set(settings.caps.strict.into())),
        ("envelope_select", usual(settings.select.as_str())),
        ("container", SettingRow::of(settings.container.map(|one| one.as_str()), "it is found out")),
        ("turn_separator", SettingRow::of(settings.turn_separator.clone(), "the usual lines")),
        ("tools", SettingRow::of(settings.tools.clone(), "none are known")),
        ("specialists", SettingRow::of(specialists.clone(), "none are known")),
        ("success_phrases", SettingRow::Set(success_phrases.as_slice().into())),
        (
            "target_compression_ratio",
            SettingRow::of(settings.target_compression_ratio, "100, and single turns do not count"),
        ),
        ("min_trace_words", SettingRow::Set(settings.min_trace_words.into())),
        ("closed_limit", SettingRow::Set(settings.closed_limit.into())),
    ])
}

fn atoms(settings: &AtomSettings) -> SettingRows {
    let types = if settings.types_are_errors { "error" } else { "warning" };
    let period = settings.trailing_period.map(|period| period.as_str());
    SettingRows(vec![
        ("trailing_period", SettingRow::of(period, "what the version of the protocol says")),
        ("types", SettingRow::Set(types.into())),
        ("allow_escaped_metachars", SettingRow::Set(settings.allow_escaped_metachars.into())),
        ("protected", SettingRow::of(settings.protected.clone(), "the built-in list")),
        ("protected_extra", SettingRow::Set(settings.protected_extra.as_slice().into())),
        ("sensitive", SettingRow::of(settings.sensitive.clone(), "the built-in list")),
    ])
}

fn caps(caps: &Caps) -> SettingRows {
    let limit = |name, value: usize| (name, SettingRow::Set(value.into()));
    SettingRows(vec![
        ("allow_markdown_wrapped", SettingRow::Set(caps.fenced.into())),
        limit("max_surface_length", caps.surface),
        limit("max_depth", caps.depth),
        limit("max_candidate", caps.candidate),
        limit("max_updates", caps.updates),
        limit("max_update_length", caps.update),
        limit("max_memory_operations", caps.memory),
        limit("max_reasoning_trace", caps.trace),
        limit("max_tool_requests", caps.tools),
        limit("max_knowledge_requests", caps.knowledge),
    ])
}

fn consumer(one: &Consumer) -> SettingRows {
    SettingRows(vec![
        ("predicates", SettingRow::Set(one.predicates.as_slice().into())),
        ("prefixes", SettingRow::Set(one.prefixes.as_slice().into())),
        ("max_updates", SettingRow::Set(one.max_updates.into())),
        ("protected", SettingRow::Set(one.protected.into())),
    ])
}

fn shape(one: &TranscriptShape) -> SettingRows {
    let pointer =
        |pointer: &Option<PointerPattern>| pointer.as_ref().map(|pointer| pointer.as_str().to_owned());
    let texts: Vec<_> = one.text.iter().map(PointerPattern::as_str).collect();
    SettingRows(vec![
        ("name", SettingRow::Set(one.name.as_str().into())),
        ("glob", SettingRow::of(one.glob.as_ref().map(|glob| glob.patterns()), "all transcripts")),
        ("records", SettingRow::Set(pointer(&one.records).unwrap_or_default().into())),
        ("role", SettingRow::of(pointer(&one.role), "the model")),
        ("text", SettingRow::of((!texts.is_empty()).then_some(texts), "what `pattern` says")),
        ("session", SettingRow::of(pointer(&one.session), "what the record says")),
        ("time", SettingRow::of(pointer(&one.time), "what the record says")),
        ("assistant", SettingRow::Set(one.assistant.as_slice().into())),
        ("pattern", SettingRow::of(one.pattern.clone(), "it is JSON")),
    ])
}

/// What is not set in an override stays as it is, and is not told.
fn overriding(one: &TranscriptOverride) -> SettingRows {
    let set = |name, value: Option<Value>| value.map(|value| (name, SettingRow::Set(value)));
    let rows = [
        set("glob", Some(one.glob.patterns().into())),
        set("profile", one.profile.map(|profile| profile.as_str().into())),
        set("consumer", one.consumer.clone().map(Value::from)),
        set("container", one.container.map(|container| container.as_str().into())),
        set("strict", one.strict.map(|strict| strict.as_str().into())),
        set("require_valid_json", one.require_valid_json.map(Value::from)),
    ];
    SettingRows(rows.into_iter().flatten().collect())
}

impl SettingRows {
    /// A line for each key.
    pub(super) fn text(&self) -> String {
        let line = |(name, row): &(&str, SettingRow)| match row {
            SettingRow::Set(value) => format!("{name} = {}\n", toml(value)),
            SettingRow::Unset(meaning) => format!("# {name}: {meaning}\n"),
        };
        self.0.iter().map(line).collect()
    }
}

impl Serialize for SettingRows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, row) in &self.0 {
            match row {
                SettingRow::Set(value) => map.serialize_entry(name, value)?,
                SettingRow::Unset(_) => map.serialize_entry(name, &Value::Null)?,
            }
        }
        map.end()
    }
}

/// A value as it is written in a configuration file.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(entries) if entries.is_empty() => "{}".to_owned(),
        Value::Object(entries) => {
            let entries = entries
                .iter()
                .map(|(name, value)| format!("{} = {}", toml(&name.as_str().into()), toml(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Array(values) => format!("[{}]", values.iter().map(toml).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_settings::keys::{ATOMS, CAPS, CONSUMERS, OVERRIDE, SHAPE, TRANSCRIPTS};

    /// A key of the settings that nobody prints would be a setting that nobody can look up.
    #[test]
    fn every_key_is_told() {
        let settings = TranscriptSettings {
            overrides: vec![TranscriptOverride {
                profile: Some(Profile::Current),
                consumer: Some("x".into()),
                container: Some(mangle_settings::Container::Raw),
                strict: Some(Default::default()),
                require_valid_json: Some(true),
                ..TranscriptOverride::default()
            }],
            shapes: vec![TranscriptShape::default()].into(),
            consumers: [("x".to_owned(), Consumer::default())].into(),
            ..TranscriptSettings::default()
        };
        let told = serde_json::to_value(Transcripts::new(&settings)).unwrap();
        let tables = [
            (TRANSCRIPTS, ""),
            (ATOMS, "/atoms"),
            (CAPS, "/caps"),
            (CONSUMERS, "/consumers/x"),
            (SHAPE, "/shape/0"),
            (OVERRIDE, "/override/0"),
        ];
        for (section, pointer) in tables {
            let mut keys: Vec<_> = section.keys.iter().map(|key| key.name).collect();
            let mut found: Vec<_> = told.pointer(pointer).unwrap().as_object().unwrap().keys().collect();
            keys.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, keys, "{}", section.name);
        }
    }
}
