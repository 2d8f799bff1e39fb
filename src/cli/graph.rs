//! `graph`: the dependency graph of predicates, as text, JSON or a picture. Corresponds to the
//! server request `mangle/graph`.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ColorChoice, ValueEnum};
use serde_json::{Value, json};

use super::output::{self, Medium, Output};
use super::programs::Programs;
use super::shared_args::LoadArgs;
use super::{ExitStatus, surroundings};
use mangle_host::{LinkedProgram, ProgramScope};
use mangle_ide::graph::{Direction, PredicateName, Selection, predicate_graph};
use mangle_report::graph::{self, NodePlace, PredicateGraph};
use mangle_report::{LoadErrors, Sources};

/// Show the dependencies between predicates
///
/// Exit status: 0, or 2 if a given file is missing or cannot be read, or the program does not load.
#[derive(Debug, Args)]
pub(super) struct GraphCommand {
    /// Files, folders or globs [default: the working folder]
    ///
    /// As with `check`, the paths limit the output to a part of their programs.
    paths: Vec<PathBuf>,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Picture,
    /// Show only this predicate and its neighbors; `lead` means `lead` of any arity. May be
    /// repeated
    #[arg(long, value_name = "PRED[/N]")]
    of: Vec<String>,
    /// Maximum number of steps from the predicate
    #[arg(long, value_name = "N", default_value_t = 1, requires = "of")]
    depth: usize,
    /// The direction of the steps from the predicate
    #[arg(long, value_enum, default_value_t, value_name = "WHICH", requires = "of")]
    direction: DirectionOption,
    /// Show only predicates that depend on themselves, alone or in a cycle
    #[arg(long)]
    recursive: bool,
    #[command(flatten)]
    load: LoadArgs,
}

/// The format of a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Picture {
    /// For people: each predicate with the predicates that it uses, and its users
    #[default]
    Text,
    /// For programs
    Json,
    /// For Markdown pages
    Mermaid,
    /// For Graphviz
    Dot,
}

/// The direction of the steps from a predicate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum DirectionOption {
    /// To the predicates that it uses, and to its users
    #[default]
    Both,
    /// To the predicates that it uses
    Uses,
    /// To the predicates that use it
    Users,
}

impl GraphCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let programs = Programs::load(&self.paths, &working, ProgramScope::Folder);
        let errors = programs.load_errors(programs.all.iter().map(|joined| &*joined.program));
        let Some(mark) = self.load.admit(errors, color) else {
            programs.complain(&working, color);
            return Ok(ExitStatus::Failure);
        };
        let wanted: Vec<_> = self.of.iter().map(|name| PredicateName::parse(name)).collect();
        let missing =
            |wanted: &PredicateName| wanted.missing_from(programs.all.iter().map(|joined| &*joined.program));
        let complaints: Vec<_> = wanted.iter().filter_map(missing).collect();
        let graphs: Vec<_> = programs.all.iter().map(|joined| self.graph(joined, &wanted)).collect();
        let mut out = Output::stdout(Medium::json_if(self.format == Picture::Json), color);
        out.write(&self.written(&graphs, &programs.sources, &mark))?;
        out.flush()?;
        programs.complain(&working, color);
        complaints.iter().for_each(|why| output::complain(color, why));
        if !programs.has_files && programs.problems.is_empty() {
            output::warn(color, "there are no Mangle files (`.mg`, `.gl`) here");
        }
        let is_done = programs.problems.is_empty() && complaints.is_empty();
        Ok(if is_done { ExitStatus::Clean } else { ExitStatus::Failure })
    }

    fn graph(&self, joined: &LinkedProgram, wanted: &[PredicateName]) -> PredicateGraph {
        let selection = Selection {
            files: joined.files.clone(),
            of: wanted.to_vec(),
            depth: self.depth,
            direction: match self.direction {
                DirectionOption::Both => Direction::Both,
                DirectionOption::Uses => Direction::Uses,
                DirectionOption::Users => Direction::Users,
            },
            recursive: self.recursive,
        };
        predicate_graph(&joined.program, &joined.name, &selection)
    }

    fn written(&self, graphs: &[PredicateGraph], sources: &Sources, mark: &LoadErrors) -> String {
        match self.format {
            Picture::Text => mark.comment("#") + &graph::text(graphs, &|place| shown(place, sources)),
            Picture::Json => {
                let mut value = graph::json(graphs, &|place| located(place, sources));
                mark.mark_json(&mut value);
                // Strings and numbers always serialize, so the fallback is never used.
                serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
            }
            Picture::Mermaid => mark.comment("%%") + &graph::mermaid(graphs),
            Picture::Dot => mark.comment("//") + &graph::dot(graphs),
        }
    }
}

/// Formats a position as text.
fn shown(place: NodePlace, sources: &Sources) -> String {
    let start = sources.place(place.file, place.range.start());
    format!("{}:{}:{}", sources.name(place.file), start.line, start.col)
}

/// Formats a position like `check --format json`.
fn located(place: NodePlace, sources: &Sources) -> Value {
    let (start, end) = (place.range.start(), place.range.end());
    let (from, to) = (sources.place(place.file, start), sources.place(place.file, end));
    json!({
        "file": sources.name(place.file),
        "line": from.line,
        "column": from.col,
        "end_line": to.line,
        "end_column": to.col,
        "start": u32::from(start),
        "end": u32::from(end),
    })
}
