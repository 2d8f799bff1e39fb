//! `check --fix`, `--unsafe` and `--diff`: mending what was found, or showing how.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, ensure};
use clap::{Args, ColorChoice};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Outcome;
use super::findings::{Findings, Request};
use super::output::{self, Output};
use crate::host::{self, Overlay, Problem, ReplaceError, Resolution};
use crate::ide::fixes::{Fixed, MAX_PASSES, Wish};
use crate::lint::{Applicability, Diagnostic};
use crate::program::FileSummary;
use crate::report::{self, Entry};
use crate::text::FileId;

/// What to do with fixes.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("fixing").args(["fix", "diff"]).multiple(true))]
pub(super) struct FixArgs {
    /// Apply the fixes that need no look; what is left is reported
    #[arg(long, conflicts_with_all = ["watch", "write_baseline"])]
    fix: bool,
    /// With `--fix` or `--diff`: also apply fixes that guess
    #[arg(long = "unsafe", requires = "fixing")]
    guesses: bool,
    /// Show what `--fix` would change as a unified diff, and change nothing
    ///
    /// Exit status 1 if anything would change.
    #[arg(long, conflicts_with_all = ["watch", "write_baseline"])]
    diff: bool,
}

/// What was fixed.
pub(super) struct Mended {
    fixed: Fixed,
    /// Whether fixes that guess were applied, too.
    guesses: bool,
    /// Whether nothing is written.
    only_shown: bool,
    /// Each changed file, with its text before and after.
    changes: Vec<(PathBuf, Arc<str>, Arc<str>)>,
    /// Files that could not be written.
    pub(super) unwritten: Vec<Problem>,
}

impl FixArgs {
    /// Whether anything is to be fixed or shown.
    pub(super) fn is_on(&self) -> bool {
        self.fix || self.diff
    }

    /// Whether changes are only to be shown.
    pub(super) fn only_shows(&self) -> bool {
        self.diff
    }

    /// Fixes the files of `resolution`: on disk, or (if they are only to be shown) in `pretended`. With `only`, the findings
    /// of a narrower check, those alone, each as it is now; without, also what shows up on the way.
    ///
    /// # Errors
    /// When standard input is to be fixed in place.
    pub(super) fn mend(
        &self,
        request: &Request<'_>,
        resolution: &Resolution,
        only: Option<&Findings>,
        pretended: &mut Overlay,
    ) -> Result<Mended> {
        let is_stdin = request.overlay.get(&request.working.join(host::STDIN)).is_some();
        ensure!(self.diff || !is_stdin, "standard input cannot be fixed in place; `--diff` shows how");
        let (files, _) = host::load(resolution, request.targets, request.overlay, request.memory, || ());
        let key = |file: FileId, diagnostic: &Diagnostic| (file, diagnostic.rule.code, diagnostic.range);
        let reported: Option<FxHashSet<_>> = only.map(|findings| {
            findings.entries.iter().map(|entry| key(entry.file, &entry.diagnostic)).collect()
        });
        let wanted = |file: FileId, diagnostic: &Diagnostic| {
            reported.as_ref().is_none_or(|reported| reported.contains(&key(file, diagnostic)))
        };
        let passes = if only.is_some() { 1 } else { MAX_PASSES };
        let (mut locked, mut unwritten) = (Vec::new(), Vec::new());
        loop {
            let editable = |file| !locked.contains(&file);
            let wish = Wish { guesses: self.guesses, wanted: &wanted, editable: &editable, passes };
            let fixed = host::fix(resolution, files.clone(), request.memory, wish);
            // A fix of two files, one of which cannot be written, must not be applied by half.
            let refused = if self.diff { Vec::new() } else { refused(&fixed, request) };
            if refused.is_empty() {
                let changes = changes(&fixed, &files, request);
                let mut mended =
                    Mended { fixed, guesses: self.guesses, only_shown: self.diff, changes, unwritten };
                if self.diff {
                    mended.pretend(pretended);
                } else {
                    mended.write();
                }
                return Ok(mended);
            }
            for (file, problem) in refused {
                locked.push(file);
                unwritten.push(problem);
            }
        }
    }
}

/// The changed files that cannot be written, and why.
fn refused(fixed: &Fixed, request: &Request<'_>) -> Vec<(FileId, Problem)> {
    let refusal = |file: &Arc<FileSummary>| {
        let path = request.memory.table().path(file.id).to_path_buf();
        let error = host::replaceable(&path).err()?;
        Some((file.id, unwritten(path, &error)))
    };
    fixed.changed.iter().filter_map(refusal).collect()
}

fn unwritten(path: PathBuf, error: &ReplaceError) -> Problem {
    Problem { path, why: format!("its fixes were not written: {error}"), named: true }
}

fn changes(
    fixed: &Fixed,
    before: &FxHashMap<FileId, Arc<FileSummary>>,
    request: &Request<'_>,
) -> Vec<(PathBuf, Arc<str>, Arc<str>)> {
    let change = |new: &Arc<FileSummary>| {
        let path = request.memory.table().path(new.id).to_path_buf();
        Some((path, Arc::clone(&before.get(&new.id)?.text), Arc::clone(&new.text)))
    };
    let mut changes: Vec<_> = fixed.changed.iter().filter_map(change).collect();
    changes.sort_by(|a, b| a.0.cmp(&b.0));
    changes
}

impl Mended {
    /// Writes the changed files.
    fn write(&mut self) {
        for (path, old, new) in &self.changes {
            if let Err(error) = host::replace(path, old, new) {
                self.unwritten.push(unwritten(path.clone(), &error));
            }
        }
    }

    /// Puts the changed files before those on disk.
    fn pretend(&self, overlay: &mut Overlay) {
        for (path, _, new) in &self.changes {
            overlay.insert(path.clone(), Arc::clone(new));
        }
    }

    /// Shows the changes. `findings` are what would be left.
    ///
    /// # Errors
    /// When standard output fails.
    pub(super) fn show(&self, out: &mut Output, findings: &Findings, working: &Path) -> Result<Outcome> {
        for (path, old, new) in &self.changes {
            out.write(&report::diff(&host::relative(working, path), old, new))?;
        }
        out.flush()?;
        Ok(match findings.outcome() {
            Outcome::Failure => Outcome::Failure,
            _ if self.changes.is_empty() => Outcome::Clean,
            _ => Outcome::Findings,
        })
    }

    /// Fixes that did not do what they promised.
    pub(super) fn complain(&self, color: ColorChoice, findings: &Findings) {
        for (file, diagnostic) in &self.fixed.failed {
            let title = diagnostic.fix.as_ref().map_or("", |fix| fix.title.as_str());
            let (name, rule) = (findings.sources.name(*file), diagnostic.rule.name);
            let message = format!("{name}: a fix of `{rule}` does not work and was taken back: {title}");
            output::warn(color, &message);
        }
        if self.fixed.endless {
            output::warn(color, "the fixes have no end, so nothing was fixed; please report this as a bug");
        }
    }

    /// `3 fixed, 2 left, 1 needs --unsafe`; `findings` are what is left.
    pub(super) fn closing(&self, findings: &Findings) -> String {
        let is_guess = |entry: &&Entry| {
            let fix = entry.diagnostic.fix.as_ref();
            findings.files.contains(&entry.file)
                && fix.is_some_and(|fix| fix.applicability == Applicability::Unsafe)
        };
        let guesses = match self.guesses {
            true => 0,
            false => findings.entries.iter().filter(is_guess).count(),
        };
        let more = match guesses {
            0 => String::new(),
            1 => ", 1 needs --unsafe".into(),
            _ => format!(", {guesses} need --unsafe"),
        };
        let done = if self.only_shown { "would be fixed" } else { "fixed" };
        format!("{} {done}, {} left{more}", self.fixed.count, findings.entries.len())
    }
}
