//! Recorded numbers beyond the limits of a shard: `PB710` to `PB716`.

use std::collections::BTreeMap;

use super::current_turn::CurrentTurn;
use crate::envelope::json::{Json, NodeId};
use crate::envelope::runtime;
use crate::transcript::digest::{Digest, TurnSite};
use crate::transcript::finding::TranscriptFinding;
use crate::transcript::turn::TurnRole;
use crate::transcript::words::quoted;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::TextRange;

pub(super) const RULES: &[&Rule] = &[&TIME_OVER, &TOKENS_OVER, &RETRIES_OVER, &TASK_OVER, &NO_PROFILE];

/// How many bytes of a task the runtime takes for a token.
const BYTES_A_TOKEN: u64 = 4;

/// The limits of one kind of shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardLimits {
    /// The tokens of its context.
    pub context_tokens: u64,
    /// The tokens of its answer.
    pub output_tokens: u64,
    /// How long it may run.
    pub seconds: u64,
    /// How often it may try again.
    pub retries: u64,
}

/// Those of a shard of which nobody says anything.
const USUAL: ShardLimits =
    ShardLimits { context_tokens: 20_000, output_tokens: 4_000, seconds: 300, retries: 3 };

/// How many tokens a compiled prompt may have, how many of those are reserved, and which part of them is when more than
/// all of them would be.
const PROMPT: (u64, u64, u64) = (200_000, 8_000, 10);

/// The limits of all kinds of shards, those of the runtime unless its configuration says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Those of shards that have no profile of their own.
    pub default: ShardLimits,
    /// Those of shards that have one, by their type.
    pub shards: BTreeMap<String, ShardLimits>,
    /// How many facts its kernel takes.
    pub facts: u64,
    /// How many facts its kernel derives from them.
    pub derived: u64,
    /// The tokens that the model takes in.
    pub window: u64,
    /// The tokens that a compiled prompt may have, and how many of those are reserved, where that is set.
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
            default: USUAL,
            shards,
            facts: 250_000,
            derived: 100_000,
            window: 200_000,
            prompt: (None, None),
        }
    }
}

impl Limits {
    /// The limits that a configuration of the runtime (`.nerd/config.json`) sets; what it does not mention is as usual.
    #[must_use]
    pub fn of_config(config: &[u8]) -> Self {
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
        // The types of shards are the keys of a map, which are what they are.
        for one in profiles.flat_map(|profiles| json.members(profiles)) {
            let name = json.string(one.key).unwrap_or_default().into_owned();
            // What a profile does not say is neither that of its type nor that of `default_shard`.
            limits.shards.insert(name, shard(&json, one.value, USUAL));
        }
        limits
    }
}

/// The values of a key in their order. The runtime takes one in any case for it, and reads one over the other.
fn all<'j, 't>(
    json: &'j Json<'t>,
    object: NodeId,
    name: &'static str,
) -> impl Iterator<Item = NodeId> + use<'j, 't> {
    let is_it = |key| json.string(key).is_some_and(|key| runtime::names(&key, name, false));
    json.members(object).filter(move |member| is_it(member.key)).map(|member| member.value)
}

/// How many tokens a compiled prompt may have, and how many of those are reserved, where the configuration makes that
/// something else than usual: no more than the model takes in, and not all of them reserved.
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

/// A number of a configuration. The runtime takes a 0 for no setting.
fn number(json: &Json<'_>, node: NodeId, name: &'static str, usual: u64) -> u64 {
    let written = all(json, node, name).filter_map(|value| std::str::from_utf8(json.raw(value)).ok());
    let last = written.filter_map(|written| written.parse().ok()).last();
    last.filter(|number| *number > 0).unwrap_or(usual)
}

/// Too long.
static TIME_OVER: Rule = rule!("time-over.md");

/// Too many tokens.
static TOKENS_OVER: Rule = rule!("tokens-over.md");

/// Too many retries.
static RETRIES_OVER: Rule = rule!("retries-over.md");

/// A task that does not fit.
static TASK_OVER: Rule = rule!("task-over.md");

/// A kind of shard that nobody has set up.
static NO_PROFILE: Rule = rule!("no-profile.md");

/// The unit of the numbers that a rule is about, and what the runtime does about its limit.
fn unit_and_note(rule: &Rule) -> (&'static str, &'static str) {
    if rule == &TIME_OVER {
        ("ms", "the runtime stops a shard after `max_execution_time_sec`: the number or the limit is wrong")
    } else if rule == &TOKENS_OVER {
        ("tokens", "the limit is `max_context_tokens` and `max_output_tokens` together")
    } else {
        ("retries", "the runtime stops after `max_retries`: the number or the limit is wrong")
    }
}

/// The limits, and the task that is being answered.
#[derive(Debug)]
pub(super) struct Tasks {
    limits: Limits,
    /// The last task: its length, and a finding that says nothing yet.
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
        over(&TIME_OVER, numbers.and_then(|it| it.milliseconds), "execution_time_ms", time);
        over(&TOKENS_OVER, numbers.and_then(|it| it.tokens), "tokens_used", tokens);
        over(&RETRIES_OVER, numbers.and_then(|it| it.retries), "retry_count", limits.retries);
        over(&TIME_OVER, details.and_then(|it| it.milliseconds), "", time);
        over(&TOKENS_OVER, details.and_then(|it| it.tokens), "", tokens);
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
