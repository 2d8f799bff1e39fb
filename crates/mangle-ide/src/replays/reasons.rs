//! Size-limited lines of proofs and missing premises.

use agent_replay::{Constitution, SessionOrigin};
use mangle_engine::kernel::{Ground, Miss, Obstacle, Proof, RuleId};
use mangle_syntax::text::{FileId, StatementId};

/// Maximum number of lines per verdict.
const MAX_LINES: usize = 24;

/// Maximum length of a fact, in characters.
const MAX_LEN: usize = 160;

/// Maximum depth of an expanded proof.
const MAX_DEPTH: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofLine {
    /// Nesting depth.
    pub depth: usize,
    /// The fact or condition, truncated.
    pub text: String,
    /// Origin of the fact or condition.
    pub by: ReasonSource,
}

/// Origin of a proof line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasonSource {
    Clause(FileId, StatementId),
    /// A fact asserted by the session.
    Session(Option<SessionOrigin>),
    /// The absence of a fact.
    Absent,
    /// A premise that the engine ignores.
    Dropped,
    Itself,
}

/// Missing premise of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleObstacle {
    pub clause: Option<(FileId, StatementId)>,
    /// The first premise without a solution, truncated.
    pub text: String,
    /// Facts similar to the premise. For a negation, the facts that contradict it.
    pub near: Vec<String>,
}

/// Returns the proofs of a verdict as lines.
pub(super) fn reasons(
    proofs: &[Proof],
    constitution: &Constitution,
    origin: &dyn Fn(&str) -> Option<SessionOrigin>,
) -> Vec<ProofLine> {
    let mut lines = Vec::new();
    for proof in proofs {
        let mut told = vec![false; proof.nodes.len()];
        let mut unfolding = Unfolding { proof, constitution, origin, told: &mut told, lines: &mut lines };
        unfolding.node(0, 0);
    }
    lines
}

struct Unfolding<'p> {
    proof: &'p Proof,
    constitution: &'p Constitution,
    origin: &'p dyn Fn(&str) -> Option<SessionOrigin>,
    told: &'p mut [bool],
    lines: &'p mut Vec<ProofLine>,
}

impl Unfolding<'_> {
    fn node(&mut self, at: usize, depth: usize) {
        let Some(node) = self.proof.nodes.get(at) else { return };
        let by = match clause(self.constitution, node.rule) {
            Some((file, statement)) => ReasonSource::Clause(file, statement),
            None => ReasonSource::Session((self.origin)(&node.fact)),
        };
        self.line(depth, &node.fact, by);
        let is_told = self.told.get_mut(at).is_none_or(|told| std::mem::replace(told, true));
        if is_told || depth >= MAX_DEPTH {
            return;
        }
        for step in &node.steps {
            match &step.ground {
                Ground::Fact(at) => self.node(*at, depth + 1),
                Ground::Absent(fact) => self.line(depth + 1, fact, ReasonSource::Absent),
                Ground::Dropped(text) => self.line(depth + 1, text, ReasonSource::Dropped),
                Ground::Holds(text) => self.line(depth + 1, text, ReasonSource::Itself),
                Ground::Rows { first, .. } => first.iter().for_each(|row| self.node(*row, depth + 1)),
            }
        }
    }

    fn line(&mut self, depth: usize, text: &str, by: ReasonSource) {
        if self.lines.len() < MAX_LINES {
            self.lines.push(ProofLine { depth, text: cut(text), by });
        }
    }
}

/// Returns the missing premises of rules.
pub(super) fn lacking(misses: &[Miss], constitution: &Constitution) -> Vec<RuleObstacle> {
    let of = |miss: &Miss| {
        let (text, near) = match &miss.obstacle {
            Obstacle::Head { argument, has } => (format!("argument {} is {has}", argument + 1), &[][..]),
            Obstacle::Premise { asked, near, .. } => (asked.clone(), near.as_slice()),
            Obstacle::Groups { near } => ("no group".to_owned(), near.as_slice()),
            Obstacle::TooMany => ("too many combinations".to_owned(), &[][..]),
        };
        let near = near.iter().take(2).map(|fact| cut(fact)).collect();
        RuleObstacle { clause: clause(constitution, miss.rule), text: cut(&text), near }
    };
    misses.iter().take(MAX_LINES / 3).map(of).collect()
}

fn clause(constitution: &Constitution, rule: RuleId) -> Option<(FileId, StatementId)> {
    constitution.compiled.rule(rule).map(|rule| (rule.file, rule.statement))
}

/// Truncates a text to one line.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_LEN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
