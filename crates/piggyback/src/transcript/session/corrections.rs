//! A model that keeps correcting the same mistake: `PB407`.

use super::Now;
use super::examples::{reply, session};
use crate::transcript::check::Found;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity};

pub(super) const RULES: &[&Rule] = &[&CORRECTION_LOOP];

/// How many turns in a row make a loop.
const LOOP: usize = 3;

/// The same hypothesis, turn after turn.
static CORRECTION_LOOP: Rule = Rule {
    code: "PB407",
    name: "correction-loop",
    group: Group::Requests,
    severity: Some(Severity::Warning),
    summary: "The same self-correction in three turns running.",
    rationale: "The runtime counts self-corrections and does nothing about them, so a hypothesis that comes again \
                unchanged was not acted upon. The agent goes in a circle.",
    bad: session!(
        reply!(
            "",
            "\"memory_operations\":[],\"self_correction\":{\"triggered\":true,\"hypothesis\":\"stale cache\"}",
            "The test fails."
        ),
        reply!(
            "",
            "\"memory_operations\":[],\"self_correction\":{\"triggered\":true,\"hypothesis\":\"stale cache\"}",
            "It fails again."
        ),
        reply!(
            "",
            "\"memory_operations\":[],\"self_correction\":{\"triggered\":true,\"hypothesis\":\"stale cache\"}",
            "It still fails."
        ),
    ),
    good: session!(
        reply!(
            "",
            "\"memory_operations\":[],\"self_correction\":{\"triggered\":true,\"hypothesis\":\"stale cache\"}",
            "The test fails."
        ),
        reply!(
            "",
            "\"memory_operations\":[],\"self_correction\":{\"triggered\":true,\"hypothesis\":\"stale cache\"}",
            "It fails again."
        ),
        reply!(
            "",
            "\"memory_operations\":[],\"self_correction\":{\"triggered\":true,\"hypothesis\":\"wrong branch\"}",
            "I see."
        ),
    ),
    fix: FixKind::None,
};

/// The hypothesis of the last turn, and how often it came.
#[derive(Debug, Default)]
pub(super) struct Corrections {
    last: Option<(u64, usize)>,
}

impl Corrections {
    pub(super) fn reply(&mut self, now: &Now<'_>, out: &mut Vec<Found>) {
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
            let message = format!("the same hypothesis in {times} turns running: nothing came of it");
            out.push(
                now.found(Finding::new(&CORRECTION_LOOP, place, message), "/control_packet/self_correction"),
            );
        }
    }
}
