//! Updates, one after the other: what is said of each, in the order in which the runtime would trip over it. A cause
//! is reported once: what cannot be read is not judged any further.

use std::borrow::Cow;

use std::cmp::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};

use super::context::{ListContext, UpdateContext};
use super::read::{self, UpdateReading};
use super::{Update, arguments, predicate, rules, statements, text};
use crate::envelope::edits::quoted;
use crate::envelope::json::Json;
use crate::envelope::plain;
use crate::envelope::runtime::built_in;
use mangle_syntax::lint::{Finding, Fix, Severity};

/// From how many updates on texts are looked up rather than compared.
const FEW: usize = 16;

/// The consumer that takes everything.
const EVERYBODY: &str = "compressor";

/// What the updates of a list have against them. Ranges count from the start of the reply.
pub fn check(updates: &[Update<'_>], judge: &UpdateContext<'_>, out: &mut Vec<Finding>) {
    let terms = ListContext::new(judge);
    let mut seen = DuplicateFinder::of(updates);
    // Updates with a fix. Equal ones need it as well, and are duplicates when all of them are corrected.
    let mut fixable = FxHashSet::default();
    for update in updates {
        match seen.first(update) {
            Some(first) if !fixable.contains(&first.index) => out.push(statements::duplicate(update, first)),
            _ => {
                let from = out.len();
                one(update, &terms, out);
                let found = out.get_mut(from..).unwrap_or_default();
                keep_damage(update, found);
                if found.iter().any(|finding| finding.fix.is_some()) {
                    fixable.insert(update.index);
                }
            }
        }
    }
    statements::limit(updates, &terms, out);
}

/// Takes the fixes away from what is found in a string that is no JSON: next to a slip, each byte says where it ends.
fn keep_damage(update: &Update<'_>, found: &mut [Finding]) {
    if found.iter().any(|finding| finding.fix.is_some()) && !update.is_json() {
        found.iter_mut().for_each(|finding| finding.fix = None);
    }
}

/// What one end of a state transition has against it: an atom that nobody asserts, so that neither its full stop nor
/// its consumer matters.
pub fn check_transition(atom: &Update<'_>, judge: &UpdateContext<'_>, out: &mut Vec<Finding>) {
    let mut terms = ListContext::new(judge);
    terms.period = None;
    terms.is_asserted = false;
    terms.consumer = built_in(EVERYBODY, terms.settings.caps.runtime).map_or(terms.consumer, Cow::Borrowed);
    let from = out.len();
    one(atom, &terms, out);
    let found = out.get_mut(from..).unwrap_or_default();
    keep_damage(atom, found);
    // An update can be taken out of its list; the value of a member cannot.
    for finding in found {
        finding.fix = finding.fix.take().filter(|fix| !takes(fix, atom));
    }
}

/// Whether a fix leaves nothing of an update, not even its quotes.
fn takes(fix: &Fix, update: &Update<'_>) -> bool {
    fix.edits.iter().any(|edit| edit.text.is_empty() && edit.span.range.contains_range(update.range))
}

/// Whether a text would be an update without errors that the runtime keeps.
#[must_use]
pub fn is_sound(text: &str, judge: &UpdateContext<'_>) -> bool {
    // Rules about updates look at JSON strings, so it becomes one.
    let literal = quoted(text);
    let json = Json::parse(literal.as_bytes());
    let Some(update) = Update::new(&json, json.root(), 0) else { return false };
    let mut found = Vec::new();
    check(&[update], judge, &mut found);
    let severity = |finding: &Finding| finding.severity.or(finding.rule.severity);
    !found.iter().any(|finding| severity(finding) == Some(Severity::Error) || is_lost(finding))
}

/// Whether a finding says that the runtime drops an update for its missing full stop.
pub(super) fn is_lost(finding: &Finding) -> bool {
    finding.rule == &rules::NO_PERIOD && finding.severity.is_none()
}

/// Finds updates that say what an earlier one says.
enum DuplicateFinder<'u, 't> {
    /// The updates of a short list, which are compared with each other.
    Few(&'u [Update<'t>]),
    /// Those of a long one that were seen, by their texts.
    Many(FxHashMap<&'u str, &'u Update<'t>>),
}

impl<'u, 't> DuplicateFinder<'u, 't> {
    fn of(updates: &'u [Update<'t>]) -> Self {
        match updates.len() {
            0..FEW => Self::Few(updates),
            _ => Self::Many(FxHashMap::default()),
        }
    }

    /// The first update that says what this one says, if it is another.
    fn first(&mut self, update: &'u Update<'t>) -> Option<&'u Update<'t>> {
        let text = update.text.trim();
        if text.is_empty() {
            return None;
        }
        match self {
            Self::Few(updates) => {
                let earlier = updates.iter().take_while(|other| !std::ptr::eq(*other, update));
                earlier.into_iter().find(|other| match other.text.len().cmp(&text.len()) {
                    Ordering::Less => false,
                    Ordering::Equal => other.text == text,
                    Ordering::Greater => other.text.trim() == text,
                })
            }
            Self::Many(seen) => {
                let first = *seen.entry(text).or_insert(update);
                (!std::ptr::eq(first, update)).then_some(first)
            }
        }
    }
}

fn one(update: &Update<'_>, terms: &ListContext<'_>, out: &mut Vec<Finding>) {
    let text = update.text.as_ref();
    let trimmed = text.trim();
    if trimmed.is_empty() {
        out.push(text::blank(update));
        return;
    }
    out.extend(text::padded(update, trimmed));
    if trimmed.len() > terms.settings.caps.update() {
        out.push(text::too_long(update, trimmed, terms.settings.caps.update()));
        return;
    }
    let has_meta = text::metacharacters(update, terms.settings.caps.runtime, out);
    if statements::refused(update, trimmed, out) {
        return;
    }
    // Reading by the grammar costs a good deal, and after so many findings nobody reads another.
    if terms.unreadable.get() == 0 && plain::read(text).is_none() {
        return;
    }
    let fact = match read::read(text) {
        UpdateReading::Fact(fact) => fact,
        UpdateReading::Statement(range) => {
            out.push(statements::statement(update, range));
            return;
        }
        UpdateReading::Unreadable(findings) => {
            terms.unreadable.update(|left| left.saturating_sub(1));
            // One of the characters that lose the update may be what cannot be read.
            if !has_meta {
                statements::unreadable(update, &findings, terms, out);
            }
            return;
        }
    };
    out.extend(text::period(update, trimmed, &fact, terms));
    if statements::others(update, &fact, out) {
        return;
    }
    let known = predicate::check(update, &fact, terms, out);
    arguments::check(update, &fact, known, terms, out);
}
