//! The targets of a command: paths, globs and folders.

use std::path::{Path, PathBuf};

use super::disk::plain;
use super::resolve::{PartialScan, Problem};
use super::walk::walk;
use super::{Overlay, absolute, is_mangle};
use mangle_settings::{FILE_NAME, Globs};

/// The pseudo path of standard input, in the working folder.
pub const STDIN: &str = "<stdin>";

/// A path, folder or glob to check.
#[derive(Debug, Clone, PartialEq)]
pub enum CheckTarget {
    /// A file, or an open document.
    File(PathBuf),
    /// All files below a folder.
    Folder(PathBuf),
    /// The files below a folder that match a glob relative to it.
    Glob(PathBuf, Globs),
    /// A file without a Mangle extension. The settings or the content of the file can classify it
    /// as a transcript. Otherwise, the file is Mangle, unless the extension belongs to another
    /// format.
    Other(PathBuf),
    /// A file that was explicitly given as a transcript.
    Transcript(PathBuf),
}

impl CheckTarget {
    /// True if the target selects the file at `path`.
    #[must_use]
    pub fn covers(&self, path: &Path) -> bool {
        match self {
            Self::File(file) | Self::Other(file) | Self::Transcript(file) => file == path,
            Self::Folder(folder) => path.starts_with(folder),
            Self::Glob(base, globs) => {
                path.strip_prefix(base).is_ok_and(|rest| globs.matches(&super::paths::slashes(rest)))
            }
        }
    }

    /// Returns the target of a path with wildcards, or `None` for any other path.
    pub(super) fn glob(path: &Path) -> Option<Self> {
        let is_wild = |part: &std::ffi::OsStr| part.to_string_lossy().contains(['*', '?', '[', '{']);
        let base: PathBuf = path.iter().take_while(|part| !is_wild(part)).collect();
        let pattern = super::paths::slashes(path.strip_prefix(&base).ok()?);
        if pattern.is_empty() || !base.is_dir() {
            return None;
        }
        Some(Self::Glob(base, Globs::new(vec![pattern]).ok()?))
    }

    /// Returns the folder to walk for this target.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::File(_) | Self::Other(_) | Self::Transcript(_) => None,
            Self::Folder(folder) | Self::Glob(folder, _) => Some(folder),
        }
    }
}

/// Parsed arguments of a command line.
#[derive(Debug, Default)]
pub struct CheckTargets {
    pub targets: Vec<CheckTarget>,
    /// Arguments that do not exist.
    pub problems: Vec<Problem>,
}

/// Parses the arguments of a command line in the folder `working`: files, folders, globs, and `-`
/// for standard input. A glob that is the name of an existing file is a file. Default: the working
/// folder.
#[must_use]
pub fn targets(arguments: &[PathBuf], working: &Path) -> CheckTargets {
    let mut targets = CheckTargets::default();
    for argument in arguments {
        targets.add(argument, working);
    }
    if arguments.is_empty() {
        targets.targets.push(CheckTarget::Folder(working.into()));
    }
    targets
}

/// [`targets`] for a command that also processes transcripts. The files in `transcripts` (files,
/// globs, `-` for standard input) are transcripts regardless of their names. The working folder is
/// not a default if only transcripts are given.
#[must_use]
pub fn targets_with_transcripts(
    arguments: &[PathBuf],
    transcripts: &[PathBuf],
    working: &Path,
) -> CheckTargets {
    let mut targets = match arguments.is_empty() && !transcripts.is_empty() {
        true => CheckTargets::default(),
        false => self::targets(arguments, working),
    };
    for named in transcripts {
        targets.add_transcripts(named, working);
    }
    targets
}

impl CheckTargets {
    fn add_transcripts(&mut self, argument: &Path, working: &Path) {
        if argument.as_os_str() == "-" {
            self.targets.push(CheckTarget::Transcript(working.join(STDIN)));
            return;
        }
        let path = absolute(working, argument);
        match path.metadata() {
            Ok(metadata) if !metadata.is_dir() => self.targets.push(CheckTarget::Transcript(path)),
            Ok(_) => self.add_all(&CheckTarget::Folder(path)),
            Err(error) => match CheckTarget::glob(&path) {
                Some(glob) => self.add_all(&glob),
                None => self.problems.push(Problem { path, why: plain(&error), named: true }),
            },
        }
    }

    /// Adds all files other than Mangle that a folder or a glob covers.
    fn add_all(&mut self, covering: &CheckTarget) {
        let Some(folder) = covering.folder() else { return };
        let mut tree = walk(folder, &Overlay::default());
        self.problems.append(&mut tree.problems);
        let cut = tree.limit.map(|limit| PartialScan { folder: folder.into(), limit, visited: tree.visited });
        self.problems.extend(cut.iter().map(PartialScan::problem));
        let found: Vec<_> = tree.others.into_iter().filter(|found| covering.covers(&found.path)).collect();
        if found.is_empty() {
            let path = match covering {
                CheckTarget::Glob(base, globs) => base.join(globs.patterns().join(" ")),
                _ => folder.into(),
            };
            self.problems.push(Problem {
                path,
                why: "no file that could be a transcript".into(),
                named: true,
            });
        }
        self.targets.extend(found.into_iter().map(|found| CheckTarget::Transcript(found.path)));
    }

    fn add(&mut self, argument: &Path, working: &Path) {
        if argument.as_os_str() == "-" {
            self.targets.push(CheckTarget::File(working.join(STDIN)));
            return;
        }
        let path = absolute(working, argument);
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => self.targets.push(CheckTarget::Folder(path)),
            // The name of a pipe does not indicate its content, so an explicitly given pipe is
            // accepted.
            Ok(metadata) if !metadata.is_file() || is_mangle(&path) || path.ends_with(FILE_NAME) => {
                self.targets.push(CheckTarget::File(path));
            }
            Ok(_) => self.targets.push(CheckTarget::Other(path)),
            Err(error) => match CheckTarget::glob(&path) {
                Some(glob) => self.targets.push(glob),
                None => self.problems.push(Problem { path, why: plain(&error), named: true }),
            },
        }
    }
}
