//! What is kept of turns: how much it is, whether it is enough, and whether it agrees with itself: `PB610` to `PB615`.

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::bounded_map::MOST_KNOWN;
use super::current_turn::CurrentTurn;
use super::lossy_turn::LOSSY_TURN;
use crate::envelope::ReplyContext;
use crate::transcript::digest::{Digest, DigestAtom, TurnSite, WatchedFact};
use crate::transcript::finding::TranscriptFinding;
use crate::transcript::hash::hash;
use crate::transcript::turn::TurnRole;
use crate::transcript::words::quoted;
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::text::TextRange;

pub(super) const RULES: &[&Rule] =
    &[&RATIO_LOW, &RATIO_INVERSE, &STATELESS_TURN, &LOSSY_TURN, &REDUNDANT_ATOM, &CONTRADICTION];

/// From so many tokens on, a surface says something that should be kept.
const MUCH: usize = 40;

/// How many characters make a token.
const CHARACTERS: usize = 4;

/// Less than the target.
static RATIO_LOW: Rule = rule!("ratio-low.md");

/// State that costs more than the text.
static RATIO_INVERSE: Rule = rule!("ratio-inverse.md");

/// A turn of which nothing is kept.
static STATELESS_TURN: Rule = rule!("stateless-turn.md");

/// What was said before.
static REDUNDANT_ATOM: Rule = rule!("redundant-atom.md");

/// Two values where there is one.
static CONTRADICTION: Rule = rule!("contradiction.md");

/// What can have one value only: how many arguments, which of them name the subject, and which is the value.
const SINGLE: [(&str, usize, Option<usize>, usize); 6] = [
    ("task_status", 2, Some(0), 1),
    ("campaign", 5, Some(0), 4),
    ("campaign_phase", 6, Some(0), 4),
    ("campaign_task", 5, Some(0), 3),
    ("test_state", 1, None, 0),
    ("retry_count", 1, None, 0),
];

/// The size of the session, and the atoms of the last turn.
#[derive(Debug)]
pub(super) struct SessionSize {
    target: Option<f64>,
    /// Whether the ratio of single turns matters.
    wants_turns: bool,
    /// The tokens of what the user said since the last answer; `None` where nothing is recorded of it.
    asked: Option<usize>,
    /// Whether all that was answered is known to have been asked.
    is_whole: bool,
    original: usize,
    answers: usize,
    held: AtomStore,
    /// The atoms of the last turn, each by its predicate and its text, and the turn in which it came first.
    last: FxHashMap<(u64, u64), u64>,
    first: Option<(TurnSite, TranscriptFinding)>,
}

/// The atoms that hold: by predicate, the characters of each by its hash.
#[derive(Debug, Default)]
struct AtomStore {
    by_predicate: FxHashMap<u64, FxHashMap<u64, usize>>,
    count: usize,
    characters: usize,
    /// Whether something was not taken in.
    is_full: bool,
}

impl AtomStore {
    fn insert(&mut self, atom: &DigestAtom) {
        let known = self.by_predicate.get(&atom.predicate);
        if known.is_some_and(|known| known.contains_key(&atom.hash)) {
            return;
        }
        if self.count >= MOST_KNOWN {
            self.is_full = true;
            return;
        }
        // One more for what stands between two atoms.
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

    /// An answer of which only the surface is known.
    pub(super) fn shown(&mut self, tokens: usize) {
        self.is_whole &= self.asked.is_some();
        self.original += self.asked.take().unwrap_or(0) + tokens;
        self.answers += 1;
    }

    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        self.ratio(now, out);
        if now.reply.is_picked && now.reply.surface_tokens >= MUCH
            && accepted(now).next().is_none()
            // What is lost has findings of its own.
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
        for (name, place) in &now.reply.missing {
            let message = format!("no update of this turn mentions {}", quoted(name));
            let finding = Finding::new(&LOSSY_TURN, *place, message)
                .note("the name is lost once the text of the turn is discarded");
            out.push(now.found(finding, "/surface_response"));
        }
        self.redundant(now, out);
        contradictions(now, out);
        self.forget(now);
    }

    /// What is forgotten in a turn is gone behind it, with what the same turn asserted.
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
                // A capture is evidence: the update stays in it.
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

/// The atoms of a turn that the consumer takes.
fn accepted<'d>(now: &CurrentTurn<'d>) -> impl Iterator<Item = &'d DigestAtom> {
    now.reply.atoms.iter().filter(|atom| atom.is_accepted)
}

/// Accepted atoms of one packet that give two values to one subject.
fn contradictions(now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
    let mut seen: FxHashMap<(&str, &str), (&str, TextRange)> = FxHashMap::default();
    for atom in accepted(now) {
        let Some((subject, value)) = atom.fact.as_deref().and_then(single) else { continue };
        match seen.get(&subject) {
            Some((before, place)) if *before != value => {
                let finding =
                    Finding::new(&CONTRADICTION, atom.place, format!("{} has two values", named(subject)))
                        .label(format!("here it is {}", quoted(value)))
                        .related(Span::here(*place), format!("here it is {}", quoted(before)))
                        .note("the kernel keeps both facts, and rules derive from either");
                out.push(now.found(finding, format!("/control_packet/mangle_updates/{}", atom.index)));
            }
            Some(_) => {}
            None if seen.len() < MOST_KNOWN => {
                seen.insert(subject, (value, atom.place));
            }
            None => {}
        }
    }
}

fn named((predicate, subject): (&str, &str)) -> String {
    if subject.is_empty() { quoted(predicate) } else { format!("`{predicate}` of {}", quoted(subject)) }
}

/// The subject of a fact that can have one value only, and the value.
fn single(fact: &WatchedFact) -> Option<((&str, &str), &str)> {
    let (name, _, key, value) =
        SINGLE.iter().find(|(name, arity, ..)| *name == fact.predicate && *arity == fact.args.len())?;
    let text = |at: usize| fact.args.get(at).map(|argument| argument.text.as_str());
    let subject = key.map_or(Some(""), text)?;
    Some(((name, subject), text(*value)?))
}
