//! Reader for JSON Schema files.

use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;
use piggyback::envelope::json::{Json, Member, NodeId};

use super::file_grammar::{FileGrammar, UpdateGrammar};
use super::rules;
use crate::expr::Expr;
use crate::reading::read_pattern;
use crate::target::Dialect;

/// Reads a schema.
///
/// # Errors
///
/// A finding, if the file is invalid JSON, or if a pattern does not compile or has look-around.
pub(super) fn read(text: &str, dialect: Dialect) -> Result<FileGrammar, Box<Finding>> {
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
    let names = names(&json, fields);
    let required = control.map(|control| required(&json, control)).unwrap_or_default();
    let place = fields.or(control).map_or_else(TextRange::default, |fields| opening(&json, fields));
    Ok(FileGrammar {
        channels: self::names(&json, channels),
        optional: names.iter().filter(|name| !required.contains(name)).cloned().collect(),
        fields: names,
        place,
        updates: update.map_or(Ok(None), |update| updates(&json, update, dialect))?,
    })
}

/// The patterns of updates, combined into one.
fn updates(json: &Json<'_>, items: NodeId, dialect: Dialect) -> Result<Option<UpdateGrammar>, Box<Finding>> {
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

fn names(json: &Json<'_>, object: Option<NodeId>) -> Vec<String> {
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
