//! Fix target for a single text: a transcript, or the configuration of an agent runtime.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::edits::spliced;
use super::passes::{FixTarget, run};
use super::select::Candidate;
use super::verify::Changes;
use super::{FileDiagnostics, FixOutcome, FixRequest};
use mangle_syntax::lint::{Diagnostic, Group, Rule, Severity};
use mangle_syntax::text::FileId;

/// Result of [`fix_text`].
#[derive(Debug, Default)]
pub struct FixedText {
    /// New bytes, or `None` if unchanged.
    pub changed: Option<Arc<[u8]>>,
    pub done: FixOutcome,
}

/// Applies the requested fixes to a text until none is left. `check` returns its findings. Fixes
/// that edit other files are skipped.
pub fn fix_text(
    file: FileId,
    bytes: &Arc<[u8]>,
    check: &dyn Fn(&[u8]) -> Vec<Diagnostic>,
    wish: FixRequest<'_>,
) -> FixedText {
    let mut bench = SingleText { file, bytes: Arc::clone(bytes), check };
    let done = run(&mut bench, wish);
    FixedText { changed: (bench.bytes != *bytes).then_some(bench.bytes), done }
}

struct SingleText<'c> {
    file: FileId,
    bytes: Arc<[u8]>,
    check: &'c dyn Fn(&[u8]) -> Vec<Diagnostic>,
}

impl FixTarget for SingleText<'_> {
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

    fn check(&self) -> FileDiagnostics {
        [(self.file, (self.check)(&self.bytes))].into_iter().collect()
    }

    fn is_editable(&self, file: FileId) -> bool {
        file == self.file
    }

    fn put(&mut self, changes: &Changes<'_>, _: &[Candidate<'_>]) -> bool {
        let Some(new) = spliced(&self.bytes, changes.in_file(self.file)) else { return false };
        self.bytes = new.into();
        true
    }

    /// True unless fixes made the text worse. A fix of damage may expose more damage. Other fixes
    /// must not add damage.
    fn is_no_worse(
        &self,
        before: &FileDiagnostics,
        after: &FileDiagnostics,
        candidates: &[Candidate<'_>],
    ) -> bool {
        let damage = |found: &FileDiagnostics| {
            let all = found.get(&self.file).into_iter().flatten();
            all.filter(|one| is_damage(one.rule)).count()
        };
        damage(after) <= damage(before) || candidates.iter().all(|one| is_damage(one.diagnostic.rule))
    }
}

/// True for rules about input that the runtime cannot parse.
fn is_damage(rule: &Rule) -> bool {
    rule.severity == Some(Severity::Error) && matches!(rule.group, Group::Replies | Group::Configuration)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::fixes::MAX_PASSES;
    use mangle_settings::CONFIG_BAD_VALUE;
    use mangle_syntax::lint::{Applicability, FileEdit, ResolvedFix};
    use mangle_syntax::text::{TextRange, size};
    use piggyback::transcript::BAD_RECORD;

    const FILE: FileId = FileId(0);

    /// Returns a finding for each byte `wrong`, with a fix that replaces the byte by `text`.
    fn found(bytes: &[u8], wrong: u8, rule: &'static Rule, text: &str, file: FileId) -> Vec<Diagnostic> {
        let at = |at: usize| {
            let range = TextRange::at(size(at), size(1));
            let edits = vec![FileEdit { file, range, text: text.to_owned() }];
            let (title, applicability, evidence) = ("Mend".into(), Applicability::Safe, false);
            let fix = ResolvedFix { title, applicability, evidence, edits, alternative: None };
            Diagnostic { fix: Some(fix), ..Diagnostic::new(rule, Severity::Error, range, "".into()) }
        };
        memchr::memchr_iter(wrong, bytes).map(at).collect()
    }

    fn run(text: &[u8], check: &dyn Fn(&[u8]) -> Vec<Diagnostic>) -> (Vec<u8>, FixOutcome) {
        let wish = FixRequest {
            include_unsafe: false,
            evidence: false,
            wanted: &|_, _| true,
            editable: &|_| true,
            passes: MAX_PASSES,
        };
        let fixed = fix_text(FILE, &text.into(), check, wish);
        (fixed.changed.map_or(text.to_vec(), |bytes| bytes.to_vec()), fixed.done)
    }

    #[test]
    fn bytes_beside_a_fix_stay() {
        let (new, done) = run(b"\xff x \xff x", &|bytes| found(bytes, b'x', &CONFIG_BAD_VALUE, "é", FILE));
        assert_eq!((new.as_slice(), done.count), (&b"\xff \xc3\xa9 \xff \xc3\xa9"[..], 2));
    }

    #[test]
    fn what_does_damage_is_taken_back_and_the_rest_stays() {
        // Fixing the `x` before a `!` creates an unreadable record.
        let check = |bytes: &[u8]| {
            let harm = memchr::memmem::find(bytes, b"y!").is_some();
            let rule = &mangle_check::suppression::UNUSED_SUPPRESSION;
            let mut all = found(bytes, b'x', rule, "y", FILE);
            all.extend(found(if harm { b"?" } else { b"" }, b'?', &BAD_RECORD, "?", FileId(1)));
            all
        };
        let (new, done) = run(b"x x x! x", &check);
        assert_eq!((new.as_slice(), done.count, done.failed.len()), (&b"y y x! y"[..], 3, 1));
    }

    #[test]
    fn other_files_and_circles_are_left_alone() {
        let rule = &CONFIG_BAD_VALUE;
        let (new, done) = run(b"x", &|bytes| found(bytes, b'x', rule, "y", FileId(1)));
        assert_eq!((new.as_slice(), done.count), (&b"x"[..], 0));
        let circle = |bytes: &[u8]| {
            [found(bytes, b'x', rule, "y", FILE), found(bytes, b'y', rule, "x", FILE)].concat()
        };
        let (new, done) = run(b"x", &circle);
        assert_eq!((new.as_slice(), done.count), (&b"x"[..], 0));
    }
}
