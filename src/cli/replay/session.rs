//! Replay of a single transcript.

use std::slice;

use super::policy::Policy;
use crate::cli::transcripts::Transcripts;
use agent_replay::{Prefill, ReplayOptions};
use mangle_engine::kernel::Clock;
use mangle_host::{TranscriptFile, comments};
use mangle_ide::replays::{self, ReplaySetup};
use mangle_ide::transcripts::TranscriptContext;
use mangle_report::LinePosition;
use mangle_report::replay::{RuleCoverage, TurnReport};
use mangle_settings::FailOn;
use mangle_syntax::text::Cancel;
use piggyback::transcript::Record;

/// The other side of a comparison: another policy, or the same policy with other versions.
#[derive(Clone, Copy)]
pub(super) struct OtherSide<'a> {
    pub(super) policy: &'a Policy,
    /// The transcripts with their settings on this side.
    pub(super) transcripts: &'a Transcripts,
    /// The transcript on this side.
    pub(super) found: &'a TranscriptFile,
}

pub(super) struct SessionRun<'a> {
    policy: &'a Policy,
    session: replays::ReplaySession<'a>,
    fail_on: FailOn,
}

impl<'a> SessionRun<'a> {
    pub(super) fn new(
        transcripts: &'a Transcripts,
        found: &'a TranscriptFile,
        policy: &'a Policy,
        other: Option<OtherSide<'a>>,
        wish: &SessionOptions<'a>,
    ) -> Self {
        let judge = transcripts.knowledges.judge(found);
        let judge = TranscriptContext { programs: slice::from_ref(&policy.constitution.program), ..judge };
        let options =
            |policy: &Policy, found: &'a TranscriptFile, judge: TranscriptContext<'a>| ReplayOptions {
                transcript: &found.settings,
                runtime: judge.limits,
                clock: wish
                    .now
                    .map_or_else(|| Clock::from_settings(&policy.settings.kernel), |now_ns| Clock { now_ns }),
                abduce: wish.abduce,
                show_permits: wish.show_permits,
                coverage: wish.coverage,
                until: wish.until,
                end: None,
                prefill: wish.prefill,
                cancel: wish.cancel,
            };
        let setting = ReplaySetup {
            name: transcripts.name(found),
            constitution: &policy.constitution,
            options: options(policy, found, judge),
            judge,
            comments: comments(found),
            sources: &policy.sources,
        };
        let other = other.map(|other| {
            let judge = other.transcripts.knowledges.judge(other.found);
            (&other.policy.constitution, options(other.policy, other.found, judge))
        });
        Self {
            policy,
            session: replays::ReplaySession::new(setting, other),
            fail_on: wish.fail_on.unwrap_or(policy.settings.fail_on),
        }
    }

    /// Replays a record. Returns the completed turns.
    pub(super) fn record(
        &mut self,
        record: &Record<'_>,
        spot: &mut dyn FnMut() -> LinePosition,
    ) -> Vec<TurnReport> {
        if self.session.is_done() {
            return Vec::new();
        }
        let ended = self.session.record(record, spot());
        ended.into_iter().map(TurnReport::redacted).collect()
    }

    /// Returns the last turn, true if a finding makes the command fail, and the covered rules.
    pub(super) fn finish(mut self) -> (Option<TurnReport>, bool, Vec<RuleCoverage>) {
        let last = self.session.finish().map(TurnReport::redacted);
        let fails = self.session.gravest().is_some_and(|gravest| self.fail_on.fails(gravest));
        let constitution = &self.policy.constitution;
        let covered = |(rule, held)| RuleCoverage {
            rule: self.policy.place(rule).unwrap_or_else(|| "?".to_owned()),
            predicate: constitution
                .compiled
                .rule(rule)
                .map_or_else(String::new, |rule| constitution.program.get(rule.predicate).key.to_string()),
            held,
        };
        let coverage = self.session.coverage().map(|known| known.rules(constitution).map(covered).collect());
        (last, fails, coverage.unwrap_or_default())
    }
}

pub(super) struct SessionOptions<'a> {
    pub(super) prefill: &'a Prefill,
    pub(super) abduce: bool,
    pub(super) show_permits: bool,
    pub(super) coverage: bool,
    pub(super) until: Option<u64>,
    pub(super) now: Option<i64>,
    pub(super) fail_on: Option<FailOn>,
    pub(super) cancel: &'a Cancel,
}
