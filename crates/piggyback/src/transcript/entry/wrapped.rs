//! Log lines in JSON records, as stored by container runtimes and log collectors.
//!
//! Each line of a pretty-printed envelope is a separate record, and long lines are split.

use super::border::EntryForm;
use super::text::Text;
use super::wrapper::Wrapper;
use crate::envelope::json::{Json, JsonKind as Node};
use crate::transcript::shapes::{self, Draft, native_calls};
use crate::transcript::turn::{Record, Skip, TextKind, Turn, TurnRole};
use crate::transcript::words::{is_envelope, step};

/// Returns the turns of the records of one entry. `None` for a single record, which needs no
/// joining.
pub(in crate::transcript) fn read_wrapped(record: &Record<'_>, wrapper: &Wrapper) -> Option<Vec<Turn>> {
    let (mut draft, mut at, mut count) = (Draft::default(), 0, 0);
    for line in record.bytes.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        if line.trim_ascii().is_empty() {
            continue;
        }
        let json = Json::parse_part(record.bytes, start..at);
        let text = wrapper.member(&json)?;
        draft.push(&json, text, step("", wrapper.name()));
        count += 1;
    }
    if count < 2 {
        return None;
    }
    let mut inner = draft.finish(TurnRole::Other, TextKind::Skipped(Skip::OtherRole));
    inner.takes_edits = false;
    Some(of_text(&inner, record))
}

/// Returns the turns of a text that is assembled from members of several records.
fn of_text(inner: &Turn, record: &Record<'_>) -> Vec<Turn> {
    let text = inner.text(record.bytes);
    let json = Json::parse(text);
    if json.is_valid_to_the_end()
        && json.kind(json.root()) == Node::Object
        && !is_envelope(&json, json.root())
    {
        let found = shapes::read(&json, json.root(), "").filter(|found| !found.turns.is_empty());
        let found = found.or_else(|| shapes::by_envelope(&json, json.root(), ""));
        let pointer = inner.path.first().map_or("", String::as_str);
        let outward = |turn: Turn| {
            let mut turn = turn.inside_string(text, &inner.map, pointer);
            turn.takes_edits = false;
            turn
        };
        let mut turns = found.map(|found| found.turns).unwrap_or_default();
        native_calls::mark(&json, json.root(), &mut turns);
        return turns.into_iter().map(outward).collect();
    }
    let form = EntryForm::of_log(text);
    super::text::read_text(&Text::inside(text, inner, &form))
}
