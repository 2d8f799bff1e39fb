//! `preview`: the prompts that the runtime would send, line by line with their reasons.

mod state;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, ColorChoice, ValueEnum};

use super::Outcome;
use super::output::{self, Output};
use super::programs::Programs;
use super::watch::watching;
use crate::config::instant;
use crate::host::{self, AtomFiles, Joined, Memory, Overlay, PreviewFiles, SessionText};
use crate::ide::previews::{PreviewNames, findings, note, report, why, why_not};
use crate::kernel::{Clock, Limits, Reading};
use crate::lint::{Diagnostic, Severity};
use crate::program::{FileSummary, Program};
use crate::prompt::{Group, Mode, Order, Part, Preview, PreviewSettings, Said, Wanted};
use crate::report::prompts::{Note, PromptReport, prompts_json, prompts_markdown, prompts_text};
use crate::report::{SourceText, Sources, diff};
use crate::syntax::SourceFile;
use crate::text::{Cancel, FileId};

use state::Until;

/// Show the prompts that shards will read
///
/// `mangle-ls preview fix-auth.kernel.mg`. A sample kernel says in `# @preview` comments which prompts are wanted; any
/// other file needs `--shard`. Exit status: 0; 1 if something is wrong with a preview, `--why` or `--why-not` finds
/// nothing, or `--diff` finds a difference; 2 if nothing could be shown.
#[derive(Debug, Args)]
pub(super) struct PreviewCommand {
    /// Sample kernels (`*.kernel.mg`) or other files of a program
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only the preview of this name
    #[arg(long)]
    name: Option<String>,
    /// For this shard
    #[arg(long, num_args = 2, value_names = ["ID", "TYPE"])]
    shard: Vec<String>,
    /// With this session file (`.yaml`, `.json`), in place of the one that the kernel names
    #[arg(long, value_name = "FILE")]
    session: Option<PathBuf>,
    /// How the prompt is assembled: by the prompt compiler, without it, or the context section alone
    #[arg(long, value_enum)]
    mode: Option<How>,
    /// What to show: the system prompt; the input of a turn, with the `user_input` of the session; what is asked for when
    /// its `results` are put into words
    #[arg(long, value_enum, default_value_t)]
    part: What,
    /// For whom the output is
    #[arg(long, value_enum, default_value_t)]
    format: Layout,
    /// Show where each line comes from, and how it follows
    #[arg(long)]
    provenance: bool,
    /// Show the lines with this text, and why they are there
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// Say why a context atom is not in the prompt of a shard
    #[arg(long, num_args = 2, value_names = ["SHARD", "ATOM"], conflicts_with = "why")]
    why_not: Vec<String>,
    /// Compare with a prompt that was captured
    #[arg(long, value_name = "CAPTURED", conflicts_with_all = ["why", "why_not"])]
    diff: Option<PathBuf>,
    /// Show again whenever a file changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
    /// With what a captured session had made the kernel believe: its accepted updates, replayed against the program
    #[arg(long, value_name = "TRANSCRIPT")]
    transcript: Option<PathBuf>,
    /// Up to this turn of the transcript
    #[arg(long, value_name = "K", requires = "transcript")]
    turn: Option<u64>,
    /// A further fact, as `test_state(/failing).`; may be repeated
    #[arg(long, value_name = "FACT")]
    fact: Vec<String>,
    /// Add none of the facts that the runtime would have: `active_shard`, `user_intent`, `context_budget`
    #[arg(long)]
    no_synthetic: bool,
    /// Read facts in an order that depends on this number: shows what depends on the order
    #[arg(long, value_name = "N")]
    shuffle_seed: Option<u64>,
    /// How the program is read; `go` unless `[kernel] reading` says otherwise
    #[arg(long, value_enum)]
    reading: Option<Semantics>,
    /// The time of evaluation, as `2026-01-31T12:00:00Z`
    #[arg(long, value_name = "TIME", value_parser = instant)]
    now: Option<i64>,
}

/// How a prompt is assembled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum How {
    /// By the prompt compiler
    Jit,
    /// Without it
    Legacy,
    /// The context section alone
    Section,
}

impl How {
    fn mode(self) -> Mode {
        match self {
            Self::Jit => Mode::Jit,
            Self::Legacy => Mode::Legacy,
            Self::Section => Mode::Section,
        }
    }
}

/// What is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum What {
    /// The system prompt
    #[default]
    System,
    /// The input of a turn
    Turn,
    /// What is asked for when results are put into words
    Articulation,
}

/// For whom the output is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For documents
    Markdown,
}

/// How a program is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Semantics {
    /// As the engine does it, bug for bug
    Go,
    /// As it is written: no negation is dropped
    Written,
}

/// A file that is previewed.
struct Previewed<'p> {
    joined: &'p Joined,
    file: FileId,
    path: PathBuf,
    files: PreviewFiles,
    /// The prompt atoms of the configuration.
    atoms: Option<Arc<AtomFiles>>,
    wanted: Vec<Wanted>,
    /// The session file of each.
    sessions: Vec<Option<Arc<SessionText>>>,
}

impl PreviewCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// When there is no working folder, files cannot be watched, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<Outcome> {
        let working = std::env::current_dir().context("cannot find out the working folder")?;
        if !self.watch {
            return self.once(color, &working);
        }
        let watched: Vec<_> = self.files.iter().map(|file| host::absolute(&working, file)).collect();
        let folders = watched.iter().filter_map(|file| Some(file.parent()?.to_path_buf()));
        let folders: Vec<_> = folders.chain([working.clone()]).collect();
        let beside: Vec<_> =
            self.session.iter().chain(&self.diff).map(|file| host::absolute(&working, file)).collect();
        watching(color, &|| (folders.clone(), beside.clone()), &mut || self.once(color, &working))
    }

    fn once(&self, color: ColorChoice, working: &Path) -> Result<Outcome> {
        let (memory, mut sources) = (Memory::default(), Sources::default());
        let facts = self.facts(&memory, &mut sources)?;
        let with: Vec<_> = facts.into_iter().collect();
        let mut programs = Programs::load_beside(&self.files, working, &memory, &with, sources);
        self.replay(&mut programs, &memory, working)?;
        let mut sessions = Vec::new();
        let previewed = self.previewed(&programs.all, &memory, working)?;
        for of in &previewed {
            sessions.extend(of.sessions.iter().flatten().map(Arc::clone));
        }
        for (file, path, text) in previewed.iter().flat_map(|of| of.files.texts()) {
            let text = SourceText::new(host::relative(working, path), Arc::clone(text));
            programs.sources.insert_source(file, text);
        }
        for session in sessions {
            let name = host::relative(working, &session.path);
            programs.sources.insert_source(session.id, SourceText::new(name, Arc::clone(&session.text)));
        }
        let mut out = Output::new(color);
        let mut all: Vec<PromptReport> = Vec::new();
        let mut is_clean = true;
        for of in &previewed {
            is_clean &= self.preview(of, &programs.sources, &mut out, &mut all)?;
        }
        if self.why.is_none() && self.why_not.is_empty() && self.diff.is_none() && !all.is_empty() {
            out.write(&self.written(&all))?;
        }
        out.flush()?;
        programs.complain(working, color);
        let damaged: std::collections::BTreeSet<_> =
            previewed.iter().flat_map(|of| damaged(of, &programs.sources)).collect();
        damaged.iter().for_each(|why| output::warn(color, why));
        if all.is_empty() && programs.problems.is_empty() {
            output::complain(color, &self.nothing(&previewed));
        }
        Ok(match (programs.problems.is_empty() && !all.is_empty(), is_clean) {
            (false, _) => Outcome::Failure,
            (true, false) => Outcome::Findings,
            (true, true) => Outcome::Clean,
        })
    }

    fn written(&self, all: &[PromptReport]) -> String {
        match self.format {
            Layout::Text => prompts_text(all, self.provenance),
            Layout::Json => serde_json::to_string_pretty(&prompts_json(all)).unwrap_or_default() + "\n",
            Layout::Markdown => prompts_markdown(all, self.provenance),
        }
    }

    /// The facts of the command line as a file of clauses.
    fn facts(&self, memory: &Memory, sources: &mut Sources) -> Result<Option<Arc<FileSummary>>> {
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
        Ok(Some(host::summarise(id, &source, &[])))
    }

    /// Gives each program what the session had made its kernel believe.
    fn replay(&self, programs: &mut Programs, memory: &Memory, working: &Path) -> Result<()> {
        let Some(path) = &self.transcript else { return Ok(()) };
        for joined in &mut programs.all {
            let PreviewSettings { clock, reading, .. } = self.settings(joined);
            let until = Until { path, turn: self.turn, clock, reading };
            let sources = (memory, &mut programs.sources);
            let state = state::state(until, &joined.program, &joined.settings, working, sources)?;
            let files = joined.program.files.iter().map(Arc::clone).chain([state]).collect();
            joined.program = Program::embedded(files, Arc::clone(&joined.program.embedding)).into();
        }
        Ok(())
    }

    /// The files with what is wanted of each.
    fn previewed<'p>(
        &self,
        all: &'p [Joined],
        memory: &Memory,
        working: &Path,
    ) -> Result<Vec<Previewed<'p>>> {
        let (overlay, table) = (Overlay::default(), memory.table());
        let given = match &self.session {
            Some(path) => {
                let read = host::read_session(&host::absolute(working, path), &overlay, table);
                Some(read.map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))?)
            }
            None => None,
        };
        let mut previewed = Vec::new();
        for named in &self.files {
            let path = host::absolute(working, named);
            let Some(file) = table.known(&path) else { continue };
            let is_of = |joined: &&Joined| joined.program.file(file).is_some();
            let wants = |joined: &&Joined| joined.files.as_ref().is_none_or(|files| files.contains(&file));
            let joined = all.iter().filter(is_of).find(wants).or_else(|| all.iter().find(is_of));
            let Some(joined) = joined else { continue };
            let Some(summary) = joined.program.file(file) else { continue };
            let atoms = AtomFiles::named(&joined.settings.prompt.atoms, &joined.root, &overlay, table);
            let atoms = atoms.map(Arc::new);
            let files =
                PreviewFiles::load(&path, &summary.text, &joined.root, atoms.as_ref(), &overlay, table);
            let mut of =
                Previewed { joined, file, path, files, atoms, wanted: Vec::new(), sessions: Vec::new() };
            self.want(&mut of, given.as_ref());
            previewed.push(of);
        }
        Ok(previewed)
    }

    /// Works out which prompts of a file are wanted.
    fn want(&self, of: &mut Previewed<'_>, given: Option<&Arc<SessionText>>) {
        let stem = host::preview_name(&of.path);
        let groups = of.files.header.groups.iter().zip(&of.files.sessions).zip(&of.files.atoms);
        let mut all: Vec<(Option<Wanted>, Option<Arc<SessionText>>)> = groups
            .filter(|((group, _), _)| self.name.as_ref().is_none_or(|name| *name == group.name))
            .map(|((group, session), atoms)| {
                let mut group = group.clone();
                if let [id, kind] = &self.shard[..] {
                    group.shard = Some((Said::by_caller(id.clone()), Said::by_caller(kind.clone())));
                }
                let session = given.or(session.as_ref()).map(Arc::clone);
                let wanted = Wanted::of(&group, session.as_ref().map(|session| session.file.clone()), &stem);
                let compiler = atoms.as_ref().map(|atoms| atoms.compiler());
                (wanted.map(|wanted| Wanted { compiler, ..wanted }), session)
            })
            .collect();
        if let ([id, kind], true, None) = (&self.shard[..], all.is_empty(), &self.name) {
            let shard = Some((Said::by_caller(id.clone()), Said::by_caller(kind.clone())));
            let group = Group { shard, ..Group::default() };
            let session = given.map(Arc::clone);
            all.push((
                Wanted::of(&group, session.as_ref().map(|session| session.file.clone()), &stem),
                session,
            ));
        }
        for (wanted, session) in all {
            let Some(mut wanted) = wanted else { continue };
            wanted.mode = self.mode.map(How::mode).or(wanted.mode);
            let file = wanted.session.as_ref();
            wanted.part = match self.part {
                What::System => Part::System,
                What::Turn => Part::Turn(file.map(|file| file.user_input.clone()).unwrap_or_default()),
                What::Articulation => {
                    Part::Articulation(file.map(|file| file.results.clone()).unwrap_or_default())
                }
            };
            of.wanted.push(wanted);
            of.sessions.push(session);
        }
    }

    fn settings(&self, joined: &Joined) -> PreviewSettings {
        let kernel = &joined.settings.kernel;
        let reading = self.reading.map_or(kernel.reading, |reading| match reading {
            Semantics::Go => Reading::Go,
            Semantics::Written => Reading::Written,
        });
        let clock = self.now.map_or_else(|| Clock::of(kernel), |now_ns| Clock { now_ns });
        let settings = PreviewSettings::of(&joined.settings.prompt, reading, Limits::of(kernel), clock);
        PreviewSettings {
            synthetic: !self.no_synthetic,
            order: self.shuffle_seed.map_or(Order::Sorted, Order::Shuffled),
            ..settings
        }
    }

    /// Makes the previews of a file. Gives whether all is well with them.
    fn preview(
        &self,
        of: &Previewed<'_>,
        sources: &Sources,
        out: &mut Output,
        all: &mut Vec<PromptReport>,
    ) -> Result<bool> {
        let name = |file: FileId| sources.name(file).to_owned();
        let compiler = of.atoms.as_ref().map(|atoms| atoms.compiler());
        let settings = PreviewSettings { compiler, ..self.settings(of.joined) };
        let mut preview = Preview::new(
            Arc::clone(&of.joined.program),
            Some(of.file),
            of.wanted.clone(),
            settings,
            &Cancel::new(),
        );
        let notes = notes(of, &mut preview, sources);
        let mut is_clean = notes.iter().all(|note| note.severity != Severity::Error.as_str());
        let mut found = false;
        let (common, shown) = preview.parts();
        for (shown, session) in shown.iter_mut().zip(&of.sessions) {
            let session_name = session.as_ref().map(|session| sources.name(session.id).to_owned());
            let texts = session_name.as_deref().zip(session.as_ref().map(|session| &*session.text));
            let names = PreviewNames { file: &name, session: texts };
            let mut made = report(common, shown, names, self.provenance);
            made.diagnostics.clone_from(&notes);
            if let Some(stop) = shown.stopped() {
                let place = stop.rule.and_then(|rule| common.line_of_rule(rule));
                let place = place.map_or_else(String::new, |(file, line)| format!("{}:{line}: ", name(file)));
                output::complain(
                    ColorChoice::Auto,
                    &format!("{place}the evaluation stopped: {}", stop.reason),
                );
                is_clean = false;
            }
            if let Some(text) = &self.why {
                let said = why(common, shown, text, names);
                found |= !said.is_empty();
                out.write(&said)?;
            }
            if let [shard, atom] = &self.why_not[..] {
                let (_, said) = why_not(common, shown, (shard, atom), names);
                found = true;
                out.write(&said)?;
            }
            if let Some(captured) = &self.diff {
                let text = host::read_to_string(captured).with_context(|| captured.display().to_string())?;
                let changes = diff(&captured.display().to_string(), &text, &shown.prompt.text());
                is_clean &= changes.is_empty();
                out.write(&changes)?;
            }
            all.push(made);
        }
        let asks = self.why.is_some() || !self.why_not.is_empty();
        Ok(is_clean && (!asks || found))
    }

    /// Why there is nothing to show.
    fn nothing(&self, previewed: &[Previewed<'_>]) -> String {
        let groups = || previewed.iter().flat_map(|of| &of.files.header.groups);
        match &self.name {
            Some(name) if groups().next().is_some() => {
                let names: Vec<_> = groups().map(|group| format!("`{}`", group.name)).collect();
                format!("there is no preview `{name}`, but {}", names.join(", "))
            }
            _ if groups().next().is_some() => {
                "no preview says for which shard it is; add `# @preview shard: coder-7 coder`, or use `--shard`".to_owned()
            }
            _ => "no file has `# @preview` comments; name a shard with `--shard coder-7 coder`".to_owned(),
        }
    }
}

/// What is wrong with the previews of a file, and statements that count for nothing.
fn notes(of: &Previewed<'_>, preview: &mut Preview, sources: &Sources) -> Vec<Note> {
    let sessions: Vec<_> =
        of.sessions.iter().map(|session| session.as_ref().map(|session| session.id)).collect();
    let found = findings(preview, &of.files.header, &sessions, &of.files.findings, &of.joined.settings);
    let place = |file, diagnostic: &Diagnostic| {
        format!("{}:{}", sources.name(file), sources.place(file, diagnostic.range.start()).line)
    };
    let notes = found
        .iter()
        .flat_map(|(file, all)| all.iter().map(move |diagnostic| note(diagnostic, place(*file, diagnostic))));
    notes.collect()
}

/// The statements of a program that could not be read, which give nothing.
fn damaged(of: &Previewed<'_>, sources: &Sources) -> Vec<String> {
    let files = of.joined.program.files.iter();
    let items = files.flat_map(|file| file.items.iter().map(move |item| (file.id, item)));
    let damaged = items.filter(|(_, item)| item.statement.damaged && !item.rubble);
    let said = damaged.map(|(file, item)| {
        let line = sources.place(file, item.start).line;
        format!(
            "{}:{line}: this statement cannot be read and gives nothing; `check` says why",
            sources.name(file)
        )
    });
    said.collect()
}
