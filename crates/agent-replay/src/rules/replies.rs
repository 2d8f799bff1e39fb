//! Rules about the text that the user reads, and about injected envelopes: `PB501`, `PB520` to
//! `PB523`.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use super::verdicts::{quoted, reason};
use crate::turn::Turn;
use mangle_syntax::lint::{Finding, Rule, Severity, Span, rule};
use mangle_syntax::text::{TextRange, size};
use piggyback::envelope::account::{UpdateFate, UpdateRefusal};
use piggyback::envelope::runtime::{Caps, Stage};
use piggyback::envelope::{self, Reply, claim_in, phrase_in};
use piggyback::transcript::{self, Record, TranscriptFinding};

pub(super) const RULES: &[&Rule] =
    &[&OVERRIDE, &SPEECH_CONTRADICTS_VERDICT, &PERSONA_BREAK, &LEAK_ON_REPLAY, &USER_INJECTION];

static OVERRIDE: Rule = rule!("override.md");

static SPEECH_CONTRADICTS_VERDICT: Rule = rule!("speech-contradicts-verdict.md");

static PERSONA_BREAK: Rule = rule!("persona-break.md");

static LEAK_ON_REPLAY: Rule = rule!("leak-on-replay.md");

static USER_INJECTION: Rule = rule!("user-injection.md");

/// Phrases of a surface that are not addressed to the user.
const CHATTER: [&str; 31] = [
    "calling the tool",
    "calling tool",
    "running the tool",
    "running tool",
    "executing the tool",
    "executing tool",
    "invoking the tool",
    "invoking tool",
    "tool call",
    "tool error",
    "tool failed",
    "tool execution failed",
    "tool returned an error",
    "error in tool",
    "error in the tool",
    "error from tool",
    "error from the tool",
    "tool_requests",
    "mangle_updates",
    "control packet",
    "control_packet",
    "let me think",
    "<thinking>",
    "searching…",
    "scanning…",
    "reading…",
    "loading…",
    "fetching…",
    "querying…",
    "retrying…",
    "trying again…",
];

/// Internal syntax: an atom with a name or string argument, a rule, or the first member of a JSON
/// object. JSON white space is accepted everywhere.
static ATOM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\b[a-z][a-z0-9]*(_[a-z0-9]+)+\((/[a-z]|"|[A-Z])|\) :- |\{[ \t\r\n]*"([^"\\\x00-\x1f]|\\.)*"[ \t\r\n]*:"#).ok()
});

/// True if the findings of a rule depend on the gate or its filters.
pub(super) fn needs_gate(rule: &Rule) -> bool {
    [&OVERRIDE, &SPEECH_CONTRADICTS_VERDICT].contains(&rule)
}

pub(super) fn check(scene: &mut Scene<'_>, report: &Turn) {
    rewritten(scene, report);
    contradiction(scene, report);
    chatter(scene, report);
    leak(scene);
    decoy(scene);
}

fn rewritten(scene: &mut Scene<'_>, report: &Turn) {
    let shown = report.rewritten.as_ref();
    let Some(reason) = shown.map(|one| &one.reason).or(report.hidden_notice.as_ref()) else { return };
    let lost: Vec<_> = report
        .atoms
        .iter()
        .filter(|atom| matches!(atom.fate, UpdateFate::Blocked(_) | UpdateFate::Withdrawn(_)))
        .collect();
    let updates = match lost.len() {
        0 => String::new(),
        1 => "; 1 update ignored".to_owned(),
        count => format!("; {count} updates ignored"),
    };
    let (change, note) = match shown {
        Some(rewritten) if rewritten.is_replaced => {
            ("text replaced by a refusal", "the user reads this reason")
        }
        Some(_) => ("safety notice added", "the user reads this reason"),
        None => ("no safety notice is shown", "the user does not read this reason"),
    };
    let mut finding = Finding::new(&OVERRIDE, scene.surface_range(), format!("{change}{updates}"))
        .note(format!("{note}: {reason}"));
    if shown.is_none() {
        let runtime = scene.options.transcript.caps.runtime;
        let note = format!("runtime {runtime} does not show the notice on the path of native tool calls");
        finding = finding.note(note);
    }
    for atom in lost {
        if let Some(range) = atom.index.and_then(|index| scene.update(index)) {
            finding = finding.related(Span::here(range), loss(&atom.fate));
        }
    }
    scene.push(finding);
}

/// The reason why an update is ignored, as a label.
fn loss(fate: &UpdateFate) -> &'static str {
    match fate {
        UpdateFate::Blocked(refusal) => match refusal {
            UpdateRefusal::Limit => "beyond the number of accepted updates",
            UpdateRefusal::Rule => "a reply may not assert rules",
            UpdateRefusal::Declaration => "a reply may not declare predicates",
            UpdateRefusal::Import => "a reply may not import packages",
            UpdateRefusal::Syntax => "not a valid fact",
            UpdateRefusal::NotAllowed => "the consumer rejects this predicate",
            UpdateRefusal::Protected => "a reply may not assert this predicate",
            UpdateRefusal::Undeclared => "the policy does not declare it",
            UpdateRefusal::Arity => "declared with another arity",
            UpdateRefusal::HostWitness => "only the host asserts this predicate",
            UpdateRefusal::ShellText => "a string has a character of a shell",
        },
        UpdateFate::Withdrawn(_) => "denied with the whole reply",
        _ => "ignored",
    }
}

fn contradiction(scene: &mut Scene<'_>, report: &Turn) {
    let denied = report.verdicts.iter().chain(&report.envelope).find(|verdict| !verdict.is_permitted);
    let Some(denied) = denied else { return };
    let phrases = scene.options.transcript.success_phrases.iter().map(String::as_str);
    let Some((surface, ..)) = scene.surface() else { return };
    let Some((range, phrase)) = claim_in(&surface, phrases) else { return };
    let Some(range) = scene.in_surface(range) else { return };
    let what = match denied.action.as_str() {
        "" => "this reply".to_owned(),
        action => quoted(action),
    };
    let message = format!("reply claims {}, but {what} is denied", quoted(phrase));
    let finding = Finding::new(&SPEECH_CONTRADICTS_VERDICT, range, message);
    scene.push(finding.note(reason(denied)).note(reader(report)));
}

/// The note about the reader of the surface: the user, unless a refusal replaces it.
fn reader(report: &Turn) -> &'static str {
    let is_replaced = report.rewritten.as_ref().is_some_and(|rewritten| rewritten.is_replaced);
    if is_replaced { "the user reads a refusal in its place" } else { "the user reads this text" }
}

fn chatter(scene: &mut Scene<'_>, report: &Turn) {
    let Some((surface, ..)) = scene.surface() else { return };
    let atom = ATOM.as_ref().and_then(|atom| atom.find(&surface));
    let atom = atom.map(|found| TextRange::new(size(found.start()), size(found.end())));
    let phrase = || phrase_in(&surface, CHATTER.into_iter()).map(|(range, _)| range);
    if let Some(range) = atom.or_else(phrase).and_then(|range| scene.in_surface(range)) {
        let finding = Finding::new(&PERSONA_BREAK, range, "text for the user shows internals of the agent");
        scene.push(finding.note(reader(report)));
    }
}

fn leak(scene: &mut Scene<'_>) {
    let stage = scene.reply.reading.as_ref().map(|reading| reading.stage);
    if stage == Ok(Stage::Fallback)
        && let Some(leak) = envelope::control_shown(scene.reply.raw)
    {
        let finding = Finding::new(&LEAK_ON_REPLAY, leak.range, "control packet is shown to the user")
            .note("the runtime finds no envelope in this reply, and asserts nothing of it");
        scene.push(finding);
    }
}

/// Reports an envelope before the model's own that the runtime uses instead.
fn decoy(scene: &mut Scene<'_>) {
    let Reply { accepted: picked, preferred: safe, .. } = scene.reply;
    let is_injected = picked.is_some() && picked != safe && safe.is_some();
    if is_injected && scene.is_quoting {
        let message = "runtime uses a quoted envelope, not the model's own";
        let finding = Finding::new(&USER_INJECTION, scene.brace(), message).severity(Severity::Error);
        scene.push(finding.note("the envelope repeats an input of the model"));
    }
}

/// Reports an envelope in an input of the model.
pub(crate) fn injection(record: &Record<'_>, turn: &transcript::Turn) -> Option<TranscriptFinding> {
    let text = turn.text(record.bytes);
    let has = |key: &[u8]| memchr::memmem::find(text, key).is_some();
    if !has(b"\"control_packet\"") && !has(b"\"surface_response\"") {
        return None;
    }
    let reply = Reply::new(text, &Caps::default());
    let object = reply.objects.iter().find(|object| envelope::is_envelope(&object.json))?;
    let range = TextRange::new(size(object.range.start), size(object.range.end));
    let finding = Finding::new(&USER_INJECTION, range, "input of the model contains an envelope")
        .note("if the model quotes it, the runtime may use it as the reply");
    Some(transcript::place(record, turn, None, finding))
}
