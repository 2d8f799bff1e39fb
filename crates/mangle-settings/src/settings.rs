//! All settings of a configuration file.

use super::declare::settings;
use super::kinds::Tables;
use super::value::Reader;
use super::version::{self, VersionReq, version_mismatch};
use super::{
    DecodingSettings, FailOn, FilesSettings, FormatSettings, KernelSettings, MaxFindings, ProgramSettings,
    PromptSettings, ReplaySettings, RuleSettings, RuntimeSettings, TranscriptSettings, VerifySettings,
};

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
        self.required_version.as_ref().is_none_or(version::is_this)
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
