//! Rules about recorded numbers that exceed the limits of an agent role (shard): `PB710` to
//! `PB716`.

use std::collections::BTreeMap;

use super::CurrentTurn;
use crate::envelope::json::{Json, NodeId};
use crate::envelope::runtime;
use crate::transcript::digest::{Digest, TurnSite};
use crate::transcript::placement::TranscriptFinding;
use crate::transcript::turn::TurnRole;
use crate::transcript::words::quoted;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::TextRange;

pub(super) const RULES: &[&Rule] = &[&TIME_OVER, &TOKENS_OVER, &RETRIES_OVER, &TASK_OVER, &NO_PROFILE];

/// Number of bytes per token of a task, as estimated by the runtime.
const BYTES_A_TOKEN: u64 = 4;

/// Limits of one shard type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardLimits {
    /// Maximum number of tokens of the context.
    pub context_tokens: u64,
    /// Maximum number of tokens of an answer.
    pub output_tokens: u64,
    /// Maximum execution time in seconds.
    pub seconds: u64,
    /// Maximum number of retries.
    pub retries: u64,
}

const DEFAULT_LIMITS: ShardLimits =
    ShardLimits { context_tokens: 20_000, output_tokens: 4_000, seconds: 300, retries: 3 };

/// Defaults for compiled prompts: token budget, reserved tokens, and divisor for the reserve if
/// `reserved_tokens` is not below the budget.
const PROMPT: (u64, u64, u64) = (200_000, 8_000, 10);

/// Limits of all shard types. Defaults of the runtime, unless its configuration overrides them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Limits of shard types without a profile.
    pub default: ShardLimits,
    /// Limits by shard type.
    pub shards: BTreeMap<String, ShardLimits>,
    /// Maximum number of facts in the kernel.
    pub facts: u64,
    /// Maximum number of derived facts in the kernel.
    pub derived: u64,
    /// Context window of the model, in tokens.
    pub window: u64,
    /// Token budget of a compiled prompt and reserved tokens, each if different from the default.
    pub prompt: (Option<u32>, Option<u32>),
}

impl Default for Limits {
    fn default() -> Self {
        let limits = |context_tokens, output_tokens, seconds, retries| ShardLimits {
            context_tokens,
            output_tokens,
            seconds,
            retries,
        };
        let shards = [
            ("coder", limits(30_000, 6_000, 600, 3)),
            ("tester", limits(20_000, 4_000, 300, 3)),
            ("reviewer", limits(40_000, 8_000, 900, 2)),
            ("researcher", limits(25_000, 5_000, 600, 3)),
        ];
        let shards = shards.into_iter().map(|(name, limits)| (name.to_owned(), limits)).collect();
        Self {
            default: DEFAULT_LIMITS,
            shards,
            facts: 250_000,
            derived: 100_000,
            window: 200_000,
            prompt: (None, None),
        }
    }
}

impl Limits {
    /// Reads the limits from a configuration of the runtime (`.nerd/config.json`). Missing keys
    /// have their defaults.
    #[must_use]
    pub fn from_config(config: &[u8]) -> Self {
        let mut limits = Self::default();
        let json = Json::parse(config);
        let root = json.root();
        for default in all(&json, root, "default_shard") {
            limits.default = shard(&json, default, limits.default);
        }
        for core in all(&json, root, "core_limits") {
            limits.facts = number(&json, core, "max_facts_in_kernel", limits.facts);
            limits.derived = number(&json, core, "max_derived_facts_limit", limits.derived);
        }
        for window in all(&json, root, "context_window") {
            limits.window = number(&json, window, "max_tokens", limits.window);
        }
        limits.prompt = prompt(&json, root, limits.window);
        let profiles = all(&json, root, "shard_profiles");
        // Shard types are map keys, so their case matters.
        for one in profiles.flat_map(|profiles| json.members(profiles)) {
            let name = json.string(one.key).unwrap_or_default().into_owned();
            // Missing values of a profile come from neither its type nor `default_shard`.
            limits.shards.insert(name, shard(&json, one.value, DEFAULT_LIMITS));
        }
        limits
    }
}

/// Returns the values of a key in order. As in the runtime, keys match in any case and later values
/// override earlier ones.
fn all<'j, 't>(
    json: &'j Json<'t>,
    object: NodeId,
    name: &'static str,
) -> impl Iterator<Item = NodeId> + use<'j, 't> {
    let is_it = |key| json.string(key).is_some_and(|key| runtime::names(&key, name, false));
    json.members(object).filter(move |member| is_it(member.key)).map(|member| member.value)
}

/// Returns the token budget of a compiled prompt and its reserved tokens, each if different from
/// the default. The budget is at most the context window, and the reserve is below the budget.
fn prompt(json: &Json<'_>, root: NodeId, window: u64) -> (Option<u32>, Option<u32>) {
    let (mut budget, mut reserved, mut part) = PROMPT;
    for compiler in all(json, root, "jit") {
        budget = number(json, compiler, "token_budget", budget);
        reserved = number(json, compiler, "reserved_tokens", reserved);
        part = number(json, compiler, "reserved_tokens_fallback_ratio", part);
    }
    budget = budget.min(window);
    if reserved >= budget {
        reserved = Some(budget / part).filter(|reserved| *reserved < budget).unwrap_or(0);
    }
    let changed = |set: u64, usual: u64| u32::try_from(set).ok().filter(|_| set != usual);
    (changed(budget, PROMPT.0), changed(reserved, PROMPT.1))
}

fn shard(json: &Json<'_>, node: NodeId, usual: ShardLimits) -> ShardLimits {
    let number = |name: &'static str, usual: u64| number(json, node, name, usual);
    ShardLimits {
        context_tokens: number("max_context_tokens", usual.context_tokens),
        output_tokens: number("max_output_tokens", usual.output_tokens),
        seconds: number("max_execution_time_sec", usual.seconds),
        retries: number("max_retries", usual.retries),
    }
}

/// Returns a number of the configuration. As in the runtime, 0 means unset.
fn number(json: &Json<'_>, node: NodeId, name: &'static str, usual: u64) -> u64 {
    let written = all(json, node, name).filter_map(|value| std::str::from_utf8(json.raw(value)).ok());
    let last = written.filter_map(|written| written.parse().ok()).last();
    last.filter(|number| *number > 0).unwrap_or(usual)
}

/// Rule: the execution time exceeds its limit.
static TIME_OVER: Rule = rule!("time-over.md");

/// Rule: the number of tokens exceeds its limit.
static TOKENS_OVER: Rule = rule!("tokens-over.md");

/// Rule: the number of retries exceeds its limit.
static RETRIES_OVER: Rule = rule!("retries-over.md");

/// Rule: a task exceeds the context of its shard.
static TASK_OVER: Rule = rule!("task-over.md");

/// Rule: a shard type has no profile.
static NO_PROFILE: Rule = rule!("no-profile.md");

/// Returns the unit of a limit and a note about its enforcement in the runtime.
fn unit_and_note(rule: &Rule) -> (&'static str, &'static str) {
    if rule == &TIME_OVER {
        ("ms", "the runtime stops a shard after `max_execution_time_sec`: the number or the limit is wrong")
    } else if rule == &TOKENS_OVER {
        ("tokens", "the limit is `max_context_tokens` and `max_output_tokens` together")
    } else {
        ("retries", "the runtime stops after `max_retries`: the number or the limit is wrong")
    }
}

/// The limits and the current task.
#[derive(Debug)]
pub(super) struct Tasks {
    limits: Limits,
    /// Length of the last task in bytes, and a finding without a message.
    task: Option<(u64, TranscriptFinding)>,
}

impl Tasks {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, task: None }
    }

    pub(super) fn prompt(&mut self, site: TurnSite, digest: &Digest) {
        if digest.role == TurnRole::User {
            let finding = Finding::new(&TASK_OVER, digest.place, String::new());
            self.task = Some((digest.bytes as u64, digest.found(site, finding, "")));
        }
    }

    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        let task = self.task.take();
        let numbers = now.reply.numbers.as_deref();
        let details = now.digest.details.as_deref();
        let written = numbers.and_then(|numbers| numbers.shard.as_ref());
        let told = details.and_then(|details| details.shard.as_deref());
        let Some(shard) = written.map(|(shard, _)| shard.as_str()).or(told) else { return };
        let limits = self.limits.shards.get(shard).copied().unwrap_or(self.limits.default);
        if let (Some((_, place)), None) = (written, self.limits.shards.get(shard)) {
            let message = format!("shard type {} has no profile", quoted(shard));
            let pointer = "/control_packet/execution_metadata/shard_type";
            let finding = Finding::new(&NO_PROFILE, *place, message);
            out.push(now.found(finding.note("the limits of `default_shard` apply"), pointer));
        }
        let mut over = |rule: &'static Rule, number: Option<(f64, TextRange)>, name: &str, limit: u64| {
            #[expect(clippy::cast_precision_loss, reason = "limits are small")]
            let found = number.filter(|(number, _)| *number > limit as f64);
            if let Some((number, place)) = found {
                let (unit, note) = unit_and_note(rule);
                let message = format!("{} used {number} {unit}, over its limit of {limit}", quoted(shard));
                let pointer = if name.is_empty() {
                    String::new()
                } else {
                    format!("/control_packet/execution_metadata/{name}")
                };
                out.push(now.found(Finding::new(rule, place, message).note(note), pointer));
            }
        };
        let time = limits.seconds.saturating_mul(1_000);
        let tokens = limits.context_tokens.saturating_add(limits.output_tokens);
        over(&TIME_OVER, numbers.and_then(|numbers| numbers.milliseconds), "execution_time_ms", time);
        over(&TOKENS_OVER, numbers.and_then(|numbers| numbers.tokens), "tokens_used", tokens);
        over(&RETRIES_OVER, numbers.and_then(|numbers| numbers.retries), "retry_count", limits.retries);
        over(&TIME_OVER, details.and_then(|details| details.milliseconds), "", time);
        over(&TOKENS_OVER, details.and_then(|details| details.tokens), "", tokens);
        let most = limits.context_tokens.saturating_mul(BYTES_A_TOKEN);
        if let Some((bytes, mut found)) = task.filter(|(bytes, _)| *bytes > most) {
            let finding = found.finding;
            let message = format!("task of {bytes} bytes exceeds the context of {}", quoted(shard));
            found.finding = Finding { message: message.into(), ..finding }
                .note(format!("the runtime rejects tasks of more than {most} bytes for this shard"));
            out.push(found);
        }
    }
}
