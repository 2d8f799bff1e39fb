//! Common options and file reading of the transcript commands.

use std::cell::RefCell;
use std::convert::Infallible;
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result, ensure};
use clap::{Args, ColorChoice};
use serde_json::Value;

use super::program_notes::{self, policies_of_transcripts};
use super::terminal::Progress;
use super::{output, surroundings};
use mangle_host::{
    CheckCache, CheckInputsMap, CheckOptions, Input, Overlay, PartialScan, Problem, ReadOptions, Resolution,
    STDIN, SettingsProblems, Shell, TranscriptFile, TranscriptPrograms, TranscriptRequest,
    read_transcript_with,
};
use mangle_ide::file_findings::load_errors;
use mangle_report::replies::TranscriptReply;
use mangle_report::{LinePosition, LoadError, LoadErrors, ReportEntry, Sources, json_value};
use mangle_settings::{BUILT_IN_CONSUMERS, Container, MaxFindings, Profile, TranscriptSettings};
use piggyback::envelope::ReplyContext;
use piggyback::transcript::{MAX_DOCUMENT_LEN, ReadSummary, Record};

/// The options for reading transcripts.
#[derive(Debug, Default, Args)]
pub(super) struct TranscriptArgs {
    /// The container format of the transcripts [default: detected]; `raw`: a whole file is one
    /// reply
    #[arg(long, value_name = "NAME", value_parser = container)]
    container: Option<Container>,
    /// The version of the protocol: auto, 1.1, 1.1-bnf, 1.2, 1.2-go, current or 1.3-draft
    #[arg(long, value_name = "VERSION", value_parser = profile)]
    profile: Option<ProfileOption>,
    /// The consumer of the updates: open, session, planner, perception, compressor, or a consumer
    /// in the settings
    #[arg(long, value_name = "NAME")]
    consumer: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProfileOption {
    /// Detect the version, regardless of the settings.
    Auto,
    This(Profile),
}

fn container(word: &str) -> Result<Container, String> {
    Container::parse(word).ok_or_else(|| format!("it is one of {}", Container::WORDS.join(", ")))
}

fn profile(word: &str) -> Result<ProfileOption, String> {
    if word == "auto" {
        return Ok(ProfileOption::Auto);
    }
    let profile = Profile::parse(word).map(ProfileOption::This);
    profile.ok_or_else(|| format!("it is auto or one of {}", Profile::WORDS.join(", ")))
}

impl TranscriptArgs {
    /// Applies the options to the settings of all transcripts.
    pub(super) fn apply(&self, resolution: &mut Resolution) -> Result<()> {
        resolution.change_settings(|settings| {
            settings.container = self.container.or(settings.container);
            if self.profile == Some(ProfileOption::Auto) {
                settings.profile = None;
            }
            settings.prescribed = self.prescribed();
            if let Some(consumer) = &self.consumer {
                let own = settings.consumers.keys().map(String::as_str);
                let known: Vec<_> = BUILT_IN_CONSUMERS.into_iter().chain(own).collect();
                anyhow::ensure!(
                    known.contains(&consumer.as_str()),
                    "there is no consumer `{consumer}`; it is one of {}",
                    known.join(", ")
                );
                settings.consumer = Some(consumer.clone());
            }
            Ok(())
        })
    }

    /// The prescribed protocol version.
    pub(super) fn prescribed(&self) -> Option<Profile> {
        match self.profile {
            Some(ProfileOption::This(profile)) => Some(profile),
            Some(ProfileOption::Auto) | None => None,
        }
    }
}

/// The transcripts of a command.
pub(super) struct Transcripts {
    /// The transcripts with their projects and programs.
    pub(super) resolution: Resolution,
    /// The declarations of their programs.
    pub(super) knowledges: CheckInputsMap,
    /// Given files that cannot be read.
    problems: Vec<Problem>,
    /// Other files that cannot be read.
    unread: Vec<Problem>,
    settings: SettingsProblems,
    /// The errors that prevent some of their programs from loading.
    of_programs: LoadErrors,
    /// The texts of their programs.
    pub(super) sources: Sources,
    /// The ids of all files.
    pub(super) memory: CheckCache,
    /// The given files and folders.
    named: Vec<PathBuf>,
    working: PathBuf,
    /// Standard input, if it is read more than once.
    overlay: Overlay,
    /// The files with only surfaces and updates, after replies were requested.
    without_reply: RefCell<Vec<PathBuf>>,
}

/// A reply with its findings.
pub(super) struct ExaminedReply<'a> {
    /// The reply and its position.
    pub(super) answered: TranscriptReply<'a>,
    /// The settings of the reply, and the declarations of its programs.
    pub(super) context: ReplyContext<'a>,
    /// The findings, in the format of `check --format json`.
    pub(super) diagnostics: Vec<Value>,
}

/// Callback for a record of a file, with a function that locates its start.
pub(super) type EachRecord<'f> =
    dyn FnMut(&TranscriptFile, &Record<'_>, &mut dyn FnMut() -> LinePosition) -> io::Result<()> + 'f;

/// Callback for a record with the result of its worker. Can stop reading the file.
pub(super) type EachWorkedRecord<'f, T> = dyn FnMut(&TranscriptFile, &Record<'_>, T, &mut dyn FnMut() -> LinePosition) -> io::Result<ControlFlow<()>>
    + 'f;

/// Callback for the bytes of a file, with its container once it is known.
pub(super) type EachPiece<'f> = dyn FnMut(&TranscriptFile, &[u8], Option<Container>) + 'f;

/// Creates the worker for the records of a file.
pub(super) type RecordWorker<'f, T> =
    dyn Fn(&TranscriptFile) -> Box<dyn FnMut(&Record<'_>) -> T + 'f> + Sync + 'f;

impl Transcripts {
    /// Finds the transcripts of `files`, and loads their programs.
    ///
    /// # Errors
    /// If the consumer is unknown.
    pub(super) fn load(files: &[PathBuf], args: &TranscriptArgs, working: &Path) -> Result<Self> {
        let (memory, overlay) = (CheckCache::default(), surroundings::disk());
        let named = mangle_host::targets_with_transcripts(&[], files, working);
        let mut resolution = mangle_host::resolve_with_transcripts(
            &named.targets,
            Shell::CommandLine,
            &overlay,
            memory.table(),
        );
        args.apply(&mut resolution)?;
        let settings = resolution.settings_problems(working);
        let (summaries, unread) = mangle_host::load(&resolution, &named.targets, &overlay, &memory, || {});
        let missing = unread.iter().map(|problem| {
            LoadError::unreadable(mangle_host::relative(working, &problem.path), &problem.why)
        });
        let missing = missing.collect();
        let unparsed = mangle_host::unparsed(&summaries, &named.targets, memory.table());
        let cuts = resolution.partial_scans.iter().map(PartialScan::problem);
        let of_programs = unread.into_iter().chain(unparsed).chain(cuts);
        let (problems, mut unread): (Vec<_>, Vec<_>) =
            named.problems.into_iter().chain(of_programs).partition(|problem| problem.named);
        unread.extend(std::mem::take(&mut resolution.problems).into_iter().filter(|problem| !problem.named));
        let knowledges = CheckInputsMap::new(&resolution, &summaries, args.prescribed());
        let mut sources = Sources::default();
        for file in summaries.values() {
            let path = memory.table().path(file.id);
            sources.insert_source(file.id, mangle_host::source_text(working, &path, Arc::clone(&file.text)));
        }
        let named = files.iter().map(|file| mangle_host::absolute(working, file)).collect();
        let mut of_programs = LoadErrors::new(missing);
        for program in mangle_host::programs_of_transcripts(&resolution, &summaries) {
            of_programs.add(load_errors(&program, &|file| sources.name(file).to_owned()));
        }
        let working = working.into();
        Ok(Self {
            resolution,
            knowledges,
            problems,
            unread,
            settings,
            of_programs,
            sources,
            memory,
            named,
            working,
            overlay,
            without_reply: RefCell::default(),
        })
    }

    /// Reads standard input into memory, if it is given, so that it can be replayed and checked.
    ///
    /// # Errors
    /// If standard input cannot be read, or exceeds the maximum document size.
    pub(super) fn keep_input(&mut self) -> Result<()> {
        if !self.named.iter().any(|path| path.ends_with("-")) {
            return Ok(());
        }
        let mut bytes = Vec::new();
        let input = io::stdin().lock().take(MAX_DOCUMENT_LEN as u64 + 1).read_to_end(&mut bytes);
        input.context("cannot read standard input")?;
        ensure!(bytes.len() <= MAX_DOCUMENT_LEN, "standard input is too long for `--report`");
        self.overlay.insert_transcript(self.working.join(STDIN), bytes.into());
        Ok(())
    }

    /// The errors that invalidate their settings, or prevent their programs from loading.
    pub(super) fn load_errors(&self) -> LoadErrors {
        let mut errors = self.settings_errors();
        errors.add(self.of_programs.clone());
        errors
    }

    /// The errors that invalidate their settings.
    pub(super) fn settings_errors(&self) -> LoadErrors {
        self.settings.errors.clone()
    }

    /// Changes the settings of all transcripts.
    pub(super) fn change(&mut self, change: impl Fn(&mut TranscriptSettings)) {
        let changed = self.resolution.change_settings(|settings| {
            change(settings);
            Ok::<_, Infallible>(())
        });
        let Ok(()) = changed;
    }

    /// The transcripts with the declarations of their programs.
    pub(super) fn programs(&self) -> TranscriptPrograms<'_> {
        TranscriptPrograms { resolution: &self.resolution, knowledges: &self.knowledges, clock: None }
    }

    /// The stored version of a transcript.
    pub(super) fn same(&self, found: &TranscriptFile) -> Option<&TranscriptFile> {
        self.programs().same(found)
    }

    pub(super) fn working(&self) -> &Path {
        &self.working
    }

    /// The findings of `check` in all transcripts, in the format of `check --format json`. Reads
    /// the files again, which requires [`Transcripts::keep_input`] for standard input.
    pub(super) fn checked(&self) -> Vec<Value> {
        let request = TranscriptRequest {
            resolution: &self.resolution,
            transcripts: &self.resolution.transcripts,
            knowledges: &self.knowledges,
            overlay: &self.overlay,
            table: self.memory.table(),
            working: &self.working,
            options: CheckOptions { max_findings: Some(MaxFindings::new(0)), ..CheckOptions::default() },
            cancel: surroundings::cancel(),
        };
        let checked = mangle_host::check_transcripts(request, &|_| ());
        let mut sources = Sources::default();
        checked.sources.into_iter().for_each(|(file, text)| sources.insert_source(file, text));
        let value = |entry: &ReportEntry| json_value(entry.file, &entry.diagnostic, &sources);
        checked.entries.iter().map(value).collect()
    }

    /// The display name of a transcript.
    pub(super) fn name(&self, found: &TranscriptFile) -> String {
        mangle_host::relative(&self.working, &found.path)
    }

    /// Reads all transcripts, with a progress bar on a terminal. Returns the unreadable files.
    ///
    /// # Errors
    /// The errors of `each`.
    pub(super) fn each_record(
        &self,
        each: &mut EachRecord<'_>,
        ended: &mut dyn FnMut(&TranscriptFile, &ReadSummary) -> io::Result<()>,
    ) -> io::Result<Vec<Problem>> {
        let nothing: &RecordWorker<'_, ()> = &|_| Box::new(|_| ());
        let mut each =
            |found: &TranscriptFile, record: &Record<'_>, (): (), spot: &mut dyn FnMut() -> LinePosition| {
                each(found, record, spot).map(ControlFlow::Continue)
            };
        self.each_record_with(nothing, &mut |_, _, _| {}, &mut each, ended)
    }

    /// [`Transcripts::each_record`] with a worker that processes each record, on several threads
    /// for long files. `see` gets all bytes before their records.
    ///
    /// # Errors
    /// The errors of `each`.
    pub(super) fn each_record_with<T: Send>(
        &self,
        worker: &RecordWorker<'_, T>,
        see: &mut EachPiece<'_>,
        each: &mut EachWorkedRecord<'_, T>,
        ended: &mut dyn FnMut(&TranscriptFile, &ReadSummary) -> io::Result<()>,
    ) -> io::Result<Vec<Problem>> {
        let (mut problems, mut answers) = (self.problems.clone(), Vec::new());
        for found in &self.resolution.transcripts {
            let (stop, mut failure) = (surroundings::cancel(), None);
            let read = Input::open(&found.path, &self.overlay).and_then(|input| {
                let (position, progress) = (input.position(), Progress::of_bytes("reading", input.total()));
                let options = ReadOptions { found, stop: &stop };
                let worker = || worker(found);
                let see = &mut |bytes: &[u8], container| see(found, bytes, container);
                read_transcript_with(options, input, see, &worker, &mut |record, more, spot| {
                    progress.set(position.load(Ordering::Relaxed));
                    if stop.is_cancelled() {
                        return;
                    }
                    match each(found, record, more, spot) {
                        Ok(ControlFlow::Continue(())) => {}
                        Ok(ControlFlow::Break(())) => stop.cancel(),
                        Err(error) => {
                            failure = Some(error);
                            stop.cancel();
                        }
                    }
                })
            });
            if let Some(failure) = failure {
                return Err(failure);
            }
            match read {
                Ok(summary) => {
                    answers.push((found.path.as_path(), summary.answers));
                    ended(found, &summary)?;
                }
                Err(error) => {
                    let why = mangle_host::plain(&error);
                    problems.push(Problem { path: found.path.clone(), why, named: true });
                }
            }
        }
        problems.extend(self.without_replies(&answers));
        Ok(problems)
    }

    /// The given paths, among the readable ones, without a recognized reply. `answers` counts
    /// replies by file.
    fn without_replies(&self, answers: &[(&Path, u64)]) -> Vec<Problem> {
        let is_empty = |named: &&PathBuf| {
            let below = answers.iter().filter(|(path, _)| path.starts_with(named));
            let mut below = below.map(|(_, count)| *count).peekable();
            below.peek().is_some() && below.all(|count| count == 0)
        };
        let named = self.named.iter().filter(is_empty);
        let why = "no reply is recognised in it";
        named.map(|path| Problem { path: path.clone(), why: why.into(), named: true }).collect()
    }

    /// Stores the files with only surfaces and updates.
    pub(super) fn note_without_reply(&self, files: Vec<PathBuf>) {
        self.without_reply.replace(files);
    }

    /// True if a file has only surfaces and updates.
    pub(super) fn has_files_without_reply(&self) -> bool {
        !self.without_reply.borrow().is_empty()
    }

    /// Lists the files of the programs on standard error.
    pub(super) fn note_policies(&self) {
        program_notes::write(&policies_of_transcripts(&self.resolution, self.memory.table(), &self.working));
    }

    /// Reports unreadable files.
    pub(super) fn complain(&self, problems: &[Problem], color: ColorChoice) {
        output::warn_ignored(&self.settings, color);
        output::warn_unread(&self.unread, &self.working, color);
        for path in self.without_reply.borrow().iter() {
            let name = mangle_host::relative(&self.working, path);
            output::warn(
                color,
                &format!("{name}: there is no reply in it, only what the runtime made of replies"),
            );
        }
        for problem in problems {
            let name = mangle_host::relative(&self.working, &problem.path);
            output::complain(color, &format!("{name}: {}", problem.why));
        }
    }
}
