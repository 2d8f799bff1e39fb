//! Rules about the keys of shards: who is meant by a fact.

use super::subject::{PromptFinding, Subject};
use crate::assembly::{INJECTED, KNOWLEDGE};
use crate::derived_context::stable_id;
use mangle_syntax::lint::{Fix, Rule, rule};
use mangle_syntax::text::nearest;

/// `injectable_context("coder", "x").` where the shard is `coder-7`.
pub(super) static DEAD_TARGET: Rule = rule!("dead-target.md");

/// `injectable_context(/coder, "x").`
pub(super) static WRONG_KEY_KIND: Rule = rule!("wrong-key-kind.md");

/// `# @preview shard: coder coder`
pub(super) static ID_FORM: Rule = rule!("id-form.md");

/// `# @preview shard: coder-7 codr`
pub(super) static UNKNOWN_SHARD_TYPE: Rule = rule!("unknown-shard-type.md");

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let (ids, types) = known(subject);
    for head in subject.heads(INJECTED, 2).chain(subject.heads(KNOWLEDGE, 3)) {
        let Some((key, is_name)) = head.constant(0) else { continue };
        let is_injected = head.clause.head.name.as_str() == INJECTED;
        let is_all = is_injected && matches!(&*key, "*" | "/_all");
        // The prompt compiler also takes the name of a shard, with or without a `/`.
        let is_taken = || subject.shown.iter().any(|shown| shown.is_compiled() && shown.takes(&key));
        let reaches = ids.contains(&key) || is_all || is_taken();
        if reaches {
            continue;
        }
        let bare = key.strip_prefix('/').unwrap_or(&key).to_owned();
        if is_name && (ids.contains(&bare) || types.contains(&bare)) {
            let message = format!(
                "`{key}` is a name, and ids of shards are strings, compared letter for letter: this is in no prompt. {}",
                if ids.contains(&bare) {
                    format!("Write `\"{bare}\"`.")
                } else {
                    format!("Derive it for each `active_shard(Id, {key})` instead.")
                }
            );
            let mut one = head.found(&WRONG_KEY_KIND, 0, message);
            if ids.contains(&bare) {
                let fix = Fix::guess(format!("Write `\"{bare}\"`"))
                    .replace(one.finding.range, format!("\"{bare}\""));
                one.finding = one.finding.fix(fix);
            }
            found.push(one);
        } else if is_injected {
            let known: Vec<_> = ids.iter().map(|id| format!("`{id}`")).collect();
            let message = format!(
                "No shard is called `{key}`, so this line is in no prompt; there are {}. Use `\"*\"` for all of them.",
                known.join(", ")
            );
            let one = head.found(&DEAD_TARGET, 0, message);
            let fix = Fix::guess("Write `\"*\"`").replace(one.finding.range, "\"*\"");
            found.push(PromptFinding { finding: one.finding.fix(fix), ..one });
        }
    }
    for shown in subject.shown.iter() {
        let (id, kind) = (&shown.wanted.context.shard_id, &shown.wanted.context.shard_type);
        if !stable_id(id, "").is_empty() || id == kind {
            continue;
        }
        let message = format!(
            "`{id}` does not end with a dash and digits, so the runtime takes atoms and knowledge of its type, `{kind}`."
        );
        subject.at_header(found, &ID_FORM, shown.wanted.shard.0, message);
    }
    roster(subject, found);
}

/// The ids and the types of shards that are known.
fn known(subject: &Subject<'_>) -> (Vec<String>, Vec<String>) {
    let (mut ids, mut types) = (Vec::new(), Vec::new());
    for shown in subject.shown.iter() {
        ids.push(shown.wanted.context.shard_id.clone());
        types.push(shown.wanted.context.shard_type.clone());
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
        subject.shown.iter().filter(|shown| !types.contains(&shown.wanted.context.shard_type.as_str()))
    {
        let kind = &shown.wanted.context.shard_type;
        let near = nearest(kind, types.iter().copied());
        let hint = near.map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
        let message =
            format!("`{kind}` is none of the types in `[prompt] shards`: {}.{hint}", types.join(", "));
        let before = found.len();
        subject.at_header(found, &UNKNOWN_SHARD_TYPE, shown.wanted.shard.1, message);
        if let (Some(near), Some(one)) = (near, found.get_mut(before)) {
            let fix = Fix::guess(format!("Write `{near}`")).replace(one.finding.range, near);
            one.finding.fix = Some(fix);
        }
    }
}
