//! A tool call as the safety gate of a runtime sees it, in the form of the recordings.

use mangle_settings::Runtime;
use piggyback::envelope::runtime::{self, Caps, GateCall};
use serde_json::{Map, Value, json};

/// The record of a call of `tool` with the JSON text `args`.
pub(crate) fn gate_record(runtime: Runtime, tool: &str, args: &str) -> Map<String, Value> {
    let tool = serde_json::to_string(tool).unwrap();
    let raw = format!(
        r#"{{"control_packet":{{"tool_requests":[{{"tool_name":{tool},"tool_args":{args}}}]}},"surface_response":"s"}}"#
    );
    let reading = runtime::read(raw.as_bytes(), &Caps { runtime, ..Caps::default() }).unwrap();
    let mut record = Map::new();
    let Some(picked) = reading.accepted else {
        record.insert("decode_error".into(), true.into());
        return record;
    };
    let tool = &picked.packet.tools.as_slice()[0];
    insert_call(&GateCall::new(tool, runtime), &mut record);
    if runtime.shell_effects && runtime::is_shell_tool(&tool.name) {
        let effect = runtime::effect(&tool.name, tool.args.as_ref());
        let mut shell = json!({
            "allowed": effect.is_allowed(),
            "command": runtime::command(&tool.name, tool.args.as_ref()),
            "effect": effect.word(),
        });
        if let Some(why) = runtime::shell_refusal(&tool.name, tool.args.as_ref()) {
            shell["error"] = why.into();
        }
        record.insert("shell".into(), shell);
    }
    record
}

fn insert_call(call: &GateCall, record: &mut Map<String, Value>) {
    if let Some((action, why)) = &call.denied {
        record.insert("denied".into(), why.as_str().into());
        record.insert("security_violation".into(), action.as_str().into());
        return;
    }
    record.insert("action".into(), call.action.as_str().into());
    record.insert("target".into(), call.target.as_str().into());
    record.insert("payload".into(), call.payload.as_str().into());
    if runtime::is_constant(&call.action) {
        let kind = |text: &str| if runtime::becomes_name(text.as_bytes()) { "name" } else { "string" };
        let stored =
            json!({ "action": "name", "target": kind(&call.target), "payload": kind(&call.payload) });
        record.insert("stored".into(), stored);
    } else {
        record.insert("not_assertable".into(), true.into());
    }
}
