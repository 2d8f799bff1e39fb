//! Rule about ratings of facts that were in no prompt: `PB445`.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::current_turn::CurrentTurn;
use crate::transcript::digest::{Digest, PredicateRating};
use crate::transcript::finding::TranscriptFinding;
use crate::transcript::hash::hash;
use crate::transcript::turn::TurnRole;
use crate::transcript::words::quoted;
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) const RULES: &[&Rule] = &[&FEEDBACK_UNSEEN];

/// Maximum number of remembered prompts.
const PROMPTS: usize = 64;

/// Rule: a rated predicate was in no prompt.
static FEEDBACK_UNSEEN: Rule = rule!("feedback-unseen.md");

/// Words of the prompts of the model.
#[derive(Debug, Default)]
pub(super) struct Prompts {
    words: Vec<Arc<FxHashSet<u64>>>,
    /// True if the system prompt is included and no prompt was omitted.
    is_known: bool,
}

impl Prompts {
    pub(super) fn prompt(&mut self, digest: &Digest) {
        if digest.role == TurnRole::System {
            self.words.clear();
            self.is_known = true;
        }
        match &digest.words {
            Some(words) if self.words.len() < PROMPTS => self.words.push(Arc::clone(words)),
            _ => self.is_known = false,
        }
    }

    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        if !self.is_known {
            return;
        }
        for PredicateRating { name, list, index, place } in &now.reply.feedback {
            let bare = name.split('(').next().unwrap_or(name).trim();
            let word = hash(bare.as_bytes());
            if bare.len() > 1 && !self.words.iter().any(|words| words.contains(&word)) {
                let message = format!("{} is rated but was in no prompt", quoted(bare));
                let finding = Finding::new(&FEEDBACK_UNSEEN, *place, message)
                    .note("the rating is a guess, and changes which facts later prompts contain");
                let pointer = format!("/control_packet/context_feedback/{list}/{index}");
                out.push(now.found(finding, pointer));
            }
        }
    }
}
