//! Replies and updates with recorded results of the runtime: valid ones are generated, replies after
//! normalization, invalid ones are not, and all notations agree.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use mangle_settings::{DecodingSettings, Profile, TranscriptSettings};
use mangle_syntax::syntax::literal::string_value;
use mangle_syntax::text::slice;
use piggyback::envelope::atoms::{Declarations, Update, UpdateContext};
use piggyback::envelope::json::Json;
use piggyback::envelope::plain::{Argument, ArgumentKind};
use piggyback::envelope::runtime::{
    AcceptedEnvelope, FilterVerdict, MemoryOperation, ReadUpdate, Stage, consumer_of, read,
};
use piggyback::envelope::{Reply, ReplyContext, atoms, check, may_be_predicate, plain};
use serde_json::{Value, json};

use crate::EnvelopeSet;
use crate::testing::{Notations, Setup, declarations, envelope};

/// Valid replies that are not generated: their surface has control characters or starts with
/// blanks.
const NOT_GENERATED: [&str; 4] =
    ["enc_crlf_in_string_escaped.txt", "enc_esc_nul.txt", "surface_nul.txt", "surface_padded.txt"];

/// The maximum size of compared replies, in bytes. Larger replies only test limits of the runtime.
const MAX_LEN: usize = 15_000;

/// The replies with their file names.
fn replies() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/envelopes/cases");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut replies: Vec<_> = files.map(|path| (named(&path), std::fs::read(&path).unwrap())).collect();
    replies.sort();
    replies
}

/// The envelope of a reply without other text.
fn envelope_of(reply: &[u8]) -> Option<(AcceptedEnvelope, String)> {
    let reading = read(reply, &TranscriptSettings::default().limits_for(None, None)).ok()?;
    let surface = String::from_utf8(reading.surface).ok()?;
    reading.accepted.filter(|_| reading.stage == Stage::Whole).map(|picked| (picked, surface))
}

/// Declarations of all predicates that accepted updates assert or replies forget.
fn policy(replies: &[(String, Vec<u8>)]) -> String {
    let settings = TranscriptSettings::default();
    let envelopes: Vec<_> = replies.iter().filter_map(|(_, reply)| envelope_of(reply)).collect();
    let is_taken = |update: &&String| {
        let runtime = settings.caps.runtime;
        let verdict = ReadUpdate::new(update, runtime).verdict(0, consumer_of(&settings), runtime, None);
        verdict == FilterVerdict::Accepted
    };
    let updates = envelopes.iter().flat_map(|(envelope, _)| &envelope.kept.updates).filter(is_taken);
    let mut facts: BTreeSet<_> = updates
        .filter_map(|update| plain::read(update).map(|fact| (fact.predicate.to_owned(), fact.args.len())))
        .collect();
    let operations = envelopes.iter().flat_map(|(envelope, _)| envelope.packet.memory.as_slice());
    let forgotten = operations.filter(|one| one.op == "forget" && may_be_predicate(&one.key));
    facts.extend(forgotten.map(|operation| (operation.key.clone(), 1)));
    facts.iter().fold(String::new(), |mut policy, (predicate, arity)| {
        let arguments: Vec<_> = (0..*arity).map(|at| format!("A{at}")).collect();
        let _ = writeln!(policy, "Decl {predicate}({}).", arguments.join(", "));
        policy
    })
}

/// The reply in the single spelling that is generated. Missing intents and lists are added.
fn spelled(envelope: &AcceptedEnvelope, surface: &str) -> String {
    let packet = &envelope.packet;
    let or = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
    let intent = &packet.intent;
    let confidence = if intent.confidence == 0.0 { 0.5 } else { intent.confidence };
    let is_whole = confidence.fract() == 0.0;
    let updates: Vec<_> =
        envelope.kept.updates.iter().map(|one| respelled(one).unwrap_or(one.clone())).collect();
    let memory: Vec<_> = packet.memory.as_slice().iter().map(operation).collect();
    let envelope = json!({
        "control_packet": {
            "intent_classification": {
                "category": or(&intent.category, "/query"),
                "verb": or(&intent.verb, "/explain"),
                "target": intent.target,
                "constraint": intent.constraint,
                "confidence": if is_whole { json!(confidence as i64) } else { json!(confidence) },
            },
            "mangle_updates": updates,
            "memory_operations": memory,
            "reasoning_trace": or(&packet.trace, "None."),
        },
        "surface_response": surface,
    });
    envelope.to_string()
}

fn operation(operation: &MemoryOperation) -> Value {
    json!({"op": operation.op, "key": operation.key, "value": operation.value})
}

/// The codes of the findings about a reply, without disabled rules and rules that grammars cannot
/// replace.
fn findings(reply: &[u8], declarations: &Declarations, set: &EnvelopeSet) -> Vec<&'static str> {
    let settings = TranscriptSettings { profile: Some(set.profile), ..TranscriptSettings::default() };
    let mut context = ReplyContext::new(&settings);
    context.declarations = Some(declarations);
    let caps = settings.limits_for(None, None);
    let found = check(&Reply::new(reply, &caps), &context).into_iter();
    let shown = found.filter(|finding| finding.severity.or(finding.rule.severity).is_some());
    shown
        .map(|finding| finding.rule.code)
        .filter(|code| !set.remaining.iter().any(|remaining| remaining.rule == *code))
        .collect()
}

#[test]
fn good_replies_are_generated_and_bad_ones_are_not() {
    let replies = replies();
    let declarations = declarations(&policy(&replies));
    let mut setup = Setup::new(Profile::Current).with_fields(&["reasoning_trace"]);
    setup.decoding.max_predicates = 1_000;
    setup.decoding.digits = 18;
    setup.decoding.surface = 10_000;
    setup.decoding.string = 1_000;
    setup.decoding.updates = 250;
    let set = setup.set(&declarations);
    let mut notations = Notations::new(&set);
    let (mut good, mut wrong) = (0, String::new());
    for (name, reply) in &replies {
        let raw = std::str::from_utf8(reply).ok().map(str::to_owned);
        let spelled = envelope_of(reply).map(|(envelope, surface)| spelled(&envelope, &surface));
        for (what, reply) in [("as it is", raw), ("spelled", spelled)] {
            let Some(reply) = reply.filter(|reply| reply.len() <= MAX_LEN) else { continue };
            let accepted = notations.accept(&reply);
            let found = findings(reply.as_bytes(), &declarations, &set);
            let want = found.is_empty() && what == "spelled" && !NOT_GENERATED.contains(&name.as_str());
            good += usize::from(want);
            if accepted.iter().any(|(_, accepted)| *accepted != want) {
                let _ = writeln!(wrong, "{name} {what}: {accepted:?}, found {found:?}: {reply:.600}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(good > 100, "only {good} good replies");
}

/// The predicates of these updates, without types, so that no update is rejected because of a type.
const UPDATE_POLICY: &str = "Decl task_status(A, B).\nDecl observation(A, B).\nDecl modified(A).\nDecl p(A).\nDecl p(A, B).\n\
    Decl n(A).\nDecl s(A).\nDecl l(A).\nDecl flag(A).\nDecl diagnostic(A, B, C, D, E).\nDecl task_completed(A).\n\
    Decl failing_test(A, B).\nDecl x().\nDecl test_state().\nDecl test_state(A).\nDecl missing_tool_for(A, B).\n\
    Decl modified_function(A, B).\nDecl review_finding(A, B, C, D).\n";

/// A valid update that is not generated: integers have at most 18 digits.
const NOT_GENERATED_UPDATES: &str = "n(9223372036854775807).";

fn recorded_updates() -> Vec<String> {
    let text = include_str!("../../../../tests/conformance/envelopes/atoms.jsonl");
    let atom = |line: &str| serde_json::from_str::<Value>(line).unwrap()["atom"].as_str().unwrap().to_owned();
    text.lines().map(atom).collect()
}

/// True if an update has no findings.
fn is_good(update: &str, declarations: &Declarations) -> bool {
    let settings = TranscriptSettings::default();
    let context =
        UpdateContext { settings: &settings, declarations: Some(declarations), profile: Profile::Current };
    let literal = serde_json::to_string(update).unwrap();
    let json = Json::parse(literal.as_bytes());
    let mut found = Vec::new();
    atoms::check(&[Update::new(&json, json.root(), 0).unwrap()], &context, &mut found);
    found.is_empty()
}

/// The update in the single spelling that is generated.
fn respelled(update: &str) -> Option<String> {
    let fact = plain::read(update)?;
    let argument = |argument: &Argument| {
        let text = slice(update, argument.range);
        match argument.kind {
            ArgumentKind::Number(number) => number.to_string(),
            ArgumentKind::String | ArgumentKind::Escaped => {
                let value = string_value(text).unwrap().replace('\\', "\\\\").replace('"', "\\\"");
                format!("\"{}\"", value.replace('\n', "\\n").replace('\t', "\\t"))
            }
            _ => text.to_owned(),
        }
    };
    let arguments: Vec<_> = fact.args.iter().map(argument).collect();
    Some(format!("{}({}).", fact.predicate, arguments.join(", ")))
}

#[test]
fn good_updates_are_generated_and_bad_ones_are_not() {
    let declarations = declarations(UPDATE_POLICY);
    let mut setup = Setup::new(Profile::Current).with_fields(&[]);
    setup.decoding = DecodingSettings { digits: 18, ..setup.decoding };
    let set = setup.set(&declarations);
    let mut notations = Notations::new(&set);
    let (mut good, mut wrong) = (0, Vec::new());
    let mut all = recorded_updates();
    all.extend(recorded_updates().iter().filter_map(|update| respelled(update)));
    for update in all {
        let envelope = envelope(&Value::from(update.as_str()).to_string());
        let accepted = notations.accept(&envelope);
        let is_good = is_good(&update, &declarations);
        good += usize::from(is_good);
        let is_spelled = respelled(&update).is_some_and(|respelled| respelled == update);
        let want = is_good && is_spelled && update != NOT_GENERATED_UPDATES;
        if accepted.iter().any(|(_, accepted)| *accepted != want) {
            wrong.push(format!("{update:?}: {accepted:?}, want {want}, good {is_good}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(good > 100, "only {good} good updates");
}
