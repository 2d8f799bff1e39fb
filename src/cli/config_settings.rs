//! `config`: all settings of a project as they hold, those at their defaults too.

use std::path::Path;

use serde::Serialize;

use super::changed::{Changed, changed};
use super::config_prompts::{Prompts, Replays};
use super::config_transcripts::Transcripts;
use super::protected_predicates::{self, ProtectedPredicate};
use crate::host::{CheckTarget, FileTable, Memory, ProgramFiles, Project, Resolution, relative};
use mangle_engine::kernel::Limits;
use mangle_settings::{KernelSettings, ProgramSettings, Settings, instant_text};

/// The settings that hold.
#[derive(Debug, Serialize)]
pub(super) struct ResolvedConfig {
    /// The configuration file; `null`: there is none, everything is at its default.
    configuration: Option<String>,
    fail_on: &'static str,
    max_findings: usize,
    required_version: Option<String>,
    files: Files,
    format: Format,
    kernel: Kernel,
    transcripts: Transcripts,
    prompt: Prompts,
    replay: Replays,
    /// The predicates that no reply should assert.
    protected: Vec<ProtectedPredicate>,
    programs: Vec<Program>,
    /// The rules that are not at their defaults.
    rules: Vec<Changed>,
}

/// Which files are Mangle.
#[derive(Debug, Serialize)]
struct Files {
    extensions: Vec<String>,
}

/// How files are laid out.
#[derive(Debug, Serialize)]
struct Format {
    indent: u32,
    width: u32,
}

/// How programs are evaluated.
#[derive(Debug, Serialize)]
struct Kernel {
    sample: Vec<String>,
    reading: &'static str,
    max_facts: usize,
    max_derived: usize,
    max_steps: u64,
    timeout_ms: u128,
    /// `null`: the start of a run.
    now: Option<String>,
}

#[derive(Debug, Serialize)]
struct Program {
    name: String,
    include: Vec<String>,
    exclude: Vec<String>,
    hybrid: Vec<String>,
    host_predicates: Vec<String>,
    target: Option<&'static str>,
    /// The files that belong to it.
    files: Vec<String>,
}

impl ResolvedConfig {
    /// The settings of `project`, or those that hold without one.
    pub(super) fn new(
        project: Option<&Project>,
        resolution: &Resolution,
        (target, memory): (&CheckTarget, &Memory),
        working: &Path,
    ) -> Self {
        let table = memory.table();
        let settings = project.map_or_else(Default::default, |project| (*project.settings).clone());
        let index =
            project.and_then(|own| resolution.projects.iter().position(|other| other.file == own.file));
        let programs: Vec<_> =
            resolution.programs.iter().filter(|program| program.project == index).collect();
        let Settings { fail_on, max_findings, required_version, .. } = &settings;
        Self {
            configuration: project.map(|project| relative(working, &project.path)),
            fail_on: fail_on.as_str(),
            max_findings: max_findings.number(),
            required_version: required_version.as_ref().map(ToString::to_string),
            files: Files { extensions: settings.files.extensions.clone() },
            format: Format { indent: settings.format.indent, width: settings.format.width },
            kernel: Kernel::new(&settings.kernel),
            transcripts: Transcripts::new(&settings.transcripts),
            prompt: Prompts::new(&settings.prompt),
            replay: Replays::new(&settings.replay),
            protected: protected_predicates::of_project(
                &settings,
                &programs,
                resolution,
                (target, memory, working),
            ),
            programs: programs.iter().map(|program| described(program, &settings, table, working)).collect(),
            rules: project.map_or_else(Vec::new, |project| changed(project, working)),
        }
    }

    /// For people: as a configuration file that says it all.
    pub(super) fn text(&self) -> String {
        let from = match &self.configuration {
            Some(path) => format!("What {path} says, with all defaults"),
            None => "No mangle-ls.toml here or above; these are the defaults".to_owned(),
        };
        let mut out =
            format!("# {from}.\nfail_on = \"{}\"\nmax_findings = {}\n", self.fail_on, self.max_findings);
        match &self.required_version {
            Some(required) => out.push_str(&format!("required_version = \"{required}\"\n")),
            None => out.push_str("# required_version: any\n"),
        }
        let extensions: Vec<_> =
            self.files.extensions.iter().map(|extension| format!("\"{extension}\"")).collect();
        out.push_str(&format!("\n[files]\nextensions = [{}]\n", extensions.join(", ")));
        let Format { indent, width } = self.format;
        out.push_str(&format!("\n[format]\nindent = {indent}\nwidth = {width}\n"));
        out.push_str(&self.kernel.text());
        out.push_str(&self.transcripts.text());
        out.push_str(&self.prompt.text());
        out.push_str(&self.replay.text());
        out.push_str(&protected_predicates::text(&self.protected));
        self.programs.iter().for_each(|program| out.push_str(&program.text()));
        out.push_str("\n[rules]\n");
        if self.rules.is_empty() {
            out.push_str("# All are at their defaults; `mangle-ls rule` lists them.\n");
        }
        for Changed { name, severity, default, file, line, text, .. } in &self.rules {
            out.push_str(&format!(
                "{name} = \"{severity}\" # instead of {default}, by {file}:{line}: {text}\n"
            ));
        }
        out
    }
}

impl Kernel {
    fn new(settings: &KernelSettings) -> Self {
        let limits = Limits::of(settings);
        Self {
            sample: settings.sample.patterns().to_vec(),
            reading: settings.reading.as_str(),
            max_facts: limits.facts,
            max_derived: limits.derived,
            max_steps: limits.steps,
            timeout_ms: limits.time.as_millis(),
            now: settings.now.map(instant_text),
        }
    }

    fn text(&self) -> String {
        let Self { sample, reading, max_facts, max_derived, max_steps, timeout_ms, now } = self;
        let now = now.as_ref().map_or("# now: the start of a run".into(), |now| format!("now = \"{now}\""));
        format!(
            "\n[kernel]\nsample = {sample:?}\nreading = \"{reading}\"\nmax_facts = {max_facts}\n\
             max_derived = {max_derived}\nmax_steps = {max_steps}\ntimeout_ms = {timeout_ms}\n{now}\n"
        )
    }
}

impl Program {
    fn text(&self) -> String {
        let Self { name, include, exclude, hybrid, host_predicates, target, files } = self;
        let target =
            target.map_or("# target: the newest engine".into(), |target| format!("target = \"{target}\""));
        let count = match files.len() {
            1 => "1 file".to_owned(),
            count => format!("{count} files"),
        };
        format!(
            "\n[[program]] # {count}\nname = {name:?}\ninclude = {include:?}\nexclude = {exclude:?}\nhybrid = {hybrid:?}\n\
             host_predicates = {host_predicates:?}\n{target}\n"
        )
    }
}

fn described(program: &ProgramFiles, settings: &Settings, table: &FileTable, working: &Path) -> Program {
    let own = program.declared.and_then(|index| settings.programs.get(index)).cloned();
    let own: ProgramSettings = own.unwrap_or_default();
    Program {
        name: program.name.clone(),
        include: own.include.patterns().to_vec(),
        exclude: own.exclude.patterns().to_vec(),
        hybrid: own.hybrid.patterns().to_vec(),
        host_predicates: program.embedding.predicates.iter().map(ToString::to_string).collect(),
        target: program.embedding.engine.map(|engine| engine.name.as_str()),
        files: program.own().map(|member| relative(working, &table.path(member.file))).collect(),
    }
}
