//! For whom a prompt is: the shard, its session, what the person wants.

use serde_json::{Map, Value};

use super::intent::Intent;
use super::session::PromptSession;
use mangle_settings::Runtime;
use piggyback::envelope::runtime::go_float;

/// For whom, and in which situation, a prompt is assembled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptContext {
    /// The instance: `coder-17`.
    pub shard_id: String,
    /// What kind of shard it is, without `/`: `coder`.
    pub shard_type: String,
    /// What the session knows; `None` when there is none.
    pub session: Option<PromptSession>,
    /// What the person wants; `None` when that is not known.
    pub intent: Option<Intent>,
    /// The campaign; empty when there is none.
    pub campaign_id: String,
    /// What knowledge is searched with, in place of the intent's target; empty to leave that.
    pub semantic_query: String,
    /// How many results of that search are wanted; `None` leaves it at the default.
    pub semantic_top_k: Option<u32>,
    /// What that search found: ids of prompt atoms and their scores, from 0 to 1. The runtime has an index for it.
    pub vectors: Vec<(String, f64)>,
    /// How many tokens a prompt may have, and how many of those are reserved, where somebody says it.
    pub budget: (Option<u32>, Option<u32>),
    /// The runtime that assembles the prompt.
    pub runtime: Runtime,
}

/// Neither an id nor a type of shard may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("missing shard_id or shard_type")]
pub struct MissingShard;

/// The members of the map form that become part of [`PromptSession::extra_context`].
const EXTRA: [&str; 6] =
    ["ouroboros_stage", "stage", "tool_name", "tool_purpose", "input_type", "output_type"];

impl PromptContext {
    /// A context with nothing but a shard.
    #[must_use]
    pub fn of_shard(id: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { shard_id: id.into(), shard_type: kind.into(), ..Self::default() }
    }

    /// Whether the shard has an id and a type. The reference runtime asks that of the map form alone.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.shard_id.is_empty() && !self.shard_type.is_empty()
    }

    /// Reads the map form, which code around the runtime uses. Members of another kind than expected count as missing.
    /// `session` and `intent` are what the map holds of them.
    ///
    /// # Errors
    /// When the shard has no id or no type.
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
