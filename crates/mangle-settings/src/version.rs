//! Version of this tool, and the versions that a project requires.

use semver::Version;
pub use semver::VersionReq;

use super::findings::REQUIRED_VERSION;
use super::keys::Kind;
use super::kinds::Text;
use super::value::{KeyPath, ValueError, shorten};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;

const THIS: &str = env!("CARGO_PKG_VERSION");

/// True if this version of the tool meets the requirement. For a pre-release, the number of its
/// release is compared, because a build from source stands for the next version.
pub(super) fn is_this(required: &VersionReq) -> bool {
    let Ok(version) = Version::parse(THIS) else { return true };
    required.matches(&Version::new(version.major, version.minor, version.patch)) || required.matches(&version)
}

/// The finding about a requirement that this version does not meet.
pub(super) fn version_mismatch(required: &VersionReq, range: TextRange) -> Finding {
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
