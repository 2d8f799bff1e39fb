//! What a file says of each predicate, by key: a sorted list, since there is one for each file of a program and it has to be small.
//! It is sorted by the addresses of names: a search compares numbers and reads no name.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::PredicateKey;
use mangle_syntax::syntax::ast::Literal;
use mangle_syntax::text::TextRange;

/// What a file says of one predicate. Numbers are indices of its statements. Most predicates have a few statements in a file, which need no
/// memory of their own.
#[derive(Debug, Default)]
pub struct PredicateInFile {
    /// Statements that declare it.
    pub declarations: SmallVec<[u32; 2]>,
    /// Statements that are facts of it.
    pub facts: SmallVec<[u32; 4]>,
    /// Rules for it: clauses with a body.
    pub rules: SmallVec<[u32; 4]>,
    /// Its uses in bodies.
    pub uses: SmallVec<[Use; 1]>,
    /// The arguments for which some premise of the file has more than `_`, one bit each; those from the 64th on share a bit.
    pub read_arguments: u64,
    /// Whether a clause annotates its head with an interval other than `@[_]` and `@[_, _]`.
    pub annotated_head: bool,
}

/// A use of a predicate in a body.
#[derive(Debug, Clone, Copy)]
pub struct Use {
    /// Index of the statement.
    pub item: u32,
    /// The name, from the start of the statement.
    pub range: TextRange,
    /// How it is used.
    pub kind: UseKind,
}

/// How a premise uses a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UseKind {
    /// As a plain premise.
    Positive,
    /// Under `!`.
    Negated,
    /// With an interval or a temporal operator.
    Temporal,
}

impl UseKind {
    /// How a premise uses its predicate.
    #[must_use]
    pub fn of(literal: &Literal) -> Self {
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
    /// Whether the file declares it or has clauses for it.
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

/// What a file says of the predicates that it names, in an order that differs from one process to the next.
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

    /// What the file says of a predicate; `None` if it does not name it.
    #[must_use]
    pub fn get(&self, key: &PredicateKey) -> Option<&PredicateInFile> {
        let at = self.entries.binary_search_by_key(&position(key), |(key, _)| position(key)).ok()?;
        self.entries.get(at).map(|(_, there)| there)
    }

    /// Whether the file names a predicate.
    #[must_use]
    pub fn has(&self, key: &PredicateKey) -> bool {
        self.get(key).is_some()
    }

    /// The predicates that the file names. What is shown or numbered in their order has to be sorted.
    pub fn keys(&self) -> impl Iterator<Item = &PredicateKey> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The same with what the file says of them.
    pub fn iter(&self) -> impl Iterator<Item = (&PredicateKey, &PredicateInFile)> {
        self.entries.iter().map(|(key, there)| (key, there))
    }
}

/// What the entries are sorted by.
fn position(key: &PredicateKey) -> (usize, u16) {
    (key.name.address(), key.arity)
}
