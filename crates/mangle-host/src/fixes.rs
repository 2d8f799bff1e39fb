//! Fixes for files that are not checked as policies: transcripts, agent runtime configurations, reply
//! grammars, and the sources of prompts. The effect of a fix of a prompt source is visible only in
//! newly generated prompts.

use std::io;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::check::{agent_rules, of_prompts};
use super::workspace::GrammarPrograms;
use super::{
    AgentSettings, CheckCache, CheckTarget, GrammarFile, Input, Overlay, STDIN, Shell, TranscriptFile,
    TranscriptRequest, load, plain_name, resolve_with_transcripts,
};
use mangle_engine::program::FileSummary;
use mangle_ide::file_findings::file_findings;
use mangle_ide::fixes::{FileDiagnostics, FixOutcome, FixRequest, FixedText, Texts, fix_text, fix_texts};
use mangle_ide::transcripts::{diagnostics, of_fences};
use mangle_syntax::text::FileId;
use piggyback::transcript::{MAX_DOCUMENT_LEN, settings};

#[derive(Debug)]
pub struct FixedFile {
    pub file: FileId,
    pub path: PathBuf,
    pub before: Arc<[u8]>,
    pub fixed: FixedText,
}

/// The reason why a file is not fixed, regardless of its findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    Compressed,
    /// The size in bytes exceeds the limit for fixes.
    TooLong(u64),
}

/// The result of [`fix_standalone`].
#[derive(Debug, Default)]
pub struct StandaloneFixes {
    /// The processed files.
    pub files: Vec<FixedFile>,
    /// The skipped files.
    pub left: Vec<(FileId, PathBuf, SkipReason)>,
}

/// Applies the fixes of `wish` to transcripts, agent runtime configurations and reply grammars.
/// The files are checked against the programs of `files`. Writes nothing to disk.
///
/// Unreadable files are skipped, because a check reports them.
#[must_use]
pub fn fix_standalone(
    request: TranscriptRequest<'_>,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    wish: FixRequest<'_>,
) -> StandaloneFixes {
    let mut all = StandaloneFixes::default();
    for agent in request.resolution.agents.iter().filter(|agent| agent.reported) {
        all.files.extend(fix_agent(agent, request.clone(), wish));
    }
    all.files.extend(fix_grammars(request.clone(), files, wish));
    // If evidence is kept, a capture has nothing to fix and need not be read.
    let is_wanted = |found: &&TranscriptFile| wish.evidence || found.is_document;
    for found in request.transcripts.iter().filter(is_wanted) {
        match read(found, request.clone()) {
            Ok(Ok(bytes)) => all.files.push(fix_transcript(found, bytes, request.clone(), wish)),
            Ok(Err(why)) => all.left.push((found.file, found.path.clone(), why)),
            Err(_) => {}
        }
    }
    all
}

/// Returns the bytes of a transcript, or the reason why it is not fixed.
fn read(found: &TranscriptFile, request: TranscriptRequest<'_>) -> io::Result<Result<Arc<[u8]>, SkipReason>> {
    let is_stdin = found.path.file_name().is_some_and(|name| name == STDIN);
    if is_stdin && request.overlay.bytes(&found.path).is_none() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let input = Input::open(&found.path, request.overlay)?;
    if !input.is_plain() {
        return Ok(Err(SkipReason::Compressed));
    }
    let limit = MAX_DOCUMENT_LEN as u64;
    if let Some(total) = input.total().filter(|total| *total > limit) {
        return Ok(Err(SkipReason::TooLong(total)));
    }
    let mut bytes = Vec::new();
    input.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_DOCUMENT_LEN {
        return Ok(Err(SkipReason::TooLong(bytes.len() as u64)));
    }
    Ok(Ok(bytes.into()))
}

fn fix_transcript(
    found: &TranscriptFile,
    before: Arc<[u8]>,
    request: TranscriptRequest<'_>,
    wish: FixRequest<'_>,
) -> FixedFile {
    let (file, judge) = (found.file, request.knowledges.judge(found));
    let path = found.path.to_string_lossy();
    let check = |bytes: &[u8]| match found.is_document {
        true => of_fences(file, &String::from_utf8_lossy(bytes), judge, false),
        false => diagnostics(file, plain_name(&path), bytes, judge),
    };
    let fixed = fix_text(file, &before, &check, wish);
    FixedFile { file, path: found.path.clone(), before, fixed }
}

/// Leaves files that are not text unchanged.
fn fix_agent(
    agent: &AgentSettings,
    request: TranscriptRequest<'_>,
    wish: FixRequest<'_>,
) -> Option<FixedFile> {
    let file = agent.file;
    let is_text = super::read(&agent.path, request.overlay).ok()?.findings.is_empty();
    let rules = agent_rules(agent, &request.resolution.projects);
    let check = |bytes: &[u8]| file_findings(file, settings::read(bytes).findings, &rules);
    let before: Arc<[u8]> = agent.text.as_bytes().into();
    let fixed = is_text.then(|| fix_text(file, &before, &check, wish))?;
    Some(FixedFile { file, path: agent.path.clone(), before, fixed })
}

fn fix_grammars(
    request: TranscriptRequest<'_>,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    wish: FixRequest<'_>,
) -> Vec<FixedFile> {
    let programs = GrammarPrograms::new(request.resolution, files);
    let fix = |grammar: &GrammarFile| {
        let check = |bytes: &[u8]| programs.check(grammar, &String::from_utf8_lossy(bytes));
        let before: Arc<[u8]> = grammar.text.as_bytes().into();
        let fixed = fix_text(grammar.file, &before, &check, wish);
        FixedFile { file: grammar.file, path: grammar.path.clone(), before, fixed }
    };
    request.resolution.grammars.iter().map(fix).collect()
}

/// The maximum number of rounds. A fixed path may name a file that was not read before.
const MAX_ROUNDS: usize = 10;

/// Applies the fixes of `wish` to the sources of the prompts of `targets`, with the texts of
/// `overlay`. Returns the changed files. Writes nothing to disk.
#[must_use]
pub fn fix_prompts(
    targets: &[CheckTarget],
    overlay: &Overlay,
    memory: &CheckCache,
    wish: FixRequest<'_>,
) -> (Vec<FixedFile>, FixOutcome) {
    let mut now = overlay.clone();
    let (mut files, mut done): (Vec<FixedFile>, _) = (Vec::new(), FixOutcome::default());
    for _ in 0..MAX_ROUNDS.min(wish.passes) {
        let (changed, more) = round(targets, &now, memory, wish);
        let is_done = changed.is_empty();
        done.count += more.count;
        done.edited.extend(more.edited);
        done.failed = more.failed;
        done.endless |= more.endless;
        for file in changed {
            if let Some(after) = &file.fixed.changed {
                now.insert_bytes(file.path.clone(), after.to_vec());
            }
            match files.iter_mut().find(|known| known.file == file.file) {
                Some(known) => known.fixed = file.fixed,
                None => files.push(file),
            }
        }
        if is_done {
            break;
        }
    }
    (files, done)
}

/// Fixes the files that are known so far.
fn round(
    targets: &[CheckTarget],
    overlay: &Overlay,
    memory: &CheckCache,
    wish: FixRequest<'_>,
) -> (Vec<FixedFile>, FixOutcome) {
    let (found, texts) = prompts(targets, overlay, memory);
    if !found.values().flatten().any(|one| one.fix.is_some()) {
        return (Vec::new(), FixOutcome::default());
    }
    let path = |file: FileId| memory.table().path(file).to_path_buf();
    let check = |now: &Texts| {
        let mut changed = overlay.clone();
        for (file, text) in now.iter().filter(|(file, text)| texts.get(file) != Some(text)) {
            changed.insert_bytes(path(*file), text.as_bytes().to_vec());
        }
        prompts(targets, &changed, memory).0
    };
    let fixed = fix_texts(&texts, &check, wish);
    let files = fixed.changed.into_iter().filter_map(|(file, new)| {
        let before: Arc<[u8]> = texts.get(&file)?.as_bytes().into();
        let changed = Some(Arc::from(new.as_bytes()));
        Some(FixedFile {
            file,
            path: path(file),
            before,
            fixed: FixedText { changed, done: FixOutcome::default() },
        })
    });
    (files.collect(), fixed.done)
}

/// Returns the findings about prompts, and the texts of their sources.
fn prompts(targets: &[CheckTarget], overlay: &Overlay, memory: &CheckCache) -> (FileDiagnostics, Texts) {
    let resolution = resolve_with_transcripts(targets, Shell::CommandLine, overlay, memory.table());
    if resolution.previews.is_empty() && resolution.corpora.is_empty() {
        return (FileDiagnostics::default(), Texts::default());
    }
    let (files, _) = load(&resolution, targets, overlay, memory, || ());
    let found = of_prompts(&resolution, &files, memory, overlay);
    let of_policies = files.values().map(|file| (file.id, Arc::clone(&file.text)));
    let beside = resolution.beside().map(|(file, _, text): (_, &Path, _)| (file, Arc::clone(text)));
    let texts = of_policies.chain(beside).filter(|(file, _)| found.contains_key(file));
    let texts = texts.collect();
    (found, texts)
}
