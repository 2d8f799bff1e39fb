//! What surrounds a program: what its own files cannot say of it.

use std::sync::Arc;

use super::PredicateKey;
use mangle_settings::versions::EngineCapabilities;
use mangle_settings::{EngineVersion, Stores};
use mangle_syntax::text::FileId;

/// Where a program runs, as its configuration tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Embedding {
    /// Predicates that the embedding program supplies: they count as declared and defined.
    pub predicates: Vec<PredicateKey>,
    /// The engine.
    pub engine: EngineVersion,
    /// The stores of facts. `None` if all facts are in one place.
    pub stores: Option<Arc<Stores>>,
    /// The files that a loader relieves of its directives before the engine reads them, sorted.
    pub hybrid: Vec<FileId>,
    /// The files whose comments are cases of a test, sorted.
    pub tests: Vec<FileId>,
    /// The files whose comments ask for previews of prompts, sorted.
    pub kernels: Vec<FileId>,
    /// The files that join no program but are analysed with one: tests, kernels and other files of the sample, sorted.
    pub singles: Vec<FileId>,
}

impl Embedding {
    /// The same with further files whose facts the host asserts. Of these, a store loads only the facts that it keeps.
    #[must_use]
    pub fn with_asserted(self: &Arc<Self>, files: impl IntoIterator<Item = FileId>) -> Arc<Self> {
        if self.stores.is_none() {
            return Arc::clone(self);
        }
        let mut singles = self.singles.clone();
        singles.extend(files);
        singles.sort_unstable();
        singles.dedup();
        Arc::new(Self { singles, ..(**self).clone() })
    }

    /// Whether directives are at home in a file.
    #[must_use]
    pub fn is_hybrid(&self, file: FileId) -> bool {
        self.hybrid.binary_search(&file).is_ok()
    }

    /// Whether the comments of a file are cases of a test.
    #[must_use]
    pub fn is_test(&self, file: FileId) -> bool {
        self.tests.binary_search(&file).is_ok()
    }

    /// Whether the comments of a file ask for previews of prompts.
    #[must_use]
    pub fn is_kernel(&self, file: FileId) -> bool {
        self.kernels.binary_search(&file).is_ok()
    }

    /// What the files of a program are sorted by: their paths, after them the files that are only analysed with it. What
    /// such a file declares twice is its fault, whatever it is called.
    #[must_use]
    pub fn order(&self, file: FileId) -> (bool, FileId) {
        (self.singles.binary_search(&file).is_ok(), file)
    }

    /// True if the engine has what was added on the day `since`, `YYYY-MM-DD`.
    #[must_use]
    pub fn has(&self, since: &str) -> bool {
        self.engine.has(since)
    }

    /// The behavior of the engine, as far as versions differ.
    #[must_use]
    pub fn capabilities(&self) -> &'static EngineCapabilities {
        self.engine.capabilities()
    }
}
