//! The answers of the product to an exported suite.

use mangle_engine::kernel::{Clock, Limits, Reading, compile, run};
use mangle_ide::file_findings::load_findings;
use mangle_settings::{EngineVersion, Runtime};
use mangle_syntax::text::Cancel;
use piggyback::envelope::runtime::{self, Caps, DecodeFailure};
use serde_json::{Map, Value, json};

use super::suite::case::Case;
use super::suite::kind::Kind;
use super::suite::read::Suite;
use crate::agents::{RecordedProgram, gate_record};
use crate::policies::is_about_types;
use crate::support;

/// The answers to all cases, as JSON lines.
pub(super) fn answers(suite: &Suite) -> String {
    let mut lines = String::new();
    for (kind, cases) in &suite.cases {
        for case in cases.values() {
            for version in case.expected.keys() {
                let Some(parts) = answer(*kind, case, version) else { continue };
                let mut line = Map::new();
                line.insert("suite".into(), kind.name().into());
                line.insert("id".into(), case.id.as_str().into());
                line.insert("version".into(), version.as_str().into());
                line.extend(parts);
                lines += &format!("{}\n", Value::from(line));
            }
        }
    }
    lines
}

/// The answer to a case; `None` for a version that the product does not know.
fn answer(kind: Kind, case: &Case, version: &str) -> Option<Map<String, Value>> {
    let parts = match kind {
        Kind::Language => program(case, EngineVersion::parse(version)?),
        Kind::Replies => reply(&case.raw()?, Runtime::parse(version)?),
        Kind::Updates => {
            let runtime = Runtime::parse(version)?;
            let caps = Caps { runtime, ..Caps::default() };
            json!({ "result": runtime::update_record(case.text("update")?, &caps, Some(&RecordedProgram)) })
        }
        Kind::ToolCalls => {
            let runtime = Runtime::parse(version)?;
            json!({ "result": gate_record(runtime, case.text("tool")?, case.text("args")?) })
        }
    };
    parts.as_object().cloned()
}

fn program(case: &Case, engine: EngineVersion) -> Value {
    let texts: Vec<_> =
        case.files().iter().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect();
    let program = support::program_for(&texts, engine);
    if !load_findings(&program).is_empty() {
        return json!({ "loads": false });
    }
    let found = support::check_for(&texts, engine).concat();
    // A division by zero is no error of the bounds check.
    let ill_typed = found.iter().any(|found| is_about_types(found) && found.rule.name != "division-by-zero");
    let mut parts = json!({ "loads": true, "ill_typed": ill_typed });
    let compiled = compile(&program, Reading::Engine);
    let limits = Limits { facts: 100_000, ..Limits::default() };
    let model = run(&compiled, limits, Clock { now_ns: 0 }, &Cancel::new());
    parts["stops"] = model.stopped.is_some().into();
    if model.stopped.is_none() {
        parts["facts"] = model.dump(&compiled).into();
    }
    parts
}

fn reply(raw: &[u8], runtime: Runtime) -> Value {
    let caps = Caps { runtime, ..Caps::default() };
    let strict = Caps { strict: true, ..caps.clone() };
    let record = |caps: &Caps| runtime::record(&runtime::read(raw, caps), runtime, Some(&RecordedProgram));
    let attempts = runtime::attempts(raw, runtime);
    let failure = |failure: &DecodeFailure| runtime::failure_record(failure);
    let stream = match attempts.stream {
        None => Value::Null,
        Some(Ok(())) => "ok".into(),
        Some(Err(error)) => failure(&error),
    };
    let candidates: Vec<_> =
        runtime::candidates(raw, &caps).iter().map(|at| json!([at.start, at.end])).collect();
    json!({
        "default": record(&caps),
        "strict": record(&strict),
        "whole": attempts.whole.as_ref().err().map_or(Value::Null, failure),
        "stream": stream,
        "candidates": candidates,
        "live": runtime::live_record(raw, runtime),
    })
}
