//! Output of settings, as a complete configuration file and as JSON.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use super::keys::{Absence, Key, Section};

/// The value of a setting.
#[derive(Debug, Clone)]
pub enum SettingValue {
    /// The setting has no value.
    Unset,
    /// A value.
    Value(Json),
    /// `[table]`.
    Table(Rows),
    /// `[[table]]`, in order.
    Tables(Vec<Rows>),
    /// `[table.NAME]`, by name.
    Named(Vec<(String, Rows)>),
}

impl SettingValue {
    pub(super) fn new(value: impl Into<Json>) -> Self {
        Self::Value(value.into())
    }

    /// The value, or the default value if the setting is unset.
    pub(super) fn or(&self, absence: Absence) -> Option<Json> {
        match (self, absence) {
            (Self::Value(value), _) => Some(value.clone()),
            (Self::Unset, Absence::Is(word)) => Some(word.into()),
            _ => None,
        }
    }

    /// The tables with their header lines.
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

/// The keys of a table with their values. Nested tables come after the other keys.
#[derive(Debug, Clone)]
pub struct Rows {
    section: &'static Section,
    rows: Vec<(&'static Key, SettingValue)>,
}

impl Rows {
    /// `values` has one value for each key of `section`, in the same order.
    pub(super) fn new(section: &'static Section, values: Vec<SettingValue>) -> Self {
        let is_table = |(_, value): &(&Key, SettingValue)| {
            !matches!(value, SettingValue::Unset | SettingValue::Value(_))
        };
        let mut rows: Vec<_> = section.keys.iter().zip(values).collect();
        rows.sort_by_key(is_table);
        Self { section, rows }
    }

    /// Removes the keys with these names.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        self.rows.retain(|(key, _)| !names.contains(&key.name));
        self
    }

    /// Keeps the rows whose values differ from `defaults`, which must be rows of the same table.
    /// Nested tables are compared by row; lists of tables are kept whole.
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

    /// Formats the rows as a part of a configuration file.
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
    /// The keys of the table.
    const SECTION: &'static Section;

    /// The keys with their values, in the order of [`SettingTable::SECTION`].
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

/// Formats the line of a key that does not open a table.
fn line(key: &Key, value: &SettingValue) -> String {
    match (value.or(key.absence), value, key.absence) {
        (Some(value), ..) => format!("{} = {}\n", key.name, toml(&value)),
        (None, SettingValue::Unset, Absence::Means(meaning)) => format!("# {}: {meaning}\n", key.name),
        _ => String::new(),
    }
}

/// Formats a value as TOML.
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

/// Formats a key, quoted if necessary.
fn quote(name: &str) -> String {
    let is_bare = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_bare { name.to_owned() } else { toml(&name.into()) }
}
