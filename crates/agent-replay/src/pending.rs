//! Requests whose results may still come: what the transcript shows of them is held against the verdicts.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::verdict::Verdict;

/// How many requests are remembered.
const MOST: usize = 10_000;

/// By which words a runtime says that it ran nothing.
const BLOCKS: [&str; 8] = [
    "blocked by safety gate",
    "blocked by the safety gate",
    "blocked by constitution",
    "blocked by the constitution",
    "denied by policy",
    "not permitted by",
    "permission denied by",
    "safety notice",
];

/// What a transcript shows of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestOutcome {
    /// There is a result.
    Ran,
    /// It was refused.
    Blocked,
}

impl RequestOutcome {
    /// What the text of a tool says.
    pub(super) fn of(text: &str) -> Self {
        let mut head: String = text.chars().take(400).collect();
        head.make_ascii_lowercase();
        if BLOCKS.iter().any(|words| head.contains(words)) { Self::Blocked } else { Self::Ran }
    }
}

/// A request that was judged.
#[derive(Debug, Clone)]
pub(super) struct PendingRequest {
    pub(super) turn: u64,
    pub(super) action: String,
    pub(super) is_permitted: bool,
}

/// The requests of each id without a result, the oldest first. An id that is used again once the user has spoken is
/// used anew: what waited under it before gets no result any more.
#[derive(Debug, Default)]
pub(super) struct PendingRequests {
    by_id: FxHashMap<String, RequestQueue>,
    count: usize,
    /// How often the user has spoken.
    round: u64,
}

/// The requests of one id and one round.
#[derive(Debug, Default)]
struct RequestQueue {
    round: u64,
    asked: VecDeque<PendingRequest>,
}

impl PendingRequests {
    /// The user speaks.
    pub(super) fn user(&mut self) {
        self.round += 1;
    }

    pub(super) fn add(&mut self, turn: u64, verdict: &Verdict) {
        if verdict.id.is_empty() {
            return;
        }
        if self.by_id.get(&verdict.id).is_some_and(|waiting| waiting.round != self.round) {
            let old = self.by_id.remove(&verdict.id).unwrap_or_default();
            self.count -= old.asked.len();
        }
        if self.count >= MOST {
            return;
        }
        let asked =
            PendingRequest { turn, action: verdict.action.clone(), is_permitted: verdict.is_permitted };
        let waiting = self.by_id.entry(verdict.id.clone()).or_default();
        waiting.round = self.round;
        waiting.asked.push_back(asked);
        self.count += 1;
    }

    /// The request that a result belongs to. Of several that wait under an id nobody can tell which it is: it is the oldest that
    /// the result goes with, so that what is found of it is certain.
    pub(super) fn take(&mut self, id: &str, outcome: RequestOutcome) -> Option<PendingRequest> {
        let waiting = self.by_id.get_mut(id)?;
        let goes_with = |asked: &PendingRequest| asked.is_permitted == (outcome == RequestOutcome::Ran);
        let asked = waiting.asked.remove(waiting.asked.iter().position(goes_with).unwrap_or(0))?;
        self.count -= 1;
        if waiting.asked.is_empty() {
            self.by_id.remove(id);
        }
        Some(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_says() {
        assert_eq!(RequestOutcome::of("3 tests passed"), RequestOutcome::Ran);
        assert_eq!(
            RequestOutcome::of("tool call blocked by safety gate: delete_file"),
            RequestOutcome::Blocked
        );
        assert_eq!(RequestOutcome::of("rm: permission denied"), RequestOutcome::Ran);
    }
}
