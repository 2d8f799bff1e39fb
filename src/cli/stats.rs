//! `stats`: figures about transcripts.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, ColorChoice, ValueEnum};

use super::ExitStatus;
use super::output::Output;
use super::output_form::OutputForm;
use super::transcripts::{TranscriptArgs, Transcripts};
use crate::host::{self, AccountPolicies, Accounts, Beginning, TranscriptFigures, TranscriptFile};
use crate::report::fleet::{Fleet, FleetEvent, FleetFile, FleetPage, page};
use crate::report::link_uri;
use crate::report::replies::{figures_json, figures_prometheus, figures_text};
use mangle_engine::kernel::Clock;
use mangle_settings::{KernelSettings, instant_text};
use mangle_syntax::lint::Severity;
use piggyback::envelope::secrets::redacted;
use piggyback::transcript::statistics::{Statistics, StatisticsCounter};

/// Count what became of the replies of transcripts, and how far their updates compress their text
///
/// Where policies go with a transcript, it is replayed against them: counts are those of `check` and `replay` together.
#[derive(Debug, Args)]
pub(super) struct Stats {
    /// Transcripts, or `-` for standard input; `.gz` and `.zst` are decompressed
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write metrics for a monitoring system
    #[arg(long, value_enum, value_name = "SYSTEM", conflicts_with = "format")]
    metrics: Option<Metrics>,
    /// Of the facts of one predicate and first argument, only the newest counts as state
    #[arg(long)]
    latest: bool,
    /// Write a page with charts for a browser as well: one file that needs nothing else
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// For whom the output is
    #[arg(long, value_enum, default_value_t)]
    format: OutputForm,
    #[command(flatten)]
    transcripts: TranscriptArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Metrics {
    /// Prometheus' text format
    Prom,
}

impl Stats {
    /// Runs the command.
    ///
    /// # Errors
    /// When there is no working folder, no such consumer, the page cannot be written, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = std::env::current_dir().context("cannot find out the working folder")?;
        let transcripts = Transcripts::load(&self.files, &self.transcripts, &working)?;
        let policies = AccountPolicies::that_judge(transcripts.programs());
        let mut accounts = Accounts::new(transcripts.programs(), &policies);
        let mut all: Vec<(String, Statistics)> = Vec::new();
        let open: RefCell<Option<TranscriptFigures<'_>>> = RefCell::new(None);
        let fleet = RefCell::new(Fleet::default());
        let problems = transcripts.each_record(
            &mut |found, record, spot| {
                let Some(known) = transcripts.same(found) else { return Ok(()) };
                let (mut open, mut fleet) = (open.borrow_mut(), fleet.borrow_mut());
                // The file before was not read to its end.
                open.take_if(|figures| !figures.is_of(known));
                if open.is_none() {
                    fleet.begin(self.fleet_file(known, &transcripts));
                    let beginning = Beginning::of(known).map_err(|error| named(known, &error))?;
                    let figures = TranscriptFigures::new(known, transcripts.knowledges.judge(known));
                    *open = Some(figures.of_file(beginning, self.latest));
                }
                let Some(figures) = open.as_mut() else { return Ok(()) };
                figures.record_with(record, &mut accounts, &mut |origin, event| {
                    let is_shown = is_violation(event) && origin.record == i64::try_from(record.number).ok();
                    let line = is_shown.then(|| spot().line + 1);
                    fleet.add(&origin, event, line);
                });
                Ok(())
            },
            &mut |found, summary| {
                let mut fleet = fleet.borrow_mut();
                let open = open.borrow_mut().take().filter(|figures| figures.is_of(found));
                let figures = match open {
                    Some(figures) => {
                        figures.finish_with(summary, &mut |origin, event| fleet.add(&origin, event, None))
                    }
                    None => {
                        fleet.begin(self.fleet_file(found, &transcripts));
                        let declarations = transcripts.knowledges.of(found).declarations.as_ref();
                        StatisticsCounter::new(&found.settings, declarations).finish(0)
                    }
                };
                fleet.end(&figures, self.latest);
                all.push((transcripts.name(found), figures));
                Ok(())
            },
        )?;
        let mut out = Output::of(self.format.medium(), color);
        out.write(&self.text(&all))?;
        out.flush()?;
        self.page(&fleet.into_inner(), &working)?;
        transcripts.complain(&problems, color);
        Ok(if problems.is_empty() { ExitStatus::Clean } else { ExitStatus::Failure })
    }

    /// A transcript as the page speaks of it. What is in an archive has no link.
    fn fleet_file(&self, found: &TranscriptFile, transcripts: &Transcripts) -> FleetFile {
        let working = transcripts.working();
        let page = self.report.as_ref().map(|page| host::absolute(working, page));
        let folder = page.as_deref().and_then(Path::parent).filter(|_| found.path.is_file());
        let link = folder.map(|folder| link_uri(Path::new(&host::relative(folder, &found.path))));
        FleetFile { name: transcripts.name(found), link, unit: "record" }
    }

    /// Writes the page, if one is wanted.
    fn page(&self, fleet: &Fleet, working: &Path) -> Result<()> {
        let Some(file) = &self.report else { return Ok(()) };
        let today = instant_text(Clock::of(&KernelSettings::default()).now_ns);
        let page = page(FleetPage { fleet, title: None, date: today.split('T').next() });
        let (path, page) = (host::absolute(working, file), redacted(&page));
        let written = host::disk::write(&path, page.as_bytes());
        written.map_err(|why| anyhow::anyhow!("{}: it cannot be written: {why}", file.display()))
    }

    /// The figures of all transcripts, as they are written.
    fn text(&self, all: &[(String, Statistics)]) -> String {
        let each = |write: &dyn Fn(&str, &Statistics) -> String| -> Vec<String> {
            all.iter().map(|(name, figures)| write(name, figures)).collect()
        };
        match (self.metrics, self.format) {
            (Some(Metrics::Prom), _) => figures_prometheus(all, self.latest),
            (None, OutputForm::Json) => {
                each(&|name, figures| format!("{}\n", figures_json(name, figures, self.latest))).concat()
            }
            (None, OutputForm::Text) => {
                each(&|name, figures| figures_text(name, figures, self.latest)).join("\n")
            }
        }
    }
}

/// An error with the file that it is about.
fn named(found: &TranscriptFile, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {}", found.path.display(), host::plain(error)))
}

/// Whether something is a violation, which the page shows with its line.
fn is_violation(event: FleetEvent) -> bool {
    matches!(event, FleetEvent::Found { severity: Severity::Error | Severity::Warning, .. })
}
