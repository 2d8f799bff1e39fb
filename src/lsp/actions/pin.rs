//! The version of the protocol that an envelope was judged by without anybody having said so, to be said in the
//! configuration file.

use crate::host::workspace::SnapshotTranscript;
use crate::ide::transcripts::profile_at;
use mangle_settings::Profile;
use mangle_syntax::text::{FileId, TextSize};

/// What is to be written where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pin {
    pub(super) file: FileId,
    pub(super) profile: Profile,
}

/// The profile of the envelope at an offset; `None` where the settings have one, or where there is no configuration file.
pub(super) fn pin(transcript: &SnapshotTranscript, at: TextSize) -> Option<Pin> {
    let file = transcript.configuration.filter(|_| transcript.settings.profile.is_none())?;
    Some(Pin { file, profile: profile_at(transcript.opened(), at)? })
}
