//! What is known of the keys of `mangle-ls.toml`, from which schema, documentation and editor settings are made.

use serde_json::Value as Json;

use super::output::{SettingValue, toml};

/// The values that a severity in `[rules]` can have.
pub const RULE_WORDS: [&str; 5] = ["off", "hint", "information", "warning", "error"];

/// A table of the configuration file.
#[derive(Debug)]
pub struct Section {
    /// The name in brackets, with those of the tables around it (`transcripts.atoms`); empty for the keys outside of any
    /// table.
    pub name: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

/// A key.
#[derive(Debug)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// What its values look like.
    pub kind: Kind,
    /// What it does, in a sentence or two.
    pub doc: &'static str,
    /// What it means that the key is left out.
    pub absence: Absence,
    /// Its value in a table without any key.
    pub(super) default: fn() -> SettingValue,
}

/// What it means that a key without a value is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// Nothing that is worth telling.
    Default,
    /// This, which cannot be written as a value.
    Means(&'static str),
    /// The same as this string.
    Is(&'static str),
    /// That the table means nothing: the key is required.
    Required,
}

/// What the values of a key look like.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A regular expression.
    Pattern,
    /// A JSON pointer in which `*` means every element.
    Pointer,
    /// The same, or a list of them.
    PointerOrPointers,
    /// A file, relative to the configuration file and not outside of its folder.
    File,
    /// A list of globs relative to the configuration file.
    Globs,
    /// The same, or one of them.
    GlobOrGlobs,
    /// A list of `name/arity`.
    Predicates,
    /// A requirement on the version of this tool, as Cargo writes them: `>=0.1, <0.3`.
    Version,
    /// A release of the engine, or a day.
    Engine,
    /// A whole number from the first to the second.
    Number(i64, i64),
    /// A number from the first to the second, perhaps with a fraction.
    Decimal(u32, u32),
    /// An instant as RFC 3339 writes it: `2026-01-31T12:00:00Z`.
    Instant,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The same, or `true` or `false`.
    WordOrFlag(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A table with severities of rules.
    Rules,
    /// A table.
    Table(&'static Section),
    /// A list of tables (`[[…]]`).
    Tables(&'static Section),
    /// A table whose keys are names of the author's choice, and whose values are tables.
    Named(&'static Section),
    /// A table whose keys are names of the author's choice, and whose values are strings.
    TextsByName,
    /// One of these words, or a table of stores with their predicates.
    Stores(&'static [&'static str]),
}

impl Kind {
    /// The section that a key of this kind opens.
    #[must_use]
    pub fn section(self) -> Option<&'static Section> {
        match self {
            Self::Table(section) | Self::Tables(section) | Self::Named(section) => Some(section),
            _ => None,
        }
    }
}

impl Key {
    /// The default; `None` where leaving the key out means something that cannot be written.
    #[must_use]
    pub fn default_value(&self) -> Option<Json> {
        match self.kind {
            Kind::TextsByName => None,
            _ if self.absence == Absence::Required => None,
            _ => (self.default)().or(self.absence),
        }
    }

    /// The default as it would be written.
    #[must_use]
    pub fn default_text(&self) -> Option<String> {
        self.default_value().as_ref().map(toml)
    }
}

impl Section {
    /// The name of one of its keys with the names of the tables around it.
    #[must_use]
    pub fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    /// How one of its keys is written, with the tables around it: `kernel.now`, `[kernel]`, `[[program]]`,
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

    /// The key of this name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

/// All tables, each behind the one around it, with the lines that open them. That of `root`, the keys outside of any, is empty.
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
