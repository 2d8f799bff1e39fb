//! `stats`: statistics of transcripts.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ColorChoice, ValueEnum};

use super::output::{Output, OutputForm};
use super::shared_args::LoadArgs;
use super::transcripts::{TranscriptArgs, Transcripts};
use super::{ExitStatus, surroundings};
use mangle_engine::kernel::Clock;
use mangle_host::{AccountPolicies, Accounts, Beginning, TranscriptFigures, TranscriptFile};
use mangle_report::fleet::{Fleet, FleetEvent, FleetFile, FleetPage, page};
use mangle_report::replies::{figures_json, figures_prometheus, figures_text};
use mangle_report::{LinePosition, LoadErrors, link_uri};
use mangle_settings::{KernelSettings, format_timestamp};
use mangle_syntax::lint::Severity;
use piggyback::envelope::secrets::redacted;
use piggyback::transcript::statistics::{Statistics, StatisticsCounter};
use piggyback::transcript::{ReadSummary, Record};

/// Report parse errors, rejected updates and compression ratio for transcripts
///
/// If policies apply to a transcript, it is replayed against them, and the counts include the
/// findings of `check` and `replay`.
#[derive(Debug, Args)]
pub(super) struct Stats {
    /// Transcripts, or `-` for standard input; `.gz` and `.zst` are decompressed
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write metrics for a monitoring system
    #[arg(long, value_enum, value_name = "SYSTEM", conflicts_with = "format")]
    metrics: Option<Metrics>,
    /// Count only the newest fact of each predicate and first argument as state
    #[arg(long)]
    latest: bool,
    /// Also write a self-contained HTML page with charts to this file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    format: OutputForm,
    #[command(flatten)]
    load: LoadArgs,
    #[command(flatten)]
    transcripts: TranscriptArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Metrics {
    /// The text format of Prometheus
    Prom,
}

impl Stats {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, the consumer is unknown, the page cannot be written, or
    /// standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let transcripts = Transcripts::load(&self.files, &self.transcripts, &working)?;
        transcripts.note_policies();
        let Some(mark) = self.load.admit(transcripts.load_errors(), color) else {
            transcripts.complain(&[], color);
            return Ok(ExitStatus::Failure);
        };
        let policies = AccountPolicies::with_verdicts(transcripts.programs());
        let counting = RefCell::new(Counting {
            command: self,
            transcripts: &transcripts,
            accounts: Accounts::new(transcripts.programs(), &policies),
            open: None,
            fleet: Fleet::default(),
            all: Vec::new(),
        });
        let problems = transcripts.each_record(
            &mut |found, record, spot| counting.borrow_mut().record(found, record, spot),
            &mut |found, summary| {
                counting.borrow_mut().end(found, summary);
                Ok(())
            },
        )?;
        let Counting { fleet, all, .. } = counting.into_inner();
        let mut out = Output::stdout(self.format.medium(), color);
        out.write(&self.text(&all, &mark))?;
        out.flush()?;
        self.page(&fleet, problems.len(), &mark, &working)?;
        transcripts.complain(&problems, color);
        Ok(if problems.is_empty() { ExitStatus::Clean } else { ExitStatus::Failure })
    }

    /// Writes the HTML page, if requested.
    fn page(&self, fleet: &Fleet, unread: usize, mark: &LoadErrors, working: &Path) -> Result<()> {
        let Some(file) = &self.report else { return Ok(()) };
        let today = format_timestamp(Clock::from_settings(&KernelSettings::default()).now_ns);
        let page = page(FleetPage {
            fleet,
            title: None,
            date: today.split('T').next(),
            unread,
            mark: mark.mark().as_deref(),
        });
        let (path, page) = (mangle_host::absolute(working, file), redacted(&page));
        let written = mangle_host::disk::write(&path, page.as_bytes());
        written.map_err(|why| anyhow::anyhow!("{}: it cannot be written: {why}", file.display()))
    }

    /// Formats the statistics of all transcripts.
    fn text(&self, all: &[(String, Statistics)], mark: &LoadErrors) -> String {
        let each = |write: &dyn Fn(&str, &Statistics) -> String| -> Vec<String> {
            all.iter().map(|(name, figures)| write(name, figures)).collect()
        };
        match (self.metrics, self.format) {
            (Some(Metrics::Prom), _) => mark.comment("#") + &figures_prometheus(all, self.latest),
            (None, OutputForm::Json) => {
                let line = |name: &str, figures: &Statistics| {
                    let mut value = figures_json(name, figures, self.latest);
                    mark.mark_json(&mut value);
                    format!("{value}\n")
                };
                each(&line).concat()
            }
            (None, OutputForm::Text) => {
                mark.comment("#")
                    + &each(&|name, figures| figures_text(name, figures, self.latest)).join("\n")
            }
        }
    }
}

/// Collects statistics, one transcript at a time.
struct Counting<'r> {
    command: &'r Stats,
    transcripts: &'r Transcripts,
    accounts: Accounts<'r>,
    /// The current transcript.
    open: Option<TranscriptFigures<'r>>,
    /// The content of the HTML page.
    fleet: Fleet,
    /// The statistics of completed transcripts.
    all: Vec<(String, Statistics)>,
}

impl Counting<'_> {
    /// Counts the next record.
    ///
    /// # Errors
    /// If the start of its file cannot be read again.
    fn record(
        &mut self,
        found: &TranscriptFile,
        record: &Record<'_>,
        spot: &mut dyn FnMut() -> LinePosition,
    ) -> io::Result<()> {
        let Some(known) = self.transcripts.same(found) else { return Ok(()) };
        // The previous file was not read to its end.
        self.open.take_if(|figures| !figures.is_of(known));
        if self.open.is_none() {
            self.fleet.begin(self.fleet_file(known));
            let beginning = Beginning::read(known).map_err(|error| named(known, &error))?;
            let figures = TranscriptFigures::new(known, self.transcripts.knowledges.judge(known));
            self.open = Some(figures.of_file(beginning, self.command.latest));
        }
        let (Some(figures), fleet) = (self.open.as_mut(), &mut self.fleet) else { return Ok(()) };
        figures.record_with(record, &mut self.accounts, &mut |origin, event| {
            let is_shown = is_violation(event) && origin.record == i64::try_from(record.number).ok();
            let line = is_shown.then(|| spot().line + 1);
            fleet.add(&origin, event, line);
        });
        Ok(())
    }

    fn end(&mut self, found: &TranscriptFile, summary: &ReadSummary) {
        let open = self.open.take().filter(|figures| figures.is_of(found));
        let figures = match open {
            Some(figures) => {
                let fleet = &mut self.fleet;
                figures.finish_with(summary, &mut |origin, event| fleet.add(&origin, event, None))
            }
            None => {
                self.fleet.begin(self.fleet_file(found));
                let declarations = self.transcripts.knowledges.get(found).declarations.as_ref();
                StatisticsCounter::new(&found.settings, declarations).finish(0)
            }
        };
        self.fleet.end(&figures, self.command.latest);
        self.all.push((self.transcripts.name(found), figures));
    }

    /// A transcript as listed on the page. Files in an archive have no link.
    fn fleet_file(&self, found: &TranscriptFile) -> FleetFile {
        let working = self.transcripts.working();
        let page = self.command.report.as_ref().map(|page| mangle_host::absolute(working, page));
        let folder = page.as_deref().and_then(Path::parent).filter(|_| found.path.is_file());
        let link = folder.map(|folder| link_uri(Path::new(&mangle_host::relative(folder, &found.path))));
        FleetFile { name: self.transcripts.name(found), link, unit: "record" }
    }
}

/// Adds the file name to an error.
fn named(found: &TranscriptFile, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {}", found.path.display(), mangle_host::plain(error)))
}

/// True if the event is a violation, which the page lists with its line.
fn is_violation(event: FleetEvent) -> bool {
    matches!(event, FleetEvent::Found { severity: Severity::Error | Severity::Warning, .. })
}
