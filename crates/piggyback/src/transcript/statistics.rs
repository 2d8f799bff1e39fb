//! Statistics of a transcript, as plain data: parse results, fate of the updates, and compression
//! ratio.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::labels::{Labels, RecordNames};
use super::placement::TranscriptFinding;
use super::session::MAX_TRACKED;
use super::tokens;
use super::turn::{Record, TextKind, Turn, TurnRole};
use super::words::hash;
use crate::envelope::account::{AccountEntry, Filters, Tally, UpdateFate};
use crate::envelope::atoms::Declarations;
use crate::envelope::runtime::{AcceptedEnvelope, DecodeFailure, ReadUpdate, RuntimeFact, Stage, Value};
use crate::envelope::{CONTROL_LEAK, Reply};
use mangle_settings::{Profile, TranscriptSettings};
use mangle_syntax::text::{TextRange, size};

/// Placeholder for an update without a predicate. No predicate has this name.
const NAMELESS: &str = "(no predicate)";

/// Maximum number of distinct words in a table. Further words are counted as [`OTHERS`].
const MAX_WORDS: usize = 200;

/// Placeholder for words beyond `MAX_WORDS`.
pub const OTHERS: &str = "(others)";

/// Number of characters per token.
const CHARACTERS: usize = 4;

/// Code of the rule about updates with syntax errors.
const ATOM_SYNTAX: &str = "PB202";

/// Maximum number of groups by shard, model and version. Further groups are merged into one without
/// labels.
const MAX_GROUPS: usize = 200;

/// Counters for a transcript. Counters only grow.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    /// Number of turns of the model.
    pub answers: u64,
    /// Number of turns of the user.
    pub prompts: u64,
    /// Replies by the runtime's name for the stage that read them; `error` if none did.
    pub methods: BTreeMap<&'static str, u64>,
    /// Replies that could not be decoded directly, by the stage that finally read them.
    pub parse_errors: BTreeMap<&'static str, u64>,
    /// Updates by their fate.
    pub atoms: Tally,
    /// A sentence about checks that were not applied to updates, if any.
    pub not_judged: Option<&'static str>,
    /// Updates with syntax errors, by predicate.
    pub syntax_errors: BTreeMap<String, u64>,
    /// Replies and actions that the policy (constitution) blocked, by lock and action. `None` if no
    /// policy was replayed.
    pub blocks: Option<BTreeMap<(&'static str, String), u64>>,
    /// Memory operations within the caps, by operation.
    pub memory: BTreeMap<String, u64>,
    /// Number of replies with a triggered `self_correction`.
    pub self_corrections: u64,
    /// Number of acceptable envelopes in addition to the accepted one.
    pub decoys: u64,
    /// Number of replies that show their control packet to the user.
    pub leaks: u64,
    /// Number of replies that were sent back.
    pub repair_rounds: u64,
    /// Findings by rule code.
    pub diagnostics: BTreeMap<&'static str, u64>,
    /// Compression of the text by updates.
    pub compression: Compression,
    /// Statistics per shard, model and version. The nested statistics have no groups.
    pub groups: BTreeMap<Labels, Statistics>,
}

/// Sizes of all turns, in tokens as estimated by the runtime.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compression {
    /// Text of the user and of the model.
    pub original: u64,
    /// Size that the runtime counts as kept: facts plus the text of the updates.
    pub kept_by_runtime: u64,
    /// Text of the kept updates.
    pub kept_as_atoms: u64,
    /// Target ratio, if configured.
    pub target: Option<f64>,
    /// Facts that hold after the last turn.
    facts: Facts,
    /// Like `facts`, but only the newest fact per predicate and first argument.
    latest: Facts,
}

/// Facts that hold. For each predicate, maps the hash of a fact to its length in characters.
#[derive(Debug, Clone, Default, PartialEq)]
struct Facts {
    by_predicate: FxHashMap<u64, FxHashMap<u64, usize>>,
    count: usize,
    characters: usize,
}

/// Sizes of one turn, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TurnSize {
    /// Text of the user since the last answer, and of the model.
    pub original: u64,
    /// Size that the runtime counts as kept.
    pub kept_by_runtime: u64,
    /// Text of the kept updates.
    pub kept_as_atoms: u64,
    /// Facts that hold after the turn.
    pub state: u64,
}

impl Facts {
    fn insert(&mut self, key: u64, predicate: u64, characters: usize) {
        self.characters += characters;
        let is_known = || self.by_predicate.get(&predicate).is_some_and(|of_it| of_it.contains_key(&key));
        if self.count >= MAX_TRACKED && !is_known() {
            // Facts beyond the limit are not stored, so repetitions are counted again.
            return;
        }
        match self.by_predicate.entry(predicate).or_default().insert(key, characters) {
            Some(before) => self.characters -= before,
            None => self.count += 1,
        }
    }

    /// Removes all facts of a predicate. The total cost is bounded by the insertions, even if a
    /// session forgets at every turn.
    fn forget(&mut self, predicate: u64) {
        let gone = self.by_predicate.remove(&predicate).unwrap_or_default();
        self.count -= gone.len();
        self.characters -= gone.values().sum::<usize>();
    }

    fn tokens(&self) -> u64 {
        (self.characters / CHARACTERS) as u64
    }
}

impl Compression {
    /// Returns the tokens of the facts that hold after the last turn. If `latest` is true, counts
    /// only the newest fact per predicate and first argument.
    #[must_use]
    pub fn state(&self, latest: bool) -> u64 {
        if latest { self.latest.tokens() } else { self.facts.tokens() }
    }

    /// Ratio of the text to the size that the runtime counts as kept; 1 if nothing is kept.
    #[must_use]
    pub fn runtime_ratio(&self) -> f64 {
        ratio(self.original, self.kept_by_runtime)
    }

    /// Ratio of the text to the text of the updates; 1 if there are none.
    #[must_use]
    pub fn atoms_ratio(&self) -> f64 {
        ratio(self.original, self.kept_as_atoms)
    }

    /// Ratio of the text to the facts that hold at the end; 1 if there are none. The target applies
    /// to this ratio.
    #[must_use]
    pub fn headline(&self, latest: bool) -> f64 {
        ratio(self.original, self.state(latest))
    }

    /// True if the ratio reaches the target; `None` without a target.
    #[must_use]
    pub fn is_target_met(&self, latest: bool) -> Option<bool> {
        self.target.map(|target| self.headline(latest) >= target)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio is shown with few digits")]
fn ratio(original: u64, kept: u64) -> f64 {
    if kept == 0 { 1.0 } else { original as f64 / kept as f64 }
}

/// A reply with the fate of its updates and its protocol version.
#[derive(Debug, Clone, Copy)]
pub struct ReplyAccount<'r> {
    /// The reply, with all its objects.
    pub reply: &'r Reply<'r>,
    /// Fate of the updates.
    pub account: &'r [AccountEntry],
    /// Protocol version that the reply is checked against.
    pub profile: Profile,
}

/// A text or action that the policy blocked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Blocking stage: `1`, `2` or `gate`.
    pub lock: &'static str,
    /// The action; `surface` for a rewritten surface, `reply` for a whole reply.
    pub action: String,
    /// Position in the reply, in bytes of its record.
    pub place: TextRange,
}

/// Counts statistics while a transcript is read.
#[derive(Debug)]
pub struct StatisticsCounter<'a> {
    settings: &'a TranscriptSettings,
    declarations: Option<&'a Declarations>,
    whole: Count<'a>,
    groups: BTreeMap<Labels, Count<'a>>,
    record: RecordCounts,
}

/// Turns of the current record.
#[derive(Debug, Default)]
struct RecordCounts {
    /// Offset of the record in the file.
    start: u64,
    turns: Vec<TurnCounts>,
}

/// A counted turn of the model.
#[derive(Debug)]
struct TurnCounts {
    /// Range in the record.
    place: TextRange,
    labels: Labels,
    updates: Vec<(usize, String)>,
}

impl<'a> StatisticsCounter<'a> {
    /// Creates a counter for one file. Updates are checked against the declarations of a policy, if
    /// given.
    #[must_use]
    pub fn new(settings: &'a TranscriptSettings, declarations: Option<&'a Declarations>) -> Self {
        let whole = Count::new(settings, declarations);
        Self { settings, declarations, whole, groups: BTreeMap::new(), record: RecordCounts::default() }
    }

    /// Begins a record.
    pub fn record(&mut self, record: &Record<'_>) {
        self.record = RecordCounts { start: record.start, turns: Vec::new() };
    }

    /// Counts a turn of the record. `answered` is the parsed reply, if the turn is one. Returns the
    /// sizes of an answer.
    pub fn turn(
        &mut self,
        record: &Record<'_>,
        names: &RecordNames,
        turn: &Turn,
        answered: Option<ReplyAccount<'_>>,
    ) -> Option<TurnSize> {
        let reply = answered.map(|answer| (answer.reply, answer.account));
        let size = self.whole.turn(record, turn, reply);
        if answered.is_some() || matches!(turn.kind, TextKind::Surface | TextKind::Atom) {
            let labels =
                Labels::from_turn(names, turn, answered.map(|answer| (answer.reply, answer.profile)));
            self.group(&labels).turn(record, turn, reply);
            let updates = match answered {
                Some(answer) => {
                    answer.account.iter().filter_map(|one| Some((one.index?, one.text.clone()))).collect()
                }
                None => vec![(0, String::from_utf8_lossy(turn.text(record.bytes)).into_owned())],
            };
            let place = turn.place(TextRange::up_to(self::size(turn.len())));
            self.record.turns.push(TurnCounts { place, labels, updates });
        }
        size
    }

    fn group(&mut self, labels: &Labels) -> &mut Count<'a> {
        let is_known = self.groups.contains_key(labels) || self.groups.len() < MAX_GROUPS;
        let labels = if is_known { labels.clone() } else { Labels::default() };
        let (settings, declarations) = (self.settings, self.declarations);
        self.groups.entry(labels).or_insert_with(|| Count::new(settings, declarations))
    }

    /// Returns the turn of the record at a position.
    fn turn_at(&self, place: TextRange) -> Option<&TurnCounts> {
        self.record.turns.iter().find(|turn| turn.place.contains_inclusive(place.start()))
    }

    /// Counts a finding about the record or the whole file. Returns the labels of its group.
    pub fn count_finding(&mut self, one: &TranscriptFinding) -> Labels {
        let is_here = one.start == self.record.start;
        let turn = self.turn_at(one.finding.range).filter(|_| is_here);
        let (labels, update) = match turn {
            Some(turn) => (turn.labels.clone(), turn.update(&one.address.path)),
            // A finding about the whole file belongs to a group only if there is a single group.
            None => (self.only_group(), String::new()),
        };
        self.whole.count_finding(one, &update);
        self.group(&labels).count_finding(one, &update);
        labels
    }

    fn only_group(&self) -> Labels {
        let mut groups = self.groups.keys();
        groups.next().filter(|_| groups.next().is_none()).cloned().unwrap_or_default()
    }

    /// Enables the count of blocked actions, because a policy is replayed.
    pub fn replay(&mut self) {
        self.whole.statistics.blocks.get_or_insert_default();
    }

    /// Counts a blocked text or action of the record. Returns the labels of its group.
    pub fn count_block(&mut self, block: &Block) -> Labels {
        let labels = self.turn_at(block.place).map(|turn| turn.labels.clone()).unwrap_or_default();
        self.whole.count_block(block);
        self.group(&labels).count_block(block);
        labels
    }

    /// The labels of the last answer of the record.
    #[must_use]
    pub fn labels(&self) -> Labels {
        self.record.turns.last().map(|turn| turn.labels.clone()).unwrap_or_default()
    }

    /// Returns the tokens of the facts that hold so far. If `latest` is true, counts only the
    /// newest fact per predicate and first argument.
    #[must_use]
    pub fn state(&self, latest: bool) -> u64 {
        self.whole.statistics.compression.state(latest)
    }

    /// Returns the statistics. `repair_rounds` comes from the check of the same file.
    #[must_use]
    pub fn finish(self, repair_rounds: u64) -> Statistics {
        let groups = self.groups.into_iter().map(|(labels, count)| (labels, count.statistics)).collect();
        Statistics { repair_rounds, groups, ..self.whole.statistics }
    }
}

impl TurnCounts {
    /// Returns the update at a path; the first update if the path does not select one.
    fn update(&self, path: &[String]) -> String {
        let index = path.last().and_then(|pointer| pointer.rsplit_once('/')?.1.parse().ok());
        let found = self.updates.iter().find(|(at, _)| Some(*at) == index);
        found.or(self.updates.first()).map(|(_, text)| text.clone()).unwrap_or_default()
    }
}

/// Statistics of a file, or of one group of its turns.
#[derive(Debug)]
struct Count<'a> {
    statistics: Statistics,
    filters: Filters<'a>,
    /// Number of updates without an envelope since the last answer.
    loose: usize,
    /// Tokens of the user since the last answer.
    asked: u64,
}

impl<'a> Count<'a> {
    fn new(settings: &'a TranscriptSettings, declarations: Option<&'a Declarations>) -> Self {
        let filters = Filters::new(settings, declarations);
        let compression = Compression { target: settings.compression_target(), ..Compression::default() };
        let not_judged = filters.not_judged();
        let statistics = Statistics { compression, not_judged, ..Statistics::default() };
        Self { statistics, filters, loose: 0, asked: 0 }
    }

    /// Counts a turn. `reply` is the parsed reply and the fate of its updates, if the turn is one.
    /// Returns the sizes of an answer.
    fn turn(
        &mut self,
        record: &Record<'_>,
        turn: &Turn,
        reply: Option<(&Reply<'_>, &[AccountEntry])>,
    ) -> Option<TurnSize> {
        if let Some((reply, account)) = reply {
            return Some(self.reply(reply, account));
        }
        let said = turn.text(record.bytes);
        match (turn.role, turn.kind) {
            (TurnRole::User, TextKind::Prompt) => {
                self.statistics.prompts += 1;
                self.asked += tokens::bytes(said) as u64;
                None
            }
            (_, TextKind::Atom) => {
                self.count_loose_update(&String::from_utf8_lossy(said));
                None
            }
            (_, TextKind::Surface) => {
                self.loose = 0;
                let original = std::mem::take(&mut self.asked) + tokens::bytes(said) as u64;
                self.statistics.answers += 1;
                self.statistics.compression.original += original;
                Some(TurnSize {
                    original,
                    state: self.statistics.compression.state(false),
                    ..TurnSize::default()
                })
            }
            _ => None,
        }
    }

    fn reply(&mut self, reply: &Reply<'_>, account: &[AccountEntry]) -> TurnSize {
        let statistics = &mut self.statistics;
        statistics.answers += 1;
        let method = reply.reading.as_ref().map_or("error", |reading| reading.stage.method());
        *statistics.methods.entry(method).or_default() += 1;
        if let Some(stage) = parse_error(reply) {
            *statistics.parse_errors.entry(stage).or_default() += 1;
        }
        let acceptable = reply.objects.iter().filter(|object| object.is_acceptable()).count();
        statistics.decoys += acceptable.saturating_sub(1) as u64;
        let surface = reply.reading.as_ref().map_or(reply.raw, |reading| reading.visible_text());
        let mut size = TurnSize {
            original: std::mem::take(&mut self.asked) + tokens::bytes(surface) as u64,
            ..TurnSize::default()
        };
        if let Some(picked) = reply.reading.as_ref().ok().and_then(|reading| reading.accepted.as_ref()) {
            self.envelope(picked, account, &mut size);
        }
        let compression = &mut self.statistics.compression;
        compression.original += size.original;
        compression.kept_by_runtime += size.kept_by_runtime;
        compression.kept_as_atoms += size.kept_as_atoms;
        size.state = compression.state(false);
        size
    }

    /// Counts an update without an envelope, from a tracer or a log.
    fn count_loose_update(&mut self, update: &str) {
        let index = self.loose;
        self.loose += 1;
        let fate = self.filters.standalone_fate(update, index);
        if let Some(facts) = self.update(update, &fate) {
            let compression = &mut self.statistics.compression;
            compression.kept_as_atoms += tokens::text(update) as u64;
            compression.kept_by_runtime += (facts + tokens::text(update)) as u64;
        }
    }

    /// Counts an update. Returns the cost of its fact if the fact is kept.
    fn update(&mut self, update: &str, fate: &UpdateFate) -> Option<usize> {
        let statistics = &mut self.statistics;
        statistics.atoms.add(fate);
        let read = ReadUpdate::new(update, self.filters.runtime());
        let fact = read.fact().filter(|_| fate.is_kept())?;
        statistics.compression.insert_fact(fact, update);
        Some(tokens::fact(fact))
    }

    fn envelope(&mut self, picked: &AcceptedEnvelope, account: &[AccountEntry], size: &mut TurnSize) {
        let statistics = &mut self.statistics;
        let packet = &picked.packet;
        statistics.self_corrections +=
            u64::from(packet.self_correction.as_ref().is_some_and(|correction| correction.triggered));
        let (mut facts, mut accepted) = (tokens::intent(&packet.intent), Vec::new());
        for AccountEntry { text, fate, .. } in account {
            if let Some(cost) = self.update(text, fate) {
                facts += cost;
                accepted.push(text.as_str());
            }
        }
        let statistics = &mut self.statistics;
        for operation in packet.memory.as_slice() {
            add(&mut statistics.memory, &operation.op);
            if operation.op == "forget" {
                let predicate = hash(operation.key.as_str());
                statistics.compression.facts.forget(predicate);
                statistics.compression.latest.forget(predicate);
            }
        }
        let characters: usize = accepted.iter().map(|update| update.chars().count() + 1).sum();
        size.kept_as_atoms = (characters.saturating_sub(1) / CHARACTERS) as u64;
        size.kept_by_runtime = tokens::turn(facts, accepted) as u64;
    }

    /// Counts a finding. `update` is the text of the related update, or empty.
    fn count_finding(&mut self, found: &TranscriptFinding, update: &str) {
        let (statistics, rule) = (&mut self.statistics, found.finding.rule);
        *statistics.diagnostics.entry(rule.code).or_default() += 1;
        statistics.leaks += u64::from(rule == &CONTROL_LEAK);
        if rule.code == ATOM_SYNTAX {
            let predicate = update.trim().split('(').next().unwrap_or("").trim();
            // A truncated update may end before the name.
            add(&mut statistics.syntax_errors, if predicate.is_empty() { NAMELESS } else { predicate });
        }
    }

    fn count_block(&mut self, block: &Block) {
        let blocks = self.statistics.blocks.get_or_insert_default();
        let is_known = blocks.len() < MAX_WORDS;
        let action = if is_known { block.action.chars().take(80).collect() } else { OTHERS.to_owned() };
        *blocks.entry((block.lock, action)).or_default() += 1;
    }
}

impl Compression {
    fn insert_fact(&mut self, fact: &RuntimeFact, update: &str) {
        let stored = fact.runtime_text();
        let predicate = hash(fact.predicate.as_str());
        let characters = update.trim().chars().count() + 1;
        self.facts.insert(hash(&stored), predicate, characters);
        let subject = match fact.args.first() {
            Some(Value::Text(text)) => hash((&fact.predicate, text)),
            Some(Value::Number(number)) => hash((&fact.predicate, number)),
            Some(Value::Float(bits)) => hash((&fact.predicate, bits)),
            Some(Value::UnprintableFloat) | None => hash(&fact.predicate),
        };
        self.latest.insert(subject, predicate, characters);
    }
}

fn add(counts: &mut BTreeMap<String, u64>, word: &str) {
    let is_known = counts.contains_key(word) || counts.len() < MAX_WORDS;
    let word: String = if is_known { word.chars().take(80).collect() } else { OTHERS.to_owned() };
    *counts.entry(word).or_default() += 1;
}

/// Returns the stage that read a reply that could not be decoded directly.
fn parse_error(reply: &Reply<'_>) -> Option<&'static str> {
    let is_damaged = || {
        let first = reply.objects.first().map(|object| &object.decoded);
        matches!(first, Some(Err(DecodeFailure::Syntax(_) | DecodeFailure::Kind { .. })))
    };
    match reply.reading.as_ref().map(|reading| reading.stage) {
        Ok(Stage::Whole | Stage::Stream) => None,
        Ok(Stage::Fenced) => is_damaged().then_some("P2"),
        Ok(Stage::EmbeddedRich | Stage::EmbeddedOther) => is_damaged().then_some("P3"),
        Ok(Stage::Fallback) => Some("P4"),
        Err(_) => Some("P5"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::envelope::ReplyContext;
    use crate::transcript::{Checker, Limits, TranscriptOptions, TranscriptReader, labels};

    fn counted(text: &str) -> (Statistics, Vec<TurnSize>) {
        let settings = TranscriptSettings::default();
        let mut counter = StatisticsCounter::new(&settings, None);
        let filters = Filters::new(&settings, None);
        let (mut sizes, mut found) = (Vec::new(), Vec::new());
        let mut checker = Checker::new(ReplyContext::new(&settings), Limits::default());
        let mut reader = TranscriptReader::new(TranscriptOptions {
            name: "a.jsonl".into(),
            ..TranscriptOptions::default()
        });
        let mut each = |record: &Record<'_>| {
            let mut here = Vec::new();
            checker.record(record, &mut here);
            counter.record(record);
            let names = RecordNames::from_record(record);
            for turn in &record.turns {
                let reply = turn.is_reply().then(|| turn.reply(record.bytes, &settings));
                let account = reply.as_ref().map(|reply| filters.account(reply)).unwrap_or_default();
                let answered = reply.as_ref().map(|reply| ReplyAccount {
                    reply,
                    account: &account,
                    profile: labels::profile(turn, reply, &ReplyContext::new(&settings)),
                });
                sizes.extend(counter.turn(record, &names, turn, answered));
            }
            here.iter().for_each(|one| drop(counter.count_finding(one)));
        };
        reader.feed(text.as_bytes(), &mut each);
        let summary = reader.finish(&mut each);
        let rounds = checker.repair_rounds();
        checker.finish(&summary, &mut found);
        found.iter().for_each(|one| drop(counter.count_finding(one)));
        (counter.finish(rounds), sizes)
    }

    const CHAT: &str = r#"{"role":"user","content":"Fix the login, please. It fails on Mondays."}
{"role":"assistant","content":{"control_packet":{"mangle_updates":["p(/a, 1).","p(/a, 2).","q(\"x\")","r(",": (."],"memory_operations":[{"op":"note","key":"k","value":"v"}]},"surface_response":"I am on it, and tell more soon."}}
{"role":"user","content":"That could not be parsed."}
{"role":"assistant","content":"never"}
{"role":"assistant","content":{"control_packet":{"mangle_updates":["p(/a, 1)."],"memory_operations":[{"op":"forget","key":"p","value":""}],"self_correction":{"triggered":true,"hypothesis":"h"}},"surface_response":"Done."}}
"#;

    #[test]
    fn everything_is_counted() {
        let (found, sizes) = counted(CHAT);
        assert_eq!((found.answers, found.prompts, found.repair_rounds, found.self_corrections), (3, 2, 1, 1));
        assert_eq!(found.methods.into_iter().collect::<Vec<_>>(), [("fallback", 1), ("json", 2)]);
        assert_eq!(found.parse_errors.into_iter().collect::<Vec<_>>(), [("P4", 1)]);
        assert_eq!((found.atoms.kept, found.atoms.dropped, found.atoms.blocked), (3, 2, 1));
        // Includes updates that the runtime drops for another reason.
        assert_eq!(
            found.syntax_errors.into_iter().collect::<Vec<_>>(),
            [(":".to_owned(), 1), ("r".to_owned(), 1)]
        );
        let memory: Vec<_> = found.memory.into_iter().collect();
        assert_eq!(memory, [("forget".to_owned(), 1), ("note".to_owned(), 1)]);
        // 43 and 31 characters; two facts of 9 characters with a line end between them.
        assert_eq!((sizes[0].original, sizes[0].kept_as_atoms, sizes[0].state), (10 + 7, 4, 5));
        // The base, the intent, two facts of 4 + 0 + (1 + 0) + 2, and the text of the updates.
        assert_eq!(sizes[0].kept_by_runtime, 10 + (4 + 2 + 4 + 2 * 4) + 2 * 7 + 2 * 2);
        assert_eq!(found.compression.state(false), 0);
        assert_eq!(found.diagnostics.get("PB019"), Some(&1));
    }

    #[test]
    fn groups_add_up_to_the_whole() {
        let reply = |model: &str, update: &str| {
            let envelope = serde_json::json!({
                "control_packet": { "mangle_updates": [update, "p(/a)."], "tool_requests": [] }, "surface_response": "ok"
            });
            let record =
                serde_json::json!({ "role": "assistant", "content": envelope.to_string(), "model": model });
            format!("{record}\n")
        };
        let text = [reply("m1", "bad("), reply("m2", "p(/b)."), reply("m1", "worse(.")].concat();
        let (found, _) = counted(&text);
        let models: Vec<_> = found.groups.keys().map(|labels| labels.model.clone().unwrap()).collect();
        assert_eq!(models, ["m1", "m2"]);
        let sum = |of: &dyn Fn(&Statistics) -> u64| found.groups.values().map(of).sum::<u64>();
        assert_eq!((found.answers, sum(&|it| it.answers)), (3, 3));
        assert_eq!((found.atoms.kept, sum(&|it| it.atoms.kept)), (4, 4));
        let all = |it: &Statistics| it.diagnostics.values().sum::<u64>();
        assert_eq!(all(&found), sum(&all));
        let errors = |it: &Statistics| it.syntax_errors.values().sum::<u64>();
        assert_eq!((errors(&found), sum(&errors)), (2, 2));
        assert_eq!(found.groups.values().map(errors).collect::<Vec<_>>(), [2, 0]);
    }

    #[test]
    fn updates_without_a_predicate_have_a_name_in_the_figures() {
        let reply =
            concat!(r#"{"surface_response":"hi","control_packet":{"mangle_updates":["(","p("]}}"#, "\n");
        let (found, _) = counted(reply);
        let errors: Vec<_> = found.syntax_errors.into_iter().collect();
        assert_eq!(errors, [("(no predicate)".to_owned(), 1), ("p".to_owned(), 1)]);
    }

    #[test]
    fn updates_without_an_envelope_are_counted() {
        let line = "═".repeat(40);
        let text = format!(
            "{line}\nPIGGYBACK PROTOCOL - TURN 1\n{line}\n\nSURFACE RESPONSE\nDone.\n\nCONTROL PACKET\n\
             Mangle Updates:\n  - p(/a).\n  - q(1)\n  - r(x).\n\n"
        );
        let (found, sizes) = counted(&text);
        assert_eq!((found.answers, sizes.len()), (1, 1));
        assert_eq!((found.atoms.kept, found.atoms.dropped, found.atoms.blocked), (1, 1, 1));
        assert_eq!(found.compression.state(false), 1);
    }

    #[test]
    fn the_newest_fact_of_a_subject() {
        let (found, _) = counted(CHAT.lines().take(2).collect::<Vec<_>>().join("\n").as_str());
        assert_eq!((found.compression.state(false), found.compression.state(true)), (5, 2));
        assert!((found.compression.headline(false) - 17.0 / 5.0).abs() < 1e-9);
        assert_eq!(found.compression.is_target_met(true), Some(false));
    }
}
