//! The other program of a comparison property (`@equivalent`, `@implies`), read from disk.

use std::path::Path;

use super::linked_programs::{LinkOptions, join, only};
use super::{
    CheckCache, Overlay, ProgramScope, VersionOptions, absolute, load, relative, resolve_scope, targets,
    unparsed,
};
use mangle_ide::verification::OtherProgram;
use mangle_syntax::text::FileId;

/// Loads the program at a path relative to `folder`, for the versions of its settings. File names
/// in output are relative to `working`.
///
/// # Errors
///
/// If a file cannot be read, or the path does not contain exactly one program.
pub fn other_program(folder: &Path, path: &str, working: &Path) -> Result<OtherProgram, String> {
    other_program_for(VersionOptions::default(), folder, path, working)
}

/// [`other_program`] for the versions of command-line options.
///
/// # Errors
///
/// If a file cannot be read, or the path does not contain exactly one program.
pub fn other_program_for(
    versions: VersionOptions,
    folder: &Path,
    path: &str,
    working: &Path,
) -> Result<OtherProgram, String> {
    let (memory, overlay) = (CheckCache::default(), Overlay::default().with_versions(versions));
    let named = targets(&[absolute(folder, Path::new(path))], working);
    let mut resolution = resolve_scope(&named.targets, ProgramScope::Exact, &overlay, memory.table());
    let (files, unread) = load(&resolution, &named.targets, &overlay, &memory, || {});
    let mut problems = named.problems;
    problems.append(&mut resolution.problems);
    problems.append(&mut resolution.empty_targets);
    problems.extend(unread);
    problems.extend(unparsed(&files, &named.targets, memory.table()));
    // Walk errors also count, because the program may be incomplete.
    if let Some(problem) = problems.first() {
        return Err(format!("{path}: {}", problem.why));
    }
    let programs = join(&resolution, &files, &LinkOptions::default());
    let joined = only(&programs, &|joined| &joined.name, &format!("in {path}"))?;
    let name = |file: FileId| relative(working, &memory.table().path(file));
    let names = joined.program.files.iter().map(|file| (file.id, name(file.id))).collect();
    Ok(OtherProgram { program: (*joined.program).clone(), names })
}
