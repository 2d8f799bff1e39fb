//! Summary of one file: the predicates that it declares, defines and uses, with their statements.
//!
//! A summary depends only on its file, so it is kept while the file is unchanged. Every file of a
//! program has an index of its predicates, so the index is a compact sorted list instead of a map.
//! The sort key is the address of the name: a search compares numbers and does not read names.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::PredicateKey;
use super::shared::scattered;
use super::signature::arguments_read;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Atom, Clause, Item, Literal, StatementKind};
use mangle_syntax::text::{FileId, StatementId, Symbol, TextRange, TextSize};

/// The statements of a file and their index by predicate.
#[derive(Debug)]
pub struct FileSummary {
    /// The id of the file.
    pub id: FileId,
    /// The text of the file. All ranges refer to it.
    pub text: Arc<str>,
    /// The statements, in order.
    pub items: Arc<[Item]>,
    /// Findings of the parser about the whole file. Ranges are relative to the start of the file.
    pub findings: Arc<[Finding]>,
    /// The package of the file. `None` for the root package.
    pub package: Option<Symbol>,
    /// The used packages, each with the index of its `Use` statement.
    pub used_packages: Vec<(Symbol, u32)>,
    /// The number of `Decl` statements.
    pub declarations: u32,
    /// True if a rule aggregates.
    pub aggregates: bool,
    /// A hash of the statements and their order.
    pub digest: u64,
    /// The index of predicates, keyed by the name as written.
    pub predicates: PredicateIndex,
    /// The start of each statement, sorted by statement. Computed on demand.
    starts: OnceLock<Box<[(StatementId, TextSize)]>>,
}

impl FileSummary {
    /// Summarizes the statements of a file.
    #[must_use]
    pub fn new(id: FileId, source: &SourceFile) -> Self {
        Self::from_items(id, source.text(), source.items(), source.findings())
    }

    /// The same file with other statements, one for each existing statement.
    #[must_use]
    pub fn with_items(&self, items: &Arc<[Item]>) -> Self {
        Self::from_items(self.id, &self.text, items, &self.findings)
    }

    fn from_items(id: FileId, text: &Arc<str>, items: &Arc<[Item]>, findings: &Arc<[Finding]>) -> Self {
        let mut summary = Self {
            id,
            text: Arc::clone(text),
            items: Arc::clone(items),
            findings: Arc::clone(findings),
            package: None,
            used_packages: Vec::new(),
            declarations: 0,
            aggregates: false,
            digest: digest(id, items),
            starts: OnceLock::new(),
            predicates: PredicateIndex::default(),
        };
        let mut predicates = NamedPredicates::default();
        for (index, item) in (0u32..).zip(items.iter()) {
            match &item.statement.kind {
                StatementKind::Package(package) => {
                    summary.package.get_or_insert(package.name.symbol);
                }
                StatementKind::Use(package) => summary.used_packages.push((package.name.symbol, index)),
                StatementKind::Declaration(decl) => {
                    summary.declarations += 1;
                    predicates.entry(&decl.atom).declarations.push(index);
                }
                StatementKind::Clause(clause) => {
                    summary.aggregates |= clause.aggregates();
                    predicates.add_clause(index, clause);
                }
                StatementKind::Broken => {}
            }
        }
        summary.predicates = PredicateIndex::new(predicates.0);
        summary
    }

    /// The start of a statement. `None` if the file does not contain it.
    #[must_use]
    pub fn start_of(&self, statement: StatementId) -> Option<TextSize> {
        let starts = self.starts.get_or_init(|| {
            let mut starts: Box<[_]> =
                self.items.iter().map(|item| (item.statement.id, item.start)).collect();
            starts.sort_by_key(|(statement, _)| *statement);
            starts
        });
        let at = starts.binary_search_by_key(&statement, |(statement, _)| *statement).ok()?;
        starts.get(at).map(|(_, start)| *start)
    }

    /// True if the file belongs to a package, uses a package, or has a qualified predicate name.
    #[must_use]
    pub fn names_packages(&self) -> bool {
        self.package.is_some()
            || !self.used_packages.is_empty()
            || self.predicates.keys().any(|key| !key.package().is_empty())
    }

    /// The text of a statement.
    #[must_use]
    pub fn statement_text(&self, item: &Item) -> &str {
        mangle_syntax::text::slice(&self.text, item.statement.range() + item.start)
    }

    /// The index of the statement at the byte `offset`, if one exists.
    #[must_use]
    pub fn item_at(&self, offset: TextSize) -> Option<usize> {
        let index = self.items.partition_point(|item| item.start <= offset).checked_sub(1)?;
        let item = self.items.get(index)?;
        (offset <= item.start + item.statement.len).then_some(index)
    }
}

/// The predicates of a file during construction.
#[derive(Default)]
struct NamedPredicates(FxHashMap<PredicateKey, PredicateInFile>);

impl NamedPredicates {
    fn add_clause(&mut self, index: u32, clause: &Clause) {
        let head = self.entry(&clause.head);
        if clause.is_fact() {
            head.facts.push(index);
        } else {
            head.rules.push(index);
        }
        head.annotated_head |= clause.interval.as_ref().is_some_and(|interval| !interval.is_eternal());
        for literal in clause.literals().filter(|literal| !literal.atom.is_builtin()) {
            let kind = UseKind::from_literal(literal);
            let range = literal.atom.name.range;
            let used = self.entry(&literal.atom);
            used.uses.push(Use { item: index, range, kind });
            used.read_arguments |= arguments_read(&literal.atom);
        }
    }

    fn entry(&mut self, atom: &Atom) -> &mut PredicateInFile {
        self.0.entry(key_of(atom)).or_default()
    }
}

fn digest(id: FileId, items: &[Item]) -> u64 {
    let mut hasher = FxHasher::default();
    (id, items.len()).hash(&mut hasher);
    items.iter().for_each(|item| (item.statement.digest, item.statement.damaged).hash(&mut hasher));
    // Programs sum up the digests.
    scattered(&hasher.finish())
}

/// The key of an atom as written, without a package prefix.
#[must_use]
pub fn key_of(atom: &Atom) -> PredicateKey {
    PredicateKey { name: atom.name.symbol, arity: atom.arity() }
}

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
        entries.iter_mut().for_each(|(_, in_file)| in_file.shrink_to_fit());
        Self { entries }
    }

    /// The occurrences of a predicate. `None` if the file does not mention it.
    #[must_use]
    pub fn get(&self, key: &PredicateKey) -> Option<&PredicateInFile> {
        let at = self.entries.binary_search_by_key(&position(key), |(key, _)| position(key)).ok()?;
        self.entries.get(at).map(|(_, in_file)| in_file)
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
        self.entries.iter().map(|(key, in_file)| (key, in_file))
    }
}

/// The sort key of the entries.
fn position(key: &PredicateKey) -> (usize, u16) {
    (key.name.address(), key.arity)
}
