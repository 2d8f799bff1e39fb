//! What files are read as, and how long each kind may be. `docs/limits.md` has the same numbers.

use std::io;

/// What the bytes of a file are taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A policy, a configuration, a session file, prompt atoms, a catalogue of tools, a baseline.
    Text,
    /// Patterns of files that git ignores, and what of git's own files says where they are.
    Patterns,
    /// A table of facts.
    Facts,
    /// A transcript or an archive of them; decompressed it may have as many bytes.
    Transcript,
}

impl Content {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Text, Self::Patterns, Self::Facts, Self::Transcript];

    /// The most bytes that are read of such a file.
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

/// A file has more bytes than are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it has {}; files of up to {} are read", size(*.len), size(*.limit))]
pub struct TooLong {
    /// How many bytes it has, as far as that is known.
    pub len: u64,
    /// How many are read.
    pub limit: u64,
}

impl TooLong {
    /// The length that an error is about, if it is this one.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<TooLong> for io::Error {
    fn from(error: TooLong) -> Self {
        Self::new(io::ErrorKind::FileTooLarge, error)
    }
}

/// A number of bytes in the largest unit that it has at least two of, rounded up.
pub(in crate::host) fn size(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = units.into_iter().find(|(_, shift)| bytes >= 2 << shift || bytes == 1 << shift);
    match unit {
        Some((unit, shift)) => format!("{} {unit}", bytes.div_ceil(1 << shift)),
        None => format!("{bytes} bytes"),
    }
}
