//! Versions: of this tool, as a project requires it, and of the engine that runs a program.

use semver::Version;
pub use semver::VersionReq;
use toml_span::Value;

use super::declare::Setting;
use super::findings::REQUIRED_VERSION;
use super::keys::Kind;
use super::kinds::Text;
use super::output::SettingValue;
use super::value::{KeyPath, Reader, ValueError, shorten};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{Symbol, TextRange, listed};

/// The version of this tool.
const THIS: &str = env!("CARGO_PKG_VERSION");

/// Whether this version of the tool is one of the required ones. Of a pre-release, its release counts:
/// whoever builds the tool from its sources means the version to come.
pub(super) fn is_this(required: &VersionReq) -> bool {
    let Ok(version) = Version::parse(THIS) else { return true };
    required.matches(&Version::new(version.major, version.minor, version.patch)) || required.matches(&version)
}

/// The finding for a requirement that this version does not meet.
pub(super) fn unfit(required: &VersionReq, range: TextRange) -> Finding {
    let message = format!("project requires mangle-ls {required}, this is {THIS}");
    Finding::new(&REQUIRED_VERSION, range, message)
        .note("its settings and rules may differ from those of this version")
        .help("install a version that fits, or change `required_version`")
}

impl Text for VersionReq {
    type Value = Self;

    const KIND: Kind = Kind::Version;

    fn parse(text: &str, _: KeyPath) -> Result<Self, ValueError> {
        let help = concat!("write one as `>=", env!("CARGO_PKG_VERSION"), "`");
        text.parse().map_err(|error: semver::Error| {
            let headline = format!("`{}` is not a version requirement", shorten(text));
            ValueError::new(headline).note(error.to_string()).help(help)
        })
    }

    fn print(value: &Self) -> String {
        value.to_string()
    }
}

/// A version of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EngineVersion {
    /// How the configuration calls it: `0.4.0`, or a day.
    pub name: Symbol,
    /// Its day, `YYYY-MM-DD`.
    pub day: Symbol,
}

impl EngineVersion {
    /// Reads the name of one of `releases` (with or without a `v`), or a day.
    fn parse(word: &str, releases: &[(&'static str, &'static str)]) -> Option<Self> {
        let release = word.strip_prefix('v').unwrap_or(word);
        let day = releases.iter().find(|(name, _)| *name == release).map(|(_, day)| *day);
        let day = day.or_else(|| is_day(word).then_some(word))?;
        Some(Self { name: Symbol::new(release), day: Symbol::new(day) })
    }
}

impl Setting<Self> for EngineVersion {
    const KIND: Kind = Kind::Engine;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Self> {
        let (word, span) = reader.string(value, &at.label())?;
        let version = Self::parse(&word, reader.vocabulary.releases);
        if version.is_none() {
            let known: Vec<_> = reader.vocabulary.releases.iter().map(|(release, _)| *release).collect();
            let releases = listed(known.iter().copied());
            let error = ValueError::new(format!("unknown engine version `{}`", shorten(&word)))
                .note(format!("the releases are {releases}; a day is written as `2026-06-30`"));
            reader.bad_value_near(span, error, &word, known);
        }
        version
    }

    fn output(value: &Self) -> SettingValue {
        SettingValue::of(value.name.as_str())
    }
}

/// Whether a word is a day as `2026-06-30`.
fn is_day(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let digits = |part: &str, len| part.len() == len && part.bytes().all(|byte| byte.is_ascii_digit());
    let within = |part: &str, most: u8| part.parse::<u8>().is_ok_and(|number| (1..=most).contains(&number));
    digits(year, 4) && digits(month, 2) && digits(day, 2) && within(month, 12) && within(day, 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_the_engine() {
        let releases = [("0.1.0", "2023-12-15"), ("0.2.0", "2024-08-14")];
        let read = |word| {
            EngineVersion::parse(word, &releases).map(|version| (version.name.as_str(), version.day.as_str()))
        };
        assert_eq!(read("0.2.0"), Some(("0.2.0", "2024-08-14")));
        assert_eq!(read("v0.1.0"), Some(("0.1.0", "2023-12-15")));
        assert_eq!(read("2026-06-30"), Some(("2026-06-30", "2026-06-30")));
        for wrong in ["0.3.0", "0.2", "", "2026-13-01", "2026-6-3", "20260630", "v2026-06-31x"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
