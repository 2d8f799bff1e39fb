//! Requests of a preview: files, prompts, agent roles, facts and settings. Also the notes below the prompts,
//! and the state of `preview --watch` between runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};

use super::state::{self, ResumePoint};
use super::{ModeOption, PartOption, PreviewCommand};
use crate::cli::programs::Programs;
use crate::cli::surroundings;
use agent_prompt::{AnswerOrder, Preview, PreviewSettings, PromptPart, PromptRequest, RecordedSession};
use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_engine::kernel::{Clock, Limits, Reading};
use mangle_engine::program::{FileSummary, Program};
use mangle_host::{
    AtomCache, AtomFiles, CheckCache, FileTable, LinkedProgram, PreviewFiles, PreviewRequest, RequestedPart,
    SessionText, prompt_name,
};
use mangle_ide::previews::{findings, note};
use mangle_report::prompts::{Note, PromptReport};
use mangle_report::{SourceText, Sources};
use mangle_syntax::lint::{Diagnostic, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// A file with previews.
pub(super) struct Previewed<'p> {
    pub(super) joined: &'p LinkedProgram,
    pub(super) file: FileId,
    pub(super) path: PathBuf,
    pub(super) files: PreviewFiles,
    /// The prompt atoms of the configuration.
    pub(super) atoms: Option<Arc<AtomFiles>>,
    pub(super) wanted: Vec<PromptRequest>,
    /// The session file of each preview.
    pub(super) sessions: Vec<Option<Arc<SessionText>>>,
    /// A generated file with the facts of a transcript, each on the line of its record.
    pub(super) by_line: Option<FileId>,
}

impl PreviewCommand {
    /// The facts of the command line as a clause file.
    pub(super) fn facts(
        &self,
        memory: &CheckCache,
        sources: &mut Sources,
    ) -> Result<Option<Arc<FileSummary>>> {
        if self.fact.is_empty() {
            return Ok(None);
        }
        let lines = self.fact.iter().map(|fact| format!("{}.\n", fact.trim().trim_end_matches('.')));
        let text: Arc<str> = lines.collect::<String>().into();
        let source = SourceFile::parse(Arc::clone(&text)).without_tree();
        for (item, fact) in source.items().iter().zip(&self.fact) {
            if item.statement.damaged || !item.statement.clause().is_some_and(|clause| clause.is_fact()) {
                bail!("`{fact}` is no fact; `test_state(/failing)` is one");
            }
        }
        let id = memory.table().id(Path::new("--fact"));
        sources.insert_source(id, SourceText::new("--fact".to_owned(), Arc::clone(&text)));
        Ok(Some(mangle_host::summarise(id, &source, &[])))
    }

    /// Replays the session for each program. Returns the session as each program received it.
    pub(super) fn replay(
        &self,
        programs: &mut Programs,
        memory: &CheckCache,
        working: &Path,
    ) -> Result<Vec<(FileId, Arc<RecordedSession>)>> {
        let mut all = Vec::new();
        let Some(path) = &self.transcript else { return Ok(all) };
        for joined in &mut programs.all {
            let PreviewSettings { clock, reading, .. } = self.settings(joined);
            let until = ResumePoint { path, turn: self.turn, clock, reading };
            let (program, sources) = (&joined.program, &mut programs.sources);
            let (state, recorded) = state::state(until, program, &joined.settings, working, memory, sources)?;
            let id = state.id;
            let files = joined.program.files.iter().map(Arc::clone).chain([state]).collect();
            joined.program = Program::embedded(files, Arc::clone(&joined.program.embedding)).into();
            all.push((id, Arc::new(recorded)));
        }
        Ok(all)
    }

    /// The files with their requests.
    pub(super) fn previewed<'p>(
        &self,
        all: &'p [LinkedProgram],
        recorded: &[(FileId, Arc<RecordedSession>)],
        memory: &CheckCache,
        working: &Path,
    ) -> Result<Vec<Previewed<'p>>> {
        let (overlay, table) = (surroundings::disk(), memory.table());
        let given = match &self.session {
            Some(path) => {
                let read = mangle_host::read_session(&mangle_host::absolute(working, path), &overlay, table);
                Some(read.map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))?)
            }
            None => None,
        };
        let mut previewed = Vec::new();
        for named in &self.files {
            let path = mangle_host::absolute(working, named);
            let Some(file) = table.known(&path) else { continue };
            let is_of = |joined: &&LinkedProgram| joined.program.file(file).is_some();
            let wants =
                |joined: &&LinkedProgram| joined.files.as_ref().is_none_or(|files| files.contains(&file));
            let joined = all.iter().filter(is_of).find(wants).or_else(|| all.iter().find(is_of));
            let Some(joined) = joined else { continue };
            let Some(summary) = joined.program.file(file) else { continue };
            let atoms = AtomFiles::named(&joined.settings.prompt.atoms, &joined.root, &overlay, table);
            let atoms = atoms.map(Arc::new);
            let known = AtomCache { configured: atoms.as_ref(), before: None };
            let files = PreviewFiles::load(&path, &summary.text, &joined.root, known, &overlay, table);
            let mut of = Previewed {
                joined,
                file,
                path,
                files,
                atoms,
                wanted: Vec::new(),
                sessions: Vec::new(),
                by_line: None,
            };
            let at = all.iter().position(|other| std::ptr::eq(other, joined));
            let (by_line, recorded) = at.and_then(|at| recorded.get(at)).cloned().unzip();
            of.by_line = by_line;
            let recorded = recorded.unwrap_or_default();
            self.want(&mut of, given.as_ref(), &recorded);
            previewed.push(of);
        }
        Ok(previewed)
    }

    /// Determines the requested prompts of a file.
    fn want(
        &self,
        of: &mut Previewed<'_>,
        given: Option<&Arc<SessionText>>,
        recorded: &Arc<RecordedSession>,
    ) {
        let stem = mangle_host::preview_name(&of.path);
        let shard = match &self.shard[..] {
            [id, kind] => Some((id.clone(), Some(kind.clone()))),
            _ => None,
        };
        let part = match self.part {
            PartOption::System => RequestedPart::System,
            PartOption::Turn => RequestedPart::Turn,
            PartOption::Articulation => RequestedPart::Articulation,
        };
        let mode = self.mode.map(ModeOption::mode);
        let request = PreviewRequest { name: self.name.clone(), shard, mode, part };
        for (mut wanted, session) in of.files.requested(&request, given, &stem) {
            if self.compressed {
                let message = wanted.session.as_ref().map(|file| file.user_input.clone());
                wanted.part = PromptPart::Compressed(message.unwrap_or_default(), Arc::clone(recorded));
            }
            of.wanted.push(wanted);
            of.sessions.push(session);
        }
    }

    pub(super) fn settings(&self, joined: &LinkedProgram) -> PreviewSettings {
        let kernel = &joined.settings.kernel;
        let reading = self.reading.map_or(kernel.reading, Reading::from);
        let clock = self.now.map_or_else(|| Clock::from_settings(kernel), |now_ns| Clock { now_ns });
        let settings = PreviewSettings::from_settings(
            &joined.settings.prompt,
            reading,
            Limits::from_settings(kernel),
            clock,
        )
        .in_version(joined.settings.transcripts.profile)
        .of_runtime(joined.settings.transcripts.caps.runtime);
        PreviewSettings {
            synthetic: settings.synthetic && !self.no_synthetic,
            sticky: self.sticky,
            order: self.shuffle_seed.map_or(AnswerOrder::Sorted, AnswerOrder::Shuffled),
            ..settings
        }
    }

    /// The reason that nothing is shown.
    pub(super) fn nothing(&self, previewed: &[Previewed<'_>]) -> String {
        let groups =
            || previewed.iter().flat_map(|of| of.files.header.groups.iter().map(move |group| (of, group)));
        match &self.name {
            Some(name) if groups().next().is_some() => {
                let names: Vec<_> = groups()
                    .map(|(of, group)| format!("`{}`", prompt_name(group, &mangle_host::preview_name(&of.path))))
                    .collect();
                format!("there is no preview `{name}`, but {}", names.join(", "))
            }
            _ if groups().next().is_some() => {
                "no preview says for which shard it is; add `# @preview shard: coder-7 coder`, or use `--shard`".to_owned()
            }
            Some(name) if !self.shard.is_empty() => {
                let names: Vec<_> =
                    previewed.iter().map(|of| format!("`{}`", mangle_host::preview_name(&of.path))).collect();
                format!("there is no preview `{name}`; that of `--shard` is called {}", names.join(", "))
            }
            _ => "no file has `# @preview` comments; name a shard with `--shard coder-7 coder`".to_owned(),
        }
    }
}

#[derive(Default)]
pub(super) struct WatchState {
    /// The files that were read.
    pub(super) files: Vec<PathBuf>,
    prompts: Vec<PromptReport>,
}

impl WatchState {
    /// Marks lines that are new since the last run, and stores the prompts.
    pub(super) fn prompts(&mut self, all: &mut Vec<PromptReport>) {
        let before = std::mem::take(&mut self.prompts);
        self.prompts.clone_from(all);
        for prompt in all {
            let is_it = |other: &&PromptReport| {
                (&other.name, &other.shard, other.mode) == (&prompt.name, &prompt.shard, prompt.mode)
            };
            if let Some(before) = before.iter().find(is_it) {
                prompt.mark_changes(before);
            }
        }
    }
}

/// The input files of previews, and the agent configurations in their folders.
pub(super) fn read_files(previewed: &[Previewed<'_>], table: &FileTable) -> Vec<PathBuf> {
    let mut all: BTreeSet<PathBuf> = BTreeSet::new();
    for of in previewed {
        all.extend(of.joined.program.files.iter().map(|file| table.path(file.id).to_path_buf()));
        all.extend(of.files.texts().map(|(_, path, _)| path.to_path_buf()));
        all.extend(
            of.files.named().map(|path| mangle_host::absolute(of.path.parent().unwrap_or(&of.path), path)),
        );
        all.extend(
            of.path.ancestors().skip(1).map(|folder| folder.join(piggyback::transcript::settings::PATH)),
        );
    }
    all.retain(|path| path.parent().is_some_and(Path::is_dir));
    all.into_iter().collect()
}

/// Maximum number of shown errors in the policies of a sample.
const MAX_NEIGHBORS: usize = 5;

/// The findings of the previews of a file, and the errors of their program.
pub(super) fn notes(of: &Previewed<'_>, preview: &mut Preview, sources: &Sources) -> Vec<Note> {
    let sessions: Vec<_> =
        of.sessions.iter().map(|session| session.as_ref().map(|session| session.id)).collect();
    let found = findings(preview, &of.files.header, &sessions, &of.files.findings, &of.joined.settings);
    let place = |file, diagnostic: &Diagnostic| {
        format!("{}:{}", sources.name(file), sources.place(file, diagnostic.range.start()).line)
    };
    let placed = |(file, diagnostic): &(FileId, Diagnostic)| note(diagnostic, place(*file, diagnostic));
    let found = found.into_iter().flat_map(|(file, all)| all.into_iter().map(move |one| (file, one)));
    let found: Vec<_> = found.collect();
    mistakes(of).shown.iter().chain(&found).map(placed).collect()
}

#[derive(Default)]
struct Mistakes {
    /// All errors of the sample, and the first of the other errors.
    shown: Vec<(FileId, Diagnostic)>,
    /// The number of errors that are not shown.
    more: usize,
    /// The file that the runtime fails to load.
    refused: Option<FileId>,
}

fn mistakes(of: &Previewed<'_>) -> Mistakes {
    let (program, rules) = (&of.joined.program, &of.joined.settings.rules);
    let mut mistakes = Mistakes::default();
    let mut around = 0;
    for (file, found) in diagnostics(program, rules, &FindingCache::new(mangle_ide::registry::all())) {
        for one in found.into_iter().filter(|one| one.severity == Severity::Error) {
            if one.rule.is_unreadable() || one.rule.name == "unstratified" {
                mistakes.refused = mistakes.refused.or(Some(file));
            }
            if file != of.file && around >= MAX_NEIGHBORS {
                mistakes.more += 1;
                continue;
            }
            around += usize::from(file != of.file);
            mistakes.shown.push((file, one));
        }
    }
    mistakes
}

/// Further notes about the program, one sentence each.
pub(super) fn remarks(of: &Previewed<'_>, sources: &Sources) -> BTreeSet<String> {
    let mistakes = mistakes(of);
    let mut remarks = BTreeSet::new();
    if let Some(file) = mistakes.refused {
        remarks.insert(format!(
            "the runtime loads no kernel with such mistakes as in {}, and makes the prompt of built-in texts; shown is what \
             the rest gives",
            sources.name(file)
        ));
    }
    if mistakes.more > 0 {
        let errors = if mistakes.more == 1 { "error" } else { "errors" };
        remarks.insert(format!("{} more {errors} in the policies; `check` shows them", mistakes.more));
    }
    remarks
}

/// Messages about statements with syntax errors, which have no effect.
pub(super) fn damaged(of: &Previewed<'_>, sources: &Sources) -> BTreeSet<String> {
    let files = of.joined.program.files.iter();
    let items = files.flat_map(|file| file.items.iter().map(move |item| (file.id, item)));
    let damaged = items.filter(|(_, item)| item.statement.damaged && !item.follows_damage);
    let said = damaged.map(|(file, item)| {
        let line = sources.place(file, item.start).line;
        format!(
            "{}:{line}: this statement cannot be read and gives nothing; `check` says why",
            sources.name(file)
        )
    });
    said.collect()
}
