//! What is to be checked: the paths, globs and folders that were named.

use std::path::{Path, PathBuf};

use super::resolve::Problem;
use super::walk::plain;
use super::{absolute, is_mangle};
use crate::config::{FILE_NAME, Globs};

/// The name under which standard input is read, in the working folder.
pub const STDIN: &str = "<stdin>";

/// Something that is to be checked.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A file, or an open document.
    File(PathBuf),
    /// Everything below a folder.
    Folder(PathBuf),
    /// The files below a folder that a glob, relative to it, matches.
    Glob(PathBuf, Globs),
}

impl Target {
    /// Whether it selects the file at `path`.
    #[must_use]
    pub fn covers(&self, path: &Path) -> bool {
        match self {
            Self::File(file) => file == path,
            Self::Folder(folder) => path.starts_with(folder),
            Self::Glob(base, globs) => {
                path.strip_prefix(base).is_ok_and(|rest| globs.matches(&super::paths::slashes(rest)))
            }
        }
    }

    /// The folder that has to be walked for it.
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Self::File(_) => None,
            Self::Folder(folder) | Self::Glob(folder, _) => Some(folder),
        }
    }
}

/// The targets that the arguments of a command line mean in the folder `working`: files, folders,
/// globs (where no file has that very name), `-` for standard input; the working folder if
/// there are none. What cannot be a target is a problem.
#[must_use]
pub fn targets(arguments: &[PathBuf], working: &Path) -> (Vec<Target>, Vec<Problem>) {
    let mut problems = Vec::new();
    let one = |argument: &PathBuf| match target(argument, working) {
        Ok(target) => Some(target),
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    let targets = match arguments {
        [] => vec![Target::Folder(working.into())],
        _ => arguments.iter().filter_map(one).collect(),
    };
    (targets, problems)
}

fn target(argument: &Path, working: &Path) -> Result<Target, Problem> {
    let path = absolute(working, argument);
    if argument.as_os_str() == "-" {
        return Ok(Target::File(working.join(STDIN)));
    }
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(Target::Folder(path)),
        // A pipe has no telling name; whoever names one means it.
        Ok(metadata) if !metadata.is_file() || is_mangle(&path) || path.ends_with(FILE_NAME) => {
            Ok(Target::File(path))
        }
        Ok(_) => Err(Problem { path, why: "neither `.mg` nor `.gl`; not checked".into(), named: false }),
        Err(error) => glob(&path).ok_or_else(|| Problem { path, why: plain(&error), named: true }),
    }
}

/// The target of a path with wildcards in it; `None` for one without.
fn glob(path: &Path) -> Option<Target> {
    let is_wild = |part: &std::ffi::OsStr| part.to_string_lossy().contains(['*', '?', '[', '{']);
    let base: PathBuf = path.iter().take_while(|part| !is_wild(part)).collect();
    let pattern = super::paths::slashes(path.strip_prefix(&base).ok()?);
    if pattern.is_empty() || !base.is_dir() {
        return None;
    }
    Some(Target::Glob(base, Globs::new(vec![pattern]).ok()?))
}
