//! Recognized formats of single records.

use std::fmt;

/// Recognized formats of single records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordShape {
    /// A bare envelope.
    Envelope,
    /// One or more chat messages.
    Chat,
    /// A response of a model API.
    Provider,
    /// A streamed chunk of a response.
    Delta,
    /// A stored session.
    Session,
    /// A row of traces.
    Trace,
    /// An entry of the audit log.
    Audit,
    /// An entry of another log.
    Log,
    /// A record of a shape from the settings.
    Declared,
    /// A record of an unknown format with a reply that was found by its keys.
    Unknown,
}

impl RecordShape {
    /// The plural noun for messages. Messages, responses and chunks share one noun.
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
