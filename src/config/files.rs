//! `[files]`: which files are Mangle.

/// `[files]`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilesSettings {
    /// `extensions`: further endings of Mangle files, without the dot.
    pub extensions: Vec<String>,
}

impl FilesSettings {
    /// Whether a file has one of the added endings.
    #[must_use]
    pub fn adds(&self, path: &std::path::Path) -> bool {
        let extension = path.extension().map(|extension| extension.to_string_lossy());
        extension.is_some_and(|extension| self.extensions.iter().any(|added| *added == extension))
    }
}
