//! Fixing a text that is checked alone: a transcript, or the configuration of an agent's runtime.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::passes::{Workpiece, run};
use super::select::Candidate;
use super::verify::Changes;
use super::{Done, Found, Wish};
use crate::lint::{Diagnostic, Group, Rule, Severity};
use crate::text::FileId;

/// What [`fix_text`] did.
#[derive(Debug, Default)]
pub struct FixedText {
    /// The bytes as they are now; `None` if they are what they were.
    pub changed: Option<Arc<[u8]>>,
    /// What came of the fixes.
    pub done: Done,
}

/// Applies the fixes that `wish` asks for to a text that `check` checks, until none is left. Fixes that would also edit
/// other files are left alone.
pub fn fix_text(
    file: FileId,
    bytes: &Arc<[u8]>,
    check: &dyn Fn(&[u8]) -> Vec<Diagnostic>,
    wish: Wish<'_>,
) -> FixedText {
    let mut bench = Single { file, bytes: Arc::clone(bytes), check };
    let done = run(&mut bench, wish);
    FixedText { changed: (bench.bytes != *bytes).then_some(bench.bytes), done }
}

/// The text.
struct Single<'c> {
    file: FileId,
    bytes: Arc<[u8]>,
    check: &'c dyn Fn(&[u8]) -> Vec<Diagnostic>,
}

impl Workpiece for Single<'_> {
    type Texts = Arc<[u8]>;

    fn texts(&self) -> Self::Texts {
        Arc::clone(&self.bytes)
    }

    fn set(&mut self, texts: Self::Texts) {
        self.bytes = texts;
    }

    fn state(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.bytes.hash(&mut hasher);
        hasher.finish()
    }

    fn check(&self) -> Found {
        [(self.file, (self.check)(&self.bytes))].into_iter().collect()
    }

    fn is_editable(&self, file: FileId) -> bool {
        file == self.file
    }

    fn put(&mut self, changes: &Changes<'_>, _: &[Candidate<'_>]) -> bool {
        let (mut new, mut at) = (Vec::with_capacity(self.bytes.len()), 0);
        for (range, text) in changes.in_file(self.file) {
            let Some(before) = self.bytes.get(at..usize::from(range.start())) else { return false };
            new.extend_from_slice(before);
            new.extend_from_slice(text.as_bytes());
            at = usize::from(range.end());
        }
        let Some(rest) = self.bytes.get(at..) else { return false };
        new.extend_from_slice(rest);
        self.bytes = new.into();
        true
    }

    /// What mends damage may bring more of it to light. Anything else must not make damage.
    fn is_no_worse(&self, before: &Found, after: &Found, candidates: &[Candidate<'_>]) -> bool {
        let damage = |found: &Found| {
            let all = found.get(&self.file).into_iter().flatten();
            all.filter(|one| is_damage(one.rule)).count()
        };
        damage(after) <= damage(before) || candidates.iter().all(|one| is_damage(one.diagnostic.rule))
    }
}

/// Whether a rule is about what the runtime cannot read.
fn is_damage(rule: &Rule) -> bool {
    rule.severity == Some(Severity::Error) && matches!(rule.group, Group::Replies | Group::Configuration)
}
