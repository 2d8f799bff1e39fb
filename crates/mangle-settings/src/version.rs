//! The versions of this tool that a project requires.

use semver::Version;
pub use semver::VersionReq;

use super::findings::REQUIRED_VERSION;
use super::keys::Kind;
use super::kinds::Text;
use super::value::{KeyPath, ValueError, shorten};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;

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
