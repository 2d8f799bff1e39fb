//! `stats`: figures about transcripts.

use std::cell::RefCell;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ColorChoice, ValueEnum};

use super::ExitStatus;
use super::output::Output;
use super::output_form::OutputForm;
use super::surroundings;
use super::transcripts::{TranscriptArgs, Transcripts};
use crate::host::{AccountPolicies, Accounts, TranscriptFigures};
use crate::report::replies::{figures_json, figures_prometheus, figures_text};
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
    /// When there is no working folder, no such consumer, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let transcripts = Transcripts::load(&self.files, &self.transcripts, &working)?;
        let policies = AccountPolicies::that_judge(transcripts.programs());
        let mut accounts = Accounts::new(transcripts.programs(), &policies);
        let mut all: Vec<(String, Statistics)> = Vec::new();
        let open: RefCell<Option<TranscriptFigures<'_>>> = RefCell::new(None);
        let problems = transcripts.each_record(
            &mut |found, record, _| {
                let Some(known) = transcripts.same(found) else { return Ok(()) };
                let begin = || TranscriptFigures::new(known, transcripts.knowledges.judge(known));
                open.borrow_mut().get_or_insert_with(begin).record(record, &mut accounts);
                Ok(())
            },
            &mut |found, summary| {
                let figures = match open.borrow_mut().take() {
                    Some(figures) => figures.finish(summary),
                    None => {
                        let declarations = transcripts.knowledges.of(found).declarations.as_ref();
                        StatisticsCounter::new(&found.settings, declarations).finish(0)
                    }
                };
                all.push((transcripts.name(found), figures));
                Ok(())
            },
        )?;
        let mut out = Output::of(self.format.medium(), color);
        out.write(&self.text(&all))?;
        out.flush()?;
        transcripts.complain(&problems, color);
        Ok(if problems.is_empty() { ExitStatus::Clean } else { ExitStatus::Failure })
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
