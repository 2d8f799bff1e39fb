//! Requests without a result. Their later results in the transcript are checked against the
//! verdicts.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::verdict::Verdict;

/// The maximum number of remembered requests.
const MAX_REQUESTS: usize = 10_000;

/// Phrases in results of runtimes that blocked a request.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestOutcome {
    Ran,
    Blocked,
}

impl RequestOutcome {
    /// The outcome according to the text of a tool result.
    pub(super) fn parse(text: &str) -> Self {
        let mut head: String = text.chars().take(400).collect();
        head.make_ascii_lowercase();
        if BLOCKS.iter().any(|words| head.contains(words)) { Self::Blocked } else { Self::Ran }
    }
}

#[derive(Debug, Clone)]
pub(super) struct PendingRequest {
    pub(super) turn: u64,
    pub(super) action: String,
    pub(super) is_permitted: bool,
}

/// The requests without a result, by id, oldest first.
///
/// An id that is reused after a user message starts a new queue. Older requests with this id get no
/// result.
#[derive(Debug, Default)]
pub(super) struct PendingRequests {
    by_id: FxHashMap<String, RequestQueue>,
    count: usize,
    /// The number of user messages.
    round: u64,
}

/// The requests of one id and one round.
#[derive(Debug, Default)]
struct RequestQueue {
    round: u64,
    asked: VecDeque<PendingRequest>,
}

impl PendingRequests {
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
        if self.count >= MAX_REQUESTS {
            return;
        }
        let asked =
            PendingRequest { turn, action: verdict.action.clone(), is_permitted: verdict.is_permitted };
        let waiting = self.by_id.entry(verdict.id.clone()).or_default();
        waiting.round = self.round;
        waiting.asked.push_back(asked);
        self.count += 1;
    }

    /// The request of a result.
    ///
    /// If several requests wait under an id, the match is ambiguous. The oldest request with a
    /// matching verdict is chosen, so that a reported mismatch is certain.
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
        assert_eq!(RequestOutcome::parse("3 tests passed"), RequestOutcome::Ran);
        assert_eq!(
            RequestOutcome::parse("tool call blocked by safety gate: delete_file"),
            RequestOutcome::Blocked
        );
        assert_eq!(RequestOutcome::parse("rm: permission denied"), RequestOutcome::Ran);
    }
}
