//! The files of a sample kernel: the policies of the `use:` keys in its header, relative to its
//! folder, and its fact tables. Without a `use:` key, the kernel uses the enclosing program.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use rustc_hash::FxHasher;

use super::paths::{is_kernel, is_test};
use super::read::{open_facts, read};
use super::walk::{boundary, is_inside, walk};
use super::{CheckTarget, Overlay, Project, absolute, exists, is_facts, is_mangle};
use mangle_engine::kernel::{Kernel, Limits};
use mangle_engine::program::Program;
use mangle_ide::facts::add_table;

/// Returns the name of a sample: a file that the configuration names or, without such a setting, a
/// sample kernel.
pub(super) fn sample_name(path: &Path, project: Option<&Project>) -> Option<String> {
    let is_sample = match project.filter(|project| !project.settings.kernel.sample.patterns().is_empty()) {
        Some(project) => project.samples.binary_search_by(|sample| sample.as_path().cmp(path)).is_ok(),
        None => is_kernel(path),
    };
    is_sample.then(|| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

/// Returns the paths and globs of the `# @preview use: A, B` lines in all groups of a kernel's
/// header. The header consists of the comments before the first statement. Returns `None` without
/// such a line.
pub(super) fn uses(text: &str) -> Option<Vec<&str>> {
    let header = text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with('#'));
    let mut used: Option<Vec<&str>> = None;
    for line in header {
        let setting = line.trim_start_matches('#').trim_start().strip_prefix("@preview");
        let Some(names) = setting.and_then(|setting| setting.trim_start().strip_prefix("use:")) else {
            continue;
        };
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        used.get_or_insert_default().extend(names);
    }
    used
}

/// Returns the files that the kernel at `path` uses, sorted, or `None` if its header names none.
/// The kernel is not trusted, so paths that lead out of the repository around `root` are ignored.
pub(super) fn used_files(path: &Path, root: &Path, overlay: &Overlay) -> Option<Vec<PathBuf>> {
    let text = read(path, overlay).ok()?.text;
    let names = uses(&text)?;
    let boundary = boundary(root);
    let files: BTreeSet<_> =
        names.into_iter().flat_map(|name| used_by_name(path, name, &boundary, overlay)).collect();
    Some(files.into_iter().collect())
}

/// Returns the files that match one path or glob in the header of the kernel at `path`.
pub(super) fn used_by_name(path: &Path, name: &str, boundary: &Path, overlay: &Overlay) -> Vec<PathBuf> {
    let named = absolute(path.parent().unwrap_or(path), Path::new(name));
    let mut files: Vec<_> = match CheckTarget::glob(&named) {
        Some(CheckTarget::Glob(base, globs)) if is_inside(&base, boundary) => {
            let glob = CheckTarget::Glob(base.clone(), globs);
            let found = walk(&base, overlay).files.into_iter().map(|found| found.path);
            // Tests and other kernels are used only if they are named explicitly.
            found.filter(|path| glob.covers(path) && !is_kernel(path) && !is_test(path)).collect()
        }
        _ if is_inside(&named, boundary)
            && (overlay.get(&named).is_some() || (exists(&named) && !named.is_dir())) =>
        {
            vec![named]
        }
        _ => Vec::new(),
    };
    files.retain(|file| is_mangle(file) && file != path);
    files
}

/// Returns the files of `known` that match a path or glob in the header of the kernel at `path`.
/// Reads nothing from disk.
pub fn named_among<'k>(path: &Path, name: &str, known: impl Iterator<Item = &'k Path>) -> Vec<&'k Path> {
    let named = absolute(path.parent().unwrap_or(path), Path::new(name));
    let glob = CheckTarget::glob(&named);
    let is_named = |known: &&Path| match &glob {
        Some(glob) => glob.covers(known) && is_mangle(known) && !is_kernel(known) && !is_test(known),
        None => **known == *named,
    };
    known.filter(|known| *known != path).filter(is_named).collect()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_headers_say() {
        assert_eq!(uses("p(1).\n# @preview use: a.mg\n"), None);
        assert_eq!(uses("# A sample.\n"), None);
        assert_eq!(uses("# @preview use:\n"), Some(vec![]));
        let text = "# @preview name: x\n#@preview use: ../a.gl, b/*.mg\n\n# @preview use:c.mg\np(1).\n";
        assert_eq!(uses(text), Some(vec!["../a.gl", "b/*.mg", "c.mg"]));
        let groups = "# @preview use: a.gl\n#\n# @preview name: one\n# @preview use: b.mg\n# @preview mode: jit\n\n\
                      # @preview name: two\n# @preview shard: coder-7 coder\n# @preview use: c.mg,\np(1).\n";
        assert_eq!(uses(groups), Some(vec!["a.gl", "b.mg", "c.mg"]));
    }
}
