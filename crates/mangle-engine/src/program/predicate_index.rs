//! Index of the predicates of one file.
//!
//! Every file of a program has an index, so the index is a compact sorted list instead of a map.
//! The sort key is the address of the name: a search compares numbers and does not read names.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::PredicateKey;
use mangle_syntax::syntax::ast::Literal;
use mangle_syntax::text::TextRange;

/// The occurrences of one predicate in a file, as indexes of statements. Most predicates have few
/// statements per file, which need no heap allocation.
#[derive(Debug, Default)]
pub struct PredicateInFile {
    /// The declarations.
    pub declarations: SmallVec<[u32; 2]>,
    /// The facts.
    pub facts: SmallVec<[u32; 4]>,
    /// The rules: clauses with a body.
    pub rules: SmallVec<[u32; 4]>,
    /// The uses in bodies.
    pub uses: SmallVec<[Use; 1]>,
    /// The arguments for which some premise of the file has more than `_`, one bit each. Arguments
    /// from the 64th on share the last bit.
    pub read_arguments: u64,
    /// True if a clause annotates its head with an interval other than `@[_]` and `@[_, _]`.
    pub annotated_head: bool,
}

/// A use of a predicate in a body.
#[derive(Debug, Clone, Copy)]
pub struct Use {
    /// The index of the statement.
    pub item: u32,
    /// The name, relative to the start of the statement.
    pub range: TextRange,
    /// The kind of premise.
    pub kind: UseKind,
}

/// The kind of a premise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UseKind {
    /// A plain premise.
    Positive,
    /// A premise with `!`.
    Negated,
    /// A premise with an interval or a temporal operator.
    Temporal,
}

impl UseKind {
    /// The kind of a premise.
    #[must_use]
    pub fn from_literal(literal: &Literal) -> Self {
        if literal.is_temporal() {
            Self::Temporal
        } else if literal.is_negated() {
            Self::Negated
        } else {
            Self::Positive
        }
    }
}

impl PredicateInFile {
    /// True if the file declares the predicate or has clauses for it.
    #[must_use]
    pub fn defines(&self) -> bool {
        !(self.declarations.is_empty() && self.facts.is_empty() && self.rules.is_empty())
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.declarations.shrink_to_fit();
        self.facts.shrink_to_fit();
        self.rules.shrink_to_fit();
        self.uses.shrink_to_fit();
    }

    pub(super) fn first_item(&self) -> u32 {
        let uses = self.uses.first().map(|used| &used.item);
        let firsts = [self.declarations.first(), self.facts.first(), self.rules.first(), uses];
        firsts.into_iter().flatten().copied().min().unwrap_or(u32::MAX)
    }
}

/// The predicates that a file mentions. The order differs between processes.
#[derive(Debug, Default)]
pub struct PredicateIndex {
    entries: Box<[(PredicateKey, PredicateInFile)]>,
}

impl PredicateIndex {
    pub(super) fn new(found: FxHashMap<PredicateKey, PredicateInFile>) -> Self {
        let mut entries: Box<[_]> = found.into_iter().collect();
        entries.sort_unstable_by_key(|(key, _)| position(key));
        entries.iter_mut().for_each(|(_, there)| there.shrink_to_fit());
        Self { entries }
    }

    /// The occurrences of a predicate. `None` if the file does not mention it.
    #[must_use]
    pub fn get(&self, key: &PredicateKey) -> Option<&PredicateInFile> {
        let at = self.entries.binary_search_by_key(&position(key), |(key, _)| position(key)).ok()?;
        self.entries.get(at).map(|(_, there)| there)
    }

    /// True if the file mentions a predicate.
    #[must_use]
    pub fn has(&self, key: &PredicateKey) -> bool {
        self.get(key).is_some()
    }

    /// The mentioned predicates. Sort them before printing or numbering them.
    pub fn keys(&self) -> impl Iterator<Item = &PredicateKey> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The mentioned predicates with their occurrences, in the order of [`PredicateIndex::keys`].
    pub fn iter(&self) -> impl Iterator<Item = (&PredicateKey, &PredicateInFile)> {
        self.entries.iter().map(|(key, there)| (key, there))
    }
}

/// The sort key of the entries.
fn position(key: &PredicateKey) -> (usize, u16) {
    (key.name.address(), key.arity)
}
