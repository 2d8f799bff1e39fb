//! What became of a reply: its atoms, its verdicts, what it changed.

use super::session_origin::SessionOrigin;
use super::state::StateChange;
use super::verdict::Verdict;
use mangle_engine::kernel::{Proof, Stop};
use mangle_syntax::text::TextRange;
use piggyback::envelope::account::AccountEntry;
use piggyback::envelope::runtime::Stage;

/// A reply, replayed.
#[derive(Debug)]
pub struct Turn {
    /// The number of the answer, from 1 on.
    pub number: u64,
    /// The number of its record.
    pub record: u64,
    /// Where its envelope begins, else it, in the bytes of its record.
    pub place: TextRange,
    /// The time of its record, else that of the one before it, in nanoseconds since 1970.
    pub now_ns: i64,
    /// Whether its own record tells the time.
    pub is_dated: bool,
    /// What the user said since the last answer, cut.
    pub asked: Option<String>,
    /// How the runtime found the envelope; `None` where its strict mode refuses the reply, or nothing but the surface is
    /// known.
    pub stage: Option<Stage>,
    /// What the model wanted to show.
    pub surface: String,
    /// What is shown in its place, where something is refused.
    pub rewritten: Option<SurfaceRewrite>,
    /// True if the runtime reads the reply on its path of native tool calls.
    pub is_native: bool,
    /// The reason of the safety notice that the path of native tool calls does not show.
    pub hidden_notice: Option<String>,
    /// Its updates, in their order.
    pub atoms: Vec<AccountEntry>,
    /// Its memory operations, and what they do to the kernel.
    pub memory: Vec<MemoryChange>,
    /// What its self-correction leads to.
    pub correction: Option<Correction>,
    /// The verdict about the whole of it, where the policy denies that.
    pub envelope: Option<Verdict>,
    /// What would deny the whole of it, had the replies of the session not lifted that.
    pub unblocked: Option<LiftedDenial>,
    /// The verdicts about its tool requests, in their order.
    pub verdicts: Vec<Verdict>,
    /// The number of requests without a verdict, because no rule permits requests.
    pub unjudged: usize,
    /// What it changed.
    pub change: StateChange,
    /// Why the evaluation ended before it was done.
    pub stopped: Option<Stop>,
}

/// A surface that the user does not see as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceRewrite {
    /// The text that the user reads instead.
    pub shown: String,
    /// Why the surface was rewritten, for people.
    pub reason: String,
    /// Whether nothing is left of what the model wrote.
    pub is_replaced: bool,
}

/// The notice that the reference runtime puts in front of a surface.
#[must_use]
pub fn safety_notice(reason: &str) -> String {
    format!("[SAFETY NOTICE: {reason}]")
}

/// A denial of a whole reply that its session lifted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiftedDenial {
    /// The facts of replies that lift it, each with its origin.
    pub facts: Vec<(String, SessionOrigin)>,
    /// The fact that would deny the reply, quoted.
    pub denial: String,
    /// The proof of the fact that would deny the reply.
    pub proof: Proof,
}

/// A memory operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryChange {
    /// What is done.
    pub op: String,
    /// The key in the memory that the operation changes.
    pub key: String,
    /// What the runtime makes of it.
    pub effect: Effect,
}

/// What a memory operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It goes into a store outside of the kernel.
    Stored,
    /// So many facts of the predicate that it names are taken away.
    Forgot(usize),
    /// It becomes a fact `memory_operation(Op, Key, Value)`. Nothing is stored or taken away.
    Asserted,
    /// It would become such a fact, but the policy does not declare the predicate, so that no rule reads it.
    Undeclared,
    /// The runtime does nothing with it.
    Nothing,
}

/// A self-correction, and what it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// What the model thinks went wrong.
    pub hypothesis: String,
    /// Whether the hypothesis stays a fact.
    pub is_kept: bool,
    /// What to do, sorted: the fact, and why it holds.
    pub actions: Vec<(String, Proof)>,
}
