//! Context of a prompt: the shard, the session and the user's intent, and the situation tags of the
//! prompt compiler that are derived from them.

use serde_json::{Map, Value};

use super::session::{Intent, PromptSession};
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

/// The default token budget of a compiled prompt.
pub const TOKEN_BUDGET: u32 = 200_000;
/// The default number of tokens reserved for the reply.
pub const RESERVED: u32 = 8_000;
/// The number of tokens that the runtime keeps free in addition.
pub const HEADROOM: u32 = 500;
/// The default number of results of a knowledge search.
pub const TOP_K: u32 = 20;
/// The limits for shards that write Mangle: budget, reserved tokens, search results.
const MANGLE_WRITER_LIMITS: (u32, u32, u32) = (60_000, 4_000, 10);
/// Divisor: the fraction of the budget to reserve if the requested reserve exceeds the budget.
const FALLBACK_RATIO: u32 = 10;

/// The situation derived from a [`PromptContext`]. Tags start with `/`; missing values are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DerivedContext {
    /// The type of the shard with a leading `/`, even if the type itself has one.
    pub shard_type: String,
    /// The shard without the instance number, for example `coder` for `coder-17`.
    pub shard_id: String,
    /// The id of the instance, as given.
    pub instance: String,
    /// `/active`, `/dream` or `/tdd_repair`.
    pub operational_mode: &'static str,
    /// The phase of the campaign, as given.
    pub campaign_phase: String,
    /// The goal of the campaign.
    pub campaign_name: String,
    /// The id of the campaign, as given.
    pub campaign_id: String,
    /// The current build layer.
    pub build_layer: String,
    /// The phase of the initialization.
    pub init_phase: String,
    /// The phase of the northstar.
    pub northstar_phase: String,
    /// The stage of the ouroboros.
    pub ouroboros_stage: String,
    /// The programming language of the workspace, as a tag.
    pub language: String,
    /// The provider of the model, as given.
    pub provider: String,
    /// The model, as given.
    pub model: String,
    /// The frameworks of the workspace, as tags.
    pub frameworks: Vec<String>,
    /// The verb of the intent, as given.
    pub intent_verb: String,
    /// The target of the intent.
    pub intent_target: String,
    /// The query for the knowledge search.
    pub semantic_query: String,
    /// The active world states, for example `failing_tests`, in the order of the runtime.
    pub world_states: Vec<&'static str>,
    /// The token budget of the prompt.
    pub token_budget: u32,
    /// The number of tokens reserved for the reply.
    pub reserved: u32,
    /// The number of results of a knowledge search.
    pub top_k: u32,
}

impl DerivedContext {
    /// Derives the situation from a context, like the reference runtime.
    #[must_use]
    pub fn from_context(context: &PromptContext) -> Self {
        let mut derived = Self {
            shard_type: role(context),
            shard_id: stable_id(&context.shard_id, &context.shard_type).to_owned(),
            instance: context.shard_id.clone(),
            operational_mode: "/active",
            campaign_id: context.campaign_id.clone(),
            token_budget: TOKEN_BUDGET,
            reserved: RESERVED,
            top_k: TOP_K,
            ..Self::default()
        };
        let (tokens, reserved) = context.budget;
        derived.budget(tokens, reserved);
        if matches!(&*context.shard_type, "legislator" | "mangle_repair") {
            derived.token_budget = derived.token_budget.min(MANGLE_WRITER_LIMITS.0);
            derived.reserved = derived.reserved.min(MANGLE_WRITER_LIMITS.1);
            derived.top_k = derived.top_k.min(MANGLE_WRITER_LIMITS.2);
        }
        if let Some(session) = &context.session {
            derived.session(session, context.runtime);
        }
        derived.intent(context);
        derived.top_k = context.semantic_top_k.filter(|k| *k > 0).unwrap_or(derived.top_k);
        derived
    }

    /// Applies a configured budget. If the reserve is not smaller than the budget, a tenth is
    /// reserved.
    fn budget(&mut self, tokens: Option<u32>, reserved: Option<u32>) {
        self.token_budget = tokens.filter(|tokens| *tokens > 0).unwrap_or(self.token_budget);
        self.reserved = reserved_of(self.token_budget, reserved.unwrap_or(self.reserved));
    }

    fn session(&mut self, session: &PromptSession, runtime: Runtime) {
        self.operational_mode = match (session.dream_mode, session.test_state.as_str()) {
            (true, _) => "/dream",
            (false, "/failing") => "/tdd_repair",
            _ => "/active",
        };
        if session.campaign_active {
            self.campaign_phase = session.campaign_phase.text.clone();
            self.campaign_name = session.campaign_goal.text.clone();
        }
        let has_hits = !session.reflection_hits.is_empty() || session.extra("reflection_hits").is_some();
        let is_unsafe = !session.safety_warnings.is_empty() || !session.blocked_actions.is_empty();
        let has_new_files = runtime.provider_context && session.extra("new_files").is_some();
        // In the order of the runtime.
        let states = [
            ("failing_tests", !session.failing_tests.is_empty()),
            ("diagnostics", !session.current_diagnostics.is_empty()),
            ("large_refactor", session.impacted_files.len() > 10),
            ("security_issues", is_unsafe),
            ("new_files", has_new_files),
            ("high_churn", session.git_unstaged_count.is_some_and(|count| count.value > 20)),
            ("reflection_hits", has_hits),
        ];
        self.world_states = states.into_iter().filter(|(_, holds)| *holds).map(|(name, _)| name).collect();
        if runtime.provider_context {
            self.provider = session.extra("provider").unwrap_or_default().to_owned();
            self.model = session.extra("model").unwrap_or_default().to_owned();
        }
        self.extra(session);
    }

    fn extra(&mut self, session: &PromptSession) {
        let tag_of = |key: &str| session.extra(key).map(tag).unwrap_or_default();
        self.build_layer = tag_of("build_layer");
        self.init_phase = tag_of("init_phase");
        self.northstar_phase = tag_of("northstar_phase");
        self.ouroboros_stage = tag_of("ouroboros_stage");
        self.language = tag_of("language");
        self.frameworks = match (session.extra("frameworks"), session.extra("framework")) {
            (Some(several), _) => {
                let names = several.split([',', ';', ' ']).filter(|name| !name.is_empty());
                names.map(tag).filter(|tag| !tag.is_empty()).collect()
            }
            (None, Some(one)) => vec![tag(one)],
            (None, None) => Vec::new(),
        };
    }

    fn intent(&mut self, context: &PromptContext) {
        if let Some(intent) = &context.intent {
            self.intent_verb = intent.verb.text.clone();
            self.intent_target = intent.target.text.clone();
            self.semantic_query = intent.target.text.clone();
            let language = language_of(&intent.target.text);
            if self.language.is_empty() || context.runtime.target_language && !language.is_empty() {
                self.language = language.to_owned();
            }
        }
        if !context.semantic_query.is_empty() {
            self.semantic_query = context.semantic_query.clone();
        }
        if self.language.is_empty() && writes_mangle(&context.shard_type) {
            self.language = "/mangle".to_owned();
        }
    }

    /// The number of tokens for atoms: the budget minus the reserve and [`HEADROOM`].
    #[must_use]
    pub fn available(&self) -> u32 {
        self.token_budget.saturating_sub(self.reserved).saturating_sub(HEADROOM)
    }
}

/// The number of reserved tokens. If the requested number is not smaller than the budget, a tenth
/// of the budget.
#[must_use]
pub(super) fn reserved_of(budget: u32, wanted: u32) -> u32 {
    if wanted < budget { wanted } else { budget / FALLBACK_RATIO }
}

/// The role with a leading `/`. Some runtimes prepend a `/` even if the type already has one.
pub(super) fn role(context: &PromptContext) -> String {
    let kind = &context.shard_type;
    if context.runtime.slash_roles && kind.starts_with('/') { kind.clone() } else { format!("/{kind}") }
}

/// The name of the shard without an instance number: the text before a dash and digits, or `kind`.
#[must_use]
pub fn stable_id<'a>(id: &'a str, kind: &'a str) -> &'a str {
    let numbered = id.trim().rsplit_once('-');
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    numbered.filter(|(name, digits)| !name.is_empty() && is_number(digits)).map_or(kind, |(name, _)| name)
}

/// A type of shard in the form that the runtime compares: without one leading `/`, trimmed, in
/// lower case.
#[must_use]
pub(super) fn folded(kind: &str) -> String {
    let trimmed = kind.strip_prefix('/').unwrap_or(kind).trim();
    lower(trimmed)
}

/// Lower case per character, like the runtime: no character becomes two.
fn lower(text: &str) -> String {
    text.chars().map(|char| char.to_lowercase().next().unwrap_or(char)).collect()
}

/// Converts a value to a tag: trimmed, with a leading `/`. Empty values stay empty.
fn tag(value: &str) -> String {
    let value = value.trim();
    if value.is_empty() || value.starts_with('/') { value.to_owned() } else { format!("/{value}") }
}

/// The language of a file, from its extension.
fn language_of(target: &str) -> &'static str {
    let name = target.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map(|(_, extension)| lower(extension));
    match extension.as_deref() {
        Some("go") => "/go",
        Some("py") => "/python",
        Some("ts" | "tsx") => "/typescript",
        Some("js" | "jsx") => "/javascript",
        Some("rs") => "/rust",
        Some("java") => "/java",
        Some("gl" | "mg" | "mangle") => "/mangle",
        _ => "",
    }
}

/// True if shards of this type write Mangle.
fn writes_mangle(kind: &str) -> bool {
    let kind = folded(kind);
    kind == "legislator" || kind.contains("mangle") || kind.contains("autopoiesis")
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

    #[test]
    fn instances_have_a_stable_name() {
        assert_eq!(stable_id("coder-17", "x"), "coder");
        assert_eq!(stable_id(" my-expert-3 ", "x"), "my-expert");
        for id in ["", "-7", "coder", "coder-", "coder-1a", "coder-٣"] {
            assert_eq!(stable_id(id, "x"), "x", "{id}");
        }
    }

    #[test]
    fn more_than_the_budget_cannot_be_reserved() {
        let budget = |kind: &str, tokens, reserved| {
            let derived = DerivedContext::from_context(&PromptContext {
                budget: (tokens, reserved),
                ..PromptContext::for_shard("x-1", kind)
            });
            (derived.token_budget, derived.reserved)
        };
        assert_eq!(budget("coder", Some(5_000), None), (5_000, 500));
        assert_eq!(budget("coder", None, Some(200_000)), (200_000, 20_000));
        assert_eq!(budget("coder", Some(0), Some(0)), (200_000, 0));
        assert_eq!(budget("coder", Some(5), Some(9)), (5, 0));
        assert_eq!(budget("legislator", Some(70_000), Some(50_000)), (60_000, 4_000));
        assert_eq!(budget("/legislator", Some(70_000), Some(50_000)), (70_000, 50_000));
    }

    #[test]
    fn languages_are_read_off_the_last_segment() {
        let languages = ["a/b.RS", "x.d/notes", "a.tsx", "a.go ", "p.mangle"].map(language_of);
        assert_eq!(languages, ["/rust", "", "/typescript", "", "/mangle"]);
        assert!(writes_mangle("/LEGİSLATOR") && writes_mangle("Mangle") && !writes_mangle("/"));
    }
}
