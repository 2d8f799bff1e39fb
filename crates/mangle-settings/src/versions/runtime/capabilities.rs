//! Versions of a runtime: the table row, the predicates that identify it, and its capabilities, which are
//! the parts of its behavior that differ between versions.

use crate::versions::Published;

/// A modeled version of a runtime.
#[derive(Debug)]
pub struct RuntimeReference {
    /// The name, date and origin of the version.
    pub published: Published,
    /// The engine version that the runtime pins, or the nearest modeled version. `None` if the
    /// runtime has no engine.
    pub engine: Option<&'static str>,
    /// Predicates of a policy that identify this version, in addition to the facts of its host.
    pub(super) signs: &'static [Sign],
    /// The parts of its behavior that differ between versions.
    pub capabilities: RuntimeCapabilities,
}

/// Host facts that are older than their protection and therefore identify no version.
const OLDER_HOST_FACTS: [&str; 2] = ["build_state", "test_state"];

impl RuntimeReference {
    /// The predicates of a policy that identify this version or a newer one.
    pub fn signs(&self) -> impl Iterator<Item = Sign> {
        let is_sign = |name: &&str| {
            !OLDER_HOST_FACTS.contains(name) && !self.signs.iter().any(|sign| sign.name == *name)
        };
        let of_host = self.capabilities.host_witnesses.iter().copied().filter(is_sign);
        self.signs.iter().copied().chain(of_host.map(|name| Sign { name, arity: None }))
    }
}

/// A predicate that identifies a runtime if a policy declares or defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sign {
    /// The name of the predicate.
    pub name: &'static str,
    /// The arity. `None` matches any arity.
    pub arity: Option<u8>,
}

impl Sign {
    pub(super) const fn new(name: &'static str, arity: u8) -> Self {
        Self { name, arity: Some(arity) }
    }

    /// True if a predicate of this name with `arity` arguments is the sign. `None` if the arity is
    /// unknown.
    #[must_use]
    pub fn fits(self, arity: Option<usize>) -> bool {
        self.arity.is_none_or(|own| arity == Some(usize::from(own)))
    }
}

/// The part of a text that is decoded first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoding {
    /// The whole text must be one value.
    WholeText,
    /// The first value; text after it is ignored.
    FirstValue,
}

/// The point at which a value of the wrong kind in a control packet ends decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeErrors {
    /// At the end of the envelope. The first error is reported.
    AtTheEnd,
    /// At the end of the object that has its own decoder: packet, intent, tool request.
    AtOnce,
}

/// The number of objects in a mixed text that decoding tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CandidateLimits {
    /// The last objects that contain the key `surface_response`.
    pub with_surface: usize,
    /// The last other objects.
    pub others: usize,
}

/// The position at which a long text is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// At the limit, even within a character.
    Byte,
    /// Before the character that exceeds the limit.
    Character,
}

/// The scope of the check for shell characters, which cause the loss of an update.
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
    /// The characters that are searched.
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
        /// The parts of a runtime's behavior that differ between versions. Code tests a capability,
        /// never a version.
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
    /// The agent whose conventions for models apply. Its conventions are a declared version, a
    /// reasoning trace with changes, and no command that its second gate rejects. They also include
    /// a compression ratio of 100 and its default token budget.
    conventions: Option<&'static str>,
    /// True if updates pass the filters of codeNERD: `(` and period, size, predicates of a
    /// consumer.
    update_filters: bool,
    /// The part of a text that is decoded first.
    decoding: Decoding,
    /// The point at which a value of the wrong kind in a control packet ends decoding.
    type_errors: TypeErrors,
    /// True if `mangle_updates` can be a single string, `confidence` a word or numeric text, and
    /// `required` a word or an integer.
    lenient_types: bool,
    /// True if strict mode rejects unknown keys, with exact case and on every level.
    strict_keys: bool,
    /// The number of objects in a mixed text that decoding tries. `None` for all.
    scanner_candidates: Option<CandidateLimits>,
    /// Maximum nesting of braces of an envelope in mixed text.
    scanner_depth: Option<usize>,
    /// Maximum length of an envelope in mixed text, in bytes.
    candidate_cap: Option<usize>,
    /// True if the surface of an incomplete envelope is shown instead of the raw text.
    surface_salvage: bool,
    /// Maximum length of a surface, in bytes.
    surface_cap: Option<usize>,
    /// Maximum number of updates in a reply.
    updates_cap: Option<usize>,
    /// Maximum length of an update, in bytes.
    update_cap: Option<usize>,
    /// Maximum number of memory operations in a reply.
    memory_cap: Option<usize>,
    /// Maximum length of a reasoning trace, in bytes.
    trace_cap: Option<usize>,
    /// Maximum number of tool requests in a reply.
    tool_requests_cap: Option<usize>,
    /// Maximum number of knowledge requests in a reply.
    knowledge_requests_cap: Option<usize>,
    /// The position at which a long reasoning trace is cut.
    trace_cut: Cut,
    /// The scope of the check for shell characters, which cause the loss of an update.
    shell_characters: ShellCharacters,
    /// Characters that no string argument can contain, unless its predicate is `prose_only`.
    shell_text: &'static [char],
    /// The predicates that the consumer `session` accepts.
    session_predicates: &'static [&'static str],
    /// Predicates that only the host asserts, sorted. Every consumer rejects them.
    host_witnesses: &'static [&'static str],
    /// True if a surface or feedback that repeats an example of the prompt is dropped.
    placeholders: bool,
    /// True if the surface is shown while the reply streams.
    live_channel: bool,
    /// True if a float argument of an update keeps its value.
    float_arguments: bool,
    /// The path arguments of a tool call that name its target, in order.
    path_arguments: &'static [&'static str],
    /// Other arguments that name a target.
    other_targets: &'static [&'static str],
    /// True if only strings name a path, `edits` are searched, and other targets are trimmed.
    path_rules: bool,
    /// True if the name of a tool must match `/?[A-Za-z0-9_]+`.
    tool_name_check: bool,
    /// The form of an action id.
    action_ids: ActionIds,
    /// Maximum length of the payload of a tool call, in bytes.
    payload_cap: Option<usize>,
    /// True if missing arguments result in the payload `{}` instead of `null`.
    empty_payload: bool,
    /// True if shell commands are classified, and writing commands are rejected.
    shell_effects: bool,
    /// True if a denied call asserts `security_violation(Action, Reason, Seconds)`.
    denial_facts: bool,
    /// True if a reply next to native tool calls shows no safety notice. Its memory operations and
    /// its hypothesis become facts.
    native_path: bool,
    /// Maximum length of a line of the session in a prompt, in bytes.
    prompt_line_cap: Option<usize>,
    /// Maximum length of the session in a prompt, in bytes.
    prompt_block_cap: Option<usize>,
    /// Maximum number of lines that the kernel injects into a prompt.
    context_rows_cap: Option<usize>,
    /// Maximum length of a line that the kernel injects, in bytes.
    context_row_cap: Option<usize>,
    /// True if injected lines are queried by the id of the role (shard). A legacy prompt has them
    /// sorted and without duplicates.
    context_by_pattern: bool,
    /// True if a prompt lists the dependents of a change.
    dependency_block: bool,
    /// True if limits precede all blocks of the session except the notice of a simulation.
    safety_first: bool,
    /// True if changed files are listed at the start of the repository block.
    git_files: bool,
    /// True if an argument that is not a string is printed, and an empty argument is skipped.
    printed_arguments: bool,
    /// True if the smallest template of a role is used instead of the first.
    smallest_template: bool,
    /// True if no second `/` is added to a role that begins with `/`.
    slash_roles: bool,
    /// True if the language of the target precedes the language of the project.
    target_language: bool,
    /// True if provider, model and new files are part of the situation.
    provider_context: bool,
    /// True if the map form of a prompt context accepts values that are not strings, and its
    /// purpose is searched.
    printed_map: bool,
    /// True if a compiled prompt names the envelope with both bare words instead of one quoted key.
    bare_envelope_words: bool,
    /// Roles whose prompt lacks the suffix about the envelope.
    roles_without_envelope: &'static [&'static str],
}
