//! Editor views of replay verdicts: inlay hints after requests, hovers with proofs, code lenses
//! above turns.

use super::reasons::{ProofLine, ReasonSource, RuleObstacle};
use super::verdicts::{RequestVerdict, TranscriptVerdicts, TurnVerdicts};
use crate::hover::Hover;
use crate::inlay_hints::{Hint, HintKind};
use crate::markup::{Line, Link, Markup};
use crate::transcripts::Records;
use agent_replay::Authority;
use mangle_syntax::text::{FileId, StatementId, TextRange, TextSize};
use piggyback::transcript::TextKind;

/// Maximum number of code lenses.
const MAX_LENSES: usize = 2_000;

/// Returns a link to a clause.
pub type ToClause<'a> = dyn Fn(FileId, StatementId) -> Option<Link> + 'a;

/// Returns the verdict hints in a range of the file.
#[must_use]
pub fn hints(
    known: &TranscriptVerdicts,
    records: &Records,
    range: TextRange,
    to_clause: &ToClause<'_>,
) -> Vec<Hint> {
    let mut found = Vec::new();
    let first = records.list().partition_point(|entry| entry.range().end() < range.start());
    let end = records.list().partition_point(|entry| entry.start <= range.end());
    for (at, said) in known.within(first..end) {
        let Some(entry) = records.list().get(at) else { continue };
        for one in said.turns.iter().flat_map(|turn| turn.denied.iter().chain(&turn.requests)) {
            let offset = one.place.name.end() + entry.start;
            if range.contains_inclusive(offset) {
                let full = Some(said_of(one, to_clause).to_plain());
                let (label, kind) = (one.label().to_owned(), HintKind::Outcome);
                found.push(Hint { offset, label, kind, full, parameter: None });
            }
        }
    }
    found
}

/// Returns the hover of the request at an offset of the file.
#[must_use]
pub fn hover(
    known: &TranscriptVerdicts,
    records: &Records,
    offset: TextSize,
    is_current: bool,
    to_clause: &ToClause<'_>,
) -> Option<Hover> {
    let (one, range) = known.at(records, offset)?;
    let mut markup = said_of(one, to_clause);
    if !is_current {
        markup = Markup::default().text("Before the last edit:").and(markup);
    }
    Some(Hover { range, markup })
}

impl RequestVerdict {
    /// Returns the label after a request.
    pub(super) fn label(&self) -> &'static str {
        match (self.is_permitted, self.lock) {
            (true, _) if !self.self_asserted.is_empty() || !self.overridden_denials.is_empty() => {
                "permitted by itself"
            }
            (true, _) => "permitted",
            (false, _) if self.action.is_empty() => "reply denied",
            (false, Authority::Constitution) => "denied",
            (false, Authority::Filter | Authority::Gate) => "blocked",
        }
    }
}

fn said_of(one: &RequestVerdict, to_clause: &ToClause<'_>) -> Markup {
    let what = match (one.action.as_str(), one.object.as_str()) {
        ("", _) => "the whole reply".to_owned(),
        (action, "" | "{}" | "null") => action.to_owned(),
        (action, object) => format!("{action} on {object}"),
    };
    let said = match one.is_permitted {
        true => format!("{what} is {}.", one.why),
        false => format!("{what} is denied: {}.", one.why),
    };
    let mut markup = Markup::default().untrusted(said);
    if !one.action.is_empty() {
        markup = markup.text(order(one));
    }
    if let Some(appeal) = &one.appeal {
        markup = markup.untrusted(format!("The appeal is {appeal}."));
    }
    if !one.proof.is_empty() {
        markup =
            markup.text("Because:").list(one.proof.iter().map(|reason| line(reason, to_clause)).collect());
    }
    if !one.why_not.is_empty() {
        let lines = one.why_not.iter().flat_map(|reason| lines_of(reason, to_clause));
        markup = markup.text("Missing premises of each rule that could permit it:").list(lines.collect());
    }
    for (fact, origin) in &one.self_asserted {
        markup = markup.untrusted(format!("It depends on {fact}, which a reply asserted ({origin})."));
    }
    for (fact, origin) in &one.overridden_denials {
        markup = markup.untrusted(format!("A reply overrode the denial: {fact} ({origin})."));
    }
    if let Some(denial) = &one.denial {
        markup = markup.untrusted(format!("Without that: {denial}."));
    }
    markup
}

/// Describes the order of the consulted checks.
fn order(one: &RequestVerdict) -> String {
    let decides = if one.is_permitted { "permits" } else { "denies" };
    let lists = if one.appeal.is_some() { "deny, overridden by an appeal" } else { "no match" };
    match one.lock {
        Authority::Filter => {
            "Order: 1. the filter (denies); the gate and the constitution are not evaluated.".to_owned()
        }
        Authority::Gate => {
            "Order: 1. the filter (passed), 2. the gate's own lists (deny); the constitution is not evaluated."
                .to_owned()
        }
        Authority::Constitution => format!(
            "Order: 1. the filter (passed), 2. the gate's own lists ({lists}), 3. the constitution ({decides})."
        ),
    }
}

fn line(reason: &ProofLine, to_clause: &ToClause<'_>) -> Line {
    let (note, link) = match reason.by {
        ReasonSource::Clause(file, statement) => (String::new(), to_clause(file, statement)),
        ReasonSource::Session(Some(origin)) => (format!("({origin})"), None),
        ReasonSource::Session(None) => ("(given)".to_owned(), None),
        ReasonSource::Absent => ("does not exist".to_owned(), None),
        ReasonSource::Dropped => ("is ignored by the engine".to_owned(), None),
        ReasonSource::Itself => (String::new(), None),
    };
    Line { depth: reason.depth, text: reason.text.clone(), note, link }
}

fn lines_of(lacking: &RuleObstacle, to_clause: &ToClause<'_>) -> Vec<Line> {
    let link = lacking.clause.and_then(|(file, statement)| to_clause(file, statement));
    let text = lacking.text.clone();
    let head = Line { depth: 0, text, note: "has no solution".to_owned(), link };
    let near = lacking.near.iter().map(|fact| Line {
        depth: 1,
        text: fact.clone(),
        note: "is there".to_owned(),
        link: None,
    });
    [head].into_iter().chain(near).collect()
}

/// Code lens above a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnLens {
    /// Position in the file.
    pub range: TextRange,
    /// Number of the turn.
    pub turn: u64,
    /// For example `Turn 3: 1 permitted, 2 denied`.
    pub title: String,
}

/// Returns the lenses of the first 2,000 turns, with verdicts if known.
#[must_use]
pub fn lenses(known: Option<&TranscriptVerdicts>, records: &Records) -> Vec<TurnLens> {
    let mut all = Vec::new();
    for (turn, range) in turns(records).take(MAX_LENSES) {
        all.push(TurnLens { range, turn, title: format!("Turn {turn}") });
    }
    if let Some(first) = known.and_then(TranscriptVerdicts::cut_off) {
        let rest = all.iter_mut().filter(|lens| lens.turn >= first);
        rest.for_each(|lens| {
            lens.title = format!("Turn {}: not replayed, because it takes too long", lens.turn)
        });
    }
    for said in known.into_iter().flat_map(TranscriptVerdicts::all).flat_map(|(_, said)| &said.turns) {
        let index = usize::try_from(said.number).ok().and_then(|number| number.checked_sub(1));
        if let (Some(lens), Some(words)) = (index.and_then(|index| all.get_mut(index)), in_short(said)) {
            lens.title = format!("Turn {}: {words}", said.number);
        }
    }
    all
}

/// Returns the turns counted by a replay, with their start positions.
pub fn turns(records: &Records) -> impl Iterator<Item = (u64, TextRange)> {
    let places = records.list().iter().flat_map(|entry| {
        let counts = entry.body.turns.iter();
        let counts =
            counts.filter(|turn| matches!(turn.kind, TextKind::Reply | TextKind::Object | TextKind::Surface));
        counts.map(|turn| entry.place(turn.place(TextRange::empty(TextSize::new(0)))))
    });
    (1..).zip(places)
}

/// Returns the number of the turn at an offset. Preference: the last turn of the record before the
/// offset, the first turn of the record, the last turn before the record, the first turn.
#[must_use]
pub fn turn_at(records: &Records, offset: TextSize) -> Option<u64> {
    let entry = records.list().iter().rev().find(|entry| entry.start <= offset)?;
    let before: Vec<_> =
        turns(records).take_while(|(_, range)| range.start() <= entry.range().end()).collect();
    let mut own = before.iter().filter(|(_, range)| entry.start <= range.start());
    let begun = own.clone().rev().find(|(_, range)| range.start() <= offset);
    let found = begun.or_else(|| own.next()).or(before.last()).map(|(number, _)| *number);
    found.or_else(|| turns(records).next().map(|(number, _)| number))
}

fn in_short(turn: &TurnVerdicts) -> Option<String> {
    if turn.denied.is_some() {
        let words = match turn.denial {
            Some(false) => "the policy denies the reply, its updates are asserted all the same",
            _ => "the whole reply is denied",
        };
        return Some(words.to_owned());
    }
    let permitted = turn.requests.iter().filter(|one| one.is_permitted).count();
    let denied = turn.requests.len() - permitted;
    let said = [(permitted, "permitted"), (denied, "denied")];
    let said: Vec<_> =
        said.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    (!said.is_empty()).then(|| said.join(", "))
}
