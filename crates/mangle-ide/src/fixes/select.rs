//! Selection of compatible fixes: their edits must not touch, and no two fixes may introduce the
//! same predicate.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::{FileDiagnostics, FixRequest};
use mangle_engine::program::PredicateKey;
use mangle_syntax::lint::{Diagnostic, FileEdit, ResolvedFix};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Atom, StatementKind};
use mangle_syntax::text::{FileId, TextSize};

/// A finding with its fix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'f> {
    pub(super) file: FileId,
    pub(super) diagnostic: &'f Diagnostic,
    pub(super) fix: &'f ResolvedFix,
}

impl Candidate<'_> {
    /// Returns the files edited by the fix.
    pub(super) fn files(&self) -> Vec<FileId> {
        let mut files: Vec<_> = self.fix.edits.iter().map(|edit| edit.file).collect();
        files.sort_unstable();
        files.dedup();
        files
    }
}

/// Returns the fixes of one pass, sorted by file and range. `is_editable` filters the files to
/// edit, and `is_given_up` returns true for findings whose fix failed.
pub(super) fn select<'f>(
    is_editable: &dyn Fn(FileId) -> bool,
    found: &'f FileDiagnostics,
    wish: FixRequest<'_>,
    is_given_up: &dyn Fn(FileId, &Diagnostic) -> bool,
) -> Vec<Candidate<'f>> {
    let mut candidates: Vec<_> = found
        .iter()
        .flat_map(|(file, found)| found.iter().map(move |diagnostic| (*file, diagnostic)))
        .filter(|(file, diagnostic)| !is_given_up(*file, diagnostic) && (wish.wanted)(*file, diagnostic))
        .filter_map(|(file, diagnostic)| {
            let fix = diagnostic.fix.as_ref()?;
            let editable = |file| is_editable(file) && (wish.editable)(file);
            let fits = !fix.edits.is_empty() && fix.edits.iter().all(|edit| editable(edit.file));
            (wish.accepts(fix) && fits).then_some(Candidate { file, diagnostic, fix })
        })
        .collect();
    candidates.sort_by_key(|candidate| {
        let range = candidate.diagnostic.range;
        (candidate.file, range.start(), range.end(), candidate.diagnostic.rule.code)
    });
    let mut taken = EditedRanges::default();
    candidates.retain(|candidate| taken.take(candidate.fix));
    candidates
}

/// Edits and new predicates of a pass.
#[derive(Debug, Default)]
struct EditedRanges {
    /// End of each edit, by file and start.
    edits: BTreeMap<(FileId, TextSize), TextSize>,
    predicates: FxHashSet<PredicateKey>,
}

impl EditedRanges {
    /// Adds a fix. Returns false if it conflicts with an earlier one.
    fn take(&mut self, fix: &ResolvedFix) -> bool {
        let predicates: Vec<_> = fix.edits.iter().flat_map(|edit| introduced(&edit.text)).collect();
        if fix.edits.iter().any(|edit| self.touches(edit))
            || predicates.iter().any(|key| self.predicates.contains(key))
        {
            return false;
        }
        self.predicates.extend(predicates);
        for edit in &fix.edits {
            let end = self.edits.entry((edit.file, edit.range.start())).or_default();
            *end = (*end).max(edit.range.end());
        }
        true
    }

    /// True if an edit touches an earlier one. Two insertions at the same offset touch, because
    /// their order would be arbitrary.
    fn touches(&self, edit: &FileEdit) -> bool {
        let (start, end) = (edit.range.start(), edit.range.end());
        let before = self.edits.range(..=(edit.file, end)).next_back();
        before.is_some_and(|((file, _), until)| *file == edit.file && *until >= start)
    }
}

/// Returns the predicates that inserted statements declare or define.
fn introduced(text: &str) -> Vec<PredicateKey> {
    if !text.contains("Decl ") && !text.contains(":-") {
        return Vec::new();
    }
    let source = SourceFile::parse(text.into());
    let key = |atom: &Atom| PredicateKey { name: atom.name.symbol, arity: atom.arity() };
    let head = |kind: &StatementKind| match kind {
        StatementKind::Declaration(declaration) => Some(key(&declaration.atom)),
        StatementKind::Clause(clause) => Some(key(&clause.head)),
        _ => None,
    };
    source.items().iter().filter_map(|item| head(&item.statement.kind)).collect()
}
