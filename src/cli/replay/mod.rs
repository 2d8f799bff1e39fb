//! `replay`: checks the tool calls of captured sessions against a policy (constitution).

mod policy;
mod session;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::{Args, ColorChoice, ValueEnum};
use serde_json::{Value, json};

use super::check::fail_on;
use super::output::{self, Medium, Output};
use super::shared_args::{CompareVersionArgs, LoadArgs, Semantics};
use super::transcripts::{TranscriptArgs, Transcripts};
use super::{ExitStatus, surroundings};
use agent_replay::Prefill;
use mangle_engine::kernel::{Clock, Reading as KernelReading};
use mangle_host::TranscriptFile;
use mangle_ide::replays::{TurnFilter, rule_place};
use mangle_report::LoadErrors;
use mangle_report::replay::{
    CheckReport, MAX_TURNS, Page, ReplaySummary, RuleCoverage, TurnReport, TurnStart, finding_lines, html,
    markdown, summary_text, text,
};
use mangle_settings::{FailOn, KernelSettings, Reading, format_timestamp, parse_timestamp};
use mangle_syntax::text::Cancel;
use piggyback::envelope::secrets::redacted;
use policy::{Policies, Policy};
use session::{OtherSide, SessionOptions, SessionRun};

/// Replay captured sessions, and show the requests that the policy permits or denies
///
/// Shows for each reply: the updates that become facts, the permitted requests with the reason, the
/// denied requests with the missing premises, and the state afterwards. Exit status: 0, or 1 if a
/// finding reaches the `--fail-on` severity; a denied request is an error. It is 2 if a file could
/// not be read or a policy does not load.
#[derive(Debug, Args)]
pub(super) struct ReplayCommand {
    /// Transcripts, or `-` for standard input; `.gz` and `.zst` are decompressed
    #[arg(required = true, value_name = "TRANSCRIPT")]
    files: Vec<PathBuf>,
    /// The policies, instead of the policies of the transcripts; may be repeated
    #[arg(long, value_name = "PATH")]
    policy: Vec<PathBuf>,
    /// Compare with other policies, and show the verdicts that change; may be repeated
    #[arg(long, value_name = "PATH")]
    compare: Vec<PathBuf>,
    #[command(flatten)]
    versions: CompareVersionArgs,
    /// Facts of the runtime, from `.mg`, `.gl`, `.csv`, `.jsonl` or `.ndjson`; may be repeated
    #[arg(long, value_name = "FILE")]
    facts: Vec<PathBuf>,
    /// Show only this turn
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    turn: Option<u64>,
    /// Do not show turns before this one
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    from: Option<u64>,
    /// End after this turn
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    until: Option<u64>,
    /// The values that perception filled in, in lines such as `{"turn": 1, "category": "/query",
    /// "updates": ["p(/a)."]}`
    #[arg(long, value_name = "FILE")]
    prefill: Option<PathBuf>,
    /// Keep the hypotheses of self-corrections as facts
    #[arg(long)]
    abduce: bool,
    /// Also report permitted requests
    #[arg(long)]
    show_permits: bool,
    /// Report, for each rule that permits or denies, whether it ever held
    #[arg(long)]
    coverage: bool,
    /// The semantics of the policies [default: `kernel.reading`, or `engine`]
    #[arg(long, value_enum)]
    reading: Option<Semantics>,
    /// The time of turns without a time in their records, for example `2026-01-31T12:00:00Z`
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    now: Option<i64>,
    /// Exit with status 1 if a finding has at least this severity [default: `fail_on` in the
    /// settings, or error]
    #[arg(long, value_name = "SEVERITY", value_parser = fail_on)]
    fail_on: Option<FailOn>,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    format: Layout,
    /// Also write a self-contained HTML page to this file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    load: LoadArgs,
    #[command(flatten)]
    transcripts: TranscriptArgs,
}

/// The format of output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// For people
    #[default]
    Text,
    /// For programs, one object per turn
    Json,
    /// For a comment or a report
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

/// The output writer, and the counters of a replay.
struct ReplayOutput {
    out: Output,
    mark: LoadErrors,
    summary: ReplaySummary,
    fails: bool,
    shown: Vec<TurnReport>,
    omitted: usize,
    /// The starts of all turns, for the HTML page.
    starts: Vec<TurnStart>,
    coverage: Vec<RuleCoverage>,
}

impl ReplayCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, the consumer is unknown, a given file cannot be read or
    /// written, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let prefill = self.prefill(&working)?;
        let mut transcripts = Transcripts::load(&self.files, &self.transcripts, &working)?;
        if self.report.is_some() {
            transcripts.keep_input()?;
        }
        if self.policy.is_empty() {
            transcripts.note_policies();
        }
        let policies = Policies::load(self, &mut transcripts, &working)?;
        let other = self.other_versions(&working)?;
        let errors = of_both(&policies, other.as_ref().map(|(_, other)| other));
        let Some(mark) = self.load.admit(errors, color) else {
            policies.complain(&working, color);
            return Ok(ExitStatus::Failure);
        };
        let written = RefCell::new(self.begin(mark, color)?);
        let open: RefCell<Option<SessionRun<'_>>> = RefCell::new(None);
        let mut homeless: Vec<TranscriptFile> = Vec::new();
        let cancel = surroundings::cancel();
        let options = self.options(&prefill, &cancel);
        let problems = transcripts.each_record(
            &mut |found, record, spot| {
                let mut open = open.borrow_mut();
                let Some(known) = transcripts.same(found) else { return Ok(()) };
                if open.is_none() {
                    let Some(policy) = policies.policy(known) else { return Ok(()) };
                    let other = other_side(&transcripts, known, &policies, other.as_ref());
                    *open = Some(SessionRun::new(&transcripts, known, policy, other, &options));
                }
                let Some(session) = open.as_mut() else { return Ok(()) };
                for turn in session.record(record, spot) {
                    self.write(turn, &mut written.borrow_mut())?;
                }
                Ok(())
            },
            &mut |found, _| {
                let session = open.borrow_mut().take();
                let mut written = written.borrow_mut();
                written.summary.files += 1;
                match session {
                    Some(session) => {
                        let (rest, fails, coverage) = session.finish();
                        rest.into_iter().try_for_each(|turn| self.write(turn, &mut written))?;
                        written.fails |= fails;
                        cover(&mut written.coverage, coverage);
                    }
                    None if policies.policy(found).is_none() => homeless.push(found.clone()),
                    None => {}
                }
                Ok(())
            },
        )?;
        let mut written = written.into_inner();
        let of_policy = policies.findings(&options, &mut written.fails);
        of_policy.iter().for_each(|finding| written.summary.finding(finding));
        self.end(&mut written, &of_policy)?;
        // A page of sessions without a policy would be empty.
        let is_empty = homeless.len() == written.summary.files;
        if homeless.is_empty() || !is_empty {
            self.page(&mut written, &of_policy, &policies, &transcripts)?;
        }
        policies.complain(&working, color);
        transcripts.complain(&problems, color);
        for found in homeless.iter().filter(|found| !policies.has_no_verdicts(found)) {
            output::complain(color, &no_policy(&transcripts, found));
        }
        let is_whole = problems.is_empty() && homeless.is_empty() && policies.is_whole();
        Ok(match (is_whole, written.fails) {
            (false, _) => ExitStatus::Failure,
            (true, true) => ExitStatus::Findings,
            (true, false) => ExitStatus::Clean,
        })
    }

    /// The transcripts and their policies with the versions to compare with.
    fn other_versions(&self, working: &Path) -> Result<Option<(Transcripts, Policies)>> {
        let Some(versions) = self.versions.versions() else { return Ok(None) };
        ensure!(
            self.compare.is_empty(),
            "`--compare` cannot be used with `--compare-engine` and `--compare-runtime`"
        );
        let other = surroundings::with_versions(versions, || {
            let mut transcripts = Transcripts::load(&self.files, &self.transcripts, working)?;
            let policies = Policies::load(self, &mut transcripts, working)?;
            Ok::<_, anyhow::Error>((transcripts, policies))
        });
        other.map(Some)
    }

    /// Starts the output, marked if a policy does not load.
    fn begin(&self, mark: LoadErrors, color: ColorChoice) -> std::io::Result<ReplayOutput> {
        let mut out = Output::stdout(self.format.medium(), color);
        out.write(&match self.format {
            Layout::Text => mark.comment("#"),
            Layout::Markdown => mark.markdown(),
            Layout::Json => String::new(),
        })?;
        Ok(ReplayOutput {
            out,
            mark,
            summary: ReplaySummary::default(),
            fails: false,
            shown: Vec::new(),
            omitted: 0,
            starts: Vec::new(),
            coverage: Vec::new(),
        })
    }

    fn options<'p>(&self, prefill: &'p Prefill, cancel: &'p Cancel) -> SessionOptions<'p> {
        SessionOptions {
            prefill,
            cancel,
            abduce: self.abduce,
            show_permits: self.show_permits,
            coverage: self.coverage,
            until: self.until.or(self.turn),
            now: self.now,
            fail_on: self.fail_on,
        }
    }

    fn prefill(&self, working: &Path) -> Result<Prefill> {
        let Some(file) = &self.prefill else { return Ok(Prefill::default()) };
        let path = mangle_host::absolute(working, file);
        let name = file.display();
        let text = mangle_host::read_to_string(&path)
            .map_err(|error| anyhow::anyhow!("{name}: {}", mangle_host::plain(&error)))?;
        Prefill::read(&text).map_err(|why| anyhow::anyhow!("{name}: {why}"))
    }

    fn reading(&self, settings: Reading) -> KernelReading {
        self.reading.map_or(settings, Reading::from)
    }

    /// Writes a turn if it is selected.
    fn write(&self, turn: TurnReport, written: &mut ReplayOutput) -> std::io::Result<()> {
        if self.report.is_some() {
            written.starts.push(TurnStart { file: turn.file.clone(), turn: turn.turn, start: turn.start });
        }
        if !(TurnFilter { turn: self.turn, from: self.from }).has(turn.turn) {
            return Ok(());
        }
        written.summary.add(&turn);
        let shown = match self.format {
            Layout::Text => text(&turn),
            Layout::Markdown => markdown(&turn),
            Layout::Json => json_line(&turn, &written.mark),
        };
        written.out.write(&shown)?;
        if self.report.is_some() {
            match written.shown.len() < MAX_TURNS {
                true => written.shown.push(turn),
                false => written.omitted += 1,
            }
        }
        Ok(())
    }

    /// Writes the output after the last turn.
    fn end(&self, written: &mut ReplayOutput, of_policy: &[Value]) -> std::io::Result<()> {
        let ReplayOutput { out, summary, coverage, mark, .. } = written;
        match self.format {
            Layout::Json => {
                let mut last = json!({ "summary": summary, "policy": { "findings": of_policy } });
                if let (Value::Object(members), true) = (&mut last, self.coverage) {
                    members.insert("coverage".into(), json!(coverage));
                }
                mark.mark_json(&mut last);
                out.write(&format!("{last}\n"))?;
            }
            Layout::Text => {
                for finding in of_policy {
                    out.write(&format!("{}\n", finding_lines(finding).join("\n")))?;
                }
                out.write(&covered(coverage))?;
                out.write(&format!("{}\n", summary_text(summary)))?;
            }
            Layout::Markdown => {
                for finding in of_policy {
                    let rule = finding["rule"].as_str().unwrap_or_default();
                    out.write(&format!("- `{rule}` in the policies, line {}\n", finding["line"]))?;
                }
                out.write(&format!("{}\n", summary_text(summary)))?;
            }
        }
        out.flush()
    }

    fn page(
        &self,
        written: &mut ReplayOutput,
        of_policy: &[Value],
        policies: &Policies,
        transcripts: &Transcripts,
    ) -> Result<()> {
        let Some(file) = &self.report else { return Ok(()) };
        let working = transcripts.working();
        let checked = CheckReport::build(transcripts.checked(), &written.starts, &mut written.shown);
        let revision = mangle_host::revision(&policies.path(self, transcripts));
        let today = format_timestamp(Clock::from_settings(&KernelSettings::default()).now_ns);
        let mark = written.mark.mark();
        let page = html(Page {
            turns: &written.shown,
            omitted: written.omitted,
            policy: of_policy,
            checked: Some(&checked),
            coverage: &written.coverage,
            summary: &written.summary,
            program: &policies.names(),
            revision: revision.as_deref(),
            date: today.split('T').next(),
            mark: mark.as_deref(),
        });
        let (path, page) = (mangle_host::absolute(working, file), redacted(&page));
        let written = mangle_host::disk::write(&path, page.as_bytes());
        written.map_err(|why| anyhow::anyhow!("{}: it cannot be written: {why}", file.display()))
    }
}

/// The error about a transcript without a policy.
fn no_policy(transcripts: &Transcripts, found: &TranscriptFile) -> String {
    let folder = found.path.parent().unwrap_or(&found.path);
    format!(
        "{}: no policy: there is no Mangle file in `{}` or above; name one with `--policy`",
        transcripts.name(found),
        mangle_host::relative(transcripts.working(), folder)
    )
}

/// The errors that prevent policies from loading, with the chosen versions and with the versions to
/// compare with.
fn of_both(policies: &Policies, other: Option<&Policies>) -> LoadErrors {
    let own = policies.load_errors.clone();
    match other {
        Some(other) => LoadErrors::of_versions(own, other.load_errors.clone()),
        None => own,
    }
}

/// The other side of a comparison: other policies, or other versions.
fn other_side<'a>(
    transcripts: &'a Transcripts,
    known: &'a TranscriptFile,
    policies: &'a Policies,
    versions: Option<&'a (Transcripts, Policies)>,
) -> Option<OtherSide<'a>> {
    if let Some(policy) = &policies.other {
        return Some(OtherSide { policy, transcripts, found: known });
    }
    let (transcripts, policies) = versions?;
    let found = transcripts.same(known)?;
    Some(OtherSide { policy: policies.policy(found)?, transcripts, found })
}

/// Formats a turn as a line of JSON, marked if its policy does not load.
fn json_line(turn: &TurnReport, mark: &LoadErrors) -> String {
    if mark.is_empty() {
        return serde_json::to_string(turn).unwrap_or_default() + "\n";
    }
    let mut value = serde_json::to_value(turn).unwrap_or_default();
    mark.mark_json(&mut value);
    format!("{value}\n")
}

/// Merges rule coverage: a rule is covered if it held in one of the sessions.
fn cover(all: &mut Vec<RuleCoverage>, more: Vec<RuleCoverage>) {
    for one in more {
        match all.iter_mut().find(|known| known.rule == one.rule && known.predicate == one.predicate) {
            Some(known) => known.held |= one.held,
            None => all.push(one),
        }
    }
}

fn covered(coverage: &[RuleCoverage]) -> String {
    if coverage.is_empty() {
        return String::new();
    }
    let held = coverage.iter().filter(|rule| rule.held).count();
    let mut out = format!("{held} of {} rules that permit or deny ever held\n", coverage.len());
    for rule in coverage.iter().filter(|rule| !rule.held) {
        out.push_str(&format!("  never: {} at {}\n", rule.predicate, rule.rule));
    }
    out
}

impl Policy {
    /// Formats a rule's position: `policy.mg:12`.
    fn place(&self, rule: mangle_engine::kernel::RuleId) -> Option<String> {
        rule_place(&self.constitution, &self.sources.borrow(), rule)
    }
}

impl Policies {
    /// True if the policy of a transcript gives no verdicts.
    fn has_no_verdicts(&self, found: &TranscriptFile) -> bool {
        self.without_verdicts.contains_key(&policy::key(found))
    }

    /// The policy of a transcript.
    fn policy(&self, found: &TranscriptFile) -> Option<&Policy> {
        self.named.as_ref().or_else(|| self.by_key.get(&policy::key(found)))
    }
}
