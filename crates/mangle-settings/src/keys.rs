//! Metadata of the keys of `mangle-ls.toml`, the source of the schema, the documentation and the
//! editor settings.

use serde_json::Value as Json;

use super::output::{SettingValue, toml};

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
