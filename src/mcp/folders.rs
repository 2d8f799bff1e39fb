//! The folders that the server was given: which paths lie in them, and what they are called.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::host::{self, disk};
use mangle_settings::FILE_NAME;

/// The folders, without links. There is at least one; paths count from the first.
#[derive(Debug, Clone)]
pub(super) struct Folders(Vec<PathBuf>);

impl Folders {
    /// The folders that were named, else `working`.
    ///
    /// # Errors
    /// When one of them is no folder.
    pub(super) fn new(named: &[PathBuf], working: &Path) -> Result<Self> {
        let all: Vec<PathBuf> = match named {
            [] => vec![working.to_path_buf()],
            some => some.iter().map(|folder| host::absolute(working, folder)).collect(),
        };
        for folder in &all {
            ensure!(folder.is_dir(), "{}: not a folder", folder.display());
        }
        Ok(Self(all.iter().map(|folder| host::real(folder)).collect()))
    }

    /// The folder that paths count from.
    pub(super) fn working(&self) -> &Path {
        self.0.first().map_or_else(|| Path::new(""), PathBuf::as_path)
    }

    /// Confines this process to the folders.
    pub(super) fn confine(&self) {
        disk::confine(&self.0);
    }

    /// The file or folder that an argument names, all links followed.
    ///
    /// # Errors
    /// When it lies outside of the folders, whether it is there or not.
    pub(super) fn resolve(&self, argument: &str) -> Result<PathBuf, String> {
        if argument.is_empty() || argument.contains('\0') {
            return Err("a path is empty or contains a zero byte".into());
        }
        let path = host::real(&host::absolute(self.working(), Path::new(argument)));
        if self.0.iter().any(|folder| path.starts_with(folder)) {
            return Ok(path);
        }
        let all: Vec<_> = self.0.iter().map(|folder| format!("`{}`", folder.display())).collect();
        Err(format!("`{argument}` is outside of the folders of this server: {}", all.join(", ")))
    }

    /// What an answer has to say about the folders: configurations around them, which are not read.
    pub(super) fn notes(&self) -> Vec<String> {
        let around = |folder: &PathBuf| {
            let above = folder.ancestors().skip(1).find(|above| above.join(FILE_NAME).is_file())?;
            let is_inside = self.0.iter().any(|given| above.starts_with(given));
            (!is_inside && !folder.join(FILE_NAME).is_file()).then(|| {
                format!(
                    "a `{FILE_NAME}` above the folder `{}` is not read: pass its folder to the server",
                    folder.display()
                )
            })
        };
        self.0.iter().filter_map(around).collect()
    }
}
