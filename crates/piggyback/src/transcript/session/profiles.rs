//! Rule about envelopes of a different protocol version than the rest of the file: `PB107`.

use super::MAX_PENDING_FINDINGS;
use super::current_turn::CurrentTurn;
use crate::transcript::finding::TranscriptFinding;
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) const RULES: &[&Rule] = &[&PROFILE_OUTLIER];

/// Rule: an envelope has a different version than the rest of the file.
static PROFILE_OUTLIER: Rule = rule!("profile-outlier.md");

/// The first envelopes with a different version than the majority of the file.
#[derive(Debug)]
pub(super) struct Profiles {
    is_given: bool,
    outliers: Vec<TranscriptFinding>,
}

impl Profiles {
    pub(super) fn new(is_given: bool) -> Self {
        Self { is_given, outliers: Vec::new() }
    }

    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>) {
        let (Some(own), Some(usual)) = (now.reply.profile, now.digest.session) else { return };
        if self.is_given
            || !now.reply.has_accepted_envelope
            || own == usual
            || self.outliers.len() >= MAX_PENDING_FINDINGS
        {
            return;
        }
        let message = format!("envelope looks like `{own}`, most of the file like `{usual}`");
        let finding = Finding::new(&PROFILE_OUTLIER, now.reply.brace, message)
            .note("the runtime ignores fields of other versions");
        self.outliers.push(now.found(finding, ""));
    }

    pub(super) fn finish(self, out: &mut Vec<TranscriptFinding>) {
        out.extend(self.outliers);
    }
}
