//! Rules about the shard keys of facts.

use super::subject::{PromptFinding, Subject};
use crate::assembly::{INJECTED, KNOWLEDGE};
use crate::derived_context::stable_id;
use crate::quoted::quoted;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::text::nearest;

pub(super) static DEAD_TARGET: Rule = rule!("dead-target.md");

pub(super) static WRONG_KEY_KIND: Rule = rule!("wrong-key-kind.md");

pub(super) static ID_FORM: Rule = rule!("id-form.md");

pub(super) static UNKNOWN_SHARD_TYPE: Rule = rule!("unknown-shard-type.md");

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let (ids, types) = known(subject);
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
fn known(subject: &Subject<'_>) -> (Vec<String>, Vec<String>) {
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
