//! `--since REV`: reports only findings that are new since a revision.

use std::path::Path;
use std::sync::OnceLock;

use anyhow::Result;

use super::findings::{Findings, FindingsRequest};
use super::surroundings;
use mangle_host::{CheckCache, CheckOptions, CheckTarget, GitRevision, Shell};

/// The findings of an older revision, computed once.
#[derive(Default)]
pub(super) struct PriorFindings {
    findings: OnceLock<Findings>,
}

impl PriorFindings {
    /// Removes findings that the program at `revision` already had.
    ///
    /// # Errors
    /// If git cannot read the revision.
    pub(super) fn apply(
        &self,
        findings: &mut Findings,
        revision: &str,
        targets: &[CheckTarget],
        working: &Path,
        options: CheckOptions,
    ) -> Result<()> {
        let old = match self.findings.get() {
            Some(old) => old,
            None => {
                let old = gather(revision, targets, working, options)?;
                self.findings.get_or_init(|| old)
            }
        };
        let new = std::mem::take(&mut findings.entries);
        findings.entries = mangle_report::new_findings(new, &findings.sources, &old.entries, &old.sources);
        Ok(())
    }
}

/// The findings at `revision`. Files that were unreadable then are ignored.
fn gather(
    revision: &str,
    targets: &[CheckTarget],
    working: &Path,
    options: CheckOptions,
) -> Result<Findings> {
    let past = GitRevision::read(working, revision)?;
    let (targets, overlay) = past.targets(targets, surroundings::disk())?;
    let memory = CheckCache::default();
    let mut resolution =
        mangle_host::resolve_with_transcripts(&targets, Shell::CommandLine, &overlay, memory.table());
    let working = past.then(working)?;
    let request = FindingsRequest {
        targets: &targets,
        overlay: &overlay,
        memory: &memory,
        working: &working,
        options: CheckOptions { fail_on: None, ..options },
        profile: None,
    };
    Ok(Findings::gather(&request, &mut resolution))
}
