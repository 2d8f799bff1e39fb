//! Values of `[transcripts]`: protocol versions, file shapes, strictness, and the components that accept
//! updates from replies.

use std::collections::BTreeMap;
use std::fmt;

use toml_span::Value;

use super::declare::{Setting, settings, words};
use super::findings::CONFIG_BAD_VALUE;
use super::keys::{Kind, SettingTable as _, SettingValue};
use super::kinds::Limit;
use super::value::{KeyPath, Reader, range, shorten, suggest};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::listed;

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
        /// The current format of the runtime: tools, knowledge, feedback.
        Current = "current",
        /// Everything in 1.2 and `current`, and planned additions.
        Draft1_3 = "1.3-draft",
    }
}

impl Profile {
    /// True if the control packet comes before the surface.
    #[must_use]
    pub fn is_control_first(self) -> bool {
        self >= Self::V1_2
    }

    /// True if the runtime of this version drops updates that do not end in a period.
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
        /// A single envelope (K1).
        Envelope = "envelope",
        /// A JSON array of envelopes or of chat records (K2).
        Array = "array",
        /// A single response of a model's API (K3, K6).
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
        /// Output of the tracer of codeNERD's context harness (K11).
        Harness = "harness",
        /// Both channels as `split --format log` writes them.
        Channels = "channels",
        /// Markdown with envelopes in its fences (K12).
        Markdown = "markdown",
        /// Only the text of the model: the whole file is one reply, unless lines separate turns (K12).
        Raw = "raw",
    }
}

words! {
    /// The strictness of the check of an envelope's shape.
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
    /// The envelope to use if a reply has several.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Select {
        /// The choice of the runtime.
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
    /// The rule for a full stop at the end of an update.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Period {
        /// A full stop must be present.
        Required = "required",
        /// A full stop may be present.
        Optional = "optional",
        /// A full stop must be absent.
        Forbidden = "forbidden",
    }
}

words! {
    /// The severity of an argument of the wrong type.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum TypeSeverity {
        /// A warning.
        #[default]
        Warning = "warning",
        /// An error.
        Error = "error",
    }
}

/// The names of the consumers that need no table.
pub const BUILT_IN_CONSUMERS: [&str; 5] = ["open", "session", "planner", "perception", "compressor"];

settings! {
    /// A consumer of updates, which accepts some predicates.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Consumer("transcripts.consumers") {
        /// Accepted predicates. If `prefixes` is also empty, the consumer accepts all predicates.
        predicates: Vec<String>;
        /// Prefixes of accepted predicates.
        prefixes: Vec<String>;
        /// Maximum number of updates that the consumer reads in a reply, including blank updates.
        max_updates: usize as Limit = 2_000;
        /// Refuse protected predicates.
        protected: bool = true;
    }
}

pub(super) enum Consumers {}

impl Setting<BTreeMap<String, Consumer>> for Consumers {
    const KIND: Kind = Kind::Named(Consumer::SECTION);

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<BTreeMap<String, Consumer>> {
        let mut consumers = BTreeMap::new();
        let table = reader.table(value, &format!("`{}`", at.section.path(at.key.name)))?;
        for (key, value) in table {
            let Some(inner) = reader.table(value, &format!("the consumer `{}`", key.name)) else { continue };
            let consumer = reader.read_table(inner);
            if BUILT_IN_CONSUMERS.contains(&&*key.name) {
                let message = format!("consumer `{}` is built in", key.name);
                let finding = Finding::new(&CONFIG_BAD_VALUE, range(key.span), message)
                    .label("this table is ignored")
                    .help("choose another name");
                reader.findings.push(finding);
                continue;
            }
            consumers.insert(key.name.to_string(), consumer);
        }
        Some(consumers)
    }

    fn output(value: &BTreeMap<String, Consumer>) -> SettingValue {
        SettingValue::Named(value.iter().map(|(name, consumer)| (name.clone(), consumer.rows())).collect())
    }
}

/// Reports references to consumers that do not exist.
pub(super) fn check_consumers(own: &BTreeMap<String, Consumer>, reader: &mut Reader<'_>) {
    let mut named = reader.take_notes("transcripts.consumer");
    named.extend(reader.take_notes("transcripts.override.consumer"));
    for (name, span) in named {
        let known = || BUILT_IN_CONSUMERS.into_iter().chain(own.keys().map(String::as_str));
        if !known().any(|known| known == name) {
            let all: Vec<_> = known().collect();
            let message = format!("unknown consumer `{}`", shorten(&name));
            let finding = Finding::new(&CONFIG_BAD_VALUE, range(span), message)
                .note(format!("the consumers are {}", listed(all.iter().copied())))
                .note("a table `[transcripts.consumers.NAME]` adds one");
            reader.findings.push(suggest(finding, &name, all));
        }
    }
}
