//! `check --fix`, `--unsafe-fixes` and `--diff`: applies fixes or shows them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use clap::{Args, ColorChoice};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ExitStatus;
use super::findings::{Findings, FindingsRequest};
use super::output::{self, Output};
use super::write_fixes::{ChangedFile, unwritten, write_together};
use mangle_engine::program::FileSummary;
use mangle_host::{CheckInputsMap, FixedFile, MAX_FILE_LEN, Overlay, Problem, Resolution, SkipReason};
use mangle_ide::fixes::{FixOutcome, FixRequest, FixResult, MAX_PASSES};
use mangle_report::ReportEntry;
use mangle_syntax::lint::{Applicability, Diagnostic, ResolvedFix};
use mangle_syntax::text::FileId;
use piggyback::transcript::MAX_DOCUMENT_LEN;

/// The options for fixes.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("fixing").args(["fix", "captures", "diff"]).multiple(true))]
pub(super) struct FixArgs {
    /// Apply safe fixes, and report the remaining findings
    ///
    /// Captured transcripts are evidence and are left unchanged, unless you use
    /// `--fix-transcripts`.
    #[arg(long, conflicts_with_all = ["watch", "write_baseline"])]
    fix: bool,
    /// With `--fix` or `--diff`: also apply unsafe fixes, which are guesses
    #[arg(long = "unsafe-fixes", requires = "fixing")]
    guesses: bool,
    /// Like `--fix`, and also fix captured transcripts, which are evidence; their words and numbers
    /// stay
    ///
    /// Quotes, brackets, commas, full stops, escapes, keys and the order of fields may change. If
    /// a fix would insert a value or delete a part of the transcript, the finding is reported instead.
    #[arg(long = "fix-transcripts", conflicts_with_all = ["watch", "write_baseline"])]
    captures: bool,
    /// Show the changes of `--fix` as a unified diff, and change nothing
    ///
    /// Exit status 1 if anything would change.
    #[arg(long, conflicts_with_all = ["watch", "write_baseline"])]
    diff: bool,
}

pub(super) struct FixReport {
    done: FixOutcome,
    /// True if unsafe fixes were also applied.
    guesses: bool,
    /// True if fixes of captures were also applied.
    evidence: bool,
    /// True if nothing is written.
    only_shown: bool,
    changes: Vec<ChangedFile>,
    /// Files that are never fixed.
    left: Vec<(FileId, PathBuf, SkipReason)>,
    /// Files that could not be written.
    pub(super) unwritten: Vec<Problem>,
}

/// File, rule code and byte range of a finding.
type Key = (FileId, &'static str, u64, u64);

fn key(file: FileId, diagnostic: &Diagnostic) -> Key {
    let range = diagnostic.range;
    (file, diagnostic.rule.code, u32::from(range.start()).into(), u32::from(range.end()).into())
}

/// The keys of findings, with ranges relative to whole files.
fn keys(findings: &Findings) -> FxHashSet<Key> {
    let key = |entry: &ReportEntry| {
        let (file, found) = (entry.file, &entry.diagnostic);
        let place = |offset| findings.sources.offset(file, offset);
        let (start, end) = (place(found.range.start()), place(found.range.end()));
        (findings.sources.owner(file), found.rule.code, start, end)
    };
    findings.entries.iter().map(key).collect()
}

impl FixArgs {
    /// True if fixes are applied or shown.
    pub(super) fn is_on(&self) -> bool {
        self.fix || self.captures || self.diff
    }

    /// True if changes are only shown.
    pub(super) fn only_shows(&self) -> bool {
        self.diff
    }

    /// Fixes the files of `resolution`: on disk, or in `pretended` if changes are only shown. With
    /// `only`, fixes exactly these findings in a single pass. Otherwise repeats for findings that
    /// appear after earlier fixes.
    pub(super) fn apply(
        &self,
        request: &FindingsRequest<'_>,
        resolution: &Resolution,
        only: Option<&Findings>,
        pretended: &mut Overlay,
    ) -> FixReport {
        let reported = only.map(keys);
        let wanted = |file: FileId, diagnostic: &Diagnostic| {
            reported.as_ref().is_none_or(|reported| reported.contains(&key(file, diagnostic)))
        };
        let passes = if only.is_some() { 1 } else { MAX_PASSES };
        let wish = FixRequest {
            include_unsafe: self.guesses,
            evidence: self.captures,
            wanted: &wanted,
            editable: &|_| true,
            passes,
        };
        let mut fix_report = FixReport {
            done: FixOutcome::default(),
            guesses: self.guesses,
            evidence: self.captures,
            only_shown: self.diff,
            changes: Vec::new(),
            left: Vec::new(),
            unwritten: Vec::new(),
        };
        let files = self.fix_programs(request, resolution, wish, &mut fix_report);
        self.fix_standalone_files(request, resolution, &files, wish, &mut fix_report);
        if !resolution.previews.is_empty() || !resolution.corpora.is_empty() {
            self.apply_prompt_fixes(request, wish, &mut fix_report);
        }
        fix_report.changes.sort_by(|a, b| a.path.cmp(&b.path));
        if self.diff {
            fix_report.pretend(pretended);
        } else {
            fix_report.write(request.working);
        }
        fix_report
    }

    /// Fixes the programs and returns their fixed files.
    fn fix_programs(
        &self,
        request: &FindingsRequest<'_>,
        resolution: &Resolution,
        wish: FixRequest<'_>,
        fix_report: &mut FixReport,
    ) -> FxHashMap<FileId, Arc<FileSummary>> {
        let (mut files, _) =
            mangle_host::load(resolution, request.targets, request.overlay, request.memory, || ());
        let snapshot = request.memory.snapshot(resolution, &files, request.overlay);
        let mut locked = Vec::new();
        loop {
            let editable = |file| !locked.contains(&file);
            let fixed = snapshot.fix(&snapshot.programs, FixRequest { editable: &editable, ..wish });
            // A fix of two files must not be applied partially if one of them is read-only.
            let refused = if self.diff { Vec::new() } else { refused(&fixed, request) };
            if refused.is_empty() {
                fix_report.changes = changes(&fixed, &files, request);
                fix_report.done = fixed.done;
                files.extend(fixed.changed.into_iter().map(|file| (file.id, file)));
                return files;
            }
            for (file, problem) in refused {
                locked.push(file);
                fix_report.unwritten.push(problem);
            }
        }
    }

    /// Fixes files that are checked alone. Transcripts are checked against the declarations of
    /// programs with these `files`.
    fn fix_standalone_files(
        &self,
        request: &FindingsRequest<'_>,
        resolution: &Resolution,
        files: &FxHashMap<FileId, Arc<FileSummary>>,
        wish: FixRequest<'_>,
        fix_report: &mut FixReport,
    ) {
        let knowledges = CheckInputsMap::new(resolution, files, request.profile);
        let fixed = mangle_host::fix_standalone(request.of_transcripts(resolution, &knowledges), files, wish);
        fix_report.left = fixed.left;
        for FixedFile { file, path, before, fixed } in fixed.files {
            let refusal = || mangle_host::replaceable(&path).err();
            if let Some(error) = fixed.changed.as_ref().filter(|_| !self.diff).and_then(|_| refusal()) {
                fix_report.unwritten.push(unwritten(path, &error));
                continue;
            }
            fix_report.done.count += fixed.done.count;
            fix_report.done.edited.extend(fixed.done.edited);
            fix_report.done.failed.extend(fixed.done.failed);
            fix_report.done.endless |= fixed.done.endless;
            fix_report.done.unfinished |= fixed.done.unfinished;
            let change = |after| ChangedFile { file, path, before, after, is_policy: false };
            fix_report.changes.extend(fixed.changed.map(change));
        }
    }

    /// Fixes the inputs of prompts, after all other fixes.
    fn apply_prompt_fixes(
        &self,
        request: &FindingsRequest<'_>,
        wish: FixRequest<'_>,
        fix_report: &mut FixReport,
    ) {
        let mut overlay = request.overlay.clone();
        for change in fix_report.changes.iter().filter(|change| change.is_policy) {
            overlay.insert_bytes(change.path.clone(), change.after.to_vec());
        }
        let (files, done) = mangle_host::fix_prompts(request.targets, &overlay, request.memory, wish);
        fix_report.done.count += done.count;
        fix_report.done.edited.extend(done.edited);
        fix_report.done.failed.extend(done.failed);
        fix_report.done.endless |= done.endless;
        fix_report.done.unfinished |= done.unfinished;
        for FixedFile { file, path, before, fixed } in files {
            let Some(after) = fixed.changed else { continue };
            if let Some(known) = fix_report.changes.iter_mut().find(|change| change.path == path) {
                known.after = after;
                continue;
            }
            match mangle_host::replaceable(&path).err().filter(|_| !self.diff) {
                Some(error) => fix_report.unwritten.push(unwritten(path, &error)),
                None => {
                    let is_policy = mangle_host::is_mangle(&path);
                    fix_report.changes.push(ChangedFile { file, path, before, after, is_policy });
                }
            }
        }
    }
}

/// The changed files that cannot be written, with the reason.
fn refused(fixed: &FixResult, request: &FindingsRequest<'_>) -> Vec<(FileId, Problem)> {
    let refusal = |file: &Arc<FileSummary>| {
        let path = request.memory.table().path(file.id).to_path_buf();
        let error = mangle_host::replaceable(&path).err()?;
        Some((file.id, unwritten(path, &error)))
    };
    fixed.changed.iter().filter_map(refusal).collect()
}

fn changes(
    fixed: &FixResult,
    before: &FxHashMap<FileId, Arc<FileSummary>>,
    request: &FindingsRequest<'_>,
) -> Vec<ChangedFile> {
    let change = |new: &Arc<FileSummary>| {
        let path = request.memory.table().path(new.id).to_path_buf();
        let before = before.get(&new.id)?.text.as_bytes().into();
        Some(ChangedFile { file: new.id, path, before, after: new.text.as_bytes().into(), is_policy: true })
    };
    fixed.changed.iter().filter_map(change).collect()
}

impl FixReport {
    /// Writes the changed files. Afterwards, only fixes that were written are counted.
    fn write(&mut self, working: &Path) {
        let written = write_together(&self.changes, &self.done.edited, working);
        self.done.count = written.count;
        self.unwritten.extend(written.problems);
    }

    /// Adds the changed files to the overlay.
    fn pretend(&self, overlay: &mut Overlay) {
        for ChangedFile { path, after, is_policy, .. } in &self.changes {
            // The configuration of a runtime is also read as text.
            if *is_policy || after.len() <= MAX_FILE_LEN {
                overlay.insert_bytes(path.clone(), after.to_vec());
            }
            if !is_policy {
                overlay.insert_transcript(path.clone(), Arc::clone(after));
            }
        }
    }

    /// Shows the changes. `findings` are the remaining findings.
    ///
    /// # Errors
    /// If standard output fails.
    pub(super) fn show(&self, out: &mut Output, findings: &Findings, working: &Path) -> Result<ExitStatus> {
        for change in &self.changes {
            out.write(&change.diff(&mangle_host::relative(working, &change.path)))?;
        }
        out.flush()?;
        Ok(match findings.outcome() {
            ExitStatus::Failure => ExitStatus::Failure,
            _ if self.changes.is_empty() && !self.leaves_fixes(findings) => ExitStatus::Clean,
            _ => ExitStatus::Findings,
        })
    }

    /// True if some requested fixes were not applied, which affects the exit status.
    pub(super) fn leaves_fixes(&self, findings: &Findings) -> bool {
        let is_left = |entry: &ReportEntry| {
            let fix = entry.diagnostic.fix.as_ref().filter(|_| findings.is_fixed(entry));
            fix.is_some_and(|fix| self.missing(fix) == Some(MissingOptions::default()))
        };
        let FixOutcome { failed, endless, unfinished, .. } = &self.done;
        *endless || *unfinished || !failed.is_empty() || findings.entries.iter().any(is_left)
    }

    /// Warns about fixes that failed, and about fixes in files that were skipped.
    pub(super) fn complain(&self, color: ColorChoice, findings: &Findings, working: &Path) {
        for (file, diagnostic) in &self.done.failed {
            let title = diagnostic.advice().unwrap_or("");
            let (name, rule) = (findings.sources.name(*file), diagnostic.rule.name);
            let message = format!("{name}: a fix of `{rule}` does not work and was taken back: {title}");
            output::warn(color, &message);
        }
        if self.done.endless {
            output::warn(color, "the fixes have no end, so nothing was fixed; please report this as a bug");
        }
        if self.done.unfinished {
            output::warn(
                color,
                "too many fixes do not work, so some were not tried; correct what is reported, then fix again",
            );
        }
        for (file, path, why) in &self.left {
            let count =
                findings.entries.iter().filter(|entry| self.would_fix(entry, *file, findings)).count();
            if count > 0 {
                let name = mangle_host::relative(working, path);
                output::warn(color, &format!("{name}: {}", why_left(*why, count)));
            }
        }
    }

    /// True if a finding of a skipped file would have been fixed.
    fn would_fix(&self, entry: &ReportEntry, file: FileId, findings: &Findings) -> bool {
        let is_own = findings.sources.owner(entry.file) == file;
        is_own
            && entry
                .diagnostic
                .fix
                .as_ref()
                .is_some_and(|fix| self.missing(fix) == Some(MissingOptions::default()))
    }

    /// The summary: `3 fixed, 2 left, 1 needs --unsafe-fixes`. `findings` are the remaining
    /// findings.
    pub(super) fn closing(&self, findings: &Findings) -> String {
        let missing = |entry: &ReportEntry| {
            let file = findings.sources.owner(entry.file);
            let is_fixed = findings.is_fixed(entry) && !self.left.iter().any(|(left, ..)| *left == file);
            self.missing(entry.diagnostic.fix.as_ref().filter(|_| is_fixed)?)
        };
        let mut counts: BTreeMap<MissingOptions, usize> = BTreeMap::new();
        for missing in findings.entries.iter().filter_map(missing) {
            *counts.entry(missing).or_default() += 1;
        }
        let more =
            counts.into_iter().filter_map(|(missing, count)| Some(format!(", {}", missing.told(count)?)));
        let done = if self.only_shown { "would be fixed" } else { "fixed" };
        format!("{} {done}, {} left{}", self.done.count, findings.entries.len(), more.collect::<String>())
    }

    /// The options that a fix requires and that are not given. `None` if the fix has no edits.
    fn missing(&self, fix: &ResolvedFix) -> Option<MissingOptions> {
        let guesses = !self.guesses && fix.applicability == Applicability::Unsafe;
        (!fix.edits.is_empty())
            .then_some(MissingOptions { evidence: !self.evidence && fix.evidence, guesses })
    }
}

/// Missing options that a fix requires.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct MissingOptions {
    /// `--fix-transcripts`.
    evidence: bool,
    /// `--unsafe-fixes`.
    guesses: bool,
}

impl MissingOptions {
    /// The message: `2 in captures need --fix-transcripts`. `None` if no option is missing.
    fn told(self, count: usize) -> Option<String> {
        let (place, options) = match (self.evidence, self.guesses) {
            (false, false) => return None,
            (false, true) => ("", "--unsafe-fixes"),
            (true, false) => (" in captures", "--fix-transcripts"),
            (true, true) => (" in captures", "--fix-transcripts --unsafe-fixes"),
        };
        let verb = if count == 1 { "needs" } else { "need" };
        Some(format!("{count}{place} {verb} {options}"))
    }
}

/// The reason that fixes of a file were not applied.
fn why_left(why: SkipReason, count: usize) -> String {
    let what = if count == 1 { "a fix is".to_owned() } else { format!("{count} fixes are") };
    match why {
        SkipReason::Compressed => format!("{what} not applied, because the file is compressed"),
        SkipReason::TooLong(len) => format!(
            "{what} not applied, because the file has {} MiB; files of up to {} MiB are fixed",
            len.div_ceil(1 << 20),
            MAX_DOCUMENT_LEN >> 20
        ),
    }
}
