//! Verdict about a request, with its reasons.

use crate::session_origin::SessionOrigin;
use mangle_engine::kernel::{Miss, Proof, RuleId};
use mangle_syntax::text::TextRange;

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
