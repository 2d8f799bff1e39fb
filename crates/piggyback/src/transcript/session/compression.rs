//! Rules about the state that updates keep: compression ratio, missing and redundant facts, and
//! contradictions (`PB610` to `PB615`).

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{CurrentTurn, MAX_TRACKED};
use crate::envelope::ReplyContext;
use crate::transcript::digest::{Digest, DigestAtom, LOSSY_TURN, TurnSite, WatchedFact};
use crate::transcript::placement::TranscriptFinding;
use crate::transcript::turn::TurnRole;
use crate::transcript::words::{hash, quoted};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::text::TextRange;

pub(super) const RULES: &[&Rule] =
    &[&RATIO_LOW, &RATIO_INVERSE, &STATELESS_TURN, &LOSSY_TURN, &REDUNDANT_ATOM, &CONTRADICTION];

/// Minimum number of tokens of a surface that should have an accepted update.
const MIN_SURFACE_TOKENS: usize = 40;

/// Number of characters per token.
const CHARACTERS: usize = 4;

/// Rule: the compression ratio is below its target.
static RATIO_LOW: Rule = rule!("ratio-low.md");

/// Rule: updates cost more tokens than the text.
static RATIO_INVERSE: Rule = rule!("ratio-inverse.md");

/// Rule: a turn has no accepted update.
static STATELESS_TURN: Rule = rule!("stateless-turn.md");

/// Rule: an update repeats a fact that already holds.
static REDUNDANT_ATOM: Rule = rule!("redundant-atom.md");

/// Rule: one packet gives two values to one subject.
static CONTRADICTION: Rule = rule!("contradiction.md");

/// Single-valued predicates: name, arity, index of the subject argument, index of the value
/// argument.
const SINGLE: [(&str, usize, Option<usize>, usize); 6] = [
    ("task_status", 2, Some(0), 1),
    ("campaign", 5, Some(0), 4),
    ("campaign_phase", 6, Some(0), 4),
    ("campaign_task", 5, Some(0), 3),
    ("test_state", 1, None, 0),
    ("retry_count", 1, None, 0),
];

/// Size of the session and the atoms of the last turn.
#[derive(Debug)]
pub(super) struct SessionSize {
    target: Option<f64>,
    /// True if the ratio of single turns is checked.
    wants_turns: bool,
    /// Tokens of the user since the last answer; `None` if no prompt is recorded.
    asked: Option<usize>,
    /// True if each answer so far has a recorded prompt.
    is_whole: bool,
    original: usize,
    answers: usize,
    held: AtomStore,
    /// Atoms of the last turn by predicate and text, with the turn of their first occurrence.
    last: FxHashMap<(u64, u64), u64>,
    first: Option<(TurnSite, TranscriptFinding)>,
}

/// Atoms that hold. For each predicate, maps the hash of an atom to its number of characters.
#[derive(Debug, Default)]
struct AtomStore {
    by_predicate: FxHashMap<u64, FxHashMap<u64, usize>>,
    count: usize,
    characters: usize,
    /// True if an atom was dropped.
    is_full: bool,
}

impl AtomStore {
    fn insert(&mut self, atom: &DigestAtom) {
        let known = self.by_predicate.get(&atom.predicate);
        if known.is_some_and(|known| known.contains_key(&atom.hash)) {
            return;
        }
        if self.count >= MAX_TRACKED {
            self.is_full = true;
            return;
        }
        // One more for the separator between two atoms.
        let characters = atom.characters + 1;
        self.by_predicate.entry(atom.predicate).or_default().insert(atom.hash, characters);
        self.count += 1;
        self.characters += characters;
    }

    fn forget(&mut self, predicate: u64) {
        let gone = self.by_predicate.remove(&predicate).unwrap_or_default();
        self.count -= gone.len();
        self.characters -= gone.values().sum::<usize>();
    }
}

impl SessionSize {
    pub(super) fn new(context: &ReplyContext<'_>) -> Self {
        let settings = context.settings;
        let is_configured = context.rules.is_some_and(|rules| rules.is_configured(&RATIO_INVERSE));
        Self {
            target: settings.compression_target(),
            wants_turns: settings.target_compression_ratio.is_some() || is_configured,
            asked: None,
            is_whole: true,
            original: 0,
            answers: 0,
            held: AtomStore::default(),
            last: FxHashMap::default(),
            first: None,
        }
    }

    pub(super) fn prompt(&mut self, digest: &Digest) {
        if digest.role == TurnRole::User {
            *self.asked.get_or_insert(0) += digest.tokens;
        }
    }

    /// Adds an answer with a known surface only.
    pub(super) fn shown(&mut self, tokens: usize) {
        self.is_whole &= self.asked.is_some();
        self.original += self.asked.take().unwrap_or(0) + tokens;
        self.answers += 1;
    }

    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        self.ratio(now, out);
        if now.reply.has_accepted_envelope && now.reply.surface_tokens >= MIN_SURFACE_TOKENS
            && accepted(now).next().is_none()
            // Dropped updates have findings of their own.
            && !now.reply.has_losses
        {
            let message = format!(
                "reply of {} tokens has no {}",
                now.reply.surface_tokens,
                if now.reply.atoms.is_empty() { "update" } else { "accepted update" }
            );
            let finding = Finding::new(&STATELESS_TURN, now.reply.surface, message)
                .note("nothing remains of this turn once its text is discarded");
            out.push(now.found(finding, "/surface_response"));
        }
        for (name, place) in &now.reply.unmentioned_files {
            let message = format!("no update of this turn mentions {}", quoted(name));
            let finding = Finding::new(&LOSSY_TURN, *place, message)
                .note("the name is lost once the text of the turn is discarded");
            out.push(now.found(finding, "/surface_response"));
        }
        self.redundant(now, out);
        contradictions(now, out);
        self.forget(now);
    }

    /// Removes forgotten facts after the turn, including facts that the same turn asserted.
    fn forget(&mut self, now: &CurrentTurn<'_>) {
        for operation in now.reply.memory.iter().filter(|operation| operation.op == "forget") {
            let predicate = hash(operation.key.as_str());
            self.last.retain(|(of, _), _| *of != predicate);
            self.held.forget(predicate);
        }
    }

    fn ratio(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        let asked = self.asked.take();
        let original = asked.unwrap_or(0) + now.reply.surface_tokens;
        let characters: usize = accepted(now).map(|atom| atom.characters).sum();
        self.is_whole &= asked.is_some();
        self.original += original;
        self.answers += 1;
        for atom in accepted(now) {
            self.held.insert(atom);
        }
        if let (None, true) = (&self.first, self.is_whole) {
            self.first = Some((
                now.site,
                now.found(Finding::new(&RATIO_LOW, now.reply.surface, String::new()), "/surface_response"),
            ));
        }
        let kept = characters / CHARACTERS;
        if self.wants_turns && asked.is_some() && kept > original {
            let message = format!("updates cost {kept} tokens, the text only {original}");
            let finding = Finding::new(&RATIO_INVERSE, now.reply.surface, message)
                .note("keeping the text would cost less than keeping its updates");
            out.push(now.found(finding, "/surface_response"));
        }
    }

    fn redundant(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        let mut held = FxHashMap::with_capacity_and_hasher(now.reply.atoms.len(), FxBuildHasher);
        for atom in accepted(now) {
            let key = (atom.predicate, atom.hash);
            let since = self.last.get(&key).copied();
            if let Some(since) = since {
                let message = format!("update repeats a fact of reply {since}");
                // No fix, because a capture is evidence: the update must stay in it.
                let finding = Finding::new(&REDUNDANT_ATOM, atom.place, message)
                    .note("a fact holds until it is retracted; asserting it again changes nothing")
                    .help("leave out updates that already hold");
                out.push(now.found(finding, format!("/control_packet/mangle_updates/{}", atom.index)));
            }
            held.insert(key, since.unwrap_or(now.turn));
        }
        self.last = held;
    }

    pub(super) fn finish(self, out: &mut Vec<TranscriptFinding>) {
        if !self.is_whole || self.answers < 2 || self.held.is_full {
            return;
        }
        let Some((_, mut found)) = self.first else { return };
        #[expect(clippy::cast_precision_loss, reason = "a ratio is shown with one digit")]
        let ratio = self.original as f64 / (self.held.characters / CHARACTERS).max(1) as f64;
        let Some(target) = self.target.filter(|target| self.held.characters > 0 && ratio < *target) else {
            return;
        };
        let finding = found.finding;
        let message = format!("text is only {ratio:.1} times as long as its updates");
        found.finding = Finding { message: message.into(), ..finding }
            .note(format!("the target over the transcript is {target} (`target_compression_ratio`)"))
            .note("the updates fill the context too early");
        out.push(found);
    }
}

/// Returns the atoms of a turn that the consumer accepts.
fn accepted<'d>(now: &CurrentTurn<'d>) -> impl Iterator<Item = &'d DigestAtom> {
    now.reply.atoms.iter().filter(|atom| atom.is_accepted)
}

/// Reports accepted atoms of one packet that give two values to one subject.
fn contradictions(now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
    let mut seen: FxHashMap<(&str, &str), (&str, TextRange)> = FxHashMap::default();
    for atom in accepted(now) {
        let Some((subject, value)) = atom.fact.as_deref().and_then(single) else { continue };
        match seen.get(&subject) {
            Some((before, place)) if *before != value => {
                let (predicate, name) = subject;
                let message = format!("{} has two values", described_subject(predicate, name));
                let finding = Finding::new(&CONTRADICTION, atom.place, message)
                    .label(format!("here it is {}", quoted(value)))
                    .related(Span::here(*place), format!("here it is {}", quoted(before)))
                    .note("the kernel keeps both facts, and rules derive from either");
                out.push(now.found(finding, format!("/control_packet/mangle_updates/{}", atom.index)));
            }
            Some(_) => {}
            None if seen.len() < MAX_TRACKED => {
                seen.insert(subject, (value, atom.place));
            }
            None => {}
        }
    }
}

/// Describes a subject for a message.
fn described_subject(predicate: &str, subject: &str) -> String {
    if subject.is_empty() { quoted(predicate) } else { format!("`{predicate}` of {}", quoted(subject)) }
}

/// Returns the subject and the value of a fact of a single-valued predicate.
fn single(fact: &WatchedFact) -> Option<((&str, &str), &str)> {
    let (name, _, key, value) =
        SINGLE.iter().find(|(name, arity, ..)| *name == fact.predicate && *arity == fact.args.len())?;
    let text = |at: usize| fact.args.get(at).map(|argument| argument.text.as_str());
    let subject = key.map_or(Some(""), text)?;
    Some(((name, subject), text(*value)?))
}
