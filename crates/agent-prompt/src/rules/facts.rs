//! Rules about facts in prompts, and about the shard keys of facts.

use super::{PromptFinding, Subject, within};
use crate::answers::{Answer, Arg};
use crate::assembly::{INJECTED, KNOWLEDGE, TEMPLATES};
use crate::context::stable_id;
use crate::names::quoted;
use crate::origin::LineOrigin;
use crate::preview::{OriginPlace, PreviewedPrompt};
use crate::sections::{LineRole, PromptLine, SectionKind};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::text::{TextRange, nearest};

pub(super) static PRED_UNDECLARED: Rule = rule!("pred-undeclared.md");

pub(super) static SHORT_FACT: Rule = rule!("short-fact.md");

pub(super) static MULTILINE_ATOM: Rule = rule!("multiline-atom.md");

pub(super) static DIRECTIVE_IN_DATA: Rule = rule!("directive-in-data.md");

pub(super) static DEAD_TARGET: Rule = rule!("dead-target.md");

pub(super) static WRONG_KEY_KIND: Rule = rule!("wrong-key-kind.md");

pub(super) static ID_FORM: Rule = rule!("id-form.md");

pub(super) static UNKNOWN_SHARD_TYPE: Rule = rule!("unknown-shard-type.md");

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    short_heads(subject, found);
    for at in 0..subject.shown.len() {
        let Some(shown) = subject.shown.get(at) else { continue };
        undeclared(subject, shown, found);
        numbers(subject, shown, found);
        let session = subject.sessions.get(at).copied().flatten();
        for (section, line) in shown.prompt.lines().filter(|(_, line)| line.role == LineRole::Text) {
            let Some(section) = shown.prompt.sections.get(section) else { continue };
            let kind = &section.kind;
            if *kind == SectionKind::Context && line.value().contains('\n') {
                let finding = draft(&MULTILINE_ATOM, "context atom has several lines")
                    .note(format!("{}, only its first line is an entry of the list", within(shown)));
                report(subject, shown, line, session, finding, found);
            }
            let is_data =
                matches!(kind, SectionKind::Context | SectionKind::Knowledge | SectionKind::Session);
            if let Some((content, effect)) = suspicious(line.value()).filter(|_| is_data) {
                let finding = draft(&DIRECTIVE_IN_DATA, &format!("data contains {content}"))
                    .note(format!("{}, {effect}", within(shown)));
                report(subject, shown, line, session, finding, found);
            }
        }
    }
}

fn draft(rule: &'static Rule, message: &str) -> Finding {
    Finding::new(rule, TextRange::default(), message)
}

/// Reports a finding at the source of the value of a line.
fn report(
    subject: &Subject<'_>,
    shown: &PreviewedPrompt,
    line: &PromptLine,
    session: Option<mangle_syntax::text::FileId>,
    finding: Finding,
    found: &mut Vec<PromptFinding>,
) {
    let place = match subject.common.place(shown, &line.origin) {
        Some(OriginPlace::File(file, range)) => Some((file, range)),
        Some(OriginPlace::Session(range)) => session.map(|file| (file, range)),
        Some(OriginPlace::Header(range)) => subject.sample().map(|file| (file, range)),
        None => None,
    };
    // A fact from the caller has no file, so the finding is reported at the preview.
    let place = place.or_else(|| match &line.origin {
        LineOrigin::Fact(_) => subject.sample().map(|file| (file, shown.request.range)),
        _ => None,
    });
    found.extend(place.map(|(file, range)| PromptFinding { file, finding: Finding { range, ..finding } }));
}

/// The phrase that makes a text look like an instruction, and its effect.
fn suspicious(text: &str) -> Option<(&'static str, &'static str)> {
    const OBEYED: &str = "a model may obey it like its instructions";
    let folded = text.to_lowercase();
    let marks = ["<|im_start|>", "<|im_end|>", "[inst]", "<system>", "</system>", "### system", "<|system|>"];
    let orders = [
        "ignore previous",
        "ignore all previous",
        "ignore the above",
        "disregard previous",
        "disregard all previous",
    ];
    let roles = ["system:", "assistant:", "user:"];
    if ["\"control_packet\"", "\"surface_response\"", "\"mangle_updates\""]
        .iter()
        .any(|key| folded.contains(key))
    {
        Some(("keys of an envelope", OBEYED))
    } else if text.contains("{{") && text.contains("}}") {
        Some(("a placeholder", "the prompt compiler replaces it"))
    } else if marks.iter().any(|mark| folded.contains(mark))
        || roles.iter().any(|role| folded.trim_start().starts_with(role))
    {
        Some(("the mark of a role", OBEYED))
    } else if orders.iter().any(|order| folded.contains(order)) {
        Some(("an order to ignore instructions", OBEYED))
    } else {
        None
    }
}

fn undeclared(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    // Templates and specialist knowledge are optional.
    if shown.unknown.iter().any(|unknown| unknown == INJECTED) {
        let range =
            if shown.request.shard.0.is_empty() { shown.request.range } else { shown.request.shard.0 };
        let finding =
            Finding::new(&PRED_UNDECLARED, range, format!("`{INJECTED}` is not declared or defined"))
                .note(format!("{}, the prompt queries it with 2 arguments and finds nothing", within(shown)))
                .help("declare it in the schemas");
        subject.at_header(found, finding);
    }
}

/// Reports clauses with too few arguments in the head.
fn short_heads(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    for (name, least) in [(INJECTED, 2), (TEMPLATES, 2), (KNOWLEDGE, 3)] {
        let program = subject.program();
        for head in subject.heads(name, 0).filter(|head| head.clause.head.args.len() < least) {
            debug_assert!(program.file(head.file.id).is_some());
            let message = format!("`{name}` has {} of {least} arguments", head.clause.head.args.len());
            let one = head.found(&SHORT_FACT, usize::MAX, message);
            found.push(one.note("prompts silently ignore it"));
        }
    }
}

/// Reports facts with values that are not text in text arguments.
fn numbers(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    for (name, read) in [(INJECTED, 2), (TEMPLATES, 2), (KNOWLEDGE, 3)] {
        if name == TEMPLATES && shown.is_compiled() {
            continue;
        }
        for answer in subject.facts(shown, name, read) {
            let is_printed = shown.request.context.runtime.printed_arguments;
            let is_text = |at: &usize| match answer.args.get(*at) {
                Some(Arg::Text(_)) => true,
                Some(Arg::Number(_) | Arg::Float(_)) => shown.is_compiled() || is_printed,
                Some(Arg::Other(_)) => is_printed,
                _ => false,
            };
            let Some(at) = (0..read).find(|at| !is_text(at)) else { continue };
            let Some((file, range)) = place(subject, shown, &answer, at) else { continue };
            let effect = match answer.args.get(at) {
                Some(Arg::Other(_)) if !shown.is_compiled() => "prompts read an empty text there",
                _ => "prompts silently ignore the fact",
            };
            let message = format!("argument {} of `{name}` is not text", at + 1);
            let finding = Finding::new(&SHORT_FACT, range, message).note(effect).help("write a string");
            found.push(PromptFinding { file, finding });
        }
    }
}

fn place(
    subject: &Subject<'_>,
    shown: &PreviewedPrompt,
    answer: &Answer,
    at: usize,
) -> Option<(mangle_syntax::text::FileId, TextRange)> {
    subject.place(shown, &answer.origin, at)
}

pub(super) fn check_keys(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let (ids, types) = known_shards(subject);
    for head in subject.heads(INJECTED, 2).chain(subject.heads(KNOWLEDGE, 3)) {
        let Some((key, is_name)) = head.constant(0) else { continue };
        let is_injected = head.clause.head.name.as_str() == INJECTED;
        let is_all = is_injected && matches!(&*key, "*" | "/_all");
        // The prompt compiler also accepts the name of a shard, with or without a leading `/`.
        let is_taken = || subject.shown.iter().any(|shown| shown.is_compiled() && shown.takes(&key));
        let reaches = ids.contains(&key) || is_all || is_taken();
        if reaches {
            continue;
        }
        let bare = key.strip_prefix('/').unwrap_or(&key).to_owned();
        if is_name && (ids.contains(&bare) || types.contains(&bare)) {
            let message = format!("shard key {} is a name, not a string", quoted(&key));
            let mut one = head
                .found(&WRONG_KEY_KIND, 0, message)
                .note("ids of shards are compared as text, so this is in no prompt");
            if ids.contains(&bare) {
                let fix = Fix::guess(format!("write `\"{bare}\"`"))
                    .replace(one.finding.range, format!("\"{bare}\""));
                one.finding = one.finding.fix(fix);
            } else {
                one = one.help(format!("derive it for each `active_shard(Id, {key})`"));
            }
            found.push(one);
        } else if is_injected {
            let known: Vec<_> = ids.iter().map(|id| format!("`{id}`")).collect();
            let message = format!("no shard has the id {}", quoted(&key));
            let one = head.found(&DEAD_TARGET, 0, message).note("this line is in no prompt");
            let one =
                if known.is_empty() { one } else { one.note(format!("the ids are {}", known.join(", "))) };
            let fix = Fix::guess("write `\"*\"` for all shards").replace(one.finding.range, "\"*\"");
            found.push(PromptFinding { finding: one.finding.fix(fix), ..one });
        }
    }
    for shown in subject.shown.iter() {
        let (id, kind) = (&shown.request.context.shard_id, &shown.request.context.shard_type);
        if !stable_id(id, "").is_empty() || id == kind {
            continue;
        }
        let message = format!("shard id {} does not end with a dash and digits", quoted(id));
        let finding = Finding::new(&ID_FORM, shown.request.shard.0, message);
        let note = format!("the runtime uses prompt atoms and knowledge of its type, {}", quoted(kind));
        subject.at_header(found, finding.note(note));
    }
    roster(subject, found);
}

/// The known ids and types of shards.
fn known_shards(subject: &Subject<'_>) -> (Vec<String>, Vec<String>) {
    let (mut ids, mut types) = (Vec::new(), Vec::new());
    for shown in subject.shown.iter() {
        ids.push(shown.request.context.shard_id.clone());
        types.push(shown.request.context.shard_type.clone());
        for answer in subject.facts(shown, "active_shard", 2) {
            ids.extend(answer.text(0).map(str::to_owned));
            types.extend(answer.text(1).map(|kind| kind.trim_start_matches('/').to_owned()));
        }
    }
    for shard in &subject.settings.shards {
        ids.extend(shard.id.clone());
        types.push(shard.kind.clone());
    }
    for list in [&mut ids, &mut types] {
        list.sort_unstable();
        list.dedup();
    }
    (ids, types)
}

fn roster(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let types: Vec<&str> = subject.settings.shards.iter().map(|shard| shard.kind.as_str()).collect();
    if types.is_empty() {
        return;
    }
    for shown in
        subject.shown.iter().filter(|shown| !types.contains(&shown.request.context.shard_type.as_str()))
    {
        let kind = &shown.request.context.shard_type;
        let near = nearest(kind, types.iter().copied());
        let range = shown.request.shard.1;
        let finding =
            Finding::new(&UNKNOWN_SHARD_TYPE, range, format!("unknown shard type {}", quoted(kind)))
                .note("prompts for it have the general base, and no template of its own")
                .note(format!("the types in `[prompt] shards` are {}", types.join(", ")));
        let finding = match near {
            Some(near) => finding
                .help(format!("did you mean `{near}`?"))
                .fix(Fix::guess(format!("write `{near}`")).replace(range, near)),
            None => finding,
        };
        subject.at_header(found, finding);
    }
}
