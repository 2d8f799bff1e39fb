//! Origin of a reply: agent role (shard), model and protocol version, if the transcript names them.

use super::turn::{Record, Turn};
use super::words::{member, text};
use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::{Reply, ReplyContext, Survey};
use mangle_settings::Profile;
use mangle_syntax::text::{TextRange, size};

/// Origin of a reply. Missing labels are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Labels {
    /// Type of the shard.
    pub shard: Option<String>,
    /// Name of the model.
    pub model: Option<String>,
    /// Version of the protocol that the reply is checked against.
    pub version: Option<&'static str>,
}

/// Keys for the name of a model.
const MODELS: [&str; 9] = [
    "model",
    "model_name",
    "modelName",
    "model_id",
    "modelId",
    "modelVersion",
    "gen_ai.response.model",
    "gen_ai.request.model",
    "llm.model_name",
];

/// Keys for a shard or an agent next to a reply. Used if neither the container nor the envelope
/// names a shard.
const SHARDS: [&str; 6] = ["shard_type", "shardType", "shard", "agent_name", "agentName", "agent"];

/// Keys of nested objects that describe the enclosing object.
const METADATA_KEYS: [&str; 8] =
    ["metadata", "attributes", "request", "response", "response_metadata", "extra", "kwargs", "params"];

/// Maximum number of nodes of a record that are searched for names.
const MAX_NODES: usize = 200_000;

/// Maximum number of objects before a turn that are searched for an enclosing object.
const MAX_PREVIOUS: usize = 1_000;

/// Maximum length of a name in characters. Longer names are truncated.
const MAX_LEN: usize = 80;

/// Names of models and shards in the objects of a record.
#[derive(Debug, Default)]
pub struct RecordNames {
    models: NamesByPlace,
    shards: NamesByPlace,
}

/// Names with the byte range of their object, in the order of the objects.
#[derive(Debug, Default)]
struct NamesByPlace(Vec<(TextRange, String)>);

impl RecordNames {
    /// Collects the names of a record. Empty if the record is not JSON.
    #[must_use]
    pub fn from_record(record: &Record<'_>) -> Self {
        let is_json = matches!(record.bytes.trim_ascii_start().first(), Some(b'{' | b'['));
        if !is_json {
            return Self::default();
        }
        let json = Json::parse(record.bytes);
        let (mut models, mut shards) = (Vec::new(), Vec::new());
        for node in json.nodes().take(MAX_NODES).filter(|node| json.kind(*node) == JsonKind::Object) {
            for (keys, found) in [(&MODELS[..], &mut models), (&SHARDS[..], &mut shards)] {
                let about =
                    || METADATA_KEYS.iter().find_map(|name| named(&json, member(&json, node, name)?, keys));
                if let Some(name) = named(&json, node, keys).or_else(about) {
                    found.push((json.range(node), name));
                }
            }
        }
        Self { models: NamesByPlace::new(models), shards: NamesByPlace::new(shards) }
    }
}

impl NamesByPlace {
    fn new(mut found: Vec<(TextRange, String)>) -> Self {
        found.sort_by_key(|(range, _)| (range.start(), std::cmp::Reverse(range.end())));
        Self(found)
    }

    /// Returns the name in the innermost object that contains a range.
    fn around(&self, place: TextRange) -> Option<&str> {
        let end = self.0.partition_point(|(range, _)| range.start() <= place.start());
        let before = self.0.get(..end)?.iter().rev().take(MAX_PREVIOUS);
        before.into_iter().find(|(range, _)| range.end() >= place.end()).map(|(_, name)| name.as_str())
    }
}

/// Returns the string value of the first of `keys` in an object or a list of attributes.
fn named(json: &Json<'_>, node: NodeId, keys: &[&str]) -> Option<String> {
    if json.kind(node) == JsonKind::Array {
        let is_it =
            |attribute: &NodeId| text(json, *attribute, "key").is_some_and(|key| keys.contains(&&*key));
        let value = member(json, json.elements(node).find(is_it)?, "value")?;
        return text(json, value, "stringValue").and_then(|name| short(&name));
    }
    keys.iter().find_map(|key| text(json, node, key)).and_then(|name| short(&name))
}

fn short(name: &str) -> Option<String> {
    let name = name.trim();
    (!name.is_empty()).then(|| name.chars().take(MAX_LEN).collect())
}

impl Labels {
    /// Returns the labels of a turn. `reply` is the parsed reply with its profile, if the turn is
    /// one.
    #[must_use]
    pub fn from_turn(names: &RecordNames, turn: &Turn, reply: Option<(&Reply<'_>, Profile)>) -> Self {
        let place = turn.place(TextRange::up_to(size(turn.len())));
        let of_turn = turn.details.as_ref().and_then(|details| details.shard.clone());
        let shard = of_turn.or_else(|| reply.and_then(|(reply, _)| shard(reply)));
        let shard = shard.or_else(|| names.shards.around(place).map(str::to_owned));
        Self {
            shard: shard.and_then(|shard| short(&shard)),
            model: names.models.around(place).map(str::to_owned),
            version: reply.map(|(_, profile)| profile.as_str()),
        }
    }

    /// The labels that are present, with their names.
    pub fn pairs(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let all =
            [("shard", self.shard.as_deref()), ("model", self.model.as_deref()), ("version", self.version)];
        all.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}

/// Returns the shard that the envelope names.
fn shard(reply: &Reply<'_>) -> Option<String> {
    let (json, node) = reply.member(&["control_packet", "execution_metadata", "shard_type"])?;
    json.string(node).map(std::borrow::Cow::into_owned)
}

/// Returns the protocol version that a reply is checked against.
#[must_use]
pub fn profile(turn: &Turn, reply: &Reply<'_>, context: &ReplyContext<'_>) -> Profile {
    let of_turn = turn.details.as_ref().and_then(|details| details.profile);
    let session = turn.session.or(context.session);
    let context = ReplyContext { profile: context.profile.or(of_turn), session, ..*context };
    let survey = Survey::new(reply, &context);
    let found = survey.subjects().last().map(|subject| subject.profile);
    found.or(context.profile).or(context.settings.profile).unwrap_or(Profile::Current)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::transcript::{TranscriptOptions, TranscriptReader};
    use mangle_settings::TranscriptSettings;

    /// Returns the labels of the replies of a file.
    fn labels(name: &str, text: &str) -> Vec<String> {
        let settings = TranscriptSettings::default();
        let context = ReplyContext::new(&settings);
        let mut out = Vec::new();
        let mut reader =
            TranscriptReader::new(TranscriptOptions { name: name.into(), ..TranscriptOptions::default() });
        let mut each = |record: &Record<'_>| {
            let names = RecordNames::from_record(record);
            for turn in record.turns.iter().filter(|turn| turn.is_reply()) {
                let reply = turn.reply(record.bytes, &settings);
                let profile = profile(turn, &reply, &context);
                let labels = Labels::from_turn(&names, turn, Some((&reply, profile)));
                out.push(
                    labels
                        .pairs()
                        .map(|(name, value)| format!("{name}={value}"))
                        .collect::<Vec<_>>()
                        .join(" "),
                );
            }
        };
        reader.feed(text.as_bytes(), &mut each);
        let _ = reader.finish(&mut each);
        out
    }

    const REPLY: &str =
        r#"{\"control_packet\":{\"mangle_updates\":[],\"tool_requests\":[]},\"surface_response\":\"ok\"}"#;

    #[test]
    fn the_nearest_object_names_the_model() {
        let chat = format!(
            r#"{{"model":"outer","messages":[{{"role":"assistant","content":"{REPLY}","model":"inner"}},{{"role":"assistant","content":"{REPLY} "}}]}}"#
        );
        assert_eq!(labels("a.jsonl", &chat), ["model=inner version=current", "model=outer version=current"]);
        let provider = format!(r#"{{"model":"gpt-x","choices":[{{"message":{{"content":"{REPLY}"}}}}]}}"#);
        assert_eq!(labels("a.json", &provider), ["model=gpt-x version=current"]);
        let about = format!(r#"{{"role":"assistant","content":"{REPLY}","metadata":{{"model_name":"m"}}}}"#);
        assert_eq!(labels("a.jsonl", &about), ["model=m version=current"]);
        let none = format!(r#"{{"role":"assistant","content":"{REPLY}","model":3}}"#);
        assert_eq!(labels("a.jsonl", &none), ["version=current"]);
    }

    #[test]
    fn the_container_or_the_packet_names_the_shard() {
        let row = format!(
            r#"[{{"shard_type":"coder","model":"m","system_prompt":"s","user_prompt":"u","response":"{REPLY}"}}]"#
        );
        assert_eq!(labels("a.json", &row), ["shard=coder model=m version=current"]);
        let packet = r#"{"control_packet":{"mangle_updates":[],"execution_metadata":{"shard_type":"tester"}},"surface_response":"ok"}"#;
        assert_eq!(labels("a.jsonl", packet), ["shard=tester version=1.2"]);
    }

    #[test]
    fn the_record_names_the_shard_where_nothing_closer_does() {
        let line = |more: &str| format!(r#"{{"role":"assistant","content":"{REPLY}",{more}}}"#);
        assert_eq!(labels("a.jsonl", &line(r#""agent":"planner""#)), ["shard=planner version=current"]);
        let both = line(r#""agent":"planner","metadata":{"shard":"coder"}"#);
        assert_eq!(labels("a.jsonl", &both), ["shard=planner version=current"]);
        let packet = r#"{"agent":"planner","reply":{"control_packet":{"mangle_updates":[],"execution_metadata":{"shard_type":"tester"}},"surface_response":"ok"}}"#;
        assert_eq!(labels("a.jsonl", packet), ["shard=tester version=1.2"]);
        assert_eq!(labels("a.jsonl", &line(r#""agent":{"name":"x"}"#)), ["version=current"]);
    }

    #[test]
    fn attributes_of_a_trace_name_the_model() {
        let json =
            Json::parse(br#"[{"key":"a"},{"key":"gen_ai.request.model","value":{"stringValue":"m"}}]"#);
        assert_eq!(named(&json, json.root(), &MODELS).unwrap(), "m");
    }
}
