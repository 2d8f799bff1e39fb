//! `preview`: shows the prompts that the runtime would send, with the reason for each line.

mod requests;
mod state;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use clap::{Args, ColorChoice, ValueEnum};

use super::output::{self, Medium, Output, columns, fit};
use super::programs::Programs;
use super::shared_args::{LoadArgs, Semantics};
use super::terminal::watching;
use super::{ExitStatus, surroundings};
use agent_prompt::{CapturedPrompt, Mode, Preview, PreviewSettings, PreviewState, PreviewedPrompt};
use mangle_engine::kernel::Stop;
use mangle_host::{CheckCache, ProgramScope};
use mangle_ide::previews::{PreviewNames, WhyNotQuestion, report, why, why_not};
use mangle_report::prompts::{PromptReport, prompts_json, prompts_markdown, prompts_text};
use mangle_report::{LoadErrors, NamedText, Sources, diff_with, sink};
use mangle_settings::parse_timestamp;
use mangle_syntax::lint::Severity;
use mangle_syntax::text::FileId;
use requests::{Previewed, WatchState, damaged, notes, read_files, remarks};

/// Preview the system prompt of each agent role (shard)
///
/// `mangle-ls preview fix-auth.kernel.mg`. The `# @preview` comments of a sample kernel select the
/// prompts. For any other file, use `--shard`. Exit status: 0, or 1 if a preview has a problem,
/// `--why` or `--why-not` finds nothing, or `--diff` finds a difference. It is 2 if nothing could
/// be shown.
#[derive(Debug, Args)]
pub(super) struct PreviewCommand {
    /// Sample kernels (`*.kernel.mg`) or other files of a program
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Show only the preview of this name
    #[arg(long)]
    name: Option<String>,
    /// Preview the prompt of this shard
    #[arg(long, num_args = 2, value_names = ["ID", "TYPE"])]
    shard: Vec<String>,
    /// Use this session file (`.yaml`, `.json`) instead of the session file of the kernel
    #[arg(long, value_name = "FILE")]
    session: Option<PathBuf>,
    /// The way to assemble the prompt [default: `# @preview mode`, or `prompt.mode`]
    #[arg(long, value_enum)]
    mode: Option<ModeOption>,
    /// The part to show: the system prompt, the input of a turn (`user_input` of the session), or
    /// the request to put its `results` into words
    #[arg(long, value_enum, default_value_t)]
    part: PartOption,
    /// Show the input of a turn in the compressed form of long sessions: facts instead of words,
    /// after the turns of `--transcript`
    #[arg(long, conflicts_with = "part")]
    compressed: bool,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    format: Layout,
    /// Show the origin and the derivation of each line
    #[arg(long)]
    provenance: bool,
    /// Explain why the prompt contains the lines with this text, or the lines of the prompt atom
    /// with this id
    #[arg(long, value_name = "TEXT|ATOM")]
    why: Option<String>,
    /// Explain why a line, a part of a line, or the prompt atom with this id is missing from the
    /// prompt of a shard
    #[arg(long, num_args = 2, value_names = ["SHARD", "TEXT|ATOM"], conflicts_with = "why")]
    why_not: Vec<String>,
    /// With `--why-not`: maximum number of rule levels to explain below a rule whose premise fails
    #[arg(long, value_name = "N", default_value_t = 5, requires = "why_not")]
    depth: usize,
    /// Compare with a captured prompt (a text or a transcript): show each line that differs, with
    /// its origin
    #[arg(long, value_name = "CAPTURED", conflicts_with_all = ["why", "why_not"])]
    diff: Option<PathBuf>,
    /// Update the preview whenever a file changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
    /// Add the facts of a captured session: its accepted updates, replayed against the program
    #[arg(long, value_name = "TRANSCRIPT")]
    transcript: Option<PathBuf>,
    /// Replay the transcript up to this turn
    #[arg(long, value_name = "K", requires = "transcript", value_parser = clap::value_parser!(u64).range(1..))]
    turn: Option<u64>,
    /// Add a fact, for example `test_state(/failing).`; may be repeated
    #[arg(long, value_name = "FACT")]
    fact: Vec<String>,
    /// Do not add the facts that the runtime would have: `active_shard`, `user_intent`,
    /// `context_budget`
    #[arg(long)]
    no_synthetic: bool,
    /// Read facts in an order given by this number, to find lines that depend on the order
    #[arg(long, value_name = "N")]
    shuffle_seed: Option<u64>,
    /// Compile the prompts one after another in one kernel that retracts nothing, as in a long
    /// session of the runtime
    #[arg(long)]
    sticky: bool,
    /// The semantics of the program [default: `kernel.reading`, or `engine`]
    #[arg(long, value_enum)]
    reading: Option<Semantics>,
    /// The time of evaluation, for example `2026-01-31T12:00:00Z`
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    now: Option<i64>,
    #[command(flatten)]
    load: LoadArgs,
}

/// The way to assemble a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeOption {
    /// With the prompt compiler
    Jit,
    /// Without the prompt compiler
    Legacy,
    /// Only the context section
    Section,
}

impl ModeOption {
    fn mode(self) -> Mode {
        match self {
            Self::Jit => Mode::Jit,
            Self::Legacy => Mode::Legacy,
            Self::Section => Mode::Section,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum PartOption {
    /// The system prompt
    #[default]
    System,
    /// The input of a turn
    Turn,
    /// The request to put results into words
    Articulation,
}

/// The format of the output.
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

impl Layout {
    fn medium(self) -> Medium {
        match self {
            Self::Text => Medium::Coloured,
            Self::Json => Medium::Json,
            Self::Markdown => Medium::Text,
        }
    }
}

impl Layout {
    /// Formats an answer as Markdown, in a code fence without colors.
    fn answer(self, text: String) -> String {
        match self {
            Self::Markdown if !text.is_empty() => {
                sink::markdown_fence(&anstream::adapter::strip_str(&text).to_string())
            }
            _ => text,
        }
    }
}

impl PreviewCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, files cannot be watched, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let seen = RefCell::new(WatchState::default());
        if !self.watch {
            return self.once(color, &working, &seen);
        }
        let named: Vec<_> = self.files.iter().map(|file| mangle_host::absolute(&working, file)).collect();
        let folders = named.iter().filter_map(|file| Some(file.parent()?.to_path_buf()));
        let folders: Vec<_> = folders.chain([working.clone()]).collect();
        let beside = self.session.iter().chain(&self.diff).chain(&self.transcript);
        let beside: Vec<_> = beside.map(|file| mangle_host::absolute(&working, file)).collect();
        let watched = || (folders.iter().chain(&seen.borrow().files).cloned().collect(), beside.clone());
        watching(color, &watched, &mut || self.once(color, &working, &seen))
    }

    fn once(&self, color: ColorChoice, working: &Path, seen: &RefCell<WatchState>) -> Result<ExitStatus> {
        let is_prose = self.asks() && self.format == Layout::Json;
        ensure!(!is_prose, "`--why`, `--why-not` and `--diff` have no JSON; leave `--format json` out");
        let (memory, mut sources) = (CheckCache::default(), Sources::default());
        let facts = self.facts(&memory, &mut sources)?;
        let with: Vec<_> = facts.into_iter().collect();
        let mut programs =
            Programs::load_beside(&self.files, working, ProgramScope::Folder, &memory, &with, sources);
        let errors = programs.load_errors(programs.all.iter().map(|joined| &*joined.program));
        let Some(mark) = self.load.admit(errors, color) else {
            programs.complain(working, color);
            return Ok(ExitStatus::Failure);
        };
        let recorded = self.replay(&mut programs, &memory, working)?;
        let mut sessions = Vec::new();
        let previewed = self.previewed(&programs.all, &recorded, &memory, working)?;
        for of in &previewed {
            sessions.extend(of.sessions.iter().flatten().map(Arc::clone));
        }
        let configured = previewed.iter().filter_map(|of| of.atoms.as_ref());
        let configured = configured.flat_map(|atoms| atoms.texts());
        for (file, path, text) in previewed.iter().flat_map(|of| of.files.texts()).chain(configured) {
            programs.sources.insert_source(file, mangle_host::source_text(working, path, Arc::clone(text)));
        }
        for session in sessions {
            let text = mangle_host::source_text(working, &session.path, Arc::clone(&session.text));
            programs.sources.insert_source(session.id, text);
        }
        let mut out = Output::stdout(self.format.medium(), color);
        out.write(&match self.format {
            Layout::Text => mark.comment("#"),
            Layout::Json => String::new(),
            Layout::Markdown => mark.markdown(),
        })?;
        let mut all: Vec<PromptReport> = Vec::new();
        let mut is_clean = true;
        for of in &previewed {
            is_clean &= self.preview(of, &programs.sources, &mut out, &mut all)?;
        }
        seen.borrow_mut().files = read_files(&previewed, memory.table());
        let asks = self.asks();
        if !asks && !all.is_empty() {
            if self.watch {
                seen.borrow_mut().prompts(&mut all);
            }
            out.write(&self.written(&all, &mark))?;
        }
        out.flush()?;
        programs.complain(working, color);
        // Problems are shown below prompts. Answers to questions have no such section.
        let said = |of| if asks { damaged(of, &programs.sources) } else { remarks(of, &programs.sources) };
        let said: BTreeSet<_> = previewed.iter().flat_map(said).collect();
        said.iter().for_each(|why| output::warn(color, why));
        if self.sticky && !all.is_empty() && all.iter().all(|prompt| prompt.sticky.is_none()) {
            output::warn(
                color,
                "`--sticky` changes nothing here: it takes two prompts that are compiled (`jit`)",
            );
        }
        if all.is_empty() && programs.problems.is_empty() {
            output::complain(color, &self.nothing(&previewed));
        }
        Ok(match (programs.problems.is_empty() && !all.is_empty(), is_clean) {
            (false, _) => ExitStatus::Failure,
            (true, false) => ExitStatus::Findings,
            (true, true) => ExitStatus::Clean,
        })
    }

    /// True if an option asks a question about the prompts instead of showing them.
    fn asks(&self) -> bool {
        self.why.is_some() || !self.why_not.is_empty() || self.diff.is_some()
    }

    fn written(&self, all: &[PromptReport], mark: &LoadErrors) -> String {
        match self.format {
            Layout::Text => {
                let text = prompts_text(all, self.provenance);
                columns().map_or(text.clone(), |columns| fit(&text, columns))
            }
            Layout::Json => {
                let mut value = prompts_json(all);
                mark.mark_json(&mut value);
                serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
            }
            Layout::Markdown => prompts_markdown(all, self.provenance),
        }
    }

    /// Previews a file. Returns true if no problem was found.
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
            &surroundings::cancel(),
        );
        let notes = notes(of, &mut preview, sources);
        let mut is_clean = notes.iter().all(|note| note.severity != Severity::Error.as_str());
        let mut found = false;
        let asks = self.asks();
        let (common, shown) = preview.parts();
        for (shown, session) in shown.iter_mut().zip(&of.sessions) {
            let session_name = session.as_ref().map(|session| sources.name(session.id).to_owned());
            let texts = session_name.as_deref().zip(session.as_ref().map(|session| &*session.text));
            let text = |file: FileId| sources.get(file).map(|source| &*source.text);
            let names = PreviewNames { file: &name, text: &text, session: texts, by_line: of.by_line };
            let mut made = report(common, shown, names, self.provenance);
            made.diagnostics.clone_from(&notes);
            if let Some(stop) = shown.stopped() {
                // If prompts are shown, a finding reports the problem.
                if asks {
                    output::complain(ColorChoice::Auto, &stopped(stop, common, &name));
                }
                is_clean = false;
            }
            if let Some(text) = &self.why {
                let said = why(common, shown, text, names);
                found |= !said.is_empty();
                if said.is_empty() {
                    output::complain(ColorChoice::Auto, &missing_line(shown, text));
                }
                out.write(&self.format.answer(said))?;
            }
            if let [shard, atom] = &self.why_not[..]
                && *shard == shown.request.context.shard_id
            {
                let asked = WhyNotQuestion { shard, text: atom, depth: self.depth };
                let (_, said) = why_not(common, shown, asked, names);
                found = true;
                out.write(&self.format.answer(said))?;
            }
            if let Some(captured) = &self.diff {
                let changes = difference(captured, shown, &made)?;
                is_clean &= changes.is_empty();
                out.write(&self.format.answer(changes))?;
            }
            all.push(made);
        }
        if let ([shard, _], false) = (&self.why_not[..], found) {
            output::complain(ColorChoice::Auto, &missing_shard(of, shard));
        }
        let wants = self.why.is_some() || !self.why_not.is_empty();
        Ok(is_clean && (!wants || found))
    }
}

/// The lines that differ between a captured prompt and a preview. Lines of the preview include
/// their source.
fn difference(captured: &Path, shown: &PreviewedPrompt, made: &PromptReport) -> Result<String> {
    let name = captured.display().to_string();
    let text = mangle_host::read_to_string(captured).with_context(|| name.clone())?;
    let kind = &shown.request.context.shard_type;
    let before = CapturedPrompt::read(FileId(0), &name, &text, kind)
        .with_context(|| format!("{name} has no system prompt of a `{kind}`"))?;
    let lines = made.sections.iter().flat_map(|section| &section.lines);
    let origins: Vec<String> =
        lines.flat_map(|line| line.text.split('\n').map(|_| line.origin.short())).collect();
    let (old, new) =
        (CapturedPrompt::comparable(&before.text), CapturedPrompt::comparable(&shown.prompt.text()));
    let title = format!("preview {}", shown.request.name);
    let (old, new) = (NamedText { name: &name, text: &old }, NamedText { name: &title, text: &new });
    Ok(diff_with(old, new, &|line| origins.get(line).cloned()))
}

/// The message that a prompt has no line with a text, with an explanation.
fn missing_line(shown: &PreviewedPrompt, text: &str) -> String {
    let (name, shard) = (&shown.request.name, &shown.request.context.shard_id);
    let folded = text.to_lowercase();
    let is_alike = |line: &&str| !folded.is_empty() && line.to_lowercase().contains(&folded);
    let prompt = shown.prompt.text();
    if let Some(line) = prompt.lines().find(is_alike) {
        return format!("no line of `{name}` has the text {text:?}; in another case one has: {line}");
    }
    format!("no line of `{name}` has the text {text:?}; `--why-not {shard} {text:?}` says why")
}

/// The message that no preview has an agent role, with the list of existing roles.
fn missing_shard(of: &Previewed<'_>, shard: &str) -> String {
    let all: BTreeSet<_> = of.wanted.iter().map(|wanted| format!("`{}`", wanted.context.shard_id)).collect();
    let all = all.into_iter().collect::<Vec<_>>().join(", ");
    format!("no preview has the shard `{shard}`; the previews are for {all}")
}

/// The message about a stopped evaluation.
fn stopped(stop: &Stop, common: &PreviewState, name: &dyn Fn(FileId) -> String) -> String {
    let place = stop.rule.and_then(|rule| common.line_of_rule(rule));
    let place = place.map_or_else(String::new, |(file, line)| format!("{}:{line}: ", name(file)));
    let limit = stop.reason.setting().map(|setting| format!(", the limit `[kernel] {setting}`"));
    format!("{place}the evaluation stopped: {}{}", stop.reason, limit.unwrap_or_default())
}
