//! Conversion of a replayed turn to its report.

use super::{
    AtomReport, CorrectionReport, FactReport, MemoryReport, ObstacleReport, ProofTree, ReplyFactReport,
    StateReport, SurfaceReport, TurnReport, VerdictComparison, VerdictReport,
};
use agent_replay::{Effect, Reliance, SessionOrigin, Turn, Verdict};
use mangle_engine::kernel::{Ground, Miss, Obstacle, Proof, RuleId};
use mangle_settings::format_timestamp;
use piggyback::envelope::account::AccountEntry;
use piggyback::envelope::runtime::Stage;

/// The maximum depth of a proof.
const MAX_DEPTH: usize = 40;

/// The maximum number of displayed rows of a group.
const ROWS: usize = 10;

/// The verdict for a request that one side of a comparison lacks, because its runtime reads the
/// reply differently.
const NOT_READ: &str = "not read";

/// Locations that a turn does not contain.
pub struct TurnPlaces<'a> {
    pub file: &'a str,
    /// The first line of the record.
    pub line: u32,
    /// The byte offset of the record in the transcript.
    pub start: u64,
    /// Returns the location of a clause, for example `policy.mg:12`; `None` for
    /// [`RuleId::ASSERTED`].
    pub rule: &'a dyn Fn(RuleId) -> Option<String>,
    /// Returns the origin of a fact of the session.
    pub origin: &'a dyn Fn(&str) -> Option<SessionOrigin>,
}

impl std::fmt::Debug for TurnPlaces<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Places").field("file", &self.file).finish_non_exhaustive()
    }
}

/// The report of a turn, without findings.
#[must_use]
pub fn turn(turn: &Turn, places: &TurnPlaces<'_>) -> TurnReport {
    let shown = turn.rewritten.as_ref().map_or(&turn.surface, |rewritten| &rewritten.shown);
    let stopped = turn.stopped.as_ref().map(|stop| {
        let place = stop.rule.and_then(places.rule).map_or(String::new(), |place| format!(" at {place}"));
        format!("the evaluation stopped{place}: {}", stop.reason)
    });
    TurnReport {
        file: places.file.to_owned(),
        turn: turn.number,
        record: turn.record,
        line: places.line,
        start: places.start + u64::from(u32::from(turn.place.start())),
        time: turn.is_dated.then(|| format_timestamp(turn.now_ns)),
        asked: turn.asked.clone(),
        stage: turn.stage.map(|stage| word(stage).to_owned()),
        method: turn.stage.map(|stage| stage.method().to_owned()),
        native_path: turn.is_native,
        surface: SurfaceReport {
            original: turn.surface.clone(),
            shown: shown.clone(),
            reason: turn.rewritten.as_ref().map(|rewritten| rewritten.reason.clone()),
            hidden_notice: turn.hidden_notice.clone(),
        },
        atoms: turn.atoms.iter().map(atom).collect(),
        memory: turn
            .memory
            .iter()
            .map(|one| MemoryReport { op: one.op.clone(), key: one.key.clone(), effect: effect(one.effect) })
            .collect(),
        self_correction: turn.correction.as_ref().map(|one| CorrectionReport {
            hypothesis: one.hypothesis.clone(),
            kept: one.is_kept,
            actions: one.actions.iter().filter_map(|(_, proof)| tree(proof, places)).collect(),
        }),
        envelope: turn.envelope.as_ref().map(|verdict| self::verdict(verdict, places)),
        verdicts: turn.verdicts.iter().map(|verdict| self::verdict(verdict, places)).collect(),
        unjudged: turn.unjudged,
        state: StateReport {
            added: turn
                .change
                .added
                .iter()
                .map(|held| FactReport { fact: held.fact.clone(), by: (places.rule)(held.rule) })
                .collect(),
            removed: turn.change.removed.clone(),
            added_count: turn.change.added_count,
            removed_count: turn.change.removed_count,
        },
        stopped,
        compared: Vec::new(),
        findings: Vec::new(),
        checked: Vec::new(),
    }
}

fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::Whole | Stage::Stream => "P1",
        Stage::Fenced => "P2",
        Stage::EmbeddedRich | Stage::EmbeddedOther => "P3",
        Stage::Fallback => "P4",
    }
}

/// The report of an update.
#[must_use]
pub fn atom(entry: &AccountEntry) -> AtomReport {
    AtomReport {
        index: entry.index,
        text: entry.text.clone(),
        fate: entry.fate.word().to_owned(),
        why: entry.fate.to_string(),
        fact: entry.fate.fact(),
    }
}

fn effect(effect: Effect) -> String {
    match effect {
        Effect::Stored => "stored outside of the kernel".to_owned(),
        Effect::Forgot(0) => "there is nothing to forget".to_owned(),
        Effect::Forgot(count) => format!("{} taken away", super::counted(count, "fact")),
        Effect::Asserted => "asserted as `memory_operation`; nothing is stored or forgotten".to_owned(),
        Effect::Undeclared => "no effect: the policy does not declare `memory_operation`".to_owned(),
        Effect::Nothing => "nothing, to the kernel".to_owned(),
    }
}

fn verdict(verdict: &Verdict, places: &TurnPlaces<'_>) -> VerdictReport {
    VerdictReport {
        request: verdict.id.clone(),
        index: verdict.index,
        action: verdict.action.clone(),
        target: verdict.target.clone(),
        payload: verdict.payload.clone(),
        verdict: verdict.word().to_owned(),
        lock: verdict.lock.word().to_owned(),
        why: verdict.why.clone(),
        rule: verdict.rule.and_then(places.rule),
        store: verdict.store.map(str::to_owned),
        because: verdict.because.iter().filter_map(|proof| tree(proof, places)).collect(),
        why_not: verdict.why_not.iter().map(|miss| lack(miss, places)).collect(),
        rests_on: own(verdict),
        otherwise: verdict.reliance.denial.clone(),
    }
}

/// The facts of replies that a permission depends on.
fn own(verdict: &Verdict) -> Vec<ReplyFactReport> {
    let Reliance { granting: granted, overriding: lifted, .. } = &verdict.reliance;
    let all = |facts: &[(String, SessionOrigin)], does: &str| {
        let one = |(fact, origin): &(String, SessionOrigin)| ReplyFactReport {
            fact: fact.clone(),
            from: origin.to_string(),
            does: does.to_owned(),
        };
        facts.iter().map(one).collect::<Vec<_>>()
    };
    [all(granted, "grants"), all(lifted, "lifts")].concat()
}

fn lack(miss: &Miss, places: &TurnPlaces<'_>) -> ObstacleReport {
    let (literal, near) = match &miss.obstacle {
        Obstacle::Head { argument, has } => {
            (format!("argument {} of the head is {has}", argument + 1), Vec::new())
        }
        Obstacle::Premise { asked, near, .. } => (asked.clone(), near.clone()),
        Obstacle::Groups { near } => ("no group gives it".to_owned(), near.clone()),
        Obstacle::TooMany => ("too many combinations to look at all of them".to_owned(), Vec::new()),
    };
    let rule = (places.rule)(miss.rule).unwrap_or_else(|| "?".to_owned());
    ObstacleReport { rule, store: miss.store.map(str::to_owned), first_failing_literal: literal, near }
}

/// A proof as a tree. Repeated facts are not expanded again.
fn tree(proof: &Proof, places: &TurnPlaces<'_>) -> Option<ProofTree> {
    Unfolding { proof, places, shown: vec![false; proof.nodes.len()] }.node(0, 0)
}

struct Unfolding<'p> {
    proof: &'p Proof,
    places: &'p TurnPlaces<'p>,
    shown: Vec<bool>,
}

impl Unfolding<'_> {
    fn node(&mut self, at: usize, level: usize) -> Option<ProofTree> {
        let node = self.proof.nodes.get(at)?;
        let known = self.shown.get(at) == Some(&true);
        let rule = (self.places.rule)(node.rule);
        let (kind, by) = match (rule, node.steps.is_empty()) {
            _ if (known && !node.steps.is_empty()) || node.is_truncated || level >= MAX_DEPTH => {
                ("above", None)
            }
            (None, _) => ("session", (self.places.origin)(&node.fact).map(|origin| origin.to_string())),
            (Some(rule), true) => ("fact", Some(rule)),
            (Some(rule), false) => ("rule", Some(rule)),
        };
        let mut because = Vec::new();
        if kind == "rule" {
            self.shown.get_mut(at).into_iter().for_each(|shown| *shown = true);
            for step in &node.steps {
                because.extend(self.step(&step.ground, level + 1));
            }
        }
        Some(ProofTree { fact: node.fact.clone(), kind: kind.to_owned(), by, because })
    }

    fn step(&mut self, ground: &Ground, level: usize) -> Option<ProofTree> {
        let leaf = |fact: &str, kind: &str| {
            Some(ProofTree { fact: fact.to_owned(), kind: kind.to_owned(), by: None, because: Vec::new() })
        };
        match ground {
            Ground::Fact(at) => self.node(*at, level),
            Ground::Absent(fact) => leaf(fact, "absent"),
            Ground::Dropped(text) => leaf(text, "dropped"),
            Ground::Holds(text) => leaf(text, "holds"),
            Ground::Rows { first, count } => {
                let shown = first.iter().take(ROWS).filter_map(|row| self.node(*row, level + 1)).collect();
                let fact = format!("a group of {}", super::counted(*count, "row"));
                Some(ProofTree { fact, kind: "group".to_owned(), by: None, because: shown })
            }
        }
    }
}

/// A verdict for comparison: index, request, action, target, word, reason.
type ComparedVerdict = (Option<usize>, String, String, String, String, String);

/// The verdicts of a turn about the whole reply and its requests.
fn compared_verdicts(turn: &Turn) -> Vec<ComparedVerdict> {
    let verdicts = turn.envelope.iter().chain(&turn.verdicts);
    let compared = verdicts.map(|one| {
        let (word, why) = (one.word().to_owned(), one.why.clone());
        let target = match one.target.as_str() {
            "" | "unknown" => one.payload.clone(),
            target => target.to_owned(),
        };
        (one.index, one.id.clone(), one.action.clone(), target, word, why)
    });
    compared.collect()
}

impl VerdictComparison {
    /// The verdicts of a turn that differ under another policy or another version.
    #[must_use]
    pub fn compare(here: &Turn, there: &Turn) -> Vec<Self> {
        let empty = String::new();
        let (ours, theirs) = (compared_verdicts(here), compared_verdicts(there));
        let mut compared = Vec::new();
        for (index, request, action, target, word, _) in &ours {
            let other = theirs.iter().find(|other| other.0 == *index);
            // A reply without a verdict is permitted as a whole.
            let absent = if index.is_none() { "PERMIT" } else { NOT_READ };
            let (there, why) = other.map_or((absent, &empty), |other| (other.4.as_str(), &other.5));
            if there != word {
                compared.push(Self {
                    request: request.clone(),
                    action: action.clone(),
                    target: target.clone(),
                    here: word.clone(),
                    there: there.to_owned(),
                    why: why.clone(),
                });
            }
        }
        let only_there = theirs.iter().filter(|other| !ours.iter().any(|one| one.0 == other.0));
        compared.extend(only_there.map(|(index, request, action, target, word, why)| Self {
            request: request.clone(),
            action: action.clone(),
            target: target.clone(),
            here: if index.is_none() { "PERMIT" } else { NOT_READ }.to_owned(),
            there: word.clone(),
            why: why.clone(),
        }));
        compared
    }
}
