//! The predicates that are suggested for updates, ordered by relevance.
//!
//! Predicates that decide about permissions are excluded, unless the list of the consumer contains
//! them.

use std::cmp::Reverse;

use super::declarations::{Declarations, DeclaredPredicate};
use super::lists::is_delicate;
use super::read::{UpdateReading, read};
use super::types::{TypeFit, best_row};
use crate::envelope::plain::Argument;
use crate::envelope::runtime::{accepts, consumer_of, is_requested, lists_predicate};
use mangle_settings::TranscriptSettings;

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
