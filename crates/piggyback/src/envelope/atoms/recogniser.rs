//! A fast recognizer of updates without findings.
//!
//! Only plain facts are accepted. A property test compares accepted updates with all rules.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::arguments::{TypeFit, begins_like_a_name, best_row, is_path};
use super::predicate::is_welcome;
use super::{DeclaredPredicate, ListContext, UpdateContext};
use crate::envelope::plain::{self, ArgumentKind, PlainFact};
use mangle_settings::Period;
use mangle_syntax::text::{TextSize, slice};

/// Bytes that require a full check: shell characters, and the first bytes of arrows.
const SUSPICIOUS: [u8; 6] = [b'`', b'$', b';', b'|', b':', 0xe2];

/// [`SUSPICIOUS`] as a lookup table.
static IS_SUSPICIOUS: [bool; 256] = {
    let (mut table, mut at) = ([false; 256], 0);
    while at < SUSPICIOUS.len() {
        table[SUSPICIOUS[at] as usize] = true;
        at += 1;
    }
    table
};

/// A recognizer of updates without findings.
#[derive(Debug)]
pub(in crate::envelope) struct UpdateRecogniser<'a> {
    terms: ListContext<'a>,
    /// A cache of looked-up predicates that a packet may assert.
    known: FxHashMap<&'a str, SmallVec<[&'a DeclaredPredicate; 1]>>,
}

impl<'a> UpdateRecogniser<'a> {
    pub(in crate::envelope) fn new(judge: &UpdateContext<'a>) -> Self {
        Self { terms: ListContext::new(judge), known: FxHashMap::default() }
    }

    /// The maximum number of updates in a list.
    pub(in crate::envelope) fn most(&self) -> usize {
        match self.terms.consumer.max_updates {
            limit if limit > 0 && self.terms.is_pinned => limit.min(self.terms.settings.caps.updates()),
            _ => self.terms.settings.caps.updates(),
        }
    }

    /// True if an update by itself certainly has no findings.
    pub(in crate::envelope) fn accepts(&mut self, text: &str) -> bool {
        !is_suspicious(text)
            && !self.may_have_shell_text(text)
            && text.len() <= self.terms.settings.caps.update()
            && plain::read(text).is_some_and(|plain| self.is_in_order(&plain, text))
    }

    /// True if a string may have a character that its predicate does not accept.
    fn may_have_shell_text(&self, text: &str) -> bool {
        self.terms.declarations.is_some() && text.contains(self.terms.settings.caps.runtime.shell_text)
    }

    fn is_in_order(&mut self, plain: &PlainFact<'_>, text: &str) -> bool {
        // No surrounding text, and no space after the name as in statements.
        let is_bare = plain.name.start() == TextSize::new(0)
            && text.as_bytes().get(plain.predicate.len()) == Some(&b'(')
            && plain.has_period
            && text.ends_with('.');
        if !is_bare || self.terms.period == Some(Period::Forbidden) {
            return false;
        }
        if self.terms.declarations.is_none() {
            return is_welcome(plain.predicate, None, &self.terms) && fits(plain, text, None);
        }
        let declared = self.declared(plain.predicate).iter().find(|one| one.arity == plain.args.len());
        declared.is_some_and(|declared| fits(plain, text, Some(declared)))
    }

    /// Returns the predicates with a name that a packet may assert.
    fn declared(&mut self, name: &str) -> &[&'a DeclaredPredicate] {
        // Two lookups, because the borrow checker rejects a conditional return of a reference
        // before an insertion.
        if !self.known.contains_key(name) {
            let named = self.terms.declarations.into_iter().flat_map(|all| all.named(name));
            let found: SmallVec<[&'a DeclaredPredicate; 1]> =
                named.filter(|one| is_welcome(one.name, Some(one), &self.terms)).collect();
            if let Some(first) = found.first() {
                self.known.insert(first.name, found);
            }
        }
        self.known.get(name).map_or(&[], |found| found.as_slice())
    }
}

/// True if an update may contain a character that causes the runtime to drop it.
fn is_suspicious(text: &str) -> bool {
    let is_odd = |byte: &u8| IS_SUSPICIOUS[usize::from(*byte)];
    text.as_bytes().iter().any(is_odd) && (text.contains(['`', '$', ';', '|', '⟸']) || text.contains(":-"))
}

/// True if the arguments match the declaration, and do not change when the runtime stores them as
/// text.
fn fits(plain: &PlainFact<'_>, text: &str, declared: Option<&DeclaredPredicate>) -> bool {
    let row = declared.and_then(|declared| best_row(&plain.args, text, declared));
    if row.is_some_and(|(_, worst)| worst != TypeFit::Yes) {
        return false;
    }
    plain.args.iter().enumerate().all(|(at, arg)| {
        let written = slice(text, arg.range);
        match arg.kind {
            ArgumentKind::Number(_) => true,
            ArgumentKind::String | ArgumentKind::Escaped => !begins_like_a_name(written),
            ArgumentKind::Name => {
                let names = declared.and_then(|declared| declared.names.get(at)?.as_ref());
                names.is_none_or(|names| names.contains(written)) && !is_path(written)
            }
            _ => false,
        }
    })
}
