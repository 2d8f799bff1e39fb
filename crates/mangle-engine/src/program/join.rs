//! Joins the files of a program by predicate.
//!
//! The cost is proportional to the number of (file, predicate) pairs, not of statements. The index
//! of a file is built once and only referenced here.
//!
//! After an edit, [`Program::succeed`] builds the new program from the old one and shares all
//! unchanged parts.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;

use super::dependencies::Dependencies;
use super::file::key_of;
use super::graph::Graph;
use super::shared::{SharedList, SharedMap, scattered};
use super::update::{Difference, Revision};
use super::{FileSummary, PredicateInFile, PredicateKey, ProgramEnvironment, Signature, UseKind};
use mangle_syntax::parallel;
use mangle_syntax::syntax::ast::{Atom, Clause, Declaration, Item, Literal, Statement, StatementKind};
use mangle_syntax::text::{FileId, LetterSet, StatementId, Symbol, TextRange, TextSize};

/// The minimum number of files per thread.
const FEW_FILES: usize = 64;

/// The number of a predicate in [`Program::predicates`]. Programs that result from each other by
/// edits use the same numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(pub u32);

/// A predicate and its occurrences in the files of a program.
#[derive(Debug, Clone)]
pub struct Predicate {
    /// The qualified name and the arity.
    pub key: PredicateKey,
    /// The letters of the name. Completion compares them first, which is faster than reading the
    /// name.
    pub letters: LetterSet,
    /// The properties of the predicate outside its clauses.
    pub signature: Signature,
    /// [`Signature::fingerprint`].
    pub fingerprint: u64,
    /// The files that mention the predicate: an index into [`Program::files`], and the key in the
    /// index of the file.
    pub files: SmallVec<[(u32, PredicateKey); 1]>,
    /// The first `Decl`: an index into [`Program::files`], and the index of the item.
    pub declared_at: Option<(u32, u32)>,
    /// The first clause, as indexes of file and item. Comparing two values compares their order.
    pub defined_at: Option<(u32, u32)>,
}

impl Predicate {
    /// True if a `Decl`, a clause head or the host defines the predicate.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.signature.host || self.signature.origin().is_some()
    }

    /// True if no file mentions the predicate any longer. Its number stays reserved.
    pub(super) fn is_retired(&self) -> bool {
        self.files.is_empty() && !self.signature.host
    }

    fn new(key: PredicateKey) -> Self {
        Self {
            key,
            letters: LetterSet::from_word(key.name.as_str()),
            signature: Signature::default(),
            fingerprint: 0,
            files: SmallVec::new(),
            declared_at: None,
            defined_at: None,
        }
    }
}

/// The predicates of a program.
#[derive(Debug, Clone, Default)]
pub struct Predicates {
    pub(super) list: SharedList<Predicate>,
}

impl Predicates {
    /// All predicates that a file mentions or the host provides, in order of first mention. After
    /// an edit, new predicates are last.
    pub fn iter(&self) -> impl Iterator<Item = &Predicate> + Clone {
        self.list.iter().filter(|predicate| !predicate.is_retired())
    }

    /// The predicates of [`Predicates::iter`] with their numbers.
    pub fn with_ids(&self) -> impl Iterator<Item = (PredicateId, &Predicate)> {
        (0u32..).map(PredicateId).zip(self.list.iter()).filter(|(_, predicate)| !predicate.is_retired())
    }

    /// The predicates by number from 0, including predicates that are no longer mentioned.
    pub fn numbered(&self) -> impl Iterator<Item = &Predicate> + Clone {
        self.list.iter()
    }

    /// The number of used ids, including predicates that are no longer mentioned.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len()
    }
}

impl<'p> IntoIterator for &'p Predicates {
    type Item = &'p Predicate;
    type IntoIter = Box<dyn Iterator<Item = &'p Predicate> + 'p>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

/// A position in a program that mentions a predicate.
#[derive(Debug, Clone, Copy)]
pub struct Site<'p> {
    /// The file.
    pub file: &'p FileSummary,
    /// The statement.
    pub item: &'p Item,
    /// The predicate name, relative to the start of the statement.
    pub range: TextRange,
}

impl<'p> Site<'p> {
    /// The premise at this position. `None` if the statement has syntax errors.
    #[must_use]
    pub fn literal(&self) -> Option<&'p Literal> {
        let statement = &self.item.statement;
        statement.clause().filter(|_| !statement.damaged)?.literal_at(self.range)
    }

    /// File, statement and range, in the form of [`mangle_syntax::lint::Span::new`].
    #[must_use]
    pub fn place(&self) -> (FileId, StatementId, TextRange) {
        (self.file.id, self.item.statement.id, self.range)
    }
}

/// The files that are analyzed together. Cloning costs a few pointers.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The files in the order of [`ProgramEnvironment::order`].
    pub files: Arc<Vec<Arc<FileSummary>>>,
    /// The environment of the program.
    pub embedding: Arc<ProgramEnvironment>,
    /// All mentioned predicates, except built-ins.
    pub predicates: Predicates,
    pub(super) by_key: SharedMap<PredicateKey, PredicateId>,
    by_name: SharedMap<Symbol, SmallVec<[PredicateId; 2]>>,
    /// The numbers of predicates that are no longer mentioned.
    pub(super) retired: Arc<FxHashMap<PredicateKey, PredicateId>>,
    /// [`Program::special`]. A small set that every change reads.
    pub(super) special: Arc<BTreeSet<PredicateId>>,
    /// The number of predicates with a `Decl`, and of temporal predicates.
    pub(super) declared: usize,
    pub(super) temporal: usize,
    /// The named packages, each with the keys (as written) that it defines or declares.
    packages: Arc<FxHashMap<Symbol, FxHashSet<PredicateKey>>>,
    /// The sums of [`Program::vocabulary`] and [`Program::environment`] over all predicates.
    pub(super) sums: (u64, u64),
    /// The sum of [`FileSummary::digest`] over all files.
    pub(super) statements: u64,
    /// The identity of the program, and its difference from the previous program.
    pub(super) revision: Revision,
    pub(super) since: Option<(u64, Arc<Difference>)>,
    graphs: Arc<OnceLock<Graphs>>,
    pub(super) dependencies: Arc<OnceLock<Dependencies>>,
}

/// Dependency graphs of a program.
#[derive(Debug)]
struct Graphs {
    whole: Graph,
    /// The graph without the negations that the engine ignores. `None` if no cycle contains one.
    for_engine: Option<Graph>,
}

impl Program {
    /// Joins files with the default environment.
    #[must_use]
    pub fn new(files: Vec<Arc<FileSummary>>) -> Self {
        Self::embedded(files, Arc::default())
    }

    /// Joins files that run in `embedding`.
    #[must_use]
    pub fn embedded(mut files: Vec<Arc<FileSummary>>, embedding: Arc<ProgramEnvironment>) -> Self {
        files.sort_by_key(|file| embedding.order(file.id));
        let mut program = Self { packages: Arc::new(package_index(&files)), ..Self::default() };
        let files = Arc::new(files);
        program.files = Arc::clone(&files);
        let named = parallel::map(&files, FEW_FILES, |file| in_order(file));
        for ((index, file), named) in (0u32..).zip(files.iter()).zip(named) {
            for (&key, in_file) in named {
                let id = program.intern(program.qualify(file.package, key));
                let Some(predicate) = program.predicates.list.get_mut(id.0 as usize) else { continue };
                predicate.add(index, file, key, in_file);
            }
        }
        for &key in &embedding.predicates {
            let id = program.intern(key);
            if let Some(predicate) = program.predicates.list.get_mut(id.0 as usize) {
                predicate.signature.host = true;
            }
        }
        program.embedding = embedding;
        program.statements = files.iter().fold(0, |sum, file| sum.wrapping_add(file.digest));
        let mut predicates = std::mem::take(&mut program.predicates.list);
        for at in 0..predicates.len() {
            let Some(predicate) = predicates.get_mut(at) else { continue };
            predicate.fingerprint = predicate.signature.fingerprint();
            program.count_in(PredicateId(u32::try_from(at).unwrap_or(u32::MAX)), predicate);
        }
        program.predicates.list = predicates;
        program.revision = Revision::first();
        program
    }

    /// A copy with other files. The predicates are unchanged.
    pub(super) fn with_files(&self, files: Arc<Vec<Arc<FileSummary>>>) -> Self {
        let (graphs, dependencies) = (Arc::default(), Arc::default());
        let revision = self.revision.next();
        Self { files, graphs, dependencies, revision, since: None, ..self.clone() }
    }

    /// Adds a predicate to the sums over all predicates.
    pub(super) fn count_in(&mut self, id: PredicateId, predicate: &Predicate) {
        let (vocabulary, environment) = parts(predicate);
        self.sums = (self.sums.0.wrapping_add(vocabulary), self.sums.1.wrapping_add(environment));
        self.declared += usize::from(predicate.signature.declared.is_some());
        self.temporal += usize::from(predicate.signature.temporal);
        if is_special(predicate) {
            Arc::make_mut(&mut self.special).insert(id);
        }
    }

    /// Removes a predicate from the sums over all predicates.
    pub(super) fn count_out(&mut self, id: PredicateId, predicate: &Predicate) {
        let (vocabulary, environment) = parts(predicate);
        self.sums = (self.sums.0.wrapping_sub(vocabulary), self.sums.1.wrapping_sub(environment));
        self.declared -= usize::from(predicate.signature.declared.is_some());
        self.temporal -= usize::from(predicate.signature.temporal);
        if is_special(predicate) {
            Arc::make_mut(&mut self.special).remove(&id);
        }
    }

    /// The number of a predicate. Assigns a new number at its first mention.
    pub(super) fn intern(&mut self, key: PredicateKey) -> PredicateId {
        if let Some(&id) = self.by_key.get(&key) {
            return id;
        }
        let id = match self.retired.get(&key).copied() {
            Some(id) => {
                Arc::make_mut(&mut self.retired).remove(&key);
                id
            }
            None => {
                let id = PredicateId(u32::try_from(self.predicates.list.len()).unwrap_or(u32::MAX));
                self.predicates.list.push(Predicate::new(key));
                id
            }
        };
        self.by_key.insert(key, id);
        self.by_name.of_mut(&key.name).entry(key.name).or_default().push(id);
        id
    }

    /// Removes the name of a predicate that no file mentions any longer.
    pub(super) fn retire(&mut self, id: PredicateId, key: PredicateKey) {
        self.by_key.remove(&key);
        let named = self.by_name.of_mut(&key.name);
        if let Some(ids) = named.get_mut(&key.name) {
            ids.retain(|other| *other != id);
            if ids.is_empty() {
                named.remove(&key.name);
            }
        }
        Arc::make_mut(&mut self.retired).insert(key, id);
    }

    /// Qualifies `key` with `package` if the package declares or defines it. Otherwise returns
    /// `key` unchanged.
    fn qualify(&self, package: Option<Symbol>, key: PredicateKey) -> PredicateKey {
        match package {
            Some(package) if self.packages.get(&package).is_some_and(|own| own.contains(&key)) => {
                key.within(package)
            }
            _ => key,
        }
    }

    /// Resolves `key`, as written in `file`: qualified by the package of the file if the package
    /// declares or defines it.
    #[must_use]
    pub fn meaning(&self, file: &FileSummary, key: PredicateKey) -> PredicateKey {
        self.qualify(file.package, key)
    }

    /// True if the configuration lists the host predicates. The host then adds no other facts.
    #[must_use]
    pub fn knows_host(&self) -> bool {
        !self.embedding.predicates.is_empty()
    }

    /// A hash of the set of existing predicates and the used packages.
    #[must_use]
    pub fn vocabulary(&self) -> u64 {
        self.sums.0
    }

    /// A hash of everything outside a statement that its meaning can depend on: all signatures,
    /// packages and their users, and the engine version.
    #[must_use]
    pub fn environment(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (self.sums, self.embedding.engine, &self.embedding.stores).hash(&mut hasher);
        hasher.finish()
    }

    /// A hash of the statements and their order within the files.
    #[must_use]
    pub fn statements(&self) -> u64 {
        self.statements
    }

    /// True if the program was joined from scratch. The numbers of predicates then do not depend on
    /// earlier edits.
    #[must_use]
    pub fn is_joined_anew(&self) -> bool {
        self.since.is_none()
    }

    /// The predicates that are declared `deferred()`, with `inclusion […]` or with a merge.
    /// Findings about them also depend on predicates that their statements do not mention as
    /// premises.
    pub fn special(&self) -> impl Iterator<Item = (PredicateId, &Predicate)> {
        self.special.iter().map(|&id| (id, self.get(id)))
    }

    /// True if any predicate has a `Decl`.
    #[must_use]
    pub fn declares_any(&self) -> bool {
        self.declared > 0
    }

    /// True if any predicate is temporal.
    #[must_use]
    pub fn has_temporal(&self) -> bool {
        self.temporal > 0
    }

    /// True if any file belongs to a package.
    #[must_use]
    pub fn has_packages(&self) -> bool {
        !self.packages.is_empty()
    }

    /// The predicate of an atom in `file`. `None` for built-ins and for atoms that are not part of
    /// the program.
    #[must_use]
    pub fn predicate_of(&self, file: &FileSummary, atom: &Atom) -> Option<&Predicate> {
        self.id_of(file, atom).map(|id| self.get(id))
    }

    /// The id of the predicate of an atom in `file`. See [`Program::predicate_of`].
    #[must_use]
    pub fn id_of(&self, file: &FileSummary, atom: &Atom) -> Option<PredicateId> {
        self.id(self.meaning(file, key_of(atom)))
    }

    /// The predicate with this qualified name and arity, if any file mentions it.
    #[must_use]
    pub fn predicate(&self, key: PredicateKey) -> Option<&Predicate> {
        self.id(key).map(|id| self.get(id))
    }

    /// The id of the predicate with this qualified name and arity.
    #[must_use]
    pub fn id(&self, key: PredicateKey) -> Option<PredicateId> {
        self.by_key.get(&key).copied()
    }

    /// The predicate with this id.
    ///
    /// # Panics
    /// If the id belongs to another program.
    #[must_use]
    pub fn get(&self, id: PredicateId) -> &Predicate {
        let known = self.predicates.list.get(id.0 as usize);
        known.expect("the id is one of this program")
    }

    /// The predicate with this number, if a file mentions it or the host provides it.
    #[must_use]
    pub fn mentioned(&self, id: PredicateId) -> Option<&Predicate> {
        self.predicates.list.get(id.0 as usize).filter(|predicate| !predicate.is_retired())
    }

    /// All predicates with this name, of any arity, including undefined predicates.
    pub fn named(&self, name: Symbol) -> impl Iterator<Item = &Predicate> {
        self.by_name.get(&name).into_iter().flatten().map(|&id| self.get(id))
    }

    /// The package that `file` must `Use` for a plain or negated premise with `key`, as written.
    /// `None` if nothing is missing.
    ///
    /// The Go implementation does not check if the package exists or contains the predicate.
    #[must_use]
    pub fn missing_use(&self, file: &FileSummary, key: PredicateKey) -> Option<Symbol> {
        if key.package().is_empty() || self.defined_within(file.package, key) {
            return None;
        }
        let package = Symbol::new(key.package());
        let in_sight =
            file.package == Some(package) || self.uses_of(file.package).any(|used| used == package);
        (!in_sight).then_some(package)
    }

    /// True if a file of `package` has a `Decl` or a clause for `key`, as written there.
    fn defined_within(&self, package: Option<Symbol>, key: PredicateKey) -> bool {
        match package {
            Some(package) => self.packages.get(&package).is_some_and(|own| own.contains(&key)),
            None => self.predicate(key).is_some_and(|predicate| {
                self.in_files(predicate).any(|(file, in_file)| file.package.is_none() && in_file.defines())
            }),
        }
    }

    /// The graph without the negations that the engine ignores, if a cycle contains one. Otherwise
    /// [`Program::graph`].
    pub fn graph_for_engine(&self) -> &Graph {
        let Graphs { whole, for_engine } = self.graphs();
        for_engine.as_ref().unwrap_or(whole)
    }

    /// The dependency graph. Built at the first call.
    pub fn graph(&self) -> &Graph {
        &self.graphs().whole
    }

    fn graphs(&self) -> &Graphs {
        self.graphs.get_or_init(|| {
            let whole = Graph::new(self);
            Graphs { for_engine: whole.without_dropped(), whole }
        })
    }

    /// The direct dependencies and the cycles. Updated incrementally after an edit.
    pub fn dependencies(&self) -> &Dependencies {
        self.dependencies.get_or_init(|| Dependencies::new(self))
    }

    /// True if a file of the program belongs to `package`.
    #[must_use]
    pub fn has_package(&self, package: Symbol) -> bool {
        self.packages.contains_key(&package)
    }

    /// The packages that the files of `package` use. The Go implementation combines them.
    pub fn uses_of(&self, package: Option<Symbol>) -> impl Iterator<Item = Symbol> {
        let units = self.files.iter().filter(move |file| file.package == package);
        units.flat_map(|file| file.used_packages.iter().map(|&(name, _)| name))
    }

    /// The index of the file with this id.
    #[must_use]
    pub fn index_of(&self, id: FileId) -> Option<u32> {
        let place = self.embedding.order(id);
        let index = self.files.binary_search_by_key(&place, |file| self.embedding.order(file.id)).ok()?;
        u32::try_from(index).ok()
    }

    /// The file with this id.
    #[must_use]
    pub fn file(&self, id: FileId) -> Option<&Arc<FileSummary>> {
        let place = self.embedding.order(id);
        let index = self.files.binary_search_by_key(&place, |file| self.embedding.order(file.id)).ok()?;
        self.files.get(index)
    }

    /// The first declaration of a predicate. Later ones are ignored. `None` if it is damaged.
    ///
    /// [`Signature::fingerprint`] covers everything that a clause check reads here.
    #[must_use]
    pub fn declaration(&self, predicate: &Predicate) -> Option<&Declaration> {
        let (file, item) = predicate.declared_at?;
        self.whole_statement(file, item)?.declaration()
    }

    /// The first clause of a predicate. Also covered by [`Signature::fingerprint`].
    #[must_use]
    pub fn first_clause(&self, predicate: &Predicate) -> Option<&Clause> {
        let (file, item) = predicate.defined_at?;
        self.whole_statement(file, item)?.clause()
    }

    fn whole_statement(&self, file: u32, item: u32) -> Option<&Statement> {
        let item = self.files.get(file as usize)?.items.get(item as usize)?;
        Some(item.statement.as_ref()).filter(|statement| !statement.damaged)
    }

    /// The declarations of a predicate, in file order.
    pub fn declarations<'p>(&'p self, predicate: &'p Predicate) -> impl Iterator<Item = Site<'p>> {
        self.sites(predicate, |in_file| in_file.declarations.iter().copied())
    }

    /// The clauses of a predicate, in file order.
    pub fn clauses<'p>(&'p self, predicate: &'p Predicate) -> impl Iterator<Item = Site<'p>> {
        self.sites(predicate, |in_file| {
            let mut facts = in_file.facts.iter().copied().peekable();
            let mut rules = in_file.rules.iter().copied().peekable();
            std::iter::from_fn(move || match (facts.peek(), rules.peek()) {
                (Some(fact), Some(rule)) if rule < fact => rules.next(),
                (None, _) => rules.next(),
                _ => facts.next(),
            })
        })
    }

    /// The clauses of a predicate that have a body, in file order.
    pub fn rules<'p>(&'p self, predicate: &'p Predicate) -> impl Iterator<Item = Site<'p>> {
        self.sites(predicate, |in_file| in_file.rules.iter().copied())
    }

    /// The uses of a predicate in bodies, in file order.
    pub fn uses<'p>(&'p self, predicate: &'p Predicate) -> impl Iterator<Item = (Site<'p>, UseKind)> {
        self.in_files(predicate).flat_map(|(file, in_file)| {
            in_file.uses.iter().filter_map(move |used| {
                let item = file.items.get(used.item as usize)?;
                Some((Site { file, item, range: used.range }, used.kind))
            })
        })
    }

    /// The predicates whose rules use a predicate. May contain duplicates.
    pub fn users<'p>(&'p self, predicate: &'p Predicate) -> impl Iterator<Item = PredicateId> + 'p {
        self.uses(predicate)
            .filter_map(|(site, _)| self.id_of(site.file, &site.item.statement.clause()?.head))
    }

    fn in_files<'p>(
        &'p self,
        predicate: &'p Predicate,
    ) -> impl Iterator<Item = (&'p FileSummary, &'p PredicateInFile)> {
        predicate.files.iter().filter_map(|(file, key)| {
            let file = self.files.get(*file as usize)?;
            Some((file.as_ref(), file.predicates.get(key)?))
        })
    }

    fn sites<'p, I: Iterator<Item = u32> + 'p>(
        &'p self,
        predicate: &'p Predicate,
        select: impl Fn(&'p PredicateInFile) -> I,
    ) -> impl Iterator<Item = Site<'p>> {
        self.in_files(predicate).flat_map(move |(file, in_file)| {
            select(in_file).filter_map(move |index| {
                let item = file.items.get(index as usize)?;
                let range = match &item.statement.kind {
                    StatementKind::Declaration(declaration) => declaration.atom.name.range,
                    StatementKind::Clause(clause) => clause.head.name.range,
                    _ => TextRange::empty(TextSize::new(0)),
                };
                Some(Site { file, item, range })
            })
        })
    }
}

/// The contribution of a predicate to [`Program::vocabulary`] and [`Program::environment`].
fn parts(predicate: &Predicate) -> (u64, u64) {
    if predicate.is_retired() {
        return (0, 0);
    }
    let vocabulary = if predicate.exists() { scattered(&predicate.key) } else { 0 };
    (vocabulary, scattered(&(predicate.key, predicate.fingerprint)))
}

fn is_special(predicate: &Predicate) -> bool {
    let signature = &predicate.signature;
    signature.deferred || signature.constrained || signature.merge.is_some()
}

impl Predicate {
    /// Adds the occurrences in a file. Files must be added in the order of the program.
    pub(super) fn add(
        &mut self,
        index: u32,
        file: &FileSummary,
        key: PredicateKey,
        in_file: &PredicateInFile,
    ) {
        self.files.push((index, key));
        self.characterise(index, file, in_file);
    }

    /// Updates the signature from the occurrences in a file.
    pub(super) fn characterise(&mut self, index: u32, file: &FileSummary, in_file: &PredicateInFile) {
        let signature = &mut self.signature;
        for &at in &in_file.declarations {
            let Some(item) = file.items.get(at as usize) else { continue };
            let Some(declaration) = item.statement.declaration() else { continue };
            // The Go implementation rejects a second `Decl`, so the first one is used.
            if signature.declared.is_none() {
                signature.declare(declaration, file.statement_text(item));
                let range = declaration.atom.name.range;
                signature.declared = Some((file.id, item.statement.id, range));
                self.declared_at = Some((index, at));
            }
        }
        signature.has_rules |= !in_file.rules.is_empty();
        signature.read_arguments |= in_file.read_arguments;
        if signature.deferred {
            let items = in_file.rules.iter().filter_map(|at| file.items.get(*at as usize));
            for clause in items.filter_map(|item| item.statement.clause()) {
                let bound = super::signature::inputs_bound_by_body(clause);
                signature.self_bound_inputs =
                    Some(signature.self_bound_inputs.map_or(bound, |all| all & bound));
            }
        }
        let first_head = in_file.facts.first().into_iter().chain(in_file.rules.first()).min();
        if let Some(&at) = first_head
            && let Some(item) = file.items.get(at as usize)
            && let Some(clause) = item.statement.clause()
            && signature.defined.is_none()
        {
            signature.defined = Some((file.id, item.statement.id, clause.head.name.range));
            self.defined_at = Some((index, at));
        }
        if in_file.annotated_head && signature.declared.is_none() {
            signature.temporal = true;
        }
    }
}

/// The predicates of a file by first mention. The order of the index differs between runs, and
/// would make the numbers of predicates (and the output) nondeterministic.
fn in_order(file: &FileSummary) -> Vec<(&PredicateKey, &PredicateInFile)> {
    let mut named: Vec<_> = file.predicates.iter().collect();
    named.sort_unstable_by_key(|(key, in_file)| (in_file.first_item(), **key));
    named
}

fn package_index(files: &[Arc<FileSummary>]) -> FxHashMap<Symbol, FxHashSet<PredicateKey>> {
    let mut packages: FxHashMap<Symbol, FxHashSet<PredicateKey>> = FxHashMap::default();
    for file in files {
        let Some(package) = file.package else { continue };
        let own = packages.entry(package).or_default();
        own.extend(file.predicates.iter().filter(|(_, in_file)| in_file.defines()).map(|(key, _)| *key));
    }
    packages
}
