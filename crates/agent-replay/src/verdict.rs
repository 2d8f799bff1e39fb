//! A verdict: what was asked for, whether it is permitted, and why or why not.

use crate::session_origin::SessionOrigin;
use mangle_engine::kernel::{Miss, Proof, RuleId};
use mangle_syntax::text::TextRange;

/// Who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lock {
    /// The runtime itself, before any policy is asked.
    Filter,
    /// Rules of the constitution decide.
    Constitution,
    /// The gate in front of the constitution, with lists of its own.
    Gate,
}

impl Lock {
    /// The word for it in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Filter => "1",
            Self::Constitution => "2",
            Self::Gate => "gate",
        }
    }
}

/// Where a request stands, in the bytes of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestPlace {
    /// The name of the tool, else all of it.
    pub name: TextRange,
    /// The whole request, from its opening brace to its closing one.
    pub whole: TextRange,
}

/// The decision about one request, with what it follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The request: its index in the packet; `None` for the reply as a whole.
    pub index: Option<usize>,
    /// Where it stands; `None` where it cannot be found.
    pub place: Option<RequestPlace>,
    /// What the packet calls it.
    pub id: String,
    /// What is to be done, as a name.
    pub action: String,
    /// What the action is to be done to, as text.
    pub target: String,
    /// How, as JSON.
    pub payload: String,
    /// Whether it is permitted.
    pub is_permitted: bool,
    /// Who decides.
    pub lock: Lock,
    /// Why, in one sentence without its full stop.
    pub why: String,
    /// Facts that say so, each with its proof: the permission, or what speaks against it.
    pub because: Vec<Proof>,
    /// Of a denial: what each rule lacks that could have permitted it.
    pub why_not: Vec<Miss>,
    /// The clause that decides, where one does.
    pub rule: Option<RuleId>,
    /// The store in which that clause decides, if the runtime has stores.
    pub store: Option<&'static str>,
    /// The appeal for which the gate in front of the constitution said nothing, though it would have refused.
    pub appeal: Option<String>,
    /// Whether a permission rests on an override, whichever rule gives it.
    pub is_lifted: bool,
    /// What a permission owes to the replies of its session.
    pub reliance: Reliance,
}

impl Verdict {
    /// `PERMIT` or `DENY`
    #[must_use]
    pub fn word(&self) -> &'static str {
        if self.is_permitted { "PERMIT" } else { "DENY" }
    }
}

/// What a permission owes to the replies of its session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reliance {
    /// Facts that are part of what permits the request, each with its origin.
    pub granted: Vec<(String, SessionOrigin)>,
    /// Facts that lift what would deny the request.
    pub lifted: Vec<(String, SessionOrigin)>,
    /// Why the request would be denied otherwise, as the end of a sentence.
    pub denial: Option<String>,
}
