//! Runtimes: the programs that read the replies of an agent, and what each of them does differently.

use std::fmt;
use std::ops::Deref;

use toml_span::Value;

use super::Published;
use crate::declare::Setting;
use crate::keys::Kind;
use crate::output::SettingValue;
use crate::value::{KeyPath, Reader};

/// A modeled version of a runtime.
#[derive(Debug)]
pub struct RuntimeReference {
    /// Its name, date and origin.
    pub published: Published,
    /// The engine version that it pins; `None` if it has no engine. Of an engine that is not modeled: the nearest one.
    pub engine: Option<&'static str>,
    /// Predicates of a policy by which this version or a newer one is recognized.
    pub signs: &'static [Sign],
    /// What it does where versions differ.
    pub capabilities: RuntimeCapabilities,
}

/// A predicate by which a runtime is recognized, if a policy declares or defines it.
#[derive(Debug, PartialEq, Eq)]
pub struct Sign {
    /// Its name.
    pub name: &'static str,
    /// Its number of arguments; `None`: any.
    pub arity: Option<u8>,
}

impl Sign {
    const fn of(name: &'static str, arity: u8) -> Self {
        Self { name, arity: Some(arity) }
    }

    const fn named(name: &'static str) -> Self {
        Self { name, arity: None }
    }

    /// True if a predicate of this name with `arity` arguments is the sign. `None`: their number is not known.
    #[must_use]
    pub fn fits(&self, arity: Option<usize>) -> bool {
        self.arity.is_none_or(|own| arity == Some(usize::from(own)))
    }
}

/// A reference to a modeled version. It dereferences to the capabilities.
#[derive(Clone, Copy)]
pub struct Runtime(&'static RuntimeReference);

/// Which part of a text is decoded first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoding {
    /// The whole text has to be one value.
    WholeText,
    /// The first value; text after it is ignored.
    FirstValue,
}

/// When a value of the wrong kind in a control packet ends decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeErrors {
    /// At the end of the envelope. The first error is reported.
    AtTheEnd,
    /// At the end of the object that reads itself: packet, intent, tool request.
    AtOnce,
}

/// How many objects of a mixed text are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CandidateLimits {
    /// The last objects that contain the key `surface_response`.
    pub with_surface: usize,
    /// The last other objects.
    pub others: usize,
}

/// Where a long text is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// At the limit, also within a character.
    Byte,
    /// Before the character that exceeds the limit.
    Character,
}

/// Where characters of a shell cost an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellCharacters {
    /// Nowhere.
    Ignored,
    /// In the whole update.
    Anywhere(&'static [char]),
    /// Outside of strings. An update with an unterminated string is checked as a whole.
    OutsideOfStrings(&'static [char]),
}

impl ShellCharacters {
    /// The characters that are looked for.
    #[must_use]
    pub fn characters(self) -> &'static [char] {
        match self {
            Self::Ignored => &[],
            Self::Anywhere(characters) | Self::OutsideOfStrings(characters) => characters,
        }
    }
}

/// The form of an action id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionIds {
    /// The id of the request.
    Request,
    /// `exec-` and the id of the request.
    ExecPrefix,
}

/// Declares [`RuntimeCapabilities`] and the list of their names.
macro_rules! capabilities {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// What a runtime does where versions differ. Code asks for a capability, never for a version.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct RuntimeCapabilities {
            $($(#[$doc])* pub $name: $type,)*
        }

        impl RuntimeCapabilities {
            /// The names of the capabilities.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The capabilities as text, in the order of [`Self::NAMES`].
            #[must_use]
            pub fn values(&self) -> Vec<String> {
                vec![$(format!("{:?}", self.$name)),*]
            }
        }
    };
}

capabilities! {
    /// True if updates pass the filters of codeNERD: `(` and full stop, size, predicates of a consumer.
    update_filters: bool,
    /// Which part of a text is decoded first.
    decoding: Decoding,
    /// When a value of the wrong kind in a control packet ends decoding.
    type_errors: TypeErrors,
    /// True if `mangle_updates` may be one string, `confidence` a word or numeric text, `required` a word or an integer.
    lenient_types: bool,
    /// True if strict mode rejects unknown keys, by exact case and on every level.
    strict_keys: bool,
    /// How many objects of a mixed text are tried; `None`: all.
    scanner_candidates: Option<CandidateLimits>,
    /// The deepest nesting of braces of an envelope in mixed text.
    scanner_depth: Option<usize>,
    /// The largest envelope in mixed text, in bytes.
    candidate_cap: Option<usize>,
    /// True if the surface of an incomplete envelope is shown instead of the raw text.
    surface_salvage: bool,
    /// Bytes of a surface.
    surface_cap: Option<usize>,
    /// Updates of a reply.
    updates_cap: Option<usize>,
    /// Bytes of an update.
    update_cap: Option<usize>,
    /// Memory operations of a reply.
    memory_cap: Option<usize>,
    /// Bytes of a reasoning trace.
    trace_cap: Option<usize>,
    /// Tool requests of a reply.
    tool_requests_cap: Option<usize>,
    /// Knowledge requests of a reply.
    knowledge_requests_cap: Option<usize>,
    /// Where a long reasoning trace is cut.
    trace_cut: Cut,
    /// Where characters of a shell cost an update.
    shell_characters: ShellCharacters,
    /// Characters that no string argument may contain, unless its predicate is `prose_only`.
    shell_text: &'static [char],
    /// The predicates that the consumer `session` accepts.
    session_predicates: &'static [&'static str],
    /// Predicates that only the host asserts, sorted. Every consumer refuses them.
    host_witnesses: &'static [&'static str],
    /// True if a surface or feedback that repeats an example of the prompt is dropped.
    placeholders: bool,
    /// True if the surface is shown while the reply streams.
    live_channel: bool,
    /// True if a float argument of an update keeps its value.
    float_arguments: bool,
    /// The arguments of a tool call that name its target, in order: those with a path.
    path_arguments: &'static [&'static str],
    /// The further arguments that name a target.
    other_targets: &'static [&'static str],
    /// True if only texts name a path, `edits` are searched, and other targets are trimmed.
    path_rules: bool,
    /// True if the name of a tool has to match `/?[A-Za-z0-9_]+`.
    tool_name_check: bool,
    /// The form of an action id.
    action_ids: ActionIds,
    /// Bytes of the payload of a tool call.
    payload_cap: Option<usize>,
    /// True if missing arguments are the payload `{}`, not `null`.
    empty_payload: bool,
    /// True if commands for a shell are classified, and writing ones are refused.
    shell_effects: bool,
    /// True if a denied call asserts `security_violation(Action, Reason, Seconds)`.
    denial_facts: bool,
    /// Bytes of a line of the session in a prompt.
    prompt_line_cap: Option<usize>,
    /// Bytes of the session in a prompt.
    prompt_block_cap: Option<usize>,
    /// Lines that the kernel injects into a prompt.
    context_rows_cap: Option<usize>,
    /// Bytes of a line that the kernel injects.
    context_row_cap: Option<usize>,
    /// True if injected lines are queried by the id of the shard; a legacy prompt has them sorted and without doubles.
    context_by_pattern: bool,
    /// True if a prompt lists what depends on the change.
    dependency_block: bool,
    /// True if limits precede all blocks of the session but the notice of a simulation.
    safety_first: bool,
    /// True if changed files are listed, and open the block of the repository.
    git_files: bool,
    /// True if an argument that is no text is printed, and an empty one is skipped.
    printed_arguments: bool,
    /// True if the smallest template of a role is used, not the first.
    smallest_template: bool,
    /// True if a role that begins with `/` gets no second one.
    slash_roles: bool,
    /// True if the language of the target precedes the language of the project.
    target_language: bool,
    /// True if provider, model and new files are part of the situation.
    provider_context: bool,
    /// True if the map form of a prompt context accepts values that are no text, and its purpose is searched for.
    printed_map: bool,
    /// True if a compiled prompt names the envelope with both bare words, not with one quoted key.
    bare_envelope_words: bool,
    /// Roles whose prompt lacks the envelope's suffix.
    roles_without_envelope: &'static [&'static str],
}

impl Runtime {
    /// The runtime of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::all().find(|runtime| runtime.name() == name)
    }

    /// All modeled versions, the oldest first. The first one has no behavior of its own.
    pub fn all() -> impl Iterator<Item = Self> {
        RUNTIMES.iter().map(Self)
    }

    /// The newest version.
    #[must_use]
    pub fn newest() -> Self {
        Self::all().last().unwrap_or_default()
    }

    /// The rules of the protocol without a runtime.
    #[must_use]
    pub fn none() -> Self {
        Self(&NONE)
    }

    /// The name in settings and output.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.published.name
    }

    /// The row of the table.
    #[must_use]
    pub fn reference(self) -> &'static RuntimeReference {
        self.0
    }

    /// The capabilities.
    #[must_use]
    pub fn capabilities(self) -> &'static RuntimeCapabilities {
        &self.0.capabilities
    }
}

impl Default for Runtime {
    fn default() -> Self {
        Self(&DEFAULT)
    }
}

impl Deref for Runtime {
    type Target = RuntimeCapabilities;

    fn deref(&self) -> &RuntimeCapabilities {
        &self.0.capabilities
    }
}

impl PartialEq for Runtime {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Runtime {}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The runtime that an option or the settings choose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RuntimeChoice {
    /// The policy decides.
    #[default]
    Auto,
    /// This one.
    Version(Runtime),
}

impl RuntimeChoice {
    /// The words of options and settings, `auto` first.
    pub fn words() -> impl Iterator<Item = &'static str> {
        RuntimeWord::WORDS.into_iter()
    }

    /// Reads `auto` or the name of a runtime.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        if word == "auto" { Some(Self::Auto) } else { Runtime::parse(word).map(Self::Version) }
    }
}

impl From<Option<Runtime>> for RuntimeChoice {
    /// `None` is the runtime that the policy decides.
    fn from(runtime: Option<Runtime>) -> Self {
        runtime.map_or(Self::Auto, Self::Version)
    }
}

/// The name of a runtime, or `auto`.
pub(crate) enum RuntimeWord {}

impl RuntimeWord {
    const WORDS: [&str; RUNTIMES.len() + 1] = {
        let mut words = ["auto"; RUNTIMES.len() + 1];
        let mut at = 0;
        while at < RUNTIMES.len() {
            words[at + 1] = RUNTIMES[at].published.name;
            at += 1;
        }
        words
    };
}

impl Setting<Option<Runtime>> for RuntimeWord {
    const KIND: Kind = Kind::Word(&Self::WORDS);

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Option<Runtime>> {
        let parse = |word: &str| if word == "auto" { Some(None) } else { Runtime::parse(word).map(Some) };
        reader.word(value, &at.label(), &Self::WORDS, parse)
    }

    fn output(value: &Option<Runtime>) -> SettingValue {
        value.map_or(SettingValue::Unset, |runtime| SettingValue::of(runtime.name()))
    }
}

/// The modeled versions.
pub static RUNTIMES: [RuntimeReference; 3] = [NONE, CODENERD_2026_03, CODENERD_2026_09];

/// The version that the library models if nothing else is set.
static DEFAULT: RuntimeReference = CODENERD_2026_03;

const NONE: RuntimeReference = RuntimeReference {
    published: Published { name: "none", day: "", revision: "", module: "" },
    engine: None,
    signs: &[],
    capabilities: RuntimeCapabilities {
        update_filters: false,
        decoding: Decoding::WholeText,
        type_errors: TypeErrors::AtTheEnd,
        lenient_types: false,
        strict_keys: false,
        scanner_candidates: None,
        scanner_depth: None,
        candidate_cap: None,
        surface_salvage: false,
        surface_cap: None,
        updates_cap: None,
        update_cap: None,
        memory_cap: None,
        trace_cap: None,
        tool_requests_cap: None,
        knowledge_requests_cap: None,
        trace_cut: Cut::Character,
        shell_characters: ShellCharacters::Ignored,
        shell_text: &[],
        session_predicates: &[],
        host_witnesses: &[],
        placeholders: false,
        live_channel: false,
        float_arguments: true,
        path_arguments: MARCH_TARGETS,
        other_targets: &[],
        path_rules: false,
        tool_name_check: false,
        action_ids: ActionIds::Request,
        payload_cap: None,
        empty_payload: false,
        shell_effects: false,
        denial_facts: false,
        prompt_line_cap: None,
        prompt_block_cap: None,
        context_rows_cap: None,
        context_row_cap: None,
        context_by_pattern: false,
        dependency_block: false,
        safety_first: false,
        git_files: false,
        printed_arguments: false,
        smallest_template: false,
        slash_roles: false,
        target_language: false,
        provider_context: false,
        printed_map: false,
        bare_envelope_words: false,
        roles_without_envelope: MARCH_ROLES,
    },
};

const CODENERD_2026_03: RuntimeReference = RuntimeReference {
    published: Published {
        name: "codenerd-2026-03",
        day: "2026-03-15",
        revision: "ee2915a4749880f053075a4f7f693eab6596173c",
        module: "github.com/theRebelliousNerd/codenerd",
    },
    // It pins v0.4.1-0.20260211131615, which is older than every modeled engine.
    engine: Some("2026-04"),
    signs: MARCH_SIGNS,
    capabilities: RuntimeCapabilities {
        update_filters: true,
        decoding: Decoding::WholeText,
        type_errors: TypeErrors::AtTheEnd,
        lenient_types: false,
        strict_keys: false,
        scanner_candidates: None,
        scanner_depth: Some(200),
        candidate_cap: Some(5_242_880),
        surface_salvage: false,
        surface_cap: Some(50_000),
        updates_cap: Some(2_000),
        update_cap: Some(1_000),
        memory_cap: Some(500),
        trace_cap: Some(50_000),
        tool_requests_cap: Some(20),
        knowledge_requests_cap: Some(20),
        trace_cut: Cut::Byte,
        shell_characters: ShellCharacters::Anywhere(&['`', '$', ';', '|']),
        shell_text: &[],
        session_predicates: &[
            "missing_tool_for",
            "observation",
            "task_status",
            "task_completed",
            "diagnostic",
            "failing_test",
            "test_state",
            "review_finding",
            "modified",
            "modified_function",
        ],
        host_witnesses: &[],
        placeholders: false,
        live_channel: false,
        float_arguments: false,
        path_arguments: MARCH_TARGETS,
        other_targets: &[],
        path_rules: false,
        tool_name_check: false,
        action_ids: ActionIds::Request,
        payload_cap: None,
        empty_payload: false,
        shell_effects: false,
        denial_facts: false,
        prompt_line_cap: None,
        prompt_block_cap: None,
        context_rows_cap: None,
        context_row_cap: None,
        context_by_pattern: false,
        dependency_block: false,
        safety_first: false,
        git_files: false,
        printed_arguments: false,
        smallest_template: false,
        slash_roles: false,
        target_language: false,
        provider_context: false,
        printed_map: false,
        bare_envelope_words: false,
        roles_without_envelope: MARCH_ROLES,
    },
};

const CODENERD_2026_09: RuntimeReference = RuntimeReference {
    published: Published {
        name: "codenerd-2026-09",
        day: "2026-09-24",
        revision: "c85a733c3ece34e39ee67b0db10381d46cfe90c7",
        module: "github.com/theRebelliousNerd/codenerd",
    },
    engine: Some("2026-04"),
    signs: SEPTEMBER_SIGNS,
    capabilities: RuntimeCapabilities {
        update_filters: true,
        decoding: Decoding::FirstValue,
        type_errors: TypeErrors::AtOnce,
        lenient_types: true,
        strict_keys: true,
        scanner_candidates: Some(CandidateLimits { with_surface: 64, others: 50 }),
        scanner_depth: Some(200),
        candidate_cap: Some(5_242_880),
        surface_salvage: true,
        surface_cap: None,
        updates_cap: Some(2_000),
        update_cap: Some(1_000),
        memory_cap: Some(500),
        trace_cap: Some(50_000),
        tool_requests_cap: None,
        knowledge_requests_cap: None,
        trace_cut: Cut::Character,
        shell_characters: ShellCharacters::OutsideOfStrings(SHELL),
        shell_text: SHELL,
        session_predicates: &[
            "missing_tool_for",
            "observation",
            "task_status",
            "task_completed",
            "diagnostic",
            "failing_test",
            "review_finding",
            "modified",
            "modified_function",
            "checkpoint_verdict",
        ],
        host_witnesses: HOST_WITNESSES,
        placeholders: true,
        live_channel: true,
        float_arguments: true,
        path_arguments: &[
            "path",
            "file_path",
            "filepath",
            "file",
            "filename",
            "target",
            "dest",
            "destination",
        ],
        other_targets: &[
            "url",
            "query",
            "pattern",
            "glob",
            "dir",
            "directory",
            "session_id",
            "browser_id",
            "target_id",
        ],
        path_rules: true,
        tool_name_check: true,
        action_ids: ActionIds::ExecPrefix,
        payload_cap: Some(102_400),
        empty_payload: true,
        shell_effects: true,
        denial_facts: true,
        prompt_line_cap: Some(500),
        prompt_block_cap: Some(32_768),
        context_rows_cap: Some(60),
        context_row_cap: Some(1_024),
        context_by_pattern: true,
        dependency_block: true,
        safety_first: true,
        git_files: true,
        printed_arguments: true,
        smallest_template: true,
        slash_roles: true,
        target_language: true,
        provider_context: true,
        printed_map: true,
        bare_envelope_words: true,
        roles_without_envelope: &[
            "mangle_repair",
            "legislator",
            "planner",
            "librarian",
            "extractor",
            "analyzer",
        ],
    },
};

const MARCH_TARGETS: &[&str] = &["path", "filename", "filepath", "file", "url", "target", "query"];

const MARCH_ROLES: &[&str] = &["mangle_repair", "legislator"];

/// Characters that let text escape into a shell.
const SHELL: &[char] = &['`', '$', ';', '|', '&', '<', '>'];

/// The predicates between codeNERD and its policies.
const MARCH_SIGNS: &[Sign] = &[
    Sign::of("ambiguity_flag", 3),
    Sign::of("campaign_completed", 2),
    Sign::of("clarification_needed", 1),
    Sign::of("diagnostic", 5),
    Sign::of("failing_test", 2),
    Sign::of("injectable_context", 2),
    Sign::of("missing_tool_for", 2),
    Sign::of("modified_function", 2),
    Sign::of("observation", 2),
    Sign::of("pending_action", 5),
    Sign::of("permission_check_result", 4),
    Sign::of("permitted", 3),
    Sign::of("permitted_action", 5),
    Sign::of("review_finding", 5),
    Sign::of("shard_prompt_base", 2),
    Sign::of("task_status", 2),
    Sign::of("user_intent", 5),
];

/// The predicates that came with the second filter, and the facts of the host. `build_state` and `test_state` are older.
const SEPTEMBER_SIGNS: &[Sign] = &[
    Sign::of("checkpoint_verdict", 4),
    Sign::of("exec_sink", 1),
    Sign::of("prose_only", 1),
    Sign::named("behavior_change_intent"),
    Sign::named("config_param"),
    Sign::named("config_param_required"),
    Sign::named("has_hollow_success"),
    Sign::named("has_red_gate"),
    Sign::named("has_turn_acceptance"),
    Sign::named("has_turn_test"),
    Sign::named("has_turn_tools"),
    Sign::named("has_turn_write"),
    Sign::named("has_turn_written"),
    Sign::named("has_unmet_gate"),
    Sign::named("hollow_success"),
    Sign::named("known_write_ext"),
    Sign::named("phase_checkpoint_failure"),
    Sign::named("phase_ckpt_exhausted"),
    Sign::named("phase_ckpt_failures"),
    Sign::named("phase_ckpt_move"),
    Sign::named("repair_attempt"),
    Sign::named("repair_attempt_count"),
    Sign::named("repair_closed"),
    Sign::named("repair_exhausted"),
    Sign::named("repair_gives_up"),
    Sign::named("repair_move"),
    Sign::named("repair_not_converging"),
    Sign::named("turn_acceptance"),
    Sign::named("turn_brief_site"),
    Sign::named("turn_brief_site_count"),
    Sign::named("turn_build_failed"),
    Sign::named("turn_build_green"),
    Sign::named("turn_build_red"),
    Sign::named("turn_changed_element"),
    Sign::named("turn_cost"),
    Sign::named("turn_created_source"),
    Sign::named("turn_created_test"),
    Sign::named("turn_done"),
    Sign::named("turn_evidence"),
    Sign::named("turn_executed"),
    Sign::named("turn_gate"),
    Sign::named("turn_has_uncovered"),
    Sign::named("turn_has_untested"),
    Sign::named("turn_missing_evidence"),
    Sign::named("turn_missing_test"),
    Sign::named("turn_needs_step_plan"),
    Sign::named("turn_owes_gate"),
    Sign::named("turn_pin_survivors"),
    Sign::named("turn_red_gate"),
    Sign::named("turn_self_reported_incomplete"),
    Sign::named("turn_test_coverage"),
    Sign::named("turn_tests_green"),
    Sign::named("turn_tests_red"),
    Sign::named("turn_uncovered"),
    Sign::named("turn_unmet_gate"),
    Sign::named("turn_untested"),
    Sign::named("turn_unverified"),
    Sign::named("turn_verb"),
    Sign::named("turn_verified"),
    Sign::named("turn_vet_green"),
    Sign::named("turn_vet_red"),
    Sign::named("turn_write_class"),
    Sign::named("turn_written"),
    Sign::named("turn_wrote"),
    Sign::named("write_class"),
];

/// Predicates that only the host asserts, sorted.
const HOST_WITNESSES: &[&str] = &[
    "behavior_change_intent",
    "build_state",
    "config_param",
    "config_param_required",
    "exec_sink",
    "has_hollow_success",
    "has_red_gate",
    "has_turn_acceptance",
    "has_turn_test",
    "has_turn_tools",
    "has_turn_write",
    "has_turn_written",
    "has_unmet_gate",
    "hollow_success",
    "known_write_ext",
    "phase_checkpoint_failure",
    "phase_ckpt_exhausted",
    "phase_ckpt_failures",
    "phase_ckpt_move",
    "prose_only",
    "repair_attempt",
    "repair_attempt_count",
    "repair_closed",
    "repair_exhausted",
    "repair_gives_up",
    "repair_move",
    "repair_not_converging",
    "test_state",
    "turn_acceptance",
    "turn_brief_site",
    "turn_brief_site_count",
    "turn_build_failed",
    "turn_build_green",
    "turn_build_red",
    "turn_changed_element",
    "turn_cost",
    "turn_created_source",
    "turn_created_test",
    "turn_done",
    "turn_evidence",
    "turn_executed",
    "turn_gate",
    "turn_has_uncovered",
    "turn_has_untested",
    "turn_missing_evidence",
    "turn_missing_test",
    "turn_needs_step_plan",
    "turn_owes_gate",
    "turn_pin_survivors",
    "turn_red_gate",
    "turn_self_reported_incomplete",
    "turn_test_coverage",
    "turn_tests_green",
    "turn_tests_red",
    "turn_uncovered",
    "turn_unmet_gate",
    "turn_untested",
    "turn_unverified",
    "turn_verb",
    "turn_verified",
    "turn_vet_green",
    "turn_vet_red",
    "turn_write_class",
    "turn_written",
    "turn_wrote",
    "write_class",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runtime_is_found_by_its_name() {
        for runtime in Runtime::all() {
            assert_eq!(Runtime::parse(runtime.name()), Some(runtime));
        }
        assert_eq!(Runtime::parse("codenerd"), None);
        assert_eq!(
            (Runtime::all().next(), Runtime::all().last()),
            (Some(Runtime::none()), Some(Runtime::newest()))
        );
    }

    #[test]
    fn host_witnesses_are_sorted() {
        assert!(Runtime::all().all(|runtime| runtime.host_witnesses.is_sorted()));
    }

    #[test]
    fn every_capability_differs_between_two_runtimes() {
        let values: Vec<_> = Runtime::all().map(|runtime| runtime.values()).collect();
        for (at, name) in RuntimeCapabilities::NAMES.iter().enumerate() {
            let of_one: Vec<_> = values.iter().map(|values| &values[at]).collect();
            assert!(of_one.iter().any(|value| *value != of_one[0]), "{name} is the same in all runtimes");
        }
    }
}
