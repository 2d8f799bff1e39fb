//! Every capability of a runtime has a case that its values tell apart.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use agent_prompt::session::{SessionFile, SessionForm};
use agent_prompt::{
    AssemblyRequest, DerivedContext, FactList, Mode, PromptContext, appends_in_jit_mode, assemble,
    is_structured_only, names_envelope,
};
use mangle_settings::versions::runtime::{RUNTIMES, RuntimeCapabilities};
use mangle_settings::{Runtime, TranscriptSettings};
use piggyback::envelope::runtime::{
    self, Caps, GateCall, ReadUpdate, built_in, effect, is_shell_tool, live, read, update_record,
};
use serde_json::{Value, json};

use super::recorded_program::RecordedProgram;

/// What a runtime makes of the case of a capability, as text.
type Case = (&'static str, fn(Runtime) -> String);

fn caps(runtime: Runtime) -> Caps {
    Caps { runtime, ..Caps::default() }
}

/// The record of a reply.
fn reply(raw: &str, caps: &Caps) -> Value {
    runtime::record(&read(raw.as_bytes(), caps), caps.runtime, Some(&RecordedProgram))
}

/// An envelope with a control packet.
fn envelope(control: &Value) -> String {
    json!({ "control_packet": control, "surface_response": "Done." }).to_string()
}

fn of_envelope(control: &Value, runtime: Runtime) -> String {
    reply(&envelope(control), &caps(runtime)).to_string()
}

fn update(update: &str, runtime: Runtime) -> String {
    update_record(update, &caps(runtime), Some(&RecordedProgram)).to_string()
}

/// A tool call as the gate sees it.
fn call(name: &str, args: Option<&Value>, runtime: Runtime) -> String {
    let mut request = json!({ "id": "r1", "tool_name": name });
    if let Some(args) = args {
        request["tool_args"] = args.clone();
    }
    let reading = read(envelope(&json!({ "tool_requests": [request] })).as_bytes(), &caps(runtime)).unwrap();
    format!("{:?}", GateCall::new(&reading.accepted.unwrap().packet.tools.as_slice()[0], runtime))
}

fn session(text: &str) -> agent_prompt::session::PromptSession {
    SessionFile::read(text, SessionForm::Json).session
}

fn context(session_text: &str, runtime: Runtime) -> PromptContext {
    PromptContext {
        session: Some(session(session_text)),
        runtime,
        ..PromptContext::for_shard("coder-7", "coder")
    }
}

/// A prompt, over some facts.
fn prompt(context: &PromptContext, facts: &[String], mode: Mode) -> String {
    let mut list = FactList::default();
    facts.iter().for_each(|fact| assert!(list.read(fact), "{fact}"));
    assemble(&AssemblyRequest::plain(context, mode), &mut list).text()
}

fn of_session(text: &str, runtime: Runtime) -> String {
    prompt(&context(text, runtime), &[], Mode::Legacy)
}

fn of_facts(facts: &[String], runtime: Runtime) -> String {
    let context = PromptContext { runtime, ..PromptContext::for_shard("coder-7", "coder") };
    prompt(&context, facts, Mode::Legacy)
}

fn derived(session_text: &str, runtime: Runtime) -> String {
    format!("{:?}", DerivedContext::from_context(&context(session_text, runtime)))
}

/// Text that exceeds a limit by one byte.
fn beyond(limit: usize) -> String {
    "x".repeat(limit + 1)
}

fn many(count: usize, entry: &Value) -> Value {
    vec![entry.clone(); count].into()
}

#[rustfmt::skip] // One row a capability.
const CASES: &[Case] = &[
    ("conventions", |runtime| {
        let mut settings = TranscriptSettings::default();
        settings.set_runtime(Some(runtime));
        format!("{:?}", settings.compression_target())
    }),
    ("update_filters", |runtime| update("task_done", runtime)),
    ("decoding", |runtime| reply(r#"{"surface_response":"a"} and more"#, &caps(runtime)).to_string()),
    ("type_errors", |runtime| {
        let raw = r#"{"surface_response":["a"],"control_packet":{"knowledge_requests":5}}"#;
        format!("{:?}", runtime::attempts(raw.as_bytes(), runtime).whole)
    }),
    ("lenient_types", |runtime| of_envelope(&json!({ "mangle_updates": "task_done(1)." }), runtime)),
    ("strict_keys", |runtime| {
        let control = json!({ "intent_classification": { "category": "/query", "verb": "/fix" }, "more": 1 });
        reply(&envelope(&control), &Caps { strict: true, ..caps(runtime) }).to_string()
    }),
    ("scanner_candidates", |runtime| {
        runtime::candidates("{}".repeat(60).as_bytes(), &caps(runtime)).len().to_string()
    }),
    ("scanner_depth", |runtime| {
        let deep = format!("{}{}", "{".repeat(250), "}".repeat(250));
        format!("{:?}", runtime::candidates(deep.as_bytes(), &caps(runtime)))
    }),
    ("candidate_cap", |runtime| {
        runtime::candidates(format!("{{{}}}", beyond(6 << 20)).as_bytes(), &caps(runtime)).len().to_string()
    }),
    ("surface_salvage", |runtime| {
        reply(r#"{"control_packet":{},"surface_response":"Half of the rep"#, &caps(runtime)).to_string()
    }),
    ("surface_cap", |runtime| {
        reply(&json!({ "surface_response": beyond(50_000) }).to_string(), &caps(runtime)).to_string()
    }),
    ("updates_cap", |runtime| of_envelope(&json!({ "mangle_updates": many(2_001, &json!("a(1).")) }), runtime)),
    ("update_cap", |runtime| update(&format!("a(\"{}\").", beyond(1_000)), runtime)),
    ("memory_cap", |runtime| {
        of_envelope(&json!({ "memory_operations": many(501, &json!({ "op": "note", "key": "a", "value": "b" })) }), runtime)
    }),
    ("trace_cap", |runtime| of_envelope(&json!({ "reasoning_trace": beyond(50_000) }), runtime)),
    ("tool_requests_cap", |runtime| {
        of_envelope(&json!({ "tool_requests": many(21, &json!({ "id": "a", "tool_name": "b" })) }), runtime)
    }),
    ("knowledge_requests_cap", |runtime| {
        of_envelope(&json!({ "knowledge_requests": many(21, &json!({ "specialist": "a", "query": "b" })) }), runtime)
    }),
    ("trace_cut", |runtime| {
        let caps = Caps { trace: Some(3), ..caps(runtime) };
        reply(&envelope(&json!({ "reasoning_trace": "ääää" })), &caps).to_string()
    }),
    ("shell_characters", |runtime| {
        ["a(\"x;y\").", "a(1) & b(2)."].map(|text| update(text, runtime)).concat()
    }),
    ("shell_text", |runtime| {
        let read = ReadUpdate::new("a(\"x;y\").", runtime);
        let all = built_in("compressor", runtime).unwrap();
        format!("{:?}", read.verdict(0, all, runtime, None))
    }),
    ("session_predicates", |runtime| {
        let read = ReadUpdate::new("checkpoint_verdict(\"a\", /pass, \"b\", 90).", runtime);
        let other = ReadUpdate::new("anything(1).", runtime);
        let session = built_in("session", runtime).unwrap();
        [read, other].map(|read| read.verdict(0, session, runtime, None).letter().to_string()).concat()
    }),
    ("host_witnesses", |runtime| update("test_state(/passing).", runtime)),
    ("placeholders", |runtime| {
        reply(r#"{"surface_response":"<SURFACE_RESPONSE>"}"#, &caps(runtime)).to_string()
    }),
    ("live_channel", |runtime| {
        let raw = br#"{"surface_response":"a"}"#;
        if runtime.live_channel { format!("{:?}", live(raw, &[64])) } else { String::new() }
    }),
    ("float_arguments", |runtime| update("a(1.5).", runtime)),
    ("path_arguments", |runtime| call("read_file", Some(&json!({ "file_path": "a", "query": "b" })), runtime)),
    ("other_targets", |runtime| call("glob", Some(&json!({ "pattern": "*.rs" })), runtime)),
    ("path_rules", |runtime| call("edit", Some(&json!({ "path": 5 })), runtime)),
    ("tool_name_check", |runtime| call("read-file", Some(&json!({})), runtime)),
    ("action_ids", |runtime| call("read_file", Some(&json!({})), runtime)),
    ("payload_cap", |runtime| {
        let call = call("write_file", Some(&json!({ "content": beyond(102_400) })), runtime);
        call.contains("payload too large").to_string()
    }),
    ("empty_payload", |runtime| call("ping", None, runtime)),
    ("shell_effects", |runtime| {
        let args = BTreeMap::from([("command".to_owned(), runtime::AnyValue::Text("rm x".to_owned()))]);
        let refused = runtime.shell_effects && is_shell_tool("bash") && !effect("bash", Some(&args)).is_allowed();
        refused.to_string()
    }),
    ("denial_facts", |runtime| runtime.denial_facts.to_string()),
    ("native_path", |runtime| runtime.native_path.to_string()),
    ("prompt_line_cap", |runtime| of_session(&json!({ "failing_tests": [beyond(500)] }).to_string(), runtime)),
    ("prompt_block_cap", |runtime| {
        of_session(&json!({ "recent_actions": vec!["short"; 9_000] }).to_string(), runtime)
    }),
    ("context_rows_cap", |runtime| {
        let facts: Vec<_> = (0..61).map(|at| format!("injectable_context(\"*\", \"row {at}\").")).collect();
        of_facts(&facts, runtime)
    }),
    ("context_row_cap", |runtime| of_facts(&[format!("injectable_context(\"*\", \"{}\").", beyond(1_024))], runtime)),
    ("context_by_pattern", |runtime| {
        of_facts(&["injectable_context(\"*\", \"b\").", "injectable_context(\"*\", \"a\")."].map(String::from), runtime)
    }),
    ("dependency_block", |runtime| of_session(r#"{"dependency_context":["a"]}"#, runtime)),
    ("safety_first", |runtime| {
        of_session(r#"{"failing_tests":["t"],"blocked_actions":["/rm"]}"#, runtime)
    }),
    ("git_files", |runtime| of_session(r#"{"git_modified_files":["a.rs"]}"#, runtime)),
    ("printed_arguments", |runtime| of_facts(&["injectable_context(\"*\", 1.5).".to_owned()], runtime)),
    ("smallest_template", |runtime| {
        let facts = ["shard_prompt_base(/coder, \"b\").", "shard_prompt_base(/coder, \"a\")."];
        of_facts(&facts.map(String::from), runtime)
    }),
    ("slash_roles", |runtime| {
        let context = PromptContext { runtime, ..PromptContext::for_shard("coder-7", "/coder") };
        DerivedContext::from_context(&context).shard_type
    }),
    ("target_language", |runtime| {
        let intent = agent_prompt::Intent {
            target: agent_prompt::SourcedText::by_caller("a.py"),
            ..agent_prompt::Intent::default()
        };
        let context = PromptContext { intent: Some(intent), ..context(r#"{"extra_context":{"language":"go"}}"#, runtime) };
        DerivedContext::from_context(&context).language
    }),
    ("provider_context", |runtime| derived(r#"{"extra_context":{"provider":"p","new_files":"yes"}}"#, runtime)),
    ("printed_map", |runtime| {
        let map = json!({ "shard_id": 5, "shard_type": "coder" });
        format!("{:?}", PromptContext::from_map(map.as_object().unwrap(), None, None, runtime).is_ok())
    }),
    ("bare_envelope_words", |runtime| names_envelope("control_packet and surface_response", runtime).to_string()),
    ("roles_without_envelope", |runtime| {
        let context = PromptContext { runtime, ..PromptContext::for_shard("p-1", "planner") };
        format!("{} {}", is_structured_only("planner", runtime), appends_in_jit_mode(&context))
    }),
];

#[test]
fn every_capability_has_a_case_for_its_values() {
    let cases: BTreeMap<_, _> = CASES.iter().copied().collect();
    let mut wrong = Vec::new();
    for (at, name) in RuntimeCapabilities::NAMES.iter().enumerate() {
        let Some(case) = cases.get(name) else {
            wrong.push(format!("{name} has no case"));
            continue;
        };
        let all: Vec<_> =
            Runtime::all().map(|runtime| (runtime, runtime.values()[at].clone(), case(runtime))).collect();
        let differs = all
            .iter()
            .any(|(_, value, found)| all.iter().any(|(_, other, shown)| value != other && found != shown));
        if !differs {
            wrong.push(format!("the case of {name} shows no difference"));
        }
    }
    let unknown: Vec<_> = cases.keys().filter(|name| !RuntimeCapabilities::NAMES.contains(name)).collect();
    assert!(wrong.is_empty() && unknown.is_empty(), "{}\nunknown: {unknown:?}", wrong.join("\n"));
}

/// Only the tables name a version, and tests of whole commands, whose output does.
#[test]
fn code_outside_of_the_tables_names_no_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names: Vec<&str> =
        RUNTIMES.iter().map(|row| row.published.name).filter(|name| name.contains('-')).collect();
    let mut found = Vec::new();
    for folder in ["crates", "src", "tests/all/agents", "xtask/src", "python/src", "playground/src"] {
        search(&root.join(folder), &names, &mut found);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn search(folder: &Path, names: &[&str], found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("mangle-settings/src/versions") && !path.ends_with("target") {
                search(&path, names, found);
            }
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let lines =
                text.lines().enumerate().filter(|(_, line)| names.iter().any(|name| line.contains(name)));
            found.extend(lines.map(|(at, line)| format!("{}:{}: {line}", path.display(), at + 1)));
        }
    }
}
