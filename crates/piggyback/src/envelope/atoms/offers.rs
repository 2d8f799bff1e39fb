//! The predicates that are suggested for updates, ordered by relevance, and the built-in lists of
//! predicates that a packet should not assert.
//!
//! Settings can replace the first two lists. Predicates that decide about permissions are excluded,
//! unless the list of the consumer contains them.

use std::cmp::Reverse;

use super::arguments::{TypeFit, best_row};
use super::declarations::{Declarations, DeclaredPredicate};
use super::read::{UpdateReading, read};
use crate::envelope::plain::Argument;
use crate::envelope::runtime::{accepts, consumer_of, is_requested, lists_predicate};
use mangle_settings::{AtomSettings, TranscriptSettings};

/// True if a predicate may be suggested for updates: the consumer accepts it, and no rule derives
/// it.
///
/// Protected predicates and predicates that affect permissions are suggested only if the list of
/// the consumer contains them.
#[must_use]
pub fn may_be_offered(declared: &DeclaredPredicate, settings: &TranscriptSettings) -> bool {
    let consumer = consumer_of(settings);
    accepts(consumer, declared.name)
        && declared.derived.is_none()
        && !declared.is_external
        && (lists_predicate(consumer, declared.name) && !is_refused(declared.name, settings)
            || !is_delicate(declared.name, &settings.atoms) && declared.ground.is_none())
}

/// True if [`may_be_offered`] holds for all predicates with a name. If there are no declarations,
/// only the lists are checked.
#[must_use]
pub fn may_name_be_offered(
    name: &str,
    declarations: Option<&Declarations>,
    settings: &TranscriptSettings,
) -> bool {
    let mut named = declarations.into_iter().flat_map(|all| all.named(name)).peekable();
    match named.peek() {
        Some(_) => named.all(|declared| may_be_offered(declared, settings)),
        None => {
            let decides = declarations.is_some_and(|all| all.decides(name));
            accepts(consumer_of(settings), name) && !is_delicate(name, &settings.atoms) && !decides
        }
    }
}

/// True if an update may be suggested as a replacement for an update with the predicate `before`.
///
/// A predicate with another name must satisfy [`may_name_be_offered`]. The same predicate must not
/// affect permissions, unless replies are expected to assert it.
#[must_use]
pub(super) fn may_be_suggested(
    name: &str,
    before: &str,
    declarations: Option<&Declarations>,
    settings: &TranscriptSettings,
) -> bool {
    if name != before {
        return may_name_be_offered(name, declarations, settings);
    }
    let consumer = consumer_of(settings);
    let mut named = declarations.into_iter().flat_map(|all| all.named(name));
    let is_expected = is_requested(name, settings.caps.runtime) || lists_predicate(consumer, name);
    let is_granted = lists_predicate(consumer, name) && !consumer.protected;
    (is_granted || !is_delicate(name, &settings.atoms))
        && (is_expected || named.all(|declared| declared.ground.is_none()))
}

/// True if the consumer rejects a protected predicate although its list contains it.
fn is_refused(name: &str, settings: &TranscriptSettings) -> bool {
    consumer_of(settings).protected && is_delicate(name, &settings.atoms)
}

/// A rejected update, as a source of hints about the intended predicate.
struct UnusableUpdate<'t> {
    text: &'t str,
    name: &'t str,
    args: Option<Vec<Argument>>,
}

impl<'t> UnusableUpdate<'t> {
    fn new(text: &'t str) -> Self {
        let name = text.trim_start().split(|char: char| !is_part(char)).next().unwrap_or_default();
        let args = match read(text) {
            UpdateReading::Fact(fact) => Some(fact.args.to_vec()),
            _ => None,
        };
        Self { text, name, args }
    }

    /// Returns the distance to the name of a predicate, zero for equal names.
    fn distance(&self, declared: &DeclaredPredicate) -> usize {
        let edits = strsim::osa_distance(self.name, declared.name);
        let longer = self.name.len().max(declared.name.len());
        // If most letters differ, names are treated as completely different.
        if edits * 2 <= longer { edits } else { UNLIKE }
    }

    /// True if both names share a part between underscores.
    fn shares_a_word(&self, declared: &DeclaredPredicate) -> bool {
        let mut words = self.name.split('_').filter(|word| word.len() > 2);
        words.any(|word| declared.name.split('_').any(|other| other == word))
    }

    /// True if the arguments match the declaration of the predicate.
    fn fits(&self, declared: &DeclaredPredicate) -> bool {
        let Some(args) = self.args.as_ref().filter(|args| args.len() == declared.arity) else { return false };
        best_row(args, self.text, declared).is_none_or(|(_, worst)| worst == TypeFit::Yes)
    }
}

/// The distance of completely different names.
const UNLIKE: usize = 1_000;

fn is_part(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

/// Returns the predicates to suggest instead of these updates, most relevant first.
///
/// The order is: similar names, shared words, matching arguments, commonly asserted predicates, and
/// predicates that rules use.
#[must_use]
pub fn offers<'d>(
    declarations: &'d Declarations,
    settings: &TranscriptSettings,
    updates: &[&str],
) -> Vec<&'d DeclaredPredicate> {
    let meant: Vec<_> = updates.iter().map(|text| UnusableUpdate::new(text)).collect();
    let mut offered: Vec<_> =
        declarations.all().filter(|declared| may_be_offered(declared, settings)).collect();
    let key = |declared: &&DeclaredPredicate| {
        let near = meant.iter().map(|one| one.distance(declared)).min().unwrap_or(UNLIKE);
        let shares = meant.iter().any(|one| one.shares_a_word(declared));
        let fits = meant.iter().any(|one| one.fits(declared));
        (near, Reverse((shares, fits, is_requested(declared.name, settings.caps.runtime), declared.is_used)))
    };
    offered.sort_by_cached_key(key);
    offered
}

/// Predicates of the agent's core, and inputs of its constitution. Sorted for binary search.
const PROTECTED: [&str; 28] = [
    "action_denied",
    "active_override",
    "admin_override",
    "allowed_domain",
    "appeal_granted",
    "blocked_pattern",
    "current_time",
    "current_user",
    "dangerous_action",
    "dangerous_content",
    "execution_result",
    "final_action",
    "forbidden",
    "has_active_override",
    "mutation_approved",
    "network_permitted",
    "pending_action",
    "permission_check_result",
    "permitted",
    "permitted_action",
    "requires_permission",
    "routing_result",
    "safe_action",
    "safety_check",
    "security_violation",
    "signed_approval",
    "system_shard_state",
    "temporary_override",
];

/// Predicates that determine the content of the next prompt. Sorted for binary search.
const SENSITIVE: [&str; 12] = [
    "activation",
    "atom_tag",
    "campaign_prompt_policy",
    "injectable_context",
    "is_mandatory",
    "learned_exemplar",
    "prompt_atom",
    "prompt_customization",
    "prompt_exemplar",
    "shard_context_atom",
    "shard_prompt_base",
    "specialist_knowledge",
];

/// Predicates that the agent's rules derive, even if those rules are not loaded. Sorted for binary
/// search.
const DERIVED: [&str; 12] = [
    "action_type",
    "activation_spread",
    "blocked",
    "context_atom",
    "detected_framework",
    "policy_allows",
    "policy_denies",
    "relevant_fact",
    "route_to_shard",
    "route_to_tool",
    "test_framework",
    "unsafe_action",
];

/// Predicates whose facts are lost when the agent restarts.
const EPHEMERAL: [&str; 37] = [
    "action_blocked",
    "action_executed",
    "activation_score",
    "active_shard",
    "campaign_active_phase",
    "campaign_turn",
    "clarification_need",
    "clarification_option",
    "clarification_question",
    "context_priority",
    "current_turn",
    "dream_exploration",
    "dream_hypothesis",
    "dream_simulation",
    "hypothesis_active",
    "intent_unknown",
    "intent_unmapped",
    "learning_candidate",
    "learning_candidate_count",
    "learning_candidate_fact",
    "next_action",
    "no_action_reason",
    "ooda_timeout",
    "pending_action",
    "selected_context",
    "session_active",
    "shard_executing",
    "subagent_active",
    "subagent_result",
    "subagent_task",
    "tool_invoked",
    "tool_pending",
    "tool_result",
    "turn_context",
    "user_input_string",
    "user_intent",
    "verification_state",
];

/// The list that contains a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// [`PROTECTED`]
    Protected,
    /// [`SENSITIVE`]
    Sensitive,
    /// [`DERIVED`]
    Derived,
}

/// Returns the built-in list that contains a predicate.
pub(super) fn list_with(predicate: &str) -> Option<ListKind> {
    let is_in = |list: &[&str]| list.binary_search(&predicate).is_ok();
    if is_in(&PROTECTED) {
        Some(ListKind::Protected)
    } else if is_in(&SENSITIVE) {
        Some(ListKind::Sensitive)
    } else {
        is_in(&DERIVED).then_some(ListKind::Derived)
    }
}

/// True if facts of a predicate are lost when the agent restarts.
#[must_use]
pub fn is_ephemeral(predicate: &str) -> bool {
    EPHEMERAL.contains(&predicate)
}

/// A predicate that replies must not assert, with its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedPredicate<'s> {
    /// The name of the predicate.
    pub predicate: &'s str,
    /// A description of the list.
    pub why: &'static str,
}

/// Returns the predicates that replies must not assert under these settings, sorted and without
/// duplicates.
#[must_use]
pub fn protected(settings: &AtomSettings) -> Vec<ListedPredicate<'_>> {
    let whys = ["built-in list of protected predicates", "`protected` in the configuration"];
    let mut all = of_list(settings.protected.as_deref(), &PROTECTED, whys);
    let extra = settings.protected_extra.iter();
    all.extend(
        extra.map(|predicate| ListedPredicate { predicate, why: "`protected_extra` in the configuration" }),
    );
    let whys = ["built-in list of predicates that shape prompts", "`sensitive` in the configuration"];
    all.extend(of_list(settings.sensitive.as_deref(), &SENSITIVE, whys));
    let derived = DERIVED.iter();
    all.extend(
        derived
            .map(|predicate| ListedPredicate { predicate, why: "built-in list of what the agent derives" }),
    );
    all.sort_by_key(|one| one.predicate);
    all.dedup_by_key(|one| one.predicate);
    all
}

/// Returns the entries of a list, or of its replacement in the settings.
fn of_list<'s>(
    own: Option<&'s [String]>,
    usual: &'static [&'static str],
    [usually, configured]: [&'static str; 2],
) -> Vec<ListedPredicate<'s>> {
    match own {
        Some(own) => own.iter().map(|predicate| ListedPredicate { predicate, why: configured }).collect(),
        None => usual.iter().map(|predicate| ListedPredicate { predicate, why: usually }).collect(),
    }
}

/// True if the safety of the agent depends on a predicate: a built-in list or a list in the
/// settings contains it.
#[must_use]
pub fn is_delicate(predicate: &str, settings: &AtomSettings) -> bool {
    let own = [&settings.protected, &settings.sensitive].into_iter().flatten().flatten();
    let own = own.chain(&settings.protected_extra);
    let listed = match list_with(predicate) {
        Some(ListKind::Protected) => settings.protected.is_none(),
        Some(ListKind::Sensitive) => settings.sensitive.is_none(),
        Some(ListKind::Derived) => true,
        None => false,
    };
    listed || own.into_iter().any(|one| one == predicate)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::envelope::atoms::declarations::tests::declarations;
    use mangle_settings::Consumer;

    const POLICY: &str = "Decl approval(Who) bound [/string].\nDecl pause(What) bound [/string].\n\
        Decl unrelated(A, B, C).\nDecl task_note(Task, Text) bound [/string, /string].\n\
        Decl task_status(Task, Status) bound [/string, /name].\nDecl observation(A, B) bound [/string, /string].\n\
        Decl pending_action(Id, Action, Target, Payload, At).\n\
        permitted(A, T, P) :- pending_action(_, A, T, P, _), vetted(A), !paused(A).\n\
        vetted(A) :- pending_action(_, A, _, _, _), approval(_).\n\
        paused(A) :- pause(A).\n";

    fn offered(settings: &TranscriptSettings, updates: &[&str]) -> Vec<&'static str> {
        let declarations = declarations(POLICY);
        offers(&declarations, settings, updates).into_iter().map(|one| one.name).collect()
    }

    #[test]
    fn built_in_lists_are_sorted_and_disjoint() {
        for (list, kind) in [
            (&PROTECTED[..], ListKind::Protected),
            (&SENSITIVE, ListKind::Sensitive),
            (&DERIVED, ListKind::Derived),
        ] {
            assert!(list.is_sorted());
            assert!(list.iter().all(|name| list_with(name) == Some(kind)));
        }
        assert_eq!(list_with("modified"), None);
    }

    #[test]
    fn what_decides_a_permission_is_not_offered() {
        let names = offered(&TranscriptSettings::default(), &[]);
        assert_eq!(names, ["observation", "task_status", "task_note", "unrelated"]);
        for name in ["approval", "pause", "vetted", "paused", "permitted", "pending_action"] {
            assert!(!names.contains(&name), "{name}");
        }
    }

    #[test]
    fn the_list_of_a_consumer_allows_what_a_permission_consults() {
        let own = Consumer { predicates: vec!["approval".into(), "permitted".into()], ..Consumer::default() };
        let settings = TranscriptSettings {
            consumer: Some("own".into()),
            consumers: [("own".to_owned(), own)].into(),
            ..TranscriptSettings::default()
        };
        assert_eq!(offered(&settings, &[]), ["approval"]);
    }

    #[test]
    fn near_names_come_first() {
        let settings = TranscriptSettings::default();
        assert_eq!(offered(&settings, &["task_statos(\"a\", /done)."])[0], "task_status");
        assert_eq!(offered(&settings, &["note_of_task(\"a\", \"b\")."])[0], "task_note");
        assert_eq!(offered(&settings, &["zzzzzzzzzzzz(1, 2, 3)."])[0], "unrelated");
    }
}
