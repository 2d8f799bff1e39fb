//! What a replay says of the requests of a transcript, kept for an editor: small, placed in its records, and still known
//! after an edit for the records whose bytes are the same.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHasher;

use super::reasons::{ProofLine, RuleObstacle, cut, lacking, reasons};
use super::silence::silence;
use crate::ide::transcripts::{Comments, Entry, Judge, Records};
use agent_replay::{
    Constitution, Event, Lock, Replay, ReplayOptions, RequestPlace, SessionOrigin, Turn, Verdict, needs_gate,
    safety_notice,
};
use mangle_settings::Override;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{FileId, TextRange, TextSize};
use piggyback::transcript::{Body, Record, TranscriptFinding};

/// How long a replay may take that nobody asked for.
const LONGEST: Duration = Duration::from_secs(10);

/// Transcripts with more bytes are replayed on request only.
pub const MOST_BYTES: usize = 16 << 20;

/// How many verdicts are kept with their reasons.
const MOST_REASONED: usize = 20_000;

/// What a replay says of a transcript.
#[derive(Debug)]
pub struct Verdicts {
    /// The records of the transcript when it was replayed, and numbers that differ when their bytes do.
    bodies: Vec<(Arc<Body>, u64)>,
    /// Those of which there is something to say, in their order.
    records: Vec<RecordVerdicts>,
    /// The first turn that was not replayed, because it took too long.
    pub cut_off: Option<u64>,
}

/// What a replay says of a record.
#[derive(Debug)]
pub struct RecordVerdicts {
    at: usize,
    pub turns: Vec<TurnVerdicts>,
    /// What is found in it, less what members of it silence.
    found: Vec<TranscriptFinding>,
}

/// A reply that was judged. Ranges count from the start of its record.
#[derive(Debug)]
pub struct TurnVerdicts {
    /// The number of the answer, from 1 on.
    pub number: u64,
    /// Where its envelope begins.
    pub place: TextRange,
    /// Why the whole of it is denied, if it is.
    pub denied: Option<RequestVerdict>,
    /// Whether the policy denies the whole of it, and if so, whether nothing of it is asserted therefore.
    pub denial: Option<bool>,
    /// What the user sees of its surface, where the policy rewrites that.
    pub rewritten: Option<RewrittenSurface>,
    pub requests: Vec<RequestVerdict>,
}

/// What the user sees of a surface that the policy rewrites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewrittenSurface {
    /// The whole of it where it is replaced, else what is put above the surface.
    pub shown: String,
    pub is_replaced: bool,
    /// True if the runtime does not show the notice.
    pub is_hidden: bool,
}

/// A request that was judged.
#[derive(Debug)]
pub struct RequestVerdict {
    pub place: RequestPlace,
    /// What is asked for: `/read_file` and `a.go`, each cut.
    pub action: String,
    /// To what; else how.
    pub object: String,
    /// Whether it is permitted.
    pub is_permitted: bool,
    pub lock: Lock,
    /// Why, in one sentence without its full stop.
    pub why: String,
    /// What it follows from.
    pub because: Vec<ProofLine>,
    /// What each rule lacks that could have permitted it.
    pub why_not: Vec<RuleObstacle>,
    /// The appeal for which the gate's own lists did not count.
    pub appeal: Option<String>,
    /// Facts that the model asserted itself, and that a permission rests on.
    pub granted: Vec<(String, String)>,
    /// Facts of the replies that lift what would deny the request.
    pub lifted: Vec<(String, String)>,
    /// Why it would be denied without these.
    pub denial: Option<String>,
}

impl Verdicts {
    /// Replays a transcript. `None` when the cancellation of the options was raised meanwhile.
    #[must_use]
    pub fn of(
        records: &Records,
        constitution: &Constitution,
        judge: Judge<'_>,
        options: ReplayOptions<'_>,
    ) -> Option<Self> {
        let text = records.text().as_bytes();
        let judges = constitution.judges();
        let options = ReplayOptions { end: Some(Instant::now() + LONGEST), ..options };
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
            let (mut turns, mut found) =
                in_record(&mut replay, &record, (constitution, judges), &mut reasoned);
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

    /// What is said of the records that are still there, by their index.
    #[must_use]
    pub fn in_records(self: &Arc<Self>, records: &Records) -> TranscriptVerdicts {
        let (old, new) = (&self.bodies, records.list());
        let is_same = |((old, bytes), new): &(&(Arc<Body>, u64), &Entry)| {
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

/// What is found in a record, less what it silences itself; without verdicts where nothing is permitted by anybody.
fn kept(
    record: &Record<'_>,
    mut found: Vec<(u64, TranscriptFinding)>,
    judge: Judge<'_>,
    judges: bool,
) -> Vec<TranscriptFinding> {
    found.retain(|(_, one)| judges || !needs_gate(one.finding.rule));
    silence(record, judge.context.settings, judge.rules, &Comments::default(), &mut found);
    found.into_iter().map(|(_, one)| one).collect()
}

fn in_record(
    replay: &mut Replay<'_>,
    record: &Record<'_>,
    (constitution, judges): (&Constitution, bool),
    reasoned: &mut usize,
) -> (Vec<TurnVerdicts>, Vec<(u64, TranscriptFinding)>) {
    let (mut turns, mut found) = (Vec::new(), Vec::new());
    replay.record(record, &mut |replay, event| match event {
        Event::Turn(turn) => {
            *reasoned += turn.verdicts.len();
            let is_reasoned = *reasoned <= MOST_REASONED;
            turns.push(judged_turn(&turn, replay, constitution, (judges, is_reasoned)));
        }
        Event::Found { turn, found: one } => found.push((turn, *one)),
    });
    (turns, found)
}

/// What a replay says of a turn. `judges`: the policy permits something, so that its denials count; `is_reasoned`: verdicts are
/// kept with what they follow from.
#[must_use]
pub fn judged_turn(
    turn: &Turn,
    replay: &Replay<'_>,
    constitution: &Constitution,
    (judges, is_reasoned): (bool, bool),
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
            because: if is_reasoned { reasons(because, constitution, &origin) } else { Vec::new() },
            why_not: if is_reasoned { lacking(why_not, constitution) } else { Vec::new() },
            appeal: verdict.appeal.as_deref().map(cut),
            granted: own(&reliance.granted),
            lifted: own(&reliance.lifted),
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

/// What a replay says of the records of a transcript as it is by now.
#[derive(Debug)]
pub struct TranscriptVerdicts {
    verdicts: Arc<Verdicts>,
    /// The indices of records, with those of what is said of them.
    known: Vec<(usize, usize)>,
}

impl TranscriptVerdicts {
    /// What is said of records in a range of indices, with their indices.
    pub fn within(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = (usize, &RecordVerdicts)> {
        let first = self.known.partition_point(|(at, _)| *at < range.start);
        let rest = self.known.get(first..).unwrap_or_default().iter();
        let rest = rest.take_while(move |(at, _)| *at < range.end);
        rest.filter_map(|(at, index)| Some((*at, self.verdicts.records.get(*index)?)))
    }

    /// All that is said.
    pub fn all(&self) -> impl Iterator<Item = (usize, &RecordVerdicts)> {
        self.within(0..usize::MAX)
    }

    /// A number that changes with what is shown of it.
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

    /// The first turn that was not replayed, because it took too long.
    #[must_use]
    pub fn cut_off(&self) -> Option<u64> {
        self.verdicts.cut_off
    }

    /// What is found, in its places, less what comments silence; sorted by start.
    #[must_use]
    pub fn diagnostics(&self, file: FileId, records: &Records, judge: Judge<'_>) -> Vec<Diagnostic> {
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

    /// Whether the policy denies the whole reply at a range of a record, and if so, whether nothing of it is asserted
    /// therefore.
    #[must_use]
    pub fn denial(&self, records: &Records, entry: &Entry, range: TextRange) -> Option<bool> {
        let at = records.list().partition_point(|other| other.start < entry.start);
        let turns = self.within(at..at + 1).flat_map(|(_, said)| &said.turns);
        turns.filter(|turn| range.contains_range(turn.place)).find_map(|turn| turn.denial)
    }

    /// The request at an offset of the file, and all of where it stands.
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
