//! Typed access to TOML values, with findings for values of the wrong type.

use std::borrow::Cow;

use toml_span::value::{Table, ValueInner};
use toml_span::{Span, Value};

use super::findings::{CONFIG_BAD_VALUE, CONFIG_UNKNOWN_KEY};
use super::keys::SettingTable;
use super::keys::{Key, Kind, Section, sections};
use super::{ProgramRanges, Vocabulary};
use mangle_syntax::lint::{Finding, Fix, Rule, Severity};
use mangle_syntax::text::{TextRange, TextSize, listed, nearest, size, slice, text_len};

/// Collects findings and source ranges while values are read.
#[derive(Debug)]
pub(super) struct Reader<'t> {
    /// The text of the file.
    pub(super) text: &'t str,
    /// The keys of the top level.
    root: &'static Section,
    pub(super) vocabulary: Vocabulary<'t>,
    pub(super) findings: Vec<Finding>,
    /// The finding for a file that requires another version of this tool. It replaces all other
    /// findings.
    pub(super) version_mismatch: Option<Finding>,
    pub(super) programs: Vec<ProgramRanges>,
    pub(super) rules: Vec<(&'static Rule, TextRange)>,
    notes: Vec<Note>,
}

/// A word whose source range is used later.
#[derive(Debug)]
struct Note {
    /// The key, including parent tables.
    path: String,
    word: String,
    span: Span,
}

/// A type that is read from a table.
pub(super) trait TableReader: SettingTable {
    /// Reads the value of one key. An invalid value is reported and keeps the default.
    fn set(&mut self, at: KeyPath, value: Value<'_>, reader: &mut Reader<'_>);

    /// Checks combinations of keys after all of them are read.
    fn finish(&mut self, reader: &mut Reader<'_>);
}

/// A key with its table.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyPath {
    pub(super) section: &'static Section,
    pub(super) key: &'static Key,
}

/// An error in a value, as the parts of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ValueError {
    headline: String,
    notes: Vec<String>,
    help: Option<String>,
}

impl ValueError {
    pub(super) fn new(headline: impl Into<String>) -> Self {
        Self { headline: headline.into(), notes: Vec::new(), help: None }
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    fn finding(self, range: TextRange) -> Finding {
        let mut finding = Finding::new(&CONFIG_BAD_VALUE, range, self.headline);
        finding.notes.extend(self.notes.into_iter().map(Into::into));
        finding.help = self.help.map(Into::into);
        finding
    }
}

impl KeyPath {
    /// The key as shown in messages.
    pub(super) fn label(self) -> String {
        format!("`{}`", self.key.name)
    }
}

impl<'t> Reader<'t> {
    /// Creates a reader for `text`. `root` has the keys of the top level.
    pub(super) fn new(text: &'t str, root: &'static Section, vocabulary: Vocabulary<'t>) -> Self {
        Self {
            text,
            root,
            vocabulary,
            findings: Vec::new(),
            version_mismatch: None,
            programs: Vec::new(),
            rules: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Records the source range of a word under its key.
    pub(super) fn note(&mut self, at: KeyPath, word: &str, span: Span) {
        self.notes.push(Note { path: at.section.path(at.key.name), word: word.to_owned(), span });
    }

    /// Takes the words that were recorded for a key.
    pub(super) fn take_notes(&mut self, path: &str) -> Vec<(String, Span)> {
        let noted = self.notes.extract_if(.., |note| note.path == path);
        noted.map(|note| (note.word, note.span)).collect()
    }

    /// Takes the source ranges that were recorded for a key.
    pub(super) fn take_places(&mut self, path: &str) -> Vec<TextRange> {
        self.take_notes(path).into_iter().map(|(_, span)| range(span)).collect()
    }

    /// Reads `value` as a table.
    pub(super) fn read_section<T: TableReader>(&mut self, value: Value<'_>) -> T {
        match self.table(value, &format!("`{}`", T::SECTION.name)) {
            Some(table) => self.read_table(table),
            None => T::default(),
        }
    }

    /// Reads the keys of a table and reports unknown keys.
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

    /// The findings in the order of the file. Settings for another version are not checked.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        if let Some(unfit) = self.version_mismatch {
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
            let message = format!("unknown setting `{}`{place}", shorten(&key.name));
            let mut finding =
                Finding::new(&CONFIG_UNKNOWN_KEY, range(key.span), message).label("this key is ignored");
            let path = section.path(&key.name);
            if let Some((_, successor)) = REPLACED_KEYS.iter().find(|(replaced, _)| *replaced == path) {
                self.findings.push(finding.help(format!("write {successor} instead")));
                continue;
            }
            // A typo is likelier than a key in the wrong table.
            let is_slip = section.keys.iter().any(|known| {
                !table.contains_key(known.name) && strsim::damerau_levenshtein(known.name, &key.name) == 1
            });
            match home(self.root, &key.name).filter(|_| !is_slip) {
                Some(home) => finding = finding.help(format!("move it {home}")),
                None => {
                    // A key that is already present is not a candidate, unless it can occur twice.
                    let free = section.keys.iter().filter(|known| {
                        matches!(known.kind, Kind::Tables(_)) || !table.contains_key(known.name)
                    });
                    finding = suggest(finding, &key.name, free.map(|known| known.name));
                }
            }
            self.findings.push(finding);
        }
    }

    /// Reports a value that is ignored, and suggests the nearest of `known`.
    pub(super) fn bad_value_near<'a>(
        &mut self,
        span: Span,
        error: ValueError,
        word: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) {
        let finding = error.finding(range(span)).label(VALUE_IGNORED);
        self.findings.push(suggest(finding, word, known));
    }

    /// Reports a value that is ignored.
    pub(super) fn bad_value(&mut self, span: Span, error: ValueError) {
        let range = first_line(self.text, span);
        self.findings.push(error.finding(range).label(VALUE_IGNORED));
    }

    /// Reports a questionable value that is still used.
    pub(super) fn questionable_value(&mut self, span: Span, error: ValueError) {
        let range = first_line(self.text, span);
        self.findings.push(error.finding(range));
    }

    /// Reports a questionable value that is still used, and suggests the nearest of `known`.
    pub(super) fn questionable_value_near<'a>(
        &mut self,
        span: Span,
        error: ValueError,
        word: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) {
        self.findings.push(suggest(error.finding(range(span)), word, known));
    }

    /// Reports a value with another type than `expected`.
    fn wrong_type(&mut self, span: Span, expected: &str, what: &str, found: &ValueInner<'_>) {
        self.bad_value(
            span,
            ValueError::new(format!("expected {expected} for {what}, found {}", kind(found))),
        );
    }

    /// Reads `value` as a string.
    pub(super) fn string(&mut self, mut value: Value<'_>, what: &str) -> Option<(String, Span)> {
        let span = value.span;
        match value.take() {
            ValueInner::String(text) => Some((text.into_owned(), span)),
            other => {
                self.wrong_type(span, "a string", what, &other);
                None
            }
        }
    }

    /// Reads `value` as an integer from `least` to `most`.
    pub(super) fn number(&mut self, mut value: Value<'_>, what: &str, least: i64, most: i64) -> Option<i64> {
        let span = value.span;
        let headline = match value.take() {
            ValueInner::Integer(number) if (least..=most).contains(&number) => {
                return Some(number);
            }
            ValueInner::Integer(number) => format!("{what} is out of range: {number}"),
            other => format!("expected a whole number for {what}, found {}", kind(&other)),
        };
        let range = format!("it is a whole number from {least} to {most}");
        self.bad_value(span, ValueError::new(headline).note(range));
        None
    }

    /// Reads `value` as a number from `least` to `most`.
    pub(super) fn decimal(&mut self, mut value: Value<'_>, what: &str, least: u32, most: u32) -> Option<f64> {
        let span = value.span;
        let inner = value.take();
        let number = match inner {
            ValueInner::Integer(number) => u32::try_from(number).ok().map(f64::from),
            ValueInner::Float(number) => Some(number),
            _ => None,
        };
        let fitting = number.filter(|number| (f64::from(least)..=f64::from(most)).contains(number));
        if fitting.is_none() {
            let headline = match inner {
                ValueInner::Integer(number) => format!("{what} is out of range: {number}"),
                ValueInner::Float(number) => format!("{what} is out of range: {number}"),
                other => format!("expected a number for {what}, found {}", kind(&other)),
            };
            let range = format!("it is a number from {least} to {most}");
            self.bad_value(span, ValueError::new(headline).note(range));
        }
        fitting
    }

    /// Reads `value` as a Boolean.
    pub(super) fn flag(&mut self, mut value: Value<'_>, what: &str) -> Option<bool> {
        let span = value.span;
        match value.take() {
            ValueInner::Boolean(flag) => Some(flag),
            other => {
                self.wrong_type(span, "`true` or `false`", what, &other);
                None
            }
        }
    }

    /// Reads `value` as a list of strings.
    pub(super) fn strings(&mut self, mut value: Value<'_>, what: &str) -> Vec<(String, Span)> {
        let span = value.span;
        match value.take() {
            ValueInner::Array(values) => values
                .into_iter()
                .filter_map(|value| self.string(value, &format!("an entry of {what}")))
                .collect(),
            other => {
                self.wrong_type(span, "a list of strings", what, &other);
                Vec::new()
            }
        }
    }

    /// Reads `value` as a table.
    pub(super) fn table<'de>(&mut self, mut value: Value<'de>, what: &str) -> Option<Table<'de>> {
        let span = value.span;
        match value.take() {
            ValueInner::Table(table) => Some(table),
            other => {
                self.wrong_type(span, "a table", what, &other);
                None
            }
        }
    }

    /// Reports a word of earlier versions, which is still accepted, and the word that replaces it.
    pub(super) fn replaced_word(&mut self, value: &Value<'_>, word: &str) {
        let earlier = value.as_str().unwrap_or_default();
        let (range, headline) = (range(value.span), format!("`{}` is now `{word}`", shorten(earlier)));
        let fix = Fix::safe(format!("write `{word}`")).replace(range, word);
        self.findings
            .push(Finding::new(&CONFIG_BAD_VALUE, range, headline).severity(Severity::Hint).fix(fix));
    }

    /// Reads `value` as a word with `parse`. `words` are the accepted words.
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
            let error = ValueError::new(format!("unknown value `{}` for {what}", shorten(&word)))
                .note(format!("the values are {}", listed(words.iter().copied())));
            self.bad_value_near(span, error, &word, words.iter().copied());
        }
        parsed
    }
}

/// Keys of earlier versions with their replacements.
const REPLACED_KEYS: [(&str, &str); 1] = [("program.target", "`engine` in `[kernel]`")];

/// The table that a misplaced key belongs to. TOML assigns all keys after a header to its table,
/// including keys that were meant for the top level.
fn home(root: &'static Section, key: &str) -> Option<String> {
    let (header, _) = sections(root).into_iter().find(|(_, section)| section.key(key).is_some())?;
    Some(match header.as_str() {
        "" => "to the top of the file, above all `[…]`".to_owned(),
        _ => format!("to `{header}`"),
    })
}

/// Adds the nearest of `known` as help and as a fix, if one is near.
pub(super) fn suggest<'a>(finding: Finding, word: &str, known: impl IntoIterator<Item = &'a str>) -> Finding {
    let Some(near) = nearest(word, known) else { return finding };
    let range = finding.range;
    finding
        .help(format!("did you mean `{near}`?"))
        .fix(Fix::guess(format!("write `{near}`")).replace(range, near))
}

/// Converts a span of the TOML parser to a range.
pub(super) fn range(span: Span) -> TextRange {
    TextRange::new(size(span.start), size(span.end.max(span.start)))
}

/// The first line of a span, for findings about an entry as a whole.
pub(super) fn first_line(text: &str, span: Span) -> TextRange {
    let whole = range(span);
    let line = slice(text, whole).lines().next().map_or(TextSize::new(0), text_len);
    TextRange::at(whole.start(), line)
}

fn kind(value: &ValueInner<'_>) -> &'static str {
    match value {
        ValueInner::String(_) => "a string",
        ValueInner::Integer(_) | ValueInner::Float(_) => "a number",
        ValueInner::Boolean(_) => "a boolean",
        ValueInner::Array(_) => "a list",
        ValueInner::Table(_) => "a table",
    }
}

const VALUE_IGNORED: &str = "this value is ignored";

/// Shortens a text to at most 32 characters for messages.
pub(super) fn shorten(text: &str) -> Cow<'_, str> {
    mangle_syntax::text::shorten(text, 32)
}
