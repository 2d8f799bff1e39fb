//! Fix target for a set of texts with a custom check, used for prompt sources.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::edits::spliced;
use super::passes::{FixTarget, run};
use super::select::Candidate;
use super::verify::Changes;
use super::{FileDiagnostics, FixOutcome, FixRequest};
use mangle_syntax::lint::Severity;
use mangle_syntax::text::FileId;

/// Texts by file.
pub type Texts = BTreeMap<FileId, Arc<str>>;

/// Result of [`fix_texts`].
#[derive(Debug, Default)]
pub struct FixedTexts {
    /// New versions of the changed texts.
    pub changed: Texts,
    pub done: FixOutcome,
}

/// Applies the requested fixes to texts until none is left. `check` returns their findings. Fixes
/// that edit other files are skipped.
pub fn fix_texts(
    texts: &Texts,
    check: &dyn Fn(&Texts) -> FileDiagnostics,
    wish: FixRequest<'_>,
) -> FixedTexts {
    let mut bench = TextSet { texts: Arc::new(texts.clone()), check };
    let done = run(&mut bench, wish);
    let changed = bench.texts.iter().filter(|(file, text)| texts.get(file) != Some(text));
    FixedTexts { changed: changed.map(|(file, text)| (*file, Arc::clone(text))).collect(), done }
}

struct TextSet<'c> {
    texts: Arc<Texts>,
    check: &'c dyn Fn(&Texts) -> FileDiagnostics,
}

impl FixTarget for TextSet<'_> {
    type Texts = Arc<Texts>;

    fn texts(&self) -> Self::Texts {
        Arc::clone(&self.texts)
    }

    fn set(&mut self, texts: Self::Texts) {
        self.texts = texts;
    }

    fn state(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.texts.hash(&mut hasher);
        hasher.finish()
    }

    fn check(&self) -> FileDiagnostics {
        (self.check)(&self.texts)
    }

    fn is_editable(&self, file: FileId) -> bool {
        self.texts.contains_key(&file)
    }

    fn put(&mut self, changes: &Changes<'_>, _: &[Candidate<'_>]) -> bool {
        let mut texts = Texts::clone(&self.texts);
        for (file, edits) in changes.files() {
            let new = texts.get(&file).and_then(|old| spliced(old.as_bytes(), edits));
            let Some(new) = new.and_then(|new| String::from_utf8(new).ok()) else { return false };
            texts.insert(file, new.into());
        }
        self.texts = Arc::new(texts);
        true
    }

    /// True if fixes added no errors. Fixes may expose other findings.
    fn is_no_worse(&self, before: &FileDiagnostics, after: &FileDiagnostics, _: &[Candidate<'_>]) -> bool {
        let errors = |found: &FileDiagnostics| {
            found.values().flatten().filter(|one| one.severity == Severity::Error).count()
        };
        errors(after) <= errors(before)
    }
}
