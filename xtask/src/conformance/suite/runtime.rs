//! Cases about the agent runtime: recorded replies, single updates and tool calls of all runtime versions.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::case::{Expectation, insert_bytes};
use super::export::{Cases, Recordings, lines};
use super::kind::Kind;

/// Adds all recorded cases of a kind.
pub(super) fn collect(recordings: &Recordings, kind: Kind, cases: &mut Cases) -> Result<()> {
    let shared = recordings.folder.join("envelopes/cases");
    let file = match kind {
        Kind::Updates => "atoms.jsonl",
        Kind::ToolCalls => "payloads.jsonl",
        Kind::Replies | Kind::Language => "cases.jsonl",
    };
    for (version, folder) in recordings.versions("runtimes", "") {
        let envelopes = folder.join("envelopes");
        let lists: Vec<(PathBuf, PathBuf)> = if folder == recordings.folder {
            vec![(envelopes.join(file), shared.clone())]
        } else {
            let new = envelopes.join("new");
            vec![
                (envelopes.join(format!("shared-{file}")), shared.clone()),
                (new.join(file), new.join("cases")),
            ]
        };
        for (list, inputs) in lists {
            for record in lines(&list)? {
                let (id, input, expectation) = match kind {
                    Kind::Replies | Kind::Language => reply(record, &inputs)?,
                    Kind::Updates => update(record)?,
                    Kind::ToolCalls => tool_call(record)?,
                };
                cases.add(&id, input, &version, expectation)?;
            }
        }
    }
    Ok(())
}

/// The id, the input and the expectation of a record.
type Parts = (String, Map<String, Value>, Expectation);

fn members(record: Value) -> Result<Map<String, Value>> {
    match record {
        Value::Object(members) => Ok(members),
        other => anyhow::bail!("not a record: {other}"),
    }
}

fn take(record: &mut Map<String, Value>, name: &str) -> Result<String> {
    let value = record.shift_remove(name).with_context(|| format!("no `{name}` in {record:?}"))?;
    Ok(value.as_str().with_context(|| format!("`{name}` is not text in {record:?}"))?.to_owned())
}

fn reply(record: Value, inputs: &Path) -> Result<Parts> {
    let mut record = members(record)?;
    let file = take(&mut record, "file")?;
    let path = inputs.join(&file);
    let raw = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut input = Map::new();
    insert_bytes(&mut input, "raw", &raw);
    let default = record.get("default").cloned().unwrap_or_default();
    let strict = record.get("strict").filter(|strict| *strict != "same").unwrap_or(&default).clone();
    let mut out = Map::from_iter([("default".to_owned(), default), ("strict".to_owned(), strict)]);
    for (part, absent) in
        [("whole", Value::Null), ("stream", Value::Null), ("candidates", json!([])), ("live", Value::Null)]
    {
        out.insert(part.into(), record.get(part).cloned().unwrap_or(absent));
    }
    let id = file.strip_suffix(".txt").unwrap_or(&file).to_owned();
    Ok((id, input, out))
}

fn update(record: Value) -> Result<Parts> {
    let mut record = members(record)?;
    let id = take(&mut record, "id")?;
    let update = take(&mut record, "atom")?;
    let input = Map::from_iter([("update".to_owned(), update.into())]);
    Ok((id, input, Map::from_iter([("result".to_owned(), sorted(record))])))
}

fn tool_call(record: Value) -> Result<Parts> {
    let mut record = members(record)?;
    let id = take(&mut record, "id")?;
    let (tool, args) = (take(&mut record, "tool")?, take(&mut record, "args")?);
    let input = Map::from_iter([("tool".to_owned(), tool.into()), ("args".to_owned(), args.into())]);
    if let Some(lost) = record.get_mut("not_assertable") {
        *lost = true.into();
    }
    Ok((id, input, Map::from_iter([("result".to_owned(), sorted(record))])))
}

/// The members by name: the recordings of two versions have different orders.
fn sorted(members: Map<String, Value>) -> Value {
    let mut members: Vec<_> = members.into_iter().collect();
    members.sort_by(|one, other| one.0.cmp(&other.0));
    Value::Object(members.into_iter().collect())
}
