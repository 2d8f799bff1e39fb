//! The reply that a session currently checks.

use crate::transcript::digest::{Digest, ReplyDigest, TurnSite};
use crate::transcript::finding::TranscriptFinding;
use mangle_settings::Profile;
use mangle_syntax::lint::Finding;

/// A reply among the turns of a session.
#[derive(Clone, Copy)]
pub(super) struct CurrentTurn<'d> {
    /// Number of the answer, starting at 1.
    pub(super) turn: u64,
    pub(super) site: TurnSite,
    pub(super) digest: &'d Digest,
    pub(super) reply: &'d ReplyDigest,
    /// The configured profile if any, otherwise the inferred profile.
    pub(super) profile: Option<Profile>,
}

impl CurrentTurn<'_> {
    pub(super) fn found(&self, finding: Finding, pointer: impl Into<String>) -> TranscriptFinding {
        self.digest.found(self.site, finding, pointer)
    }
}
