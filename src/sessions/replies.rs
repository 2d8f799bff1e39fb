//! The replies in sessions as parsed by the runtime, and the verdicts of policies about their requests.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::LazyLock;

use rayon::prelude::*;
use serde_json::Value;

use super::{Checker, Session, SessionLines};
use agent_replay::{Prefill, ReplayOptions};
use mangle_host::{Accounts, TranscriptFile, TranscriptPrograms};
use mangle_ide::replays::{ReplaySession, ReplaySetup};
use mangle_ide::transcripts::{Comments, TranscriptContext};
use mangle_report::LinePosition;
use mangle_report::replay::{ProofTree, TurnReport, VerdictReport};
use mangle_report::replies::{TranscriptReply, parsed, without_secrets};
use mangle_syntax::text::Cancel;
use piggyback::transcript::{Record, TranscriptOptions, TranscriptReader};

/// A reply as parsed by the runtime.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionReply {
    /// The index of the session in the input.
    pub session: usize,
    /// The turn number of the caller.
    pub turn: i64,
    /// The stage that found the envelope, `P1` to `P5`. `None` if no stage did.
    pub stage: Option<String>,
    /// The reason for a missing envelope.
    pub error: Option<String>,
    /// The text that the user sees.
    pub surface: Option<String>,
    pub category: Option<String>,
    pub verb: Option<String>,
    pub target: Option<String>,
    pub constraint: Option<String>,
    pub confidence: Option<f64>,
    /// Texts of the updates that reach the kernel.
    pub updates_kept: Vec<String>,
    pub updates_dropped: Vec<String>,
    pub updates_blocked: Vec<String>,
    /// Operations on memory, each as JSON.
    pub memory_operations: Vec<String>,
    /// Tool requests, each as JSON.
    pub tool_requests: Vec<String>,
    pub self_correction: Option<bool>,
    pub hypothesis: Option<String>,
}

impl Checker {
    /// Parses the replies of sessions as the runtime does, in order.
    #[must_use]
    pub fn parse(&self, sessions: &[Session<'_>]) -> Vec<SessionReply> {
        let programs = self.programs();
        let of = |(number, session): (usize, &Session<'_>)| self.parse_one(number, session, programs);
        sessions.par_iter().enumerate().flat_map_iter(of).collect()
    }

    pub(super) fn programs(&self) -> TranscriptPrograms<'_> {
        TranscriptPrograms {
            resolution: &self.resolution,
            knowledges: &self.knowledges,
            clock: Some(self.clock),
        }
    }

    fn parse_one(
        &self,
        number: usize,
        session: &Session<'_>,
        programs: TranscriptPrograms<'_>,
    ) -> Vec<SessionReply> {
        let lines = self.lines(session);
        let mut accounts = Accounts::new(programs, &self.denying);
        let mut replies = Vec::new();
        let settings = &self.template.settings;
        let _ = each_record(&self.template, &lines, &mut |record| {
            accounts.record(&self.template, record);
            let own = lines.turn_of_line(record.number).and_then(|at| session.turns.get(at));
            for (at, turn) in record.turns.iter().enumerate().filter(|(_, turn)| turn.is_reply()) {
                let reply = turn.reply(record.bytes, settings);
                let account = accounts.account(at, &reply);
                let answered =
                    TranscriptReply { file: &session.id, record, turn, reply: &reply, account: &account };
                let value = without_secrets(parsed(answered, &settings.caps, Vec::new()));
                replies.push(SessionReply::from_json(number, own.map_or(0, |own| own.turn), &value));
            }
        });
        replies
    }
}

impl SessionReply {
    fn from_json(session: usize, turn: i64, value: &Value) -> Self {
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let list = |pointer: &str| -> Vec<String> {
            let all = value.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
            all.map(update).collect()
        };
        Self {
            session,
            turn,
            stage: text("/stage"),
            error: text("/error"),
            surface: text("/surface/text"),
            category: text("/model/intent/category"),
            verb: text("/model/intent/verb"),
            target: text("/model/intent/target"),
            constraint: text("/model/intent/constraint"),
            confidence: value.pointer("/model/intent/confidence").and_then(Value::as_f64),
            updates_kept: list("/atoms/kept"),
            updates_dropped: list("/atoms/dropped"),
            updates_blocked: list("/atoms/blocked"),
            memory_operations: list("/memory_ops"),
            tool_requests: list("/model/tools"),
            self_correction: value.pointer("/self_correction/triggered").and_then(Value::as_bool),
            hypothesis: text("/self_correction/hypothesis").filter(|text| !text.is_empty()),
        }
    }
}

/// Returns the text of an update. Values without a text are formatted as JSON.
fn update(value: &Value) -> String {
    let text = value.as_str().or_else(|| value["text"].as_str());
    text.map_or_else(|| value.to_string(), str::to_owned)
}

/// A request with the verdict of the policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionVerdict {
    /// The index of the session in the input.
    pub session: usize,
    /// The turn number of the caller.
    pub turn: i64,
    /// The identifier of the request in the reply. Empty for the verdict about the whole reply.
    pub request: String,
    pub action: String,
    pub target: String,
    pub payload: String,
    /// The verdict: `PERMIT` or `DENY`.
    pub verdict: String,
    /// A sentence with the reason.
    pub why: String,
    /// The location of the deciding clause.
    pub rule: Option<String>,
    /// The proof, one fact per line. Empty for a denial because of a missing permission.
    pub proof: String,
}

impl Checker {
    /// Replays sessions against the policies in parallel. If no policy permits or denies, the
    /// result is empty.
    #[must_use]
    pub fn replay(&self, sessions: &[Session<'_>]) -> Vec<SessionVerdict> {
        let of = |(number, session): (usize, &Session<'_>)| self.replay_one(number, session);
        sessions.par_iter().enumerate().flat_map_iter(of).collect()
    }

    fn replay_one(&self, number: usize, session: &Session<'_>) -> Vec<SessionVerdict> {
        let Some(constitution) = self.policies.get(&self.template) else { return Vec::new() };
        let judge = self.knowledges.judge(&self.template);
        let judge = TranscriptContext { programs: std::slice::from_ref(&constitution.program), ..judge };
        let options = ReplayOptions {
            transcript: &self.template.settings,
            runtime: judge.limits,
            clock: constitution.clock,
            abduce: false,
            show_permits: false,
            coverage: false,
            until: None,
            end: None,
            prefill: &NOTHING,
            cancel: &NEVER,
        };
        let sources = RefCell::new(self.sources());
        let setup = ReplaySetup {
            name: session.id.clone(),
            constitution,
            options,
            judge,
            comments: Comments::default(),
            sources: &sources,
        };
        let mut replay = ReplaySession::new(setup, None);
        let lines = self.lines(session);
        let mut turns: Vec<TurnReport> = Vec::new();
        each_record(&self.template, &lines, &mut |record| {
            turns.extend(replay.record(record, LinePosition::default()));
        });
        turns.extend(replay.finish());
        let turns = turns.into_iter().map(TurnReport::redacted);
        turns.flat_map(|turn| verdicts(number, session, &lines, &turn)).collect()
    }
}

/// Calls `each` for every record of a session, which is parsed like the file `like`.
pub(super) fn each_record(
    like: &TranscriptFile,
    lines: &SessionLines,
    each: &mut dyn FnMut(&Record<'_>),
) -> piggyback::transcript::ReadSummary {
    let options = TranscriptOptions::new(&like.settings, "session.jsonl");
    let mut reader = TranscriptReader::new(TranscriptOptions { is_named: like.named, ..options });
    reader.feed(&lines.bytes, each);
    reader.finish(each)
}

fn verdicts(
    number: usize,
    session: &Session<'_>,
    lines: &SessionLines,
    turn: &TurnReport,
) -> Vec<SessionVerdict> {
    let own = lines.turn_of_line(turn.record).and_then(|at| session.turns.get(at));
    let of = |verdict: &VerdictReport| SessionVerdict {
        session: number,
        turn: own.map_or(0, |own| own.turn),
        request: verdict.request.clone(),
        action: verdict.action.clone(),
        target: verdict.target.clone(),
        payload: verdict.payload.clone(),
        verdict: verdict.verdict.clone(),
        why: verdict.why.clone(),
        rule: verdict.rule.clone(),
        proof: proof(&verdict.because),
    };
    turn.all_verdicts().map(of).collect()
}

/// Formats proofs as indented lines.
fn proof(trees: &[ProofTree]) -> String {
    fn add(tree: &ProofTree, level: usize, out: &mut String) {
        let by = tree.by.as_ref().map_or(String::new(), |by| format!("  by {by}"));
        let _ = writeln!(out, "{:level$}{}{by}", "", tree.fact);
        tree.because.iter().for_each(|inner| add(inner, level + 2, out));
    }
    let mut out = String::new();
    trees.iter().for_each(|tree| add(tree, 0, &mut out));
    out
}

/// The prefill is empty.
static NOTHING: LazyLock<Prefill> = LazyLock::new(Prefill::default);

/// The replay of a batch is never canceled.
static NEVER: LazyLock<Cancel> = LazyLock::new(Cancel::new);
