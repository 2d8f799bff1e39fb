//! The facts that a prompt might show: which of them it does, and why the others are missing.

use super::{ClauseId, KNOWLEDGE, LineProvenance, READ, SCORED, TEMPLATES};
use crate::answers::{Answer, Arg};
use crate::assembly::template_for;
use crate::preview::{Common, PreviewedPrompt, THRESHOLD};
use crate::sections::Mode;

/// A fact that a prompt might show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactProvenance {
    /// The clause that gave it first; `None` for one that the preview added.
    pub clause: Option<ClauseId>,
    /// Why the prompt does not show it; `None` if it does.
    pub missing: Option<OmissionReason>,
}

/// Why a prompt does not show a fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OmissionReason {
    /// It is for others: the key that it has.
    Key(String),
    /// It has a score that is not above the threshold.
    Score(i64),
    /// No rule injects it.
    NotInjected,
    /// It is a template for another type of shard.
    Type(String),
    /// It is a template, and another one is used: one that comes first, or none because the first is empty.
    OtherTemplate,
    /// It is knowledge, of which this mode shows only what rules inject.
    NoKnowledge,
    /// Nothing of such a prompt shows it.
    Mode,
    /// The runtime passes over it: an argument is no text.
    Skipped,
}

/// How many facts of a predicate are looked at.
const MOST: usize = 2_000;

/// The facts that a prompt might show.
pub(super) fn facts(
    common: &Common,
    shown: &PreviewedPrompt,
    lines: &[LineProvenance],
) -> Vec<FactProvenance> {
    let mut all = Vec::new();
    for predicate in READ {
        let least = if matches!(predicate, KNOWLEDGE | SCORED) { 3 } else { 2 };
        for answer in common.facts(shown, predicate, least).into_iter().take(MOST) {
            let clause = common.clause_of(shown, &answer.held.fact, answer.held.rule);
            let clause = clause.map(|(clause, _)| clause);
            let is_shown =
                clause.is_some_and(|clause| lines.iter().any(|line| line.clauses.contains(&clause)));
            let missing =
                if is_shown && is_in(&answer, lines) { None } else { why(shown, predicate, &answer) };
            all.push(FactProvenance { clause, missing });
        }
    }
    all
}

/// Whether some line has the text of a fact.
fn is_in(answer: &Answer, lines: &[LineProvenance]) -> bool {
    let texts: Vec<String> = answer.args.iter().skip(1).map(Arg::printed).collect();
    let mut texts = texts.iter().filter_map(|text| text.lines().next().filter(|text| !text.is_empty()));
    texts.any(|text| lines.iter().any(|line| line.text.contains(text)))
}

/// How a prompt was assembled in the end.
fn how(shown: &PreviewedPrompt) -> Mode {
    match shown.prompt.mode {
        Mode::Jit if !shown.is_compiled() => Mode::Legacy,
        mode => mode,
    }
}

fn why(shown: &PreviewedPrompt, predicate: &str, answer: &Answer) -> Option<OmissionReason> {
    let (context, mode) = (&shown.wanted.context, how(shown));
    let is_read = |at: usize| mode == Mode::Jit || answer.text(at).is_some();
    let key = answer.args.first().filter(|_| is_read(0) && is_read(1)).map(Arg::printed);
    let Some(key) = key else { return Some(OmissionReason::Skipped) };
    Some(match predicate {
        TEMPLATES if template_for(answer, &context.shard_type, context.runtime).is_none() => {
            OmissionReason::Type(key)
        }
        TEMPLATES if mode != Mode::Legacy => OmissionReason::Mode,
        TEMPLATES => OmissionReason::OtherTemplate,
        _ if !shown.takes(&key) => OmissionReason::Key(key),
        SCORED => match answer.args.get(2).and_then(Arg::whole) {
            Some(score) if score <= THRESHOLD => OmissionReason::Score(score),
            _ => OmissionReason::NotInjected,
        },
        KNOWLEDGE if mode == Mode::Legacy => OmissionReason::NoKnowledge,
        _ => OmissionReason::Mode,
    })
}
