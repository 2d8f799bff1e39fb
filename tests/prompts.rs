//! Prompts as the reference runtime assembles them: everything that was recorded of their structure.
//!
//! The folder is `tests/conformance/prompts`, or any of the same shape that `MANGLE_LS_PROMPTS` names
//! (`cargo xtask conformance DIR`).

#![allow(clippy::unwrap_used, clippy::print_stderr, missing_docs)]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use mangle_ls::config::Profile;
use mangle_ls::ide::previews::{blocks, derived};
use mangle_ls::kernel::{Values, evaluate};
use mangle_ls::prompt::session::{Form, SessionFile};
use mangle_ls::prompt::{
    Answer, Arg, Context, Derived, From, Held, Intent, Listed, Mode, Prompt, Request, Said, Section,
    SectionKind, appends_in_jit_mode, assemble,
};
use mangle_ls::syntax::SourceFile;
use serde_json::{Map, Value, json};

fn folder() -> PathBuf {
    match std::env::var_os("MANGLE_LS_PROMPTS") {
        Some(named) => PathBuf::from(named),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/prompts"),
    }
}

#[test]
fn prompts_are_assembled_as_the_runtime_assembles_them() {
    let path = folder().join("cases.jsonl");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!cases.is_empty(), "{} holds nothing", path.display());
    let differs = |case: &Value| {
        let found = observed(case["input"].as_object().unwrap());
        let name = case["name"].as_str().unwrap();
        (found != case["expect"]).then(|| format!("{name}: expected\n  {}\nfound\n  {found}", case["expect"]))
    };
    let wrong: Vec<_> = cases.iter().filter_map(differs).collect();
    eprintln!("prompts: {} of {} agree", cases.len() - wrong.len(), cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is assembled for an input, in the words of the record.
fn observed(input: &Map<String, Value>) -> Value {
    let Some(context) = context(input) else { return json!({ "error": "missing shard_id or shard_type" }) };
    let prompt = assembled(input, &context, Mode::Legacy);
    let section_mode = assembled(input, &context, Mode::Section);
    json!({
        "derived": derived(&Derived::of(&context)),
        "section_mode": of_section_mode(&section_mode),
        "sections": prompt.sections.iter().map(section).collect::<Vec<_>>(),
        "suffix": prompt.suffix,
        "suffix_in_jit_mode": appends_in_jit_mode(&context.shard_type),
    })
}

fn assembled(input: &Map<String, Value>, context: &Context, mode: Mode) -> Prompt {
    let texts = |key: &str| input.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut listed = Listed {
        facts: texts("facts").iter().map(|fact| answer(fact.as_str().unwrap())).collect(),
        failing: texts("query_errors").iter().map(|name| name.as_str().unwrap().to_owned()).collect(),
    };
    let templates = BTreeMap::new();
    let request = Request {
        context,
        mode,
        templates: &templates,
        inception: false,
        compiler: None,
        left: None,
        profile: Profile::Current,
    };
    assemble(&request, &mut listed)
}

/// The context of a case; `None` when it is incomplete.
fn context(input: &Map<String, Value>) -> Option<Context> {
    let session = input.get("session").map(|session| {
        let file = SessionFile::read(&session.to_string(), Form::Json);
        assert!(file.findings.is_empty(), "{:?}", file.findings);
        file.session
    });
    let intent = input.get("intent").map(|intent| {
        let said = |part: &str| Said::by_caller(intent[part].as_str().unwrap_or_default());
        Intent {
            id: said("id"),
            category: said("category"),
            verb: said("verb"),
            target: said("target"),
            constraint: said("constraint"),
        }
    });
    if let Some(map) = input.get("map").and_then(Value::as_object) {
        return Context::from_map(map, session, intent).ok();
    }
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(Context {
        shard_id: text("shard_id"),
        shard_type: text("shard_type"),
        session,
        intent,
        campaign_id: text("campaign_id"),
        semantic_query: text("semantic_query"),
        semantic_top_k: input.get("semantic_top_k").and_then(Value::as_u64).map(|k| k.try_into().unwrap()),
        budget: (None, None),
        vectors: Vec::new(),
    })
}

/// A fact of the record as the kernel would hand it over.
fn answer(fact: &str) -> (String, Answer) {
    let source = SourceFile::parse(fact.into());
    let clause = source.items()[0].statement.clause().unwrap();
    let mut values = Values::new();
    let mut arg = |term| {
        let value = evaluate(term, fact, &mut values, None).unwrap().unwrap();
        let printed = values.display(value).to_string();
        match printed.parse::<i64>() {
            Ok(number) => Arg::Number(number),
            Err(_) if printed.starts_with(['"', '/']) => Arg::Text(text(values.get(value))),
            // Of a float only that it is no text matters.
            Err(_) => printed.parse().map_or(Arg::Other(printed), |_: f64| Arg::Number(0)),
        }
    };
    let args = clause.head.args.iter().map(&mut arg).collect();
    (clause.head.name.as_str().to_owned(), Answer { args, held: Held::listed(fact) })
}

fn text(datum: &mangle_ls::kernel::Datum) -> String {
    match datum {
        mangle_ls::kernel::Datum::Name(text) | mangle_ls::kernel::Datum::String(text) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

fn section(section: &Section) -> Value {
    let kind = section.kind.as_str();
    match (&section.kind, &section.from) {
        (SectionKind::Base, From::Builtin(name)) => {
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
