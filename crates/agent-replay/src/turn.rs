//! Report of a replayed reply: updates, verdicts with their reasons, and state changes.

use super::origins::SessionOrigin;
use mangle_engine::kernel::{Kernel, Miss, Proof, RuleId, Stop};
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

/// The authority that decides a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Authority {
    /// The runtime itself, before the policy is evaluated.
    Filter,
    /// The rules of the constitution.
    Constitution,
    /// The gate before the constitution, with its own lists.
    Gate,
}

impl Authority {
    /// The name in JSON output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Filter => "1",
            Self::Constitution => "2",
            Self::Gate => "gate",
        }
    }
}

/// The location of a request, as ranges of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestPlace {
    /// The name of the tool. Fallback: the whole request.
    pub name: TextRange,
    /// The whole request, including its braces.
    pub whole: TextRange,
}

/// The decision about a request, with its derivation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The index of the request in the packet; `None` for the whole reply.
    pub index: Option<usize>,
    /// The location of the request, if found.
    pub place: Option<RequestPlace>,
    /// The id of the request in the packet.
    pub id: String,
    /// The requested action, as a name.
    pub action: String,
    /// The target of the action, as text.
    pub target: String,
    /// The arguments of the action, as JSON.
    pub payload: String,
    /// True if the request is permitted.
    pub is_permitted: bool,
    /// The authority that decided.
    pub lock: Authority,
    /// The reason, as a sentence without a final period.
    pub why: String,
    /// The facts of the decision with their proofs: the permission, or the facts against the
    /// request.
    pub because: Vec<Proof>,
    /// For a denial, the failed premise of each rule that could have permitted the request.
    pub why_not: Vec<Miss>,
    /// The deciding clause, if any.
    pub rule: Option<RuleId>,
    /// The store of the deciding clause, if the runtime has stores.
    pub store: Option<&'static str>,
    /// The appeal that overrides a rejection of the gate before the constitution.
    pub appeal: Option<String>,
    /// True if the permission depends on an override in every proof.
    pub is_lifted: bool,
    /// The dependence of the permission on replies of the session.
    pub reliance: Reliance,
}

impl Verdict {
    /// `PERMIT` or `DENY`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        if self.is_permitted { "PERMIT" } else { "DENY" }
    }
}

/// The dependence of a permission on replies of the session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reliance {
    /// The facts of replies that are part of the permission, with their origins.
    pub granting: Vec<(String, SessionOrigin)>,
    /// The facts of replies that override a denial.
    pub overriding: Vec<(String, SessionOrigin)>,
    /// The reason for a denial without these facts, as the end of a sentence.
    pub denial: Option<String>,
}

/// The maximum number of added and of removed facts to keep. All facts are counted.
pub const MAX_SHOWN: usize = 200;

/// The difference between the state before and after a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateChange {
    /// The added facts, asserted ones first.
    pub added: Vec<StateFact>,
    /// The removed facts, as the engine prints them.
    pub removed: Vec<String>,
    /// The number of added facts.
    pub added_count: usize,
    /// The number of removed facts.
    pub removed_count: usize,
}

/// The approximate maximum size of the kept facts of each side, in bytes. All facts are counted.
const MAX_BYTES: usize = 1 << 16;

/// A fact that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFact {
    /// The fact as the engine prints it.
    pub fact: String,
    /// The clause of the fact; [`RuleId::ASSERTED`] for an asserted fact.
    pub rule: RuleId,
}

impl StateChange {
    /// The difference to the mark of a kernel.
    pub(super) fn from_kernel(kernel: &Kernel) -> Self {
        let (compiled, model) = (kernel.compiled(), kernel.model());
        let (mut change, mut bytes) = (Self::default(), (0, 0));
        for one in kernel.differences() {
            change.added_count += one.added.len();
            change.removed_count += one.removed.len();
            let Some(relation) = model.relation(one.predicate) else { continue };
            for number in &one.added {
                if change.added.len() == MAX_SHOWN || bytes.0 >= MAX_BYTES {
                    break;
                }
                let fact = model.fact(compiled, one.predicate, relation.tuple(*number));
                bytes.0 += fact.len();
                let reason = model.derivation(one.predicate, *number);
                change
                    .added
                    .push(StateFact { fact, rule: reason.map_or(RuleId::ASSERTED, |reason| reason.rule) });
            }
            for tuple in &one.removed {
                if change.removed.len() == MAX_SHOWN || bytes.1 >= MAX_BYTES {
                    break;
                }
                let fact = model.fact(compiled, one.predicate, tuple);
                bytes.1 += fact.len();
                change.removed.push(fact);
            }
        }
        // Asserted facts come before derived facts.
        change.added.sort_by_key(|held| held.rule != RuleId::ASSERTED);
        change.removed.sort_unstable();
        change
    }

    /// True without changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added_count + self.removed_count == 0
    }
}
