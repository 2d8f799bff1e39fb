//! `config files`: the programs of the working directory with their files and versions. Corresponds
//! to the server request `mangle/status`.

use std::path::Path;

use anyhow::Result;
use clap::{Args, ColorChoice};
use serde::Serialize;

use super::ExitStatus;
use super::marked_answer::write_marked;
use super::output_form::OutputForm;
use super::surroundings;
use mangle_host::{CheckTarget, FileTable, PartialScan, Resolution, Shell, ShownStores, ShownVersions};
use mangle_report::sink::terminal;

/// List the programs of the working folder, with their files and versions
#[derive(Debug, Args)]
pub(super) struct FilesCommand {
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: OutputForm,
}

/// The server's answer without the members about documents and progress.
#[derive(Debug, Serialize)]
struct Status {
    version: &'static str,
    programs: Vec<Program>,
}

#[derive(Debug, Serialize)]
struct Program {
    name: String,
    /// The path of the `mangle-ls.toml` that lists the program.
    configuration: Option<String>,
    files: Vec<String>,
    #[serde(flatten)]
    versions: ShownVersions,
    /// The names of the stores, if the runtime has several.
    #[serde(skip_serializing_if = "ShownStores::is_empty")]
    stores: ShownStores,
}

impl FilesCommand {
    /// Runs the command. The programs equal those of an editor that opens the working directory.
    ///
    /// # Errors
    /// If the working directory is unknown, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let table = FileTable::default();
        let target = CheckTarget::Folder(working.clone());
        let resolution = mangle_host::resolve(&[target], Shell::Editor, &surroundings::disk(), &table);
        let status = Status::new(&resolution, &table);
        let settings = resolution.settings_problems(&working);
        write_marked(self.format, color, &settings, &status, &status.text(&resolution, &working))
    }
}

impl Status {
    fn new(resolution: &Resolution, table: &FileTable) -> Self {
        let programs = resolution.programs.iter().map(|program| Program {
            name: program.name.clone(),
            configuration: program
                .project
                .and_then(|at| resolution.projects.get(at))
                .map(|project| project.path.to_string_lossy().into_owned()),
            files: program
                .own()
                .map(|member| table.path(member.file).to_string_lossy().into_owned())
                .collect(),
            versions: ShownVersions::new(&program.versions),
            stores: ShownStores::new(program.embedding.stores.as_deref()),
        });
        Self { version: env!("CARGO_PKG_VERSION"), programs: programs.collect() }
    }

    fn text(&self, resolution: &Resolution, working: &Path) -> String {
        let mut out = format!("mangle-ls {}\n", self.version);
        for project in &resolution.projects {
            out.push_str(&format!(
                "settings  {}\n",
                terminal(&mangle_host::relative(working, &project.path))
            ));
        }
        for program in &self.programs {
            let files = if program.files.len() == 1 { "file" } else { "files" };
            out.push_str(&format!(
                "program   {}: {} {files}\n",
                terminal(&program.name),
                program.files.len()
            ));
            out.push_str(&program.versions.text("  "));
            if let Some(stores) = program.stores.text() {
                out.push_str(&format!("  facts    {stores}\n"));
            }
        }
        let cuts: Vec<_> = resolution.partial_scans.iter().map(PartialScan::problem).collect();
        for problem in resolution.problems.iter().chain(&cuts) {
            let line = format!("{}: {}", mangle_host::relative(working, &problem.path), problem.why);
            out.push_str(&format!("unread    {}\n", terminal(&line)));
        }
        out
    }
}
