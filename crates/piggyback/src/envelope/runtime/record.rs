//! JSON records of runtime results, in the format of `tests/conformance/envelopes`. Zero values are
//! omitted.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::packet::{Feedback, Knowledge, Packet, SelfCorrection, Tool};
use super::{
    AcceptedEnvelope, Caps, DecodeFailure, DropReason, FilterProgram, FilterVerdict, LenientMember,
    ReadUpdate, RuntimeReading, Stage, Warning, built_in, go, live, payload, reason, shell_text,
};
use mangle_settings::{Consumer, Runtime};

/// The minimum length in bytes of texts that are recorded as a hash.
const LONG: usize = 200;

/// The maximum length of lists that are recorded in full.
const MAX_LIST_LEN: usize = 40;

/// Returns the record of a runtime result.
///
/// If `program` is given and the runtime checks declarations, the filter verdicts include the
/// result of that check.
#[must_use]
pub fn record(
    reading: &Result<RuntimeReading, DecodeFailure>,
    runtime: Runtime,
    program: Option<&dyn FilterProgram>,
) -> Value {
    let reading = match reading {
        Ok(reading) => reading,
        Err(failure) => return json!({ "ok": false, "error": failure_record(failure) }),
    };
    let mut out = Map::new();
    out.insert("ok".into(), true.into());
    out.insert("method".into(), reading.stage.method().into());
    out.insert("confidence".into(), number(reading.stage.confidence()));
    if let Some(picked) = &reading.accepted {
        out.insert("stage".into(), stage(reading.stage).into());
        out.insert("picked".into(), json!([picked.range.start, picked.range.end]));
    }
    surface(&reading.surface, true, &mut out);
    let warnings = warnings(&reading.warnings);
    if !warnings.is_empty() {
        out.insert("warnings".into(), warnings.into());
    }
    out.insert("control".into(), reading.accepted.is_some().into());
    if let Some(picked) = &reading.accepted {
        kept(picked, runtime, program, &mut out);
    }
    let corrects = |warning: &Warning| matches!(warning, Warning::SelfCorrection(_));
    if reading.warnings.iter().any(corrects) {
        out.insert("stat_self_corrections".into(), 1.into());
    }
    placeholders(reading, &mut out);
    out.into()
}

/// Records the dropped placeholders and the text that is then shown.
fn placeholders(reading: &RuntimeReading, out: &mut Map<String, Value>) {
    let dropped = [
        (reading.placeholders.surface, "placeholder_surface"),
        (reading.placeholders.feedback, "placeholder_feedback"),
    ];
    let dropped: Vec<_> =
        dropped.iter().filter(|(is_dropped, _)| *is_dropped).map(|(_, word)| *word).collect();
    if !dropped.is_empty() {
        let mut shown = Map::new();
        surface(reading.visible_text(), false, &mut shown);
        shown.insert("warnings".into(), json!(dropped));
        out.insert("shown".into(), shown.into());
    }
}

/// Records a surface as text if it is short, or as a hash. An empty text is omitted unless
/// `with_empty` is set.
fn surface(surface: &[u8], with_empty: bool, out: &mut Map<String, Value>) {
    out.insert("surface_bytes".into(), surface.len().into());
    match std::str::from_utf8(surface).ok().filter(|text| text.len() < LONG) {
        Some("") if !with_empty => None,
        Some(text) => out.insert("surface".into(), text.into()),
        None => out.insert("surface_sha256".into(), hash(surface).into()),
    };
}

/// Returns the text that is shown during streaming, for pieces of several sizes.
#[must_use]
pub fn live_record(raw: &[u8], runtime: Runtime) -> Value {
    let mut out = Map::new();
    let sizes: [(&str, &[usize]); 4] =
        [("one", &[usize::MAX]), ("c64", &[64]), ("c40_1", &[40, 1]), ("small", &[7])];
    for (name, sizes) in sizes.into_iter().filter(|_| runtime.live_channel) {
        let text = live(raw, sizes);
        if text.is_empty() {
            continue;
        }
        let shown = match std::str::from_utf8(&text).ok().filter(|text| text.len() < LONG) {
            Some(text) => json!({ "text": text }),
            None => json!({ "text_bytes": text.len(), "text_sha256": hash(&text) }),
        };
        out.insert(name.into(), shown);
    }
    if out.is_empty() { Value::Null } else { out.into() }
}

/// Returns the record of a decoding failure.
#[must_use]
pub fn failure_record(failure: &DecodeFailure) -> Value {
    match failure {
        DecodeFailure::End => json!({ "class": "eof" }),
        DecodeFailure::Syntax(flaw) if flaw.is_end => json!({ "class": "syntax", "offset": flaw.offset }),
        // The recorded offset includes the byte that reveals the error.
        DecodeFailure::Syntax(flaw) => json!({ "class": "syntax", "offset": flaw.offset + 1 }),
        DecodeFailure::Kind { field, found, .. } => {
            json!({ "class": "kind", "field": field, "found": found })
        }
        DecodeFailure::Value { member, field, .. } => {
            let class = match member {
                LenientMember::Updates => "bad_updates",
                LenientMember::Confidence => "bad_confidence",
                LenientMember::Required => "bad_required",
            };
            json!({ "class": class, "field": field })
        }
        DecodeFailure::UnknownKeys(keys) => match keys.as_slice() {
            [key] => json!({ "class": "unknown_field", "field": key }),
            keys => json!({ "class": "unknown_field", "fields": keys }),
        },
        DecodeFailure::NoSurface => json!({ "class": "no_surface" }),
        DecodeFailure::NoIntent => json!({ "class": "no_intent" }),
    }
}

fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Whole => "whole",
        Stage::Stream => "stream",
        Stage::Fenced => "fenced",
        Stage::EmbeddedRich => "embedded_rich",
        Stage::EmbeddedOther => "embedded_other",
        Stage::Fallback => "fallback",
    }
}

/// Returns the warnings in order. Consecutive equal warnings are merged and counted.
fn warnings(warnings: &[Warning]) -> Vec<Value> {
    let words: Vec<String> = warnings.iter().map(word).collect();
    let groups = words.chunk_by(|one, other| one == other);
    let shown = |group: &[String]| match group {
        [one] => json!(one),
        [one, ..] => json!([one, group.len()]),
        [] => Value::Null,
    };
    groups.map(shown).collect()
}

fn word(warning: &Warning) -> String {
    match warning {
        Warning::Extracted => "extracted".into(),
        Warning::Fallback => "fallback".into(),
        Warning::Recovered => "surface_recovered".into(),
        Warning::CutOff => "surface_cut_off".into(),
        Warning::SelfCorrection(hypothesis) => format!("self_correction:{hypothesis}"),
        Warning::SurfaceCut => "surface_cut".into(),
        Warning::UpdatesCut => "updates_cut".into(),
        Warning::Update(reason) => drop_word(reason),
        Warning::MemoryCut => "memory_cut".into(),
        Warning::TraceCut => "trace_cut".into(),
        Warning::ToolsCut => "tools_cut".into(),
        Warning::KnowledgeCut => "knowledge_cut".into(),
    }
}

fn drop_word(reason: &DropReason) -> String {
    match reason {
        DropReason::Empty => "update_empty".into(),
        DropReason::Long => "update_long".into(),
        DropReason::Syntax(start) => format!("update_syntax:{start}"),
        DropReason::Meta(_) => "update_meta".into(),
    }
}

fn kept(
    picked: &AcceptedEnvelope,
    runtime: Runtime,
    program: Option<&dyn FilterProgram>,
    out: &mut Map<String, Value>,
) {
    let Packet { intent, memory, self_correction, knowledge, feedback, tools, .. } = &picked.packet;
    let mut members = Members::default();
    members.text("category", &intent.category);
    members.text("verb", &intent.verb);
    members.text("target", &intent.target);
    members.text("constraint", &intent.constraint);
    members.number("confidence", intent.confidence);
    members.into_member("intent", out);
    let updates = &picked.kept.updates;
    if updates.len() > MAX_LIST_LEN {
        out.insert("kept_n".into(), updates.len().into());
        out.insert("kept_sha256".into(), hash(updates.join("\n").as_bytes()).into());
    } else if !updates.is_empty() {
        out.insert("kept".into(), json!(updates));
    }
    if !updates.is_empty() {
        filtered(updates, runtime, program, out);
    }
    let memory = memory.as_slice();
    if memory.len() > MAX_LIST_LEN {
        let line = |one: &super::MemoryOperation| format!("{}\t{}\t{}\n", one.op, one.key, one.value);
        let lines: String = memory.iter().map(line).collect();
        out.insert("memory_n".into(), memory.len().into());
        out.insert("memory_sha256".into(), hash(lines.as_bytes()).into());
    } else if !memory.is_empty() {
        let rows = memory.iter().map(|one| json!([one.op, one.key, one.value]));
        out.insert("memory".into(), rows.collect());
    }
    if let Some(correction) = self_correction {
        out.insert("self_correction".into(), correction_record(correction));
    }
    if let Some(feedback) = feedback {
        out.insert("feedback".into(), feedback_record(feedback));
    }
    if !knowledge.as_slice().is_empty() {
        out.insert("knowledge".into(), knowledge.as_slice().iter().map(knowledge_record).collect());
    }
    if !tools.as_slice().is_empty() {
        out.insert("tools".into(), tools.as_slice().iter().map(tool_record).collect());
    }
    let trace = picked.trace();
    if !trace.is_empty() {
        out.insert("trace_bytes".into(), trace.len().into());
        out.insert("trace_sha256".into(), hash(&trace).get(..16).unwrap_or_default().into());
    }
}

/// Records the filter verdicts about updates for each consumer, and the facts that pass without a
/// list.
fn filtered(
    updates: &[String],
    runtime: Runtime,
    program: Option<&dyn FilterProgram>,
    out: &mut Map<String, Value>,
) {
    let read: Vec<_> = updates.iter().map(|update| ReadUpdate::new(update, runtime)).collect();
    for (name, program) in filters(runtime, program) {
        let letters = |consumer: &Consumer| {
            let updates = read.iter().enumerate();
            runs(
                &updates
                    .map(|(at, update)| update.verdict(at, consumer, runtime, program).letter())
                    .collect::<Vec<_>>(),
            )
        };
        let filters =
            filter_consumers(runtime).map(|(name, consumer)| (name.to_owned(), letters(consumer).into()));
        out.insert(name.into(), filters.collect::<Map<_, _>>().into());
    }
    if updates.len() <= MAX_LIST_LEN {
        let all = built_in("compressor", runtime);
        let is_kept = |(at, update): &(usize, &ReadUpdate)| {
            all.is_some_and(|all| update.verdict(*at, all, runtime, None) == FilterVerdict::Accepted)
        };
        let facts = read.iter().enumerate().filter(is_kept).filter_map(|(_, update)| update.fact());
        out.insert("facts".into(), facts.map(|fact| Value::from(fact.runtime_text())).collect());
    }
}

/// Returns the filters of a runtime: one without a program, and one with `program` if the runtime
/// checks declarations.
fn filters(
    runtime: Runtime,
    program: Option<&dyn FilterProgram>,
) -> impl Iterator<Item = (&'static str, Option<&dyn FilterProgram>)> {
    let asked = program.filter(|_| !runtime.shell_text.is_empty());
    std::iter::once(("filter", None)).chain(asked.map(|program| ("filter_kernel", Some(program))))
}

/// Returns the consumers in records. `all` is a consumer without a list.
fn filter_consumers(runtime: Runtime) -> impl Iterator<Item = (&'static str, &'static Consumer)> {
    let names =
        [("all", "compressor"), ("session", "session"), ("planner", "planner"), ("perception", "perception")];
    names.into_iter().filter_map(move |(shown, name)| Some((shown, built_in(name, runtime)?)))
}

/// Formats letters one by one, or as runs with lengths if there are many.
fn runs(letters: &[char]) -> String {
    if letters.len() <= MAX_LIST_LEN {
        return letters.iter().collect();
    }
    let run = |run: &[char]| format!("{}*{}", run.first().copied().unwrap_or_default(), run.len());
    letters.chunk_by(|one, other| one == other).map(run).collect::<Vec<_>>().join(" ")
}

/// Returns the record of a single update: the verdict of the size limits, the verdicts of the
/// filter and the resulting fact.
///
/// If `program` is given and the runtime checks declarations, the filter verdicts include the
/// result of that check.
#[must_use]
pub fn update_record(update: &str, caps: &Caps, program: Option<&dyn FilterProgram>) -> Value {
    let mut out = Map::new();
    let dropped = reason(update, caps);
    let cap = match &dropped {
        None => "kept",
        Some(DropReason::Empty) => "empty",
        Some(DropReason::Long) => "long",
        Some(DropReason::Syntax(_)) => "syntax",
        Some(DropReason::Meta(_)) => "meta",
    };
    out.insert("cap".into(), cap.into());
    // The other warnings only repeat the word above.
    if let Some(DropReason::Syntax(_)) = &dropped {
        out.insert("warning".into(), dropped.as_ref().map(drop_word).into());
    }
    let runtime = caps.runtime;
    let read = ReadUpdate::new(update, runtime);
    for (name, program) in filters(runtime, program) {
        let letter = |consumer| Value::from(read.verdict(0, consumer, runtime, program).letter().to_string());
        let filters = filter_consumers(runtime).map(|(name, consumer)| (name.to_owned(), letter(consumer)));
        out.insert(name.into(), filters.collect::<Map<_, _>>().into());
    }
    let all = built_in("compressor", runtime);
    let is_kept = all.is_some_and(|all| read.verdict(0, all, runtime, None) == FilterVerdict::Accepted);
    let session = built_in("session", runtime).filter(|_| !runtime.shell_text.is_empty());
    if let Some(session) = session
        && let Some(program) = program
        && let verdict = read.verdict(0, session, runtime, Some(program))
        && let Some(reason) = refusal_reason(&read, verdict, runtime, program)
    {
        out.insert("session_reason".into(), reason.into());
    }
    if let Some(fact) = read.fact().filter(|_| is_kept) {
        out.insert("predicate".into(), fact.predicate.as_str().into());
        out.insert("arity".into(), fact.args.len().into());
        out.insert("stored".into(), fact.runtime_text().into());
        out.insert("kernel".into(), fact.engine_text().into());
    }
    out.into()
}

/// Returns the runtime's reason for a verdict. Messages of the parser are not modeled.
fn refusal_reason(
    read: &ReadUpdate,
    verdict: FilterVerdict,
    runtime: Runtime,
    program: &dyn FilterProgram,
) -> Option<String> {
    let fact = || read.fact();
    Some(match verdict {
        FilterVerdict::Accepted | FilterVerdict::Blank | FilterVerdict::Syntax => return None,
        FilterVerdict::Limit => "mangle_updates limit exceeded".to_owned(),
        FilterVerdict::Rule => "rules are not allowed in mangle_updates".to_owned(),
        FilterVerdict::Declaration => "Decl statements are not allowed in mangle_updates".to_owned(),
        FilterVerdict::Import => "imports are not allowed in mangle_updates".to_owned(),
        FilterVerdict::NotAllowed | FilterVerdict::HostWitness => {
            format!("predicate {} not allowed in mangle_updates", go::quoted(fact()?.predicate.as_bytes()))
        }
        FilterVerdict::Undeclared => {
            format!("predicate {} not declared", go::quoted(fact()?.predicate.as_bytes()))
        }
        FilterVerdict::Arity => {
            let fact = fact()?;
            let declared = program.arity(&fact.predicate)?;
            format!("arity mismatch: {} expects {declared} args (got {})", fact.predicate, fact.args.len())
        }
        FilterVerdict::ShellText => {
            let fact = fact()?;
            let text = go::quoted(shell_text(fact, runtime)?);
            format!(
                "shell metacharacters in a string argument of {} ({text}), which is not prose_only",
                fact.predicate
            )
        }
    })
}

fn correction_record(correction: &SelfCorrection) -> Value {
    let mut members = Members::default();
    members.0.insert("triggered".into(), correction.triggered.into());
    members.text("hypothesis", &correction.hypothesis);
    members.0.into()
}

fn feedback_record(feedback: &Feedback) -> Value {
    let mut members = Members::default();
    members.0.insert("overall_usefulness".into(), number(feedback.usefulness));
    for (name, list) in [("helpful_facts", &feedback.helpful), ("noise_facts", &feedback.noise)] {
        if !list.is_nil() {
            members.0.insert(name.into(), json!(list.as_slice()));
        }
    }
    members.text("missing_context", &feedback.missing);
    members.0.into()
}

fn knowledge_record(one: &Knowledge) -> Value {
    let mut members = Members::default();
    members.text("specialist", &one.specialist);
    members.text("query", &one.query);
    members.text("purpose", &one.purpose);
    members.text("priority", &one.priority);
    members.0.into()
}

fn tool_record(tool: &Tool) -> Value {
    let mut members = Members::default();
    members.text("id", &tool.id);
    members.text("tool_name", &tool.name);
    if let Some(args) = &tool.args {
        members.text("payload", &payload(args));
    }
    members.text("purpose", &tool.purpose);
    if tool.required {
        members.0.insert("required".into(), true.into());
    }
    members.0.into()
}

#[derive(Default)]
struct Members(Map<String, Value>);

impl Members {
    /// Records a text, as a hash if it is long. Empty texts are omitted.
    fn text(&mut self, name: &str, text: &str) {
        if text.len() >= LONG {
            self.0.insert(format!("{name}_bytes"), text.len().into());
            self.0.insert(format!("{name}_sha256"), hash(text.as_bytes()).into());
        } else if !text.is_empty() {
            self.0.insert(name.into(), text.into());
        }
    }

    fn number(&mut self, name: &str, value: f64) {
        if value != 0.0 {
            self.0.insert(name.into(), number(value));
        }
    }

    fn into_member(self, name: &str, out: &mut Map<String, Value>) {
        if !self.0.is_empty() {
            out.insert(name.into(), self.0.into());
        }
    }
}

/// Converts a number to JSON. Whole numbers have no fraction.
#[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
fn number(value: f64) -> Value {
    if !value.is_finite() {
        let sign = if value < 0.0 { "-" } else { "+" };
        return if value.is_nan() { "NaN".into() } else { format!("{sign}Inf").into() };
    }
    if value.fract() == 0.0 && value.abs() < 1e15 { (value as i64).into() } else { value.into() }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
