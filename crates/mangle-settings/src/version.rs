//! Versions: of this tool, as a project requires it, and of the engine that runs a program.

use semver::Version;
pub use semver::VersionReq;

use super::findings::REQUIRED_VERSION;
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{Symbol, TextRange};

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
    let message = format!(
        "This project asks for mangle-ls {required}, and this is {THIS}: it may not know all settings and rules. \
         Install a version that fits, or change `required_version`."
    );
    Finding::new(&REQUIRED_VERSION, range, message)
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
    pub(super) fn read(word: &str, releases: &[(&'static str, &'static str)]) -> Option<Self> {
        let release = word.strip_prefix('v').unwrap_or(word);
        let day = releases.iter().find(|(name, _)| *name == release).map(|(_, day)| *day);
        let day = day.or_else(|| is_day(word).then_some(word))?;
        Some(Self { name: Symbol::new(release), day: Symbol::new(day) })
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
            EngineVersion::read(word, &releases).map(|version| (version.name.as_str(), version.day.as_str()))
        };
        assert_eq!(read("0.2.0"), Some(("0.2.0", "2024-08-14")));
        assert_eq!(read("v0.1.0"), Some(("0.1.0", "2023-12-15")));
        assert_eq!(read("2026-06-30"), Some(("2026-06-30", "2026-06-30")));
        for wrong in ["0.3.0", "0.2", "", "2026-13-01", "2026-6-3", "20260630", "v2026-06-31x"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
