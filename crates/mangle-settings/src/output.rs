//! Values of settings as output has them: as a configuration file that says them all, and as JSON.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use super::keys::{Absence, Key, Section};

/// The value of a setting.
#[derive(Debug, Clone)]
pub enum SettingValue {
    /// Nothing is set.
    Unset,
    /// A value.
    Value(Json),
    /// `[table]`
    Table(Rows),
    /// `[[table]]`, in order.
    Tables(Vec<Rows>),
    /// `[table.NAME]`, by name.
    Named(Vec<(String, Rows)>),
}

impl SettingValue {
    pub(super) fn of(value: impl Into<Json>) -> Self {
        Self::Value(value.into())
    }

    /// The value, or the one that counts without any.
    pub(super) fn or(&self, absence: Absence) -> Option<Json> {
        match (self, absence) {
            (Self::Value(value), _) => Some(value.clone()),
            (Self::Unset, Absence::Is(word)) => Some(word.into()),
            _ => None,
        }
    }

    /// The tables with the lines that open them.
    fn tables<'r>(&'r self, path: &str) -> Vec<(String, &'r Rows)> {
        match self {
            Self::Unset | Self::Value(_) => Vec::new(),
            Self::Table(rows) => vec![(format!("[{path}]"), rows)],
            Self::Tables(all) => all.iter().map(|rows| (format!("[[{path}]]"), rows)).collect(),
            Self::Named(all) => {
                all.iter().map(|(name, rows)| (format!("[{path}.{}]", quote(name)), rows)).collect()
            }
        }
    }
}

impl Serialize for SettingValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unset => serializer.serialize_none(),
            Self::Value(value) => value.serialize(serializer),
            Self::Table(rows) => rows.serialize(serializer),
            Self::Tables(all) => all.serialize(serializer),
            Self::Named(all) => serializer.collect_map(all.iter().map(|(name, rows)| (name, rows))),
        }
    }
}

/// The keys of a table, each with its value. Tables in it come behind its other keys.
#[derive(Debug, Clone)]
pub struct Rows {
    section: &'static Section,
    rows: Vec<(&'static Key, SettingValue)>,
}

impl Rows {
    /// `values` are those of the keys of `section`, in their order.
    pub(super) fn new(section: &'static Section, values: Vec<SettingValue>) -> Self {
        let is_table = |(_, value): &(&Key, SettingValue)| {
            !matches!(value, SettingValue::Unset | SettingValue::Value(_))
        };
        let mut rows: Vec<_> = section.keys.iter().zip(values).collect();
        rows.sort_by_key(is_table);
        Self { section, rows }
    }

    /// The rows of all keys but those of these names.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        self.rows.retain(|(key, _)| !names.contains(&key.name));
        self
    }

    /// The rows whose values differ from the ones of `defaults`, which are of the same table. A table in it keeps the rows that
    /// differ; lists of tables are kept whole.
    #[must_use]
    pub fn differing_from(mut self, defaults: &Self) -> Self {
        self.rows.retain_mut(|(key, value)| {
            let default = defaults.rows.iter().find(|(other, _)| other.name == key.name);
            match (value, default.map(|(_, default)| default)) {
                (SettingValue::Table(rows), Some(SettingValue::Table(default))) => {
                    let section = rows.section;
                    let whole = std::mem::replace(rows, Self { section, rows: Vec::new() });
                    *rows = whole.differing_from(default);
                    !rows.rows.is_empty()
                }
                (SettingValue::Unset, _) => false,
                (SettingValue::Tables(all), _) => !all.is_empty(),
                (SettingValue::Named(all), _) => !all.is_empty(),
                (SettingValue::Value(value), default) => {
                    !matches!(default, Some(SettingValue::Value(default)) if default == value)
                }
                (SettingValue::Table(_), _) => true,
            }
        });
        self
    }

    /// As a part of a configuration file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out: String = self.rows.iter().map(|(key, value)| line(key, value)).collect();
        for (key, value) in &self.rows {
            for (header, rows) in value.tables(&self.section.path(key.name)) {
                out.push_str(&format!("\n{header}\n{}", rows.text()));
            }
        }
        out
    }
}

/// A table of settings, such as `[replay]` or one `[[program]]`.
pub trait SettingTable: Default {
    /// Its keys.
    const SECTION: &'static Section;

    /// Its keys with their values, in the order of [`SettingTable::SECTION`].
    #[must_use]
    fn rows(&self) -> Rows;
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in &self.rows {
            match (value, key.absence) {
                (SettingValue::Unset, Absence::Is(word)) => map.serialize_entry(key.name, word)?,
                (SettingValue::Unset, Absence::Default | Absence::Required) => {}
                _ => map.serialize_entry(key.name, value)?,
            }
        }
        map.end()
    }
}

/// The line of a key that opens no table.
fn line(key: &Key, value: &SettingValue) -> String {
    match (value.or(key.absence), value, key.absence) {
        (Some(value), ..) => format!("{} = {}\n", key.name, toml(&value)),
        (None, SettingValue::Unset, Absence::Means(meaning)) => format!("# {}: {meaning}\n", key.name),
        _ => String::new(),
    }
}

/// A value as it is written in a configuration file.
pub(super) fn toml(value: &Json) -> String {
    match value {
        Json::Object(entries) if entries.is_empty() => "{}".to_owned(),
        Json::Object(entries) => {
            let entries = entries
                .iter()
                .map(|(name, value)| format!("{} = {}", toml(&name.as_str().into()), toml(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        Json::Array(values) => format!("[{}]", values.iter().map(toml).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// A key, in quotes where it needs them.
fn quote(name: &str) -> String {
    let is_bare = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_bare { name.to_owned() } else { toml(&name.into()) }
}
