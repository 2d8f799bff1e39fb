//! Rule about repeated corrections of the same mistake: `PB407`.

use super::current_turn::CurrentTurn;
use crate::transcript::finding::TranscriptFinding;
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) const RULES: &[&Rule] = &[&CORRECTION_LOOP];

/// Number of consecutive turns that are a loop.
const LOOP: usize = 3;

/// Rule: the same hypothesis occurs in consecutive turns.
static CORRECTION_LOOP: Rule = rule!("correction-loop.md");

/// Hash of the last hypothesis and the number of consecutive turns with it.
#[derive(Debug, Default)]
pub(super) struct Corrections {
    last: Option<(u64, usize)>,
}

impl Corrections {
    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        let Some((hypothesis, place)) = now.reply.correction else {
            self.last = None;
            return;
        };
        let times = match self.last {
            Some((last, times)) if last == hypothesis => times + 1,
            _ => 1,
        };
        self.last = Some((hypothesis, times));
        if times >= LOOP {
            let message = format!("same hypothesis in {times} consecutive turns");
            let finding = Finding::new(&CORRECTION_LOOP, place, message)
                .note("the runtime counts self-corrections and does nothing about them");
            out.push(now.found(finding, "/control_packet/self_correction"));
        }
    }
}
