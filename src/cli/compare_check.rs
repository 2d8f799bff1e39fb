//! `check --compare-engine` and `--compare-runtime`: findings and derived facts that differ between
//! two versions.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, ensure};
use clap::ColorChoice;
use serde_json::{Value, json};

use super::check::Check;
use super::findings::{Findings, FindingsRequest};
use super::format::Format;
use super::output::{self, Output};
use super::program_notes::looked_for;
use super::shared_args::refuses_settings;
use super::{ExitStatus, surroundings};
use mangle_engine::kernel::Clock;
use mangle_host::{CheckCache, Overlay, Resolution, UnitOptions, VersionOptions, unit_facts};
use mangle_report::{
    CheckComparison, FindingChange, LoadErrors, UnitFacts, compare_facts, finding_changes, json_value,
};
use mangle_settings::KernelSettings;

/// The check with one choice of versions.
struct Side {
    findings: Findings,
    facts: Vec<UnitFacts>,
    settings: LoadErrors,
    versions: VersionNames,
    /// Notes about the selected versions.
    notes: BTreeSet<String>,
    /// A warning if no files were found.
    nothing: Option<String>,
}

impl Check {
    /// Checks with the chosen versions and with `versions`, and shows the differences.
    ///
    /// # Errors
    /// If another option is incompatible with a comparison, or standard input or output fail.
    pub(super) fn compare(
        &self,
        versions: VersionOptions,
        color: ColorChoice,
        working: &Path,
    ) -> Result<ExitStatus> {
        let is_line_format = matches!(self.format, Format::Text | Format::Json);
        ensure!(is_line_format, "a comparison of versions is written as `text` or `json`");
        ensure!(
            self.is_plain(),
            "a comparison of versions cannot be used with fixes, a baseline, `--since`, `--statistics`, `--verify` or `--watch`"
        );
        let overlay = self.overlay(working)?;
        let start = Clock::from_settings(&KernelSettings::default());
        let old = self.side(&overlay, start, working)?;
        let new = self.side(&overlay.clone().with_versions(versions), start, working)?;
        let comparison = compare(&old, &new);
        let mut out = Output::stdout(self.format.medium(), color);
        out.write(&match self.format {
            Format::Json => json_lines(&comparison),
            _ => comparison.text(),
        })?;
        out.flush()?;
        old.notes.union(&new.notes).for_each(|note| output::warn(color, note));
        old.nothing.iter().for_each(|why| output::warn(color, why));
        for problem in &old.findings.failures {
            let name = mangle_host::relative(working, &problem.path);
            output::complain(color, &format!("{name}: {}", problem.why));
        }
        let is_refused = refuses_settings(&old.settings, color);
        Ok(match comparison.is_empty() {
            _ if is_refused || !old.findings.failures.is_empty() => ExitStatus::Failure,
            true => ExitStatus::Clean,
            false => ExitStatus::Findings,
        })
    }

    fn side(&self, overlay: &Overlay, start: Clock, working: &Path) -> Result<Side> {
        let memory = CheckCache::default();
        let (targets, mut resolution) = self.resolve(working, overlay, &memory)?;
        let versions = VersionNames::new(&resolution);
        let notes = resolution.version_notes().into_iter().map(str::to_owned).collect();
        let settings = resolution.settings_problems(working).errors;
        let (options, profile) = (self.options(), self.reading.prescribed());
        let request =
            FindingsRequest { targets: &targets, overlay, memory: &memory, working, options, profile };
        let findings = Findings::gather(&request, &mut resolution);
        let (files, _) = mangle_host::load(&resolution, &targets, overlay, &memory, || {});
        let cancel = surroundings::cancel();
        let facts = unit_facts(
            &resolution,
            &files,
            &UnitOptions { table: memory.table(), working, start, cancel: &cancel },
        );
        let nothing =
            findings.is_nothing.then(|| format!("nothing to check: {}", looked_for(&resolution, working)));
        Ok(Side { findings, facts, settings, versions, notes, nothing })
    }
}

/// The versions of programs and transcripts.
#[derive(Default)]
struct VersionNames {
    engines: String,
    runtimes: String,
}

impl VersionNames {
    fn new(resolution: &Resolution) -> Self {
        let programs = resolution.programs.iter();
        let engines = programs.clone().map(|program| program.versions.engine.version.name.as_str());
        let of_programs = programs.map(|program| program.versions.runtime.version.name());
        let of_transcripts = resolution.transcripts.iter().map(|found| found.settings.caps.runtime.name());
        let joined = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(" and ");
        Self {
            engines: joined(engines.collect()),
            runtimes: joined(of_programs.chain(of_transcripts).collect()),
        }
    }

    /// The versions for output: those that differ from `other`, or all if none differs.
    fn text(&self, other: &Self) -> String {
        let all = [("engine", &self.engines, &other.engines), ("runtime", &self.runtimes, &other.runtimes)];
        let named = all.iter().filter(|(_, own, _)| !own.is_empty());
        let differing: Vec<_> = named.clone().filter(|(_, own, other)| own != other).collect();
        let shown = if differing.is_empty() { named.collect() } else { differing };
        let shown: Vec<_> = shown.iter().map(|(word, own, _)| format!("{word} {own}")).collect();
        shown.join(", ")
    }
}

fn compare(old: &Side, new: &Side) -> CheckComparison {
    let (before, after) = (&old.findings, &new.findings);
    let changes = finding_changes(&after.entries, &after.sources, &before.entries, &before.sources);
    let value = |findings: &Findings, at: usize| -> Value {
        let entry = findings.entries.get(at);
        entry.map_or(Value::Null, |entry| json_value(entry.file, &entry.diagnostic, &findings.sources))
    };
    let change = |change, finding| FindingChange { change, finding, old_severity: None };
    let appear = changes.appear.iter().map(|at| change("appears", value(after, *at)));
    let disappear = changes.disappear.iter().map(|at| change("disappears", value(before, *at)));
    let regraded = changes.regraded.iter().map(|(there, here)| FindingChange {
        old_severity: before.entries.get(*there).map(|entry| entry.diagnostic.severity.as_str()),
        ..change("severity", value(after, *here))
    });
    CheckComparison {
        versions: [old.versions.text(&new.versions), new.versions.text(&old.versions)],
        findings: appear.chain(disappear).chain(regraded).collect(),
        facts: compare_facts(&old.facts, &new.facts),
    }
}

/// One line of JSON per difference, followed by the summary.
fn json_lines(comparison: &CheckComparison) -> String {
    let findings = comparison.findings.iter().map(|one| json!(one));
    let facts = comparison.facts.iter().map(|one| json!(one));
    let summary = json!({ "summary": comparison.summary() });
    findings.chain(facts).chain([summary]).map(|line| format!("{line}\n")).collect()
}
