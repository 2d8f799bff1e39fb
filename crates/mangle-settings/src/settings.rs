//! All settings of a configuration file, and the values of its top level.

pub use semver::VersionReq;

use semver::Version;
use toml_span::Value;

use super::declare::{Setting, settings};
use super::findings::REQUIRED_VERSION;
use super::keys::{Kind, SettingValue};
use super::kinds::{Integer, Tables, Text};
use super::value::{KeyPath, Reader, ValueError, shorten};
use super::{
    DecodingSettings, FilesSettings, FormatSettings, KernelSettings, ProgramSettings, PromptSettings,
    ReplaySettings, RuleSettings, RuntimeSettings, TranscriptSettings, VerifySettings,
};
use mangle_syntax::lint::{Finding, Severity};
use mangle_syntax::text::TextRange;

settings! {
    /// The settings of a configuration file. Missing keys have their defaults.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Settings("", check_required) {
        /// `check` exits with status 1 if a finding has at least this severity. `--fail-on` overrides it.
        fail_on: FailOn;
        /// Maximum number of shown findings of one rule in one file, in text, annotations and editors; 0
        /// shows all. If a rule has more, text shows the first ten and a count. JSON, SARIF, JUnit, the
        /// counts and the exit status include all findings. `--max-findings` overrides it.
        max_findings: MaxFindings;
        /// Versions of mangle-ls that may check this project, for example `">=0.1, <0.3"`; `"0.1"` means 0.1
        /// and compatible versions. Any other version reports only this, and `check` exits with status 2.
        required_version: Option<VersionReq> => Means("any");
        /// Programs: sets of files to analyze together. Default: one program with all files below the
        /// configuration file.
        programs "program": Vec<ProgramSettings> as Tables;
        /// The severity of rules.
        rules: RuleSettings;
        /// The extensions of Mangle files, and limits for scans.
        files: FilesSettings;
        /// The layout of `mangle-ls format` and the editor.
        format: FormatSettings;
        /// The facts, limits and semantics of evaluation.
        kernel: KernelSettings;
        /// The fact stores of the program around the engine.
        runtime: RuntimeSettings;
        /// The transcripts of agents: files, format, and expectations of the replies.
        transcripts: TranscriptSettings;
        /// Previews of the prompts of shards.
        prompt: PromptSettings;
        /// Replays of captured sessions, and the predicate names of the constitution.
        replay: ReplaySettings;
        /// The worlds for the properties of policies.
        verify: VerifySettings;
        /// The envelopes that a model may generate, and the grammar files for inference engines.
        decoding: DecodingSettings;
    }
}

impl Settings {
    /// True if the file accepts this version of the tool.
    #[must_use]
    pub fn accepts_this_version(&self) -> bool {
        self.required_version.as_ref().is_none_or(is_this)
    }
}

/// Reports a file that requires another version of this tool.
fn check_required(settings: &Settings, reader: &mut Reader<'_>) {
    let place = reader.take_places("required_version").pop();
    if let (Some(required), Some(place), false) =
        (&settings.required_version, place, settings.accepts_this_version())
    {
        reader.version_mismatch = Some(version_mismatch(required, place));
    }
}

/// The lowest severity of findings that makes a command fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    /// Fail if a finding has at least this severity.
    AtLeast(Severity),
    /// Never fail because of findings.
    Never,
}

impl Default for FailOn {
    fn default() -> Self {
        Self::AtLeast(Severity::Error)
    }
}

impl FailOn {
    /// The words that [`FailOn::parse`] accepts.
    pub const WORDS: [&str; 5] = ["error", "warning", "information", "hint", "never"];

    /// Parses one of [`FailOn::WORDS`].
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        if word == "never" { Some(Self::Never) } else { Severity::parse(word).map(Self::AtLeast) }
    }

    /// The word that [`FailOn::parse`] accepts for this value.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AtLeast(severity) => severity.as_str(),
            Self::Never => "never",
        }
    }

    /// True if a finding of this severity is a failure.
    #[must_use]
    pub fn fails(self, severity: Severity) -> bool {
        matches!(self, Self::AtLeast(least) if severity >= least)
    }
}

impl Setting<Self> for FailOn {
    const KIND: Kind = Kind::Word(&Self::WORDS);

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Self> {
        reader.word(value, &at.label(), &Self::WORDS, Self::parse)
    }

    fn output(value: &Self) -> SettingValue {
        SettingValue::new(value.as_str())
    }
}

/// Maximum number of findings per rule and file in output for people: text, annotations and
/// editors. Machine-readable output is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaxFindings(Option<usize>);

impl MaxFindings {
    /// Creates a limit. 0 means no limit.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self((count > 0).then_some(count))
    }

    /// True if another finding can be shown after `shown` findings.
    #[must_use]
    pub fn allows(self, shown: usize) -> bool {
        self.0.is_none_or(|most| shown < most)
    }

    /// True if the number of findings is not limited.
    #[must_use]
    pub fn is_unlimited(self) -> bool {
        self.0.is_none()
    }

    /// The number that [`MaxFindings::new`] accepts.
    #[must_use]
    pub fn number(self) -> usize {
        self.0.unwrap_or(0)
    }

    /// Returns the stricter limit.
    #[must_use]
    pub fn smaller(self, other: Self) -> Self {
        if self.larger(other) == self { other } else { self }
    }

    /// Returns the looser limit.
    #[must_use]
    pub fn larger(self, other: Self) -> Self {
        if self.is_unlimited() || (!other.is_unlimited() && self.0 >= other.0) { self } else { other }
    }
}

impl Default for MaxFindings {
    fn default() -> Self {
        Self::new(100)
    }
}

/// The numbers that a configuration file accepts.
type Count = Integer<0, 1_000_000>;

impl Setting<Self> for MaxFindings {
    const KIND: Kind = <Count as Setting<usize>>::KIND;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Self> {
        Count::read(reader, value, at).map(Self::new)
    }

    fn output(value: &Self) -> SettingValue {
        Count::output(&value.number())
    }
}

const THIS_VERSION: &str = env!("CARGO_PKG_VERSION");

/// True if this version of the tool meets the requirement. For a pre-release, the number of its
/// release is compared, because a build from source stands for the next version.
fn is_this(required: &VersionReq) -> bool {
    let Ok(version) = Version::parse(THIS_VERSION) else { return true };
    required.matches(&Version::new(version.major, version.minor, version.patch)) || required.matches(&version)
}

/// The finding about a requirement that this version does not meet.
fn version_mismatch(required: &VersionReq, range: TextRange) -> Finding {
    let message = format!("project requires mangle-ls {required}, this is {THIS_VERSION}");
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
