//! Context of a prompt: the shard, the session and the user's intent.

use serde_json::{Map, Value};

use super::intent::Intent;
use super::session::PromptSession;
use mangle_settings::Runtime;
use piggyback::envelope::runtime::go_float;

/// The shard and the situation of a prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptContext {
    /// The id of the instance, for example `coder-17`.
    pub shard_id: String,
    /// The type of shard without `/`, for example `coder`.
    pub shard_type: String,
    /// The data of the session.
    pub session: Option<PromptSession>,
    /// The user's intent, if known.
    pub intent: Option<Intent>,
    /// The id of the campaign; empty without a campaign.
    pub campaign_id: String,
    /// The query for the knowledge search. If empty, the target of the intent is used.
    pub semantic_query: String,
    /// The number of search results. `None` means the default of the runtime.
    pub semantic_top_k: Option<u32>,
    /// The results of the vector search: ids of prompt atoms with scores from 0 to 1. The runtime
    /// has a vector index; previews take the results as input.
    pub vectors: Vec<(String, f64)>,
    /// The token budget and the reserved tokens, if configured.
    pub budget: (Option<u32>, Option<u32>),
    /// The runtime that assembles the prompt.
    pub runtime: Runtime,
}

/// Error: the id or the type of the shard is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("missing shard_id or shard_type")]
pub struct MissingShard;

/// The members of the map form that become part of [`PromptSession::extra_context`].
const EXTRA: [&str; 6] =
    ["ouroboros_stage", "stage", "tool_name", "tool_purpose", "input_type", "output_type"];

impl PromptContext {
    /// A context with only a shard.
    #[must_use]
    pub fn for_shard(id: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { shard_id: id.into(), shard_type: kind.into(), ..Self::default() }
    }

    /// True if the shard has an id and a type. The reference runtime requires both only in the map
    /// form.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.shard_id.is_empty() && !self.shard_type.is_empty()
    }

    /// Reads the map form of a context. Members with an unexpected type count as missing. `session`
    /// and `intent` are the parsed values of these members.
    ///
    /// # Errors
    ///
    /// If the shard has no id or no type.
    pub fn from_map(
        map: &Map<String, Value>,
        session: Option<PromptSession>,
        intent: Option<Intent>,
        runtime: Runtime,
    ) -> Result<Self, MissingShard> {
        let text = |key: &str| match map.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Bool(truth)) if runtime.printed_map => format!("/{truth}"),
            Some(Value::Number(number)) if runtime.printed_map => {
                go_float(number.as_f64().unwrap_or_default())
            }
            _ => String::new(),
        };
        let top_k = map.get("semantic_top_k").and_then(Value::as_u64).and_then(|k| u32::try_from(k).ok());
        let mut context = Self {
            shard_id: text("shard_id"),
            shard_type: text("shard_type"),
            session,
            intent,
            campaign_id: text("campaign_id"),
            semantic_query: text("semantic_query"),
            semantic_top_k: top_k,
            runtime,
            ..Self::default()
        };
        if runtime.printed_map && context.semantic_query.is_empty() {
            let purpose = text("tool_purpose");
            context.semantic_query = if purpose.is_empty() { text("tool_name") } else { purpose };
        }
        let extra: Vec<_> =
            EXTRA.iter().map(|key| (*key, text(key))).filter(|(_, value)| !value.is_empty()).collect();
        if !extra.is_empty() {
            context.session.get_or_insert_default().add_extra(&extra);
        }
        context.is_complete().then_some(context).ok_or(MissingShard)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    #[test]
    fn a_stage_wins_over_the_given_ouroboros_stage() {
        let map = json!({"shard_id": "t-1", "shard_type": "tool_generator", "stage": "testing",
            "ouroboros_stage": "detection", "semantic_top_k": 4, "tool_name": "skew", "input_type": 3});
        let context =
            PromptContext::from_map(map.as_object().unwrap(), None, None, Runtime::default()).unwrap();
        let session = context.session.unwrap();
        assert_eq!(session.extra("ouroboros_stage"), Some("testing"));
        assert_eq!((session.extra("tool_name"), session.extra("input_type")), (Some("skew"), None));
        assert_eq!(context.semantic_top_k, Some(4));
    }

    #[test]
    fn a_shard_needs_an_id_and_a_type() {
        let of =
            |map: Value| PromptContext::from_map(map.as_object().unwrap(), None, None, Runtime::default());
        assert_eq!(of(json!({"shard_id": "x"})), Err(MissingShard));
        assert_eq!(of(json!({"shard_id": "x", "shard_type": 3})), Err(MissingShard));
        assert!(of(json!({"shard_id": "x", "shard_type": "y"})).is_ok());
    }
}
