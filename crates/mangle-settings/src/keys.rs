//! Metadata and values of the keys of `mangle-ls.toml`, the source of the schema, the documentation, the
//! editor settings, and the output of a complete configuration file.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

/// The accepted severities in `[rules]`.
pub const RULE_WORDS: [&str; 5] = ["off", "hint", "information", "warning", "error"];

/// A table of the configuration file.
#[derive(Debug)]
pub struct Section {
    /// The name in brackets, including parent tables (`transcripts.atoms`). Empty for the top
    /// level.
    pub name: &'static str,
    /// The keys of the table.
    pub keys: &'static [Key],
}

/// A key of the configuration file.
#[derive(Debug)]
pub struct Key {
    /// The name of the key.
    pub name: &'static str,
    /// The form of its values.
    pub kind: Kind,
    /// Documentation of the key, one or two sentences.
    pub doc: &'static str,
    /// The effect of omitting the key.
    pub absence: Absence,
    /// The value in a table without keys.
    pub(super) default: fn() -> SettingValue,
}

/// The effect of omitting a key that has no default value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// The default applies; no further documentation.
    Default,
    /// An effect that no value expresses.
    Means(&'static str),
    /// Omitting the key has the same effect as this string.
    Is(&'static str),
    /// The key is required. A table that lacks the key is ignored.
    Required,
}

/// The form of the values of a key.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A regular expression.
    Pattern,
    /// A JSON pointer with `*` for every element.
    Pointer,
    /// A JSON pointer, or a list of them.
    PointerOrPointers,
    /// A file path relative to the configuration file, inside its folder.
    File,
    /// A list of globs relative to the configuration file.
    Globs,
    /// A list of globs, or a single glob.
    GlobOrGlobs,
    /// A list of `name/arity`.
    Predicates,
    /// A version requirement on this tool in Cargo's syntax: `>=0.1, <0.3`.
    Version,
    /// A release of the engine, or a date.
    Engine,
    /// An integer between the two values, both included.
    Number(i64, i64),
    /// A number between the two values, both included. A fraction is allowed.
    Decimal(u32, u32),
    /// An RFC 3339 timestamp: `2026-01-31T12:00:00Z`.
    Instant,
    /// A word from this list.
    Word(&'static [&'static str]),
    /// A word from this list, or `true` or `false`.
    WordOrFlag(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A table that maps rules to severities.
    Rules,
    /// A table.
    Table(&'static Section),
    /// A list of tables (`[[…]]`).
    Tables(&'static Section),
    /// A table that maps user-defined names to tables.
    Named(&'static Section),
    /// A table that maps user-defined names to strings.
    TextsByName,
    /// A word from this list, or a table that maps stores to predicates.
    Stores(&'static [&'static str]),
}

impl Kind {
    /// The table that a key of this kind opens.
    #[must_use]
    pub fn section(self) -> Option<&'static Section> {
        match self {
            Self::Table(section) | Self::Tables(section) | Self::Named(section) => Some(section),
            _ => None,
        }
    }
}

impl Key {
    /// The default value. `None` if the default cannot be written as a value.
    #[must_use]
    pub fn default_value(&self) -> Option<Json> {
        match self.kind {
            Kind::TextsByName => None,
            _ if self.absence == Absence::Required => None,
            _ => (self.default)().or(self.absence),
        }
    }

    /// The default as it would be written in the file.
    #[must_use]
    pub fn default_text(&self) -> Option<String> {
        self.default_value().as_ref().map(toml)
    }
}

impl Section {
    /// The name of a key, including parent tables.
    #[must_use]
    pub fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    /// The notation of a key, including parent tables: `kernel.now`, `[kernel]`, `[[program]]`,
    /// `[transcripts.consumers.NAME]`.
    #[must_use]
    pub fn notation(&self, key: &Key) -> String {
        let path = self.path(key.name);
        match key.kind {
            Kind::Tables(_) => format!("[[{path}]]"),
            Kind::Named(_) => format!("[{path}.NAME]"),
            Kind::TextsByName => format!("{path}.NAME"),
            Kind::Table(_) | Kind::Rules => format!("[{path}]"),
            _ => path,
        }
    }

    /// Finds a key by name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

/// All tables with their header lines, each after its parent. The header of `root`, the top level,
/// is empty.
#[must_use]
pub fn sections(root: &'static Section) -> Vec<(String, &'static Section)> {
    fn collect(header: String, section: &'static Section, all: &mut Vec<(String, &'static Section)>) {
        all.push((header, section));
        for key in section.keys {
            if let Some(inner) = key.kind.section() {
                collect(section.notation(key), inner, all);
            }
        }
    }
    let mut all = Vec::new();
    collect(String::new(), root, &mut all);
    all
}

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
