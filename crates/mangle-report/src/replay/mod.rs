//! Report of replayed sessions: terminal text, JSON lines, Markdown and an HTML page.
//!
//! The input is turns of [`replay`](agent_replay), locations of clauses, and findings in the format
//! of `check --format json`.

mod build;
mod html;
mod html_turn;
mod markdown;
mod summary;
#[cfg(test)]
mod tests;
mod text;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use agent_replay::safety_notice;
use piggyback::envelope::secrets::are_shown;

pub use build::{TurnPlaces, atom, turn};
pub use html::{MAX_TURNS, html};
pub use markdown::markdown;
pub use summary::Page;
pub use summary::{CheckReport, TurnStart};
pub use summary::{ReplaySummary, RuleCoverage, summary_text};
pub use text::{finding_lines, plain_text, text};

/// True if a count is omitted from JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn unjudged(count: usize) -> String {
    format!("{}: no rule permits requests", counted(count, "request"))
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnReport {
    /// The display name of the transcript.
    pub file: String,
    /// The number of the reply, from 1.
    pub turn: u64,
    /// The number of the record.
    pub record: u64,
    /// The first line of the record.
    pub line: u32,
    /// The byte offset of the envelope in the transcript. Fallback: the offset of the reply.
    pub start: u64,
    /// The time of the record in RFC 3339, if known.
    pub time: Option<String>,
    /// The preceding user message, truncated.
    pub asked: Option<String>,
    /// The extraction stage, `P1` to `P5`; `None` if only the surface is known.
    pub stage: Option<String>,
    /// The extraction method in the runtime.
    pub method: Option<String>,
    /// True if the runtime reads the reply on its path for native tool calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub native_path: bool,
    pub surface: SurfaceReport,
    /// The outcomes of the updates.
    pub atoms: Vec<AtomReport>,
    /// The effects of the memory operations.
    pub memory: Vec<MemoryReport>,
    /// The result of the self-correction.
    pub self_correction: Option<CorrectionReport>,
    /// The verdict about the whole reply.
    pub envelope: Option<VerdictReport>,
    pub verdicts: Vec<VerdictReport>,
    /// The number of requests without a verdict.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unjudged: usize,
    pub state: StateReport,
    /// The reason for an incomplete evaluation.
    pub stopped: Option<String>,
    /// Verdicts that differ under another policy.
    pub compared: Vec<VerdictComparison>,
    /// The findings of the replay, in the format of `check --format json`.
    pub findings: Vec<Value>,
    /// The findings of `check`; empty unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurfaceReport {
    /// The surface as the model wrote it.
    pub original: String,
    pub shown: String,
    /// The reason for a rewritten surface.
    pub reason: Option<String>,
    /// The reason of a safety notice that the runtime does not show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_notice: Option<String>,
}

impl SurfaceReport {
    /// The hidden notice with its cause.
    fn hidden(&self) -> Option<String> {
        let reason = self.hidden_notice.as_ref()?;
        let why = "the runtime does not show the notice on the path of native tool calls";
        Some(format!("{}: {why}", safety_notice(reason)))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AtomReport {
    /// The index of the update; `None` for a prefilled update.
    pub index: Option<usize>,
    pub text: String,
    /// `asserted`, `passed`, `dropped`, `blocked`, `blank`, `withdrawn` or `not_taken`.
    pub fate: String,
    /// The outcome as text.
    pub why: String,
    /// The asserted fact.
    pub fact: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryReport {
    pub op: String,
    pub key: String,
    /// The effect as text.
    pub effect: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrectionReport {
    pub hypothesis: String,
    /// True if the hypothesis stays asserted.
    pub kept: bool,
    pub actions: Vec<ProofTree>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerdictReport {
    /// The id of the request in the packet.
    pub request: String,
    /// The index of the request in the packet; `None` for the whole reply.
    pub index: Option<usize>,
    /// The requested action.
    pub action: String,
    pub target: String,
    pub payload: String,
    /// `PERMIT` or `DENY`.
    pub verdict: String,
    /// The deciding authority: `1`, `2` or `gate`.
    pub lock: String,
    /// The reason as a sentence.
    pub why: String,
    /// The location of the deciding clause.
    pub rule: Option<String>,
    /// The store of the deciding clause, if the runtime has stores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    pub because: Vec<ProofTree>,
    /// The failed premise of each rule.
    pub why_not: Vec<ObstacleReport>,
    /// The facts of replies that the permission depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<ReplyFactReport>,
    /// The reason for a denial without these facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<String>,
}

/// A fact that a reply asserted, or made the kernel forget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplyFactReport {
    pub fact: String,
    /// The origin, for example `turn 1, update 2`.
    pub from: String,
    /// `grants`: part of the proof. `lifts`: overrides a denial.
    pub does: String,
}

impl VerdictReport {
    /// The target of the request, or its payload if the target is unknown.
    #[must_use]
    pub fn object(&self) -> &str {
        match self.target.as_str() {
            "" | "unknown" => &self.payload,
            target => target,
        }
    }

    /// True for a permission.
    #[must_use]
    pub fn is_permitted(&self) -> bool {
        self.verdict == "PERMIT"
    }

    /// True for a permission that depends on facts of replies.
    #[must_use]
    pub fn is_self_granted(&self) -> bool {
        self.is_permitted() && !self.rests_on.is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProofTree {
    /// The fact, or the condition of a built-in predicate.
    pub fact: String,
    /// `rule`, `fact`, `session`, `absent`, `dropped`, `holds`, `group` or `above`.
    pub kind: String,
    /// The clause that derived the fact, or the turn that asserted it.
    pub by: Option<String>,
    /// The premises of the derivation.
    pub because: Vec<ProofTree>,
}

/// The failed premise of a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObstacleReport {
    /// The location of the rule.
    pub rule: String,
    /// The store of the evaluation, if the runtime has stores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// The first premise without a solution.
    pub first_failing_literal: String,
    /// Similar facts; for a negation, the matching facts.
    pub near: Vec<String>,
}

impl ObstacleReport {
    /// The location of the rule, with the store.
    fn place(&self) -> String {
        let store = self.store.as_ref().map(|store| format!(" in store {store}")).unwrap_or_default();
        format!("{}{store}", self.rule)
    }
}

/// The state changes of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateReport {
    pub added: Vec<FactReport>,
    /// The removed facts.
    pub removed: Vec<String>,
    /// The number of added facts.
    pub added_count: usize,
    /// The number of removed facts.
    pub removed_count: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactReport {
    pub fact: String,
    /// The clause that derived the fact; `None` for an asserted fact.
    pub by: Option<String>,
}

/// A verdict that differs under another policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerdictComparison {
    /// The id of the request in the packet.
    pub request: String,
    /// The requested action.
    pub action: String,
    /// The target, or the payload if the target is unknown.
    pub target: String,
    pub here: String,
    pub there: String,
    pub why: String,
}

impl TurnReport {
    /// The same report with masked credentials, unless output shows them.
    #[must_use]
    pub fn redacted(self) -> Self {
        if are_shown() {
            return self;
        }
        let value = serde_json::to_value(&self).map(super::replies::without_secrets);
        value.and_then(serde_json::from_value).unwrap_or(self)
    }

    pub fn all_verdicts(&self) -> impl Iterator<Item = &VerdictReport> {
        self.envelope.iter().chain(&self.verdicts)
    }
}

/// A text member of a finding.
fn text_member<'f>(finding: &'f Value, name: &str) -> &'f str {
    finding.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}
