//! Fact tables among the sample files, which are read when a program with that sample is
//! evaluated.

use std::hash::{Hash, Hasher};
use std::path::PathBuf;

use rustc_hash::FxHasher;

use super::read::open_facts;
use super::{Overlay, is_facts};
use mangle_engine::kernel::{Kernel, Limits};
use mangle_engine::program::Program;
use mangle_ide::facts::add_table;

/// Fact files in other formats than Mangle, sorted by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tables(Vec<PathBuf>);

impl Tables {
    /// Selects the tables among the sample files.
    pub(super) fn new(samples: &[PathBuf]) -> Self {
        Self(samples.iter().filter(|path| is_facts(path)).cloned().collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a common name for the tables, or `None` if the list is empty.
    pub(super) fn name(&self) -> Option<String> {
        let names = self.0.iter().filter_map(|path| path.file_name());
        let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Returns a number that changes when the files change.
    pub(super) fn stamp(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for path in &self.0 {
            let data = std::fs::metadata(path).ok();
            (path, data.map(|data| (data.len(), data.modified().ok()))).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Adds the facts to a kernel. A table that cannot be read, or whose predicate is not in the
    /// program, adds none; the log has the reason.
    pub(super) fn add_facts(&self, kernel: &mut Kernel, program: &Program, limits: Limits) {
        for path in &self.0 {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let input = open_facts(path, &Overlay::default()).map_err(|error| error.to_string());
            let given = input.and_then(|input| add_table(kernel, program, &name, input, limits.facts));
            if let Err(why) = given {
                tracing::warn!(path = %path.display(), why, "a table of facts cannot be read");
            }
        }
    }
}
