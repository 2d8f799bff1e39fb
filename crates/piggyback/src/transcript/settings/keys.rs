//! Table of the keys of a runtime configuration. The runtime ignores all other keys.

/// Type of the value of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyKind {
    /// Whole number.
    Count,
    /// Any number.
    Number,
    /// Number from 0 to 1, inclusive.
    Share,
    /// `true` or `false`.
    Flag,
    /// String.
    Text,
    /// Object with the keys of this section.
    Section(&'static str),
    /// Object with one [`SHARD`] section per shard type.
    Profiles,
    /// Value that no rule checks.
    Free,
}

impl KeyKind {
    /// Description of the type with an article, for messages.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Count => "a whole number",
            Self::Number | Self::Share => "a number",
            Self::Flag => "`true` or `false`",
            Self::Text => "a string",
            Self::Section(_) | Self::Profiles => "an object",
            Self::Free => "anything",
        }
    }
}

#[derive(Debug)]
pub(super) struct SettingKey {
    /// Containing object: [`ROOT`], [`SHARD`], or the key of a section.
    pub(super) section: &'static str,
    pub(super) name: &'static str,
    pub(super) kind: KeyKind,
    /// Value if the key is missing or 0, as JSON. Empty if no rule uses it.
    pub(super) default: &'static str,
    /// Minimum value that the runtime accepts.
    pub(super) minimum: Option<i64>,
}

impl SettingKey {
    /// The default of a whole number.
    pub(super) fn usual(&self) -> i64 {
        self.default.parse().unwrap_or_default()
    }
}

/// Section of the top-level keys.
pub(super) const ROOT: &str = "";
/// Section of the keys of a profile.
pub(super) const SHARD: &str = "shard";
pub(super) const CORE: &str = "core_limits";
pub(super) const CONTEXT: &str = "context_window";
pub(super) const JIT: &str = "jit";

/// Built-in shard types of the runtime.
pub(super) const SHARD_TYPES: &[&str] = &[
    "coder",
    "tester",
    "reviewer",
    "researcher",
    "nemesis",
    "tool_generator",
    "librarian",
    "planner",
    "campaign_runner",
    "constitution_gate",
    "executive_policy",
    "legislator",
    "mangle_repair",
    "perception_firewall",
    "requirements_interrogator",
    "session_planner",
    "tactile_router",
    "world_model_ingestor",
];

const fn key(section: &'static str, name: &'static str, kind: KeyKind, default: &'static str) -> SettingKey {
    SettingKey { section, name, kind, default, minimum: None }
}

const fn at_least(
    minimum: i64,
    section: &'static str,
    name: &'static str,
    default: &'static str,
) -> SettingKey {
    SettingKey { minimum: Some(minimum), ..key(section, name, KeyKind::Count, default) }
}

/// Creates a top-level key that no rule checks.
const fn free(name: &'static str) -> SettingKey {
    key(ROOT, name, KeyKind::Free, "")
}

pub(super) const KEYS: &[SettingKey] = &[
    key(ROOT, CORE, KeyKind::Section(CORE), ""),
    key(ROOT, CONTEXT, KeyKind::Section(CONTEXT), ""),
    key(ROOT, JIT, KeyKind::Section(JIT), ""),
    key(ROOT, "default_shard", KeyKind::Section(SHARD), ""),
    key(ROOT, "shard_profiles", KeyKind::Profiles, ""),
    at_least(512, CORE, "max_total_memory_mb", "12288"),
    at_least(1, CORE, "max_concurrent_shards", "12"),
    key(CORE, "max_concurrent_api_calls", KeyKind::Count, "5"),
    key(CORE, "max_session_duration_min", KeyKind::Count, "120"),
    at_least(1_000, CORE, "max_facts_in_kernel", "250000"),
    at_least(1_000, CORE, "max_derived_facts_limit", "100000"),
    at_least(1, CONTEXT, "max_tokens", "200000"),
    key(CONTEXT, "core_reserve_percent", KeyKind::Count, "5"),
    key(CONTEXT, "atom_reserve_percent", KeyKind::Count, "30"),
    key(CONTEXT, "history_reserve_percent", KeyKind::Count, "15"),
    key(CONTEXT, "working_reserve_percent", KeyKind::Count, "50"),
    key(CONTEXT, "output_reserve", KeyKind::Count, "8000"),
    key(CONTEXT, "thinking_reserve", KeyKind::Count, "0"),
    key(CONTEXT, "tool_use_buffer", KeyKind::Count, "4000"),
    key(CONTEXT, "recent_turn_window", KeyKind::Count, "5"),
    key(CONTEXT, "compression_threshold", KeyKind::Number, "0.60"),
    key(CONTEXT, "target_compression_ratio", KeyKind::Number, "100"),
    key(CONTEXT, "activation_threshold", KeyKind::Number, "30"),
    key(JIT, "enabled", KeyKind::Flag, "true"),
    key(JIT, "fallback_enabled", KeyKind::Flag, "true"),
    key(JIT, "token_budget", KeyKind::Count, "200000"),
    key(JIT, "reserved_tokens", KeyKind::Count, "8000"),
    key(JIT, "reserved_tokens_fallback_ratio", KeyKind::Count, "10"),
    key(JIT, "semantic_top_k", KeyKind::Count, "20"),
    key(JIT, "debug_mode", KeyKind::Flag, "false"),
    key(JIT, "trace_llm_io", KeyKind::Flag, "false"),
    key(SHARD, "model", KeyKind::Text, ""),
    key(SHARD, "temperature", KeyKind::Share, "0.7"),
    key(SHARD, "top_p", KeyKind::Share, "0.9"),
    key(SHARD, "max_context_tokens", KeyKind::Count, "20000"),
    key(SHARD, "max_output_tokens", KeyKind::Count, "4000"),
    key(SHARD, "max_execution_time_sec", KeyKind::Count, "300"),
    key(SHARD, "max_retries", KeyKind::Count, "3"),
    key(SHARD, "max_facts_in_shard_kernel", KeyKind::Count, "20000"),
    key(SHARD, "enable_learning", KeyKind::Flag, "true"),
    free("provider"),
    free("api_key"),
    free("anthropic_api_key"),
    free("openai_api_key"),
    free("gemini_api_key"),
    free("xai_api_key"),
    free("zai_api_key"),
    free("openrouter_api_key"),
    free("context7_api_key"),
    free("model"),
    free("engine"),
    free("gemini"),
    free("claude_cli"),
    free("codex_cli"),
    free("theme"),
    free("continuation_mode"),
    free("embedding"),
    free("reflection"),
    free("world"),
    free("integrations"),
    free("tool_generation"),
    free("build"),
    free("execution"),
    free("logging"),
    free("learning_candidate_threshold"),
    free("learning_candidate_auto_promote"),
    free("onboarding"),
    free("transparency"),
    free("guidance"),
];

pub(super) fn keys_of_section(section: &str) -> impl Iterator<Item = &'static SettingKey> {
    KEYS.iter().filter(move |key| key.section == section)
}

/// Returns the key with a name in a section. As in the runtime, names match in any case.
pub(super) fn find(section: &str, name: &str) -> Option<&'static SettingKey> {
    keys_of_section(section).find(|key| key.name.eq_ignore_ascii_case(name))
}
