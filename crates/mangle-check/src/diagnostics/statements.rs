//! Cache of findings about single statements, valid until the statement or the signatures of its
//! predicates change.

use std::cell::OnceCell;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;

use crate::Registry;
use crate::analysis::{CheckContext, FAMILIES, helper_fingerprint, negated_names, place_behind};
use crate::policy_test::TestFile;
use crate::suppression::Suppressions;
use mangle_engine::program::{FileSummary, Program, key_of};
use mangle_engine::types::ProgramTypes;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::ast::{Atom, Item, Literal, Statement, StatementKind};
use mangle_syntax::text::{Cancel, FileId, StatementId, Symbol};

/// The cached findings of all files.
#[derive(Debug)]
pub(super) struct StatementFindings {
    pub(super) registry: &'static Registry,
    files: DashMap<FileId, KeptFindings, FxBuildHasher>,
}

/// The cached findings of a file. Statements without findings, the majority, only need a
/// fingerprint.
#[derive(Debug, Default)]
struct KeptFindings {
    /// [`fingerprint`] of each statement at its last check, sorted by statement.
    fingerprints: Box<[(StatementId, u64)]>,
    /// The statements with findings.
    found: FxHashMap<StatementId, Found>,
}

/// The findings of a statement.
#[derive(Debug, Clone)]
struct Found {
    /// [`helper_fingerprint`] at the last check if there are findings about negations, whose fixes
    /// use existing helpers.
    helpers: Option<u64>,
    findings: Arc<[Finding]>,
}

impl KeptFindings {
    fn fingerprint(&self, statement: StatementId) -> Option<u64> {
        let at = self.fingerprints.binary_search_by_key(&statement, |(statement, _)| *statement).ok()?;
        self.fingerprints.get(at).map(|(_, fingerprint)| *fingerprint)
    }

    fn new(mut fingerprints: Vec<(StatementId, u64)>, found: FxHashMap<StatementId, Found>) -> Self {
        fingerprints.sort_unstable();
        Self { fingerprints: fingerprints.into(), found }
    }

    /// Merges `newer`, which only has the statements that were checked again.
    fn updated(mut self, newer: Self) -> Self {
        let is_older = |statement: &StatementId| newer.fingerprint(*statement).is_none();
        self.found.retain(|statement, _| is_older(statement));
        let older = self.fingerprints.iter().filter(|(statement, _)| is_older(statement));
        let fingerprints = older.chain(&newer.fingerprints).copied().collect();
        self.found.extend(newer.found);
        Self::new(fingerprints, self.found)
    }
}

/// The findings of one file that do not depend on placement.
#[derive(Debug)]
pub(super) struct FileFindings {
    /// The findings, with the statement that their ranges are relative to, if any.
    pub(super) all: Vec<(Option<StatementId>, Arc<[Finding]>)>,
    pub(super) suppressions: Suppressions,
    /// The names negated in statements with findings, from [`negated_names`].
    pub(super) negated: FxHashSet<Symbol>,
}

impl StatementFindings {
    pub(super) fn new(registry: &'static Registry) -> Self {
        Self { registry, files: DashMap::default() }
    }

    pub(super) fn forget(&self, file: FileId) {
        self.files.remove(&file);
    }

    /// The findings about single statements of a file. Results are reused for statements whose
    /// inputs did not change. Returns `None` if `cancel` is raised.
    pub(super) fn check_file(
        &self,
        program: &Program,
        types: &ProgramTypes,
        file: &FileSummary,
        cancel: &Cancel,
    ) -> Option<Arc<FileFindings>> {
        let kept = self.files.remove(&file.id).map(|(_, old)| old).unwrap_or_default();
        let check = StatementCheck { program, types, file, registry: self.registry, kept: &kept };
        let (findings, new) = check.run(cancel);
        self.files.insert(file.id, if findings.is_some() { new } else { kept.updated(new) });
        findings.map(Arc::new)
    }
}

/// A check of the statements of a file.
struct StatementCheck<'c> {
    program: &'c Program,
    types: &'c ProgramTypes,
    file: &'c FileSummary,
    registry: &'static Registry,
    /// The results of the last check.
    kept: &'c KeptFindings,
}

impl StatementCheck<'_> {
    /// Returns the findings and the new cache. If `cancel` is raised, returns no findings and the
    /// cache of the statements checked so far.
    fn run(&self, cancel: &Cancel) -> (Option<FileFindings>, KeptFindings) {
        let Self { program, types, file, registry, .. } = *self;
        let mut all = Vec::new();
        let mut add = |statement: Option<StatementId>, findings: Arc<[Finding]>| {
            if !findings.is_empty() {
                all.push((statement, findings));
            }
        };
        add(None, Arc::clone(&file.findings));
        let mut fingerprints = Vec::with_capacity(file.items.len());
        let (mut found, mut negated) = (FxHashMap::default(), FxHashSet::default());
        for item in file.items.iter() {
            if cancel.is_cancelled() {
                return (None, KeptFindings::new(fingerprints, found));
            }
            let statement = &item.statement;
            if !item.follows_damage && !statement.findings.is_empty() {
                add(Some(statement.id), statement.findings.as_slice().into());
            }
            if statement.damaged {
                continue;
            }
            let (fingerprint, known) = self.statement(item, &mut negated);
            fingerprints.push((statement.id, fingerprint));
            if let Some(known) = known {
                add(Some(statement.id), Arc::clone(&known.findings));
                found.insert(statement.id, known);
            }
        }
        if program.embedding.is_test(file.id) {
            add(None, TestFile::read(file).findings(file, program, types).into());
        }
        if !program.embedding.is_kernel(file.id) {
            add(None, registry.check_file(file).collect());
        }
        let findings = FileFindings { all, suppressions: Suppressions::parse(file, registry), negated };
        (Some(findings), KeptFindings::new(fingerprints, found))
    }

    /// The fingerprint and findings of a statement. If it has findings, its negated names are added
    /// to `negated`.
    fn statement(&self, item: &Item, negated: &mut FxHashSet<Symbol>) -> (u64, Option<Found>) {
        let Self { program, types, file, .. } = *self;
        let (statement, inferred) = (&*item.statement, OnceCell::new());
        let text = file.statement_text(item);
        let context = CheckContext { program, types, file, item, text, inferred: &inferred };
        let now = fingerprint(&context, statement);
        let helpers = || statement.clause().map(|clause| helper_fingerprint(&context, clause));
        let known = self.kept.found.get(&statement.id);
        let is_current = |known: &Found| known.helpers.is_none() || known.helpers == helpers();
        let found = if self.kept.fingerprint(statement.id) == Some(now) && known.is_none_or(is_current) {
            known.cloned()
        } else {
            let findings = check_statement(&context, statement);
            let found = || Found {
                helpers: has_negation(statement).then(helpers).flatten(),
                findings: findings.as_slice().into(),
            };
            (!findings.is_empty()).then(found)
        };
        if let Some(found) = &found
            && let Some(clause) = statement.clause().filter(|_| found.helpers.is_some())
        {
            negated_names(&context, clause, negated);
        }
        (now, found)
    }
}

/// The findings of all rule families about a statement.
pub(crate) fn check_statement(context: &CheckContext<'_>, statement: &Statement) -> Vec<Finding> {
    let mut findings = Vec::new();
    match &statement.kind {
        StatementKind::Clause(clause) => {
            for check in FAMILIES.iter().filter_map(|family| family.clause) {
                check(context, clause, &mut findings);
            }
        }
        StatementKind::Declaration(declaration) => {
            for check in FAMILIES.iter().filter_map(|family| family.declaration) {
                check(context, declaration, &mut findings);
            }
        }
        StatementKind::Package(_) | StatementKind::Use(_) | StatementKind::Broken => {}
    }
    findings
}

fn has_negation(statement: &Statement) -> bool {
    statement.clause().is_some_and(|clause| clause.literals().any(Literal::is_negated))
}

/// A hash of everything outside of a statement that can affect its findings, except helper
/// predicates of fixes.
pub(crate) fn fingerprint(context: &CheckContext<'_>, statement: &Statement) -> u64 {
    let mut hasher = FxHasher::default();
    context.program.embedding.engine.hash(&mut hasher);
    match &statement.kind {
        StatementKind::Clause(clause) => {
            hash_atom(context, &clause.head, &mut hasher);
            clause.literals().for_each(|literal| hash_atom(context, &literal.atom, &mut hasher));
            if has_negation(statement) {
                place_behind(context.file, context.item).hash(&mut hasher);
            }
        }
        StatementKind::Declaration(declaration) => hash_atom(context, &declaration.atom, &mut hasher),
        StatementKind::Package(_) | StatementKind::Use(_) | StatementKind::Broken => {}
    }
    hasher.finish()
}

fn hash_atom(context: &CheckContext<'_>, atom: &Atom, hasher: &mut FxHasher) {
    if atom.is_builtin() {
        return;
    }
    let program = context.program;
    let id = program.id_of(context.file, atom);
    match id.map(|id| (id, program.get(id))) {
        Some((id, predicate)) if predicate.exists() => {
            (predicate.key, predicate.fingerprint, context.types.rows(id).fingerprint()).hash(hasher);
        }
        // Findings about a missing predicate depend on the existence of others with its name.
        _ => {
            let name = atom.name.symbol;
            let within = context.file.package.map(|package| key_of(atom).within(package).name);
            let alike = [Some(name), within].into_iter().flatten().flat_map(|name| program.named(name));
            let mut keys: SmallVec<[_; 4]> =
                alike.filter(|other| other.exists()).map(|other| other.key).collect();
            keys.sort_unstable();
            keys.hash(hasher);
        }
    }
}
