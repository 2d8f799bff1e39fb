//! Corpora: the local one of a target is made small again, and what it has beyond the seeds can be kept in the repository.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use super::build::Fuzzer;
use super::table::Target;
use super::{folder, made};

/// The longest input that is kept in the repository, in bytes.
const MOST_BYTES: u64 = 2 << 10;

/// How many inputs of a target are kept in the repository at most.
const MOST_FILES: usize = 24;

/// How many inputs there are in a folder.
pub(super) fn count(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, |entries| entries.count())
}

/// Leaves of the inputs in a folder those that reach something that the others do not.
pub(super) fn minimise(fuzzer: &Fuzzer, target: &Target, corpus: &Path) -> Result<()> {
    let small = folder(target, "corpus.new")?;
    merge(fuzzer, target, &small, &[corpus])?;
    ensure!(count(&small) > 0 || count(corpus) == 0, "nothing is left of the corpus of {}", target.name);
    fs::remove_dir_all(corpus).and_then(|()| fs::rename(&small, corpus)).context("cannot exchange the corpus")
}

/// Adds to the first folder what the others have that reaches something new.
fn merge(fuzzer: &Fuzzer, target: &Target, into: &Path, from: &[&Path]) -> Result<()> {
    let mut command = fuzzer.command(target);
    command.args(["-merge=1", "-rss_limit_mb=2048", "-timeout=60"]).arg(into).args(from);
    command.arg(format!("-artifact_prefix={}/", folder(target, "crashes")?.display()));
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    ensure!(
        status.context("cannot run the fuzz targets")?.success(),
        "the corpus of {} cannot be merged",
        target.name
    );
    Ok(())
}

/// Copies inputs of the local corpus to the repository: the smallest that reach something that seeds and kept inputs do
/// not. Gives how many.
pub(super) fn keep(fuzzer: &Fuzzer, target: &Target) -> Result<usize> {
    let kept = made(&crate::root().join("fuzz/corpus").join(&target.name))?;
    let (seeds, local) = (folder(target, "seeds")?, folder(target, "corpus")?);
    let base = tempfile::tempdir()?;
    for folder in [&seeds, &kept] {
        for (name, path) in files(folder)? {
            fs::copy(path, base.path().join(name))?;
        }
    }
    let known: BTreeSet<OsString> = files(base.path())?.into_iter().map(|(name, _)| name).collect();
    merge(fuzzer, target, base.path(), &[&local])?;
    let mut new: Vec<(u64, OsString, PathBuf)> = Vec::new();
    for (name, path) in files(base.path())? {
        let len = fs::metadata(&path)?.len();
        if !known.contains(&name) && len <= MOST_BYTES {
            new.push((len, name, path));
        }
    }
    new.sort();
    new.truncate(MOST_FILES.saturating_sub(count(&kept)));
    for (_, name, path) in &new {
        fs::copy(path, kept.join(name))?;
    }
    Ok(new.len())
}

fn files(folder: &Path) -> Result<Vec<(OsString, PathBuf)>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    entries
        .map(|entry| entry.map(|entry| (entry.file_name(), entry.path())).context("cannot read a folder"))
        .collect()
}
