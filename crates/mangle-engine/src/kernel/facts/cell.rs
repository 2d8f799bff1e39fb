//! Cell types of fact tables, and the conversion of text and JSON to values.

use serde_json::Value as Json;

use crate::kernel::calendar::{parse_duration, parse_rfc3339};
use crate::kernel::plan::{BEGINNING, END};
use crate::kernel::{Datum, ValueId, Values};
use mangle_syntax::syntax::time::parse_timestamp;
use mangle_syntax::text::{Symbol, shorten};

/// The type of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Any value. The type is inferred from the text.
    Any,
    /// An integer.
    Number,
    /// A number that is converted to a float.
    Float,
    /// Any text, unchanged.
    String,
    /// The bytes of the text.
    Bytes,
    /// Any name constant.
    Name,
    /// A name below this prefix.
    Below(Symbol),
    /// Exactly this name.
    Constant(Symbol),
    /// An instant.
    Time,
    /// A duration.
    Duration,
    /// The start of an interval. Empty if the interval has no start.
    Start,
    /// The end of an interval. Empty if the interval has no end.
    End,
    /// A list with elements of one type.
    List(Box<Cell>),
    /// A pair. A tuple is pairs nested to the right.
    Pair(Box<(Cell, Cell)>),
    /// A map with the types of its keys and values.
    Map(Box<(Cell, Cell)>),
    /// A struct with these fields.
    Struct(Vec<CellField>),
    /// The first matching type.
    Either(Vec<Cell>),
}

/// A field of a struct.
#[derive(Debug, Clone, PartialEq)]
pub struct CellField {
    /// The label, including the slash.
    pub label: Symbol,
    /// True if the field may be omitted.
    pub optional: bool,
    /// The type of the field.
    pub cell: Cell,
}

/// A value, or the headline for an invalid cell.
type CellResult = Result<ValueId, String>;

impl Cell {
    /// Converts a text.
    pub(super) fn of_text(&self, text: &str, values: &mut Values) -> CellResult {
        let trimmed = text.trim();
        match self {
            Self::Any => look(text, values),
            Self::String => Ok(values.string(text)),
            Self::Bytes => intern(Datum::Bytes(text.as_bytes().into()), values),
            Self::Number => {
                let number = trimmed.parse::<i64>().map_err(|_| self.unfit(text))?;
                Ok(values.number(number))
            }
            Self::Float => {
                let float = float(trimmed).ok_or_else(|| self.unfit(text))?;
                Ok(values.float(float))
            }
            Self::Name | Self::Below(_) | Self::Constant(_) => self.name(trimmed, values),
            Self::Time => {
                let instant = instant(trimmed).ok_or_else(|| self.unfit(text))?;
                Ok(values.time(instant))
            }
            Self::Start | Self::End => match trimmed {
                "" | "_" => Ok(values.time(self.open_end())),
                _ => Self::Time.of_text(text, values),
            },
            Self::Duration => {
                let duration = parse_duration(trimmed).ok_or_else(|| self.unfit(text))?;
                Ok(values.duration(duration))
            }
            Self::Either(cells) => first(cells, text, |cell| cell.of_text(text, values)),
            Self::List(_) | Self::Pair(_) | Self::Map(_) | Self::Struct(_) => {
                let json = serde_json::from_str::<Json>(trimmed).map_err(|_| self.unfit(text))?;
                self.of_json(&json, values)
            }
        }
    }

    /// Converts the text of a JSON string.
    pub(super) fn of_json_text(&self, text: &str, values: &mut Values) -> CellResult {
        match self {
            Self::Either(cells) => first(cells, Quoted(text), |cell| cell.of_json_text(text, values)),
            Self::Any if is_name(text) => Ok(values.name(text)),
            Self::Any => Ok(values.string(text)),
            Self::Number | Self::Float => Err(self.unfit(Quoted(text))),
            Self::List(_) | Self::Pair(_) | Self::Map(_) | Self::Struct(_) => Err(self.unfit(Quoted(text))),
            _ => self.of_text(text, values),
        }
    }

    /// Converts a JSON value.
    pub(super) fn of_json(&self, json: &Json, values: &mut Values) -> CellResult {
        match (self, json) {
            (_, Json::String(text)) => self.of_json_text(text, values),
            (Self::Either(cells), _) => first(cells, json, |cell| cell.of_json(json, values)),
            (Self::Any, _) => look_at_json(json, values),
            (Self::Start | Self::End, Json::Null) => Ok(values.time(self.open_end())),
            (Self::Number, Json::Number(number)) => {
                let number = number.as_i64().ok_or_else(|| self.unfit(json))?;
                Ok(values.number(number))
            }
            (Self::Float, Json::Number(number)) => {
                let float = number.as_f64().ok_or_else(|| self.unfit(json))?;
                Ok(values.float(float))
            }
            (Self::Name | Self::Constant(_), Json::Bool(truth)) => {
                self.name(if *truth { "/true" } else { "/false" }, values)
            }
            (Self::List(element), Json::Array(elements)) => {
                let list: Result<Vec<_>, _> =
                    elements.iter().map(|json| element.of_json(json, values)).collect();
                values.list(&list?).map_err(deep)
            }
            (Self::Pair(parts), Json::Array(elements)) => pair(self, parts, elements, values),
            (Self::Map(parts), Json::Object(entries)) => {
                let entry = |(key, value): (&String, &Json)| {
                    Ok((parts.0.of_text(key, values)?, parts.1.of_json(value, values)?))
                };
                let entries: Result<Box<[_]>, String> = entries.iter().map(entry).collect();
                intern(Datum::Map(entries?), values)
            }
            (Self::Struct(fields), Json::Object(entries)) => structure(fields, entries, values),
            _ => Err(self.unfit(json)),
        }
    }

    /// The instant of an open end of an interval.
    fn open_end(&self) -> i64 {
        if matches!(self, Self::Start) { BEGINNING } else { END }
    }

    fn name(&self, text: &str, values: &mut Values) -> CellResult {
        let fits = is_name(text)
            && match self {
                Self::Below(prefix) => {
                    text.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.starts_with('/'))
                }
                Self::Constant(name) => text == name.as_str(),
                _ => true,
            };
        if fits {
            return Ok(values.name(text));
        }
        let slashed = format!("/{text}");
        let hint = match self {
            Self::Name if is_name(&slashed) => format!("; did you mean `{slashed}`?"),
            _ => String::new(),
        };
        Err(self.unfit(text) + &hint)
    }

    /// The headline for a value of the wrong type.
    fn unfit(&self, found: impl std::fmt::Display) -> String {
        format!("`{}` is not {}", shorten(&found.to_string(), QUOTED), self.kind())
    }

    /// The type for use in a message.
    fn kind(&self) -> String {
        match self {
            Self::Any => "a value".into(),
            Self::Number => "a number".into(),
            Self::Float => "a float".into(),
            Self::String => "a string".into(),
            Self::Bytes => "a byte string".into(),
            Self::Name => "a name such as `/door`".into(),
            Self::Below(prefix) => format!("a name below `{prefix}`"),
            Self::Constant(name) => format!("`{name}`"),
            Self::Time | Self::Start | Self::End => "an instant such as `2026-01-31T12:00:00Z`".into(),
            Self::Duration => "a duration such as `1h30m`".into(),
            Self::List(_) => "a list (a JSON array)".into(),
            Self::Pair(_) => "a pair (a JSON array of two)".into(),
            Self::Map(_) => "a map (a JSON object)".into(),
            Self::Struct(_) => "a struct (a JSON object)".into(),
            Self::Either(cells) => {
                let shown: Vec<_> = cells.iter().take(KINDS_SHOWN).map(Self::kind).collect();
                let more = if cells.len() > KINDS_SHOWN { ", or of other kinds" } else { "" };
                format!("{}{more}", shown.join(" or "))
            }
        }
    }
}

/// A text that is displayed as a JSON string.
struct Quoted<'t>(&'t str);

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Json::from(self.0).fmt(f)
    }
}

/// The maximum number of alternative types in a message.
const KINDS_SHOWN: usize = 6;

/// The maximum number of characters of a cell in a message.
const QUOTED: usize = 40;

/// The first successful conversion. If all fail, the error lists all types.
fn first<T>(
    cells: &[Cell],
    found: impl std::fmt::Display,
    mut read: impl FnMut(&Cell) -> Result<T, String>,
) -> Result<T, String> {
    let mut failure = None;
    for cell in cells {
        match read(cell) {
            Ok(value) => return Ok(value),
            Err(why) => failure = Some(why),
        }
    }
    match (cells, failure) {
        ([_], Some(why)) => Err(why),
        _ => Err(Cell::Either(cells.to_vec()).unfit(found)),
    }
}

/// Infers the type of a text: a number, a float, a name, or otherwise a string.
fn look(text: &str, values: &mut Values) -> CellResult {
    let trimmed = text.trim();
    Ok(match trimmed.as_bytes() {
        [b'/', ..] if is_name(trimmed) => values.name(trimmed),
        // A leading zero indicates an identifier, and a number would lose it.
        [b'0', b'0'..=b'9', ..] => values.string(text),
        [b'-', ..] | [b'0'..=b'9', ..] => {
            if let Ok(number) = trimmed.parse::<i64>() {
                values.number(number)
            } else if let Some(float) = float(trimmed).filter(|_| trimmed.contains(['.', 'e', 'E'])) {
                values.float(float)
            } else {
                values.string(text)
            }
        }
        _ => values.string(text),
    })
}

/// Converts JSON without a declared type. Booleans become names and objects become structs.
fn look_at_json(json: &Json, values: &mut Values) -> CellResult {
    match json {
        Json::Null => Err("`null` is not a value".into()),
        Json::Bool(truth) => Ok(values.name(if *truth { "/true" } else { "/false" })),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => Ok(values.number(number)),
            (None, Some(float)) if !number.is_u64() => Ok(values.float(float)),
            _ => Err(format!("`{number}` does not fit in 64 bits")),
        },
        Json::String(text) if is_name(text) => Ok(values.name(text)),
        Json::String(text) => Ok(values.string(text)),
        Json::Array(elements) => {
            let list: Result<Vec<_>, _> = elements.iter().map(|json| look_at_json(json, values)).collect();
            values.list(&list?).map_err(deep)
        }
        Json::Object(entries) => {
            let entry =
                |(key, json): (&String, &Json)| Ok((values.name(&label(key)?), look_at_json(json, values)?));
            let entries: Result<Box<[_]>, String> = entries.iter().map(entry).collect();
            intern(Datum::Struct(entries?), values)
        }
    }
}

/// Converts a pair, or a tuple: pairs nested to the right.
fn pair(whole: &Cell, parts: &(Cell, Cell), elements: &[Json], values: &mut Values) -> CellResult {
    let unfit = || whole.unfit(Json::from(elements.to_vec()));
    let (first, second) = match (elements, &parts.1) {
        ([first, second], _) => (first, parts.1.of_json(second, values)?),
        ([first, rest @ ..], Cell::Pair(inner)) if rest.len() > 1 => {
            (first, pair(&parts.1, inner, rest, values)?)
        }
        _ => return Err(unfit()),
    };
    let first = parts.0.of_json(first, values)?;
    values.pair(first, second).map_err(deep)
}

fn structure(
    fields: &[CellField],
    entries: &serde_json::Map<String, Json>,
    values: &mut Values,
) -> CellResult {
    let mut built = Vec::with_capacity(entries.len());
    for (key, json) in entries {
        let label = label(key)?;
        let Some(field) = fields.iter().find(|field| field.label.as_str() == label) else {
            return Err(format!("unknown field `{}` of the struct", shorten(&label, QUOTED)));
        };
        built.push((values.name(&label), field.cell.of_json(json, values)?));
    }
    let is_missing = |field: &&CellField| {
        let own = field.label.as_str();
        !field.optional && !entries.keys().any(|key| own == key || own.strip_prefix('/') == Some(key))
    };
    match fields.iter().find(is_missing) {
        Some(field) => Err(format!("missing field `{}` of the struct", field.label)),
        None => intern(Datum::Struct(built.into()), values),
    }
}

/// The label for the JSON key of a field, with or without the slash.
fn label(key: &str) -> Result<String, String> {
    let label = if key.starts_with('/') { key.to_owned() } else { format!("/{key}") };
    if is_name(&label) {
        Ok(label)
    } else {
        Err(format!("`{}` cannot be the label of a field", shorten(key, QUOTED)))
    }
}

/// True if a text is a name: segments of letters, digits and `._~%-`, each after a slash.
fn is_name(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'%' | b'-'))
    };
    text.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_part))
}

/// Parses a decimal float. Words such as `inf` are rejected.
fn float(text: &str) -> Option<f64> {
    let is_plain = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().all(is_plain).then(|| text.parse().ok()).flatten().filter(|float: &f64| float.is_finite())
}

fn instant(text: &str) -> Option<i64> {
    parse_rfc3339(text).or_else(|| (!text.contains('T')).then(|| parse_timestamp(text)).flatten())
}

fn intern(datum: Datum, values: &mut Values) -> CellResult {
    values.intern(datum).map_err(deep)
}

fn deep(error: crate::kernel::TooDeep) -> String {
    format!("value cannot be stored: {error}")
}
