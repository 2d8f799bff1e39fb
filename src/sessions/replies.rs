//! The replies in sessions as parsed by the runtime, with the members of their control packets as
//! columns.

use rayon::prelude::*;
use serde_json::Value;

use super::verdicts::each_record;
use super::{Checker, Session};
use mangle_host::{Accounts, TranscriptPrograms};
use mangle_report::replies::{TranscriptReply, parsed, without_secrets};

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
