//! What a file contributes to programs.

use std::sync::Arc;

use mangle_engine::program::FileSummary;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// What a file contributes to programs. `findings` are those of its [`super::FileText`]: what kept it from being
/// read as it is.
#[must_use]
pub fn summarise(id: FileId, source: &SourceFile, findings: &[Finding]) -> Arc<FileSummary> {
    let mut summary = FileSummary::new(id, source);
    if !findings.is_empty() {
        summary.findings = findings.iter().chain(source.findings().iter()).cloned().collect();
    }
    Arc::new(summary)
}
