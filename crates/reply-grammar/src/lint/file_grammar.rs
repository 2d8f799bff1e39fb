//! A grammar or a schema as a file has it: the fields of its envelopes, and which updates it allows.

use mangle_syntax::lint::Finding;
use mangle_syntax::text::{TextRange, TextSize, size};
use serde_json::Value as Json;

use super::origin::Origin;
use super::rules;
use super::schema_file;
use crate::expr::{Expr, escaped};
use crate::reading::{ReadError, read_bnf, read_lark, read_pattern};
use crate::target::Dialect;

/// What a file says of envelopes.
#[derive(Debug)]
pub(super) struct FileGrammar {
    /// The names of the two channels, in their order.
    pub(super) channels: Vec<String>,
    /// The fields of the control packet, in their order.
    pub(super) fields: Vec<String>,
    /// The fields that may be left out.
    pub(super) optional: Vec<String>,
    /// Where the fields are.
    pub(super) place: TextRange,
    /// The updates; `None` where the file does not restrict them.
    pub(super) updates: Option<UpdateGrammar>,
}

/// Which updates a file allows.
#[derive(Debug)]
pub(super) struct UpdateGrammar {
    pub(super) place: TextRange,
    form: UpdateForm,
}

#[derive(Debug)]
enum UpdateForm {
    /// A pattern of a schema.
    Pattern(Expr, Dialect),
    /// A grammar of whole envelopes, and one of them that has an update, given by its JSON.
    Envelope { grammar: Expr, example: String, update: String },
}

impl UpdateGrammar {
    pub(super) fn of_pattern(place: TextRange, pattern: Expr, dialect: Dialect) -> Self {
        Self { place, form: UpdateForm::Pattern(pattern, dialect) }
    }

    /// Updates in which every alternative of the file occurs.
    pub(super) fn examples(&self) -> Vec<String> {
        match &self.form {
            UpdateForm::Pattern(pattern, dialect) => {
                let texts = pattern.examples(&|_| false).into_iter();
                texts.filter_map(|text| decoded(&text, *dialect)).collect()
            }
            UpdateForm::Envelope { grammar, .. } => {
                let envelopes = grammar.examples(&|_| false);
                let envelopes = envelopes.iter().filter_map(|text| serde_json::from_str::<Json>(text).ok());
                envelopes.flat_map(|envelope| updates(&envelope)).collect()
            }
        }
    }

    /// Whether the file allows an update.
    pub(super) fn accepts(&self, update: &str) -> bool {
        match &self.form {
            UpdateForm::Pattern(pattern, Dialect::Raw) => pattern.accepts(&escaped(update)),
            UpdateForm::Pattern(pattern, _) => pattern.accepts(update),
            UpdateForm::Envelope { grammar, example, update: old } => {
                grammar.accepts(&example.replacen(old, &format!("\"{}\"", escaped(update)), 1))
            }
        }
    }
}

/// What a pattern matched, without the escapes of JSON.
fn decoded(text: &str, dialect: Dialect) -> Option<String> {
    match dialect {
        Dialect::Raw => serde_json::from_str(&format!("\"{text}\"")).ok(),
        Dialect::Decoded | Dialect::None => Some(text.to_owned()),
    }
}

fn updates(envelope: &Json) -> Vec<String> {
    let list = envelope["control_packet"]["mangle_updates"].as_array().into_iter().flatten();
    list.filter_map(|update| update.as_str().map(str::to_owned)).collect()
}

impl FileGrammar {
    /// Reads a file; `None` where it says what is not understood here.
    ///
    /// # Errors
    /// A finding, if it is broken.
    pub(super) fn read(text: &str, origin: &Origin) -> Result<Option<Self>, Box<Finding>> {
        let read = match origin.target {
            "gbnf" | "ebnf" => read_bnf(text),
            "lark" if text.lines().any(|line| line.trim_start().starts_with('%')) => return Ok(None),
            "lark" => read_lark(text),
            "regex" => read_pattern(text.trim_end()),
            _ => return schema_file::read(text, origin.dialect).map(Some),
        };
        match read {
            Ok(grammar) => Ok(Self::of_envelopes(grammar, text)),
            Err(error) if error.is_beyond => Ok(None),
            Err(error) => Err(Box::new(broken(text, &error))),
        }
    }

    /// What a grammar of whole envelopes says, by its examples; `None` if these are no envelopes.
    fn of_envelopes(grammar: Expr, text: &str) -> Option<Self> {
        let examples = grammar.examples(&|_| false);
        let envelopes =
            examples.iter().filter_map(|text| Some((text, serde_json::from_str::<Json>(text).ok()?)));
        let mut envelopes: Vec<_> = envelopes.filter(|(_, json)| json.is_object()).collect();
        let fields = |json: &Json| keys(&json["control_packet"]);
        let (_, fullest) = envelopes.iter().max_by_key(|(_, json)| fields(json).len())?;
        let (channels, all) = (keys(fullest), fields(fullest));
        let is_optional = |field: &&String| envelopes.iter().any(|(_, json)| !fields(json).contains(field));
        let optional = all.iter().filter(is_optional).cloned().collect();
        let place = place(text);
        envelopes.retain(|(_, json)| !updates(json).is_empty());
        let with_update = envelopes.first().map(|(text, json)| ((*text).clone(), updates(json)));
        let updates = with_update.and_then(|(example, updates)| {
            let update = format!("\"{}\"", escaped(updates.first()?));
            Some(UpdateGrammar { place, form: UpdateForm::Envelope { grammar, example, update } })
        });
        Some(Self { channels, fields: all, optional, place, updates })
    }
}

/// The line that has the updates, else the first.
fn place(text: &str) -> TextRange {
    let at = text.find("mangle_updates").unwrap_or_default();
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    TextRange::at(size(start), TextSize::of(line))
}

fn keys(json: &Json) -> Vec<String> {
    json.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
}

/// The finding for a grammar that cannot be read.
fn broken(text: &str, error: &ReadError) -> Finding {
    let start = text.get(..error.at).map_or(0, |before| before.rfind('\n').map_or(0, |at| at + 1));
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let range = TextRange::at(size(start), TextSize::of(line));
    Finding::new(&rules::SCHEMA_BROKEN, range, "grammar cannot be read").note(error.why.clone())
}
