//! `[transcripts]`: how captured replies are read, and what is expected of them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::words::words;
use super::{Globs, TranscriptShape};

words! {
    /// A version of the protocol that envelopes are written in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Profile {
        /// Surface first, bare categories, memory operations `archive` and `rehydrate`.
        V1_1 = "1.1",
        /// The grammar of 1.1: exactly updates and memory operations.
        V1_1Bnf = "1.1-bnf",
        /// Control first, with the audit objects.
        V1_2 = "1.2",
        /// Control first, without the audit objects.
        V1_2Go = "1.2-go",
        /// What the runtime reads now: tools, knowledge, feedback.
        Current = "current",
        /// Everything of 1.2 and of now, and what is planned.
        Draft1_3 = "1.3-draft",
    }
}

impl Profile {
    /// Whether the control packet comes before the surface.
    #[must_use]
    pub fn is_control_first(self) -> bool {
        self >= Self::V1_2
    }

    /// Whether the runtime of this version drops updates that do not end in a full stop.
    #[must_use]
    pub fn needs_full_stops(self) -> bool {
        matches!(self, Self::Current | Self::Draft1_3)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

words! {
    /// The shape of a file that replies are found in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Container {
        /// One envelope (K1).
        Envelope = "envelope",
        /// A JSON array of envelopes or of chat records (K2).
        Array = "array",
        /// One answer of a model's API (K3, K6).
        Response = "response",
        /// An envelope a line (K4).
        EnvelopeLines = "envelope-lines",
        /// A chat record, or an answer of a model's API, a line (K5, K6).
        ChatLines = "chat-lines",
        /// A reply in pieces: server-sent events, or a delta a line (K7).
        Stream = "stream",
        /// A session that codeNERD has stored (K8).
        Session = "session",
        /// Rows of codeNERD's `reasoning_traces` (K9).
        Traces = "traces",
        /// A log of codeNERD (K10), its audit log included.
        Log = "log",
        /// What the tracer of codeNERD's context harness writes (K11).
        Harness = "harness",
        /// Both channels as `split --format log` writes them.
        Channels = "channels",
        /// Markdown with envelopes in its fences (K12).
        Markdown = "markdown",
        /// What the model said, and nothing else: all of it is one reply, unless lines separate turns (K12).
        Raw = "raw",
    }
}

words! {
    /// How strictly the shape of an envelope is judged.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Strictness {
        /// As the runtime's types do.
        #[default]
        Struct = "struct",
        /// As its small schema does: both keys, of the right kind.
        Simple = "simple",
        /// As its strict schema does: every member, and no other.
        Schema = "schema",
    }
}

words! {
    /// Which of several envelopes in one reply counts.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Select {
        /// The one that the runtime takes.
        #[default]
        Runtime = "runtime",
        /// The last.
        Last = "last",
        /// The first.
        First = "first",
        /// None: several are an error.
        Error = "error",
    }
}

words! {
    /// Whether an update ends with a full stop.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Period {
        /// It must.
        Required = "required",
        /// It may.
        Optional = "optional",
        /// It must not.
        Forbidden = "forbidden",
    }
}

/// What a consumer of updates lets through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consumer {
    /// Predicates that it takes. With no prefixes either, it takes all.
    pub predicates: Vec<String>,
    /// Beginnings of predicates that it takes.
    pub prefixes: Vec<String>,
    /// How many updates it looks at, blank ones included.
    pub max_updates: usize,
    /// Whether it refuses protected predicates.
    pub protected: bool,
}

impl Default for Consumer {
    fn default() -> Self {
        Self { predicates: Vec::new(), prefixes: Vec::new(), max_updates: 2_000, protected: true }
    }
}

/// The consumers that need no table.
pub const BUILT_IN_CONSUMERS: [&str; 5] = ["open", "session", "planner", "perception", "compressor"];

/// `[transcripts.atoms]`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AtomSettings {
    /// `trailing_period`; unset, what the profile says.
    pub trailing_period: Option<Period>,
    /// `types`: whether an argument of the wrong type is an error.
    pub types_are_errors: bool,
    /// `allow_escaped_metachars`
    pub allow_escaped_metachars: bool,
    /// `protected`: predicates that no packet may assert, in place of the built-in list.
    pub protected: Option<Vec<String>>,
    /// `protected_extra`: further predicates that no reply may assert.
    pub protected_extra: Vec<String>,
    /// `sensitive`: predicates that shape prompts, in place of the built-in list.
    pub sensitive: Option<Vec<String>>,
}

/// The settings of the runtime and its limits (`[transcripts.caps]`). All lengths are in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caps {
    /// Whether a reply without a valid envelope is an error (`require_valid_json`).
    pub strict: bool,
    /// Whether fences around the envelope are taken off (`allow_markdown_wrapped`).
    pub fenced: bool,
    /// The surface; 0 for no limit.
    pub surface: usize,
    /// How deep braces nest before the search for objects gives one up.
    pub depth: usize,
    /// An object found in mixed text.
    pub candidate: usize,
    /// The number of updates.
    pub updates: usize,
    /// An update.
    pub update: usize,
    /// The number of memory operations.
    pub memory: usize,
    /// The reasoning trace.
    pub trace: usize,
    /// The number of tool requests.
    pub tools: usize,
    /// The number of knowledge requests.
    pub knowledge: usize,
    /// Whether updates have to end in a full stop to be kept.
    pub full_stops: FullStops,
}

/// What decides whether an update has to end in a full stop to be kept. The first that is there counts; where none is,
/// the members of the envelope tell its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FullStops {
    /// `trailing_period`
    pub setting: Option<Period>,
    /// The version that is prescribed, whatever an envelope says of itself.
    pub given: Option<Profile>,
    /// The version of envelopes that name none: that of the settings, else that of most of the session.
    pub usual: Option<Profile>,
}

impl Default for FullStops {
    /// Those of the runtime itself, which knows one version.
    fn default() -> Self {
        Self { setting: None, given: Some(Profile::Current), usual: None }
    }
}

impl FullStops {
    /// Whether the full stop is needed in an update that has no envelope around it.
    #[must_use]
    pub fn are_needed(self) -> bool {
        self.are_needed_in(self.given.or(self.usual).unwrap_or(Profile::Current))
    }

    /// Whether the full stop is needed in an envelope of a version.
    #[must_use]
    pub fn are_needed_in(self, profile: Profile) -> bool {
        match self.setting {
            Some(setting) => setting == Period::Required,
            None => profile.needs_full_stops(),
        }
    }
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            strict: false,
            fenced: true,
            surface: 50_000,
            depth: 200,
            candidate: 5_242_880,
            updates: 2_000,
            update: 1_000,
            memory: 500,
            trace: 50_000,
            tools: 20,
            knowledge: 20,
            full_stops: FullStops::default(),
        }
    }
}

/// `[[transcripts.override]]`: what is different for some files. What is unset stays as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TranscriptOverride {
    /// Which files, relative to the configuration file.
    pub glob: Globs,
    /// `profile`
    pub profile: Option<Profile>,
    /// `consumer`
    pub consumer: Option<String>,
    /// `container`
    pub container: Option<Container>,
    /// `strict`
    pub strict: Option<Strictness>,
    /// `require_valid_json`
    pub require_valid_json: Option<bool>,
}

/// `[transcripts]`; an override that fits a file is applied before anything below `host` sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptSettings {
    /// `include`: which files are transcripts.
    pub include: Globs,
    /// `profile`; unset is `auto`.
    pub profile: Option<Profile>,
    /// The version of the protocol that the command line prescribes, whatever envelopes say of themselves.
    pub prescribed: Option<Profile>,
    /// `consumer`: who takes the updates; unset is `open`, and then what it refuses is no error.
    pub consumer: Option<String>,
    /// `[transcripts.consumers.NAME]`
    pub consumers: BTreeMap<String, Consumer>,
    /// `strict`
    pub strict: Strictness,
    /// `envelope_select`
    pub select: Select,
    /// `container`: the shape of the files, where it is not to be found out.
    pub container: Option<Container>,
    /// `turn_separator`: a regular expression for the lines between the turns of raw text.
    pub turn_separator: Option<String>,
    /// `tools`: a catalogue of tools, a path relative to the configuration file.
    pub tools: Option<String>,
    /// `specialists`: the agents that may be asked; unset, none are known.
    pub specialists: Option<Vec<String>>,
    /// `success_phrases`: what a surface says when it claims that something is done.
    pub success_phrases: Vec<String>,
    /// `target_compression_ratio`; `None` where nothing sets a target.
    pub target_compression_ratio: Option<f64>,
    /// `min_trace_words`
    pub min_trace_words: u32,
    /// `closed_limit`: up to so many bytes, an editor looks at a transcript that is not open; 0 at none.
    pub closed_limit: usize,
    /// `[transcripts.atoms]`
    pub atoms: AtomSettings,
    /// `[transcripts.caps]`
    pub caps: Caps,
    /// `[[transcripts.shape]]`, in order; the first that fits a record counts.
    pub shapes: Arc<[TranscriptShape]>,
    /// `[[transcripts.override]]`, in order; later ones win.
    pub overrides: Vec<TranscriptOverride>,
}

/// The tokens of text that a token of state should stand for, where nothing sets a target.
const USUAL_COMPRESSION_RATIO: f64 = 100.0;

/// What a surface says when it claims that something is done, or is being done already. A phrase that ends in `…` fits where
/// its sentence ends in an ellipsis.
const SUCCESS_PHRASES: [&str; 41] = [
    "done",
    "deleted",
    "fixed",
    "completed",
    "finished",
    "removed",
    "erased",
    "created",
    "wrote",
    "saved",
    "updated",
    "applied",
    "renamed",
    "moved",
    "committed",
    "pushed",
    "merged",
    "reverted",
    "installed",
    "deployed",
    "published",
    "uploaded",
    "restarted",
    "okay, deleting",
    "ok, deleting",
    "okay, removing",
    "ok, removing",
    "deleting…",
    "removing…",
    "erasing…",
    "overwriting…",
    "writing…",
    "creating…",
    "updating…",
    "applying…",
    "fixing…",
    "committing…",
    "pushing…",
    "merging…",
    "installing…",
    "deploying…",
];

impl TranscriptSettings {
    /// The compression ratio that is wanted.
    #[must_use]
    pub fn compression_target(&self) -> f64 {
        self.target_compression_ratio.unwrap_or(USUAL_COMPRESSION_RATIO)
    }
}

impl Default for TranscriptSettings {
    fn default() -> Self {
        let include = ["**/transcripts/**", "**/*.piggyback.{json,jsonl,ndjson,md,txt,log}"];
        Self {
            include: Globs::new(include.map(String::from).into()).unwrap_or_default(),
            profile: None,
            prescribed: None,
            consumer: None,
            consumers: BTreeMap::new(),
            strict: Strictness::default(),
            select: Select::default(),
            container: None,
            turn_separator: None,
            tools: None,
            specialists: None,
            success_phrases: SUCCESS_PHRASES.map(String::from).into(),
            target_compression_ratio: None,
            min_trace_words: 50,
            closed_limit: 4 << 20,
            atoms: AtomSettings::default(),
            caps: Caps::default(),
            shapes: Arc::default(),
            overrides: Vec::new(),
        }
    }
}

impl TranscriptSettings {
    /// The settings for the transcript at `path`, relative to the configuration file and with `/`.
    #[must_use]
    pub fn for_file(&self, path: &str) -> Self {
        let mut settings = Self { overrides: Vec::new(), ..self.clone() };
        let is_for = |shape: &&TranscriptShape| shape.glob.as_ref().is_none_or(|glob| glob.matches(path));
        if !settings.shapes.iter().all(|shape| is_for(&shape)) {
            settings.shapes = settings.shapes.iter().filter(is_for).cloned().collect();
        }
        for one in self.overrides.iter().filter(|one| one.glob.matches(path)) {
            settings.profile = one.profile.or(settings.profile);
            settings.consumer = one.consumer.clone().or(settings.consumer);
            settings.container = one.container.or(settings.container);
            settings.strict = one.strict.unwrap_or(settings.strict);
            settings.caps.strict = one.require_valid_json.unwrap_or(settings.caps.strict);
        }
        settings
    }

    /// The limits of the runtime for a reply. `given` is the version that is prescribed for it, `session` that of most
    /// replies around it.
    #[must_use]
    pub fn caps_of(&self, given: Option<Profile>, session: Option<Profile>) -> Caps {
        let full_stops = FullStops {
            setting: self.atoms.trailing_period,
            given: self.prescribed.or(given),
            usual: self.profile.or(session),
        };
        Caps { full_stops, ..self.caps.clone() }
    }
}
