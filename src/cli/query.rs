//! `query`: derived facts of a program, and explanations of present and missing facts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, ColorChoice, ValueEnum};

use super::output::{self, Medium, Output};
use super::programs::{ExtraFacts, Programs};
use super::shared_args::LoadArgs;
use super::terminal::watching;
use super::{ExitStatus, surroundings};
use mangle_engine::kernel::{Clock, Kernel, Limits, Reading, RuleId, TextBudget, compile};
use mangle_host::{LinkedProgram, ProgramScope, absolute};
use mangle_ide::query::{AnswerOptions, DEPTH, EvaluatedProgram, ask, place};
use mangle_report::{LoadErrors, QueryAnswer, Sources, answers_csv, sink};
use mangle_settings::parse_timestamp;

/// Query the facts of a program
///
/// `mangle-ls query 'permitted(Action, _)' policies`. Exit status: 0, 1 if no fact matches, 2 if
/// the query cannot be answered, for example because the program does not load.
#[derive(Debug, Args)]
pub(super) struct QueryCommand {
    /// The atom to query, before the paths; not with `--dump`
    #[arg(value_name = "ATOM] [PATH")]
    atom_and_paths: Vec<String>,
    /// Print all facts, given and derived, in the format of the engine
    #[arg(long)]
    dump: bool,
    /// Add facts to each program: clauses (`.mg`, `.gl`), or a table named after its predicate
    /// (`NAME.csv`, `NAME.jsonl`, `NAME.ndjson`); may be repeated
    #[arg(long, value_name = "FILE")]
    facts: Vec<PathBuf>,
    /// The semantics of the program [default: `kernel.reading`, or `engine`]
    #[arg(long, value_enum)]
    reading: Option<Semantics>,
    /// The time of evaluation, for example `2026-01-31T12:00:00Z`
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    now: Option<i64>,
    /// Show the proof of each fact
    #[arg(long, conflicts_with = "dump")]
    why: bool,
    /// Show up to this many further proofs of each fact
    #[arg(long, value_name = "N", requires = "why", default_value_t = 0)]
    others: usize,
    /// If no fact matches, show the failing premise of each rule
    #[arg(long, conflicts_with = "dump")]
    why_not: bool,
    /// Query again whenever a file changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
    /// With `--why-not`: maximum number of rule levels to follow to the premise that no rule
    /// derives
    #[arg(long, value_name = "N", default_value_t = DEPTH)]
    depth: usize,
    /// The format of the answer
    #[arg(long, value_enum, default_value_t)]
    format: Layout,
    /// With `--format csv`: do not escape cells that a spreadsheet would run as formulas. By
    /// default, such cells begin with `'`, and symbols replace control characters
    #[arg(long)]
    csv_formulas: bool,
    #[command(flatten)]
    load: LoadArgs,
}

/// The format of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// A table that `--facts` can read
    Csv,
}

/// The semantics of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Semantics {
    /// The behavior of the engine, bug for bug
    #[value(alias = "go")]
    Engine,
    /// The intended behavior: every negation is evaluated
    #[value(alias = "written")]
    Intended,
    /// Both, one after the other
    Both,
}

impl Semantics {
    fn readings(self) -> Vec<Reading> {
        match self {
            Self::Engine => vec![Reading::Engine],
            Self::Intended => vec![Reading::Intended],
            Self::Both => vec![Reading::Engine, Reading::Intended],
        }
    }
}

impl QueryCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let (atom, paths) = if self.dump {
            (None, self.atom_and_paths.as_slice())
        } else {
            let split = self.atom_and_paths.split_first();
            let (atom, paths) =
                split.context("name an atom, such as 'permitted(Action, _)', or use --dump")?;
            (Some(atom.as_str()), paths)
        };
        if self.format == Layout::Csv && (self.dump || self.reading == Some(Semantics::Both)) {
            bail!("a table holds the facts of one predicate in one reading");
        }
        if self.csv_formulas && self.format != Layout::Csv {
            bail!("`--csv-formulas` goes with `--format csv`");
        }
        if self.load.anyway && self.format == Layout::Csv {
            bail!("a table has no place for the mark of a program that does not load: leave out `--anyway`");
        }
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        if self.watch {
            let watched = || (watched_paths(&paths, &working), absolute_all(&self.facts, &working));
            let mut before = None;
            return watching(color, &watched, &mut || {
                let (outcome, facts) = self.once(atom, &paths, &working, color)?;
                if let Some(facts) = facts
                    && let Some(before) = before.replace(facts.clone())
                {
                    output::note(&changes(&before, &facts));
                }
                Ok(outcome)
            });
        }
        Ok(self.once(atom, &paths, &working, color)?.0)
    }

    /// Answers the query once. Also returns the facts of the answer, if the programs load.
    fn once(
        &self,
        atom: Option<&str>,
        paths: &[PathBuf],
        working: &Path,
        color: ColorChoice,
    ) -> Result<(ExitStatus, Option<BTreeSet<String>>)> {
        let (programs, given) = Programs::load_with(paths, &self.facts, working, ProgramScope::Folder);
        let errors = programs.load_errors(programs.all.iter().map(|joined| &*joined.program));
        let Some(mark) = self.load.admit(errors, color) else {
            programs.complain(working, color);
            return Ok((ExitStatus::Failure, None));
        };
        let (mut answers, mut complaints) = (Vec::new(), QueryErrors::default());
        for joined in &programs.all {
            let reading = joined.settings.kernel.reading;
            for reading in self.reading.map_or(vec![reading], Semantics::readings) {
                match self.answer(joined, reading, atom, &programs.sources, &given, &mut complaints) {
                    Ok(answer) => answers.push(QueryAnswer { loads: mark.is_empty(), ..answer }),
                    Err(why) => complaints.questions.push(why),
                }
            }
        }
        let mut out = Output::stdout(self.medium(), color);
        self.write(&answers, &mark, &mut out)?;
        out.flush()?;
        if let Some(atom) = atom {
            self.explain_empty(atom, &answers);
        }
        programs.complain(working, color);
        if programs.all.is_empty() && programs.problems.is_empty() {
            output::complain(color, "there are no Mangle files (`.mg`, `.gl`) here");
        }
        given.damaged(&programs.sources).iter().for_each(|why| output::warn(color, why));
        answers.iter().flat_map(|answer| &answer.lost).for_each(|why| output::warn(color, why));
        let omitted: usize = answers.iter().map(|answer| answer.omitted).sum();
        if omitted > 0 {
            output::complain(color, &self.left_out(omitted));
        }
        let is_whole = complaints.say(answers.is_empty(), color) && omitted == 0;
        let stopped: Vec<_> = answers.iter().filter_map(|answer| answer.stopped.as_deref()).collect();
        stopped.iter().for_each(|why| output::complain(color, why));
        let outcome =
            if answers.is_empty() || !programs.problems.is_empty() || !stopped.is_empty() || !is_whole {
                ExitStatus::Failure
            } else if answers.iter().all(|answer| answer.facts.is_empty()) {
                ExitStatus::Findings
            } else {
                ExitStatus::Clean
            };
        let facts =
            if self.watch { answers.iter().flat_map(|answer| &answer.facts).collect() } else { Vec::new() };
        Ok((outcome, Some(facts.into_iter().map(|fact| fact.text.to_string()).collect())))
    }

    fn answer(
        &self,
        joined: &LinkedProgram,
        reading: Reading,
        atom: Option<&str>,
        sources: &Sources,
        given: &ExtraFacts,
        complaints: &mut QueryErrors,
    ) -> Result<QueryAnswer, String> {
        let (program, settings) = (&joined.program, &joined.settings.kernel);
        let limits = Limits::from_settings(settings);
        let clock = self.now.map_or_else(|| Clock::from_settings(settings), |now_ns| Clock { now_ns });
        let compiled = compile(program, reading);
        let mut kernel = Kernel::new(Arc::clone(&compiled));
        complaints.tables.extend(given.give(&mut kernel, program, limits));
        kernel.evaluate(limits, clock, &surroundings::cancel());
        let unknown = |rule| if rule == RuleId::ASSERTED { "--facts" } else { "?" };
        let place = |rule: RuleId| {
            place(&compiled, program, sources, rule).unwrap_or_else(|| unknown(rule).to_owned())
        };
        let model = kernel.model_mut();
        let mut asked = EvaluatedProgram { program, compiled: &compiled, model, clock, place: &place };
        let cells = self.format == Layout::Csv;
        let (others, text) = (self.others, self.budget());
        ask(
            &mut asked,
            atom,
            AnswerOptions { why: self.why, others, why_not: self.why_not, depth: self.depth, cells, text },
        )
    }

    fn budget(&self) -> TextBudget {
        if self.why || self.why_not { TextBudget::EXPLAINED } else { TextBudget::ANSWER }
    }

    fn medium(&self) -> Medium {
        match self.format {
            Layout::Json => Medium::Json,
            Layout::Csv if self.csv_formulas => Medium::Table,
            Layout::Csv | Layout::Text => Medium::Text,
        }
    }

    fn write(&self, answers: &[QueryAnswer], mark: &LoadErrors, out: &mut Output) -> Result<()> {
        match self.format {
            Layout::Json => out.write(&(serde_json::to_string_pretty(answers)? + "\n"))?,
            Layout::Csv => out.write(&answers_csv(answers, self.csv_formulas))?,
            Layout::Text => {
                out.write(&mark.comment("#"))?;
                answers.iter().try_for_each(|answer| self.write_text(answer, out))?;
            }
        }
        Ok(())
    }

    fn write_text(&self, answer: &QueryAnswer, out: &mut Output) -> Result<()> {
        if self.reading == Some(Semantics::Both) {
            out.write(match answer.reading {
                Reading::Engine => "# as the engine reads it\n",
                Reading::Intended => "# as it is written\n",
            })?;
        }
        for fact in &answer.facts {
            match fact.proof() {
                Some(proof) => {
                    out.write(proof)?;
                    fact.others().iter().try_for_each(|other| out.write(&format!("or {other}")))?;
                }
                None => {
                    let stores = fact.stores().map(|stores| format!("  # {}", stores.text()));
                    out.write(&format!("{}{}\n", fact.text, stores.unwrap_or_default()))?;
                }
            }
        }
        if answer.omitted > 0 {
            out.write(&format!("# {}\n", self.left_out(answer.omitted)))?;
        }
        out.write(&answer.obstacles)?;
        Ok(())
    }

    /// Explains an empty answer: existing similar facts, and next steps.
    fn explain_empty(&self, atom: &str, answers: &[QueryAnswer]) {
        let is_empty = |answer: &QueryAnswer| answer.facts.is_empty() && answer.stopped.is_none();
        let is_empty = !answers.is_empty() && answers.iter().all(is_empty);
        if !is_empty || self.format == Layout::Json {
            return;
        }
        let mut lines = vec![format!("no fact matches `{}`", sink::line(atom.trim()))];
        for hint in answers.iter().flat_map(|answer| &answer.hints) {
            let line = format!("  {hint}");
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        let has_rules = answers.iter().any(|answer| answer.has_rules);
        let why_not = (has_rules && !self.why_not).then_some("  `--why-not` shows what each rule lacks");
        let facts = self.facts.is_empty().then_some("  `--facts FILE` adds facts, such as those of a sample");
        lines.extend([why_not, facts].into_iter().flatten().map(str::to_owned));
        output::note(&(lines.join("\n") + "\n"));
    }

    /// The message about facts that the answer omits.
    fn left_out(&self, count: usize) -> String {
        let facts = if count == 1 { "fact is" } else { "facts are" };
        let most = self.budget().left >> 20;
        let proofs = if self.why { ", or its proofs take too many steps" } else { "" };
        format!("{count} more {facts} left out: the answer would be longer than {most} MiB{proofs}")
    }
}

/// The facts that were added and removed since the last answer.
fn changes(before: &BTreeSet<String>, now: &BTreeSet<String>) -> String {
    let new = now.difference(before).map(|fact| format!("+ {fact}\n"));
    let gone = before.difference(now).map(|fact| format!("- {fact}\n"));
    let changed: String = new.chain(gone).collect();
    if changed.is_empty() {
        "The same facts as before the change.\n".to_owned()
    } else {
        format!("Since the last answer:\n{changed}")
    }
}

/// The paths to watch. Default: the working directory.
fn watched_paths(paths: &[PathBuf], working: &Path) -> Vec<PathBuf> {
    if paths.is_empty() { vec![working.to_path_buf()] } else { absolute_all(paths, working) }
}

fn absolute_all(paths: &[PathBuf], working: &Path) -> Vec<PathBuf> {
    paths.iter().map(|path| absolute(working, path)).collect()
}

/// Errors of a query.
#[derive(Debug, Default)]
struct QueryErrors {
    /// Errors of the query itself, one per program.
    questions: Vec<String>,
    /// Errors of fact tables, for each program and semantics.
    tables: Vec<String>,
}

impl QueryErrors {
    /// Reports the errors. Returns true if the answers are complete. With several programs, the
    /// predicate of the query only has to exist in one program.
    fn say(mut self, is_unanswered: bool, color: ColorChoice) -> bool {
        let mut said = rustc_hash::FxHashSet::default();
        self.tables.retain(|why| said.insert(why.clone()));
        self.tables.iter().for_each(|why| output::complain(color, why));
        if is_unanswered {
            self.questions.dedup();
            self.questions.iter().for_each(|why| output::complain(color, why));
        }
        self.tables.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_between_two_answers_are_listed() {
        let set = |facts: &[&str]| facts.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        let (one, two) = (set(&["p(1)", "p(2)"]), set(&["p(2)", "p(3)"]));
        assert_eq!(changes(&one, &two), "Since the last answer:\n+ p(3)\n- p(1)\n");
        assert_eq!(changes(&one, &one), "The same facts as before the change.\n");
    }
}
