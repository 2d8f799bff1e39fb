//! Fixing the files of a resolution, and writing them.

use std::fs::Metadata;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tempfile::NamedTempFile;

use super::Memory;
use super::resolve::{ProgramFiles, Resolution};
use super::walk::plain;
use crate::ide::fixes::{self, Bench, Fixed, Unit, Wish};
use crate::program::FileSummary;
use crate::text::FileId;

/// Applies the fixes that `wish` asks for to `files`, which [`super::load`] gave. Touches nothing on disk.
#[must_use]
pub fn fix(
    resolution: &Resolution,
    files: FxHashMap<FileId, Arc<FileSummary>>,
    memory: &Memory,
    wish: Wish<'_>,
) -> Fixed {
    let units = resolution.programs.iter().flat_map(|program| units(program, memory)).collect();
    fixes::fix(&mut Bench { units, files }, wish)
}

/// The program itself and one for each of its sample kernels and policy tests.
fn units(program: &ProgramFiles, memory: &Memory) -> Vec<Unit> {
    let unit = |files, reported, single| Unit {
        files,
        reported,
        rules: Arc::new(program.settings.rules.clone()),
        embedding: Arc::clone(&program.embedding),
        cache: memory.cache(program, single),
    };
    let wanted = program.members.iter().filter(|member| member.reported);
    let mut reported: Vec<_> = wanted.map(|member| member.file).collect();
    reported.sort_unstable();
    let mut units = vec![unit(program.members.iter().map(|member| member.file).collect(), reported, None)];
    for single in program.singles.iter().filter(|single| single.member.reported) {
        let file = single.member.file;
        units.push(unit(program.with(single), vec![file], Some(file)));
    }
    units.retain(|unit| !unit.reported.is_empty());
    units
}

/// Why a file was not replaced.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// Its permissions say so.
    #[error("it is read-only")]
    ReadOnly,
    /// Somebody else wrote to it.
    #[error("it changed meanwhile")]
    Changed,
    /// The system refused.
    #[error("{}", plain(.0))]
    Io(#[from] io::Error),
}

/// Whether [`replace`] may write a file.
///
/// # Errors
/// When the file is read-only, is gone, or its folder cannot be written to.
pub fn replaceable(path: &Path) -> Result<(), ReplaceError> {
    place(path).map(drop)
}

/// Replaces a file by a new text, all at once: whoever reads it meanwhile sees the old or the new one. Its permissions
/// stay; a link stays, and what it leads to is replaced.
///
/// # Errors
/// When the file is read-only, is gone, is no longer `old`, or its folder cannot be written to.
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<(), ReplaceError> {
    let Place { path, metadata, mut new_file } = place(path)?;
    let is_old = metadata.len() == old.len() as u64 && std::fs::read(&path)? == old;
    if !is_old {
        return Err(ReplaceError::Changed);
    }
    new_file.write_all(new)?;
    keep_owner(new_file.path(), &metadata);
    std::fs::set_permissions(new_file.path(), metadata.permissions())?;
    new_file.as_file().sync_all()?;
    new_file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

/// A file that can be replaced.
struct Place {
    /// Where it really is.
    path: PathBuf,
    metadata: Metadata,
    /// What will take its place; vanishes if it does not.
    new_file: NamedTempFile,
}

fn place(path: &Path) -> Result<Place, ReplaceError> {
    let path = std::fs::canonicalize(path)?;
    let metadata = std::fs::metadata(&path)?;
    if metadata.permissions().readonly() {
        return Err(ReplaceError::ReadOnly);
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    let new_file = tempfile::Builder::new().prefix(".mangle-ls-").tempfile_in(folder)?;
    Ok(Place { path, metadata, new_file })
}

/// A new file belongs to whoever makes it. Only some users may give one away, so a refusal is no error.
#[cfg(unix)]
fn keep_owner(path: &Path, metadata: &Metadata) {
    use std::os::unix::fs::MetadataExt as _;
    let _ = std::os::unix::fs::chown(path, Some(metadata.uid()), Some(metadata.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &Metadata) {}
