//! Fixes for the sources of prompts: policies, sample kernels, session files and prompt atoms. The
//! effect of a fix is visible only in newly generated prompts.

use std::path::Path;
use std::sync::Arc;

use super::check::of_prompts;
use super::{CheckCache, CheckTarget, FixedFile, Overlay, Shell, load, resolve_with_transcripts};
use mangle_ide::fixes::{FileDiagnostics, FixOutcome, FixRequest, FixedText, Texts, fix_texts};
use mangle_syntax::text::FileId;

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
    let found = of_prompts(&resolution, &files, (memory, overlay));
    let of_policies = files.values().map(|file| (file.id, Arc::clone(&file.text)));
    let beside = resolution.beside().map(|(file, _, text): (_, &Path, _)| (file, Arc::clone(text)));
    let texts = of_policies.chain(beside).filter(|(file, _)| found.contains_key(file));
    let texts = texts.collect();
    (found, texts)
}
