//! Rules about the policy behind a prompt: what never gets there, and why.

use super::subject::{Found, Subject, within};
use crate::answers::{Answer, Arg, Order};
use crate::assembly::INJECTED;
use crate::preview::{SCORED, THRESHOLD};
use mangle_engine::kernel::Obstacle;
use mangle_engine::program::PredicateKey;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity};
use mangle_syntax::text::{Symbol, TextRange};

/// Nothing is injected.
pub(super) static NEVER_INJECTABLE: Rule = Rule {
    code: "PP002",
    name: "never-injectable",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "The rules inject nothing for a shard.",
    rationale: "There are rules for `injectable_context`, and none of them gives anything for this shard with the facts of the \
                sample: the prompt has no kernel context. The finding says of each rule which premise stands in the way.",
    bad: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          Decl active_shard(Id, Type) bound [/string, /name].\nDecl note(Text) bound [/string].\n\
          Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- policy.mg\n\
          injectable_context(S, T) :- active_shard(S, /tester), note(T).\nshard_prompt_base(/coder, \"You code.\").\n\
          #- fix.kernel.mg\n# @preview shard: coder-7 coder\nnote(\"Mind the clock.\").\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           Decl active_shard(Id, Type) bound [/string, /name].\nDecl note(Text) bound [/string].\n\
           Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- policy.mg\n\
           injectable_context(S, T) :- active_shard(S, /coder), note(T).\nshard_prompt_base(/coder, \"You code.\").\n\
           #- fix.kernel.mg\n# @preview shard: coder-7 coder\nnote(\"Mind the clock.\").\n",
    fix: FixKind::None,
};

/// `shard_context_atom(S, T, 40) :- …`
pub(super) static BELOW_THRESHOLD: Rule = Rule {
    code: "PP004",
    name: "below-threshold",
    group: Group::Prompts,
    severity: Some(Severity::Information),
    summary: "A context atom has a score that is never enough.",
    rationale: "The runtime's policy injects what has a score above 50. An atom that has no better one, by whatever rule, is in \
                no prompt.",
    bad: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          Decl shard_context_atom(Id, Text, Score) bound [/string, /string, /number].\n\
          Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- policy.mg\n\
          injectable_context(S, T) :- shard_context_atom(S, T, N), 50 < N.\nshard_prompt_base(/coder, \"You code.\").\n\
          #- fix.kernel.mg\n# @preview shard: coder-7 coder\nshard_context_atom(\"coder-7\", \"Mind the clock.\", 70).\n\
          shard_context_atom(\"coder-7\", \"Be brief.\", 50).\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           Decl shard_context_atom(Id, Text, Score) bound [/string, /string, /number].\n\
           Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- policy.mg\n\
           injectable_context(S, T) :- shard_context_atom(S, T, N), 50 < N.\nshard_prompt_base(/coder, \"You code.\").\n\
           #- fix.kernel.mg\n# @preview shard: coder-7 coder\nshard_context_atom(\"coder-7\", \"Mind the clock.\", 70).\n\
           shard_context_atom(\"coder-7\", \"Be brief.\", 60).\n",
    fix: FixKind::None,
};

/// `final_injectable(S, T) :- …`
pub(super) static BUDGET_IGNORED: Rule = Rule {
    code: "PP013",
    name: "budget-ignored",
    group: Group::Prompts,
    severity: Some(Severity::Information),
    summary: "A rule filters by budget what prompts do not read.",
    rationale: "The policy drops atoms of little weight from `final_injectable` when a shard has few tokens left, but prompts \
                read `injectable_context`: the filter has no effect.",
    bad: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          Decl final_injectable(Id, Text) bound [/string, /string].\n\
          Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- policy.mg\n\
          final_injectable(S, T) :- injectable_context(S, T).\nshard_prompt_base(/coder, \"You code.\").\n\
          #- fix.kernel.mg\n# @preview shard: coder-7 coder\ninjectable_context(\"coder-7\", \"Mind the clock.\").\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- policy.mg\n\
           shard_prompt_base(/coder, \"You code.\").\n\
           #- fix.kernel.mg\n# @preview shard: coder-7 coder\ninjectable_context(\"coder-7\", \"Mind the clock.\").\n",
    fix: FixKind::None,
};

/// `injectable_context_priority(S, T, /high)` beside `(S, T, 80)`.
pub(super) static PRIORITY_KIND: Rule = Rule {
    code: "PP005",
    name: "priority-kind",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "Priorities of context are names in one place and numbers in another.",
    rationale: "Whoever compares or sorts priorities sees only those of one kind: a comparison with a number never holds for \
                a name, and the other way round. Where a `Decl` says which kind it is, `type-fact-mismatch` and \
                `type-head-mismatch` say it instead.",
    bad: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          Decl injectable_context_priority(Id, Text, Priority).\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
          #- fix.kernel.mg\n# @preview shard: coder-7 coder\nshard_prompt_base(/coder, \"You code.\").\n\
          injectable_context(\"*\", \"Be brief.\").\ninjectable_context_priority(\"*\", \"Be brief.\", 80).\n\
          injectable_context_priority(\"*\", \"Be kind.\", /high).\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           Decl injectable_context_priority(Id, Text, Priority).\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
           #- fix.kernel.mg\n# @preview shard: coder-7 coder\nshard_prompt_base(/coder, \"You code.\").\n\
           injectable_context(\"*\", \"Be brief.\").\ninjectable_context_priority(\"*\", \"Be brief.\", 80).\n\
           injectable_context_priority(\"*\", \"Be kind.\", 60).\n",
    fix: FixKind::None,
};

/// The evaluation stops.
pub(super) static KERNEL_FAILED: Rule = Rule {
    code: "PP031",
    name: "kernel-failed",
    group: Group::Prompts,
    severity: Some(Severity::Error),
    summary: "The kernel behind a prompt cannot be evaluated to its end.",
    rationale: "Where the engine rejects a policy, or stops in the middle, the runtime has no kernel: the prompt is made of \
                built-in texts alone. The preview shows what followed until then.",
    bad: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          Decl step(N) bound [/number].\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
          #- policy.mg\nshard_prompt_base(/coder, \"You code.\").\nstep(M) :- step(N), M = fn:plus(N, 1).\n\
          #- fix.kernel.mg\n# @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\nstep(0).\n\
          #- mangle-ls.toml\n[kernel]\nmax_derived = 1000\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           Decl step(N) bound [/number].\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
           #- policy.mg\nshard_prompt_base(/coder, \"You code.\").\nstep(M) :- step(N), N < 9, M = fn:plus(N, 1).\n\
           #- fix.kernel.mg\n# @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\nstep(0).\n",
    fix: FixKind::None,
};

/// Another order of facts gives another prompt.
pub(super) static ORDER_SENSITIVE: Rule = Rule {
    code: "PP034",
    name: "order-sensitive",
    group: Group::Prompts,
    severity: Some(Severity::Information),
    summary: "Which lines a prompt has depends on the order of facts.",
    rationale: "The runtime's store keeps no order. Of several templates any may be the first, and with it the prompt is another \
                one from run to run. Lines that only change places are not meant.",
    bad: "#- schemas.gl\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
          Decl topic(Text) bound [/string].\nDecl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n\
          # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
          shard_prompt_base(/coder, T) :- topic(T).\ntopic(\"You code.\").\ntopic(\"You write code.\").\ntopic(\"You mend code.\").\n",
    good: "#- schemas.gl\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
           Decl topic(Text) bound [/string].\nDecl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n\
           # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
           shard_prompt_base(/coder, T) :- topic(T).\ntopic(\"You code.\").\n",
    fix: FixKind::None,
};

pub(super) fn check(subject: &mut Subject<'_>, found: &mut Vec<Found>) {
    for head in subject.heads("final_injectable", 0).filter(|head| !head.clause.is_fact()).take(1) {
        let message =
            "Prompts read `injectable_context`, not `final_injectable`: what is filtered here has no effect.";
        found.push(head.found(&BUDGET_IGNORED, usize::MAX, message.to_owned()));
    }
    below_threshold(subject, found);
    priorities(subject, found);
    failed(subject, found);
    order(subject, found);
    never(subject, found);
}

/// The predicate of priorities, whose third argument they are.
const PRIORITY: &str = "injectable_context_priority";

/// Names among numbers. Where a declaration has bounds, the rules about types say which are wrong.
fn priorities(subject: &Subject<'_>, found: &mut Vec<Found>) {
    let program = subject.program();
    let has_bounds = |predicate| program.declaration(predicate).is_some_and(|decl| !decl.bounds.is_empty());
    if program.named(Symbol::new(PRIORITY)).any(has_bounds) {
        return;
    }
    for shown in subject.shown.iter() {
        let answers = subject.facts(shown, PRIORITY, 3);
        let is_name = |answer: &&Answer| answer.text(2).is_some_and(|text| text.starts_with('/'));
        let number = answers.iter().find(|answer| matches!(answer.args.get(2), Some(Arg::Number(_))));
        let (Some(name), Some(number)) = (answers.iter().find(is_name), number) else { continue };
        let Some((file, range)) = subject.place(shown, &name.held, 2) else { continue };
        let message = format!(
            "This priority is a name, and that of `{}` is a number {}: whoever compares them sees those of one kind alone.",
            number.held.fact,
            within(shown)
        );
        found.push(Found { file, finding: Finding::new(&PRIORITY_KIND, range, message) });
    }
}

fn failed(subject: &Subject<'_>, found: &mut Vec<Found>) {
    for shown in subject.shown.iter() {
        let Some(stop) = shown.stopped() else { continue };
        let place = stop.rule.and_then(|rule| subject.common.range_of_rule(rule));
        let (file, range) = match (place, subject.sample()) {
            (Some(place), _) => place,
            (None, Some(sample)) => (sample, shown.wanted.range),
            (None, None) => continue,
        };
        let limit = stop.reason.setting().map(|setting| format!(", the limit `[kernel] {setting}`"));
        let message = format!(
            "The evaluation stops here {}: {}{}. The runtime has no kernel then, and makes the prompt of built-in texts.",
            within(shown),
            stop.reason,
            limit.unwrap_or_default()
        );
        found.push(Found { file, finding: Finding::new(&KERNEL_FAILED, range, message) });
    }
}

fn order(subject: &Subject<'_>, found: &mut Vec<Found>) {
    let lines = |prompt: &crate::Prompt| {
        let mut lines: Vec<String> = prompt.lines().map(|(_, line)| line.text.clone()).collect();
        lines.sort_unstable();
        lines
    };
    for shown in subject.shown.iter() {
        let sorted = lines(&shown.prompt);
        let differs = |seed| lines(&subject.common.reordered(shown, Order::Shuffled(seed))) != sorted;
        if (1..=3).any(differs) {
            let message = format!(
                "Which lines the prompt has {} depends on the order of facts, and the runtime's store keeps none: it may be \
                 another prompt from run to run. `--shuffle-seed` shows how.",
                within(shown)
            );
            subject.at_header(found, &ORDER_SENSITIVE, shown.wanted.range, message);
        }
    }
}

fn below_threshold(subject: &Subject<'_>, found: &mut Vec<Found>) {
    for shown in subject.shown.iter() {
        let atoms = subject.facts(shown, SCORED, 3);
        let score = |answer: &crate::Answer| match answer.args.get(2) {
            Some(Arg::Number(score)) => Some(*score),
            _ => None,
        };
        for answer in &atoms {
            let of_it = atoms.iter().filter(|other| other.args.get(..2) == answer.args.get(..2));
            let Some(best) = of_it.filter_map(score).max().filter(|best| *best <= THRESHOLD) else {
                continue;
            };
            let Some((file, range)) = subject.place(shown, &answer.held, 2) else { continue };
            let atom = answer.text(1).unwrap_or_default();
            let message = format!(
                "`{atom}` has a score of {best} {}, and the policy injects what is above {THRESHOLD}: it is in no prompt.",
                within(shown)
            );
            found.push(Found { file, finding: Finding::new(&BELOW_THRESHOLD, range, message) });
        }
    }
}

fn never(subject: &mut Subject<'_>, found: &mut Vec<Found>) {
    let has_rules = subject.heads(INJECTED, 2).any(|head| !head.clause.is_fact());
    let key = PredicateKey { name: Symbol::new(INJECTED), arity: 2 };
    if !has_rules || subject.program().id(key).is_none() {
        return;
    }
    let Some(sample) = subject.sample() else { return };
    let common = subject.common;
    for shown in subject.shown.iter_mut().filter(|shown| shown.stopped().is_none()) {
        let injected = common.facts(shown, INJECTED, 2);
        if injected.iter().any(|answer| answer.args.first().is_some_and(|key| shown.takes(&key.printed()))) {
            continue;
        }
        let gaps = common.gaps_of_shard(shown);
        let message = format!(
            "Nothing is injected {}: none of the rules for `{INJECTED}` gives anything for it.",
            within(shown)
        );
        let range = if shown.wanted.shard.0.is_empty() { shown.wanted.range } else { shown.wanted.shard.0 };
        let mut finding = Finding::new(&NEVER_INJECTABLE, range, message);
        for (rule, gap) in gaps.iter().take(3) {
            let Some((_, place)) = related(common, *rule) else { continue };
            finding = finding.related(place, said(&gap.miss.obstacle));
        }
        found.push(Found { file: sample, finding });
    }
}

/// A rule as a related place.
fn related(
    common: &crate::Common,
    rule: mangle_engine::kernel::RuleId,
) -> Option<(TextRange, mangle_syntax::lint::Span)> {
    let (file, statement, range) = common.statement_of_rule(rule)?;
    Some((range, mangle_syntax::lint::Span::of(file, statement, range)))
}

fn said(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::Head { argument, has } => format!("gives `{has}` as argument {}", argument + 1),
        Obstacle::Premise { asked, .. } if asked.starts_with('!') => format!("wants `{asked}`"),
        Obstacle::Premise { asked, .. } => format!("finds no `{asked}`"),
        Obstacle::Groups { .. } => "has no such group".to_owned(),
        Obstacle::TooMany => "has too many combinations to look at".to_owned(),
    }
}
