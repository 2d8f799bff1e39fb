//! The files of a git repository at a revision, read with `git` and kept in memory.
//!
//! The files get paths below a nonexistent folder next to the repository. The code that resolves
//! the working tree can therefore also resolve the revision.

use std::ffi::OsStr;
use std::io;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::{CheckTarget, MAX_FILE_LEN, Overlay, absolute, is_mangle};
use mangle_settings::FILE_NAME;

#[derive(Debug, thiserror::Error)]
pub enum GitRevisionError {
    /// `git` cannot be run.
    #[error("`git` cannot be run: {0}")]
    NoGit(io::Error),
    /// The folder is not in a git repository, or git refuses to read the repository.
    #[error("there is no git repository to compare with: {0}")]
    NoRepository(String),
    #[error(
        "git knows no revision `{0}` here. A shallow clone has only the newest; in CI, fetch the history \
         (`fetch-depth: 0`)"
    )]
    UnknownRevision(String),
    /// A path to check is outside the repository.
    #[error("{} lies outside of the git repository, so it has no past", .0.display())]
    Outside(PathBuf),
    #[error("git cannot read that revision: {0}")]
    Git(String),
}

/// The Mangle and configuration files of a revision.
#[derive(Debug)]
pub struct GitRevision {
    root: PathBuf,
    /// The virtual root folder of the files.
    place: PathBuf,
    /// The files, by their path relative to the repository.
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl GitRevision {
    /// Reads `revision` of the repository that contains the folder `working`.
    ///
    /// # Errors
    ///
    /// See [`GitRevisionError`].
    pub fn read(working: &Path, revision: &str) -> Result<Self, GitRevisionError> {
        let root = root(working)?;
        let unknown = || GitRevisionError::UnknownRevision(revision.into());
        // Git would parse it as an option.
        if revision.starts_with('-') {
            return Err(unknown());
        }
        let commit = format!("{revision}^{{commit}}");
        let output = run(working, &["rev-parse", "--verify", "--quiet", &commit])?;
        let commit = if output.status.success() { first_line(&output.stdout) } else { return Err(unknown()) };
        let listed = run(working, &["ls-tree", "-r", "-z", "--full-tree", &commit])?;
        if !listed.status.success() {
            return Err(GitRevisionError::Git(complaint(&listed)));
        }
        let blobs: Vec<_> = listed.stdout.split(|byte| *byte == 0).filter_map(Blob::parse).collect();
        let files = contents(working, &blobs)?;
        let place = free_place(&root, commit.get(..12).unwrap_or(&commit));
        Ok(Self { root, place, files })
    }

    /// Returns the targets at the revision, and an overlay with the files of the revision and of
    /// `overlay`.
    ///
    /// # Errors
    ///
    /// If a target is outside the repository.
    pub fn targets(
        &self,
        targets: &[CheckTarget],
        mut overlay: Overlay,
    ) -> Result<(Vec<CheckTarget>, Overlay), GitRevisionError> {
        for (path, bytes) in self.files.iter().filter(|(path, _)| self.is_seen(path, targets)) {
            overlay.insert_bytes(self.place.join(path), bytes.clone());
        }
        overlay.set_repository(self.place.clone());
        let then = |target: &CheckTarget| {
            Ok(match target {
                CheckTarget::File(path) => CheckTarget::File(self.then(path)?),
                CheckTarget::Other(path) => CheckTarget::Other(self.then(path)?),
                CheckTarget::Transcript(path) => CheckTarget::Transcript(self.then(path)?),
                CheckTarget::Folder(path) => CheckTarget::Folder(self.then(path)?),
                CheckTarget::Glob(path, globs) => CheckTarget::Glob(self.then(path)?, globs.clone()),
            })
        };
        Ok((targets.iter().map(then).collect::<Result<_, _>>()?, overlay))
    }

    /// Maps the absolute path of a current file or folder to its virtual path at the revision.
    ///
    /// # Errors
    ///
    /// If the path is outside the repository.
    pub fn then(&self, path: &Path) -> Result<PathBuf, GitRevisionError> {
        let below = path.strip_prefix(&self.root).map_err(|_| GitRevisionError::Outside(path.into()))?;
        // Joining an empty path would add a trailing slash.
        Ok(if below.as_os_str().is_empty() { self.place.clone() } else { self.place.join(below) })
    }

    /// True if a walk of the repository or of a target reaches the file. A hidden file is reached
    /// only from a target inside the hidden folder.
    fn is_seen(&self, path: &Path, targets: &[CheckTarget]) -> bool {
        let today = self.root.join(path);
        let is_below = |target: &CheckTarget| {
            let base = match target {
                CheckTarget::File(file) | CheckTarget::Other(file) | CheckTarget::Transcript(file) => {
                    file.parent().unwrap_or(file)
                }
                CheckTarget::Folder(folder) | CheckTarget::Glob(folder, _) => folder,
            };
            today.strip_prefix(base).is_ok_and(|below| !is_hidden(below))
        };
        !is_hidden(path) || targets.iter().any(is_below)
    }
}

fn is_hidden(path: &Path) -> bool {
    path.iter().any(|part| part.as_encoded_bytes().starts_with(b"."))
}

/// Returns the top folder of the repository that contains `working`.
fn root(working: &Path) -> Result<PathBuf, GitRevisionError> {
    let output = run(working, &["rev-parse", "--is-inside-work-tree", "--show-cdup"])?;
    if !output.status.success() {
        return Err(GitRevisionError::NoRepository(complaint(&output)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    match text.split_once('\n') {
        Some(("true", up)) => Ok(absolute(working, Path::new(up.trim_end_matches('\n')))),
        _ => Err(GitRevisionError::NoRepository("this is no working tree".into())),
    }
}

/// Returns the path of a nonexistent folder next to the repository.
fn free_place(root: &Path, commit: &str) -> PathBuf {
    let name = root.file_name().unwrap_or(OsStr::new("root")).to_string_lossy();
    let mut place = root.with_file_name(format!("{name}@{commit}"));
    while place.exists() {
        place.as_mut_os_string().push("_");
    }
    place
}

struct Blob {
    id: String,
    path: PathBuf,
}

impl Blob {
    /// Parses a row of `git ls-tree`: `MODE blob ID<tab>PATH`. Returns `None` for links and for
    /// files of other kinds.
    fn parse(row: &[u8]) -> Option<Self> {
        let tab = memchr::memchr(b'\t', row)?;
        let (head, path) = (std::str::from_utf8(row.get(..tab)?).ok()?, path(row.get(tab + 1..)?));
        let mut words = head.split(' ');
        let (mode, kind, id) = (words.next()?, words.next()?, words.next()?);
        let is_file = kind == "blob" && mode.starts_with("100");
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        let is_ours = is_mangle(&path) || path.ends_with(FILE_NAME);
        (is_file && is_inside && is_ours).then(|| Self { id: id.into(), path })
    }
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// Reads the contents of the files with one `git cat-file` process.
fn contents(working: &Path, blobs: &[Blob]) -> Result<Vec<(PathBuf, Vec<u8>)>, GitRevisionError> {
    let failed = |error: io::Error| GitRevisionError::Git(error.to_string());
    let mut command = git(working);
    command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(GitRevisionError::NoGit)?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let wanted: String = blobs.iter().flat_map(|blob| [blob.id.as_str(), "\n"]).collect();
    // Written from a separate thread: git answers before it has read all input, and both pipes
    // would be full.
    let ask = move || input.map(|mut input| input.write_all(wanted.as_bytes()));
    let asking = std::thread::Builder::new().name("git".into()).spawn(ask);
    let asking =
        asking.map_err(|error| GitRevisionError::Git(format!("no thread can be started: {error}")))?;
    let mut output = BufReader::new(output.ok_or_else(|| GitRevisionError::Git("it has no output".into()))?);
    let file = |blob: &Blob| Ok((blob.path.clone(), answer(&mut output)?));
    let files: io::Result<Vec<_>> = blobs.iter().map(file).collect();
    // Closing the output ends git, and therefore also the writer thread, even after an error.
    drop(output);
    // Requests that could not be written have no answer.
    let _ = asking.join();
    child.wait().map_err(failed)?;
    files.map_err(failed)
}

/// Reads one answer: `ID blob LENGTH`, the content and a line end.
fn answer(output: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut head = String::new();
    output.read_line(&mut head)?;
    let len = head.trim_end().rsplit(' ').next().and_then(|len| len.parse::<u64>().ok());
    let len = len.ok_or_else(|| io::Error::other(format!("unexpected answer `{}`", head.trim_end())))?;
    let mut content = Vec::new();
    // A file over the limit is not used, but detecting it takes one more byte than the limit.
    let wanted = len.min(MAX_FILE_LEN as u64 + 1);
    output.by_ref().take(wanted).read_to_end(&mut content)?;
    io::copy(&mut output.by_ref().take(len - wanted), &mut io::sink())?;
    let mut end = [0; 1];
    output.read_exact(&mut end)?;
    Ok(content)
}

fn git(working: &Path) -> Command {
    let mut command = Command::new("git");
    // The messages are shown to users, and no code parses them.
    command.current_dir(working).env("LC_ALL", "C").stdin(Stdio::null());
    command
}

fn run(working: &Path, arguments: &[&str]) -> Result<Output, GitRevisionError> {
    git(working).args(arguments).output().map_err(GitRevisionError::NoGit)
}

/// Returns the first line that a git command writes, if the command succeeds.
pub(super) fn line_of(working: &Path, arguments: &[&str]) -> Option<String> {
    let output = run(working, arguments).ok()?;
    output.status.success().then(|| first_line(&output.stdout))
}

/// Returns the error message of a failed git command.
fn complaint(output: &Output) -> String {
    let line = first_line(&output.stderr);
    line.strip_prefix("fatal: ").unwrap_or(&line).to_owned()
}

fn first_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).lines().next().unwrap_or_default().to_owned()
}

/// Returns the newest revision that changed `path`, for example `1a2b3c4 of 2026-01-31`, with a
/// note about uncommitted changes. Returns `None` outside a repository, or if `git` cannot be run.
#[must_use]
pub fn revision(path: &Path) -> Option<String> {
    let folder = if path.is_dir() { path } else { path.parent()? };
    let path = path.to_str()?;
    let log = ["--no-optional-locks", "log", "-1", "--format=%h of %cs", "--", path];
    let newest = line_of(folder, &log).filter(|line| !line.is_empty())?;
    let status = ["--no-optional-locks", "status", "--porcelain", "--", path];
    let is_changed = line_of(folder, &status).is_some_and(|line| !line.is_empty());
    Some(if is_changed { format!("{newest}, with changes that are not committed") } else { newest })
}
