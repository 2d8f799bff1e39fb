//! The findings about single statements, kept while the statement and the signatures of the predicates that it mentions stay
//! the same.

use std::cell::OnceCell;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;

use crate::Registry;
use crate::analysis::{CheckContext, FAMILIES, goes_behind, helper_fingerprint, negated_names};
use crate::policy_test::TestFile;
use crate::suppression::Suppressions;
use mangle_engine::program::{FileSummary, Program, key_of};
use mangle_engine::types::ProgramTypes;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::ast::{Atom, Literal, Statement, StatementKind};
use mangle_syntax::text::{Cancel, FileId, StatementId, Symbol};

/// What is kept of the statements of all files.
#[derive(Debug)]
pub(super) struct StatementFindings {
    pub(super) registry: &'static Registry,
    files: DashMap<FileId, FxHashMap<StatementId, CachedFindings>, FxBuildHasher>,
}

/// What is kept of one statement.
#[derive(Debug)]
struct CachedFindings {
    /// [`fingerprint`] at the time.
    fingerprint: u64,
    /// [`helper_fingerprint`] at the time, where there are findings about negations: their fixes use helpers that exist.
    helpers: Option<u64>,
    /// `None` where there are none, as for most.
    findings: Option<Arc<[Finding]>>,
}

/// What is known of one file apart from its program.
#[derive(Debug)]
pub(super) struct FileFindings {
    /// The findings, with the statement that their ranges count from, if any.
    pub(super) all: Vec<(Option<StatementId>, Finding)>,
    pub(super) suppressions: Suppressions,
    /// What is negated where there are findings, as [`negated_names`] has it.
    pub(super) negated: FxHashSet<Symbol>,
}

impl StatementFindings {
    pub(super) fn new(registry: &'static Registry) -> Self {
        Self { registry, files: DashMap::default() }
    }

    pub(super) fn forget(&self, file: FileId) {
        self.files.remove(&file);
    }

    /// The findings about the single statements of a file. Statements of which nothing changed that their findings depend on have
    /// those of the last time. `None` once `cancel` is raised.
    pub(super) fn check_file(
        &self,
        program: &Program,
        types: &ProgramTypes,
        file: &FileSummary,
        cancel: &Cancel,
    ) -> Option<Arc<FileFindings>> {
        let mut statements = self.files.remove(&file.id).map(|(_, old)| old).unwrap_or_default();
        let findings = check_statements(program, types, file, &mut statements, (self.registry, cancel));
        self.files.insert(file.id, statements);
        findings.map(Arc::new)
    }
}

/// The findings about the statements of a file; `kept` are those of the last time, and afterwards
/// of this one.
fn check_statements(
    program: &Program,
    types: &ProgramTypes,
    file: &FileSummary,
    kept: &mut FxHashMap<StatementId, CachedFindings>,
    (registry, cancel): (&'static Registry, &Cancel),
) -> Option<FileFindings> {
    let mut all: Vec<_> = file.findings.iter().map(|finding| (None, finding.clone())).collect();
    let mut new = FxHashMap::with_capacity_and_hasher(file.items.len(), FxBuildHasher);
    let mut negated = FxHashSet::default();
    for item in file.items.iter() {
        if cancel.is_cancelled() {
            kept.extend(new);
            return None;
        }
        let statement = &item.statement;
        let id = statement.id;
        if !item.rubble {
            all.extend(statement.findings.iter().map(|finding| (Some(id), finding.clone())));
        }
        if statement.damaged {
            continue;
        }
        let inferred = OnceCell::new();
        let context =
            CheckContext { program, types, file, item, text: file.statement_text(item), inferred: &inferred };
        let now = fingerprint(&context, statement);
        let helpers = || statement.clause().map(|clause| helper_fingerprint(&context, clause));
        let known = kept.remove(&id).filter(|known| {
            known.fingerprint == now && (known.helpers.is_none() || known.helpers == helpers())
        });
        let known = known.unwrap_or_else(|| {
            let findings = check_statement(&context, statement);
            let helpers = (!findings.is_empty() && has_negation(statement)).then(helpers).flatten();
            let findings = (!findings.is_empty()).then(|| findings.into());
            CachedFindings { fingerprint: now, helpers, findings }
        });
        if let Some(clause) = statement.clause().filter(|_| known.helpers.is_some()) {
            negated_names(&context, clause, &mut negated);
        }
        let found = known.findings.iter().flat_map(|findings| findings.iter());
        all.extend(found.map(|finding| (Some(id), finding.clone())));
        new.insert(id, known);
    }
    if program.embedding.is_test(file.id) {
        all.extend(
            TestFile::read(file).findings(file, program, types).into_iter().map(|finding| (None, finding)),
        );
    }
    if !program.embedding.is_kernel(file.id) {
        all.extend(registry.check_file(file).map(|finding| (None, finding)));
    }
    *kept = new;
    Some(FileFindings { all, suppressions: Suppressions::of(file, registry), negated })
}

/// The findings of the families about a statement.
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

/// A number that changes with everything outside a statement that its findings may depend on, but for the helpers that
/// fixes use.
pub(crate) fn fingerprint(context: &CheckContext<'_>, statement: &Statement) -> u64 {
    let mut hasher = FxHasher::default();
    context.program.embedding.engine.hash(&mut hasher);
    match &statement.kind {
        StatementKind::Clause(clause) => {
            hash_atom(context, &clause.head, &mut hasher);
            clause.literals().for_each(|literal| hash_atom(context, &literal.atom, &mut hasher));
            if has_negation(statement) {
                goes_behind(context.file, context.item).hash(&mut hasher);
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
        // What is said of a predicate that does not exist depends on whether others of its name do.
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
