//! The table of envelope members: key, value type and requirement per profile.

use super::runtime::names;
use mangle_settings::Profile;

/// The type of a member's value.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A string.
    Text,
    /// A string or `null`.
    TextOrNull,
    /// One of several words.
    Word(&'static [&'static str]),
    /// Any number.
    Number,
    /// An integer, at least zero.
    Count,
    /// `true` or `false`.
    Flag,
    /// `true`, `false` or `null`.
    FlagOrNull,
    /// An object with known members.
    Object(&'static Table),
    /// An array.
    List(&'static Shape),
    /// An object with arbitrary members.
    Map,
    /// Any value.
    Free,
}

/// The requirement of a profile for a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Requirement {
    /// The member must exist.
    Required,
    /// The member should exist.
    Recommended,
    /// The member may exist.
    Optional,
    /// The member may exist, and the strict schema requires it.
    Schema,
    /// The profile does not have the member.
    Unknown,
}

/// A member of at least one profile.
#[derive(Debug)]
pub struct MemberField {
    /// The key.
    pub name: &'static str,
    /// The type of the value.
    pub shape: Shape,
    /// True if the runtime reads the member.
    pub is_read: bool,
    /// One letter for each of [`Profile::ALL`]: `R` required, `r` recommended, `o` optional, `S`
    /// required by the strict schema, `-` unknown.
    needs: &'static [u8; 6],
}

/// The members of one kind of object.
#[derive(Debug)]
pub struct Table {
    /// The description of the object in messages, with article.
    pub title: &'static str,
    /// The members, in their usual order.
    pub fields: &'static [MemberField],
}

impl MemberField {
    /// Returns the requirement of a profile.
    #[must_use]
    pub fn need(&self, profile: Profile) -> Requirement {
        let at = Profile::ALL.iter().position(|one| *one == profile);
        match at.and_then(|at| self.needs.get(at)) {
            Some(b'R') => Requirement::Required,
            Some(b'r') => Requirement::Recommended,
            Some(b'o') => Requirement::Optional,
            Some(b'S') => Requirement::Schema,
            _ => Requirement::Unknown,
        }
    }

    /// True if a profile has the member.
    #[must_use]
    pub fn is_in(&self, profile: Profile) -> bool {
        self.need(profile) != Requirement::Unknown
    }

    /// Returns the newest profile with the member, and the current profile before the others.
    #[must_use]
    pub fn newest_profile(&self) -> Profile {
        let newest = [Profile::Current, Profile::V1_2, Profile::V1_1, Profile::Draft1_3];
        newest.into_iter().find(|profile| self.is_in(*profile)).unwrap_or(Profile::Draft1_3)
    }
}

/// The maximum length of a misspelled key: in bytes for other letter case, in characters for typos.
const MAX_LEN: usize = 40;

/// Keys shorter than this may have one typo, longer keys two.
const SHORT: usize = 6;

impl Table {
    /// Returns the member with a key, and true if the key is spelled exactly. If the runtime reads
    /// the member, case is ignored.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<(&'static MemberField, bool)>
    where
        Self: 'static,
    {
        let fields = self.fields;
        let exact = fields.iter().find(|field| field.name == key);
        exact.map(|field| (field, true)).or_else(|| {
            if key.len() > MAX_LEN {
                return None;
            }
            fields
                .iter()
                .find(|field| field.is_read && names(key, field.name, false))
                .map(|field| (field, false))
        })
    }

    /// Returns the member with a name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static MemberField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns the probably intended member of a key that the runtime does not recognize.
    #[must_use]
    pub fn similar_field(&self, key: &str) -> Option<&'static MemberField> {
        let length = key.chars().count();
        if !(3..=MAX_LEN).contains(&length) {
            return None;
        }
        let allowed = if length < SHORT { 1 } else { 2 };
        // Fast path, because most keys differ too much in length.
        let is_alike =
            |field: &&MemberField| field.name.len().abs_diff(key.len()) <= allowed + MAX_SEPARATORS;
        let alike = || self.fields.iter().filter(is_alike);
        let same = alike().find(|field| plain(field.name).eq(plain(key)));
        same.or_else(|| {
            let folded = key.to_lowercase();
            let near = alike().filter(|field| field.name.len().abs_diff(folded.len()) <= allowed);
            near.map(|field| (strsim::damerau_levenshtein(field.name, &folded), field))
                .filter(|(distance, _)| *distance <= allowed)
                .min_by_key(|(distance, _)| *distance)
                .map(|(_, field)| field)
        })
    }
}

/// The maximum number of bytes of separators that are added or omitted in a key.
const MAX_SEPARATORS: usize = 3;

/// Normalizes a key: lowercase, without separators.
fn plain(key: &str) -> impl Iterator<Item = char> {
    key.chars().filter(|char| !matches!(char, '_' | '-' | ' ')).flat_map(char::to_lowercase)
}

/// Creates a member that the runtime reads.
const fn read_field(name: &'static str, shape: Shape, needs: &'static [u8; 6]) -> MemberField {
    MemberField { name, shape, is_read: true, needs }
}

/// Creates a member that the runtime ignores.
const fn ignored_field(name: &'static str, shape: Shape, needs: &'static [u8; 6]) -> MemberField {
    MemberField { name, shape, is_read: false, needs }
}

/// The members of an envelope.
pub static ENVELOPE: Table = Table {
    title: "the envelope",
    fields: &[
        ignored_field("piggyback_version", Shape::Free, b"oooooo"),
        read_field("control_packet", Shape::Object(&CONTROL), b"RRRRRR"),
        read_field("surface_response", Shape::Text, b"RRRRRR"),
    ],
};

/// The members of a control packet.
#[rustfmt::skip] // One row a member.
pub static CONTROL: Table = Table {
    title: "the control packet",
    fields: &[
        read_field("intent_classification", Shape::Object(&INTENT), b"o-RRSR"),
        read_field("mangle_updates", Shape::List(&Shape::Text), b"RRRRSR"),
        read_field("memory_operations", Shape::List(&Shape::Object(&MEMORY)), b"oRRRSR"),
        read_field("self_correction", Shape::Object(&CORRECTION), b"o-ooSS"),
        read_field("reasoning_trace", Shape::Text, b"--ooSS"),
        read_field("knowledge_requests", Shape::List(&Shape::Object(&KNOWLEDGE)), b"----SS"),
        read_field("context_feedback", Shape::Object(&FEEDBACK), b"----SS"),
        read_field("tool_requests", Shape::List(&Shape::Object(&TOOL)), b"----SS"),
        ignored_field("abductive_hypothesis", Shape::Text, b"o-----"),
        ignored_field("execution_metadata", Shape::Object(&EXECUTION), b"--r--r"),
        ignored_field("state_transitions", Shape::List(&Shape::Object(&TRANSITION)), b"--r--r"),
        ignored_field("impact_analysis", Shape::Object(&IMPACT), b"--r--r"),
        ignored_field("safety_gates", Shape::Object(&GATES), b"--r--r"),
        ignored_field("learning_signals", Shape::Object(&LEARNING), b"--o--o"),
        ignored_field("dependencies_added", Shape::Free, b"-----o"),
        ignored_field("security_review", Shape::Free, b"-----o"),
        ignored_field("performance_profile", Shape::Free, b"-----o"),
        ignored_field("test_coverage_delta", Shape::Free, b"-----o"),
        ignored_field("git_metadata", Shape::Free, b"-----o"),
        ignored_field("collaboration_hints", Shape::Free, b"-----o"),
    ],
};

/// The members that version 1.3 plans.
pub static PLANNED: [&str; 6] = [
    "dependencies_added",
    "security_review",
    "performance_profile",
    "test_coverage_delta",
    "git_metadata",
    "collaboration_hints",
];

/// The audit objects of 1.2.
pub static AUDIT: [&str; 5] =
    ["execution_metadata", "state_transitions", "impact_analysis", "safety_gates", "learning_signals"];

/// The members of an intent classification.
pub static INTENT: Table = Table {
    title: "the intent",
    fields: &[
        read_field("category", Shape::Text, b"RRRRRR"),
        read_field("verb", Shape::Text, b"ooRRRR"),
        read_field("target", Shape::Text, b"ooRRRR"),
        read_field("constraint", Shape::Text, b"ooRRRR"),
        read_field("confidence", Shape::Number, b"RRRRRR"),
    ],
};

/// The members of a memory operation.
pub static MEMORY: Table = Table {
    title: "a memory operation",
    fields: &[
        read_field("op", Shape::Text, b"RRRRRR"),
        read_field("key", Shape::Text, b"RRRRRR"),
        read_field("value", Shape::Text, b"ooRRRR"),
    ],
};

/// The members of a self-correction.
pub static CORRECTION: Table = Table {
    title: "the self-correction",
    fields: &[
        read_field("triggered", Shape::Flag, b"RRRRRR"),
        read_field("hypothesis", Shape::Text, b"RRRRRR"),
        ignored_field("recovery_action", Shape::Text, b"--o--o"),
        ignored_field("confidence", Shape::Number, b"--o--o"),
    ],
};

/// The members of a question to a specialist.
pub static KNOWLEDGE: Table = Table {
    title: "a knowledge request",
    fields: &[
        read_field("specialist", Shape::Text, b"RRRRRR"),
        read_field("query", Shape::Text, b"RRRRRR"),
        read_field("purpose", Shape::Text, b"SSSSSS"),
        read_field("priority", Shape::Text, b"SSSSSS"),
    ],
};

/// The members of the context feedback.
pub static FEEDBACK: Table = Table {
    title: "the context feedback",
    fields: &[
        read_field("overall_usefulness", Shape::Number, b"RRRRRR"),
        read_field("helpful_facts", Shape::List(&Shape::Text), b"RRRRRR"),
        read_field("noise_facts", Shape::List(&Shape::Text), b"RRRRRR"),
        read_field("missing_context", Shape::Text, b"SSSSSS"),
    ],
};

/// The members of a tool request.
pub static TOOL: Table = Table {
    title: "a tool request",
    fields: &[
        read_field("id", Shape::Text, b"RRRRRR"),
        read_field("tool_name", Shape::Text, b"RRRRRR"),
        read_field("tool_args", Shape::Map, b"RRRRRR"),
        read_field("purpose", Shape::Text, b"SSSSSS"),
        read_field("required", Shape::Flag, b"SSSSSS"),
    ],
};

/// The members of the execution metadata.
pub static EXECUTION: Table = Table {
    title: "the execution metadata",
    fields: &[
        ignored_field(
            "shard_type",
            Shape::Word(&["coder", "tester", "reviewer", "researcher", "main"]),
            b"--r--r",
        ),
        ignored_field("execution_time_ms", Shape::Count, b"--r--r"),
        ignored_field("tokens_used", Shape::Count, b"--r--r"),
        ignored_field("retry_count", Shape::Count, b"--r--r"),
        ignored_field("blocked_by_constitution", Shape::Flag, b"--r--r"),
    ],
};

/// The members of a state transition.
pub static TRANSITION: Table = Table {
    title: "a state transition",
    fields: &[
        ignored_field("from", Shape::Text, b"--r--r"),
        ignored_field("to", Shape::Text, b"--r--r"),
        ignored_field("timestamp", Shape::Text, b"--r--r"),
        ignored_field("reason", Shape::Text, b"--r--r"),
    ],
};

/// The members of the impact analysis.
pub static IMPACT: Table = Table {
    title: "the impact analysis",
    fields: &[
        ignored_field("files_affected", Shape::List(&Shape::Text), b"--r--r"),
        ignored_field("dependencies_broken", Shape::List(&Shape::Text), b"--r--r"),
        ignored_field("tests_impacted", Shape::List(&Shape::Text), b"--r--r"),
        ignored_field("estimated_scope", Shape::Word(&["trivial", "minor", "major", "critical"]), b"--r--r"),
    ],
};

/// The members of the safety gates.
pub static GATES: Table = Table {
    title: "the safety gates",
    fields: &[
        ignored_field("requires_user_approval", Shape::Flag, b"--r--r"),
        ignored_field("chesterton_fence_warning", Shape::TextOrNull, b"--r--r"),
        ignored_field("dangerous_action_blocked", Shape::TextOrNull, b"--r--r"),
        ignored_field("constitutional_override", Shape::TextOrNull, b"--r--r"),
    ],
};

/// The members of the learning signals.
pub static LEARNING: Table = Table {
    title: "the learning signals",
    fields: &[
        ignored_field("pattern_id", Shape::Text, b"--r--r"),
        ignored_field("success", Shape::Flag, b"--r--r"),
        ignored_field("user_accepted", Shape::FlagOrNull, b"--o--o"),
        ignored_field("rejection_reason", Shape::TextOrNull, b"--o--o"),
        ignored_field("should_promote_to_learned", Shape::Flag, b"--o--o"),
    ],
};

/// True if any object of an envelope has a member with this name.
#[must_use]
pub fn is_key(name: &str) -> bool {
    ENVELOPE.contains_key(name)
}

impl Table {
    /// True if the object or any nested object has a member with this name.
    fn contains_key(&self, name: &str) -> bool {
        let contains = |field: &MemberField| {
            field.name == name || field.shape.table().is_some_and(|inner| inner.contains_key(name))
        };
        self.fields.iter().any(contains)
    }
}

impl Shape {
    /// Returns the table of the nested objects.
    fn table(&self) -> Option<&'static Table> {
        match self {
            Self::Object(table) => Some(table),
            Self::List(inner) => inner.table(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_matched_as_the_runtime_does() {
        let found = |key| ENVELOPE.find(key).map(|(field, exact)| (field.name, exact));
        assert_eq!(found("control_packet"), Some(("control_packet", true)));
        assert_eq!(found("Control_Packet"), Some(("control_packet", false)));
        assert_eq!(found("ſurface_response"), Some(("surface_response", false)));
        assert_eq!(found("controlPacket"), None);
    }

    #[test]
    fn keys_that_were_meant() {
        let near = |table: &Table, key| table.similar_field(key).map(|field| field.name);
        assert_eq!(near(&CONTROL, "mangleUpdates"), Some("mangle_updates"));
        assert_eq!(near(&CONTROL, "mangle-updates"), Some("mangle_updates"));
        assert_eq!(near(&INTENT, "constraints"), Some("constraint"));
        assert_eq!(near(&INTENT, "verbs"), Some("verb"));
        assert_eq!(near(&INTENT, "vxrbs"), None);
        assert_eq!(near(&ENVELOPE, "artifacts"), None);
    }

    #[test]
    fn profiles_differ() {
        let need = |name, profile| CONTROL.field(name).map(|field| field.need(profile));
        assert_eq!(need("reasoning_trace", Profile::V1_1), Some(Requirement::Unknown));
        assert_eq!(need("reasoning_trace", Profile::Current), Some(Requirement::Schema));
        assert_eq!(need("mangle_updates", Profile::V1_2), Some(Requirement::Required));
        assert_eq!(need("abductive_hypothesis", Profile::V1_1), Some(Requirement::Optional));
    }
}
