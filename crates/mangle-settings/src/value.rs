//! Typed access to values of a TOML document, with findings for what has the wrong type.

use toml_span::value::{Table, ValueInner};
use toml_span::{Span, Value};

use super::findings::{CONFIG_BAD_VALUE, CONFIG_UNKNOWN_KEY};
use super::keys::{Key, Kind, Section, sections};
use super::output::SettingTable;
use super::program_places::ProgramPlaces;
use super::vocabulary::Vocabulary;
use mangle_syntax::lint::{Finding, Fix, Rule, SharedText};
use mangle_syntax::text::{TextRange, TextSize, nearest, size, slice, text_len};

/// Collects findings and places while values are read.
#[derive(Debug)]
pub(super) struct Reader<'t> {
    /// The text of the file.
    pub(super) text: &'t str,
    /// The keys outside of any table.
    root: &'static Section,
    pub(super) vocabulary: Vocabulary<'t>,
    pub(super) findings: Vec<Finding>,
    /// The file is for another version of this tool: the one finding that counts then.
    pub(super) unfit: Option<Finding>,
    pub(super) programs: Vec<ProgramPlaces>,
    pub(super) rules: Vec<(&'static Rule, TextRange)>,
    notes: Vec<Note>,
}

/// A word whose place is wanted later.
#[derive(Debug)]
struct Note {
    /// The key with the tables around it.
    path: String,
    word: String,
    span: Span,
}

/// What reads a table.
pub(super) trait TableReader: SettingTable {
    /// Reads the value of one key. One that cannot be is reported, and leaves the default.
    fn set(&mut self, at: KeyPath, value: Value<'_>, reader: &mut Reader<'_>);

    /// Checks what several keys are together, when all of them are read.
    fn finish(&mut self, reader: &mut Reader<'_>);
}

/// A key with its table.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyPath {
    pub(super) section: &'static Section,
    pub(super) key: &'static Key,
}

impl KeyPath {
    /// The key as messages have it.
    pub(super) fn label(self) -> String {
        format!("`{}`", self.key.name)
    }
}

impl<'t> Reader<'t> {
    /// Reads `text`, whose keys outside of any table are `root`.
    pub(super) fn new(text: &'t str, root: &'static Section, vocabulary: Vocabulary<'t>) -> Self {
        Self {
            text,
            root,
            vocabulary,
            findings: Vec::new(),
            unfit: None,
            programs: Vec::new(),
            rules: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Keeps the place of a word under its key.
    pub(super) fn note(&mut self, at: KeyPath, word: &str, span: Span) {
        self.notes.push(Note { path: at.section.path(at.key.name), word: word.to_owned(), span });
    }

    /// Takes the words that were kept under a key.
    pub(super) fn take_notes(&mut self, path: &str) -> Vec<(String, Span)> {
        let noted = self.notes.extract_if(.., |note| note.path == path);
        noted.map(|note| (note.word, note.span)).collect()
    }

    /// Takes the places of the words that were kept under a key.
    pub(super) fn take_places(&mut self, path: &str) -> Vec<TextRange> {
        self.take_notes(path).into_iter().map(|(_, span)| range(span)).collect()
    }

    /// Reads a table that `value` should be.
    pub(super) fn read_section<T: TableReader>(&mut self, value: Value<'_>) -> T {
        match self.table(value, &format!("`{}`", T::SECTION.name)) {
            Some(table) => self.read_table(table),
            None => T::default(),
        }
    }

    /// Reads the keys of a table; reports those that it does not have.
    pub(super) fn read_table<T: TableReader>(&mut self, table: Table<'_>) -> T {
        self.unknown_keys(T::SECTION, &table);
        let mut settings = T::default();
        for (key, value) in table {
            if let Some(key) = T::SECTION.key(&key.name) {
                settings.set(KeyPath { section: T::SECTION, key }, value, self);
            }
        }
        settings.finish(self);
        settings
    }

    /// The findings in the order of the file. What is wrong with settings for another version cannot be told.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        if let Some(unfit) = self.unfit {
            return vec![unfit];
        }
        self.findings.sort_by_key(|finding| finding.range.start());
        self.findings
    }

    /// Reports the keys of `table` that `section` does not have.
    pub(super) fn unknown_keys(&mut self, section: &Section, table: &Table<'_>) {
        for key in table.keys().filter(|key| section.key(&key.name).is_none()) {
            let place =
                if section.name.is_empty() { String::new() } else { format!(" in `{}`", section.name) };
            let message = format!("There is no setting `{}`{place}; the key is ignored.", key.name);
            let mut finding = Finding::new(&CONFIG_UNKNOWN_KEY, range(key.span), message);
            // A slip of the pen is likelier than a key that got lost.
            let is_slip = section.keys.iter().any(|known| {
                !table.contains_key(known.name) && strsim::damerau_levenshtein(known.name, &key.name) == 1
            });
            match home(self.root, &key.name).filter(|_| !is_slip) {
                Some(home) => finding.message.push_str(&format!(" It belongs {home}.")),
                None => {
                    // One that is there already cannot have been meant again, unless it may stand twice.
                    let free = section.keys.iter().filter(|known| {
                        matches!(known.kind, Kind::Tables(_)) || !table.contains_key(known.name)
                    });
                    finding = suggest(finding, &key.name, free.map(|known| known.name));
                }
            }
            self.findings.push(finding);
        }
    }

    /// A value that cannot be, which may have been meant as one of `known`.
    pub(super) fn bad_value_near<'a>(
        &mut self,
        span: Span,
        message: String,
        word: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) {
        self.findings.push(suggest(Finding::new(&CONFIG_BAD_VALUE, range(span), message), word, known));
    }

    /// A key that means nothing, with the one that was probably meant.
    pub(super) fn unknown_near<'a>(
        &mut self,
        span: Span,
        message: String,
        word: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) {
        self.findings.push(suggest(Finding::new(&CONFIG_UNKNOWN_KEY, range(span), message), word, known));
    }

    /// A value of the wrong kind.
    pub(super) fn bad_value(&mut self, span: Span, message: impl Into<SharedText>) {
        let range = first_line(self.text, span);
        self.findings.push(Finding::new(&CONFIG_BAD_VALUE, range, message));
    }

    /// The string that `value` should be.
    pub(super) fn string(&mut self, mut value: Value<'_>, what: &str) -> Option<(String, Span)> {
        let span = value.span;
        match value.take() {
            ValueInner::String(text) => Some((text.into_owned(), span)),
            other => {
                self.bad_value(span, capital(&format!("{what} is a string, not {}.", kind(&other))));
                None
            }
        }
    }

    /// The whole number from `least` to `most` that `value` should be.
    pub(super) fn number(
        &mut self,
        mut value: Value<'_>,
        what: &str,
        (least, most): (i64, i64),
    ) -> Option<i64> {
        let span = value.span;
        let found = match value.take() {
            ValueInner::Integer(number) if (least..=most).contains(&number) => {
                return Some(number);
            }
            ValueInner::Integer(number) => number.to_string(),
            other => kind(&other).to_owned(),
        };
        let message = format!("{what} is a whole number from {least} to {most}, not {found}.");
        self.bad_value(span, capital(&message));
        None
    }

    /// The number from `least` to `most` that `value` should be.
    pub(super) fn decimal(
        &mut self,
        mut value: Value<'_>,
        what: &str,
        (least, most): (u32, u32),
    ) -> Option<f64> {
        let span = value.span;
        let inner = value.take();
        let number = match inner {
            ValueInner::Integer(number) => u32::try_from(number).ok().map(f64::from),
            ValueInner::Float(number) => Some(number),
            _ => None,
        };
        let fitting = number.filter(|number| (f64::from(least)..=f64::from(most)).contains(number));
        if fitting.is_none() {
            let found = match inner {
                ValueInner::Integer(number) => number.to_string(),
                ValueInner::Float(number) => number.to_string(),
                other => kind(&other).to_owned(),
            };
            let message = format!("{what} is a number from {least} to {most}, not {found}.");
            self.bad_value(span, capital(&message));
        }
        fitting
    }

    /// Whether `value`, which should be `true` or `false`, is true.
    pub(super) fn flag(&mut self, mut value: Value<'_>, what: &str) -> Option<bool> {
        let span = value.span;
        match value.take() {
            ValueInner::Boolean(flag) => Some(flag),
            other => {
                let message = format!("{what} is `true` or `false`, not {}.", kind(&other));
                self.bad_value(span, capital(&message));
                None
            }
        }
    }

    /// The strings of the list that `value` should be.
    pub(super) fn strings(&mut self, mut value: Value<'_>, what: &str) -> Vec<(String, Span)> {
        let span = value.span;
        match value.take() {
            ValueInner::Array(values) => values
                .into_iter()
                .filter_map(|value| self.string(value, &format!("each of {what}")))
                .collect(),
            other => {
                self.bad_value(span, capital(&format!("{what} is a list of strings, not {}.", kind(&other))));
                Vec::new()
            }
        }
    }

    /// The table that `value` should be.
    pub(super) fn table<'de>(&mut self, mut value: Value<'de>, what: &str) -> Option<Table<'de>> {
        let span = value.span;
        match value.take() {
            ValueInner::Table(table) => Some(table),
            other => {
                self.bad_value(span, capital(&format!("{what} is a table, not {}.", kind(&other))));
                None
            }
        }
    }

    /// The word that `value` should be, read by `parse`; `words` is what may stand there.
    pub(super) fn word<T>(
        &mut self,
        value: Value<'_>,
        what: &str,
        words: &[&str],
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let (word, span) = self.string(value, what)?;
        let parsed = parse(&word);
        if parsed.is_none() {
            let message = format!("{what} cannot be \"{word}\"; it is one of {}.", words.join(", "));
            let finding = Finding::new(&CONFIG_BAD_VALUE, range(span), capital(&message));
            self.findings.push(suggest(finding, &word, words.iter().copied()));
        }
        parsed
    }
}

/// Where a key belongs that stands in the wrong table. TOML puts all keys below a header into its table, also
/// those that were meant for the file as a whole.
fn home(root: &'static Section, key: &str) -> Option<String> {
    let (header, _) = sections(root).into_iter().find(|(_, section)| section.key(key).is_some())?;
    Some(match header.as_str() {
        "" => "at the top of the file, above all `[…]`".to_owned(),
        _ => format!("under `{header}`"),
    })
}

/// Adds the nearest of `known` to the message and as a fix, if one is near.
pub(super) fn suggest<'a>(
    mut finding: Finding,
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Finding {
    let Some(near) = nearest(word, known) else { return finding };
    finding.message.push_str(&format!(" Did you mean `{near}`?"));
    let range = finding.range;
    finding.fix(Fix::guess(format!("Write `{near}`")).replace(range, near))
}

/// A span of the TOML parser as a range.
pub(super) fn range(span: Span) -> TextRange {
    TextRange::new(size(span.start), size(span.end.max(span.start)))
}

/// The first line of a span: where an entry as a whole is at fault, its start says enough.
pub(super) fn first_line(text: &str, span: Span) -> TextRange {
    let whole = range(span);
    let line = slice(text, whole).lines().next().map_or(TextSize::new(0), text_len);
    TextRange::at(whole.start(), line)
}

fn kind(value: &ValueInner<'_>) -> &'static str {
    match value {
        ValueInner::String(_) => "a string",
        ValueInner::Integer(_) | ValueInner::Float(_) => "a number",
        ValueInner::Boolean(_) => "true or false",
        ValueInner::Array(_) => "a list",
        ValueInner::Table(_) => "a table",
    }
}

/// The sentence with a capital at its start.
pub(super) fn capital(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
