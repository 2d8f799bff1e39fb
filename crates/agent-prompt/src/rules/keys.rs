//! Rules about the keys of shards: who is meant by a fact.

use super::subject::{Found, Subject};
use crate::assembly::{INJECTED, KNOWLEDGE};
use crate::derived::stable_id;
use mangle_syntax::lint::{Fix, FixKind, Group, Rule, Severity};
use mangle_syntax::text::nearest;

/// `injectable_context("coder", "x").` where the shard is `coder-7`.
pub(super) static DEAD_TARGET: Rule = Rule {
    code: "PP001",
    name: "dead-target",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "A context atom is meant for a shard that does not exist.",
    rationale: "The reader takes facts of `injectable_context` whose first argument is the id of the shard, letter for letter, \
                `\"*\"` or `/_all`. With anything else, such as a type or a label, the line is in no prompt. The ids that \
                are known are those of previews, of `active_shard` and of `[prompt] shards`.",
    bad: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n\
          # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
          injectable_context(\"mission\", \"Ship it.\").\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n\
           # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
           injectable_context(\"*\", \"Ship it.\").\n",
    fix: FixKind::Unsafe,
};

/// `injectable_context(/coder, "x").`
pub(super) static WRONG_KEY_KIND: Rule = Rule {
    code: "PP003",
    name: "wrong-key-kind",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "The key of a shard is a name where ids are strings.",
    rationale: "Ids are compared as text, and a name keeps its `/`: `/coder` is not `coder`. Only `/_all` is a name that \
                reaches shards. What is meant for a type has to be derived for each `active_shard(Id, /coder)`.",
    bad: "#- schemas.gl\nDecl injectable_context(Id, Text).\n#- fix.kernel.mg\n\
          # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
          injectable_context(/coder-7, \"Mind the clock.\").\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text).\n#- fix.kernel.mg\n\
           # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
           injectable_context(\"coder-7\", \"Mind the clock.\").\n",
    fix: FixKind::Unsafe,
};

/// `# @preview shard: coder coder`
pub(super) static ID_FORM: Rule = Rule {
    code: "PP012",
    name: "id-form",
    group: Group::Prompts,
    severity: Some(Severity::Hint),
    summary: "The id of a shard does not end with a dash and digits.",
    rationale: "The runtime cuts the number of an instance off to find the atoms and the knowledge of a shard: `coder-7` is \
                `coder`. An id of another form counts as its type, so that a specialist of another name gets the atoms of \
                the type.",
    bad: "# @preview shard: go-expert coder\nDecl injectable_context(Id, Text) bound [/string, /string].\n",
    good: "# @preview shard: go-expert-1 coder\nDecl injectable_context(Id, Text) bound [/string, /string].\n",
    fix: FixKind::None,
};

/// `# @preview shard: coder-7 codr`
pub(super) static UNKNOWN_SHARD_TYPE: Rule = Rule {
    code: "PP015",
    name: "unknown-shard-type",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "A type of shard is none of those that there are.",
    rationale: "A type selects the base of a prompt, letter for letter: one with a typing mistake gets the general base, and a \
                template for it is in no prompt. The types are those of `[prompt] shards`; without any, nobody knows them.",
    bad: "#- fix.kernel.mg\n# @preview shard: coder-7 codr\nDecl injectable_context(Id, Text) bound [/string, /string].\n#- mangle-ls.toml\n\
          [prompt]\nshards = [\"coder-7 coder\", \"tester\"]\n",
    good: "#- fix.kernel.mg\n# @preview shard: coder-7 coder\nDecl injectable_context(Id, Text) bound [/string, /string].\n#- mangle-ls.toml\n\
           [prompt]\nshards = [\"coder-7 coder\", \"tester\"]\n",
    fix: FixKind::Unsafe,
};

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Found>) {
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
            found.push(Found { finding: one.finding.fix(fix), ..one });
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

fn roster(subject: &Subject<'_>, found: &mut Vec<Found>) {
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
