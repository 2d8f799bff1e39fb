//! `[kernel]`: facts, engine version, semantics and limits of evaluation.

use toml_span::Value;

use super::Globs;
use super::declare::{Setting, settings, words};
use super::findings::CONFIG_BAD_VALUE;
use super::keys::{Kind, SettingValue};
use super::kinds::{Integer, Text};
use super::value::{KeyPath, Reader, ValueError, range, shorten};
use super::versions::{EngineVersion, engine_names};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::listed;

settings! {
    /// `[kernel]`. Ranges of the sample are relative to the configuration file; `now` is in nanoseconds since 1970.
    #[derive(Debug, Clone, PartialEq)]
    pub struct KernelSettings("kernel") {
        /// Fact files for evaluation in the editor: `.mg`, `.gl`, `.csv`, `.jsonl`, `.ndjson`. Default: every
        /// applicable `*.kernel.mg`.
        sample: Globs as FactFiles;
        /// The engine version: `auto`, a reference version (`"2026-09"`), a release (`"0.5.0"`), or the date
        /// of a commit (`"2026-07-15"`). Newer built-ins are reported, and rules are evaluated as in that
        /// version.
        engine: EngineChoice;
        /// The semantics of programs: `engine` ignores the same negations as the engine; `intended` evaluates
        /// every negation. `--reading` overrides it.
        reading: Reading;
        /// Maximum number of facts in an evaluation, including derived facts.
        max_facts: u64 as Integer<1, 1_000_000_000> = 5_000_000;
        /// Maximum number of derived facts in an evaluation.
        max_derived: u64 as Integer<1, 1_000_000_000> = 2_000_000;
        /// Maximum number of steps of an evaluation: facts to visit, and values to compute and compare.
        max_steps: u64 as Integer<1, 1_000_000_000_000> = 500_000_000;
        /// Maximum duration of an evaluation, in milliseconds.
        timeout_ms: u64 as Integer<1, 86_400_000> = 10_000;
        /// The time of evaluation, for example `"2026-01-31T12:00:00Z"`: the result of `fn:time:now` and the
        /// present of temporal operators. Default: the start of the run. `--now` overrides it.
        now: Option<i64> as Option<Instant> => Means("the start of a run");
    }
}

words! {
    /// The semantics of a program.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Reading {
        /// The behavior of the engine, bug for bug.
        #[default]
        Engine = "engine" | "go",
        /// The intended behavior: no negation is dropped, `_` under `!` is any value, `!=` waits for its variables.
        Intended = "intended" | "written",
    }
}

impl Reading {
    /// Returns the alternative semantics.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Engine => Self::Intended,
            Self::Intended => Self::Engine,
        }
    }
}

/// File extensions that facts are read from.
pub const FACT_EXTENSIONS: [&str; 5] = ["mg", "gl", "csv", "jsonl", "ndjson"];

/// Globs for fact files. A pattern that names another kind of file matches nothing.
enum FactFiles {}

impl Setting<Globs> for FactFiles {
    const KIND: Kind = Kind::Globs;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Globs> {
        let (globs, spans) = Globs::read_with_places(reader, value, at)?;
        for (pattern, &span) in globs.patterns().iter().zip(&spans) {
            let extension = pattern.rsplit('/').next().and_then(|name| Some(name.rsplit_once('.')?.1));
            let is_other = |extension: &str| {
                extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
                    && !FACT_EXTENSIONS.contains(&extension)
            };
            if extension.is_some_and(is_other) {
                let ends = FACT_EXTENSIONS.map(|extension| format!("`.{extension}`")).join(", ");
                let message = format!("`{}` is not a file of facts", shorten(pattern));
                let finding = Finding::new(&CONFIG_BAD_VALUE, range(span), message)
                    .label("matches no file")
                    .note(format!("files of facts end with {ends}"));
                reader.findings.push(finding);
            }
        }
        Some(globs)
    }

    fn output(value: &Globs) -> SettingValue {
        Globs::output(value)
    }
}

/// An RFC 3339 timestamp, in nanoseconds since 1970.
enum Instant {}

impl Text for Instant {
    type Value = i64;

    const KIND: Kind = Kind::Instant;

    fn parse(text: &str, _: KeyPath) -> Result<i64, ValueError> {
        parse_timestamp(text).map_err(ValueError::new)
    }

    fn print(value: &i64) -> String {
        format_timestamp(*value)
    }
}

/// Parses an RFC 3339 timestamp, for example `2026-01-31T12:00:00Z`, to nanoseconds since 1970.
///
/// # Errors
/// Returns a headline if the text is not a timestamp, or is outside of the years 1678 to 2261.
pub fn parse_timestamp(text: &str) -> Result<i64, String> {
    let wrong = || format!("`{}` is not an instant such as `2026-01-31T12:00:00Z`", shorten(text));
    let instant: jiff::Timestamp = text.parse().map_err(|_| wrong())?;
    i64::try_from(instant.as_nanosecond())
        .map_err(|_| format!("`{}` is outside of the years 1678 to 2261", shorten(text)))
}

/// Formats a timestamp so that [`parse_timestamp`] can parse it.
#[must_use]
pub fn format_timestamp(nanos: i64) -> String {
    jiff::Timestamp::from_nanosecond(nanos.into())
        .map_or_else(|_| nanos.to_string(), |instant| instant.to_string())
}

/// The value that derives the engine from the files around the program.
pub(super) const AUTO: &str = "auto";

/// The engine version used to check a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum EngineChoice {
    /// The engine is derived from the files around the program.
    #[default]
    Auto,
    /// A fixed engine version.
    Version(EngineVersion),
}

impl EngineChoice {
    /// Parses `auto` or the name of an engine version.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        if word == AUTO { Some(Self::Auto) } else { EngineVersion::parse(word).map(Self::Version) }
    }

    /// Returns the selected engine, or `detected` for `auto`.
    #[must_use]
    pub fn or(self, detected: EngineVersion) -> EngineVersion {
        match self {
            Self::Auto => detected,
            Self::Version(version) => version,
        }
    }

    /// The value in the configuration.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Auto => AUTO,
            Self::Version(version) => version.name.as_str(),
        }
    }
}

impl Setting<Self> for EngineChoice {
    const KIND: Kind = Kind::Engine;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Self> {
        let (word, span) = reader.string(value, &at.label())?;
        let choice = Self::parse(&word);
        if choice.is_none() {
            let names: Vec<&str> = std::iter::once(AUTO).chain(engine_names()).collect();
            let error = ValueError::new(format!("unknown engine version `{}`", shorten(&word)))
                .note(format!("the versions are {}", listed(names.iter().copied())))
                .note("a day such as `2026-06-30` is the engine of that day");
            reader.bad_value_near(span, error, &word, names);
        }
        choice
    }

    fn output(value: &Self) -> SettingValue {
        SettingValue::new(value.as_str())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn instants() {
        assert_eq!(parse_timestamp("1970-01-01T00:00:01.5Z"), Ok(1_500_000_000));
        assert_eq!(parse_timestamp("1970-01-01T02:00:00+02:00"), Ok(0));
        assert_eq!(format_timestamp(1_500_000_000), "1970-01-01T00:00:01.5Z");
        for wrong in
            ["", "now", "2026-01-31", "2026-02-30T00:00:00Z", "2026-01-31T12:00:00", "9999-01-01T00:00:00Z"]
        {
            assert!(parse_timestamp(wrong).unwrap_err().starts_with(&format!("`{wrong}` is ")), "{wrong}");
        }
    }

    #[test]
    fn words_are_read_back() {
        let readings = Reading::WORDS.map(|word| Reading::parse(word).unwrap());
        assert_eq!(readings.map(Reading::as_str), Reading::WORDS);
        assert_eq!(Reading::parse("both"), None);
        assert_eq!(["go", "written"].map(Reading::parse), [Some(Reading::Engine), Some(Reading::Intended)]);
        assert_eq!(Reading::successor("go"), Some("engine"));
    }
}
