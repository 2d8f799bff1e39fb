//! Replayed sessions as output: plain records of what became of each turn, and from them text for a terminal, lines of
//! JSON, Markdown and a page of HTML.
//!
//! Takes turns as [`replay`](agent_replay) gives them, the places of clauses, and findings as `check --format json` writes
//! them; gives strings.

mod build;
mod check_report;
mod html;
mod markdown;
mod markup;
mod page;
mod problems;
mod summary;
#[cfg(test)]
mod tests;
mod text;

pub use build::{TurnPlaces, atom, turn};
pub use check_report::{CheckReport, TurnStart};
pub use html::{MOST_TURNS, html};
pub use markdown::markdown;
pub use page::Page;
pub use summary::{ReplaySummary, RuleCoverage, summary_text};
pub use text::{finding_lines, plain_text, text};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use agent_replay::safety_notice;
use piggyback::envelope::secrets::are_shown;

/// True if a count is left out of JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The requests of a turn without a verdict, in words.
fn unjudged(count: usize) -> String {
    format!("{}: no rule permits requests", counted(count, "request"))
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnReport {
    /// What output calls the transcript.
    pub file: String,
    /// The number of the answer.
    pub turn: u64,
    /// The number of its record.
    pub record: u64,
    /// The line that its record begins at.
    pub line: u32,
    /// Where its envelope begins, else it, in bytes of the transcript.
    pub start: u64,
    /// The time of its record, as RFC 3339; `None` where nothing tells it.
    pub time: Option<String>,
    /// What the user said before, cut.
    pub asked: Option<String>,
    /// The stage that read it: `P1` to `P5`; `None` where only the surface is known.
    pub stage: Option<String>,
    /// What the runtime calls that.
    pub method: Option<String>,
    /// True if the runtime reads it on its path of native tool calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub native_path: bool,
    pub surface: SurfaceReport,
    /// What became of its updates.
    pub atoms: Vec<AtomReport>,
    /// What became of its memory operations.
    pub memory: Vec<MemoryReport>,
    /// What its self-correction leads to.
    pub self_correction: Option<CorrectionReport>,
    /// The verdict about the whole of it.
    pub envelope: Option<VerdictReport>,
    /// The verdicts about its requests.
    pub verdicts: Vec<VerdictReport>,
    /// The number of requests without a verdict.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unjudged: usize,
    pub state: StateReport,
    /// Why the evaluation ended before it was done.
    pub stopped: Option<String>,
    /// Verdicts that another policy gives instead.
    pub compared: Vec<VerdictComparison>,
    /// What the replay found, as `check --format json` writes it.
    pub findings: Vec<Value>,
    /// What `check` finds in it; empty unless that was wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurfaceReport {
    /// What the model wrote.
    pub original: String,
    /// What the user reads.
    pub shown: String,
    /// Why that is something else.
    pub reason: Option<String>,
    /// The reason of a safety notice that the runtime does not show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_notice: Option<String>,
}

impl SurfaceReport {
    /// The notice that the runtime does not show, with the cause.
    fn hidden(&self) -> Option<String> {
        let reason = self.hidden_notice.as_ref()?;
        let why = "the runtime does not show the notice on the path of native tool calls";
        Some(format!("{}: {why}", safety_notice(reason)))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AtomReport {
    /// Its index; `None` where it was filled in.
    pub index: Option<usize>,
    pub text: String,
    /// `asserted`, `passed`, `dropped`, `blocked`, `blank`, `withdrawn` or `not_taken`.
    pub fate: String,
    /// The same in words.
    pub why: String,
    /// The fact that it is to the kernel.
    pub fact: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryReport {
    pub op: String,
    pub key: String,
    /// What it does, in words.
    pub effect: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrectionReport {
    /// What the model thinks went wrong.
    pub hypothesis: String,
    /// Whether it stays a fact.
    pub kept: bool,
    /// What the policy does about it.
    pub actions: Vec<ProofTree>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerdictReport {
    /// What the packet calls the request.
    pub request: String,
    /// Its index in the packet; `None` for the reply as a whole.
    pub index: Option<usize>,
    /// What is to be done.
    pub action: String,
    pub target: String,
    pub payload: String,
    /// `PERMIT` or `DENY`.
    pub verdict: String,
    /// Who decides: `1`, `2` or `gate`.
    pub lock: String,
    /// Why, in a sentence.
    pub why: String,
    /// Where the clause stands that decides.
    pub rule: Option<String>,
    /// The store in which it decides, if the runtime has stores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// Proofs.
    pub because: Vec<ProofTree>,
    /// What each rule lacks.
    pub why_not: Vec<ObstacleReport>,
    /// What replies of the session did that the permission rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<ReplyFactReport>,
    /// Why the request would be denied without that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<String>,
}

/// A fact that a reply asserted, or made the kernel forget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplyFactReport {
    pub fact: String,
    /// Where it comes from: `turn 1, update 2`.
    pub from: String,
    /// `grants`: it is part of the proof; `lifts`: it removes what would deny the request.
    pub does: String,
}

impl VerdictReport {
    /// What tells the request from others: its target, else its payload.
    #[must_use]
    pub fn object(&self) -> &str {
        match self.target.as_str() {
            "" | "unknown" => &self.payload,
            target => target,
        }
    }

    /// Whether it is a permission.
    #[must_use]
    pub fn is_permitted(&self) -> bool {
        self.verdict == "PERMIT"
    }

    /// Whether it is a permission that replies of the session gave themselves.
    #[must_use]
    pub fn is_self_granted(&self) -> bool {
        self.is_permitted() && !self.rests_on.is_empty()
    }
}

/// A fact and what it follows from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProofTree {
    /// The fact; for a built-in the condition.
    pub fact: String,
    /// What makes it hold: `rule`, `fact`, `session`, `absent`, `dropped`, `holds`, `group`, `above`.
    pub kind: String,
    /// The clause that gives it, or the turn that asserted it.
    pub by: Option<String>,
    /// What it follows from.
    pub because: Vec<ProofTree>,
}

/// What a rule lacks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObstacleReport {
    /// Where the rule stands.
    pub rule: String,
    /// The store in which it was tried, if the runtime has stores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// The first premise that has no solution.
    pub first_failing_literal: String,
    /// Facts that come near; for a negation, what there is.
    pub near: Vec<String>,
}

impl ObstacleReport {
    /// The place of the rule, with the store.
    fn place(&self) -> String {
        let store = self.store.as_ref().map(|store| format!(" in store {store}")).unwrap_or_default();
        format!("{}{store}", self.rule)
    }
}

/// What a turn changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateReport {
    /// Facts that hold now.
    pub added: Vec<FactReport>,
    /// Facts that hold no more.
    pub removed: Vec<String>,
    /// How many hold now and did not.
    pub added_count: usize,
    /// How many did and do not.
    pub removed_count: usize,
}

/// A fact that holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactReport {
    pub fact: String,
    /// The clause that gives it; `None` where the session asserted it.
    pub by: Option<String>,
}

/// A verdict that is another one under another policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerdictComparison {
    /// What the packet calls the request.
    pub request: String,
    /// What is to be done.
    pub action: String,
    /// To what; where the target does not tell, how.
    pub target: String,
    pub here: String,
    pub there: String,
    pub why: String,
}

impl TurnReport {
    /// It with what looks like a credential masked, unless output shows that.
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

/// The member of a finding that is text.
fn said<'f>(finding: &'f Value, name: &str) -> &'f str {
    finding.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// `1 fact`, `2 facts`
fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}
