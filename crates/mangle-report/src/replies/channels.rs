//! Output of `split`: the two channels of a transcript, with common turn numbers.

use crate::sink;
use piggyback::envelope::secrets::redacted;
use piggyback::transcript::channels::{KERNEL, USER};

/// The user-visible text of a turn, and its updates that reached the kernel. Without a verdict, the
/// updates that passed the filters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Channels {
    pub surface: String,
    /// The updates in order.
    pub updates: Vec<String>,
}

impl Channels {
    /// The lines of the surface, prefixed with the turn number. Control characters are made
    /// visible.
    #[must_use]
    pub fn surface_lines(&self, turn: u64) -> Vec<String> {
        // Redacted before the split, because a key can span several lines.
        redacted(&self.surface).lines().map(|line| format!("{turn}: {}", plain(line))).collect()
    }

    /// The updates, one on each line, prefixed with the turn number.
    #[must_use]
    pub fn control_lines(&self, turn: u64) -> Vec<String> {
        self.updates.iter().map(|update| format!("{turn}: {}", plain(update.trim()))).collect()
    }

    /// The surface as a log entry.
    #[must_use]
    pub fn surface_entry(&self) -> String {
        entry(USER, &self.surface)
    }

    /// The updates as log entries. Without updates, one empty entry.
    #[must_use]
    pub fn control_entries(&self) -> Vec<String> {
        match self.updates.as_slice() {
            [] => vec![entry(KERNEL, "")],
            updates => updates.iter().map(|update| entry(KERNEL, update.trim())).collect(),
        }
    }
}

fn entry(prefix: &str, text: &str) -> String {
    match text {
        "" => prefix.to_owned(),
        text => format!("{prefix} {}", sink::channel(text)),
    }
}

/// A line without terminal controls.
fn plain(line: &str) -> String {
    sink::line(&redacted(line))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use piggyback::transcript::{Record, TextKind, TranscriptOptions, TranscriptReader};

    fn read(log: &str) -> Vec<Channels> {
        let mut out: Vec<Channels> = Vec::new();
        let mut reader =
            TranscriptReader::new(TranscriptOptions { name: "a.log".into(), ..TranscriptOptions::default() });
        let mut each = |record: &Record<'_>| {
            let mut channels = Channels::default();
            for turn in &record.turns {
                let text = String::from_utf8_lossy(turn.text(record.bytes)).into_owned();
                match turn.kind {
                    TextKind::Surface => channels.surface = text,
                    _ => channels.updates.push(text),
                }
            }
            out.push(channels);
        };
        reader.feed(log.as_bytes(), &mut each);
        let _ = reader.finish(&mut each);
        out
    }

    fn written(all: &[Channels]) -> String {
        let lines =
            all.iter().flat_map(|one| std::iter::once(one.surface_entry()).chain(one.control_entries()));
        lines.map(|line| line + "\n").collect()
    }

    proptest! {
        #[test]
        fn a_log_gives_the_channels_back(
            all in prop::collection::vec(("(?s).{1,40}", prop::collection::vec("[a-z]\\((?s).{0,20}\\)\\.", 0..3)), 1..5)
        ) {
            // Credentials are masked unless `--no-redact` is given.
            prop_assume!(all.iter().all(|(one, more)| more.iter().chain([one]).all(|text| redacted(text) == *text)));
            let all: Vec<_> = all.into_iter().map(|(surface, updates)| Channels { surface, updates }).collect();
            prop_assert_eq!(read(&written(&all)), all);
        }
    }
}
