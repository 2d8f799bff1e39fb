//! The diagnostics of a program: runs the checks, places what they find, applies severities and
//! silencing comments.
//!
//! Findings about one statement are kept while the statement and the signatures of the predicates
//! that it mentions stay the same, so that a keystroke costs the checks of one clause. What is known of a file is kept while
//! nothing that its findings depend on is different, so that an edit costs the files that it concerns.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use dashmap::DashMap;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;

use crate::Registry;
use crate::analysis::{CheckContext, FAMILIES, goes_behind};
use crate::fix_checks::{Claim, Effort, FixChecks};
use crate::policy_test::TestFile;
use crate::program_checks::{Changed, ProgramChecks, off};
use crate::suppression::{Suppressions, UNUSED_SUPPRESSION};
use mangle_engine::program::{Difference, FileSummary, Program, key_of};
use mangle_engine::types::{ProgramTypes, TypeCache};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Applicability, Diagnostic, Finding, Placement, ResolvedFix, Rule};
use mangle_syntax::parallel;
use mangle_syntax::syntax::ast::{Atom, Literal, Statement, StatementKind};
use mangle_syntax::syntax::rules::DIRECTIVE_OUTSIDE_HYBRID;
use mangle_syntax::text::{Cancel, FileId, StatementId, TextRange, TextSize, with_line_ends};

/// What is kept of one statement.
#[derive(Debug)]
struct CachedFindings {
    /// [`Fingerprint::of_mentions`] at the time.
    fingerprint: u64,
    /// [`Program::vocabulary`] at the time, where the findings depend on it.
    vocabulary: Option<u64>,
    /// `None` where there are none, as for most.
    findings: Option<Arc<[Finding]>>,
}

/// What is known of one file apart from its program.
#[derive(Debug)]
struct FileFindings {
    /// The findings, with the statement that their ranges count from, if any.
    all: Vec<(Option<StatementId>, Finding)>,
    suppressions: Suppressions,
    /// Whether a finding depends on [`Program::vocabulary`].
    depends_on_vocabulary: bool,
}

/// What is kept of one file.
#[derive(Debug)]
struct CachedFile {
    statements: FxHashMap<StatementId, CachedFindings>,
}

/// The findings about single statements, kept between the revisions of a program.
#[derive(Debug)]
pub struct FindingCache {
    registry: &'static Registry,
    files: DashMap<FileId, CachedFile, FxBuildHasher>,
    types: Mutex<TypeCache>,
    fixes: FixChecks,
    last: Mutex<Option<LastRun>>,
}

/// What is known of a program since it was last diagnosed. What a later state of the program has otherwise is added to what is
/// to be done, which is done when there is time: a run that was stopped loses nothing.
#[derive(Debug)]
struct LastRun {
    program: Program,
    types: ProgramTypes,
    settings: RuleSettings,
    is_thorough: bool,
    checks: Option<ProgramChecks>,
    /// What is known of each file, in the order of [`Program::files`].
    files: Vec<FileState>,
    /// The files whose statements are to be checked.
    unchecked: BTreeSet<u32>,
    /// The files whose findings are to be placed.
    unplaced: BTreeSet<u32>,
}

/// What is known of one file of a program.
#[derive(Debug, Default)]
struct FileState {
    /// The findings about its single statements.
    findings: Option<Arc<FileFindings>>,
    placed: Placed,
}

/// The diagnostics of a file, and what decided where they are and which fixes are safe.
#[derive(Debug, Default)]
struct Placed {
    diagnostics: Arc<[Diagnostic]>,
    /// The other files that they point into.
    reads: SmallVec<[FileId; 2]>,
    /// Whether a fix was checked against the program.
    is_fix_checked: bool,
}

/// How many files are worth a thread of their own.
const FEW: usize = 8;

impl FindingCache {
    /// An empty one, for a tool that has these rules.
    #[must_use]
    pub fn new(registry: &'static Registry) -> Self {
        Self {
            registry,
            files: DashMap::default(),
            types: Mutex::default(),
            fixes: FixChecks::default(),
            last: Mutex::default(),
        }
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
    let found = diagnostics_unless(&Cancel::new(), program, &cache.types(program), settings, cache);
    owned(found.unwrap_or_default())
}

fn owned(found: Vec<(FileId, Arc<[Diagnostic]>)>) -> Vec<(FileId, Vec<Diagnostic>)> {
    found.into_iter().map(|(file, found)| (file, found.to_vec())).collect()
}

/// [`diagnostics`] for those who apply fixes: each fix that is safe is known to be, however many there are.
#[must_use]
pub fn diagnostics_for_fixing(
    program: &Program,
    settings: &RuleSettings,
    cache: &FindingCache,
) -> Vec<(FileId, Vec<Diagnostic>)> {
    let types = cache.types(program);
    let mut last = cache.last.lock();
    let last = LastRun::follow(&mut last, program, &types, (settings, true));
    owned(last.run(cache, &Cancel::new()).unwrap_or_default())
}

/// [`diagnostics`], or `None` once `cancel` is raised. What was found until then is kept in `cache`.
#[must_use]
pub fn diagnostics_unless(
    cancel: &Cancel,
    program: &Program,
    types: &ProgramTypes,
    settings: &RuleSettings,
    cache: &FindingCache,
) -> Option<Vec<(FileId, Arc<[Diagnostic]>)>> {
    let mut last = cache.last.lock();
    LastRun::follow(&mut last, program, types, (settings, false)).run(cache, cancel)
}

impl LastRun {
    /// What is known, with what there is to be done for a later state of the program.
    fn follow<'l>(
        last: &'l mut Option<Self>,
        program: &Program,
        types: &ProgramTypes,
        (settings, is_thorough): (&RuleSettings, bool),
    ) -> &'l mut Self {
        let is_usable = |last: &Self| last.settings == *settings && last.is_thorough == is_thorough;
        let known = last.take().filter(is_usable);
        let difference = known.as_ref().and_then(|last| Difference::between(&last.program, program));
        let mut this = match (known, difference) {
            (Some(mut known), Some(difference)) => {
                known.take_over(program, types, &difference);
                known
            }
            (_, _) => Self::new(program, types, settings, is_thorough),
        };
        match ProgramChecks::follow(&mut this.checks, program, types, settings) {
            Changed::All => this.unplaced.extend(indices(program)),
            Changed::Files(files) => {
                this.unplaced.extend(files.iter().filter_map(|file| program.index_of(*file)));
            }
        }
        last.insert(this)
    }

    fn new(program: &Program, types: &ProgramTypes, settings: &RuleSettings, is_thorough: bool) -> Self {
        let (program, types, settings) = (program.clone(), types.clone(), settings.clone());
        let unchecked: BTreeSet<u32> = indices(&program).collect();
        let files = unchecked.iter().map(|_| FileState::default()).collect();
        let unplaced = unchecked.clone();
        Self { program, types, settings, is_thorough, checks: None, files, unchecked, unplaced }
    }

    /// Notes what a difference requires.
    fn take_over(&mut self, program: &Program, types: &ProgramTypes, difference: &Difference) {
        let retyped = types.different_from(&self.types);
        (self.program, self.types) = (program.clone(), types.clone());
        self.unchecked.extend(&difference.files);
        // Statements depend on the signatures and types of what they mention, and on whether there is something else with
        // that name.
        for id in difference.signatures.iter().chain(&retyped) {
            self.unchecked.extend(program.get(*id).files.iter().map(|(file, _)| *file));
        }
        for id in &difference.existence {
            let alike = program.named(program.get(*id).key.name);
            self.unchecked.extend(alike.flat_map(|predicate| predicate.files.iter()).map(|(file, _)| *file));
        }
        if !difference.existence.is_empty() {
            let depend = |file: &&FileState| {
                file.findings.as_ref().is_none_or(|findings| findings.depends_on_vocabulary)
            };
            let files = (0u32..).zip(&self.files).filter(|(_, file)| depend(file)).map(|(at, _)| at);
            self.unchecked.extend(files);
        }
        if !difference.touched.is_empty() {
            let tests = program.embedding.tests.iter().filter_map(|file| program.index_of(*file));
            self.unchecked.extend(tests);
            let checked = (0u32..).zip(&self.files).filter(|(_, file)| file.placed.is_fix_checked);
            self.unplaced.extend(checked.map(|(at, _)| at));
        }
        // What points into a text that changed points elsewhere.
        let changed: Vec<FileId> =
            difference.files.iter().filter_map(|at| Some(program.files.get(*at as usize)?.id)).collect();
        let reads_changed = |file: &FileState| file.placed.reads.iter().any(|read| changed.contains(read));
        let readers = (0u32..).zip(&self.files).filter(|(_, file)| reads_changed(file));
        self.unplaced.extend(readers.map(|(at, _)| at));
    }

    /// Does what there is to be done. `None` once `cancel` is raised.
    fn run(&mut self, cache: &FindingCache, cancel: &Cancel) -> Option<Vec<(FileId, Arc<[Diagnostic]>)>> {
        let check = |at: &u32| {
            let file = self.program.files.get(*at as usize)?;
            Some((*at, check_file(&self.program, &self.types, file, cache, cancel)))
        };
        let checked: Vec<_> = on_all_cores(&self.unchecked, check);
        let mut is_stopped = false;
        for (at, findings) in checked.into_iter().flatten() {
            is_stopped |= findings.is_none();
            if let (Some(findings), Some(file)) = (findings, self.files.get_mut(at as usize)) {
                file.findings = Some(findings);
                self.unchecked.remove(&at);
                self.unplaced.insert(at);
            }
        }
        if is_stopped || cancel.is_cancelled() {
            return None;
        }
        let place = |at: &u32| {
            let placed = (!cancel.is_cancelled()).then(|| self.place(*at, cache)).flatten();
            Some((*at, placed?))
        };
        let placed: Vec<_> = on_all_cores(&self.unplaced, place);
        for (at, placed) in placed.into_iter().flatten() {
            if let Some(file) = self.files.get_mut(at as usize) {
                file.placed = placed;
                self.unplaced.remove(&at);
            }
        }
        if cancel.is_cancelled() {
            return None;
        }
        let files = self.program.files.iter().zip(&self.files);
        Some(files.map(|(file, known)| (file.id, Arc::clone(&known.placed.diagnostics))).collect())
    }

    fn place(&self, at: u32, cache: &FindingCache) -> Option<Placed> {
        let file = self.program.files.get(at as usize)?;
        let of_statements = self.files.get(at as usize)?.findings.as_ref()?;
        let of_program = self.checks.as_ref().map(|checks| checks.of_file(file.id)).unwrap_or_default();
        let mut placer = Placer {
            thorough: self.is_thorough,
            ..Placer::checking(&self.program, &self.settings, &self.types, &cache.fixes)
        };
        let diagnostics = placer.place_all(file, of_statements, of_program).into();
        let Placer { reads, is_fix_checked, .. } = placer;
        Some(Placed { diagnostics, reads, is_fix_checked })
    }
}

fn indices(program: &Program) -> impl Iterator<Item = u32> + use<> {
    (0u32..).take(program.files.len())
}

/// Does some work for each number, on several threads if there are many.
fn on_all_cores<T: Send>(numbers: &BTreeSet<u32>, work: impl Fn(&u32) -> T + Sync) -> Vec<T> {
    let numbers: Vec<u32> = numbers.iter().copied().collect();
    parallel::map(&numbers, FEW, work)
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
    let of_program = ProgramChecks::new(program, &types, off(settings, is_wanted));
    let mut placer = Placer::checking(program, settings, &types, &cache.fixes);
    let mut all = Vec::with_capacity(of_statements.len());
    for (file, found) in wanted.into_iter().zip(&of_statements) {
        let mut of_program = of_program.of_file(file.id);
        of_program.retain(|(_, finding)| is_wanted(finding.rule));
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

/// The findings about the single statements of a file. Statements of which nothing changed that their findings depend on have
/// those of the last time. `None` once `cancel` is raised.
fn check_file(
    program: &Program,
    types: &ProgramTypes,
    file: &Arc<FileSummary>,
    cache: &FindingCache,
    cancel: &Cancel,
) -> Option<Arc<FileFindings>> {
    let old = cache.files.remove(&file.id).map(|(_, old)| old.statements);
    let mut statements = old.unwrap_or_default();
    let findings = check_statements(program, types, file, &mut statements, (cache.registry, cancel));
    cache.files.insert(file.id, CachedFile { statements });
    findings.map(Arc::new)
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
    let mut depends_on_vocabulary = false;
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
        let now = Fingerprint::of(&context, statement);
        let known = kept.remove(&id).filter(|known| {
            known.fingerprint == now.of_mentions
                && known.vocabulary.is_none_or(|it| it == program.vocabulary())
        });
        let known = known.unwrap_or_else(|| {
            let findings = check_statement(&context, statement);
            // Only suggestions depend on the vocabulary.
            let vocabulary =
                (now.depends_on_vocabulary && !findings.is_empty()).then(|| program.vocabulary());
            let findings = (!findings.is_empty()).then(|| findings.into());
            CachedFindings { fingerprint: now.of_mentions, vocabulary, findings }
        });
        depends_on_vocabulary |= known.vocabulary.is_some();
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
    Some(FileFindings { all, suppressions: Suppressions::of(file, registry), depends_on_vocabulary })
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
    let fingerprint = Fingerprint::of(context, statement);
    let mut hasher = FxHasher::default();
    fingerprint.of_mentions.hash(&mut hasher);
    if fingerprint.depends_on_vocabulary {
        context.program.vocabulary().hash(&mut hasher);
    }
    hasher.finish()
}

/// What the findings of a statement may depend on outside of it.
struct Fingerprint {
    /// A number for the predicates that the statement mentions.
    of_mentions: u64,
    /// Whether a fix may ask which other predicates exist.
    depends_on_vocabulary: bool,
}

impl Fingerprint {
    fn of(context: &CheckContext<'_>, statement: &Statement) -> Self {
        let mut hasher = FxHasher::default();
        context.program.embedding.engine.hash(&mut hasher);
        let mut depends_on_vocabulary = false;
        match &statement.kind {
            StatementKind::Clause(clause) => {
                hash_atom(context, &clause.head, &mut hasher);
                clause.literals().for_each(|literal| hash_atom(context, &literal.atom, &mut hasher));
                // A fix queries a helper predicate instead, or adds one.
                depends_on_vocabulary = clause.literals().any(Literal::is_negated);
                if depends_on_vocabulary {
                    goes_behind(context.file, context.item).hash(&mut hasher);
                }
            }
            StatementKind::Declaration(declaration) => hash_atom(context, &declaration.atom, &mut hasher),
            StatementKind::Package(_) | StatementKind::Use(_) | StatementKind::Broken => {}
        }
        Self { of_mentions: hasher.finish(), depends_on_vocabulary }
    }
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

/// Places findings in files.
struct Placer<'p> {
    program: &'p Program,
    settings: &'p RuleSettings,
    /// The files that findings of others point into.
    reads: SmallVec<[FileId; 2]>,
    /// Whether a fix was checked against the program.
    is_fix_checked: bool,
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
            reads: SmallVec::new(),
            is_fix_checked: false,
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
            Some(statement) => file.start_of(statement)?,
            None => TextSize::new(0),
        };
        let replaces = finding.fix.as_ref().map(|fix| fix.replaces.clone()).unwrap_or_default();
        let here = file;
        let mut start_of = |file, statement| {
            if file == here.id { here.start_of(statement) } else { self.start_elsewhere(file, statement) }
        };
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
        self.is_fix_checked = true;
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

    fn start_elsewhere(&mut self, file: FileId, statement: StatementId) -> Option<TextSize> {
        if !self.reads.contains(&file) {
            self.reads.push(file);
        }
        self.program.file(file)?.start_of(statement)
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
