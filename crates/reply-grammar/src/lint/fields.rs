//! Comparison of the fields of a file with the fields of the protocol version.

use mangle_syntax::lint::Finding;

use super::file_grammar::FileGrammar;
use super::rules::SCHEMA_DRIFT;
use crate::envelope::EnvelopeSet;
use crate::value::Value;

/// Reports a difference between the fields of a file and the generated fields.
pub(super) fn check(grammar: &FileGrammar, set: &EnvelopeSet, out: &mut Vec<Finding>) {
    let (channels, fields) = wanted(set);
    let found = difference(grammar, &channels, &fields, set);
    out.extend(found.map(|(message, note)| Finding::new(&SCHEMA_DRIFT, grammar.place, message).note(note)));
}

/// The two channels, and the fields of the control packet.
fn wanted(set: &EnvelopeSet) -> (Vec<&'static str>, Vec<&'static str>) {
    let names = |value: &Value| match value {
        Value::Object(members) => members.iter().map(|member| member.name).collect(),
        _ => Vec::new(),
    };
    let control = match &set.value {
        Value::Object(members) => members.iter().find(|member| member.name == "control_packet"),
        _ => None,
    };
    (names(&set.value), control.map(|member| names(&member.value)).unwrap_or_default())
}

/// The first difference, and its consequence.
fn difference(
    grammar: &FileGrammar,
    channels: &[&str],
    fields: &[&str],
    set: &EnvelopeSet,
) -> Option<(String, String)> {
    let profile = set.profile;
    let missing = channels.iter().find(|name| !grammar.channels.iter().any(|other| other == **name));
    let missing =
        missing.or_else(|| fields.iter().find(|name| !grammar.fields.iter().any(|other| other == **name)));
    if let Some(name) = missing {
        return Some((
            format!("field `{name}` is missing"),
            format!("version {profile} has it, and no reply can"),
        ));
    }
    if let Some(name) = grammar.fields.iter().find(|name| !fields.contains(&name.as_str())) {
        let note = format!("envelopes of version {profile} are generated without it");
        return Some((format!("field `{name}` is not generated"), note));
    }
    let order: Vec<_> = grammar.channels.iter().filter(|name| channels.contains(&name.as_str())).collect();
    if let (Some(first), Some(wanted)) = (order.first(), channels.first())
        && first.as_str() != *wanted
    {
        let note = format!("version {profile} begins with `{wanted}`, and validators cannot see the order");
        return Some((format!("`{first}` comes first"), note));
    }
    let is_moved = |(one, other): &(&String, &&str)| one.as_str() != **other;
    if let Some((name, wanted)) = grammar.fields.iter().zip(fields).find(is_moved) {
        let note = "engines generate fields in the order of the file".to_owned();
        return Some((format!("field `{name}` comes before `{wanted}`"), note));
    }
    let name = grammar.optional.first()?;
    let note = "engines differ in where they put optional fields".to_owned();
    Some((format!("field `{name}` may be left out"), note))
}
