//! Cached replay verdicts of a transcript for editors. Compact, relative to records, and still
//! valid after an edit for records with unchanged bytes.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHasher;

use super::reasons::{ProofLine, RuleObstacle, cut, lacking, reasons};
use super::session::silence;
use crate::transcripts::{Comments, Entry, Records, TranscriptContext};
use agent_replay::{
    Authority, Constitution, Event, Replay, ReplayOptions, RequestPlace, SessionOrigin, Turn, Verdict,
    needs_gate, safety_notice,
};
use mangle_settings::Override;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{FileId, TextRange, TextSize};
use piggyback::transcript::{Record, RecordContent, TranscriptFinding};

/// Maximum duration of an automatic replay.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Maximum size in bytes of a transcript for automatic replays. Larger transcripts are replayed on
/// request.
pub const MAX_BYTES: usize = 16 << 20;

/// Maximum number of verdicts stored with reasons.
const MAX_REASONED: usize = 20_000;

/// Verdicts of a transcript.
#[derive(Debug)]
pub struct Verdicts {
    /// Records at the time of the replay, with hashes of their bytes.
    bodies: Vec<(Arc<RecordContent>, u64)>,
    /// Records with verdicts or findings, in order.
    records: Vec<RecordVerdicts>,
    /// First turn that was not replayed because of the time limit.
    pub cut_off: Option<u64>,
}

#[derive(Debug)]
pub struct RecordVerdicts {
    at: usize,
    pub turns: Vec<TurnVerdicts>,
    /// Findings in the record. Findings silenced by its members are removed.
    found: Vec<TranscriptFinding>,
}

/// Verdict of a reply. Ranges are relative to the start of its record.
#[derive(Debug)]
pub struct TurnVerdicts {
    /// Number of the answer, starting at 1.
    pub number: u64,
    /// Start of its envelope.
    pub place: TextRange,
    /// Denial of the whole reply, with its reason.
    pub denied: Option<RequestVerdict>,
    /// Set if the policy denies the whole reply. True if, as a consequence, none of its updates is
    /// asserted.
    pub denial: Option<bool>,
    /// Surface shown to the user, if the policy rewrites it.
    pub rewritten: Option<RewrittenSurface>,
    pub requests: Vec<RequestVerdict>,
}

/// A surface rewritten by the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewrittenSurface {
    /// The replacement, or the text shown above the surface.
    pub shown: String,
    pub is_replaced: bool,
    /// True if the runtime does not show the notice.
    pub is_hidden: bool,
}

#[derive(Debug)]
pub struct RequestVerdict {
    pub place: RequestPlace,
    /// Requested action, for example `/read_file`, truncated.
    pub action: String,
    /// Target of the action, for example `a.go`, otherwise its payload. Truncated.
    pub object: String,
    pub is_permitted: bool,
    pub lock: Authority,
    /// Reason, as one sentence without a full stop.
    pub why: String,
    /// Proof of the verdict.
    pub proof: Vec<ProofLine>,
    /// Missing premises of each rule that could permit the request.
    pub why_not: Vec<RuleObstacle>,
    /// Appeal that overrides the lists of the gate.
    pub appeal: Option<String>,
    /// Facts asserted by the model itself that the permission depends on, with their origin.
    pub self_asserted: Vec<(String, String)>,
    /// Facts from replies that override a denial, with their origin.
    pub overridden_denials: Vec<(String, String)>,
    /// Reason for a denial if these facts were missing.
    pub denial: Option<String>,
}

impl Verdicts {
    /// Replays a transcript. `None` if cancelled.
    #[must_use]
    pub fn replay(
        records: &Records,
        constitution: &Constitution,
        judge: TranscriptContext<'_>,
        options: ReplayOptions<'_>,
    ) -> Option<Self> {
        let text = records.text().as_bytes();
        let judges = constitution.has_verdicts();
        let options = ReplayOptions { end: Some(Instant::now() + TIME_LIMIT), ..options };
        let mut replay = Replay::new(constitution, options);
        let (mut said, mut reasoned) = (Vec::new(), 0);
        for (at, entry) in records.transcript().entries().iter().enumerate() {
            if options.cancel.is_cancelled() {
                return None;
            }
            if replay.is_done() {
                break;
            }
            let record = entry.record(text);
            let (mut turns, mut found) = in_record(&mut replay, &record, constitution, judges, &mut reasoned);
            if let Some(cut_off) = replay.cut_off() {
                turns.retain(|turn| turn.number < cut_off);
                found.retain(|(turn, _)| *turn < cut_off);
            }
            let found = kept(&record, found, judge, judges);
            if !turns.is_empty() || !found.is_empty() {
                said.push(RecordVerdicts { at, turns, found });
            }
        }
        let known = |entry: &Entry| (Arc::clone(&entry.body), of_bytes(records, entry));
        let bodies = records.list().iter().map(known).collect();
        (!options.cancel.is_cancelled()).then_some(Self { bodies, records: said, cut_off: replay.cut_off() })
    }

    /// Maps the verdicts to the current indexes of unchanged records.
    #[must_use]
    pub fn in_records(self: &Arc<Self>, records: &Records) -> TranscriptVerdicts {
        let (old, new) = (&self.bodies, records.list());
        let is_same = |((old, bytes), new): &(&(Arc<RecordContent>, u64), &Entry)| {
            Arc::ptr_eq(old, &new.body) || old.len == new.body.len && *bytes == of_bytes(records, new)
        };
        let before = old.iter().zip(new).take_while(is_same).count();
        let rests = old.iter().skip(before).rev().zip(new.iter().skip(before).rev());
        let behind = rests.take_while(is_same).count();
        let there = |at: usize| match at {
            at if at < before => Some(at),
            at => (new.len() + at).checked_sub(old.len()).filter(|_| old.len() - at <= behind),
        };
        let known = self.records.iter().enumerate();
        let known = known.filter_map(|(index, record)| Some((there(record.at)?, index))).collect();
        TranscriptVerdicts { verdicts: Arc::clone(self), known }
    }
}

fn of_bytes(records: &Records, entry: &Entry) -> u64 {
    let mut hasher = FxHasher::default();
    records.bytes(entry).hash(&mut hasher);
    hasher.finish()
}

/// Returns the findings of a record that its members do not silence. Findings that require a gate
/// are omitted if the policy gives no verdicts about replies.
fn kept(
    record: &Record<'_>,
    mut found: Vec<(u64, TranscriptFinding)>,
    judge: TranscriptContext<'_>,
    judges: bool,
) -> Vec<TranscriptFinding> {
    found.retain(|(_, one)| judges || !needs_gate(one.finding.rule));
    silence(record, judge.context.settings, judge.rules, &Comments::default(), &mut found);
    found.into_iter().map(|(_, one)| one).collect()
}

fn in_record(
    replay: &mut Replay<'_>,
    record: &Record<'_>,
    constitution: &Constitution,
    judges: bool,
    reasoned: &mut usize,
) -> (Vec<TurnVerdicts>, Vec<(u64, TranscriptFinding)>) {
    let (mut turns, mut found) = (Vec::new(), Vec::new());
    replay.record(record, &mut |replay, event| match event {
        Event::Turn(turn) => {
            *reasoned += turn.verdicts.len();
            let is_reasoned = *reasoned <= MAX_REASONED;
            turns.push(judged_turn(&turn, replay, constitution, judges, is_reasoned));
        }
        Event::Found { turn, found: one } => found.push((turn, *one)),
    });
    (turns, found)
}

/// Returns the verdicts of a turn. If `judges` is false, the policy gives no verdicts about
/// replies. If `is_reasoned` is set, verdicts include their proofs.
#[must_use]
pub fn judged_turn(
    turn: &Turn,
    replay: &Replay<'_>,
    constitution: &Constitution,
    judges: bool,
    is_reasoned: bool,
) -> TurnVerdicts {
    let origin = |fact: &str| replay.origin(fact);
    let judged = |verdict: &Verdict, place: RequestPlace| {
        let Verdict { because, why_not, reliance, .. } = verdict;
        let own = |facts: &[(String, SessionOrigin)]| {
            facts.iter().map(|(fact, origin)| (cut(fact), origin.to_string())).collect()
        };
        let object = match verdict.target.as_str() {
            "" | "unknown" => &verdict.payload,
            target => target,
        };
        RequestVerdict {
            place,
            action: cut(&verdict.action),
            object: cut(object),
            is_permitted: verdict.is_permitted,
            lock: verdict.lock,
            why: cut(&verdict.why),
            proof: if is_reasoned { reasons(because, constitution, &origin) } else { Vec::new() },
            why_not: if is_reasoned { lacking(why_not, constitution) } else { Vec::new() },
            appeal: verdict.appeal.as_deref().map(cut),
            self_asserted: own(&reliance.granting),
            overridden_denials: own(&reliance.overriding),
            denial: reliance.denial.as_deref().map(cut),
        }
    };
    let requests = turn.verdicts.iter().filter(|_| judges);
    let requests = requests.filter_map(|verdict| Some(judged(verdict, verdict.place?))).collect();
    let whole = RequestPlace { name: turn.place, whole: turn.place };
    let denied = turn.envelope.as_ref().filter(|_| judges).map(|verdict| judged(verdict, whole));
    let is_replaced = constitution.settings.style == Override::Replace;
    let denial = turn.envelope.as_ref().map(|_| is_replaced);
    let rewritten = turn.rewritten.as_ref().map(|rewrite| RewrittenSurface {
        shown: cut(rewrite.shown.strip_suffix(&turn.surface).unwrap_or(&rewrite.shown).trim_end()),
        is_replaced: rewrite.is_replaced,
        is_hidden: false,
    });
    let hidden = turn.hidden_notice.as_ref().map(|reason| RewrittenSurface {
        shown: cut(&safety_notice(reason)),
        is_replaced: false,
        is_hidden: true,
    });
    let rewritten = rewritten.or(hidden);
    TurnVerdicts { number: turn.number, place: turn.place, denied, denial, rewritten, requests }
}

/// Verdicts mapped to the current records of a transcript.
#[derive(Debug)]
pub struct TranscriptVerdicts {
    verdicts: Arc<Verdicts>,
    /// Pairs of a record index and an index in the verdicts.
    known: Vec<(usize, usize)>,
}

impl TranscriptVerdicts {
    /// Returns the verdicts of records in an index range, with the record indexes.
    pub fn within(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = (usize, &RecordVerdicts)> {
        let first = self.known.partition_point(|(at, _)| *at < range.start);
        let rest = self.known.get(first..).unwrap_or_default().iter();
        let rest = rest.take_while(move |(at, _)| *at < range.end);
        rest.filter_map(|(at, index)| Some((*at, self.verdicts.records.get(*index)?)))
    }

    /// Returns all verdicts with the record indexes.
    pub fn all(&self) -> impl Iterator<Item = (usize, &RecordVerdicts)> {
        self.within(0..usize::MAX)
    }

    /// Hash of the visible contents.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for (at, said) in self.all() {
            for one in said.turns.iter().flat_map(|turn| turn.requests.iter().chain(&turn.denied)) {
                (at, one.place.name, one.label(), &one.why).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// First turn that was not replayed because of the time limit.
    #[must_use]
    pub fn cut_off(&self) -> Option<u64> {
        self.verdicts.cut_off
    }

    /// Returns the diagnostics that comments do not silence, sorted by start.
    #[must_use]
    pub fn diagnostics(
        &self,
        file: FileId,
        records: &Records,
        judge: TranscriptContext<'_>,
    ) -> Vec<Diagnostic> {
        let comments = Comments::in_container(records.text().as_bytes(), records.transcript().container());
        let mut all = Vec::new();
        for (at, said) in self.all() {
            let Some(entry) = records.list().get(at).filter(|_| !said.found.is_empty()) else { continue };
            let placed = said.found.iter().filter_map(|one| judge.diagnostic(one.clone(), file, entry.start));
            all.extend(placed.filter(|one| !comments.silence(one.rule, u32::from(one.range.start()).into())));
        }
        all.sort_by_key(|one| (one.range.start(), one.range.end()));
        all
    }

    /// Returns the denial of the reply at a range of a record, if any. True if none of its updates
    /// is asserted.
    #[must_use]
    pub fn denial(&self, records: &Records, entry: &Entry, range: TextRange) -> Option<bool> {
        let at = records.list().partition_point(|other| other.start < entry.start);
        let turns = self.within(at..at + 1).flat_map(|(_, said)| &said.turns);
        turns.filter(|turn| range.contains_range(turn.place)).find_map(|turn| turn.denial)
    }

    /// Returns the request at an offset of the file, with its range.
    #[must_use]
    pub fn at(&self, records: &Records, offset: TextSize) -> Option<(&RequestVerdict, TextRange)> {
        let here = records.list().partition_point(|entry| entry.range().end() < offset);
        self.within(here..here + 2).find_map(|(at, said)| {
            let start = records.list().get(at)?.start;
            let requests = said.turns.iter().flat_map(|turn| turn.requests.iter().chain(&turn.denied));
            let mut here = requests.filter(|one| (one.place.whole + start).contains_inclusive(offset));
            here.next().map(|one| (one, one.place.whole + start))
        })
    }
}
