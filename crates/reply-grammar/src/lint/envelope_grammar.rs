//! Reader for grammars of whole envelopes.

use mangle_syntax::lint::Finding;
use mangle_syntax::text::{TextRange, TextSize, size};
use serde_json::Value as Json;

use super::file_grammar::{FileGrammar, UpdateGrammar, updates};
use super::rules;
use crate::expr::{Expr, escaped};
use crate::reading::ReadError;

/// The content of a grammar of whole envelopes, inferred from its examples. `None` if the examples
/// are not envelopes.
pub(super) fn read(grammar: Expr, text: &str) -> Option<FileGrammar> {
    let examples = grammar.examples(&|_| false);
    let envelopes = examples.iter().filter_map(|text| Some((text, serde_json::from_str::<Json>(text).ok()?)));
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
        Some(UpdateGrammar::of_envelope(place, grammar, example, update))
    });
    Some(FileGrammar { channels, fields: all, optional, place, updates })
}

/// The line with the updates. Fallback: the first line.
fn place(text: &str) -> TextRange {
    let at = text.find("mangle_updates").unwrap_or_default();
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    TextRange::at(size(start), TextSize::of(line))
}

fn keys(json: &Json) -> Vec<String> {
    json.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
}

/// The finding for an invalid grammar.
pub(super) fn broken(text: &str, error: &ReadError) -> Finding {
    let start = text.get(..error.at).map_or(0, |before| before.rfind('\n').map_or(0, |at| at + 1));
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let range = TextRange::at(size(start), TextSize::of(line));
    Finding::new(&rules::SCHEMA_BROKEN, range, "grammar cannot be read").note(error.why.clone())
}
