//! `[kernel]`: with which facts, how far and in which reading programs are evaluated.

use super::Globs;
use super::words::words;

/// `[kernel]`. What is not set is the kernel's own limit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KernelSettings {
    /// Which files hold the sample: facts that the editor shows results for. Relative to the configuration file.
    pub sample: Globs,
    /// How programs are read.
    pub reading: Reading,
    /// How many facts there may be, those that are derived included.
    pub max_facts: Option<u64>,
    /// How many facts may be derived.
    pub max_derived: Option<u64>,
    /// How many facts may be looked at, values computed and compared.
    pub max_steps: Option<u64>,
    /// How long an evaluation may take, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// The time of evaluation in nanoseconds since 1970. Unset: the start of the run.
    pub now: Option<i64>,
}

words! {
    /// Which semantics a program gets.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Reading {
        /// What the engine computes, bug for bug.
        #[default]
        Go = "go",
        /// What is written: no negation is dropped, `_` under `!` is any value, `!=` waits for its variables.
        Written = "written",
    }
}

/// The ends of names of files that facts are read from.
pub const FACT_EXTENSIONS: [&str; 5] = ["mg", "gl", "csv", "jsonl", "ndjson"];

/// The instant of a text as `2026-01-31T12:00:00Z` (RFC 3339), in nanoseconds since 1970.
///
/// # Errors
/// When it is none, or lies outside of the years 1678 to 2261; a sentence for the one who wrote it.
pub fn instant(text: &str) -> Result<i64, String> {
    let wrong = || format!("`{text}` is no instant; write one as `2026-01-31T12:00:00Z`.");
    let instant: jiff::Timestamp = text.parse().map_err(|_| wrong())?;
    i64::try_from(instant.as_nanosecond())
        .map_err(|_| format!("`{text}` is too far away; the engine knows the years 1678 to 2261."))
}

/// An instant as [`instant`] reads it.
#[must_use]
pub fn instant_text(nanos: i64) -> String {
    jiff::Timestamp::from_nanosecond(nanos.into())
        .map_or_else(|_| nanos.to_string(), |instant| instant.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn instants() {
        assert_eq!(instant("1970-01-01T00:00:01.5Z"), Ok(1_500_000_000));
        assert_eq!(instant("1970-01-01T02:00:00+02:00"), Ok(0));
        assert_eq!(instant_text(1_500_000_000), "1970-01-01T00:00:01.5Z");
        for wrong in
            ["", "now", "2026-01-31", "2026-02-30T00:00:00Z", "2026-01-31T12:00:00", "9999-01-01T00:00:00Z"]
        {
            assert!(instant(wrong).unwrap_err().starts_with(&format!("`{wrong}` is ")), "{wrong}");
        }
    }

    #[test]
    fn words_are_read_back() {
        let readings = Reading::WORDS.map(|word| Reading::parse(word).unwrap());
        assert_eq!(readings.map(Reading::as_str), Reading::WORDS);
        assert_eq!(Reading::parse("both"), None);
    }
}
