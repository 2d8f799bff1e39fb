//! Facts that a prompt can show, with the reason for each omission.

use super::{ClauseId, KNOWLEDGE, LineProvenance, READ, SCORED, TEMPLATES};
use crate::answers::{Answer, Arg};
use crate::assembly::template_for;
use crate::preview::{PreviewState, PreviewedPrompt, THRESHOLD};
use crate::sections::Mode;

/// A fact that a prompt can show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactProvenance {
    /// The clause that first derived the fact; `None` for a fact that the preview added.
    pub clause: Option<ClauseId>,
    /// The reason for the omission; `None` if the prompt shows the fact.
    pub missing: Option<OmissionReason>,
}

/// The reason why a prompt omits a fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OmissionReason {
    /// The fact has this key, which does not address the shard.
    Key(String),
    /// The fact has this score, which does not exceed the threshold.
    Score(i64),
    /// No rule injects the fact.
    NotInjected,
    /// The fact is a template for this other type of shard.
    Type(String),
    /// The fact is an unused template. An earlier template is used, or none because the first one
    /// is empty.
    OtherTemplate,
    /// The fact is specialist knowledge, and this mode shows only injected facts.
    NoKnowledge,
    /// The mode has no section for the fact.
    Mode,
    /// An argument is not a text, so the runtime skips the fact.
    Skipped,
}

/// The maximum number of facts per predicate.
const MAX_FACTS: usize = 2_000;

/// The facts that a prompt can show.
pub(super) fn facts(
    common: &PreviewState,
    shown: &PreviewedPrompt,
    lines: &[LineProvenance],
) -> Vec<FactProvenance> {
    let mut all = Vec::new();
    for predicate in READ {
        let least = if matches!(predicate, KNOWLEDGE | SCORED) { 3 } else { 2 };
        for answer in common.facts(shown, predicate, least).into_iter().take(MAX_FACTS) {
            let clause = common.clause_of(shown, &answer.origin.fact, answer.origin.rule);
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

/// True if a line contains the text of a fact.
fn is_in(answer: &Answer, lines: &[LineProvenance]) -> bool {
    let texts: Vec<String> = answer.args.iter().skip(1).map(Arg::printed).collect();
    let mut texts = texts.iter().filter_map(|text| text.lines().next().filter(|text| !text.is_empty()));
    texts.any(|text| lines.iter().any(|line| line.text.contains(text)))
}

/// The effective mode of a prompt, after a fallback of the compiler.
fn how(shown: &PreviewedPrompt) -> Mode {
    match shown.prompt.mode {
        Mode::Jit if !shown.is_compiled() => Mode::Legacy,
        mode => mode,
    }
}

fn why(shown: &PreviewedPrompt, predicate: &str, answer: &Answer) -> Option<OmissionReason> {
    let (context, mode) = (&shown.request.context, how(shown));
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
