//! The environment of a program: host predicates, engine version and the roles of files.

use std::sync::Arc;

use super::PredicateKey;
use mangle_settings::versions::EngineCapabilities;
use mangle_settings::{EngineVersion, Stores};
use mangle_syntax::text::FileId;

/// The environment of a program, from its configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramEnvironment {
    /// Predicates of the host program, which are considered declared and defined.
    pub predicates: Vec<PredicateKey>,
    /// The engine version.
    pub engine: EngineVersion,
    /// The fact stores. `None` if all facts are in one place.
    pub stores: Option<Arc<Stores>>,
    /// The files with directives that a loader removes before the engine parses them, sorted.
    pub files_with_directives: Vec<FileId>,
    /// The files with test cases in comments, sorted.
    pub tests: Vec<FileId>,
    /// The files with prompt previews in comments, sorted.
    pub kernels: Vec<FileId>,
    /// The files that are analyzed with a program without being part of it: tests, kernels and
    /// other files of the sample, sorted.
    pub separate_files: Vec<FileId>,
}

impl ProgramEnvironment {
    /// Adds files with facts that the host asserts. A store loads only the facts that it keeps from
    /// such files. Without stores, nothing changes.
    #[must_use]
    pub fn with_asserted(self: &Arc<Self>, files: impl IntoIterator<Item = FileId>) -> Arc<Self> {
        if self.stores.is_none() {
            return Arc::clone(self);
        }
        let mut separate_files = self.separate_files.clone();
        separate_files.extend(files);
        separate_files.sort_unstable();
        separate_files.dedup();
        Arc::new(Self { separate_files, ..(**self).clone() })
    }

    /// True if a file may contain directives.
    #[must_use]
    pub fn is_hybrid(&self, file: FileId) -> bool {
        self.files_with_directives.binary_search(&file).is_ok()
    }

    /// True if the comments of a file contain test cases.
    #[must_use]
    pub fn is_test(&self, file: FileId) -> bool {
        self.tests.binary_search(&file).is_ok()
    }

    /// True if the comments of a file request prompt previews.
    #[must_use]
    pub fn is_kernel(&self, file: FileId) -> bool {
        self.kernels.binary_search(&file).is_ok()
    }

    /// The sort key of a file: by path, with the separately analyzed files last. If such a file
    /// repeats a declaration, the duplicate is reported in that file.
    #[must_use]
    pub fn order(&self, file: FileId) -> (bool, FileId) {
        (self.separate_files.binary_search(&file).is_ok(), file)
    }

    /// True if the engine includes the additions of the day `since`, `YYYY-MM-DD`.
    #[must_use]
    pub fn has(&self, since: &str) -> bool {
        self.engine.has(since)
    }

    /// The behavior that differs between engine versions.
    #[must_use]
    pub fn capabilities(&self) -> &'static EngineCapabilities {
        self.engine.capabilities()
    }
}
