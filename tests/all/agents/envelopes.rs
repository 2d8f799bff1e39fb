//! Replies, and tool arguments, as the reference runtime reads them: everything that was recorded of it, in both modes.
//!
//! The folder is `tests/conformance/envelopes`, or any of the same shape that `MANGLE_LS_ENVELOPES` names
//! (`cargo xtask conformance DIR`).

use std::fs;
use std::path::PathBuf;

use piggyback::envelope::json;
use piggyback::envelope::runtime::{self, Caps, DecodeFailure};
use serde_json::{Map, Value, json};

fn folder() -> PathBuf {
    match std::env::var_os("MANGLE_LS_ENVELOPES") {
        Some(named) => PathBuf::from(named),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/envelopes"),
    }
}

/// The records of a file of the folder.
fn records(name: &str) -> Vec<Map<String, Value>> {
    let path = folder().join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let records: Vec<_> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!records.is_empty(), "{name} holds nothing");
    records
}

/// Says which of `name` differ, and fails if any does.
fn assert_none(name: &str, of: usize, wrong: &[String]) {
    eprintln!("{name}: {} of {of} agree", of - wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn replies_are_read_as_the_runtime_reads_them() {
    let all = records("cases.jsonl");
    let wrong: Vec<_> = all.iter().flat_map(case).collect();
    assert_none("replies", all.len(), &wrong);
}

/// What differs in one case.
fn case(record: &Map<String, Value>) -> Vec<String> {
    let name = record["file"].as_str().unwrap();
    let raw = fs::read(folder().join("cases").join(name)).unwrap();
    let caps = Caps::default();
    let strict = Caps { strict: true, ..Caps::default() };
    let usual = runtime::record(&runtime::read(&raw, &caps));
    let expected = &record["default"];
    let expected_strict = if record["strict"] == "same" { expected } else { &record["strict"] };
    let attempts = runtime::attempts(&raw);
    let candidates: Vec<_> =
        runtime::candidates(&raw, &caps).iter().map(|at| json!([at.start, at.end])).collect();
    let found = [
        ("default", plain(expected), plain(&usual)),
        ("strict", plain(expected_strict), plain(&runtime::record(&runtime::read(&raw, &strict)))),
        ("whole", plain(record.get("whole").unwrap_or(&Value::Null)), outcome(attempts.whole.as_ref())),
        ("stream", plain(record.get("stream").unwrap_or(&Value::Null)), stream(attempts.stream.as_ref())),
        ("candidates", record.get("candidates").cloned().unwrap_or_else(|| json!([])), candidates.into()),
        ("bytes", record["bytes"].clone(), raw.len().into()),
    ];
    let differs = |(what, expected, found): (&str, Value, Value)| {
        (expected != found).then(|| format!("{name}, {what}: expected\n  {expected}\nfound\n  {found}"))
    };
    found.into_iter().filter_map(differs).collect()
}

/// Why all of the text is no envelope; nothing if it is one.
fn outcome(result: Result<&(), &DecodeFailure>) -> Value {
    result.err().map_or(Value::Null, |failure| plain(&runtime::failure_record(failure)))
}

fn stream(result: Option<&Result<(), DecodeFailure>>) -> Value {
    match result {
        None => Value::Null,
        Some(Ok(())) => "ok".into(),
        Some(Err(failure)) => plain(&runtime::failure_record(failure)),
    }
}

/// A record without what may differ: where exactly a failure was noticed.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let is_failure = members.contains_key("class");
            let counts = |key: &str| match key {
                "offset" | "field" => !is_failure,
                _ => true,
            };
            members
                .iter()
                .filter(|(key, _)| counts(key))
                .map(|(key, value)| (key.clone(), plain(value)))
                .collect()
        }
        other => other.clone(),
    }
}

#[test]
fn tool_arguments_reach_the_gate_as_recorded() {
    let all = records("payloads.jsonl");
    let wrong: Vec<_> = all.iter().filter_map(payload).collect();
    assert_none("payloads", all.len(), &wrong);
}

fn payload(record: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| record.get(name).and_then(Value::as_str).unwrap_or("");
    let tool = serde_json::to_string(text("tool")).unwrap();
    let raw = format!(
        r#"{{"control_packet":{{"tool_requests":[{{"tool_name":{tool},"tool_args":{}}}]}},"surface_response":"s"}}"#,
        text("args")
    );
    let reading = runtime::read(raw.as_bytes(), &Caps::default()).unwrap();
    let expects_loss = record.contains_key("decode_error");
    let Some(picked) = reading.picked else {
        return (!expects_loss).then(|| format!("{}: the envelope is lost", text("id")));
    };
    let tool = &picked.packet.tools.as_slice()[0];
    let found = [
        ("action", runtime::action(&tool.name)),
        ("target", runtime::target(tool.args.as_ref())),
        ("payload", tool.args.as_ref().map_or_else(|| "null".to_owned(), runtime::payload)),
    ];
    let wrong = found.iter().find(|(name, found)| text(name) != found);
    let wrong =
        wrong.map(|(name, found)| format!("{}, {name}: expected {} found {found}", text("id"), text(name)));
    if expects_loss {
        return Some(format!("{}: the envelope is not lost", text("id")));
    }
    wrong.or_else(|| pending(record, &found))
}

/// What differs in the fact that the gate asserts: what becomes a name in it, and whether it can be asserted at all.
fn pending(record: &Map<String, Value>, found: &[(&str, String)]) -> Option<String> {
    let is_assertable = runtime::is_constant(&found[0].1);
    if record.contains_key("not_assertable") || !is_assertable {
        let agree = record.contains_key("not_assertable") && !is_assertable;
        return (!agree).then(|| format!("{}: assertable: {is_assertable}", record["id"]));
    }
    let kind = |text: &str| if runtime::becomes_name(text.as_bytes()) { "name" } else { "string" };
    let stored = json!({ "action": "name", "target": kind(&found[1].1), "payload": kind(&found[2].1) });
    (record["stored"] != stored).then(|| format!("{}: stored as {stored}", record["id"]))
}

#[test]
fn updates_pass_the_filters_as_recorded() {
    let all = records("atoms.jsonl");
    let wrong: Vec<_> = all.iter().filter_map(atom).collect();
    assert_none("atoms", all.len(), &wrong);
}

fn atom(record: &Map<String, Value>) -> Option<String> {
    let mut expected = record.clone();
    let atom = expected.shift_remove("atom").unwrap();
    let id = expected.shift_remove("id").unwrap();
    let mut found = runtime::update_record(atom.as_str().unwrap(), &Caps::default());
    // How the engine's own text escapes what it prints does not count.
    for kernel in [expected.get_mut("kernel"), found.get_mut("kernel")].into_iter().flatten() {
        *kernel = kernel.as_str().unwrap().replace("\\'", "'").into();
    }
    let expected = Value::Object(expected);
    (expected != found).then(|| format!("{id} {atom}: expected\n  {expected}\nfound\n  {found}"))
}

/// The tree that keeps everything and the validator that stops like Go agree on what JSON is.
#[test]
fn what_the_tree_has_no_problem_with_is_json() {
    for record in records("cases.jsonl") {
        let raw = fs::read(folder().join("cases").join(record["file"].as_str().unwrap())).unwrap();
        let is_json = json::whole(&raw).is_ok();
        assert_eq!(json::Json::parse(&raw).is_valid_to_the_end(), is_json, "{}", record["file"]);
    }
}

/// As deep as Go's decoder goes, and one deeper.
#[test]
fn arguments_may_nest_deep() {
    let deep = |levels: usize, open: &str, close: &str| {
        let args = format!("{}1{}", open.repeat(levels), close.repeat(levels));
        let raw = format!(
            r#"{{"control_packet":{{"tool_requests":[{{"tool_name":"t","tool_args":{{"path":{args}}}}}]}},"surface_response":"s"}}"#
        );
        let reading = runtime::read(raw.as_bytes(), &Caps::default()).unwrap();
        let picked = reading.picked?;
        let args = picked.packet.tools.as_slice()[0].args.clone();
        Some((runtime::payload(args.as_ref().unwrap()).len(), runtime::target(args.as_ref()).len()))
    };
    // The envelope, the packet, the list, the request and its arguments are levels, too.
    assert_eq!(deep(9_995, "[", "]"), Some((10 + 2 * 9_995, 1 + 2 * 9_995)));
    assert_eq!(deep(9_996, "[", "]"), None);
    assert_eq!(deep(9_995, r#"{"a":"#, "}").map(|(payload, _)| payload), Some(10 + 6 * 9_995));
}
