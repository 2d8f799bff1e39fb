//! Rules about campaigns over several turns: inconsistent status of phases and tasks, and wrong
//! counters (`PB620` to `PB626`).

use super::{BoundedMap, CurrentTurn, MAX_PENDING_FINDINGS};
use crate::transcript::digest::{DigestArgument, DigestAtom, WatchedFact};
use crate::transcript::placement::TranscriptFinding;
use crate::transcript::words::{hash, quoted};
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) const RULES: &[&Rule] = &[
    &PHASE_TRANSITION,
    &PROGRESS_COUNTER,
    &PHASE_NOT_ARCHIVED,
    &PROGRESS_MISMATCH,
    &PHASE_ORDER_DUP,
    &CAMPAIGN_NO_INTENT,
    &POSITIVE_SUPPRESSION,
];

/// Number of turns within which a completed phase must be archived.
const TURNS: u64 = 3;

/// Rule: a status changes backwards.
static PHASE_TRANSITION: Rule = rule!("phase-transition.md");

/// Rule: progress counters are impossible.
static PROGRESS_COUNTER: Rule = rule!("progress-counter.md");

/// Rule: a completed phase stays in the context.
static PHASE_NOT_ARCHIVED: Rule = rule!("phase-not-archived.md");

/// Rule: a progress counter differs from the transcript.
static PROGRESS_MISMATCH: Rule = rule!("progress-mismatch.md");

/// Rule: two phases have the same order.
static PHASE_ORDER_DUP: Rule = rule!("phase-order-dup.md");

/// Rule: a packet with campaign facts has no intent.
static CAMPAIGN_NO_INTENT: Rule = rule!("campaign-no-intent.md");

/// Rule: a positive score keeps a compressed phase in the context.
static POSITIVE_SUPPRESSION: Rule = rule!("positive-suppression.md");

/// The counters of a campaign, in the order of [`COUNTERS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Progress {
    counters: [i64; 4],
}

/// Names of the counters, in their order.
const COUNTERS: [&str; 4] = ["done phases", "phases", "done tasks", "tasks"];

/// A completed phase that is not yet archived.
#[derive(Debug)]
struct UnarchivedPhase {
    phase: String,
    turn: u64,
    found: TranscriptFinding,
}

/// State of the campaigns so far.
#[derive(Debug, Default)]
pub(super) struct Campaign {
    /// Last status of campaigns, phases and tasks.
    status: BoundedMap<u64, String>,
    progress: BoundedMap<u64, Progress>,
    /// Number of completed phases per campaign.
    completed: BoundedMap<u64, i64>,
    /// Phase per campaign and order number.
    order: BoundedMap<(u64, i64), String>,
    compressed: BoundedMap<u64, ()>,
    waiting: Vec<UnarchivedPhase>,
}

impl Campaign {
    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        let atoms = &now.reply.atoms;
        self.archived(now);
        let is_replanned = atoms.iter().any(|atom| {
            let text =
                [hash("replan"), hash("replan_triggered"), hash("plan_revision"), hash("campaign_replan")];
            text.contains(&atom.predicate)
        });
        for atom in atoms {
            if let Some(fact) = atom.fact.as_deref() {
                self.status(now, atom, fact, out);
                self.order(now, atom, fact, out);
                self.suppression(now, atom, fact, out);
            }
        }
        for atom in atoms {
            if let Some(fact) = atom.fact.as_deref() {
                self.progress(now, atom, fact, is_replanned, out);
            }
        }
        let is_old = matches!(now.profile, Some(Profile::V1_1 | Profile::V1_1Bnf));
        if is_old && !now.reply.has_intent && atoms.iter().any(|atom| atom.is_campaign) {
            let finding =
                Finding::new(&CAMPAIGN_NO_INTENT, now.reply.control, "packet of a campaign has no intent")
                    .note("all versions after 1.1 require `intent_classification`");
            out.push(now.found(finding, "/control_packet"));
        }
        self.overdue(now, out);
    }

    /// Removes phases that this turn archives from the waiting list.
    fn archived(&mut self, now: &CurrentTurn<'_>) {
        for atom in &now.reply.atoms {
            let Some(WatchedFact { predicate: "context_compression", args }) = atom.fact.as_deref() else {
                continue;
            };
            let Some(phase) = args.first() else { continue };
            self.compressed.insert(hash(phase.text.as_str()), ());
            self.waiting.retain(|waiting| waiting.phase != phase.text);
        }
        for operation in now.reply.memory.iter().filter(|operation| operation.op == "archive") {
            self.waiting.retain(|waiting| !operation.key.contains(&waiting.phase));
        }
    }

    fn overdue(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        let (over, waiting) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|waiting| waiting.turn + TURNS < now.turn);
        self.waiting = waiting;
        let over: Vec<UnarchivedPhase> = over;
        out.extend(over.into_iter().map(|waiting| waiting.found));
    }

    fn status(
        &mut self,
        now: &CurrentTurn<'_>,
        atom: &DigestAtom,
        fact: &WatchedFact,
        out: &mut Vec<TranscriptFinding>,
    ) {
        let (noun, at) = match (fact.predicate, fact.args.len()) {
            ("campaign", 5) => ("campaign", 4),
            ("campaign_phase", 6) => ("phase", 4),
            ("campaign_task", 5) => ("task", 3),
            _ => return,
        };
        let (Some(id), Some(status)) = (fact.args.first(), fact.args.get(at)) else { return };
        let before = self.status.insert(hash((noun, id.text.as_str())), status.text.clone());
        let is_illegal = before.as_ref().is_some_and(|before| !may_follow(before, &status.text));
        if let Some(before) = before.as_ref().filter(|_| is_illegal) {
            let message =
                format!("{noun} {} goes from `/{before}` back to `/{}`", quoted(&id.text), status.text);
            let finding = Finding::new(&PHASE_TRANSITION, status.place, message)
                .note("the kernel keeps both facts, so rules find it in two states");
            out.push(at_atom(now, atom, finding));
        }
        if noun == "phase" {
            self.phase(now, atom, fact, before.as_deref(), status);
        }
    }

    /// Counts a completed phase, and starts to wait for its compression.
    fn phase(
        &mut self,
        now: &CurrentTurn<'_>,
        atom: &DigestAtom,
        fact: &WatchedFact,
        before: Option<&str>,
        status: &DigestArgument,
    ) {
        let (Some(id), Some(campaign)) = (fact.args.first(), fact.args.get(1)) else { return };
        let campaign = hash(campaign.text.as_str());
        let (was, is) = (before == Some("completed"), status.text == "completed");
        let done = self.completed.get(&campaign).copied().unwrap_or_default();
        self.completed.insert(campaign, done + i64::from(is) - i64::from(was));
        let is_compressed = || self.compressed.get(&hash(id.text.as_str())).is_some();
        let is_archived =
            || now.reply.memory.iter().any(|one| one.op == "archive" && one.key.contains(&id.text));
        if is && !was && self.waiting.len() < MAX_PENDING_FINDINGS && !is_compressed() && !is_archived() {
            let message =
                format!("completed phase {} is not archived within {TURNS} turns", quoted(&id.text));
            let finding = Finding::new(&PHASE_NOT_ARCHIVED, atom.place, message)
                .note("its facts stay in the context")
                .help("assert `context_compression` for the phase, or archive it");
            let found = at_atom(now, atom, finding);
            self.waiting.push(UnarchivedPhase { phase: id.text.clone(), turn: now.turn, found });
        }
    }

    fn order(
        &mut self,
        now: &CurrentTurn<'_>,
        atom: &DigestAtom,
        fact: &WatchedFact,
        out: &mut Vec<TranscriptFinding>,
    ) {
        let ("campaign_phase", [phase, campaign, _, order, ..]) = (fact.predicate, fact.args.as_slice())
        else {
            return;
        };
        let Some(number) = order.number else { return };
        let key = (hash(campaign.text.as_str()), number);
        match self.order.get(&key) {
            Some(other) if *other != phase.text => {
                let message = format!("phase {} already has order {number}", quoted(other));
                let finding = Finding::new(&PHASE_ORDER_DUP, order.place, message).note(format!(
                    "which of the two phases of campaign {} comes first is undefined",
                    quoted(&campaign.text)
                ));
                out.push(at_atom(now, atom, finding));
            }
            Some(_) => {}
            None => {
                self.order.insert(key, phase.text.clone());
            }
        }
    }

    fn suppression(
        &mut self,
        now: &CurrentTurn<'_>,
        atom: &DigestAtom,
        fact: &WatchedFact,
        out: &mut Vec<TranscriptFinding>,
    ) {
        let ("activation", [subject, score]) = (fact.predicate, fact.args.as_slice()) else { return };
        if score.number.is_none_or(|score| score <= 0) {
            return;
        }
        let is_part = |char: char| !(char.is_alphanumeric() || matches!(char, '_' | '-' | '.'));
        let mut words = subject.text.split(is_part).filter(|word| !word.is_empty());
        let Some(phase) = words.find(|word| self.compressed.get(&hash(*word)).is_some()) else { return };
        let message = format!("positive score for compressed phase {}", quoted(phase));
        let finding = Finding::new(&POSITIVE_SUPPRESSION, score.place, message)
            .note("the facts of the phase come back into the context")
            .help("set a score below zero");
        out.push(at_atom(now, atom, finding));
    }

    fn progress(
        &mut self,
        now: &CurrentTurn<'_>,
        atom: &DigestAtom,
        fact: &WatchedFact,
        is_replanned: bool,
        out: &mut Vec<TranscriptFinding>,
    ) {
        let ("campaign_progress", [campaign, counters @ ..]) = (fact.predicate, fact.args.as_slice()) else {
            return;
        };
        let Some(numbers) = numbers(counters) else { return };
        let id = hash(campaign.text.as_str());
        let before = self.progress.insert(id, Progress { counters: numbers });
        if let Some((at, message)) = counter_problem(numbers, before, is_replanned)
            && let Some(argument) = counters.get(at)
        {
            let finding = Finding::new(&PROGRESS_COUNTER, argument.place, message)
                .note("rules compare these numbers to find out whether the campaign is over");
            out.push(at_atom(now, atom, finding));
        }
        let [done, ..] = numbers;
        // A transcript may begin in the middle of a campaign. Without an observed completion there
        // is no contradiction.
        let seen = self.completed.get(&id).filter(|completed| **completed > 0 && **completed != done);
        if let (Some(completed), Some(argument), false) = (seen, counters.first(), self.completed.is_full) {
            let message = format!("progress counts {done} done phases, the transcript {completed}");
            let finding = Finding::new(&PROGRESS_MISMATCH, argument.place, message)
                .note("`campaign_progress` and `campaign_phase` disagree, and rules may read either");
            out.push(at_atom(now, atom, finding));
        }
    }
}

fn at_atom(now: &CurrentTurn<'_>, atom: &DigestAtom, finding: Finding) -> TranscriptFinding {
    now.found(finding, format!("/control_packet/mangle_updates/{}", atom.index))
}

/// True if a status may follow another status.
fn may_follow(before: &str, after: &str) -> bool {
    let is_running = matches!(after, "in_progress" | "active" | "planning" | "decomposing" | "validating");
    before == after || (after != "pending" && !(before == "completed" && is_running))
}

fn numbers(arguments: &[DigestArgument]) -> Option<[i64; 4]> {
    let [one, two, three, four] = arguments else { return None };
    Some([one.number?, two.number?, three.number?, four.number?])
}

/// Returns the index of a counter that is wrong, with a message.
fn counter_problem(now: [i64; 4], before: Option<Progress>, is_replanned: bool) -> Option<(usize, String)> {
    let [phases_done, phases, tasks_done, tasks] = now;
    if phases_done > phases {
        return Some((0, format!("more phases are done than exist: {phases_done} of {phases}")));
    }
    if tasks_done > tasks {
        return Some((2, format!("more tasks are done than exist: {tasks_done} of {tasks}")));
    }
    let before = before?.counters;
    let change = |at: usize| Some((*before.get(at)?, *now.get(at)?));
    let name = |at: usize| COUNTERS.get(at).copied().unwrap_or_default();
    let fallen = [0, 2].into_iter().find(|at| change(*at).is_some_and(|(before, now)| now < before));
    let jumped =
        [1, 3].into_iter().find(|at| !is_replanned && change(*at).is_some_and(|(before, now)| now != before));
    let at = fallen.or(jumped)?;
    let (from, to) = change(at)?;
    let why = if fallen.is_some() { "falls" } else { "changes without a replan" };
    Some((at, format!("number of {} {why}: {from}, then {to}", name(at))))
}
