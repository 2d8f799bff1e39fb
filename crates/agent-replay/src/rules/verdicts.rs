//! Rules about verdicts: `PB502` to `PB506`, `PB510`, `PB513`, `PB514`.
//!
//! [`PendingRequests`] are requests without a result. Their later results in the transcript are
//! checked against the verdicts.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Scene;
use crate::constitution::find;
use crate::gate;
use crate::origins::SessionOrigin;
use crate::turn::{LiftedDenial, Reliance, Turn, Verdict};
use mangle_engine::kernel::{Datum, Kernel, Relation};
use mangle_settings::Override;
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, Span, rule};
use mangle_syntax::text::TextRange;
use piggyback::envelope::runtime::{consumer_of, lists_predicate};
use piggyback::transcript::{self, Record, TranscriptFinding};

pub(super) const RULES: &[&Rule] = &[
    &DENIED,
    &PERMITTED,
    &EXECUTED_ALTHOUGH_DENIED,
    &BLOCKED_ALTHOUGH_PERMITTED,
    &SELF_GRANTED,
    &SELF_LIFTED_BLOCK,
    &OVERRIDE_ONLY,
    &UNCOVERED_CONTENT,
    &APPROVAL_FLAG,
];

static DENIED: Rule = rule!("denied.md");

static PERMITTED: Rule = rule!("permitted.md");

static EXECUTED_ALTHOUGH_DENIED: Rule = rule!("executed-although-denied.md");

static BLOCKED_ALTHOUGH_PERMITTED: Rule = rule!("blocked-although-permitted.md");

static SELF_GRANTED: Rule = rule!("self-granted.md");

static SELF_LIFTED_BLOCK: Rule = rule!("self-lifted-block.md");

static OVERRIDE_ONLY: Rule = rule!("override-only.md");

static UNCOVERED_CONTENT: Rule = rule!("uncovered-content.md");

static APPROVAL_FLAG: Rule = rule!("approval-flag.md");

pub(super) fn check(scene: &mut Scene<'_>, report: &Turn, kernel: &Kernel, told: &mut FxHashSet<String>) {
    for verdict in &report.verdicts {
        let Some((_, range)) = verdict.index.and_then(|index| scene.request(index)) else { continue };
        match verdict.is_permitted {
            true => permitted(scene, verdict, range, report.number, kernel, told),
            false => {
                let message = format!("{} is denied", named(verdict));
                scene.push(Finding::new(&DENIED, range, message).note(reason(verdict)));
            }
        }
    }
    if let Some(verdict) = &report.envelope {
        let range = scene.brace();
        let finding = match scene.constitution.settings.style {
            Override::Replace => {
                Finding::new(&DENIED, range, "the whole reply is denied").note(reason(verdict))
            }
            style @ (Override::Runtime | Override::Prepend) => {
                Finding::new(&DENIED, range, "the reply is denied, but its updates are asserted")
                    .note(reason(verdict))
                    .note(format!("`override = \"{}\"` does not withdraw the updates", style.as_str()))
            }
        };
        scene.push(finding);
    }
    unblocked(scene, report);
    approval(scene, report, kernel);
    recorded(scene, report);
}

/// The reason of a verdict as a note: a built-in sentence, or words of the policy.
pub(super) fn reason(verdict: &Verdict) -> String {
    format!("reason: {}", verdict.why)
}

/// A display form of a request, for example `/read_file` on `a.go`.
fn named(verdict: &Verdict) -> String {
    let Verdict { action, target, payload, .. } = verdict;
    match target.as_str() {
        "" | "unknown" if matches!(payload.as_str(), "" | "{}" | "null") => quoted_short(action),
        "" | "unknown" => format!("{} with {}", quoted_short(action), quoted_short(payload)),
        target => format!("{} on {}", quoted_short(action), quoted_short(target)),
    }
}

/// Quotes a text for a note, truncated to 60 characters.
pub(super) fn quoted(text: &str) -> String {
    mangle_syntax::text::quoted(text, 60)
}

/// Quotes a text for a headline, truncated to 30 characters.
fn quoted_short(text: &str) -> String {
    mangle_syntax::text::quoted(text, 30)
}

fn permitted(
    scene: &mut Scene<'_>,
    verdict: &Verdict,
    range: TextRange,
    turn: u64,
    kernel: &Kernel,
    told: &mut FxHashSet<String>,
) {
    let Verdict { action, why, .. } = verdict;
    if scene.options.show_permits {
        let mut finding = Finding::new(&PERMITTED, range, format!("{} is permitted", named(verdict)));
        if let Some(more) = why.strip_prefix(gate::PERMITTED).filter(|more| !more.is_empty()) {
            finding = finding
                .note(more.trim_start_matches([',', ';', ' ']).trim_start_matches("in which ").to_owned());
        }
        scene.push(of_rule(scene, finding, verdict));
    }
    relied(scene, verdict, range, turn);
    let roles = &scene.constitution.roles;
    let model = kernel.model();
    let is_safe = roles.safe.is_some_and(|safe| find(model, safe, &[action]).is_some());
    if !is_safe && verdict.is_lifted && told.insert(format!("override {action}")) {
        let message = format!("only an override permits {}", quoted_short(action));
        let finding = Finding::new(&OVERRIDE_ONLY, range, message)
            .note("no fact of the policy lists the action as safe");
        scene.push(of_rule(scene, finding, verdict));
    }
    if let Some(pattern) = content(scene, kernel, verdict) {
        let place = scene.request(verdict.index.unwrap_or_default());
        let place = place.and_then(|(view, _)| view.value_range("tool_args")).unwrap_or(range);
        let message = format!("permitted request contains blocked pattern {}", quoted_short(&pattern));
        let note = match why.split_once(gate::IGNORES) {
            Some((_, ignored)) => format!("{}{ignored}", gate::IGNORES),
            None => format!("no rule checks {} for it", quoted(action)),
        };
        let finding = Finding::new(&UNCOVERED_CONTENT, place, message).note(note);
        scene.push(of_rule(scene, finding, verdict));
    }
}

/// Reports a permission that depends on replies of the session.
fn relied(scene: &mut Scene<'_>, verdict: &Verdict, range: TextRange, turn: u64) {
    let Reliance { granting: granted, overriding: lifted, denial } = &verdict.reliance;
    let why = denial.as_deref().unwrap_or("no rule permits it");
    if !granted.is_empty() {
        let message = format!("{} is permitted by facts of replies", named(verdict));
        let finding = Finding::new(&SELF_GRANTED, range, message)
            .note(format!("the permission rests on {}", listed(granted)))
            .note(format!("without that: {why}"));
        push_own(scene, of_rule(scene, finding, verdict), granted, turn);
    }
    if !lifted.is_empty() {
        let message = format!("replies lift the denial of {}", named(verdict));
        let finding = Finding::new(&SELF_LIFTED_BLOCK, range, message)
            .note(format!("the permission rests on {}", listed(lifted)))
            .note(format!("without that: {why}"));
        push_own(scene, of_rule(scene, finding, verdict), lifted, turn);
    }
}

/// Reports a reply that would be denied without facts of the session.
fn unblocked(scene: &mut Scene<'_>, report: &Turn) {
    let Some(LiftedDenial { facts, denial, .. }) = &report.unblocked else { return };
    let finding = Finding::new(&SELF_LIFTED_BLOCK, scene.brace(), "replies lift the denial of the reply")
        .note(format!("it is accepted because of {}", listed(facts)))
        .note(format!("without that, the policy would derive {denial}"));
    push_own(scene, finding, facts, report.number);
}

/// Reports a dependence on facts of replies. The severity is a warning if the consumer lists the
/// predicates of all these facts.
fn push_own(scene: &mut Scene<'_>, mut finding: Finding, facts: &[(String, SessionOrigin)], turn: u64) {
    let consumer = consumer_of(scene.options.transcript);
    let is_listed = |fact: &str| lists_predicate(consumer, fact.split('(').next().unwrap_or(fact));
    if facts.iter().all(|(fact, _)| is_listed(fact)) {
        finding = finding.severity(Severity::Warning);
    }
    for (_, origin) in facts {
        if let SessionOrigin::Update { turn: of, index } = origin
            && *of == turn
            && let Some(place) = scene.update(*index)
        {
            finding = finding.related(Span::here(place), "asserted here");
        }
    }
    scene.push(finding);
}

/// Formats facts with their origins: `` `approved("a")` (turn 1, update 2) and … ``
fn listed(facts: &[(String, SessionOrigin)]) -> String {
    let all: Vec<_> = facts.iter().map(|(fact, origin)| format!("{} ({origin})", quoted(fact))).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The first blocked pattern in a request.
fn content(scene: &Scene<'_>, kernel: &Kernel, verdict: &Verdict) -> Option<String> {
    let model = kernel.model();
    let relation = scene.constitution.roles.content.and_then(|content| model.relation(content));
    let patterns = relation.into_iter().flat_map(Relation::tuples).filter_map(|tuple| {
        match model.values.get(*tuple.first()?) {
            Datum::String(text) => Some(&**text),
            _ => None,
        }
    });
    let mut found = patterns.filter(|pattern| {
        !pattern.is_empty() && (verdict.payload.contains(pattern) || verdict.target.contains(pattern))
    });
    found.next().map(str::to_owned)
}

/// Adds the deciding clause to a finding as related location.
fn of_rule(scene: &Scene<'_>, finding: Finding, verdict: &Verdict) -> Finding {
    let rule = verdict.rule.and_then(|rule| scene.constitution.compiled.rule(rule));
    let Some(rule) = rule else { return finding };
    let place = scene.constitution.program.file(rule.file).and_then(|file| {
        let item = file.items.get(rule.item as usize)?;
        Some(item.statement.clause()?.head.range)
    });
    match place {
        Some(range) => finding.related(Span::new(rule.file, rule.statement, range), "this rule permits it"),
        None => finding,
    }
}

/// Checks the approval flag of the packet.
fn approval(scene: &mut Scene<'_>, report: &Turn, kernel: &Kernel) {
    let Some(control) = scene.control() else { return };
    let gates = control.object("safety_gates");
    let (Some(false), Some(range)) =
        (gates.flag("requires_user_approval"), gates.value_range("requires_user_approval"))
    else {
        return;
    };
    let Some(dangerous) = scene.constitution.roles.dangerous else { return };
    let is_dangerous = |verdict: &&Verdict| find(kernel.model(), dangerous, &[&verdict.action]).is_some();
    if let Some(verdict) = report.verdicts.iter().find(is_dangerous) {
        let message = format!("no approval requested for dangerous {}", quoted_short(&verdict.action));
        let fix = Fix::safe("set the flag to `true`").replace(range, "true");
        let finding = Finding::new(&APPROVAL_FLAG, range, message)
            .note("the policy lists the action as dangerous, and the user is not warned");
        scene.push(finding.fix(fix));
    }
}

/// Checks the block that the packet itself records.
fn recorded(scene: &mut Scene<'_>, report: &Turn) {
    let Some(control) = scene.control() else { return };
    let metadata = control.object("execution_metadata");
    let is_blocked = metadata.flag("blocked_by_constitution") == Some(true);
    let all = !report.verdicts.is_empty() && report.verdicts.iter().all(|verdict| verdict.is_permitted);
    if let Some(range) = metadata
        .value_range("blocked_by_constitution")
        .filter(|_| is_blocked && all && report.envelope.is_none())
    {
        let message = "packet reports a block, but all its requests are permitted";
        let finding = Finding::new(&BLOCKED_ALTHOUGH_PERMITTED, range, message);
        scene.push(finding.note(OTHER_FACTS).help(ADD_FACTS));
    }
}

/// The possible reasons for a difference between a recorded block and the verdict.
const OTHER_FACTS: &str = "the policy was stricter, or the runtime had facts that are missing here";

/// Help for missing facts.
const ADD_FACTS: &str = "add missing facts with `--facts FILE`";

/// Checks the recorded outcome of a request against its verdict.
pub(crate) fn outcome(
    record: &Record<'_>,
    turn: &transcript::Turn,
    call: &str,
    asked: &PendingRequest,
    outcome: RequestOutcome,
) -> Option<TranscriptFinding> {
    let range = TextRange::up_to(mangle_syntax::text::size(turn.len()));
    let PendingRequest { turn: of, action, is_permitted } = asked;
    let finding = match (outcome, is_permitted) {
        (RequestOutcome::Ran, false) => Finding::new(
            &EXECUTED_ALTHOUGH_DENIED,
            range,
            format!("denied request {} of turn {of} was executed", quoted_short(action)),
        )
        .note(format!("this is the result of call {}", quoted(call)))
        .note("the policy was another one, or the tool ran without the gate"),
        (RequestOutcome::Blocked, true) => Finding::new(
            &BLOCKED_ALTHOUGH_PERMITTED,
            range,
            format!("permitted request {} of turn {of} was blocked", quoted_short(action)),
        )
        .note(format!("this is the result of call {}", quoted(call)))
        .note(OTHER_FACTS)
        .help(ADD_FACTS),
        _ => return None,
    };
    Some(transcript::place(record, turn, None, finding))
}

/// The maximum number of remembered requests.
const MAX_REQUESTS: usize = 10_000;

/// Phrases in results of runtimes that blocked a request.
const BLOCKS: [&str; 8] = [
    "blocked by safety gate",
    "blocked by the safety gate",
    "blocked by constitution",
    "blocked by the constitution",
    "denied by policy",
    "not permitted by",
    "permission denied by",
    "safety notice",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestOutcome {
    Ran,
    Blocked,
}

impl RequestOutcome {
    /// The outcome according to the text of a tool result.
    pub(crate) fn parse(text: &str) -> Self {
        let mut head: String = text.chars().take(400).collect();
        head.make_ascii_lowercase();
        if BLOCKS.iter().any(|words| head.contains(words)) { Self::Blocked } else { Self::Ran }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct PendingRequest {
    pub(crate) turn: u64,
    pub(crate) action: String,
    pub(crate) is_permitted: bool,
}

/// The requests without a result, by id, oldest first.
///
/// An id that is reused after a user message starts a new queue. Older requests with this id get no
/// result.
#[derive(Debug, Default)]
pub(crate) struct PendingRequests {
    by_id: FxHashMap<String, RequestQueue>,
    count: usize,
    /// The number of user messages.
    round: u64,
}

/// The requests of one id and one round.
#[derive(Debug, Default)]
struct RequestQueue {
    round: u64,
    asked: VecDeque<PendingRequest>,
}

impl PendingRequests {
    pub(crate) fn user(&mut self) {
        self.round += 1;
    }

    pub(crate) fn add(&mut self, turn: u64, verdict: &Verdict) {
        if verdict.id.is_empty() {
            return;
        }
        if self.by_id.get(&verdict.id).is_some_and(|waiting| waiting.round != self.round) {
            let old = self.by_id.remove(&verdict.id).unwrap_or_default();
            self.count -= old.asked.len();
        }
        if self.count >= MAX_REQUESTS {
            return;
        }
        let asked =
            PendingRequest { turn, action: verdict.action.clone(), is_permitted: verdict.is_permitted };
        let waiting = self.by_id.entry(verdict.id.clone()).or_default();
        waiting.round = self.round;
        waiting.asked.push_back(asked);
        self.count += 1;
    }

    /// The request of a result.
    ///
    /// If several requests wait under an id, the match is ambiguous. The oldest request with a
    /// matching verdict is chosen, so that a reported mismatch is certain.
    pub(crate) fn take(&mut self, id: &str, outcome: RequestOutcome) -> Option<PendingRequest> {
        let waiting = self.by_id.get_mut(id)?;
        let goes_with = |asked: &PendingRequest| asked.is_permitted == (outcome == RequestOutcome::Ran);
        let asked = waiting.asked.remove(waiting.asked.iter().position(goes_with).unwrap_or(0))?;
        self.count -= 1;
        if waiting.asked.is_empty() {
            self.by_id.remove(id);
        }
        Some(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_says() {
        assert_eq!(RequestOutcome::parse("3 tests passed"), RequestOutcome::Ran);
        assert_eq!(
            RequestOutcome::parse("tool call blocked by safety gate: delete_file"),
            RequestOutcome::Blocked
        );
        assert_eq!(RequestOutcome::parse("rm: permission denied"), RequestOutcome::Ran);
    }
}
