//! Prompts as the reference runtime assembles them: everything that was recorded of their structure.
//!
//! The folders are listed in `recordings`.

use super::recordings::recordings;
use agent_prompt::session::{SessionFile, SessionForm};
use agent_prompt::{
    AssemblyRequest, DerivedContext, FactList, Intent, Mode, Prompt, PromptContext, Section, SectionKind,
    SectionSource, SourcedText, appends_in_jit_mode, assemble, names_envelope,
};
use mangle_ide::previews::{blocks, derived};
use mangle_settings::Runtime;
use piggyback::envelope::runtime::go_quoted;
use serde_json::{Map, Value, json};

#[test]
fn prompts_are_assembled_as_the_runtime_assembles_them() {
    let mut wrong = Vec::new();
    for recording in recordings("prompts", &["cases.jsonl"]) {
        let (cases, before) = (recording.records(), wrong.len());
        for case in &cases {
            let found = observed(case["input"].as_object().unwrap(), recording.runtime());
            if found != case["expect"] {
                let name = case["name"].as_str().unwrap();
                wrong.push(format!("{name}: expected\n  {}\nfound\n  {found}", case["expect"]));
            }
        }
        let agree = cases.len() - (wrong.len() - before);
        eprintln!("{} {}: {agree} of {} agree", recording.runtime, recording.file.display(), cases.len());
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}

/// What is assembled for an input, in the words of the record.
fn observed(input: &Map<String, Value>, runtime: Runtime) -> Value {
    let Some(context) = context(input, runtime) else {
        return json!({ "error": "missing shard_id or shard_type" });
    };
    let prompt = assembled(input, &context, Mode::Legacy);
    let section_mode = assembled(input, &context, Mode::Section);
    let mut found = json!({
        "derived": derived(&DerivedContext::from_context(&context)),
        "section_mode": of_section_mode(&section_mode),
        "sections": prompt.sections.iter().map(section).collect::<Vec<_>>(),
        "suffix": prompt.suffix,
        "suffix_in_jit_mode": appends_in_jit_mode(&context),
    });
    if let Some(compiled) = input.get("compiled") {
        let names = names_envelope(compiled.as_str().unwrap(), runtime);
        found["jit"] = json!({ "suffix": appends_in_jit_mode(&context) && !names });
    }
    if let Some(error) = input.get("compile_error") {
        // The fallback is the legacy prompt, and a fact tells the first 400 characters of the error.
        let reason: String = error.as_str().unwrap().chars().take(400).collect();
        let role = DerivedContext::from_context(&context).shard_type;
        let fact = format!("jit_fallback({role}, {}).", go_quoted(&reason));
        found["jit"] = json!({ "same_as_legacy": true, "asserted": [fact] });
    }
    found
}

fn assembled(input: &Map<String, Value>, context: &PromptContext, mode: Mode) -> Prompt {
    let texts = |key: &str| -> Vec<&str> {
        input
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|text| text.as_str().unwrap())
            .collect()
    };
    let failing = texts("query_errors").into_iter().map(str::to_owned).collect();
    let mut listed = FactList { facts: Vec::new(), failing };
    for fact in texts("facts") {
        assert!(listed.read(fact), "{fact}");
    }
    assemble(&AssemblyRequest::plain(context, mode), &mut listed)
}

/// The context of a case; `None` when it is incomplete.
fn context(input: &Map<String, Value>, runtime: Runtime) -> Option<PromptContext> {
    let session = input.get("session").map(|session| {
        let file = SessionFile::read(&session.to_string(), SessionForm::Json);
        assert!(file.findings.is_empty(), "{:?}", file.findings);
        file.session
    });
    let intent = input.get("intent").map(|intent| {
        let said = |part: &str| SourcedText::by_caller(intent[part].as_str().unwrap_or_default());
        Intent {
            id: said("id"),
            category: said("category"),
            verb: said("verb"),
            target: said("target"),
            constraint: said("constraint"),
        }
    });
    if let Some(map) = input.get("map").and_then(Value::as_object) {
        return PromptContext::from_map(map, session, intent, runtime).ok();
    }
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(PromptContext {
        shard_id: text("shard_id"),
        shard_type: text("shard_type"),
        session,
        intent,
        campaign_id: text("campaign_id"),
        semantic_query: text("semantic_query"),
        semantic_top_k: input.get("semantic_top_k").and_then(Value::as_u64).map(|k| k.try_into().unwrap()),
        budget: (None, None),
        vectors: Vec::new(),
        runtime,
    })
}

fn section(section: &Section) -> Value {
    let kind = section.kind.as_str();
    match (&section.kind, &section.from) {
        (SectionKind::Base, SectionSource::Builtin(name)) => {
            json!({ "section": kind, "from": "builtin", "name": name })
        }
        (SectionKind::Base, _) => {
            let lines: Vec<_> = section.content().map(|line| line.value()).collect();
            json!({ "section": kind, "from": "kernel", "text": lines.join("\n") })
        }
        (SectionKind::Context, _) => {
            let lines: Vec<_> = section.content().map(|line| line.text.as_str()).collect();
            json!({ "section": kind, "lines": lines })
        }
        (SectionKind::Session, _) => json!({ "section": kind, "blocks": blocks(section) }),
        (SectionKind::Intent, _) => {
            let lines: Vec<_> = section.content().map(|line| json!([line.tag, line.value()])).collect();
            json!({ "section": kind, "lines": lines })
        }
        _ => json!({ "section": kind }),
    }
}

fn of_section_mode(prompt: &Prompt) -> Value {
    let mut found = Map::new();
    for section in &prompt.sections {
        match section.kind {
            SectionKind::Context => {
                let texts: Vec<_> = section.content().map(|line| line.value()).collect();
                found.insert("context".to_owned(), json!(texts));
            }
            _ => {
                let lines: Vec<_> = section.lines.iter().map(|line| line.text.as_str()).collect();
                found.insert("knowledge".to_owned(), lines.join("\n").into());
            }
        }
    }
    found.into()
}
