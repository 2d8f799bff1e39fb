//! Rules about the kernel that prompts ask: what it is not given, what it cannot answer, what it says in vain.

use rustc_hash::FxHashSet;

use super::subject::{Found, Subject, within};
use crate::assembly::{INJECTED, KNOWLEDGE, TEMPLATES};
use crate::preview::Shown;
use mangle_engine::program::PredicateId;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity};
use mangle_syntax::text::{Symbol, TextRange};

/// A shard that the kernel does not know to be at work.
pub(super) static NO_ACTIVE_SHARD: Rule = Rule {
    code: "PP016",
    name: "no-active-shard",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "The kernel does not know that the shard of a preview is at work.",
    rationale: "The runtime asserts `active_shard(Id, /type)` for each shard that it starts, and rules for context ask for it. \
                Previews add the fact themselves, unless `[prompt] synthetic = false` or `--no-synthetic` says that they add \
                nothing: then a sample has to state it, or whatever asks for it gives nothing.",
    bad: "#- schemas.gl\nDecl active_shard(Id, Type) bound [/string, /name].\n\
          Decl injectable_context(Id, Text) bound [/string, /string].\n\
          Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- policy.mg\n\
          shard_prompt_base(/coder, \"You code.\").\ninjectable_context(\"*\", \"Be brief.\").\n\
          injectable_context(Id, \"Test first.\") :- active_shard(Id, /coder).\n\
          #- fix.kernel.mg\n# @preview shard: coder-7 coder\n#- mangle-ls.toml\n[prompt]\nsynthetic = false\n",
    good: "#- schemas.gl\nDecl active_shard(Id, Type) bound [/string, /name].\n\
           Decl injectable_context(Id, Text) bound [/string, /string].\n\
           Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- policy.mg\n\
           shard_prompt_base(/coder, \"You code.\").\ninjectable_context(\"*\", \"Be brief.\").\n\
           injectable_context(Id, \"Test first.\") :- active_shard(Id, /coder).\n\
           #- fix.kernel.mg\n# @preview shard: coder-7 coder\nactive_shard(\"coder-7\", /coder).\n\
           #- mangle-ls.toml\n[prompt]\nsynthetic = false\n",
    fix: FixKind::None,
};

/// `Decl recall(Query, Text) descr [external(), mode("+", "-")].`
pub(super) static EXTERNAL_EMPTY: Rule = Rule {
    code: "PP032",
    name: "external-empty",
    group: Group::Prompts,
    severity: Some(Severity::Information),
    summary: "A prompt depends on a predicate that the host answers, and there is no host in a preview.",
    rationale: "The facts of external predicates are looked up by the program around the engine while it runs. A preview has \
                nobody to ask, so such a predicate is empty and whatever needs it is missing from the prompt. Facts of it in the \
                sample stand in for the host.",
    bad: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          Decl recall(Text) descr [external(), mode(\"-\")] bound [/string].\n\
          Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- policy.mg\n\
          shard_prompt_base(/coder, \"You code.\").\ninjectable_context(\"*\", \"Be brief.\").\n\
          injectable_context(\"*\", T) :- recall(T).\n#- fix.kernel.mg\n# @preview shard: coder-7 coder\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           Decl recall(Text) bound [/string].\n\
           Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- policy.mg\n\
           shard_prompt_base(/coder, \"You code.\").\ninjectable_context(\"*\", \"Be brief.\").\n\
           injectable_context(\"*\", T) :- recall(T).\n#- fix.kernel.mg\n# @preview shard: coder-7 coder\n\
           recall(\"Mind the clock.\").\n",
    fix: FixKind::None,
};

/// A prompt whose queries the runtime cannot answer.
pub(super) static QUERY_ERROR: Rule = Rule {
    code: "PP033",
    name: "query-error",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "A query of a prompt fails, and with it a part of the prompt.",
    rationale: "Where the evaluation stops in a rule that a query depends on, the runtime writes the failure into its log and \
                goes on without the template or the section. This names the parts of the prompt that are lost; \
                `kernel-failed` names the rule.",
    bad: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          Decl note(Text, N) bound [/string, /number].\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
          #- policy.mg\nshard_prompt_base(/coder, \"You code.\").\n\
          injectable_context(\"*\", T) :- note(T, N), M = fn:div(10, N), 1 < M.\n\
          #- fix.kernel.mg\n# @preview shard: coder-7 coder\nnote(\"Mind the clock.\", 0).\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           Decl note(Text, N) bound [/string, /number].\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
           #- policy.mg\nshard_prompt_base(/coder, \"You code.\").\n\
           injectable_context(\"*\", T) :- note(T, N), M = fn:div(10, N), 1 < M.\n\
           #- fix.kernel.mg\n# @preview shard: coder-7 coder\nnote(\"Mind the clock.\", 2).\n",
    fix: FixKind::None,
};

/// `category_order(/identity, 1).`
pub(super) static DEAD_CONFIG: Rule = Rule {
    code: "PP060",
    name: "dead-config",
    group: Group::Prompts,
    severity: Some(Severity::Information),
    summary: "The kernel orders or budgets the categories of prompt atoms, and nobody asks it.",
    rationale: "The runtime's prompt compiler has the order and the shares of its categories built in. Facts of \
                `category_order` and `category_budget` look like settings and have no effect, unless rules of one's own read \
                them.",
    bad: "#- schemas.gl\nDecl category_order(Category, At) bound [/name, /number].\n\
          Decl injectable_context(Id, Text) bound [/string, /string].\n#- policy.mg\ncategory_order(/identity, 1).\n\
          #- fix.kernel.mg\n# @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           #- fix.kernel.mg\n# @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n",
    fix: FixKind::None,
};

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Found>) {
    dead_config(subject, found);
    external(subject, found);
    for shown in subject.shown.iter() {
        active(subject, shown, found);
        failed(subject, shown, found);
    }
}

/// Where a finding about the shard of a preview stands.
fn at_shard(shown: &Shown) -> TextRange {
    if shown.wanted.shard.0.is_empty() { shown.wanted.range } else { shown.wanted.shard.0 }
}

fn active(subject: &Subject<'_>, shown: &Shown, found: &mut Vec<Found>) {
    let id = &shown.wanted.context.shard_id;
    let is_active =
        || subject.facts(shown, "active_shard", 1).iter().any(|answer| answer.text(0) == Some(id));
    if subject.common.settings().synthetic || is_active() {
        return;
    }
    let kind = shown.wanted.context.shard_type.trim_start_matches('/');
    let message = format!(
        "The kernel does not know that the shard is at work {}, so rules that ask for it give nothing: state \
         `active_shard(\"{id}\", /{kind})`, or let previews add it (`synthetic`).",
        within(shown)
    );
    subject.at_header(found, &NO_ACTIVE_SHARD, at_shard(shown), message);
}

fn failed(subject: &Subject<'_>, shown: &Shown, found: &mut Vec<Found>) {
    let program = subject.program();
    let rule = shown.stopped().and_then(|stop| stop.rule);
    let stopped = rule.and_then(|rule| {
        let (file, range) = subject.common.range_of_rule(rule)?;
        let file = program.file(file)?;
        let item = file.items.get(file.item_at(range.start())?)?;
        program.id_of(file, &item.statement.clause()?.head)
    });
    let parts = [(TEMPLATES, "the template"), (INJECTED, "the context"), (KNOWLEDGE, "the knowledge")];
    let is_lost = |name: &str| stopped.is_some_and(|stopped| subject.feeding(&[name]).contains(&stopped));
    let lost: Vec<&str> = parts.iter().filter(|(name, _)| is_lost(name)).map(|(_, part)| *part).collect();
    if !lost.is_empty() {
        let message = format!(
            "A query of this prompt fails {}: the runtime leaves out {}, and only its log says so.",
            within(shown),
            lost.join(" and ")
        );
        subject.at_header(found, &QUERY_ERROR, at_shard(shown), message);
    }
    for (part, why) in &shown.prompt.failed {
        let message = format!("What `{part}` gives is missing {}: {why}.", within(shown));
        subject.at_header(found, &QUERY_ERROR, at_shard(shown), message);
    }
}

/// External predicates that prompts depend on, and that nobody gives a fact of.
fn external(subject: &Subject<'_>, found: &mut Vec<Found>) {
    let program = subject.program();
    let feeding: FxHashSet<PredicateId> = subject.feeding(&[INJECTED, TEMPLATES, KNOWLEDGE]);
    let has_facts = |id: PredicateId| {
        let relation = |shown: &Shown| {
            shown.model().relation(id).is_some_and(|relation| relation.tuples().next().is_some())
        };
        subject.shown.iter().any(relation)
    };
    let mut external: Vec<PredicateId> =
        feeding.into_iter().filter(|id| program.get(*id).signature.external && !has_facts(*id)).collect();
    external.sort_unstable();
    for predicate in external.into_iter().map(|id| program.get(id)) {
        let Some(site) = program.declarations(predicate).next() else { continue };
        let message = format!(
            "Prompts depend on `{}`, which the host answers; a preview has no host, so it is empty. Facts of it in the sample \
             stand in.",
            predicate.key
        );
        let range = site.range + site.item.start;
        found.push(Found { file: site.file.id, finding: Finding::new(&EXTERNAL_EMPTY, range, message) });
    }
}

/// The first fact of each predicate that the prompt compiler does not ask for, unless some rule does.
fn dead_config(subject: &Subject<'_>, found: &mut Vec<Found>) {
    let program = subject.program();
    for name in ["category_order", "category_budget"] {
        let is_read =
            program.named(Symbol::new(name)).any(|predicate| program.uses(predicate).next().is_some());
        let first = subject.heads(name, 0).find(|head| head.clause.is_fact());
        if let Some(head) = first.filter(|_| !is_read) {
            let message = format!(
                "The prompt compiler does not ask for `{name}`: the order and the shares of its categories are built in, and \
                 these facts have no effect."
            );
            found.push(head.found(&DEAD_CONFIG, usize::MAX, message));
        }
    }
}
