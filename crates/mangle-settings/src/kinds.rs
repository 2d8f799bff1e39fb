//! Kinds of values that several settings share.

use std::ops::Deref;

use serde_json::Value as Json;
use toml_span::Value;
use toml_span::value::{Table, ValueInner};

use super::declare::Setting;
use super::keys::Kind;
use super::keys::{Rows, SettingValue};
use super::value::{KeyPath, Reader, TableReader, ValueError, first_line, shorten};
use mangle_syntax::text::TextRange;

impl Setting<Self> for bool {
    const KIND: Kind = Kind::Flag;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Self> {
        reader.flag(value, &at.label())
    }

    fn output(value: &Self) -> SettingValue {
        SettingValue::new(*value)
    }
}

/// A kind of value that is written as a string.
pub(super) trait Text {
    /// The Rust type of the setting.
    type Value;

    /// The form of a single value.
    const KIND: Kind = Kind::Text;

    /// The form of a list of values.
    const LIST: Kind = Kind::Texts;

    /// Parses a value, or returns the error.
    fn parse(text: &str, at: KeyPath) -> Result<Self::Value, ValueError>;

    /// Prints the value as a string.
    fn print(value: &Self::Value) -> String;
}

/// Also records the range of the string.
impl<K: Text> Setting<K::Value> for K {
    const KIND: Kind = K::KIND;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<K::Value> {
        let (text, span) = reader.string(value, &at.label())?;
        reader.note(at, &text, span);
        K::parse(&text, at).map_err(|why| reader.bad_value(span, why)).ok()
    }

    fn output(value: &K::Value) -> SettingValue {
        SettingValue::new(K::print(value))
    }
}

/// A list. Invalid elements are reported and dropped.
impl<K: Text> Setting<Vec<K::Value>> for Vec<K> {
    const KIND: Kind = K::LIST;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Vec<K::Value>> {
        let strings = reader.strings(value, &at.label()).into_iter();
        let parse =
            |(text, span): (String, _)| K::parse(&text, at).map_err(|why| reader.bad_value(span, why)).ok();
        Some(strings.filter_map(parse).collect())
    }

    fn output(value: &Vec<K::Value>) -> SettingValue {
        SettingValue::new(value.iter().map(K::print).collect::<Vec<_>>())
    }
}

impl Text for String {
    type Value = Self;

    fn parse(text: &str, _: KeyPath) -> Result<Self, ValueError> {
        Ok(text.to_owned())
    }

    fn print(value: &Self) -> String {
        value.clone()
    }
}

/// An optional value.
impl<T, K: Setting<T>> Setting<Option<T>> for Option<K> {
    const KIND: Kind = K::KIND;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Option<T>> {
        K::read(reader, value, at).map(Some)
    }

    fn output(value: &Option<T>) -> SettingValue {
        value.as_ref().map_or(SettingValue::Unset, K::output)
    }
}

/// An integer between `LEAST` and `MOST`, both included.
pub(super) enum Integer<const LEAST: i64, const MOST: i64> {}

impl<T, const LEAST: i64, const MOST: i64> Setting<T> for Integer<LEAST, MOST>
where
    T: TryFrom<i64> + Into<Json> + Copy,
{
    const KIND: Kind = Kind::Number(LEAST, MOST);

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<T> {
        let number = reader.number(value, &at.label(), LEAST, MOST)?;
        T::try_from(number).ok()
    }

    fn output(value: &T) -> SettingValue {
        SettingValue::new(*value)
    }
}

/// A number between `LEAST` and `MOST`, both included. A fraction is allowed.
pub(super) enum Decimal<const LEAST: u32, const MOST: u32> {}

impl<const LEAST: u32, const MOST: u32> Setting<f64> for Decimal<LEAST, MOST> {
    const KIND: Kind = Kind::Decimal(LEAST, MOST);

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<f64> {
        reader.decimal(value, &at.label(), LEAST, MOST)
    }

    fn output(value: &f64) -> SettingValue {
        SettingValue::new(*value)
    }
}

/// A file below the folder of the configuration file.
pub(super) enum File {}

impl Text for File {
    type Value = String;

    const KIND: Kind = Kind::File;

    fn parse(path: &str, at: KeyPath) -> Result<String, ValueError> {
        let why = match path {
            "" => "it is empty",
            _ if path.starts_with('/') || path.split('/').any(|part| part == "..") => {
                "it leads out of the folder of this file"
            }
            _ => return Ok(path.to_owned()),
        };
        Err(ValueError::new(format!("unusable path `{}` for {}", shorten(path), at.label())).note(why))
    }

    fn print(value: &String) -> String {
        value.clone()
    }
}

/// Maximum number of tables in a list. Each table can have globs, which are slow to compile and are
/// matched against each file.
const MAX_TABLES: usize = 500;

/// A list of tables (`[[…]]`).
pub(super) enum Tables {}

/// A table in a list of tables.
pub(super) trait Entry: TableReader {
    /// The name of one entry, with its article.
    const ONE: &'static str;

    /// Reads an entry. `None` if the entry is dropped. `start` is its first line, and `others` are
    /// the entries before it.
    fn entry(reader: &mut Reader<'_>, table: Table<'_>, start: TextRange, others: &[Self]) -> Option<Self>;
}

impl<C, T> Setting<C> for Tables
where
    C: From<Vec<T>> + Deref<Target = [T]>,
    T: Entry,
{
    const KIND: Kind = Kind::Tables(T::SECTION);

    fn read(reader: &mut Reader<'_>, mut value: Value<'_>, _: KeyPath) -> Option<C> {
        let span = value.span;
        let mut all = Vec::new();
        match value.take() {
            ValueInner::Array(tables) => {
                let surplus = tables.len().saturating_sub(MAX_TABLES);
                for (index, value) in tables.into_iter().enumerate() {
                    let start = first_line(reader.text, value.span);
                    if index == MAX_TABLES {
                        let headline =
                            format!("file has {surplus} tables `[[{}]]` too many", T::SECTION.name);
                        let why = format!(
                            "a file has at most {MAX_TABLES} of them; the ones after them are ignored"
                        );
                        reader.bad_value(value.span, ValueError::new(headline).note(why));
                        break;
                    }
                    let table = reader.table(value, T::ONE);
                    all.extend(table.and_then(|table| T::entry(reader, table, start, &all)));
                }
            }
            _ => reader.bad_value(span, brackets::<T>()),
        }
        Some(all.into())
    }

    fn output(value: &C) -> SettingValue {
        SettingValue::Tables(value.iter().map(T::rows).collect::<Vec<Rows>>())
    }
}

fn brackets<T: Entry>() -> ValueError {
    ValueError::new(format!("expected `[[{}]]`, with two pairs of brackets", T::SECTION.name))
}

/// A limit in bytes, or on a number of items.
pub(super) type Limit = Integer<0, 1_000_000_000>;
