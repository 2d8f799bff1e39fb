//! All settings: what a configuration file says.

use super::declare::settings;
use super::kinds::Tables;
use super::value::Reader;
use super::version::{self, VersionReq, unfit};
use super::{
    DecodingSettings, FailOn, FilesSettings, FormatSettings, KernelSettings, MaxFindings, ProgramSettings,
    PromptSettings, ReplaySettings, RuleSettings, RuntimeSettings, TranscriptSettings, VerifySettings,
};

settings! {
    /// What a configuration file says; what it leaves out is at its default.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Settings("", check_required) {
        /// From which severity on findings make `check` end with exit status 1. `--fail-on` overrides it.
        fail_on: FailOn;
        /// How many findings of one rule in one file are shown in text, in annotations and in editors; 0 shows
        /// all. Of a rule with more, text shows the first ten and a count. JSON, SARIF and JUnit have all findings,
        /// and counts and the exit status are about all. `--max-findings` overrides it.
        max_findings: MaxFindings;
        /// Which versions of mangle-ls may check this project, as `">=0.1, <0.3"`; `"0.1"` means 0.1 and what is
        /// compatible with it. Any other version says so in one finding, and `check` ends with exit status 2.
        required_version: Option<VersionReq> => Means("any");
        /// The programs: which files are analysed together. Without any, all files below the configuration file
        /// are one program.
        programs "program": Vec<ProgramSettings> as Tables;
        /// The severity of rules.
        rules: RuleSettings;
        /// Which files are Mangle, and how many are scanned.
        files: FilesSettings;
        /// How `mangle-ls format` and the editor lay files out.
        format: FormatSettings;
        /// With which facts, how far and in which reading programs are evaluated.
        kernel: KernelSettings;
        /// The stores in which the program around the engine keeps facts.
        runtime: RuntimeSettings;
        /// Which files are transcripts of agents, how the replies in them are read, and what is expected of them.
        transcripts: TranscriptSettings;
        /// How the prompts of shards are previewed.
        prompt: PromptSettings;
        /// How captured sessions are replayed, and the names of the predicates of the constitution.
        replay: ReplaySettings;
        /// Over which worlds properties of policies are checked.
        verify: VerifySettings;
        /// What a model may generate, and the files that say so to an engine.
        decoding: DecodingSettings;
    }
}

impl Settings {
    /// Whether this version of the tool is one that the file asks for.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.required_version.as_ref().is_none_or(version::is_this)
    }
}

/// Whether the whole file is for another version of this tool.
fn check_required(settings: &Settings, reader: &mut Reader<'_>) {
    let place = reader.take_places("required_version").pop();
    if let (Some(required), Some(place), false) = (&settings.required_version, place, settings.fits()) {
        reader.unfit = Some(unfit(required, place));
    }
}
