//! The rules about the configuration of an agent's runtime: `PB701` to `PB708`.

use mangle_syntax::lint::{FixKind, Group, Rule, Severity};

pub(in crate::transcript) const RULES: &[&Rule] = &[
    &LIMIT_LOW,
    &RESERVE_SUM,
    &CONFIG_KEY,
    &SAMPLING_RANGE,
    &SHARD_FACTS,
    &PROFILE_TYPE,
    &RESERVED_TOKENS,
    &DERIVED_LIMIT,
];

/// A limit that the runtime does not accept.
pub(super) static LIMIT_LOW: Rule = Rule {
    code: "PB701",
    name: "limit-low",
    group: Group::Limits,
    severity: Some(Severity::Error),
    summary: "A limit of the runtime's configuration is below the least that the runtime accepts, or negative.",
    rationale: "The runtime's own check of its limits fails. A 0 counts as a setting that is not there: what holds then \
                is the default, which is mostly far more than was meant. A negative number of tokens, facts, seconds or retries \
                limits nothing in a way that its author could have meant.",
    bad: "#- .nerd/config.json\n{\"core_limits\": {\"max_facts_in_kernel\": 500}}\n",
    good: "#- .nerd/config.json\n{\"core_limits\": {\"max_facts_in_kernel\": 50000}}\n",
    fix: FixKind::Unsafe,
};

/// Shares that are more or less than all.
pub(super) static RESERVE_SUM: Rule = Rule {
    code: "PB702",
    name: "reserve-sum",
    group: Group::Limits,
    severity: Some(Severity::Error),
    summary: "The reserves of the context window do not add up to 100 %.",
    rationale: "The runtime deals the tokens of the context by these percentages. With more than 100 its parts together \
                overflow the window of the model; with less some of it is never used. A reserve that is missing, or 0, \
                has its default: 5, 30, 15 and 50.",
    bad: "#- .nerd/config.json\n{\"context_window\": {\"atom_reserve_percent\": 40}}\n",
    good: "#- .nerd/config.json\n{\"context_window\": {\"atom_reserve_percent\": 40, \"working_reserve_percent\": 40}}\n",
    fix: FixKind::None,
};

/// A key that means nothing.
pub(super) static CONFIG_KEY: Rule = Rule {
    code: "PB703",
    name: "config-key",
    group: Group::Limits,
    severity: Some(Severity::Warning),
    summary: "The runtime's configuration has a key that the runtime does not know.",
    rationale: "The key is passed over without a word. Most are typing mistakes, and then a limit that somebody relies \
                on is silently at its default.",
    bad: "#- .nerd/config.json\n{\"core_limits\": {\"max_facts_in_kernal\": 50000}}\n",
    good: "#- .nerd/config.json\n{\"core_limits\": {\"max_facts_in_kernel\": 50000}}\n",
    fix: FixKind::Unsafe,
};

/// A temperature that is none.
pub(super) static SAMPLING_RANGE: Rule = Rule {
    code: "PB704",
    name: "sampling-range",
    group: Group::Limits,
    severity: Some(Severity::Warning),
    summary: "A `temperature` or `top_p` is outside 0..1.",
    rationale: "The runtime hands the number to the model as it is. Services refuse such a request, or clamp the number \
                without saying so.",
    bad: "#- .nerd/config.json\n{\"shard_profiles\": {\"coder\": {\"temperature\": 7}}}\n",
    good: "#- .nerd/config.json\n{\"shard_profiles\": {\"coder\": {\"temperature\": 0.7}}}\n",
    fix: FixKind::None,
};

/// A shard with more facts than the kernel.
pub(super) static SHARD_FACTS: Rule = Rule {
    code: "PB705",
    name: "shard-facts",
    group: Group::Limits,
    severity: Some(Severity::Warning),
    summary: "A shard may hold more facts than the kernel itself.",
    rationale: "The kernel takes no fact beyond `max_facts_in_kernel`, and only its log says so. What a shard holds \
                beyond that is lost once it hands its facts over.",
    bad: "#- .nerd/config.json\n{\"core_limits\": {\"max_facts_in_kernel\": 20000, \"max_derived_facts_limit\": 50000},\n \
          \"shard_profiles\": {\"coder\": {\"max_facts_in_shard_kernel\": 30000}}}\n",
    good: "#- .nerd/config.json\n{\"core_limits\": {\"max_facts_in_kernel\": 50000, \"max_derived_facts_limit\": 50000},\n \
           \"shard_profiles\": {\"coder\": {\"max_facts_in_shard_kernel\": 30000}}}\n",
    fix: FixKind::None,
};

/// A profile that nobody takes.
pub(super) static PROFILE_TYPE: Rule = Rule {
    code: "PB706",
    name: "profile-type",
    group: Group::Limits,
    severity: Some(Severity::Warning),
    summary: "A profile is for a type of shard that the runtime does not have.",
    rationale: "A shard takes the profile that is called as its type, to the letter, else `default_shard`. Unless the \
                project defines a shard of its own by this name, nobody takes this one.",
    bad: "#- .nerd/config.json\n{\"shard_profiles\": {\"codder\": {\"max_retries\": 5}}}\n",
    good: "#- .nerd/config.json\n{\"shard_profiles\": {\"coder\": {\"max_retries\": 5}}}\n",
    fix: FixKind::Unsafe,
};

/// More is reserved than there is.
pub(super) static RESERVED_TOKENS: Rule = Rule {
    code: "PB707",
    name: "reserved-tokens",
    group: Group::Limits,
    severity: Some(Severity::Warning),
    summary: "The prompt compiler should reserve as many tokens as it has, or more.",
    rationale: "The runtime then reserves another number: the budget divided by `reserved_tokens_fallback_ratio`. The \
                budget is the smaller of `token_budget` and `max_tokens` of the context window.",
    bad: "#- .nerd/config.json\n{\"jit\": {\"token_budget\": 6000, \"reserved_tokens\": 8000}}\n",
    good: "#- .nerd/config.json\n{\"jit\": {\"token_budget\": 60000, \"reserved_tokens\": 8000}}\n",
    fix: FixKind::None,
};

/// Fewer conclusions than facts.
pub(super) static DERIVED_LIMIT: Rule = Rule {
    code: "PB708",
    name: "derived-limit",
    group: Group::Limits,
    severity: Some(Severity::Information),
    summary: "Fewer facts may be derived than be given.",
    rationale: "A full kernel holds more facts than its rules may derive, and a rule that says something of each of \
                them ends the evaluation before it is through. So it is with the defaults of the runtime, too.",
    bad: "#- .nerd/config.json\n{\"core_limits\": {\"max_facts_in_kernel\": 50000, \"max_derived_facts_limit\": 20000}}\n",
    good: "#- .nerd/config.json\n{\"core_limits\": {\"max_facts_in_kernel\": 50000, \"max_derived_facts_limit\": 100000}}\n",
    fix: FixKind::None,
};
