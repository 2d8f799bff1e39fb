//! Pinning of an inferred protocol version (profile) in the configuration file.

use mangle_host::workspace::SnapshotTranscript;
use mangle_ide::transcripts::profile_at;
use mangle_settings::Profile;
use mangle_syntax::text::{FileId, TextSize};

/// The text to insert, and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pin {
    pub(super) file: FileId,
    pub(super) profile: Profile,
}

/// Returns the pin for the envelope at an offset. Returns `None` if the settings already have a
/// profile, or without a configuration file.
pub(super) fn pin(transcript: &SnapshotTranscript, at: TextSize) -> Option<Pin> {
    let file = transcript.configuration.filter(|_| transcript.settings.profile.is_none())?;
    Some(Pin { file, profile: profile_at(transcript.opened(), at)? })
}
