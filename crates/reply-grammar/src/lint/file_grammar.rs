//! Content of a grammar or schema file: the fields of its envelopes, and the updates that it allows.
//! Readers for grammars of whole envelopes and for JSON Schema files.

use mangle_syntax::lint::Finding;
use mangle_syntax::text::{TextRange, TextSize, size};
use piggyback::envelope::json::{Json, Member, NodeId};
use serde_json::Value as JsonValue;

use super::rules;
use crate::expr::{Expr, escaped};
use crate::reading::{ReadError, read_pattern};
use crate::target::Dialect;

/// The envelopes that a file allows.
#[derive(Debug)]
pub(super) struct FileGrammar {
    /// The names of the two channels, in order.
    pub(super) channels: Vec<String>,
    /// The fields of the control packet, in order.
    pub(super) fields: Vec<String>,
    /// The optional fields.
    pub(super) optional: Vec<String>,
    /// The location of the fields.
    pub(super) place: TextRange,
    /// The allowed updates; `None` if the file does not restrict them.
    pub(super) updates: Option<UpdateGrammar>,
}

/// The updates that a file allows.
#[derive(Debug)]
pub(super) struct UpdateGrammar {
    pub(super) place: TextRange,
    form: UpdateForm,
}

#[derive(Debug)]
enum UpdateForm {
    /// The pattern of a schema.
    Pattern(Expr, Dialect),
    /// A grammar of whole envelopes, and an example envelope with the JSON of its update.
    Envelope { grammar: Expr, example: String, update: String },
}

impl UpdateGrammar {
    fn of_pattern(place: TextRange, pattern: Expr, dialect: Dialect) -> Self {
        Self { place, form: UpdateForm::Pattern(pattern, dialect) }
    }

    fn of_envelope(place: TextRange, grammar: Expr, example: String, update: String) -> Self {
        Self { place, form: UpdateForm::Envelope { grammar, example, update } }
    }

    /// Updates that cover every alternative of the file.
    pub(super) fn examples(&self) -> Vec<String> {
        match &self.form {
            UpdateForm::Pattern(pattern, dialect) => {
                let texts = pattern.examples(&|_| false).into_iter();
                texts.filter_map(|text| decoded(&text, *dialect)).collect()
            }
            UpdateForm::Envelope { grammar, .. } => {
                let envelopes = grammar.examples(&|_| false);
                let envelopes =
                    envelopes.iter().filter_map(|text| serde_json::from_str::<JsonValue>(text).ok());
                envelopes.flat_map(|envelope| updates(&envelope)).collect()
            }
        }
    }

    /// True if the file allows an update.
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

/// The text that a pattern matched, without JSON escapes.
fn decoded(text: &str, dialect: Dialect) -> Option<String> {
    match dialect {
        Dialect::Raw => serde_json::from_str(&format!("\"{text}\"")).ok(),
        Dialect::Decoded | Dialect::None => Some(text.to_owned()),
    }
}

/// The updates of an envelope.
pub(super) fn updates(envelope: &JsonValue) -> Vec<String> {
    let list = envelope["control_packet"]["mangle_updates"].as_array().into_iter().flatten();
    list.filter_map(|update| update.as_str().map(str::to_owned)).collect()
}

/// The content of a grammar of whole envelopes, inferred from its examples. `None` if the examples
/// are not envelopes.
pub(super) fn read_envelope_grammar(grammar: Expr, text: &str) -> Option<FileGrammar> {
    let examples = grammar.examples(&|_| false);
    let envelopes =
        examples.iter().filter_map(|text| Some((text, serde_json::from_str::<JsonValue>(text).ok()?)));
    let mut envelopes: Vec<_> = envelopes.filter(|(_, json)| json.is_object()).collect();
    let fields = |json: &JsonValue| keys(&json["control_packet"]);
    let (_, fullest) = envelopes.iter().max_by_key(|(_, json)| fields(json).len())?;
    let (channels, all) = (keys(fullest), fields(fullest));
    let is_optional = |field: &&String| envelopes.iter().any(|(_, json)| !fields(json).contains(field));
    let optional = all.iter().filter(is_optional).cloned().collect();
    let place = place_of_updates(text);
    envelopes.retain(|(_, json)| !updates(json).is_empty());
    let with_update = envelopes.first().map(|(text, json)| ((*text).clone(), updates(json)));
    let updates = with_update.and_then(|(example, updates)| {
        let update = format!("\"{}\"", escaped(updates.first()?));
        Some(UpdateGrammar::of_envelope(place, grammar, example, update))
    });
    Some(FileGrammar { channels, fields: all, optional, place, updates })
}

/// The line with the updates. Fallback: the first line.
fn place_of_updates(text: &str) -> TextRange {
    let at = text.find("mangle_updates").unwrap_or_default();
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    TextRange::at(size(start), TextSize::of(line))
}

fn keys(json: &JsonValue) -> Vec<String> {
    json.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
}

/// The finding for an invalid grammar.
pub(super) fn broken_grammar(text: &str, error: &ReadError) -> Finding {
    let start = text.get(..error.at).map_or(0, |before| before.rfind('\n').map_or(0, |at| at + 1));
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let range = TextRange::at(size(start), TextSize::of(line));
    Finding::new(&rules::SCHEMA_BROKEN, range, "grammar cannot be read").note(error.why.clone())
}

/// Reads a schema.
///
/// # Errors
///
/// A finding, if the file is invalid JSON, or if a pattern does not compile or has look-around.
pub(super) fn read_schema(text: &str, dialect: Dialect) -> Result<FileGrammar, Box<Finding>> {
    let json = Json::parse(text.as_bytes());
    if let Some(problem) = json.problems.first() {
        let finding = Finding::new(&rules::SCHEMA_BROKEN, json.problem_range(problem), "schema is no JSON");
        return Err(Box::new(finding.note("no engine and no provider accepts it")));
    }
    let root = json.root();
    let channels = member(&json, root, "properties");
    let control = channels.and_then(|channels| member(&json, channels, "control_packet"));
    let fields = control.and_then(|control| member(&json, control, "properties"));
    let update = fields
        .and_then(|fields| member(&json, fields, "mangle_updates"))
        .and_then(|updates| member(&json, updates, "items"));
    let names = member_names(&json, fields);
    let required = control.map(|control| required(&json, control)).unwrap_or_default();
    let place = fields.or(control).map_or_else(TextRange::default, |fields| opening(&json, fields));
    Ok(FileGrammar {
        channels: member_names(&json, channels),
        optional: names.iter().filter(|name| !required.contains(name)).cloned().collect(),
        fields: names,
        place,
        updates: update.map_or(Ok(None), |update| schema_updates(&json, update, dialect))?,
    })
}

/// The patterns of updates, combined into one.
fn schema_updates(
    json: &Json<'_>,
    items: NodeId,
    dialect: Dialect,
) -> Result<Option<UpdateGrammar>, Box<Finding>> {
    let mut found = Vec::new();
    for node in std::iter::once(items).chain(json.nodes_in(items)) {
        let pattern = member(json, node, "pattern");
        found.extend(pattern.and_then(|pattern| Some((pattern, json.string(pattern)?))));
    }
    let Some((first, _)) = found.first() else { return Ok(None) };
    let place = json.range(*first);
    let mut alternatives = Vec::new();
    for (node, pattern) in &found {
        alternatives.push(read_pattern(pattern).map_err(|error| {
            let (rule, message) = match error.is_beyond {
                true => (&rules::GRAMMAR_UNCHECKED, "pattern is not compared with the declarations"),
                false => (&rules::SCHEMA_BROKEN, "pattern does not compile"),
            };
            Box::new(Finding::new(rule, json.range(*node), message).note(error.why))
        })?);
    }
    Ok(Some(UpdateGrammar::of_pattern(place, Expr::choice(alternatives), dialect)))
}

fn member(json: &Json<'_>, object: NodeId, name: &str) -> Option<NodeId> {
    let is_it = |member: &Member| json.string(member.key).is_some_and(|key| key == name);
    json.members(object).find(is_it).map(|member| member.value)
}

fn member_names(json: &Json<'_>, object: Option<NodeId>) -> Vec<String> {
    let members = object.map(|object| json.members(object).collect::<Vec<_>>()).unwrap_or_default();
    members.iter().filter_map(|member| Some(json.string(member.key)?.into_owned())).collect()
}

fn required(json: &Json<'_>, schema: NodeId) -> Vec<String> {
    let list = member(json, schema, "required").map(|list| json.elements(list).collect::<Vec<_>>());
    list.unwrap_or_default().into_iter().filter_map(|name| Some(json.string(name)?.into_owned())).collect()
}

/// The first key of an object. Fallback: the whole object.
fn opening(json: &Json<'_>, object: NodeId) -> TextRange {
    json.members(object).next().map_or_else(|| json.range(object), |member| json.range(member.key))
}
