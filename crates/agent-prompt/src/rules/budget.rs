//! Rules about the size of prompts.

use super::subject::{Found, Subject, within};
use crate::derived::HEADROOM;
use crate::origin::Origin;
use crate::preview::{OriginPlace, Part, Shown};
use crate::sections::{Mode, Role};
use crate::tokens::Estimator;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity};

/// More tokens than there may be.
pub(super) static OVER_BUDGET: Rule = Rule {
    code: "PP070",
    name: "over-budget",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "A prompt has more tokens than it may have.",
    rationale: "The runtime's assembler cuts nothing: what is over the budget of a shard is sent all the same, and cut off or \
                refused by whoever receives it. The budget is 200,000 tokens (60,000 for `legislator` and `mangle_repair`) \
                without what is reserved, or that of the session file's `budget`, counted as the prompt compiler does it. Where \
                there is a `.nerd/config.json`, its `jit.token_budget`, the `max_context_tokens` of the shard's profile and \
                `context_window.max_tokens` are looked at, too.",
    bad: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- fix.kernel.mg\n\
          # @preview shard: coder-7 coder\n# @preview session: fix.session.yaml\ninjectable_context(\"*\", \"Be brief.\").\n\
          shard_prompt_base(/coder, \"You code.\").\n#- fix.session.yaml\nbudget: {tokens: 700, reserved: 100}\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- fix.kernel.mg\n\
           # @preview shard: coder-7 coder\n# @preview session: fix.session.yaml\ninjectable_context(\"*\", \"Be brief.\").\n\
           shard_prompt_base(/coder, \"You code.\").\n#- fix.session.yaml\nbudget: {tokens: 7000, reserved: 100}\n",
    fix: FixKind::None,
};

/// A fact that is a fifth of the prompt.
pub(super) static HUGE_LINE: Rule = Rule {
    code: "PP071",
    name: "huge-line",
    group: Group::Prompts,
    severity: Some(Severity::Information),
    summary: "One fact is more than a fifth of a prompt.",
    rationale: "A list of context atoms is meant to hold many short lines. One that is this long pushes the others aside. Only \
                lines of 200 tokens and more are looked at, and templates are not.",
    bad: concat!(
        "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n",
        "Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- fix.kernel.mg\n",
        "# @preview shard: coder-7 coder\nshard_prompt_base(/coder, \"You code.\").\ninjectable_context(\"*\", \"",
        "This line goes on and on and says very little. This line goes on and on and says very little. ",
        "This line goes on and on and says very little. This line goes on and on and says very little. ",
        "This line goes on and on and says very little. This line goes on and on and says very little. ",
        "This line goes on and on and says very little. This line goes on and on and says very little. ",
        "This line goes on and on and says very little. This line goes on and on and says very little. ",
        "This line goes on and on and says very little. This line goes on and on and says very little. ",
        "This line goes on and on and says very little. This line goes on and on and says very little. ",
        "This line goes on and on and says very little. This line goes on and on and says very little. ",
        "This line goes on and on and says very little. This line goes on and on and says very little. ",
        "\").\n",
    ),
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           Decl shard_prompt_base(Type, Text) bound [/name, /string].\n#- fix.kernel.mg\n\
           # @preview shard: coder-7 coder\nshard_prompt_base(/coder, \"You code.\").\n\
           injectable_context(\"*\", \"This line goes on and on.\").\n",
    fix: FixKind::None,
};

/// A section that holds nothing.
pub(super) static EMPTY_PROMPT: Rule = Rule {
    code: "PP072",
    name: "empty-prompt",
    group: Group::Prompts,
    severity: Some(Severity::Error),
    summary: "Nothing is assembled.",
    rationale: "In the mode `section` the text is empty when the kernel injects nothing and knows nothing for the shard: what it \
                was to be appended to stays as it is.",
    bad: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          Decl specialist_knowledge(Id, Topic, Text) bound [/string, /name, /string].\n#- fix.kernel.mg\n\
          # @preview shard: coder-7 coder\n# @preview mode: section\n\
          specialist_knowledge(\"coder-8\", /jwt, \"Tokens expire.\").\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           Decl specialist_knowledge(Id, Topic, Text) bound [/string, /name, /string].\n#- fix.kernel.mg\n\
           # @preview shard: coder-7 coder\n# @preview mode: section\n\
           specialist_knowledge(\"coder-7\", /jwt, \"Tokens expire.\").\n",
    fix: FixKind::None,
};

/// The runtime sent something else.
pub(super) static DRIFT: Rule = Rule {
    code: "PP073",
    name: "drift",
    group: Group::Prompts,
    severity: Some(Severity::Information),
    summary: "A captured system prompt is not what the preview shows.",
    rationale: "The policy, the session or the runtime has changed since the prompt was captured, or the sample leaves out what \
                was known then: what the preview shows is not what the shard read. Lines are compared without the blanks around \
                them; `[prompt] similarity` says how many percent have to be the same, and `[prompt.templates]` puts the \
                runtime's own texts in place of ours. `preview --diff` shows the lines.",
    bad: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          #- fix.kernel.mg\n# @preview shard: coder-7 coder\n# @preview mode: section\n\
          # @preview captured: traces.jsonl\ninjectable_context(\"*\", \"Be brief.\").\n\
          #- traces.jsonl\n{\"shard_type\":\"coder\",\"system_prompt\":\"- Be thorough.\",\"user_prompt\":\"Go.\",\"response\":\"Done.\"}\n",
    good: "#- schemas.gl\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           #- fix.kernel.mg\n# @preview shard: coder-7 coder\n# @preview mode: section\n\
           # @preview captured: traces.jsonl\ninjectable_context(\"*\", \"Be brief.\").\n\
           #- traces.jsonl\n{\"shard_type\":\"coder\",\"system_prompt\":\"- Be brief.\",\"user_prompt\":\"Go.\",\"response\":\"Done.\"}\n",
    fix: FixKind::None,
};

/// From how many tokens on a line can be too long.
const HUGE: usize = 200;

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Found>) {
    for shown in subject.shown.iter().filter(|shown| shown.wanted.part == Part::System) {
        let text = shown.prompt.text();
        if text.is_empty() {
            // Of a kernel that stopped it is said that there is none.
            if shown.stopped().is_some() {
                continue;
            }
            let why = if shown.prompt.mode == Mode::Section {
                "the kernel injects nothing and knows nothing for the shard"
            } else {
                "there is no text at all"
            };
            let message = format!("Nothing is assembled {}: {why}.", within(shown));
            subject.at_header(found, &EMPTY_PROMPT, shown.wanted.range, message);
            continue;
        }
        let tokens = Estimator::Bytes4.count(&text);
        let available = shown.derived.available();
        // Where mandatory atoms alone are too many, that is said of them.
        let is_told = shown.prompt.compilation.as_ref().is_some_and(|made| made.mandatory > made.usable);
        if !is_told && tokens > usize::try_from(available).unwrap_or(usize::MAX) {
            let left = if available == 0 { "no token is".to_owned() } else { format!("{available} are") };
            let message = format!(
                "The prompt has about {tokens} tokens {}, and {left} left for it of {}: {} are reserved for the answer, and the \
                 runtime keeps {HEADROOM} free.",
                within(shown),
                shown.derived.token_budget,
                shown.derived.reserved
            );
            subject.at_header(found, &OVER_BUDGET, shown.wanted.range, message);
        }
        over_limits(subject, shown, tokens, found);
        drift(subject, shown, &text, found);
        huge(subject, shown, tokens, found);
    }
}

/// Compares with what was captured.
fn drift(subject: &Subject<'_>, shown: &Shown, text: &str, found: &mut Vec<Found>) {
    let Some(captured) = &shown.wanted.captured else { return };
    let (same, wanted) = (captured.similarity(text), subject.settings.similarity);
    if same >= wanted {
        return;
    }
    let message = format!(
        "This captured prompt is not what the preview shows: {same} % of the lines are the same {}, and {wanted} % should be. \
         `preview --diff` shows which are not.",
        within(shown)
    );
    found.push(Found { file: captured.file, finding: Finding::new(&DRIFT, captured.range, message) });
}

/// What the configuration of the agent says of the shard and of its model.
fn over_limits(subject: &Subject<'_>, shown: &Shown, tokens: usize, found: &mut Vec<Found>) {
    let tokens_u64 = u64::try_from(tokens).unwrap_or(u64::MAX);
    let kind = &shown.wanted.context.shard_type;
    let context = shown.wanted.context_tokens().filter(|limit| tokens_u64 > *limit);
    let window = shown.wanted.limits.as_ref().map(|limits| limits.window).filter(|limit| tokens_u64 > *limit);
    let (limit, whose) = match (context, window) {
        (Some(limit), _) => (limit, format!("`max_context_tokens` of a `{kind}`")),
        (None, Some(limit)) => (limit, "`max_tokens` of the model's window".to_owned()),
        (None, None) => return,
    };
    let message = format!(
        "The prompt has about {tokens} tokens {}, and `.nerd/config.json` allows {limit} ({whose}).",
        within(shown)
    );
    let range = if shown.wanted.shard.1.is_empty() { shown.wanted.range } else { shown.wanted.shard.1 };
    subject.at_header(found, &OVER_BUDGET, range, message);
}

fn huge(subject: &Subject<'_>, shown: &Shown, all: usize, found: &mut Vec<Found>) {
    let is_list = |line: &crate::Line| line.role == Role::Text && matches!(line.origin, Origin::Fact(_));
    for (at, line) in shown.prompt.lines().filter(|(_, line)| is_list(line)) {
        let is_base = shown.prompt.sections.get(at).is_some_and(|section| section.kind.as_str() == "base");
        let tokens = Estimator::Bytes4.count(&line.text);
        if is_base || tokens < HUGE || tokens * 5 <= all {
            continue;
        }
        if let Some(OriginPlace::File(file, range)) = subject.common.place(shown, &line.origin) {
            let share = tokens * 100 / all;
            let message = format!(
                "This one line has about {tokens} tokens, {share} % of the prompt {}.",
                within(shown)
            );
            found.push(Found { file, finding: Finding::new(&HUGE_LINE, range, message) });
        }
    }
}
