//! Fix target for programs: changed files are parsed again and joined as before.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::passes::{FixTarget, run};
use super::select::Candidate;
use super::verify::Changes;
use super::{FileDiagnostics, FixRequest, FixResult};
use mangle_check::diagnostics::{FindingCache, diagnostics_for_fixing, merge_programs};
use mangle_engine::program::{FileSummary, Program, ProgramEnvironment};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Group};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{FileId, apply};

/// Files that are checked as one program.
#[derive(Debug)]
pub struct Unit {
    pub files: Vec<FileId>,
    /// Files whose findings are reported, sorted.
    pub reported: Vec<FileId>,
    pub rules: Arc<RuleSettings>,
    pub embedding: Arc<ProgramEnvironment>,
    /// Cached findings.
    pub cache: Arc<FindingCache>,
}

/// Programs and files that fixes modify.
#[derive(Debug)]
pub struct FixWorkspace {
    /// A file may belong to several programs.
    pub units: Vec<Unit>,
    pub files: FxHashMap<FileId, Arc<FileSummary>>,
}

/// Applies the requested fixes until none is left. The result and `bench` contain the new files.
pub fn fix(bench: &mut FixWorkspace, wish: FixRequest<'_>) -> FixResult {
    let original = bench.files.clone();
    list_all(bench);
    let done = run(bench, wish);
    let is_changed =
        |file: &&Arc<FileSummary>| original.get(&file.id).is_some_and(|old| old.text != file.text);
    let mut changed: Vec<_> = bench.files.values().filter(is_changed).map(Arc::clone).collect();
    changed.sort_by_key(|file| file.id);
    FixResult { changed, done }
}

/// Parses files again without the limit for reported syntax errors.
fn list_all(bench: &mut FixWorkspace) {
    for file in bench.files.values_mut() {
        let is_short = file.items.iter().any(|item| item.statement.left_out.is_some());
        if is_short && is_text(file) {
            let source = SourceFile::parse_listing_all(Arc::clone(&file.text)).without_tree();
            *file = Arc::new(FileSummary::new(file.id, &source));
        }
    }
}

/// True if the text of a file equals its bytes on disk, which is false for invalid UTF-8.
fn is_text(file: &FileSummary) -> bool {
    file.findings.iter().all(|finding| finding.rule.group != Group::Configuration)
}

impl FixTarget for FixWorkspace {
    type Texts = FxHashMap<FileId, Arc<FileSummary>>;

    fn texts(&self) -> Self::Texts {
        self.files.clone()
    }

    fn set(&mut self, texts: Self::Texts) {
        self.files = texts;
    }

    fn state(&self) -> u64 {
        let mut files: Vec<_> = self.files.values().collect();
        files.sort_by_key(|file| file.id);
        let mut hasher = FxHasher::default();
        for file in files {
            (file.id, &file.text).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn check(&self) -> FileDiagnostics {
        let mut all: FxHashMap<FileId, Vec<Vec<Diagnostic>>> = FxHashMap::default();
        for unit in &self.units {
            let files = unit.files.iter().filter_map(|file| self.files.get(file).map(Arc::clone));
            let program = Program::embedded(files.collect(), Arc::clone(&unit.embedding));
            for (file, found) in diagnostics_for_fixing(&program, &unit.rules, &unit.cache) {
                if unit.reported.binary_search(&file).is_ok() {
                    all.entry(file).or_default().push(found);
                }
            }
        }
        let joined = |lists: Vec<Vec<Diagnostic>>| {
            let lists: Vec<_> = lists.iter().map(Vec::as_slice).collect();
            merge_programs(&lists).into_iter().cloned().collect()
        };
        all.into_iter().map(|(file, lists)| (file, joined(lists))).collect()
    }

    fn is_editable(&self, file: FileId) -> bool {
        self.files.get(&file).is_some_and(|file| is_text(file))
    }

    fn put(&mut self, changes: &Changes<'_>, candidates: &[Candidate<'_>]) -> bool {
        put(self, changes).is_some_and(|before| reads_no_worse(self, &before, candidates))
    }

    fn is_no_worse(&self, _: &FileDiagnostics, _: &FileDiagnostics, _: &[Candidate<'_>]) -> bool {
        true
    }
}

/// Applies the changes, and returns the previous versions of the files. `None` if the edits do not
/// fit.
fn put(bench: &mut FixWorkspace, changes: &Changes<'_>) -> Option<Vec<Arc<FileSummary>>> {
    let mut before = Vec::new();
    for (file, edits) in changes.files() {
        let old = bench.files.get(&file)?;
        let text = apply(&old.text, edits.iter().copied())?;
        let new = FileSummary::new(file, &SourceFile::parse_listing_all(text.into()).without_tree());
        before.extend(bench.files.insert(file, Arc::new(new)));
    }
    Some(before)
}

/// True if no changed file became less parsable.
fn reads_no_worse(bench: &FixWorkspace, before: &[Arc<FileSummary>], candidates: &[Candidate<'_>]) -> bool {
    before.iter().all(|old| {
        let Some(new) = bench.files.get(&old.id) else { return false };
        let [(errors, sound), (new_errors, new_sound)] = [old, new].map(|file| soundness(file));
        // Only the first error of a damaged statement is reported. Its fix may expose further
        // errors in the same statement, but damages no other statement.
        let about_syntax = |candidate: &Candidate<'_>| candidate.diagnostic.rule.group == Group::Syntax;
        let touching =
            |candidate: &&Candidate<'_>| candidate.fix.edits.iter().any(|edit| edit.file == old.id);
        new_errors <= errors || (candidates.iter().filter(touching).all(about_syntax) && new_sound >= sound)
    })
}

/// Returns the number of syntax errors, and the number of statements without syntax errors.
fn soundness(file: &FileSummary) -> (usize, usize) {
    let whole = file.findings.iter().filter(|finding| finding.rule.is_unreadable()).count();
    let mut sum = (whole, 0);
    for item in file.items.iter() {
        let statement = &item.statement;
        sum.0 += statement
            .findings
            .iter()
            .filter(|finding| !item.follows_damage && finding.rule.is_unreadable())
            .count();
        sum.1 += usize::from(!statement.damaged);
    }
    sum
}
