//! The allowed folders of the server: path resolution and checks.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use mangle_host::disk;
use mangle_settings::FILE_NAME;

/// The folders, with links resolved. At least one; relative paths are resolved from the first.
#[derive(Debug, Clone)]
pub(super) struct Folders(Vec<PathBuf>);

impl Folders {
    /// Returns the `named` folders, or `working` if there are none.
    ///
    /// # Errors
    ///
    /// If one of them is not a folder.
    pub(super) fn new(named: &[PathBuf], working: &Path) -> Result<Self> {
        let all: Vec<PathBuf> = match named {
            [] => vec![working.to_path_buf()],
            some => some.iter().map(|folder| mangle_host::absolute(working, folder)).collect(),
        };
        for folder in &all {
            ensure!(folder.is_dir(), "{}: not a folder", folder.display());
        }
        Ok(Self(all.iter().map(|folder| mangle_host::real(folder)).collect()))
    }

    /// The base folder of relative paths.
    pub(super) fn working(&self) -> &Path {
        self.0.first().map_or_else(|| Path::new(""), PathBuf::as_path)
    }

    pub(super) fn confine(&self) {
        disk::confine(&self.0);
    }

    /// Resolves the path in an argument, including links.
    ///
    /// # Errors
    ///
    /// If the path is outside the folders. The error does not reveal if the path exists.
    pub(super) fn resolve(&self, argument: &str) -> Result<PathBuf, String> {
        if argument.is_empty() || argument.contains('\0') {
            return Err("a path is empty or contains a zero byte".into());
        }
        let path = mangle_host::real(&mangle_host::absolute(self.working(), Path::new(argument)));
        if self.0.iter().any(|folder| path.starts_with(folder)) {
            return Ok(path);
        }
        let all: Vec<_> = self.0.iter().map(|folder| format!("`{}`", folder.display())).collect();
        Err(format!("`{argument}` is outside of the folders of this server: {}", all.join(", ")))
    }

    /// Returns notes for a result: configurations in ancestors of the folders, which are not read.
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
