//! The shapes that records have.

use std::fmt;

/// The forms of records that are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordShape {
    /// An envelope by itself.
    Envelope,
    /// A message of a chat, or several.
    Chat,
    /// An answer of a model's API.
    Provider,
    /// A piece of one.
    Delta,
    /// A session that was stored.
    Session,
    /// A row of traces.
    Trace,
    /// An entry of the audit log.
    Audit,
    /// An entry of another log.
    Log,
    /// A record of a shape that the settings declare.
    Declared,
    /// A record of an unknown format in which a reply was found by its keys.
    Unknown,
}

impl RecordShape {
    /// The word for several of them. Messages, answers and their pieces go together.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Envelope => "envelopes",
            Self::Chat | Self::Provider | Self::Delta => "chat records",
            Self::Session => "sessions",
            Self::Trace => "traces",
            Self::Audit => "audit entries",
            Self::Log => "log entries",
            Self::Declared => "records of a declared shape",
            Self::Unknown => "records of an unknown format",
        }
    }
}

impl fmt::Display for RecordShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.plural())
    }
}
