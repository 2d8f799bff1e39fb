//! `[transcripts]`: reading of captured replies, and the checks that apply to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use toml_span::Value;
use toml_span::value::Table;

use super::declare::{Setting, settings};
use super::findings::CONFIG_BAD_VALUE;
use super::globs::GlobOrGlobs;
use super::keys::Kind;
use super::keys::SettingValue;
use super::kinds::{Decimal, Entry, File, Integer, Limit, Tables};
use super::pattern::Pattern;
use super::protocol::{Consumers, check_consumers};
use super::value::{KeyPath, Reader};
use super::versions::runtime::{Runtime, RuntimeWord};
use super::{Consumer, Container, Globs, Period, Profile, Select, Strictness, TranscriptShape, TypeSeverity};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;

settings! {
    /// `[transcripts]`; an override that fits a file is applied before the settings are used for it.
    #[derive(Debug, Clone, PartialEq)]
    pub struct TranscriptSettings("transcripts", complete) {
        /// The transcript files, also with `.gz` or `.zst` after the name. Policies and configuration files
        /// are never transcripts.
        include: Globs = ["**/transcripts/**", "**/*.piggyback.{json,jsonl,ndjson,md,txt,log}"];
        /// The protocol version of envelopes; `auto` detects it. `--profile` overrides it.
        profile: Option<Profile> as ProfileWord => Is("auto");
        /// The consumer of the updates, which determines the accepted predicates: `open`, `session`,
        /// `planner`, `perception`, `compressor`, or a name in `[transcripts.consumers]`. Refused updates are
        /// errors only if a consumer is named. `--consumer` overrides it.
        consumer: Option<String> => Is("open");
        /// The runtime whose behavior is modeled. `none`: only the rules of the protocol. `auto`: the version
        /// of codeNERD whose predicates the policy defines, or `none`; without a policy, the first version.
        /// `--runtime` overrides it.
        runtime: Option<Runtime> as RuntimeWord => Is("auto");
        /// The check of an envelope's shape: `struct` like the runtime's types, `simple` like its small
        /// schema, `schema` like its strict schema (exactly its fields).
        strict: Strictness;
        /// Model the strict mode of the runtime: a reply without a valid envelope is an error.
        require_valid_json: bool;
        /// The envelope to use if a reply has several: the choice of the `runtime`, `last` or `first`.
        /// `error` reports them.
        select "envelope_select": Select;
        /// The container format of the files. Default: detected. `--container` overrides it.
        container: Option<Container> => Means("detected");
        /// A regular expression for lines between turns of raw text. Default: lines such as `=== …`, `---
        /// turn 3`, `User:`, `Assistant:`.
        turn_separator: Option<String> as Option<Pattern> => Means("the built-in separators");
        /// A catalog of available tools: a JSON list of `{"name", "parameters"}`; `parameters` is a JSON
        /// schema. Default: any tool is accepted.
        tools: Option<String> as Option<File> => Means("any tool");
        /// The agents that can be asked for knowledge. Default: any agent is accepted.
        specialists: Option<Vec<String>> => Means("any agent");
        /// Phrases in a surface that claim a finished or ongoing action. A phrase with `…` at its end matches
        /// an ellipsis at the end of a sentence: `deleting…` matches `Deleting old files...`.
        success_phrases: Vec<String> = SUCCESS_PHRASES;
        /// Target number of conversation tokens per token of state. Default: 100. `ratio-inverse` checks
        /// single turns only with this key.
        target_compression_ratio: Option<f64> as Option<Decimal<1, 1_000_000>>
            => Means("100, without a check of single turns");
        /// Minimum number of words in a reasoning trace. A shorter trace is reported as thin.
        min_trace_words: u32 as Integer<0, 10_000> = 50;
        /// Maximum bytes of a closed transcript for the language server; only `check` reads larger ones. 0:
        /// only open transcripts.
        closed_limit: usize as Limit = 4 << 20;
        /// The form of updates, and the predicates that no reply may assert.
        atoms: AtomSettings;
        /// The limits of the runtime.
        caps: Caps;
        /// Consumers of updates in addition to the built-in consumers.
        consumers: BTreeMap<String, Consumer> as Consumers;
        /// Places of the turns in custom transcript formats. The first shape with a text is used, before any
        /// built-in format.
        shapes "shape": Arc<[TranscriptShape]> as Tables;
        /// Different settings for some transcripts. If several overrides match a file, later ones win.
        overrides "override": Vec<TranscriptOverride> as Tables;
    }
    beside {
        /// The protocol version that the command line prescribes, regardless of the versions named in
        /// envelopes.
        prescribed: Option<Profile>;
    }
}

settings! {
    /// `[transcripts.atoms]`
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AtomSettings("transcripts.atoms") {
        /// The full stop at the end of an update: `"required"` (`true`), `"optional"` (`false`) or
        /// `"forbidden"`. Default: from the protocol version.
        trailing_period: Option<Period> as Option<PeriodOrFlag> => Means("from the protocol version");
        /// The severity of an argument that does not have the declared type.
        types: TypeSeverity;
        /// Accept the escapes of `` ` ``, `$`, `;` and `|` in strings of updates.
        allow_escaped_metachars: bool;
        /// Predicates that no reply may assert, in place of the built-in list.
        protected: Option<Vec<String>> => Means("the built-in list");
        /// Predicates that no reply may assert, in addition to `protected` or the built-in list.
        protected_extra: Vec<String>;
        /// Prompt-shaping predicates that no reply may assert, in place of the built-in list.
        sensitive: Option<Vec<String>> => Means("the built-in list");
    }
}

settings! {
    /// The settings of the runtime and its limits (`[transcripts.caps]`).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Caps("transcripts.caps") {
        /// True if the runtime removes the fences around an envelope.
        fenced "allow_markdown_wrapped": bool = true;
        /// Maximum bytes of a surface; the runtime cuts longer ones. 0: no limit.
        surface "max_surface_length": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Maximum nesting of the braces of an envelope in mixed text.
        depth "max_depth": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Maximum bytes of an envelope in mixed text; the runtime ignores larger ones.
        candidate "max_candidate": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Maximum number of updates in a reply; the runtime ignores the rest.
        updates "max_updates": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Maximum bytes of an update; the runtime ignores longer ones.
        update "max_update_length": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Maximum number of memory operations in a reply; the runtime ignores the rest.
        memory "max_memory_operations": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Maximum bytes of a reasoning trace; the runtime cuts longer ones.
        trace "max_reasoning_trace": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Maximum number of tool requests in a reply; the runtime ignores the rest.
        tools "max_tool_requests": Option<usize> as Option<Limit> => Means("the limit of the runtime");
        /// Maximum number of knowledge requests in a reply; the runtime ignores the rest.
        knowledge "max_knowledge_requests": Option<usize> as Option<Limit> => Means("the limit of the runtime");
    }
    beside {
        /// True if a reply without a valid envelope is an error ([`TranscriptSettings::require_valid_json`]).
        strict: bool;
        /// The rule for full stops at the end of updates.
        full_stops: PeriodRequirement;
        /// The runtime whose behavior is modeled ([`TranscriptSettings::runtime`]).
        runtime: Runtime;
        /// True if nothing shows the runtime: neither a setting nor the policy. Then no convention of it is expected.
        is_assumed: bool;
    }
}

settings! {
    /// `[[transcripts.override]]`: settings for some files. Missing keys change nothing.
    #[derive(Debug, Clone, PartialEq)]
    pub struct TranscriptOverride("transcripts.override") {
        /// The transcripts: a glob, or a list of globs.
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
    settings.set_runtime(Some(settings.runtime.unwrap_or_default()));
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

/// The sources that decide whether an update must end in a period. The first available source
/// applies. If none is available, the members of the envelope determine its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriodRequirement {
    /// The setting `trailing_period`.
    pub setting: Option<Period>,
    /// The prescribed version, which overrides the version of an envelope.
    pub prescribed: Option<Profile>,
    /// The version of envelopes that name none: from the settings, or the most common version of
    /// the session.
    pub usual: Option<Profile>,
}

impl Default for PeriodRequirement {
    /// The rules of the runtime, which supports one version.
    fn default() -> Self {
        Self { setting: None, prescribed: Some(Profile::Current), usual: None }
    }
}

impl PeriodRequirement {
    /// True if an update without an envelope needs the period.
    #[must_use]
    pub fn are_needed(self) -> bool {
        self.are_needed_in(self.prescribed.or(self.usual).unwrap_or(Profile::Current))
    }

    /// True if an update in an envelope of this version needs the period.
    #[must_use]
    pub fn are_needed_in(self, profile: Profile) -> bool {
        match self.setting {
            Some(setting) => setting == Period::Required,
            None => profile.needs_full_stops(),
        }
    }
}

/// Tokens of text per token of state that codeNERD aims for.
const USUAL_COMPRESSION_RATIO: f64 = 100.0;

/// Surface phrases that claim that an action is done or in progress. A phrase that ends in `…` only
/// matches a sentence that ends in an ellipsis.
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

/// Defines the limits of [`Caps`]: the setting, or the limit of the runtime.
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
    /// Maximum nesting of braces of an envelope in mixed text.
    depth = scanner_depth;
    /// Maximum length of an envelope in mixed text, in bytes.
    candidate = candidate_cap;
    /// Maximum number of updates in a reply.
    updates = updates_cap;
    /// Maximum length of an update, in bytes.
    update = update_cap;
    /// Maximum number of memory operations in a reply.
    memory = memory_cap;
    /// Maximum length of a reasoning trace, in bytes.
    trace = trace_cap;
    /// Maximum number of tool requests in a reply.
    tools = tool_requests_cap;
    /// Maximum number of knowledge requests in a reply.
    knowledge = knowledge_requests_cap;
}

impl Caps {
    /// Maximum length of the surface, in bytes.
    #[must_use]
    pub fn surface(&self) -> usize {
        let limit = self.surface.or(self.runtime.surface_cap).unwrap_or_default();
        if limit == 0 { usize::MAX } else { limit }
    }
}

impl TranscriptSettings {
    /// Sets the modeled runtime. `None` if the runtime is unknown. A choice in the configuration
    /// takes precedence.
    pub fn set_runtime(&mut self, runtime: Option<Runtime>) {
        self.caps.runtime = runtime.unwrap_or_default();
        self.caps.is_assumed = runtime.is_none();
    }

    /// The agent whose conventions apply to replies: the agent of the runtime, if a setting or the
    /// policy identifies it.
    #[must_use]
    pub fn conventions_of(&self) -> Option<&'static str> {
        self.caps.runtime.conventions.filter(|_| !self.caps.is_assumed)
    }

    /// The target compression ratio. `None` if neither the settings nor the conventions of the
    /// runtime define one.
    #[must_use]
    pub fn compression_target(&self) -> Option<f64> {
        let usual = self.conventions_of().map(|_| USUAL_COMPRESSION_RATIO);
        self.target_compression_ratio.or(usual)
    }
}

impl TranscriptSettings {
    /// The settings for the transcript at `path`, which is relative to the configuration file and
    /// uses `/`.
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
        settings.set_runtime(Some(settings.runtime.unwrap_or_default()));
        settings
    }

    /// The limits of the runtime for a reply. `given` is the prescribed version of the reply, and
    /// `session` is the most common version of its session.
    #[must_use]
    pub fn limits_for(&self, given: Option<Profile>, session: Option<Profile>) -> Caps {
        let full_stops = PeriodRequirement {
            setting: self.atoms.trailing_period,
            prescribed: self.prescribed.or(given),
            usual: self.profile.or(session),
        };
        Caps { full_stops, ..self.caps.clone() }
    }
}
