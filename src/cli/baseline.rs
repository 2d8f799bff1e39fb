//! Known findings: `--baseline` and `--write-baseline` accept the existing findings of a project, and
//! `--since REV` reports only findings that are new since a revision.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;

use super::findings::{Findings, FindingsRequest};
use super::{output, surroundings};
use mangle_host::{CheckCache, CheckOptions, CheckTarget, GitRevision, Shell};
use mangle_report::sink::terminal;
use mangle_report::{Baseline, Identity, ReportEntry};

/// The options for baselines.
#[derive(Debug, Args)]
pub(super) struct BaselineArgs {
    /// Do not report the findings listed in this file
    ///
    /// Findings are identified by rule, file and statement, so they may move to other lines. Syntax
    /// errors are always reported.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write all findings to this file, for use with `--baseline`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "since"])]
    write_baseline: Option<PathBuf>,
}

impl BaselineArgs {
    /// The path of the baseline, if one is given.
    pub(super) fn file(&self) -> Option<&Path> {
        self.baseline.as_deref().or(self.write_baseline.as_deref())
    }

    /// Writes the baseline if requested, and removes its findings from the report. Counts baseline
    /// entries that are no longer found.
    ///
    /// # Errors
    /// If the baseline cannot be read or written.
    pub(super) fn apply(
        &self,
        findings: &mut Findings,
        targets: &[CheckTarget],
        working: &Path,
    ) -> Result<()> {
        let Some(file) = self.file() else { return Ok(()) };
        let file = File { path: mangle_host::absolute(working, file), name: file.display().to_string() };
        let mut baseline = if self.write_baseline.is_some() { file.write(findings)? } else { file.read()? };
        let entries = std::mem::take(&mut findings.entries);
        let is_new =
            |entry: &ReportEntry| !can_wait(entry) || !baseline.take(&file.identity(entry, findings));
        findings.entries = entries.into_iter().filter(is_new).collect();
        let is_checked = |name: &str| {
            let path = mangle_host::absolute(file.folder(), Path::new(name));
            targets.iter().any(|target| target.covers(&path))
        };
        findings.stale = baseline.count(is_checked);
        Ok(())
    }

    /// Reports the number of baseline entries that are no longer found.
    pub(super) fn report_stale(&self, stale: usize) {
        let Some(file) = self.file().filter(|_| stale > 0) else { return };
        let (findings, name) = (findings_of(stale), terminal(&file.display().to_string()));
        let verb = if stale == 1 { "is" } else { "are" };
        output::note(&format!(
            "{findings} of the baseline {name} {verb} no longer there: `--write-baseline {name}` writes it anew\n"
        ));
    }
}

/// True if a finding can be in a baseline: findings that comments can suppress, and findings about
/// configuration. Syntax errors are excluded, because the engine does not load the file.
fn can_wait(entry: &ReportEntry) -> bool {
    !entry.diagnostic.rule.is_unreadable()
}

struct File {
    path: PathBuf,
    /// The path as given.
    name: String,
}

impl File {
    /// The folder of the baseline. Its paths are relative to this folder, regardless of the working
    /// directory.
    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    fn identity(&self, entry: &ReportEntry, findings: &Findings) -> Identity {
        let path = findings.sources.get(entry.file).map_or(Path::new(""), |source| source.path());
        Identity::new(entry, &findings.sources, mangle_host::relative(self.folder(), path))
    }

    fn read(&self) -> Result<Baseline> {
        let text = mangle_host::read_to_string(&self.path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => anyhow!(
                "the baseline {name} is not there. `mangle-ls check --write-baseline {name}` writes one",
                name = self.name
            ),
            _ => anyhow!("the baseline {} cannot be read: {}", self.name, mangle_host::plain(&error)),
        })?;
        Baseline::parse(&text).with_context(|| format!("the baseline {} cannot be read", self.name))
    }

    /// Writes a baseline of the findings. Fails if a part of the input could not be checked.
    fn write(&self, findings: &Findings) -> Result<Baseline> {
        let baseline: Baseline = findings
            .entries
            .iter()
            .filter(|entry| can_wait(entry))
            .map(|entry| self.identity(entry, findings))
            .collect();
        if findings.failures.is_empty() {
            let written = mangle_host::disk::write(&self.path, baseline.to_string().as_bytes());
            written.map_err(|why| anyhow!("the baseline {} cannot be written: {why}", self.name))?;
            output::note(&format!("wrote {} to {}\n", findings_of(baseline.len()), terminal(&self.name)));
        } else {
            let name = terminal(&self.name);
            output::note(&format!("{name} is not written, since not everything could be checked\n"));
        }
        Ok(baseline)
    }
}

fn findings_of(count: usize) -> String {
    format!("{count} {}", if count == 1 { "finding" } else { "findings" })
}

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
