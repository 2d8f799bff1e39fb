//! Report of a replayed reply: updates, verdicts and state changes.

use super::session_origin::SessionOrigin;
use super::state::StateChange;
use super::verdict::Verdict;
use mangle_engine::kernel::{Proof, Stop};
use mangle_syntax::text::TextRange;
use piggyback::envelope::account::AccountEntry;
use piggyback::envelope::runtime::Stage;

/// A replayed reply.
#[derive(Debug)]
pub struct Turn {
    /// The number of the reply, from 1.
    pub number: u64,
    /// The number of the record.
    pub record: u64,
    /// The start of the envelope as a range of the record. Fallback: the start of the reply.
    pub place: TextRange,
    /// The time of the record in nanoseconds since 1970. Fallback: the time of the previous record.
    pub now_ns: i64,
    /// True if the record has a time of its own.
    pub is_dated: bool,
    /// The user message since the last reply, truncated.
    pub asked: Option<String>,
    /// The extraction stage of the envelope. `None` if strict mode rejects the reply, or if only
    /// the surface is known.
    pub stage: Option<Stage>,
    /// The surface as the model wrote it.
    pub surface: String,
    /// The rewritten surface, if an update or a request is denied.
    pub rewritten: Option<SurfaceRewrite>,
    /// True if the runtime reads the reply on its path for native tool calls.
    pub is_native: bool,
    /// The reason of a safety notice that the path for native tool calls does not show.
    pub hidden_notice: Option<String>,
    /// The updates in order.
    pub atoms: Vec<AccountEntry>,
    /// The memory operations with their effects.
    pub memory: Vec<MemoryChange>,
    /// The result of the self-correction.
    pub correction: Option<Correction>,
    /// The verdict about the whole reply, if the policy denies it.
    pub envelope: Option<Verdict>,
    /// The denial of the whole reply that facts of the session override.
    pub unblocked: Option<LiftedDenial>,
    /// The verdicts about tool requests, in order.
    pub verdicts: Vec<Verdict>,
    /// The number of requests without a verdict, because no rule permits requests.
    pub unjudged: usize,
    /// The state changes.
    pub change: StateChange,
    /// The reason for an incomplete evaluation.
    pub stopped: Option<Stop>,
}

/// A surface that the user reads in another form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceRewrite {
    /// The text that the user reads.
    pub shown: String,
    /// The reason as human-readable text.
    pub reason: String,
    /// True if the text of the model is completely replaced.
    pub is_replaced: bool,
}

/// The notice that the reference runtime puts before a surface.
#[must_use]
pub fn safety_notice(reason: &str) -> String {
    format!("[SAFETY NOTICE: {reason}]")
}

/// A denial of a whole reply that facts of the session override.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiftedDenial {
    /// The overriding facts with their origins.
    pub facts: Vec<(String, SessionOrigin)>,
    /// The fact that would deny the reply, quoted.
    pub denial: String,
    /// The proof of the fact that would deny the reply.
    pub proof: Proof,
}

/// A memory operation with its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryChange {
    /// The operation.
    pub op: String,
    /// The key in the memory.
    pub key: String,
    /// The effect in the runtime.
    pub effect: Effect,
}

/// The effect of a memory operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Writes to a store outside of the kernel.
    Stored,
    /// Removes this number of facts of the named predicate.
    Forgot(usize),
    /// Asserts a fact `memory_operation(Op, Key, Value)`. Nothing is stored or removed.
    Asserted,
    /// Asserts such a fact, but the policy does not declare the predicate, so no rule uses it.
    Undeclared,
    /// No effect in the runtime.
    Nothing,
}

/// A self-correction with its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The hypothesis of the model.
    pub hypothesis: String,
    /// True if the hypothesis stays asserted.
    pub is_kept: bool,
    /// The recovery actions, sorted: the fact, and its proof.
    pub actions: Vec<(String, Proof)>,
}
