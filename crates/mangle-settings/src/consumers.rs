//! `[transcripts.consumers.NAME]`: the components that accept updates from replies.

use std::collections::BTreeMap;

use toml_span::Value;

use super::declare::{Setting, settings};
use super::findings::CONFIG_BAD_VALUE;
use super::keys::Kind;
use super::kinds::Limit;
use super::output::SettingTable as _;
use super::output::SettingValue;
use super::value::{KeyPath, Reader, range, shorten, suggest};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::listed;

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
