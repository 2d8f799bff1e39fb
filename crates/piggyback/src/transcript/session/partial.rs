//! Rule about files that begin or end in the middle of a session: `PB048`.

use super::CurrentTurn;
use crate::envelope::json::{Json, JsonKind as Node, JsonProblemKind};
use crate::transcript::digest::Digest;
use crate::transcript::findings::BAD_RECORD;
use crate::transcript::placement::{Address, TranscriptFinding};
use crate::transcript::turn::{TurnRole, is_answer};
use crate::transcript::words::member;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::TextRange;

pub(super) const RULES: &[&Rule] = &[&PARTIAL_SESSION];

/// Number of leading records whose turn numbers are examined.
const RECORDS: usize = 3;

/// Rule: a file is only a part of a session.
static PARTIAL_SESSION: Rule = rule!("partial-session.md");

/// Signs that a file is only a part of a session.
#[derive(Debug, Default)]
pub(super) struct Partial {
    /// Turn numbers in the first records, with the names of their members.
    counters: Vec<(&'static str, i64)>,
    records: usize,
    /// Reason for an incomplete beginning, if any.
    beginning: Option<&'static str>,
    /// True after the first turn of any kind.
    has_begun: bool,
    /// True if the first turn is an answer, so that its prompt may be missing.
    has_orphan: bool,
    answers: u64,
    /// True if the last turn has no answer.
    is_unanswered: bool,
    /// True if the last record ends inside a value.
    is_cut: bool,
    /// True if there are turns of a user.
    has_prompts: bool,
}

/// Members that number turns, if they are not IDs.
const COUNTERS: [&str; 10] = [
    "turn",
    "turn_number",
    "turn_id",
    "turnNumber",
    "turn_index",
    "message_index",
    "seq",
    "sequence",
    "step",
    "index",
];

impl Partial {
    /// Adds the next record. `findings` are about the record itself.
    pub(super) fn record(&mut self, bytes: &[u8], findings: &[Finding]) {
        self.records += 1;
        let damaged = findings.iter().find(|finding| finding.rule == &BAD_RECORD);
        let is_json = bytes.trim_ascii_start().starts_with(b"{");
        if self.records == 1 && damaged.is_some() && !is_json {
            self.beginning = Some("its first record begins in the middle of a value");
        }
        self.is_cut = damaged.is_some() && is_json && is_cut(bytes);
        if self.records <= RECORDS {
            self.counters.extend(if is_json { number(bytes) } else { heading(bytes) });
        }
    }

    pub(super) fn prompt(&mut self, digest: &Digest) {
        let call = digest.details.as_ref().and_then(|details| details.call.as_deref());
        let is_result = digest.role == TurnRole::Tool;
        if !self.has_begun && is_result {
            self.beginning = Some("its first turn is the result of a tool");
        } else if !self.has_begun && digest.is_error_report {
            self.beginning = Some("its first turn rejects a reply that is missing");
        } else if self.answers == 0 && is_result && call.is_some() {
            self.beginning = self.beginning.or(Some("the result of a tool comes before any reply"));
        }
        self.has_begun = true;
        self.has_prompts |= digest.role == TurnRole::User;
        self.is_unanswered = digest.role == TurnRole::User;
    }

    pub(super) fn answer(&mut self, digest: &Digest) {
        if !is_answer(digest.kind) {
            return;
        }
        self.has_orphan |= !self.has_begun;
        self.has_begun = true;
        self.answers += 1;
        self.is_unanswered = false;
    }

    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>) {
        // A greeting does not require an earlier turn.
        if self.answers == 1 && self.has_orphan && now.reply.is_greeting {
            self.has_orphan = false;
        }
    }

    /// True if consecutive turn numbers begin above 1.
    fn is_late(&self) -> bool {
        let [(name, first), rest @ ..] = self.counters.as_slice() else { return false };
        let is_counter = rest.iter().all(|(other, _)| other == name)
            && rest
                .iter()
                .try_fold(*first, |last, (_, next)| ((last..=last + 2).contains(next)).then_some(*next))
                .is_some();
        *first > 1 && is_counter && !rest.is_empty()
    }

    pub(super) fn finish(mut self, out: &mut Vec<TranscriptFinding>) {
        if self.answers == 0 {
            return;
        }
        if self.is_late() {
            self.beginning = self.beginning.or(Some("its turns are not numbered from the start"));
        }
        if self.has_orphan && self.has_prompts {
            self.beginning = self.beginning.or(Some("its first turn answers a turn that is missing"));
        }
        let end = match (self.is_cut, self.is_unanswered) {
            (true, _) => Some("its last record is cut off"),
            (_, true) => Some("its last turn has no answer"),
            _ => None,
        };
        let (gap, why, unknown) = match (self.beginning, end) {
            (Some(beginning), Some(end)) => ("begins and ends", format!("{beginning}, and {end}"), BEGINNING),
            (Some(beginning), None) => ("begins", beginning.to_owned(), BEGINNING),
            (None, Some(end)) => ("ends", end.to_owned(), END),
            (None, None) => return,
        };
        let message = format!("file {gap} in the middle of a session");
        let finding = Finding::new(&PARTIAL_SESSION, TextRange::default(), message)
            .note(why)
            .note(unknown)
            .help("join the parts of the session in one file");
        out.push(TranscriptFinding { record: 0, start: 0, finding, address: Address::default() });
    }
}

/// Note about checks that depend on earlier turns.
const BEGINNING: &str = "earlier turns are missing for `repair-stuck`, `unpaired-op`, `correction-loop`, `redundant-atom`, \
                         `phase-transition`, `progress-counter` and `ratio-low`";

/// Note about checks that depend on later turns.
const END: &str =
    "later turns are missing for `repair-stuck`, `unpaired-op`, `phase-not-archived` and `ratio-low`";

/// True if a text ends inside a JSON value and has no other problem before.
fn is_cut(text: &[u8]) -> bool {
    Json::parse(text).problems.first().is_some_and(|problem| problem.kind == JsonProblemKind::Unclosed)
}

/// Returns the turn number of a record, with the name of its member.
fn number(record: &[u8]) -> Option<(&'static str, i64)> {
    let json = Json::parse(record);
    let read = |name: &'static str| {
        let node = member(&json, json.root(), name)?;
        let raw = match json.kind(node) {
            Node::Number => std::str::from_utf8(json.raw(node)).ok()?.to_owned(),
            Node::Plain => {
                let text = json.string(node)?.into_owned();
                text.trim_start_matches(|char: char| char.is_ascii_alphabetic() || "-_ #".contains(char))
                    .to_owned()
            }
            _ => return None,
        };
        raw.parse().ok().map(|number| (name, number))
    };
    COUNTERS.iter().find_map(|name| read(name))
}

/// Maximum number of digits of a turn number.
const MAX_DIGITS: usize = 9;

/// Returns the turn number in a heading in the output of a harness: `TURN 3`, or
/// `PIGGYBACK PROTOCOL - TURN 3`.
fn heading(record: &[u8]) -> Option<(&'static str, i64)> {
    let heading = record.trim_ascii_start();
    let heading = heading.strip_prefix(b"PIGGYBACK PROTOCOL - ").unwrap_or(heading).strip_prefix(b"TURN ")?;
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let word = heading.get(..heading.iter().take_while(is_part).count())?;
    let is_number = word.len() <= MAX_DIGITS && word.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(word).ok().filter(|_| is_number)?.parse().ok()?;
    Some(("TURN", number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_check_that_is_named_exists() {
        let names: Vec<_> = crate::transcript::rules().map(|rule| rule.name).collect();
        for text in [BEGINNING, END] {
            let named: Vec<_> = text.split('`').skip(1).step_by(2).collect();
            assert!(named.len() > 3 && named.iter().all(|name| names.contains(name)), "{text}");
        }
    }
}
