//! Findings in transcripts on disk. Each file is read once as a stream and is never held in
//! memory.

mod accounts;
mod figures;
mod inputs;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::check::Checked;
use super::disk::plain;
use super::transcripts::{Input, ReadOptions, TranscriptFile, read_transcript, read_transcript_with};
use super::{CheckOptions, FileTable, Overlay, Problem, Resolution, STDIN};
use mangle_ide::transcripts::{
    Comments, MAX_COMMENTED, RecordExaminer, TranscriptChecker, TranscriptContext, of_fences,
};
use mangle_report::{FilePart, LinePosition, OverflowCounts, ReportEntry, SourceText};
use mangle_settings::{Container, FailOn};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{Cancel, FileId, TextRange, TextSize};
use piggyback::transcript::{MAX_DOCUMENT_LEN, Record, TranscriptFinding};

pub use self::accounts::{AccountPolicies, Accounts, TranscriptPrograms};
pub use self::figures::{SeeEvent, TranscriptFigures};
pub use self::inputs::{CheckInputs, CheckInputsMap, programs_of_transcripts};

/// The maximum number of findings per file, unless all are requested.
pub const MAX_FINDINGS: usize = 10_000;

/// In bytes: the prefix that is kept for the search for comments.
const FIRST: usize = 1 << 20;

/// In bytes: the prefix that is shown with findings about the whole file.
const HEAD_LEN: usize = 1 << 10;

#[derive(Debug, Default)]
pub struct CheckedTranscripts {
    /// The findings. Their file ids refer to the excerpts in `sources`.
    pub entries: Vec<ReportEntry>,
    /// Excerpts of files with findings.
    pub sources: Vec<(FileId, SourceText)>,
    /// In the order of the resolution.
    pub files: Vec<FileId>,
    /// The number of JSON replies (envelopes) that the runtime accepts.
    pub envelopes: u64,
    /// The number of files that were checked without declarations.
    pub undeclared: usize,
    /// The numbers of findings over the limit, which `entries` does not contain.
    pub omitted: Vec<OverflowCounts>,
    /// Files that could not be read completely.
    pub problems: Vec<Problem>,
}

/// Input of a check of transcripts.
#[derive(Debug, Clone)]
pub struct TranscriptRequest<'a> {
    pub resolution: &'a Resolution,
    /// Transcripts of the resolution, or similar ones.
    pub transcripts: &'a [TranscriptFile],
    /// The declarations of their programs.
    pub knowledges: &'a CheckInputsMap,
    /// Texts that override the files on disk.
    pub overlay: &'a Overlay,
    pub table: &'a FileTable,
    /// The base folder of file names in output.
    pub working: &'a Path,
    pub options: CheckOptions,
    /// Cancels the reading. The result is then incomplete.
    pub cancel: Cancel,
}

/// Checks the transcripts of a resolution in parallel. `done` receives the number of newly read
/// bytes, from any thread.
#[must_use]
pub fn check_transcripts(request: TranscriptRequest<'_>, done: &(dyn Fn(u64) + Sync)) -> CheckedTranscripts {
    let ids = AtomicU32::new(u32::MAX - 1);
    let one = |found: &TranscriptFile| {
        let mut file = OneFile::new(request.clone(), found, &ids);
        let problem = file.run(done).err();
        file.finish(problem)
    };
    let all: Vec<CheckedTranscripts> = request.transcripts.par_iter().map(one).collect();
    let mut checked = CheckedTranscripts::default();
    for one in all {
        checked.entries.extend(one.entries);
        checked.sources.extend(one.sources);
        checked.files.extend(one.files);
        checked.envelopes += one.envelopes;
        checked.undeclared += one.undeclared;
        checked.omitted.extend(one.omitted);
        checked.problems.extend(one.problems);
    }
    checked
}

impl Checked {
    pub fn add_transcripts(&mut self, entries: Vec<ReportEntry>) {
        self.entries.extend(entries);
    }
}

struct OneFile<'a> {
    request: TranscriptRequest<'a>,
    found: &'a TranscriptFile,
    knowledge: &'a CheckInputs,
    ids: &'a AtomicU32,
    file: FileId,
    name: String,
    fail_on: FailOn,
    /// The maximum number of findings.
    most: usize,
    out: CheckedTranscripts,
    omitted: OverflowCounts,
    /// True for a member of an archive, which cannot be fixed.
    is_member: bool,
    /// The prefix of the file for the search for comments.
    beginning: Vec<u8>,
    /// The prefix of the file that is shown with findings about the whole file.
    head: Vec<u8>,
    /// Findings about records that were already passed. Their positions are found in a second
    /// read.
    deferred_findings: Vec<TranscriptFinding>,
    /// The content of standard input, which cannot be read twice. `None` if it is too long.
    stdin_bytes: Option<Vec<u8>>,
}

impl<'a> OneFile<'a> {
    fn new(request: TranscriptRequest<'a>, found: &'a TranscriptFile, ids: &'a AtomicU32) -> Self {
        let configured = found.project.and_then(|index| request.resolution.projects.get(index));
        let shown = request.options.max_findings;
        let shown = shown.or(configured.map(|project| project.settings.max_findings)).unwrap_or_default();
        let configured = configured.map_or_else(FailOn::default, |project| project.settings.fail_on);
        Self {
            found,
            knowledge: request.knowledges.get(found),
            ids,
            file: request.table.id(&found.path),
            name: crate::relative(request.working, &found.path),
            fail_on: request.options.fail_on.unwrap_or(configured),
            most: if shown.is_unlimited() { usize::MAX } else { MAX_FINDINGS },
            out: CheckedTranscripts::default(),
            omitted: OverflowCounts::default(),
            is_member: false,
            beginning: Vec::new(),
            head: Vec::new(),
            deferred_findings: Vec::new(),
            stdin_bytes: Some(Vec::new()),
            request,
        }
    }

    fn judge(&self) -> TranscriptContext<'a> {
        self.request.knowledges.judge(self.found)
    }

    fn run(&mut self, done: &(dyn Fn(u64) + Sync)) -> io::Result<()> {
        let input = Input::open(&self.found.path, self.request.overlay)?;
        let (position, mut told) = (input.position(), 0);
        self.is_member = input.is_member();
        let judge = self.judge();
        let mut check = TranscriptChecker::new(judge);
        let mut tell = |position: &AtomicU64| {
            let now = position.load(Ordering::Relaxed);
            done(now.saturating_sub(std::mem::replace(&mut told, now)));
        };
        let (mut beginning, mut head) = (Vec::new(), Vec::new());
        let (is_stdin, mut kept) = (self.is_stdin(), self.stdin_bytes.take());
        let mut see = |chunk: &[u8], container: Option<Container>| {
            if head.is_empty() {
                head.extend_from_slice(chunk.get(..HEAD_LEN).unwrap_or(chunk));
            }
            if is_stdin {
                kept = kept.take().filter(|kept| kept.len() + chunk.len() <= MAX_DOCUMENT_LEN);
                kept.iter_mut().for_each(|kept| kept.extend_from_slice(chunk));
            }
            let is_text = matches!(container, Some(Container::Markdown | Container::Raw) | None);
            if beginning.len() < if is_text { MAX_COMMENTED } else { FIRST } {
                beginning.extend_from_slice(chunk);
            }
        };
        let is_document = self.found.is_document;
        let stop = self.request.cancel.clone();
        let options = ReadOptions { found: self.found, stop: &stop };
        let worker = || {
            let mut examiner = RecordExaminer::new(judge);
            move |record: &Record<'_>| (!is_document).then(|| examiner.record(record))
        };
        let summary =
            read_transcript_with(options, input, &mut see, &worker, &mut |record, examined, spot| {
                let Some(examined) = examined else { return tell(&position) };
                let findings = check.take(record, examined);
                self.out.envelopes += findings.envelopes;
                let (here, late): (Vec<_>, Vec<_>) =
                    findings.found.into_iter().partition(|found| found.start == record.start);
                self.defer(late, &judge);
                if !here.is_empty() {
                    self.add_findings(here, record.start, spot, record.bytes, &judge);
                }
                tell(&position);
            })?;
        if !is_document {
            self.defer(check.finish(&summary), &judge);
        }
        self.beginning = match summary.container {
            Some(Container::Markdown | Container::Raw) => beginning,
            _ => Vec::new(),
        };
        (self.head, self.stdin_bytes) = (head, kept);
        if summary.container == Some(Container::Markdown) {
            self.keep_fences(&judge);
        }
        self.look_up(&judge)
    }

    /// Stores findings about records that were already passed, until the second read. Findings
    /// over the limit are counted.
    fn defer(&mut self, late: Vec<TranscriptFinding>, judge: &TranscriptContext<'_>) {
        for found in late {
            if self.deferred_findings.len() < self.most {
                self.deferred_findings.push(found);
            } else if let Some(diagnostic) = judge.diagnostic(found, self.file, TextSize::new(0)) {
                self.omit(&diagnostic);
            }
        }
    }

    /// Counts a finding over the limit.
    fn omit(&mut self, diagnostic: &Diagnostic) {
        self.omitted.add(diagnostic);
        self.omitted.fails |= self.fail_on.fails(diagnostic.severity);
    }

    /// Adds the findings in the Mangle code fences of a Markdown file. Only the prefix that is
    /// kept for comments is checked.
    fn keep_fences(&mut self, judge: &TranscriptContext<'_>) {
        let bytes = std::mem::take(&mut self.beginning);
        let part = FileId(self.ids.fetch_sub(1, Ordering::Relaxed));
        let is_capture = !self.found.is_document;
        let found = of_fences(part, &String::from_utf8_lossy(&bytes), *judge, is_capture);
        self.keep_placed(found, part, 0, LinePosition::default(), &bytes);
        self.beginning = bytes;
    }

    /// Adds the findings in a record.
    fn add_findings(
        &mut self,
        found: Vec<TranscriptFinding>,
        start: u64,
        spot: &mut dyn FnMut() -> LinePosition,
        bytes: &[u8],
        judge: &TranscriptContext<'_>,
    ) {
        let part = FileId(self.ids.fetch_sub(1, Ordering::Relaxed));
        let placed = found.into_iter().filter_map(|found| judge.diagnostic(found, part, TextSize::new(0)));
        self.keep_placed(placed, part, start, spot(), bytes);
    }

    /// Adds findings in an excerpt that begins at a given position.
    fn keep_placed(
        &mut self,
        placed: impl IntoIterator<Item = Diagnostic>,
        part: FileId,
        start: u64,
        spot: LinePosition,
        bytes: &[u8],
    ) {
        let mut kept: Vec<Diagnostic> = Vec::new();
        for mut diagnostic in placed {
            diagnostic.fix = diagnostic.fix.filter(|_| !self.is_member);
            if self.out.entries.len() + kept.len() < self.most {
                kept.push(diagnostic);
            } else {
                self.omit(&diagnostic);
            }
        }
        if kept.is_empty() {
            return;
        }
        let shown = FilePart::new(self.file, start, spot, bytes, part, &kept);
        let source = SourceText::of_part(self.name.clone(), shown).at(&self.found.path);
        self.out.sources.push((part, source));
        let fail_on = self.fail_on;
        let entry = |diagnostic: Diagnostic| {
            let fails = fail_on.fails(diagnostic.severity);
            ReportEntry { file: part, diagnostic, fails }
        };
        self.out.entries.extend(kept.into_iter().map(entry));
    }

    fn is_stdin(&self) -> bool {
        self.found.path.file_name().is_some_and(|name| name == STDIN)
    }

    /// Opens the file for a second read. Returns `None` for standard input that is too long to be
    /// kept.
    fn again(&mut self) -> io::Result<Option<Input>> {
        match self.is_stdin() {
            true => self.stdin_bytes.take().map(Input::of_bytes).transpose(),
            false => Input::open(&self.found.path, self.request.overlay).map(Some),
        }
    }

    /// Reads the file a second time to locate findings about records that were already passed.
    /// Findings that are not located again are placed at the start of the file.
    fn look_up(&mut self, judge: &TranscriptContext<'_>) -> io::Result<()> {
        let (whole, late): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.deferred_findings).into_iter().partition(|found| found.record == 0);
        if !whole.is_empty() {
            let head = std::mem::take(&mut self.head);
            self.add_findings(whole, 0, &mut LinePosition::default, &head, judge);
        }
        let mut groups: BTreeMap<u64, Vec<TranscriptFinding>> = BTreeMap::new();
        for found in late {
            groups.entry(found.start).or_default().push(found);
        }
        let input = if groups.is_empty() { None } else { self.again()? };
        if let Some(input) = input {
            let (found, stop) = (self.found, Cancel::new());
            read_transcript(found, input, &stop, &mut |_, _| {}, &mut |record, spot| {
                if let Some(group) = groups.remove(&record.start) {
                    self.add_findings(group, record.start, spot, record.bytes, judge);
                }
                if groups.is_empty() {
                    stop.cancel();
                }
            })?;
        }
        for mut group in groups.into_values() {
            group.iter_mut().for_each(|found| found.finding.range = TextRange::default());
            self.add_findings(group, 0, &mut LinePosition::default, &[], judge);
        }
        Ok(())
    }

    fn finish(mut self, problem: Option<io::Error>) -> CheckedTranscripts {
        let comments = Comments::parse(&self.beginning);
        if !comments.is_empty() {
            let sources: FxHashMap<FileId, &SourceText> =
                self.out.sources.iter().map(|(part, source)| (*part, source)).collect();
            self.out.entries.retain(|entry| {
                let source = sources.get(&entry.file);
                let offset = source.map_or(0, |source| source.offset(entry.diagnostic.range.start()));
                !comments.silence(entry.diagnostic.rule, offset)
            });
        }
        if self.omitted.count() > 0 {
            self.omitted.name.clone_from(&self.name);
            self.out.omitted.push(self.omitted);
        }
        if let Some(error) = problem {
            let (path, why) = (self.found.path.clone(), plain(&error));
            self.out.problems.push(Problem { path, why, named: self.found.named });
        }
        self.out.files.push(self.file);
        self.out.undeclared = usize::from(self.knowledge.declarations.is_none());
        self.out
    }
}
