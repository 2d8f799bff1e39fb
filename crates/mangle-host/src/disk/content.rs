//! Kinds of file contents and their size limits. `docs/limits.md` has the same numbers.

use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A policy, configuration, session file, prompt atom file, tool catalog or baseline.
    Text,
    /// Ignore files of git, and the files of git that contain the paths of ignore files.
    Patterns,
    /// A table of facts.
    Facts,
    /// A transcript or an archive of transcripts. The limit also applies to the decompressed size.
    Transcript,
}

impl Content {
    pub const ALL: [Self; 4] = [Self::Text, Self::Patterns, Self::Facts, Self::Transcript];

    /// Returns the maximum size, in bytes.
    #[must_use]
    pub const fn limit(self) -> u64 {
        match self {
            Self::Text => 16 << 20,
            Self::Patterns => 1 << 20,
            Self::Facts => 4 << 30,
            Self::Transcript => 16 << 30,
        }
    }
}

/// A file exceeds the size limit of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it has {}; files of up to {} are read", size(*.len), size(*.limit))]
pub struct TooLong {
    /// The size in bytes, or the known part of it.
    pub len: u64,
    /// In bytes.
    pub limit: u64,
}

impl TooLong {
    /// Returns the value that is wrapped in an I/O error, if any.
    #[must_use]
    pub fn from_error(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<TooLong> for io::Error {
    fn from(error: TooLong) -> Self {
        Self::new(io::ErrorKind::FileTooLarge, error)
    }
}

/// Formats a number of bytes in the largest unit with a value of at least two, rounded up.
pub(crate) fn size(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = units.into_iter().find(|(_, shift)| bytes >= 2 << shift || bytes == 1 << shift);
    match unit {
        Some((unit, shift)) => format!("{} {unit}", bytes.div_ceil(1 << shift)),
        None => format!("{bytes} bytes"),
    }
}

/// Returns the system message of an I/O error, without number and path.
#[must_use]
pub fn plain(error: &io::Error) -> String {
    let text = match (error.raw_os_error(), error.get_ref()) {
        (Some(_), _) => error.to_string(),
        (None, Some(own)) => own.to_string(),
        (None, None) => error.kind().to_string(),
    };
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}
