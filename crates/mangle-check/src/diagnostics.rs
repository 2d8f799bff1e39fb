//! The diagnostics of a program: runs the checks, places what they find, applies severities and
//! silencing comments.
//!
//! Findings about one statement are kept while the statement and the signatures of the predicates
//! that it mentions stay the same, so that a keystroke costs the checks of one clause.

use std::cell::OnceCell;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use dashmap::DashMap;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet, FxHasher};

use crate::Registry;
use crate::analysis::{CheckContext, FAMILIES, ProgramFindings};
use crate::declaration_text::add_fixes;
use crate::fix_checks::{Claim, Effort, FixChecks};
use crate::policy_test::TestFile;
use crate::suppression::{Suppressions, UNUSED_SUPPRESSION};
use mangle_engine::program::{FileSummary, Program};
use mangle_engine::types::{ProgramTypes, TypeCache};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Applicability, Diagnostic, Finding, Placement, ResolvedFix, Rule};
use mangle_syntax::syntax::ast::{Atom, Clause, Item, Literal, Statement, StatementKind};
use mangle_syntax::syntax::rules::DIRECTIVE_OUTSIDE_HYBRID;
use mangle_syntax::text::{Cancel, FileId, StatementId, TextRange, TextSize, with_line_ends};

/// What is kept of one statement: a fingerprint of what its findings depend on, and these.
type CachedFindings = (u64, Arc<[Finding]>);

/// What is known of one file apart from its program.
#[derive(Debug)]
struct FileFindings {
    /// The findings, with the statement that their ranges count from, if any.
    all: Vec<(Option<StatementId>, Finding)>,
    suppressions: Suppressions,
}

/// What is kept of one file.
#[derive(Debug)]
struct CachedFile {
    summary: Arc<FileSummary>,
    /// [`environment`] at the time.
    environment: u64,
    statements: FxHashMap<StatementId, CachedFindings>,
    /// `None` when the check of the file was stopped half way.
    findings: Option<Arc<FileFindings>>,
}

/// The findings about single statements, kept between the revisions of a program.
#[derive(Debug)]
pub struct FindingCache {
    registry: &'static Registry,
    files: DashMap<FileId, CachedFile, FxBuildHasher>,
    types: Mutex<TypeCache>,
    fixes: FixChecks,
}

impl FindingCache {
    /// An empty one, for a tool that has these rules.
    #[must_use]
    pub fn new(registry: &'static Registry) -> Self {
        Self { registry, files: DashMap::default(), types: Mutex::default(), fixes: FixChecks::default() }
    }

    /// What the relations of `program` hold, with what is kept of its earlier revisions.
    #[must_use]
    pub fn types(&self, program: &Program) -> ProgramTypes {
        ProgramTypes::new(program, &mut self.types.lock())
    }

    /// Forgets a file that left its program.
    pub fn forget(&self, file: FileId) {
        self.files.remove(&file);
    }
}

/// The diagnostics of every file of `program`, sorted by start; files without any have an empty
/// list. In the order of [`Program::files`].
#[must_use]
pub fn diagnostics(
    program: &Program,
    settings: &RuleSettings,
    cache: &FindingCache,
) -> Vec<(FileId, Vec<Diagnostic>)> {
    diagnostics_unless(&Cancel::new(), program, &cache.types(program), settings, cache).unwrap_or_default()
}

/// [`diagnostics`] for those who apply fixes: each fix that is safe is known to be, however many there are.
#[must_use]
pub fn diagnostics_for_fixing(
    program: &Program,
    settings: &RuleSettings,
    cache: &FindingCache,
) -> Vec<(FileId, Vec<Diagnostic>)> {
    let (types, goes_on) = (cache.types(program), Cancel::new());
    let placer = Placer { thorough: true, ..Placer::checking(program, settings, &types, &cache.fixes) };
    diagnose(&goes_on, program, settings, cache, placer).unwrap_or_default()
}

/// [`diagnostics`], or `None` once `cancel` is raised. What was found until then is kept in `cache`.
#[must_use]
pub fn diagnostics_unless(
    cancel: &Cancel,
    program: &Program,
    types: &ProgramTypes,
    settings: &RuleSettings,
    cache: &FindingCache,
) -> Option<Vec<(FileId, Vec<Diagnostic>)>> {
    let placer = Placer::checking(program, settings, types, &cache.fixes);
    diagnose(cancel, program, settings, cache, placer)
}

fn diagnose<'p>(
    cancel: &Cancel,
    program: &'p Program,
    settings: &RuleSettings,
    cache: &FindingCache,
    mut placer: Placer<'p>,
) -> Option<Vec<(FileId, Vec<Diagnostic>)>> {
    let (types, _) = placer.checks?;
    let mut of_program = check_program(program, settings);
    add_fixes(&mut of_program, program, types);
    let mut of_program = by_file(of_program);
    let mut all = Vec::with_capacity(program.files.len());
    for file in &program.files {
        let of_statements = check_file(program, types, file, cache, cancel)?;
        let of_program = of_program.remove(&file.id).unwrap_or_default();
        all.push((file.id, placer.place_all(file, &of_statements, of_program)));
    }
    Some(all)
}

/// Findings that only the whole program shows, by the files of their statements.
fn by_file(found: Vec<(FileId, StatementId, Finding)>) -> FxHashMap<FileId, Vec<(StatementId, Finding)>> {
    let mut by_file: FxHashMap<FileId, Vec<(StatementId, Finding)>> = FxHashMap::default();
    for (file, statement, finding) in found {
        by_file.entry(file).or_default().push((statement, finding));
    }
    by_file
}

/// The diagnostics of some files of `program`: about single statements, and of what only the whole program shows that
/// which `is_wanted` holds for.
#[must_use]
pub fn diagnostics_of_files(
    program: &Program,
    files: &[FileId],
    settings: &RuleSettings,
    cache: &FindingCache,
    is_wanted: &dyn Fn(&Rule) -> bool,
) -> Vec<(FileId, Vec<Diagnostic>)> {
    let (types, goes_on) = (cache.types(program), Cancel::new());
    let wanted: Vec<_> = program.files.iter().filter(|file| files.contains(&file.id)).collect();
    let one = |file: &&Arc<FileSummary>| check_file(program, &types, file, cache, &goes_on);
    let of_statements: Vec<_> = wanted.iter().filter_map(one).collect();
    let mut of_program = check_families(program, settings, is_wanted);
    add_fixes(&mut of_program, program, &types);
    let mut of_program = by_file(of_program);
    let mut placer = Placer::checking(program, settings, &types, &cache.fixes);
    let mut all = Vec::with_capacity(of_statements.len());
    for (file, found) in wanted.into_iter().zip(&of_statements) {
        let of_program = of_program.remove(&file.id).unwrap_or_default();
        all.push((file.id, placer.place_all(file, found, of_program)));
    }
    all
}

/// Places findings about statements of `program` in its files, under its settings and the comments that silence.
#[must_use]
pub fn place(
    program: &Program,
    (settings, registry): (&RuleSettings, &'static Registry),
    findings: &[(FileId, StatementId, Finding)],
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    let mut placer = Placer::new(program, settings);
    let mut placed: FxHashMap<FileId, Vec<Diagnostic>> = FxHashMap::default();
    for (file, statement, finding) in findings {
        let Some(summary) = program.file(*file) else { continue };
        let found = placer.place(summary, Some(*statement), finding.clone());
        placed.entry(*file).or_default().extend(found);
    }
    silenced(program, (settings, registry), placed)
}

/// Places findings whose ranges count from the start of their file, as [`place`] does; the files are of the program.
#[must_use]
pub fn place_in_files(
    program: &Program,
    (settings, registry): (&RuleSettings, &'static Registry),
    findings: Vec<(FileId, Finding)>,
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    let mut placer = Placer::new(program, settings);
    let mut placed: FxHashMap<FileId, Vec<Diagnostic>> = FxHashMap::default();
    for (file, finding) in findings {
        let Some(summary) = program.file(file) else { continue };
        let found = placer.place(summary, None, finding);
        placed.entry(file).or_default().extend(found);
    }
    silenced(program, (settings, registry), placed)
}

/// Without what the comments of each file silence, and in order.
fn silenced(
    program: &Program,
    (settings, registry): (&RuleSettings, &'static Registry),
    mut placed: FxHashMap<FileId, Vec<Diagnostic>>,
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    for (file, found) in &mut placed {
        if let Some(summary) = program.file(*file) {
            // What is wrong with the comments was said before.
            let _ = Suppressions::of(summary, registry).apply(&summary.text, settings, found);
        }
        found.sort_by(|a, b| order(a).cmp(&order(b)));
    }
    placed
}

/// What was found in one file by each of its programs. Of findings of one rule with one place and one message, the first
/// program's counts, as in the output of a check. That a comment silences nothing is reported only when no program of
/// the file needs it.
#[must_use]
pub fn once<'d>(lists: &[&'d [Diagnostic]]) -> Vec<&'d Diagnostic> {
    if let [only] = lists {
        return only.iter().collect();
    }
    let mut found: Vec<&Diagnostic> = Vec::new();
    // By place and rule, to compare each with few others: the index in `found`, and in how many lists it is.
    let mut known: FxHashMap<(TextRange, &str), Vec<(usize, usize)>> = FxHashMap::default();
    let mut in_lists: Vec<usize> = Vec::new();
    for (at, list) in lists.iter().enumerate() {
        for diagnostic in *list {
            let alike = known.entry((diagnostic.range, diagnostic.rule.code)).or_default();
            let is_same = |known: &&Diagnostic| known.message == diagnostic.message;
            let same = alike.iter_mut().find(|(index, _)| found.get(*index).is_some_and(is_same));
            match same {
                Some((_, last)) if *last == at => {}
                Some((index, last)) => {
                    *last = at;
                    in_lists.get_mut(*index).into_iter().for_each(|count| *count += 1);
                }
                None => {
                    alike.push((found.len(), at));
                    found.push(diagnostic);
                    in_lists.push(1);
                }
            }
        }
    }
    let is_needed = |count: usize, diagnostic: &Diagnostic| {
        diagnostic.rule != &UNUSED_SUPPRESSION || count == lists.len()
    };
    let found = found.into_iter().zip(in_lists).filter(|(diagnostic, count)| is_needed(*count, diagnostic));
    found.map(|(diagnostic, _)| diagnostic).collect()
}

fn check_program(program: &Program, settings: &RuleSettings) -> Vec<(FileId, StatementId, Finding)> {
    check_families(program, settings, &|_| true)
}

/// [`check_program`], of the rules that `is_wanted` holds for.
fn check_families(
    program: &Program,
    settings: &RuleSettings,
    is_wanted: &dyn Fn(&Rule) -> bool,
) -> Vec<(FileId, StatementId, Finding)> {
    let is_off = |rule: &&Rule| settings.severity(rule).is_none() || !is_wanted(rule);
    let rules = FAMILIES.iter().flat_map(|family| family.rules).copied();
    let mut findings = ProgramFindings::without(rules.filter(is_off).collect());
    let families = FAMILIES.iter().filter(|family| family.rules.iter().any(|rule| is_wanted(rule)));
    for check in families.filter_map(|family| family.program) {
        check(program, &mut findings);
    }
    findings.into_inner()
}

/// The findings about the single statements of a file. When neither the file nor anything that its
/// statements may depend on has changed, they are those of the last time.
fn check_file(
    program: &Program,
    types: &ProgramTypes,
    file: &Arc<FileSummary>,
    cache: &FindingCache,
    cancel: &Cancel,
) -> Option<Arc<FileFindings>> {
    let mut environment = environment(program, types);
    if program.embedding.is_test(file.id) {
        environment ^= queried(program);
    }
    let old = cache.files.remove(&file.id).map(|(_, old)| old);
    let unchanged = |old: &CachedFile| {
        old.environment == environment && Arc::ptr_eq(&old.summary, file) && old.findings.is_some()
    };
    let kept = match old {
        Some(old) if unchanged(&old) => old,
        old => {
            let mut statements = old.map(|old| old.statements).unwrap_or_default();
            let findings = check_statements(program, types, file, &mut statements, (cache.registry, cancel))
                .map(Arc::new);
            CachedFile { summary: Arc::clone(file), environment, statements, findings }
        }
    };
    let findings = kept.findings.clone();
    cache.files.insert(file.id, kept);
    findings
}

/// A number that changes with everything that any finding about a statement may depend on outside
/// of it.
fn environment(program: &Program, types: &ProgramTypes) -> u64 {
    let mut hasher = FxHasher::default();
    (program.environment(), types.environment()).hash(&mut hasher);
    hasher.finish()
}

/// A number that changes with which predicates premises query: findings about the facts of policy tests depend on it.
fn queried(program: &Program) -> u64 {
    let mut hasher = FxHasher::default();
    for predicate in &program.predicates {
        (predicate.key, program.uses(predicate).next().is_some()).hash(&mut hasher);
    }
    hasher.finish()
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
        let fingerprint = fingerprint(&context, statement);
        let findings = match kept.remove(&id) {
            Some((before, findings)) if before == fingerprint => findings,
            _ => check_statement(&context, statement).into(),
        };
        all.extend(findings.iter().map(|finding| (Some(id), finding.clone())));
        new.insert(id, (fingerprint, findings));
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
    Some(FileFindings { all, suppressions: Suppressions::of(file, registry) })
}

/// The findings of the families about a statement.
pub(super) fn check_statement(context: &CheckContext<'_>, statement: &Statement) -> Vec<Finding> {
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

/// A number that changes with everything outside a statement that its findings may depend on.
pub(super) fn fingerprint(context: &CheckContext<'_>, statement: &Statement) -> u64 {
    let mut hasher = FxHasher::default();
    context.program.embedding.engine.hash(&mut hasher);
    match &statement.kind {
        StatementKind::Clause(clause) => clause_fingerprint(context, clause, &mut hasher),
        StatementKind::Declaration(declaration) => hash_atom(context, &declaration.atom, &mut hasher),
        StatementKind::Package(_) | StatementKind::Use(_) | StatementKind::Broken => {}
    }
    hasher.finish()
}

fn clause_fingerprint(context: &CheckContext<'_>, clause: &Clause, hasher: &mut FxHasher) {
    hash_atom(context, &clause.head, hasher);
    for literal in clause.literals() {
        hash_atom(context, &literal.atom, hasher);
    }
    if clause.literals().any(Literal::is_negated) {
        // A fix asks a helper predicate instead, or adds one.
        context.program.vocabulary().hash(hasher);
    }
}

fn hash_atom(context: &CheckContext<'_>, atom: &Atom, hasher: &mut FxHasher) {
    if atom.is_builtin() {
        return;
    }
    let id = context.program.id_of(context.file, atom);
    match id.map(|id| (id, context.program.get(id))) {
        Some((id, predicate)) if predicate.exists() => {
            (predicate.fingerprint, context.types.rows(id).fingerprint()).hash(hasher);
        }
        // What is said of a predicate that does not exist depends on which others do.
        _ => context.program.vocabulary().hash(hasher),
    }
}

/// Places findings in files.
struct Placer<'p> {
    program: &'p Program,
    settings: &'p RuleSettings,
    /// Where statements start, for the files that findings point into.
    starts: FxHashMap<FileId, FxHashMap<StatementId, TextSize>>,
    /// What fixes are checked with. Without it none is safe.
    checks: Option<(&'p ProgramTypes, &'p FixChecks)>,
    effort: Effort,
    thorough: bool,
}

impl<'p> Placer<'p> {
    fn new(program: &'p Program, settings: &'p RuleSettings) -> Self {
        Self {
            program,
            settings,
            starts: FxHashMap::default(),
            checks: None,
            effort: Effort::unlimited(),
            thorough: false,
        }
    }

    fn checking(
        program: &'p Program,
        settings: &'p RuleSettings,
        types: &'p ProgramTypes,
        checks: &'p FixChecks,
    ) -> Self {
        Self { checks: Some((types, checks)), ..Self::new(program, settings) }
    }

    fn place_all(
        &mut self,
        file: &'p FileSummary,
        of_statements: &FileFindings,
        of_program: Vec<(StatementId, Finding)>,
    ) -> Vec<Diagnostic> {
        self.effort = if self.thorough { Effort::unlimited() } else { Effort::for_file(file) };
        let suppressions = &of_statements.suppressions;
        let of_statements = of_statements.all.iter().cloned();
        let of_program = of_program.into_iter().map(|(statement, finding)| (Some(statement), finding));
        let mut placed: Vec<_> = of_statements
            .chain(of_program)
            .filter_map(|(statement, finding)| self.place(file, statement, finding))
            .collect();
        keep_specific(&mut placed);
        let of_comments = suppressions.apply(&file.text, self.settings, &mut placed);
        placed.extend(of_comments.into_iter().filter_map(|finding| self.place(file, None, finding)));
        placed.sort_by(|a, b| order(a).cmp(&order(b)));
        placed
    }

    fn place(
        &mut self,
        file: &'p FileSummary,
        statement: Option<StatementId>,
        finding: Finding,
    ) -> Option<Diagnostic> {
        if finding.rule == &DIRECTIVE_OUTSIDE_HYBRID && self.program.embedding.is_hybrid(file.id) {
            return None;
        }
        let severity = self.settings.severity_of(&finding)?;
        let start = match statement {
            Some(statement) => self.start_of(file.id, statement)?,
            None => TextSize::new(0),
        };
        let replaces = finding.fix.as_ref().map(|fix| fix.replaces.clone()).unwrap_or_default();
        let mut start_of = |file, statement| self.start_of(file, statement);
        let mut placed = Placement::new(file.id, start, &mut start_of).diagnostic(finding, severity);
        if let Some(fix) = &mut placed.fix {
            self.keep_line_ends(fix);
            let claim =
                Claim { file: file.id, start, range: placed.range, replaces: &replaces, edits: &fix.edits };
            if fix.applicability == Applicability::Safe && !self.holds(claim) {
                fix.applicability = Applicability::Unsafe;
            }
        }
        Some(placed)
    }

    /// Whether a fix keeps what it claims; without checks none does.
    fn holds(&mut self, claim: Claim<'_>) -> bool {
        self.checks.is_some_and(|(types, checks)| checks.holds(self.program, types, claim, &mut self.effort))
    }

    /// Gives what a fix inserts the line ends of the files.
    fn keep_line_ends(&self, fix: &mut ResolvedFix) {
        for edit in &mut fix.edits {
            edit.text = self.with_line_ends(edit.file, std::mem::take(&mut edit.text));
        }
        if let Some(other) = &mut fix.otherwise {
            other.applicability = Applicability::Unsafe;
            self.keep_line_ends(other);
        }
    }

    fn with_line_ends(&self, file: FileId, text: String) -> String {
        match self.program.file(file) {
            Some(file) => with_line_ends(&file.text, text),
            None => text,
        }
    }

    fn start_of(&mut self, file: FileId, statement: StatementId) -> Option<TextSize> {
        let program = self.program;
        let starts = self.starts.entry(file).or_insert_with(|| {
            let items = program.file(file).map(|file| file.items.iter());
            let start_of = |item: &Item| (item.statement.id, item.start);
            items.into_iter().flatten().map(start_of).collect()
        });
        starts.get(&statement).copied()
    }
}

/// The rules of which one finding is enough at one place: the first says less than the second.
const LESS_SPECIFIC: (&str, &str) = ("name-never-used", "name-near");

/// Leaves out findings where a more specific one is at the same place.
fn keep_specific(placed: &mut Vec<Diagnostic>) {
    let (vague, specific) = LESS_SPECIFIC;
    let places: FxHashSet<_> =
        placed.iter().filter(|it| it.rule.name == specific).map(|diagnostic| diagnostic.range).collect();
    placed.retain(|it| it.rule.name != vague || !places.contains(&it.range));
}

fn order(diagnostic: &Diagnostic) -> (TextSize, TextSize, &str, &str) {
    let range = diagnostic.range;
    (range.start(), range.end(), diagnostic.rule.code, &diagnostic.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mangle_syntax::syntax::SourceFile;

    #[test]
    fn a_stopped_check_loses_nothing() {
        let text = "p(X) :- q(X), !r(X, Y).\ns(Z) :- p(Z, Z).\n";
        let summary = || Arc::new(FileSummary::new(FileId(0), &SourceFile::parse(text.into())));
        let program = Program::new(vec![summary()]);
        let (settings, cache, cancel) =
            (RuleSettings::default(), FindingCache::new(Registry::of_programs()), Cancel::new());
        let before = diagnostics(&program, &settings, &cache);
        let edited = Program::new(vec![summary()]);
        cancel.cancel();
        let types = cache.types(&edited);
        assert_eq!(diagnostics_unless(&cancel, &edited, &types, &settings, &cache), None);
        assert_eq!(diagnostics(&edited, &settings, &cache), before);
        assert!(before.iter().any(|(_, found)| !found.is_empty()));
    }
}
