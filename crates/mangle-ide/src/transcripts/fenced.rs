//! Diagnostics of Mangle fences in a Markdown file. All fences of a file form one part of the
//! surrounding program: fences can use each other's declarations, and unused code is not reported.

use std::sync::Arc;

use super::atom::{MangleText, NOWHERE};
use super::checker::TranscriptContext;
use mangle_check::diagnostics::{FindingCache, diagnostics_of_files};
use mangle_engine::program::{FileSummary, Program};
use mangle_syntax::lint::{Diagnostic, FileEdit, Group, RelatedPlace, ResolvedFix, Rule, Severity};
use mangle_syntax::text::{FileId, TextRange};

/// Whole-program rules that apply to fences: existence and arity of predicates.
const OF_PROGRAM: [&str; 3] = ["undefined-predicate", "arity-mismatch", "head-arity-conflict"];

/// Returns the findings with ranges of the file. Findings below warning severity are omitted.
pub(super) fn diagnostics(
    file: FileId,
    fences: &[MangleText],
    judge: TranscriptContext<'_>,
    cache: &FindingCache,
) -> Vec<Diagnostic> {
    if fences.is_empty() {
        return Vec::new();
    }
    let around = judge.programs.first();
    let own = Fences { file, fences };
    let summaries = own.ids().zip(fences);
    let summaries = summaries.map(|(id, fence)| Arc::new(FileSummary::new(id, fence.source())));
    let others = around.map(|program| program.files.to_vec()).unwrap_or_default();
    let embedding = around.map(|program| Arc::clone(&program.embedding)).unwrap_or_default();
    let program = Program::embedded(others.into_iter().chain(summaries).collect(), embedding);
    let ids: Vec<FileId> = own.ids().collect();
    let is_wanted = |rule: &Rule| OF_PROGRAM.contains(&rule.name);
    let found = diagnostics_of_files(&program, &ids, judge.rules, cache, &is_wanted);
    // Without a program, the set of predicates is unknown.
    let is_told = |found: &Diagnostic| {
        found.severity >= Severity::Warning
            && found.rule.group != Group::Quality
            && (around.is_some() || found.rule.group == Group::Syntax)
    };
    let all = found.into_iter().flat_map(|(id, found)| found.into_iter().map(move |found| (id, found)));
    all.filter(|(_, found)| is_told(found)).filter_map(|(id, found)| own.place(id, found)).collect()
}

/// Fences of a file as files of a program.
#[derive(Clone, Copy)]
struct Fences<'f> {
    file: FileId,
    fences: &'f [MangleText],
}

impl Fences<'_> {
    /// Returns the IDs of the fences. No real file has these IDs.
    fn ids(self) -> impl Iterator<Item = FileId> {
        (1..).zip(self.fences).map(|(at, _)| FileId(NOWHERE.0.saturating_sub(at)))
    }

    /// Converts a finding in a fence to a finding in the file.
    fn place(self, id: FileId, found: Diagnostic) -> Option<Diagnostic> {
        let (_, range) = self.range(id, found.range)?;
        let related = found.related.iter().filter_map(|related| {
            let (file, range) = self.range(related.file, related.range)?;
            Some(RelatedPlace { file, range, message: related.message.clone() })
        });
        let related = related.collect();
        let fix = found.fix.clone().and_then(|fix| {
            let edits = fix.edits.into_iter().map(|edit| {
                let (file, range) = self.range(edit.file, edit.range)?;
                Some(FileEdit { file, range, text: edit.text })
            });
            let edits = edits.collect::<Option<Vec<_>>>()?;
            let ResolvedFix { title, applicability, evidence, .. } = fix;
            Some(ResolvedFix { title, applicability, evidence, edits, alternative: None })
        });
        Some(Diagnostic { range, related, fix, ..found })
    }

    /// Converts a range of a fence to a range of the file. Ranges of other files are unchanged.
    fn range(self, id: FileId, range: TextRange) -> Option<(FileId, TextRange)> {
        match self.ids().position(|known| known == id) {
            Some(at) => Some((self.file, self.fences.get(at)?.to_source(range))),
            None => Some((id, range)),
        }
    }
}
