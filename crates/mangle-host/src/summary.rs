//! Summaries of files for linking.

use std::sync::Arc;

use mangle_engine::program::FileSummary;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// Returns the summary of a file for linking. `findings` are the findings of its
/// [`super::FileText`], about reading and decoding.
#[must_use]
pub fn summarise(id: FileId, source: &SourceFile, findings: &[Finding]) -> Arc<FileSummary> {
    let mut summary = FileSummary::new(id, source);
    if !findings.is_empty() {
        summary.findings = findings.iter().chain(source.findings().iter()).cloned().collect();
    }
    Arc::new(summary)
}
