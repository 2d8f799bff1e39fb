//! Output formats of findings, one function for each `--format`.

use std::io;
use std::path::{Path, PathBuf};

use annotate_snippets::Renderer;
use anyhow::Result;
use clap::ValueEnum;

use super::findings::Findings;
use super::output::{self, Medium, Output};
use mangle_ide::registry;
use mangle_report::{CheckSummary, LoadErrors, SarifRun, Statistic, sink};

/// The value of `--format`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people: messages with excerpts
    #[default]
    Text,
    /// For programs: one JSON object per line, the last one a summary
    Json,
    /// For code scanning services and viewers: SARIF 2.1.0
    Sarif,
    /// For GitHub Actions: annotations on the lines of a change
    Github,
    /// For CI servers: JUnit XML, one test suite per file
    Junit,
}

/// The reason that a check without files fails.
const NOTHING: &str = "there is nothing to check";

/// Output after the findings.
pub(super) struct ReportFooter {
    pub(super) summary: CheckSummary,
    /// Counts by rule, if requested.
    pub(super) statistics: Option<Vec<Statistic>>,
    /// The errors of programs that do not load but were evaluated anyway.
    pub(super) mark: LoadErrors,
}

impl ReportFooter {
    /// The footer of output that omits `more` findings.
    fn without(&self, more: usize) -> Self {
        let summary = CheckSummary { omitted: self.summary.omitted + more, ..self.summary.clone() };
        Self { summary, statistics: self.statistics.clone(), mark: self.mark.clone() }
    }
}

impl Format {
    pub(super) fn medium(self) -> Medium {
        match self {
            Self::Json | Self::Sarif => Medium::Json,
            Self::Github => Medium::Commands,
            Self::Text => Medium::Coloured,
            Self::Junit => Medium::Text,
        }
    }

    /// True if the output is a single document that allows no other text.
    pub(super) fn is_document(self) -> bool {
        matches!(self, Self::Sarif | Self::Junit)
    }

    /// Writes the findings.
    ///
    /// # Errors
    /// If standard output fails.
    pub(super) fn write(
        self,
        out: &mut Output,
        findings: &Findings,
        ending: &ReportFooter,
        working: &Path,
    ) -> Result<()> {
        match self {
            Self::Text => text(out, findings, ending)?,
            Self::Json => json(out, findings, ending)?,
            Self::Sarif => out.write(&sarif(findings, &ending.mark, working))?,
            Self::Github => github(out, findings, ending, working)?,
            Self::Junit => out.write(&junit(findings, ending, working))?,
        }
        if let (true, Some(statistics)) = (self.is_document(), &ending.statistics) {
            output::note(&mangle_report::statistics_table(statistics));
        }
        Ok(out.flush()?)
    }
}

fn text(out: &mut Output, findings: &Findings, ending: &ReportFooter) -> io::Result<()> {
    let (renderer, most) = (Renderer::styled(), |file| findings.most(file));
    let shown = mangle_report::shown_in_text(&findings.entries, &findings.sources, &most);
    out.write_each(&shown.entries, |entry| mangle_report::text(entry, &findings.sources, &renderer))?;
    for line in shown.rest(&findings.sources, &findings.omitted) {
        out.write(&format!("{}\n", sink::terminal(&line)))?;
    }
    end(out, &ending.without(shown.more(&findings.entries)))
}

fn json(out: &mut Output, findings: &Findings, ending: &ReportFooter) -> io::Result<()> {
    out.write_each(&findings.entries, |entry| {
        format!("{}\n", mangle_report::json_line(entry, &findings.sources))
    })?;
    let last = mangle_report::json_summary(&ending.summary, ending.statistics.as_deref());
    let Ok(mut value) = serde_json::from_str(&last) else { return out.write(&format!("{last}\n")) };
    ending.mark.mark_json(&mut value);
    out.write(&format!("{}\n", if ending.mark.is_empty() { last } else { value.to_string() }))
}

fn sarif(findings: &Findings, mark: &LoadErrors, working: &Path) -> String {
    let rules: Vec<_> = registry::rules().collect();
    let failures = findings.failures.iter().map(|problem| (problem.path.as_path(), problem.why.as_str()));
    let nothing = findings.is_nothing.then_some((working, NOTHING));
    let mark = mark.mark();
    let marked = mark.as_deref().map(|mark| (working, mark));
    let run = SarifRun {
        root: working,
        rules: &rules,
        failures: failures.chain(nothing).chain(marked).collect(),
        exit_code: findings.outcome() as u8,
    };
    mangle_report::sarif(&findings.entries, &findings.sources, &run)
}

fn github(out: &mut Output, findings: &Findings, ending: &ReportFooter, working: &Path) -> io::Result<()> {
    let root = checkout(working);
    if findings.is_nothing {
        out.write(&format!("::warning title=mangle-ls::{NOTHING}\n"))?;
    }
    let most = |file| findings.most(file);
    let shown = mangle_report::shown(&findings.entries, &findings.sources, &most);
    out.write_each(&shown.entries, |entry| {
        format!("{}\n", mangle_report::github_command(entry, &findings.sources, &root))
    })?;
    let rest = shown.rest(&findings.sources, &findings.omitted);
    if !rest.is_empty() {
        out.write(&mangle_report::github_notice(&rest.join("\n")))?;
    }
    end(out, &ending.without(shown.more(&findings.entries)))
}

/// The base of paths in annotations: the repository root, if the check runs inside of one.
fn checkout(working: &Path) -> PathBuf {
    let checkout = std::env::var_os("GITHUB_WORKSPACE").map(PathBuf::from);
    checkout.filter(|checkout| working.starts_with(checkout)).unwrap_or_else(|| working.into())
}

fn junit(findings: &Findings, ending: &ReportFooter, working: &Path) -> String {
    let failures = findings.failures.iter();
    let failures =
        failures.map(|problem| (mangle_host::relative(working, &problem.path), problem.why.clone()));
    let nothing = findings.is_nothing.then(|| (mangle_host::relative(working, working), NOTHING.to_owned()));
    let marked = ending.mark.mark().map(|mark| (mangle_host::relative(working, working), mark));
    let failures: Vec<_> = failures.chain(nothing).chain(marked).collect();
    mangle_report::junit(&findings.entries, &findings.files, &findings.sources, &failures, &ending.summary)
}

/// Writes the counts and the summary line.
fn end(out: &mut Output, ending: &ReportFooter) -> io::Result<()> {
    if let Some(statistics) = ending.statistics.as_ref().filter(|statistics| !statistics.is_empty()) {
        out.write(&format!("{}\n", mangle_report::statistics_table(statistics)))?;
    }
    if let Some(mark) = ending.mark.mark() {
        out.write(&format!("{}\n", sink::terminal(&mark)))?;
    }
    out.write(&format!("{}\n", ending.summary))
}
