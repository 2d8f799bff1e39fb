//! The programs that properties compare with (`@equivalent`, `@implies`).

use std::path::{Path, PathBuf};

use super::programs::Programs;
use crate::host::{self, Memory};
use crate::ide::verification::OtherProgram;
use mangle_syntax::text::FileId;

/// The folder of a file; else the working folder.
pub(super) fn folder_of(file: Option<FileId>, memory: &Memory, working: &Path) -> PathBuf {
    let path = file.map(|file| memory.table().path(file));
    path.and_then(|path| Some(path.parent()?.to_path_buf())).unwrap_or_else(|| working.to_path_buf())
}

/// The program that a property compares with, at a path that counts from `folder`.
pub(super) fn other_program(folder: &Path, path: &str, working: &Path) -> Result<OtherProgram, String> {
    let programs = Programs::load(&[host::absolute(folder, Path::new(path))], working);
    if let Some(problem) = programs.problems.first() {
        return Err(format!("{path}: {}", problem.why));
    }
    let program = (*programs.only(&format!("in {path}"))?.program).clone();
    let names = program.files.iter().map(|file| (file.id, programs.sources.name(file.id).to_owned()));
    Ok(OtherProgram { names: names.collect(), program })
}
