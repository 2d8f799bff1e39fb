//! The facts that a prompt might show: which of them it does, and why the others are missing.

use super::{ClauseId, FedLine, KNOWLEDGE, READ, SCORED, TEMPLATES};
use crate::prompt::answers::{Answer, Arg};
use crate::prompt::assembly::{is_for, template_for};
use crate::prompt::jit::is_injected_for;
use crate::prompt::preview::{Common, Shown, THRESHOLD};
use crate::prompt::sections::Mode;

/// A fact that a prompt might show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FedFact {
    /// The clause that gave it first; `None` for one that the preview added.
    pub clause: Option<ClauseId>,
    /// Why the prompt does not show it; `None` if it does.
    pub missing: Option<Missing>,
}

/// Why a prompt does not show a fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Missing {
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
pub(super) fn facts(common: &Common, shown: &Shown, lines: &[FedLine]) -> Vec<FedFact> {
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
            all.push(FedFact { clause, missing });
        }
    }
    all
}

/// Whether some line has the text of a fact.
fn is_in(answer: &Answer, lines: &[FedLine]) -> bool {
    let texts = answer.args.iter().skip(1).filter_map(Arg::text);
    let mut texts = texts.filter(|text| !text.is_empty()).flat_map(|text| text.lines().next());
    texts.any(|text| lines.iter().any(|line| line.text.contains(text)))
}

fn why(shown: &Shown, predicate: &str, answer: &Answer) -> Option<Missing> {
    let (context, mode) = (&shown.wanted.context, shown.prompt.mode);
    let (Some(key), Some(_)) = (answer.text(0), answer.text(1)) else { return Some(Missing::Skipped) };
    let is_for_it = match mode {
        Mode::Jit => is_injected_for(key, &shown.derived),
        Mode::Legacy | Mode::Section => is_for(key, &context.shard_id),
    };
    Some(match predicate {
        TEMPLATES if template_for(answer, &context.shard_type).is_none() => Missing::Type(key.to_owned()),
        TEMPLATES if mode != Mode::Legacy => Missing::Mode,
        TEMPLATES => Missing::OtherTemplate,
        _ if !is_for_it => Missing::Key(key.to_owned()),
        SCORED => match answer.args.get(2) {
            Some(Arg::Number(score)) if *score <= THRESHOLD => Missing::Score(*score),
            _ => Missing::NotInjected,
        },
        KNOWLEDGE if mode == Mode::Legacy => Missing::NoKnowledge,
        _ => Missing::Mode,
    })
}
