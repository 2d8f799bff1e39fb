//! Replies, and tool arguments, as the reference runtime reads them: everything that was recorded of it, in both modes.
//!
//! The folders are listed in `recordings`.

use std::collections::BTreeMap;
use std::fs;

use super::gate::gate_record;
use super::recorded_program::RecordedProgram;
use super::recordings::{Recording, recordings};
use mangle_settings::Runtime;
use piggyback::envelope::json;
use piggyback::envelope::runtime::{self, Caps, DecodeFailure};
use serde_json::{Map, Value, json};

/// Compares all records of some files, says how many agree, and fails if any does not.
fn compare(ends: &str, differs: impl Fn(&Recording, &Map<String, Value>) -> Vec<String>) {
    let mut wrong = Vec::new();
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for recording in recordings("envelopes", &[ends]) {
        for record in recording.records() {
            let found = differs(&recording, &record);
            let count =
                counts.entry(format!("{} {}", recording.runtime, recording.file.display())).or_default();
            count.0 += usize::from(found.is_empty());
            count.1 += 1;
            wrong.extend(found);
        }
    }
    for (name, (agree, all)) in &counts {
        eprintln!("{name}: {agree} of {all} agree");
    }
    assert!(!counts.is_empty(), "no recordings of {ends}");
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn replies_are_read_as_the_runtime_reads_them() {
    compare("cases.jsonl", case);
}

/// What differs in one case.
fn case(recording: &Recording, record: &Map<String, Value>) -> Vec<String> {
    let (name, runtime) = (record["file"].as_str().unwrap(), recording.runtime());
    let raw = fs::read(recording.inputs.join(name)).unwrap();
    let caps = Caps { runtime, ..Caps::default() };
    let strict = Caps { strict: true, ..caps.clone() };
    let usual = runtime::record(&runtime::read(&raw, &caps), runtime, Some(&RecordedProgram));
    let expected = &record["default"];
    let expected_strict = if record["strict"] == "same" { expected } else { &record["strict"] };
    let attempts = runtime::attempts(&raw, runtime);
    let candidates: Vec<_> =
        runtime::candidates(&raw, &caps).iter().map(|at| json!([at.start, at.end])).collect();
    let found = [
        ("default", plain(expected), plain(&usual)),
        (
            "strict",
            plain(expected_strict),
            plain(&runtime::record(&runtime::read(&raw, &strict), runtime, Some(&RecordedProgram))),
        ),
        ("whole", plain(record.get("whole").unwrap_or(&Value::Null)), outcome(attempts.whole.as_ref())),
        ("stream", plain(record.get("stream").unwrap_or(&Value::Null)), stream(attempts.stream.as_ref())),
        ("candidates", record.get("candidates").cloned().unwrap_or_else(|| json!([])), candidates.into()),
        ("bytes", record["bytes"].clone(), raw.len().into()),
        ("live", record.get("live").cloned().unwrap_or_default(), runtime::live_record(&raw, runtime)),
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
                "offset" | "field" | "fields" => !is_failure,
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
    compare("payloads.jsonl", |recording, record| payload(recording.runtime(), record));
}

fn payload(runtime: Runtime, record: &Map<String, Value>) -> Vec<String> {
    let text = |name: &str| record.get(name).and_then(Value::as_str).unwrap_or("");
    let mut found = gate_record(runtime, text("tool"), text("args"));
    if record.contains_key("decode_error") || found.contains_key("decode_error") {
        let agree = record.contains_key("decode_error") == found.contains_key("decode_error");
        return if agree {
            Vec::new()
        } else {
            vec![format!("{}: the envelope is lost in one only", text("id"))]
        };
    }
    let mut expected = record.clone();
    for input in ["id", "tool", "args"] {
        expected.shift_remove(input);
    }
    if expected.contains_key("not_assertable") {
        expected.insert("not_assertable".into(), true.into());
    }
    // A payload of many bytes is recorded by its hash.
    if !expected.contains_key("payload") && found.contains_key("payload") {
        let bytes = expected.shift_remove("payload_bytes");
        expected.retain(|key, _| !key.starts_with("payload_"));
        let payload = found.shift_remove("payload").unwrap();
        if bytes.is_some_and(|bytes| bytes != json!(payload.as_str().unwrap().len())) {
            return vec![format!("{}: payload of another length", text("id"))];
        }
    }
    let (expected, found) = (Value::from(expected), Value::from(found));
    if expected == found {
        Vec::new()
    } else {
        vec![format!("{}: expected\n  {expected}\nfound\n  {found}", text("id"))]
    }
}

#[test]
fn updates_pass_the_filters_as_recorded() {
    compare("atoms.jsonl", |recording, record| atom(recording.runtime(), record));
}

fn atom(runtime: Runtime, record: &Map<String, Value>) -> Vec<String> {
    let mut expected = record.clone();
    let atom = expected.shift_remove("atom").unwrap();
    let id = expected.shift_remove("id").unwrap();
    let mut found = runtime::update_record(
        atom.as_str().unwrap(),
        &Caps { runtime, ..Caps::default() },
        Some(&RecordedProgram),
    );
    // How the engine's own text escapes what it prints does not count.
    for kernel in [expected.get_mut("kernel"), found.get_mut("kernel")].into_iter().flatten() {
        *kernel = kernel.as_str().unwrap().replace("\\'", "'").into();
    }
    // The reasons of the parser are the engine's.
    let reason = expected.get("session_reason").and_then(Value::as_str).map(str::to_owned);
    if reason.is_some_and(|reason| reason.starts_with("parse error")) {
        expected.shift_remove("session_reason");
    }
    let expected = Value::Object(expected);
    if expected == found {
        Vec::new()
    } else {
        vec![format!("{id} {atom}: expected\n  {expected}\nfound\n  {found}")]
    }
}

/// The tree that keeps everything and the validator that stops like Go agree on what JSON is.
#[test]
fn what_the_tree_has_no_problem_with_is_json() {
    for recording in recordings("envelopes", &["cases.jsonl"]) {
        for record in recording.records() {
            let raw = fs::read(recording.inputs.join(record["file"].as_str().unwrap())).unwrap();
            let is_json = json::whole(&raw).is_ok();
            assert_eq!(json::Json::parse(&raw).is_valid_to_the_end(), is_json, "{}", record["file"]);
        }
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
        let picked = reading.accepted?;
        let args = picked.packet.tools.as_slice()[0].args.clone();
        Some((
            runtime::payload(args.as_ref().unwrap()).len(),
            runtime::target(args.as_ref(), mangle_settings::Runtime::default()).len(),
        ))
    };
    // The envelope, the packet, the list, the request and its arguments are levels, too.
    assert_eq!(deep(9_995, "[", "]"), Some((10 + 2 * 9_995, 1 + 2 * 9_995)));
    assert_eq!(deep(9_996, "[", "]"), None);
    assert_eq!(deep(9_995, r#"{"a":"#, "}").map(|(payload, _)| payload), Some(10 + 6 * 9_995));
}
