//! `parse`: shows how the runtime parses each reply of a transcript.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::{Args, ColorChoice, ValueEnum};
use serde_json::{Value, json};

use super::output::{Output, OutputForm};
use super::reply_reader::compare_replies;
use super::shared_args::{CompareRuntimeArgs, LoadArgs};
use super::transcripts::{ExaminedReply, TranscriptArgs, Transcripts};
use super::{ExitStatus, surroundings};
use mangle_host::VersionOptions;
use mangle_report::LoadErrors;
use mangle_report::replies::{
    ReplyComparison, ReplyComparisonSummary, explained, extracted, parsed, parsed_text, without_secrets,
};
use piggyback::envelope::extractors::{Extractor, extract};

/// The reason that a comparison rejects other options.
const ONLY_READINGS: &str = "`--compare-runtime` cannot be used with `--explain` and `--extractor`";

/// Show how the agent's runtime parses captured replies
///
/// Shows for each reply: the stage that reads it, the text for the user, the atoms in the kernel,
/// the lost atoms, and the problems. Exit status: 0, 1 if the runtime finds no envelope in
/// a reply, 2 if a file could not be read. With `--compare-runtime`: 0 if both versions read all
/// replies equally, 1 if they do not, 2 if a file could not be read.
#[derive(Debug, Args)]
pub(super) struct Parse {
    /// Transcripts, or `-` for standard input; `.gz` and `.zst` are decompressed
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Show the attempts of the runtime, stage by stage
    #[arg(long)]
    explain: bool,
    /// Use the strict mode of the runtime: a reply without a valid envelope is an error
    #[arg(long)]
    require_valid_json: bool,
    /// Use another reader of the runtime, and show its result
    #[arg(long, value_enum, value_name = "NAME", conflicts_with = "explain")]
    extractor: Option<Reader>,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    format: OutputForm,
    #[command(flatten)]
    compare: CompareRuntimeArgs,
    #[command(flatten)]
    load: LoadArgs,
    #[command(flatten)]
    transcripts: TranscriptArgs,
}

/// Another part of the runtime that reads replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Reader {
    /// The classifier of requests: the last balanced span that is JSON, nested ones included
    Perception,
    /// The context harness: the first `json` fence, or the object at the first brace
    Harness,
    /// The learner of rules: the updates of the top and of the packet, with full stops added
    Learning,
}

impl From<Reader> for Extractor {
    fn from(reader: Reader) -> Self {
        match reader {
            Reader::Perception => Self::Perception,
            Reader::Harness => Self::Harness,
            Reader::Learning => Self::Learning,
        }
    }
}

impl Parse {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, the consumer is unknown, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        if let Some(versions) = self.compare.versions() {
            return self.compare(versions, &working, color);
        }
        let mut transcripts = self.load(&working)?;
        let Some(mark) = self.load.admit(transcripts.load_errors(), color) else {
            transcripts.complain(&[], color);
            return Ok(ExitStatus::Failure);
        };
        let mut out = Output::stdout(self.format.medium(), color);
        if self.format == OutputForm::Text {
            out.write(&mark.comment("#"))?;
        }
        transcripts.note_policies();
        let mut is_whole = true;
        let problems = transcripts.each_reply(&mut |seen| {
            is_whole &= seen.answered.reply.accepted.is_some();
            out.write(&self.written(seen, &mark))
        })?;
        out.flush()?;
        transcripts.complain(&problems, color);
        is_whole &= !transcripts.has_files_without_reply();
        Ok(match (problems.is_empty(), is_whole) {
            (false, _) => ExitStatus::Failure,
            (true, false) => ExitStatus::Findings,
            (true, true) => ExitStatus::Clean,
        })
    }

    fn load(&self, working: &Path) -> Result<Transcripts> {
        let mut transcripts = Transcripts::load(&self.files, &self.transcripts, working)?;
        transcripts.change(|settings| settings.caps.strict |= self.require_valid_json);
        Ok(transcripts)
    }

    /// Shows the replies that two choices of versions parse differently.
    fn compare(&self, versions: VersionOptions, working: &Path, color: ColorChoice) -> Result<ExitStatus> {
        ensure!(!self.explain && self.extractor.is_none(), "{ONLY_READINGS}");
        let mut old = self.load(working)?;
        let mut new = surroundings::with_versions(versions, || self.load(working))?;
        let errors = LoadErrors::of_versions(old.load_errors(), new.load_errors());
        let Some(mark) = self.load.admit(errors, color) else {
            old.complain(&[], color);
            return Ok(ExitStatus::Failure);
        };
        let mut out = Output::stdout(self.format.medium(), color);
        if self.format == OutputForm::Text {
            out.write(&mark.comment("#"))?;
        }
        let mut summary = ReplyComparisonSummary::default();
        let problems = compare_replies(&mut old, &mut new, &mut |comparison| {
            summary.add(&comparison.differences);
            match comparison.differences.is_empty() {
                true => Ok(()),
                false => out.write(&self.written_comparison(&comparison, &mark)),
            }
        })?;
        out.write(&match self.format {
            OutputForm::Text => summary.text(),
            OutputForm::Json => marked(json!({ "summary": summary }), &mark),
        })?;
        out.flush()?;
        old.complain(&problems, color);
        Ok(match (problems.is_empty(), summary.different) {
            (false, _) => ExitStatus::Failure,
            (true, 0) => ExitStatus::Clean,
            (true, _) => ExitStatus::Findings,
        })
    }

    fn written_comparison(&self, comparison: &ReplyComparison, mark: &LoadErrors) -> String {
        match self.format {
            OutputForm::Text => comparison.text(),
            OutputForm::Json => marked(json!(comparison), mark),
        }
    }

    fn written(&self, seen: ExaminedReply<'_>, mark: &LoadErrors) -> String {
        let ExaminedReply { answered, context, diagnostics } = seen;
        let value = match self.extractor {
            Some(reader) => extracted(answered, &extract(reader.into(), answered.reply.raw)),
            None => parsed(answered, &context.settings.caps, diagnostics),
        };
        let mut value = without_secrets(value);
        mark.mark_json(&mut value);
        match (self.format, self.extractor, self.explain) {
            (OutputForm::Text, None, true) => explained(answered, &value, &context.settings.caps) + "\n",
            (OutputForm::Text, None, false) => parsed_text(&value),
            (OutputForm::Text, Some(_), _) => extracted_text(&value),
            (OutputForm::Json, ..) => {
                let steps = self.explain.then(|| explained(answered, &value, &context.settings.caps));
                line(value, steps)
            }
        }
    }
}

/// A line of JSON, marked if a policy does not load.
fn marked(mut value: Value, mark: &LoadErrors) -> String {
    mark.mark_json(&mut value);
    format!("{value}\n")
}

/// A line of JSON, with the stages as `explanation` if requested.
fn line(mut value: Value, steps: Option<String>) -> String {
    if let (Value::Object(members), Some(steps)) = (&mut value, steps) {
        members.insert(
            "explanation".into(),
            steps.lines().skip(1).map(|line| line.trim_start().to_owned()).collect(),
        );
    }
    format!("{value}\n")
}

/// Formats the value that an extractor finds as text.
fn extracted_text(value: &Value) -> String {
    let mut out = format!("{}:{}: ", value["file"].as_str().unwrap_or_default(), value["record"]);
    match value["text"].as_str() {
        None => out.push_str("nothing is taken\n"),
        Some(text) => {
            let what = if value["is_json"] == Value::Bool(true) { "JSON" } else { "no JSON" };
            out.push_str(&format!(
                "bytes {} to {}, {what}: {}\n",
                value["range"][0],
                value["range"][1],
                text.escape_debug()
            ));
        }
    }
    for update in value["updates"].as_array().into_iter().flatten() {
        out.push_str(&format!("  {}\n", update.as_str().unwrap_or_default().escape_debug()));
    }
    out
}
