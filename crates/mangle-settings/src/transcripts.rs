//! `[transcripts]`: how captured replies are read, and what is expected of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use toml_span::Value;
use toml_span::value::Table;

use super::consumers::{Consumers, check_consumers};
use super::declare::{Setting, settings};
use super::findings::CONFIG_BAD_VALUE;
use super::globs::GlobOrGlobs;
use super::keys::Kind;
use super::kinds::{Decimal, Entry, File, Integer, Limit, Tables};
use super::output::SettingValue;
use super::pattern::Pattern;
use super::value::{KeyPath, Reader};
use super::versions::runtime::{Runtime, RuntimeWord};
use super::{Consumer, Container, Globs, Period, Profile, Select, Strictness, TranscriptShape, TypeSeverity};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;

settings! {
    /// `[transcripts]`; an override that fits a file is applied before the settings are used for it.
    #[derive(Debug, Clone, PartialEq)]
    pub struct TranscriptSettings("transcripts", complete) {
        /// Which files are transcripts; each of them also with `.gz` or `.zst` after its name. Policies and
        /// configuration files never are.
        include: Globs = ["**/transcripts/**", "**/*.piggyback.{json,jsonl,ndjson,md,txt,log}"];
        /// The version of the protocol that envelopes are written in; `auto` finds it out. `--profile` overrides
        /// it.
        profile: Option<Profile> as ProfileWord => Is("auto");
        /// Who takes the updates, and so which predicates are let through: `open`, `session`, `planner`,
        /// `perception`, `compressor`, or one of `[transcripts.consumers]`. `--consumer` overrides it. What a
        /// consumer refuses is an error only where one is named.
        consumer: Option<String> => Is("open");
        /// The runtime whose behavior is modeled. `none`: the rules of the protocol alone. `auto`: the version of codeNERD whose
        /// predicates the policy defines, `none` if it defines none of them, and the first version without a policy. `--runtime`
        /// overrides it.
        runtime: Option<Runtime> as RuntimeWord => Is("auto");
        /// How strictly the shape of an envelope is checked: `struct` as the runtime's types do, `simple` as its
        /// small schema does, `schema` as its strict schema does, with every field and no other.
        strict: Strictness;
        /// Whether the runtime runs in its strict mode, in which a reply without a valid envelope is an error.
        require_valid_json: bool;
        /// Which of several envelopes in one reply counts: the one that the runtime takes, the last, the first;
        /// `error`: there must not be several.
        select "envelope_select": Select;
        /// The shape of the files; without it, it is found out. `--container` overrides it.
        container: Option<Container> => Means("it is found out");
        /// A regular expression for the lines between the turns of raw text. Without it, lines as `=== …`, `---
        /// turn 3`, `User:` and `Assistant:` are.
        turn_separator: Option<String> as Option<Pattern> => Means("the usual lines");
        /// A catalogue of the tools that may be requested: JSON, a list of `{"name", "parameters"}` whose
        /// parameters are a JSON schema. Without it, any tool may be.
        tools: Option<String> as Option<File> => Means("none are known");
        /// The agents from which knowledge may be requested. Without it, any may be.
        specialists: Option<Vec<String>> => Means("none are known");
        /// What a surface says when it claims that something is done, or is being done already. A phrase that
        /// ends in `…` fits where its sentence ends in an ellipsis: `deleting…` fits `Deleting old files...`.
        success_phrases: Vec<String> = SUCCESS_PHRASES;
        /// How many tokens of conversation a token of state should replace; without it, 100. Only where it is
        /// set does `ratio-inverse` look at single turns.
        target_compression_ratio: Option<f64> as Option<Decimal<1, 1_000_000>>
            => Means("100, and single turns do not count");
        /// A reasoning trace of fewer words is said to be thin.
        min_trace_words: u32 as Integer<0, 10_000> = 50;
        /// Up to so many bytes, the language server also looks at a transcript that is not open in the editor;
        /// larger ones are left to `check`. 0: only at open ones.
        closed_limit: usize as Limit = 4 << 20;
        /// What updates look like, and which predicates no reply may assert.
        atoms: AtomSettings;
        /// The limits of the runtime.
        caps: Caps;
        /// Consumers of updates besides those that are built in.
        consumers: BTreeMap<String, Consumer> as Consumers;
        /// Where the turns are in transcripts of a format that is not built in. The first shape that finds a text
        /// in a record counts, before the formats that are built in.
        shapes "shape": Arc<[TranscriptShape]> as Tables;
        /// What is different for some transcripts. Of several that fit a file, later ones win.
        overrides "override": Vec<TranscriptOverride> as Tables;
    }
    beside {
        /// The version of the protocol that the command line prescribes, whatever envelopes say of themselves.
        prescribed: Option<Profile>;
    }
}

settings! {
    /// `[transcripts.atoms]`
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AtomSettings("transcripts.atoms") {
        /// Whether the runtime needs a full stop at the end of an update to keep it; `true` is `"required"`,
        /// `false` is `"optional"`. Without it, what the version of the protocol says.
        trailing_period: Option<Period> as Option<PeriodOrFlag> => Means("what the version of the protocol says");
        /// The severity of an argument that does not have the declared type.
        types: TypeSeverity;
        /// Whether an escape in a string of an update may mean one of `` ` ``, `$`, `;` and `|`.
        allow_escaped_metachars: bool;
        /// Predicates that no reply may assert, in place of the built-in list.
        protected: Option<Vec<String>> => Means("the built-in list");
        /// Predicates that no reply may assert, beside those of `protected` or of the built-in list.
        protected_extra: Vec<String>;
        /// Predicates that shape prompts, which no reply may assert, in place of the built-in list.
        sensitive: Option<Vec<String>> => Means("the built-in list");
    }
}

settings! {
    /// The settings of the runtime and its limits (`[transcripts.caps]`).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Caps("transcripts.caps") {
        /// Whether the runtime removes the fences around an envelope.
        fenced "allow_markdown_wrapped": bool = true;
        /// Bytes of a surface; a longer one is cut. 0: no limit.
        surface "max_surface_length": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// How deep the braces of an envelope in mixed text may nest.
        depth "max_depth": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Bytes of an envelope in mixed text; the runtime ignores larger ones.
        candidate "max_candidate": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Updates of a reply; the runtime ignores those after them.
        updates "max_updates": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Bytes of an update; the runtime ignores a longer one.
        update "max_update_length": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Memory operations of a reply; the runtime ignores those after them.
        memory "max_memory_operations": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Bytes of a reasoning trace; a longer one is cut.
        trace "max_reasoning_trace": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Tool requests of a reply; the runtime ignores those after them.
        tools "max_tool_requests": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Knowledge requests of a reply; the runtime ignores those after them.
        knowledge "max_knowledge_requests": Option<usize> as Option<Limit> => Means("the limit of the runtime");
    }
    beside {
        /// Whether a reply without a valid envelope is an error ([`TranscriptSettings::require_valid_json`]).
        strict: bool;
        /// Whether updates have to end in a full stop to be kept.
        full_stops: FullStops;
        /// The runtime whose behavior is modeled ([`TranscriptSettings::runtime`]).
        runtime: Runtime;
    }
}

settings! {
    /// `[[transcripts.override]]`: what is different for some files. What is unset stays as it is.
    #[derive(Debug, Clone, PartialEq)]
    pub struct TranscriptOverride("transcripts.override") {
        /// Which transcripts: a glob, or a list of them.
        glob: Globs as GlobOrGlobs => Required;
        /// As `transcripts.profile`.
        profile: Option<Profile> as ProfileWord;
        /// As `transcripts.consumer`.
        consumer: Option<String>;
        /// As `transcripts.runtime`.
        runtime: Option<Runtime> as RuntimeWord;
        /// As `transcripts.container`.
        container: Option<Container>;
        /// As `transcripts.strict`.
        strict: Option<Strictness>;
        /// As `transcripts.require_valid_json`.
        require_valid_json: Option<bool>;
    }
}

fn complete(settings: &mut TranscriptSettings, reader: &mut Reader<'_>) {
    settings.caps.strict = settings.require_valid_json;
    settings.set_runtime(settings.runtime.unwrap_or_default());
    check_consumers(&settings.consumers, reader);
}

impl Entry for TranscriptOverride {
    const ONE: &'static str = "an override";

    fn entry(reader: &mut Reader<'_>, table: Table<'_>, start: TextRange, _: &[Self]) -> Option<Self> {
        if !table.contains_key("glob") {
            let finding = Finding::new(&CONFIG_BAD_VALUE, start, "override has no `glob`")
                .note("it applies to no transcript")
                .help("add a `glob` that matches its transcripts");
            reader.findings.push(finding);
        }
        Some(reader.read_table(table))
    }
}

/// A version of the protocol, or `auto`.
enum ProfileWord {}

impl ProfileWord {
    const WORDS: [&str; Profile::ALL.len() + 1] = {
        let mut words = ["auto"; Profile::ALL.len() + 1];
        let mut at = 0;
        while at < Profile::WORDS.len() {
            words[at + 1] = Profile::WORDS[at];
            at += 1;
        }
        words
    };
}

impl Setting<Option<Profile>> for ProfileWord {
    const KIND: Kind = Kind::Word(&Self::WORDS);

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Option<Profile>> {
        let parse = |word: &str| if word == "auto" { Some(None) } else { Profile::parse(word).map(Some) };
        reader.word(value, &at.label(), &Self::WORDS, parse)
    }

    fn output(value: &Option<Profile>) -> SettingValue {
        Option::<Profile>::output(value)
    }
}

/// A word, `true` for `required`, or `false` for `optional`.
enum PeriodOrFlag {}

impl Setting<Period> for PeriodOrFlag {
    const KIND: Kind = Kind::WordOrFlag(&Period::WORDS);

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Period> {
        match value.as_bool() {
            Some(true) => Some(Period::Required),
            Some(false) => Some(Period::Optional),
            None => Period::read(reader, value, at),
        }
    }

    fn output(value: &Period) -> SettingValue {
        Period::output(value)
    }
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

/// Defines the limits of [`Caps`]: the setting, or else the limit of the runtime.
macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident = $capability:ident;)*) => {
        impl Caps {
            $($(#[$doc])* #[must_use]
            pub fn $name(&self) -> usize {
                self.$name.or(self.runtime.$capability).unwrap_or(usize::MAX)
            })*
        }
    };
}

limits! {
    /// The deepest nesting of braces of an envelope in mixed text.
    depth = scanner_depth;
    /// The largest envelope in mixed text, in bytes.
    candidate = candidate_cap;
    /// The most updates of a reply.
    updates = updates_cap;
    /// The longest update, in bytes.
    update = update_cap;
    /// The most memory operations of a reply.
    memory = memory_cap;
    /// The longest reasoning trace, in bytes.
    trace = trace_cap;
    /// The most tool requests of a reply.
    tools = tool_requests_cap;
    /// The most knowledge requests of a reply.
    knowledge = knowledge_requests_cap;
}

impl Caps {
    /// The longest surface, in bytes.
    #[must_use]
    pub fn surface(&self) -> usize {
        let limit = self.surface.or(self.runtime.surface_cap).unwrap_or_default();
        if limit == 0 { usize::MAX } else { limit }
    }
}

impl TranscriptSettings {
    /// Sets the runtime whose behavior is modeled. The choice of the configuration stays.
    pub fn set_runtime(&mut self, runtime: Runtime) {
        self.caps.runtime = runtime;
    }

    /// The compression ratio that is wanted.
    #[must_use]
    pub fn compression_target(&self) -> f64 {
        self.target_compression_ratio.unwrap_or(USUAL_COMPRESSION_RATIO)
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
            settings.runtime = one.runtime.or(settings.runtime);
            settings.container = one.container.or(settings.container);
            settings.strict = one.strict.unwrap_or(settings.strict);
            settings.caps.strict = one.require_valid_json.unwrap_or(settings.caps.strict);
        }
        settings.set_runtime(settings.runtime.unwrap_or_default());
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
