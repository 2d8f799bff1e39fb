//! A temporary file that has no name, or a hidden name, until it replaces another file.
//!
//! On Linux, the file has no name while it is written, so that a killed process leaves no file
//! behind. On file systems without unnamed files, it has a hidden name and is removed on drop.

use std::fs::Metadata;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::TempPath;

use super::access::{DiskOperation, check};

/// The prefix of the temporary name before the rename.
const PREFIX: &str = ".mangle-ls-";

/// Permissions of a temporary file until it receives the permissions of the file that it replaces.
pub(super) const PRIVATE: u32 = 0o600;

/// Permissions of a new file, before the umask is applied.
pub(super) const SHARED: u32 = 0o666;

#[derive(Debug)]
pub(super) struct Scratch {
    file: fs::File,
    folder: PathBuf,
    /// `None` for an unnamed file.
    name: Option<TempPath>,
    /// The final path.
    becomes: PathBuf,
}

impl Scratch {
    /// Creates a temporary file in the folder of its final path.
    ///
    /// # Errors
    ///
    /// If the folder is not writable.
    pub(super) fn new(becomes: &Path, mode: u32) -> io::Result<Self> {
        check(DiskOperation::Create, becomes)?;
        let folder = match becomes.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let (file, name) = match unnamed(folder, mode) {
            Ok(file) => (file, None),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(error),
            Err(_) => {
                let (file, name) = named(folder, mode)?;
                (file, Some(name))
            }
        };
        Ok(Self { file, folder: folder.into(), name, becomes: becomes.into() })
    }

    /// Copies the owner and the permissions of another file.
    ///
    /// # Errors
    ///
    /// If the permissions cannot be set. A failure to set the owner is not an error, because most
    /// users may not change owners.
    pub(super) fn protect_like(&self, metadata: &Metadata) -> io::Result<()> {
        check(DiskOperation::Protect, &self.becomes)?;
        keep_owner(&self.file, metadata);
        self.file.set_permissions(metadata.permissions())
    }

    /// Flushes the file to disk.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(super) fn sync(&self) -> io::Result<()> {
        check(DiskOperation::Sync, &self.becomes)?;
        self.file.sync_all()
    }

    /// Names the file. The named file is removed when the name is dropped.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(super) fn into_name(self) -> io::Result<TempPath> {
        match self.name {
            Some(name) => Ok(name),
            None => link(&self.file, &self.folder),
        }
    }
}

impl Write for Scratch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let extent = check(DiskOperation::Write, &self.becomes)?.transfer_len(bytes.len());
        self.file.write(bytes.get(..extent).unwrap_or_default())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn unnamed(folder: &Path, mode: u32) -> io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;
    let flags = i32::try_from(OFlags::TMPFILE.bits()).map_err(io::Error::other)?;
    fs::OpenOptions::new().write(true).custom_flags(flags).mode(mode).open(folder)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path, _: u32) -> io::Result<fs::File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Links an unnamed file into its folder.
#[cfg(target_os = "linux")]
fn link(file: &fs::File, folder: &Path) -> io::Result<TempPath> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD, linkat};
    let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |name: &Path| Ok(linkat(CWD, &*unnamed, CWD, name, AtFlags::SYMLINK_FOLLOW)?);
    Ok(builder(PRIVATE).make_in(folder, link)?.into_temp_path())
}

#[cfg(not(target_os = "linux"))]
fn link(_: &fs::File, _: &Path) -> io::Result<TempPath> {
    Err(io::ErrorKind::Unsupported.into())
}

fn named(folder: &Path, mode: u32) -> io::Result<(fs::File, TempPath)> {
    Ok(builder(mode).tempfile_in(folder)?.into_parts())
}

fn builder(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    builder
}

/// Sets the owner, because a new file belongs to the user of this process.
#[cfg(unix)]
fn keep_owner(file: &fs::File, metadata: &Metadata) {
    use std::os::unix::fs::MetadataExt as _;
    let _ = std::os::unix::fs::fchown(file, Some(metadata.uid()), Some(metadata.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &fs::File, _: &Metadata) {}
