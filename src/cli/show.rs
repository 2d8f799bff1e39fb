//! `show`: prints a transcript as a readable conversation.

use std::cell::{Cell, RefCell};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, ColorChoice, ValueEnum};
use serde_json::Value;

use super::output::{self, Medium, Output};
use super::programs::Programs;
use super::shared_args::LoadArgs;
use super::transcripts::{RecordWorker, TranscriptArgs, Transcripts};
use super::{ExitStatus, surroundings};
use mangle_host::{AccountPolicies, Accounts, ProgramScope, STDIN, TranscriptFile, comments};
use mangle_ide::conversation::{
    RecordConversation, RecordInput, USUAL_WIDTH, conversation, loose_finding, turn_accounts,
};
use mangle_ide::replays::TurnVerdicts;
use mangle_ide::transcripts::{
    Comments, ExaminedRecord, MAX_COMMENTED, RecordExaminer, TranscriptChecker, TranscriptContext, of_fences,
};
use mangle_report::conversation::{
    ConversationLine, PieceKind, RecordPlace, first_lines, json_record, markdown, plain, styled,
};
use mangle_report::{FilePart, LinePosition, LoadErrors, RECORD, SourceText, Sources, json_value, sink};
use mangle_settings::Container;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::TextSize;
use piggyback::envelope::account::{AccountEntry, NO_POLICY_NOTICE, UpdateFate};
use piggyback::transcript::{ReadSummary, Record, TranscriptFinding};

/// Show transcripts as conversations
///
/// Shows the turns in order: the text for the user, and the envelope as formatted JSON with its
/// updates as Mangle. Verdicts of the policies and findings of `check` are below their places. Text
/// that the runtime ignores is struck out.
#[derive(Debug, Args)]
pub(super) struct ShowCommand {
    /// Transcripts, or `-` for standard input; `.gz` and `.zst` are decompressed
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    format: ShowFormat,
    /// Show only these turns: `3`, `3..5`, `3..` or `..5`; the first turn of each file is 1
    #[arg(long, value_name = "A..B", value_parser = turns)]
    turns: Option<TurnRange>,
    /// The policies for the verdicts, instead of the policies of the transcripts; may be repeated
    #[arg(long, value_name = "PATH")]
    policy: Vec<PathBuf>,
    /// Maximum number of columns per line [default: the width of the terminal, or 100]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..))]
    width: Option<u16>,
    #[command(flatten)]
    load: LoadArgs,
    #[command(flatten)]
    transcripts: TranscriptArgs,
}

/// The format of output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ShowFormat {
    /// For people
    #[default]
    Text,
    /// For programs, one object per record
    Json,
    /// For a comment or a report
    Markdown,
}

/// A range of turns, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TurnRange {
    first: u64,
    last: u64,
}

fn turns(word: &str) -> Result<TurnRange, String> {
    let number = |part: &str, open: u64| match part {
        "" => Ok(open),
        part => part.parse().map_err(|_| format!("`{part}` is not the number of a turn")),
    };
    let (first, last) = match word.split_once("..") {
        Some((first, last)) => (number(first, 1)?, number(last, u64::MAX)?),
        None => (number(word, 1)?, number(word, 1)?),
    };
    if word.is_empty() || first > last {
        return Err("it is a number, or two with `..` between, the lower first".to_owned());
    }
    Ok(TurnRange { first, last })
}

/// State of a file while it is shown.
struct ShownFile<'a> {
    judge: TranscriptContext<'a>,
    check: TranscriptChecker<'a>,
    comments: Comments,
    /// The number of replies so far.
    answers: u64,
    /// The number of updates outside of replies since the last surface.
    lone: usize,
    /// True if the rest of the file is not read.
    is_cut: bool,
}

/// The start of the current file, for the Mangle code blocks and suppression comments of Markdown.
#[derive(Default)]
struct Beginning {
    bytes: Vec<u8>,
    container: Option<Container>,
}

impl Beginning {
    fn see(&mut self, bytes: &[u8], container: Option<Container>) {
        self.container = container;
        match container {
            Some(Container::Markdown | Container::Raw) | None if self.bytes.len() < MAX_COMMENTED => {
                self.bytes.extend_from_slice(bytes);
            }
            Some(Container::Markdown | Container::Raw) | None => {}
            Some(_) => self.bytes = Vec::new(),
        }
    }
}

impl ShowCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, the consumer is unknown, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let transcripts = Transcripts::load(&self.files, &self.transcripts, &working)?;
        if self.policy.is_empty() {
            transcripts.note_policies();
        }
        let Some((policies, is_whole, mark)) = self.policies(&transcripts, &working, color)? else {
            transcripts.complain(&[], color);
            return Ok(ExitStatus::Failure);
        };
        let medium = match self.format {
            ShowFormat::Text => Medium::Coloured,
            ShowFormat::Json => Medium::Json,
            ShowFormat::Markdown => Medium::Text,
        };
        let mut out = Output::stdout(medium, color);
        out.write(&match self.format {
            ShowFormat::Text => mark.comment("#"),
            ShowFormat::Json => String::new(),
            ShowFormat::Markdown => mark.markdown(),
        })?;
        let run = ShowRun {
            command: self,
            mark: &mark,
            transcripts: &transcripts,
            accounts: RefCell::new(Accounts::new(transcripts.programs(), &policies).with_verdicts()),
            out: RefCell::new(out),
            open: RefCell::new(None),
            beginning: RefCell::default(),
            is_judged: RefCell::new(true),
            is_begun: Cell::new(false),
            width: self.width.map(usize::from).or_else(output::columns).unwrap_or(USUAL_WIDTH),
        };
        let programs = transcripts.programs();
        let worker: &RecordWorker<'_, Option<ExaminedRecord>> = &|found| {
            let known = programs.same(found).filter(|known| !known.is_document);
            let mut examiner = known.map(|known| RecordExaminer::new(programs.knowledges.judge(known)));
            Box::new(move |record| Some(examiner.as_mut()?.record(record)))
        };
        let problems = transcripts.each_record_with(
            worker,
            &mut |_, bytes, container| run.beginning.borrow_mut().see(bytes, container),
            &mut |found, record, examined, spot| run.record(found, record, examined, spot),
            &mut |found, summary| run.end(found, summary),
        )?;
        let is_judged = *run.is_judged.borrow();
        run.out.into_inner().flush()?;
        transcripts.complain(&problems, color);
        if !is_judged {
            output::note(&format!("{NO_POLICY_NOTICE}\n"));
        }
        Ok(if problems.is_empty() && is_whole { ExitStatus::Clean } else { ExitStatus::Failure })
    }

    /// The policies that give verdicts, true if all given files could be read, and the mark of all
    /// output. `None` if a policy does not load, which is reported.
    fn policies(
        &self,
        transcripts: &Transcripts,
        working: &Path,
        color: ColorChoice,
    ) -> Result<Option<(AccountPolicies, bool, LoadErrors)>> {
        if self.policy.is_empty() {
            let mark = self.load.admit(transcripts.load_errors(), color);
            return Ok(mark.map(|mark| (AccountPolicies::with_verdicts(transcripts.programs()), true, mark)));
        }
        let mut programs = Programs::load(&self.policy, working, ProgramScope::Exact);
        programs.complain(working, color);
        let mut errors = transcripts.settings_errors();
        errors.add(programs.load_errors(programs.all.iter().map(|joined| &*joined.program)));
        let Some(mark) = self.load.admit(errors, color) else { return Ok(None) };
        let joined = programs.take_joined().context("there is no policy in the paths of `--policy`")?;
        let policies = AccountPolicies::named(&joined.program, &joined.settings);
        Ok(Some((policies, programs.problems.is_empty(), mark)))
    }
}

struct ShowRun<'a> {
    command: &'a ShowCommand,
    mark: &'a LoadErrors,
    transcripts: &'a Transcripts,
    accounts: RefCell<Accounts<'a>>,
    out: RefCell<Output>,
    /// The current file.
    open: RefCell<Option<ShownFile<'a>>>,
    beginning: RefCell<Beginning>,
    is_judged: RefCell<bool>,
    /// True if output was written.
    is_begun: Cell<bool>,
    width: usize,
}

impl<'a> ShowRun<'a> {
    /// Starts a file, unless it is already started.
    fn begin(&self, found: &TranscriptFile) -> io::Result<()> {
        if self.open.borrow().is_some() {
            return Ok(());
        }
        let Some(known) = self.transcripts.same(found) else { return Ok(()) };
        let judge = self.transcripts.knowledges.judge(known);
        let check = TranscriptChecker::new(judge);
        let comments = comments(known);
        let file = ShownFile { judge, check, comments, answers: 0, lone: 0, is_cut: false };
        self.open.replace(Some(file));
        if self.transcripts.resolution.transcripts.len() > 1 && self.command.format != ShowFormat::Json {
            let name = format!("━━ {} ━━", sink::line(&self.transcripts.name(known)));
            self.write(&[ConversationLine::default(), ConversationLine::new(PieceKind::Turn, name, None)])?;
        }
        Ok(())
    }

    fn record(
        &self,
        found: &TranscriptFile,
        record: &Record<'_>,
        examined: Option<ExaminedRecord>,
        spot: &mut dyn FnMut() -> LinePosition,
    ) -> io::Result<ControlFlow<()>> {
        self.begin(found)?;
        let mut open = self.open.borrow_mut();
        let Some(file) = open.as_mut() else { return Ok(ControlFlow::Continue(())) };
        if self.command.turns.is_some_and(|turns| file.answers > turns.last) || self.out.borrow().is_closed()
        {
            file.is_cut = true;
            return Ok(ControlFlow::Break(()));
        }
        if found.path.ends_with(STDIN) {
            let beginning = self.beginning.borrow();
            file.comments = Comments::in_container(&beginning.bytes, beginning.container);
        }
        let known = examined.map(|examined| file.check.take(record, examined).found).unwrap_or_default();
        let (here, late): (Vec<_>, Vec<_>) = known.into_iter().partition(|one| one.start == record.start);
        let placed: Vec<Diagnostic> = here.into_iter().filter_map(|one| file.placed(one)).collect();
        let (accounts, verdicts) = self.accounts(found, record, &mut file.lone);
        let made = conversation(RecordInput {
            record,
            settings: &found.settings,
            accounts: &accounts,
            verdicts: &verdicts,
            findings: &placed,
            answers: file.answers,
            turns: self.command.turns.map(|turns| (turns.first, turns.last)),
            width: self.width,
        });
        file.answers = made.answers;
        self.write_record(found, record, &made, &placed, spot)?;
        self.write_late(found, file, late)?;
        self.out.borrow_mut().flush()?;
        Ok(ControlFlow::Continue(()))
    }

    /// The fate of the updates in each turn of a record, and the verdicts about its replies.
    fn accounts(
        &self,
        found: &TranscriptFile,
        record: &Record<'_>,
        lone: &mut usize,
    ) -> (Vec<Vec<AccountEntry>>, Vec<TurnVerdicts>) {
        let mut accounts = self.accounts.borrow_mut();
        accounts.record(found, record);
        let all = turn_accounts(record, &found.settings, lone, &mut *accounts);
        let is_passed = |entry: &AccountEntry| matches!(entry.fate, UpdateFate::Passed(_));
        *self.is_judged.borrow_mut() &= !all.iter().flatten().any(is_passed);
        (all, accounts.replayed().map(|shown| shown.turns).unwrap_or_default())
    }

    /// Ends a file. Writes findings that depend on the whole file.
    fn end(&self, found: &TranscriptFile, summary: &ReadSummary) -> io::Result<()> {
        self.begin(found)?;
        let beginning = self.beginning.take();
        let Some(file) = self.open.take().filter(|file| !file.is_cut && self.command.turns.is_none()) else {
            return Ok(());
        };
        let ShownFile { judge, check, comments, .. } = file;
        let late = if found.is_document { Vec::new() } else { check.finish(summary) };
        for one in late {
            let place = LoosePlace { record: one.record, start: one.start, text: "" };
            if let Some(placed) = placed(one, judge, &comments) {
                self.write_loose(found, &placed, place)?;
            }
        }
        if summary.container != Some(Container::Markdown) {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&beginning.bytes);
        let in_fences = of_fences(RECORD, &text, judge, !found.is_document);
        let place = LoosePlace { record: 0, start: 0, text: &text };
        in_fences.iter().try_for_each(|one| self.write_loose(found, one, place))
    }

    /// Writes findings about earlier records.
    fn write_late(
        &self,
        found: &TranscriptFile,
        file: &ShownFile<'_>,
        late: Vec<TranscriptFinding>,
    ) -> io::Result<()> {
        for one in late {
            let place = LoosePlace { record: one.record, start: one.start, text: "" };
            if let Some(diagnostic) = file.placed(one).filter(|_| self.command.turns.is_none()) {
                self.write_loose(found, &diagnostic, place)?;
            }
        }
        Ok(())
    }

    /// Writes a finding about a record that is no longer available.
    fn write_loose(&self, found: &TranscriptFile, one: &Diagnostic, place: LoosePlace<'_>) -> io::Result<()> {
        let LoosePlace { record, start, text } = place;
        let lines = loose_finding(one, Some(record).filter(|record| *record > 0), self.width);
        if self.command.format != ShowFormat::Json {
            return self.write(&lines);
        }
        let name = self.transcripts.name(found);
        let mut sources = Sources::default();
        let placed = std::slice::from_ref(one);
        let part = FilePart::new(RECORD, start, LinePosition::default(), text.as_bytes(), RECORD, placed);
        sources.insert_source(RECORD, SourceText::of_part(name.clone(), part));
        let mut value = json_value(RECORD, one, &sources);
        if let Some(members) = value.as_object_mut().filter(|_| start > 0) {
            // The record was read earlier, so its line is unknown.
            ["line", "column", "end_line", "end_column"].iter().for_each(|name| drop(members.remove(*name)));
        }
        let place = RecordPlace { file: &name, record, start, turns: Vec::new() };
        self.out.borrow_mut().write(&json_record(&place, &lines, &[value], self.mark))
    }

    fn write_record(
        &self,
        found: &TranscriptFile,
        record: &Record<'_>,
        made: &RecordConversation,
        placed: &[Diagnostic],
        spot: &mut dyn FnMut() -> LinePosition,
    ) -> io::Result<()> {
        if made.lines.is_empty() {
            return Ok(());
        }
        if self.command.format != ShowFormat::Json {
            return self.write(&made.lines);
        }
        let name = self.transcripts.name(found);
        let mut sources = Sources::default();
        let part = FilePart::new(RECORD, record.start, spot(), record.bytes, RECORD, placed);
        sources.insert_source(RECORD, SourceText::of_part(name.clone(), part));
        let findings: Vec<Value> = placed.iter().map(|one| json_value(RECORD, one, &sources)).collect();
        let place = RecordPlace {
            file: &name,
            record: record.number,
            start: record.start,
            turns: made.turns.clone(),
        };
        self.out.borrow_mut().write(&json_record(&place, &made.lines, &findings, self.mark))
    }

    /// Writes lines of the conversation.
    fn write(&self, lines: &[ConversationLine]) -> io::Result<()> {
        let mut out = self.out.borrow_mut();
        let lines = if self.is_begun.replace(true) { lines } else { first_lines(lines) };
        let text = match self.command.format {
            ShowFormat::Markdown => markdown(lines),
            _ if out.has_colours() => styled(lines),
            _ => plain(lines).text,
        };
        out.write(&text)
    }
}

/// The position of a finding outside of the current record.
#[derive(Clone, Copy)]
struct LoosePlace<'t> {
    /// The number of the record, or 0 for the file.
    record: u64,
    /// The base of the finding's range, in bytes of the file.
    start: u64,
    /// The text at this position, if known.
    text: &'t str,
}

impl ShownFile<'_> {
    fn placed(&self, found: TranscriptFinding) -> Option<Diagnostic> {
        placed(found, self.judge, &self.comments)
    }
}

/// A finding with a range relative to the start of its record. `None` if its rule is disabled, or a
/// comment suppresses the finding.
fn placed(found: TranscriptFinding, judge: TranscriptContext<'_>, comments: &Comments) -> Option<Diagnostic> {
    let (rule, start) = (found.finding.rule, found.start);
    let offset = start + u64::from(u32::from(found.finding.range.start()));
    let placed = judge.diagnostic(found, RECORD, TextSize::new(0))?;
    (!comments.silence(rule, offset)).then_some(placed)
}
