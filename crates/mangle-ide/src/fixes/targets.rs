//! Fix targets: programs, whose changed files are parsed again and joined as before; a single text,
//! such as a transcript or the configuration of an agent runtime; and a set of texts with a custom
//! check, used for prompt sources.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::passes::{Candidate, Changes, FixTarget, run};
use super::{FileDiagnostics, FixOutcome, FixRequest, FixResult, spliced};
use mangle_check::diagnostics::{FindingCache, diagnostics_for_fixing, merge_programs};
use mangle_engine::program::{FileSummary, Program, ProgramEnvironment};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Group, Rule, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{FileId, apply};

/// Files that are checked as one program.
#[derive(Debug)]
pub struct Unit {
    pub files: Vec<FileId>,
    /// Files whose findings are reported, sorted.
    pub reported: Vec<FileId>,
    pub rules: Arc<RuleSettings>,
    pub embedding: Arc<ProgramEnvironment>,
    /// Cached findings.
    pub cache: Arc<FindingCache>,
}

/// Programs and files that fixes modify.
#[derive(Debug)]
pub struct FixWorkspace {
    /// A file may belong to several programs.
    pub units: Vec<Unit>,
    pub files: FxHashMap<FileId, Arc<FileSummary>>,
}

/// Applies the requested fixes until none is left. The result and `bench` contain the new files.
pub fn fix(bench: &mut FixWorkspace, wish: FixRequest<'_>) -> FixResult {
    let original = bench.files.clone();
    list_all(bench);
    let done = run(bench, wish);
    let is_changed =
        |file: &&Arc<FileSummary>| original.get(&file.id).is_some_and(|old| old.text != file.text);
    let mut changed: Vec<_> = bench.files.values().filter(is_changed).map(Arc::clone).collect();
    changed.sort_by_key(|file| file.id);
    FixResult { changed, done }
}

/// Parses files again without the limit for reported syntax errors.
fn list_all(bench: &mut FixWorkspace) {
    for file in bench.files.values_mut() {
        let is_short = file.items.iter().any(|item| item.statement.left_out.is_some());
        if is_short && is_text(file) {
            let source = SourceFile::parse_listing_all(Arc::clone(&file.text)).without_tree();
            *file = Arc::new(FileSummary::new(file.id, &source));
        }
    }
}

/// True if the text of a file equals its bytes on disk, which is false for invalid UTF-8.
fn is_text(file: &FileSummary) -> bool {
    file.findings.iter().all(|finding| finding.rule.group != Group::Configuration)
}

impl FixTarget for FixWorkspace {
    type Texts = FxHashMap<FileId, Arc<FileSummary>>;

    fn texts(&self) -> Self::Texts {
        self.files.clone()
    }

    fn set(&mut self, texts: Self::Texts) {
        self.files = texts;
    }

    fn state(&self) -> u64 {
        let mut files: Vec<_> = self.files.values().collect();
        files.sort_by_key(|file| file.id);
        let mut hasher = FxHasher::default();
        for file in files {
            (file.id, &file.text).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn check(&self) -> FileDiagnostics {
        let mut all: FxHashMap<FileId, Vec<Vec<Diagnostic>>> = FxHashMap::default();
        for unit in &self.units {
            let files = unit.files.iter().filter_map(|file| self.files.get(file).map(Arc::clone));
            let program = Program::embedded(files.collect(), Arc::clone(&unit.embedding));
            for (file, found) in diagnostics_for_fixing(&program, &unit.rules, &unit.cache) {
                if unit.reported.binary_search(&file).is_ok() {
                    all.entry(file).or_default().push(found);
                }
            }
        }
        let joined = |lists: Vec<Vec<Diagnostic>>| {
            let lists: Vec<_> = lists.iter().map(Vec::as_slice).collect();
            merge_programs(&lists).into_iter().cloned().collect()
        };
        all.into_iter().map(|(file, lists)| (file, joined(lists))).collect()
    }

    fn is_editable(&self, file: FileId) -> bool {
        self.files.get(&file).is_some_and(|file| is_text(file))
    }

    fn put(&mut self, changes: &Changes<'_>, candidates: &[Candidate<'_>]) -> bool {
        put(self, changes).is_some_and(|before| reads_no_worse(self, &before, candidates))
    }

    fn is_no_worse(&self, _: &FileDiagnostics, _: &FileDiagnostics, _: &[Candidate<'_>]) -> bool {
        true
    }
}

/// Applies the changes, and returns the previous versions of the files. `None` if the edits do not
/// fit.
fn put(bench: &mut FixWorkspace, changes: &Changes<'_>) -> Option<Vec<Arc<FileSummary>>> {
    let mut before = Vec::new();
    for (file, edits) in changes.files() {
        let old = bench.files.get(&file)?;
        let text = apply(&old.text, edits.iter().copied())?;
        let new = FileSummary::new(file, &SourceFile::parse_listing_all(text.into()).without_tree());
        before.extend(bench.files.insert(file, Arc::new(new)));
    }
    Some(before)
}

/// True if no changed file became less parsable.
fn reads_no_worse(bench: &FixWorkspace, before: &[Arc<FileSummary>], candidates: &[Candidate<'_>]) -> bool {
    before.iter().all(|old| {
        let Some(new) = bench.files.get(&old.id) else { return false };
        let [(errors, sound), (new_errors, new_sound)] = [old, new].map(|file| soundness(file));
        // Only the first error of a damaged statement is reported. Its fix may expose further
        // errors in the same statement, but damages no other statement.
        let about_syntax = |candidate: &Candidate<'_>| candidate.diagnostic.rule.group == Group::Syntax;
        let touching =
            |candidate: &&Candidate<'_>| candidate.fix.edits.iter().any(|edit| edit.file == old.id);
        new_errors <= errors || (candidates.iter().filter(touching).all(about_syntax) && new_sound >= sound)
    })
}

/// Returns the number of syntax errors, and the number of statements without syntax errors.
fn soundness(file: &FileSummary) -> (usize, usize) {
    let whole = file.findings.iter().filter(|finding| finding.rule.is_unreadable()).count();
    let mut sum = (whole, 0);
    for item in file.items.iter() {
        let statement = &item.statement;
        sum.0 += statement
            .findings
            .iter()
            .filter(|finding| !item.follows_damage && finding.rule.is_unreadable())
            .count();
        sum.1 += usize::from(!statement.damaged);
    }
    sum
}

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
