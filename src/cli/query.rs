//! `query`: which facts follow from a program, why, and why not.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, ColorChoice, ValueEnum};

use super::Outcome;
use super::given::Given;
use super::output::{self, Medium, Output};
use super::programs::Programs;
use crate::config::instant;
use crate::host::Joined;
use crate::ide::query::{Asked, Wish, ask};
use crate::kernel::{Clock, Compiled, Kernel, Limits, Reading, RuleId, TextBudget, compile};
use crate::program::Program;
use crate::report::{Answer, Sources, answers_csv};
use crate::text::Cancel;

/// Ask what follows from a program
///
/// `mangle-ls query 'permitted(Action, _)' policies`. Exit status: 0, 1 if nothing was found, 2 if the question could
/// not be answered.
#[derive(Debug, Args)]
pub(super) struct QueryCommand {
    /// The atom that is asked for, in front of the paths; not with `--dump`
    #[arg(value_name = "ATOM] [PATH")]
    atom_and_paths: Vec<String>,
    /// All facts, those of the program and those derived, as the engine prints them
    #[arg(long)]
    dump: bool,
    /// Facts that go with each program: clauses (`.mg`, `.gl`), or a table that is called as its predicate
    /// (`NAME.csv`, `NAME.jsonl`, `NAME.ndjson`); may be repeated
    #[arg(long, value_name = "FILE")]
    facts: Vec<PathBuf>,
    /// How the program is read; `go` unless `[kernel] reading` says otherwise
    #[arg(long, value_enum)]
    reading: Option<Semantics>,
    /// The time of evaluation, as `2026-01-31T12:00:00Z`
    #[arg(long, value_name = "TIME", value_parser = instant)]
    now: Option<i64>,
    /// Show for each fact what it follows from
    #[arg(long, conflicts_with = "dump")]
    why: bool,
    /// Show up to so many further ways in which each fact follows
    #[arg(long, value_name = "N", requires = "why", default_value_t = 0)]
    others: usize,
    /// Where there is no such fact, show what each rule lacks
    #[arg(long, conflicts_with = "dump")]
    why_not: bool,
    /// For whom the answer is
    #[arg(long, value_enum, default_value_t)]
    format: Layout,
    /// With `--format csv`: write every cell as it is, also one that a spreadsheet takes for a formula. Otherwise such a
    /// cell begins with `'`, and control characters are shown as signs
    #[arg(long)]
    csv_formulas: bool,
}

/// For whom an answer is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// A table, which `--facts` can read again
    Csv,
}

/// How a program is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Semantics {
    /// As the engine does it, bug for bug
    Go,
    /// As it is written: no negation is dropped
    Written,
    /// One after the other
    Both,
}

impl Semantics {
    fn readings(self) -> Vec<Reading> {
        match self {
            Self::Go => vec![Reading::Go],
            Self::Written => vec![Reading::Written],
            Self::Both => vec![Reading::Go, Reading::Written],
        }
    }
}

impl QueryCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// When there is no working folder, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<Outcome> {
        let working = std::env::current_dir().context("cannot find out the working folder")?;
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
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        let (programs, given) = Programs::load_with(&paths, &self.facts, &working);
        let (mut answers, mut complaints) = (Vec::new(), Complaints::default());
        for joined in &programs.all {
            let reading = joined.settings.kernel.reading;
            for reading in self.reading.map_or(vec![reading], Semantics::readings) {
                match self.answer(joined, reading, atom, &programs.sources, &given, &mut complaints) {
                    Ok(answer) => answers.push(answer),
                    Err(why) => complaints.questions.push(why),
                }
            }
        }
        let mut out = Output::of(self.medium(), color);
        self.write(&answers, &mut out)?;
        out.flush()?;
        programs.complain(&working, color);
        given.damaged(&programs.sources).iter().for_each(|why| output::warn(color, why));
        answers.iter().flat_map(|answer| &answer.lost).for_each(|why| output::warn(color, why));
        let omitted: usize = answers.iter().map(|answer| answer.omitted).sum();
        if omitted > 0 {
            output::complain(color, &self.left_out(omitted));
        }
        let is_whole = complaints.say(answers.is_empty(), color) && omitted == 0;
        let stopped: Vec<_> = answers.iter().filter_map(|answer| answer.stopped.as_deref()).collect();
        stopped.iter().for_each(|why| output::complain(color, why));
        Ok(if answers.is_empty() || !programs.problems.is_empty() || !stopped.is_empty() || !is_whole {
            Outcome::Failure
        } else if answers.iter().all(|answer| answer.facts.is_empty()) {
            Outcome::Findings
        } else {
            Outcome::Clean
        })
    }

    fn answer(
        &self,
        joined: &Joined,
        reading: Reading,
        atom: Option<&str>,
        sources: &Sources,
        given: &Given,
        complaints: &mut Complaints,
    ) -> Result<Answer, String> {
        let (program, settings) = (&joined.program, &joined.settings.kernel);
        let limits = Limits::of(settings);
        let clock = self.now.map_or_else(|| Clock::of(settings), |now_ns| Clock { now_ns });
        let compiled = compile(program, reading);
        let mut kernel = Kernel::new(Arc::clone(&compiled));
        complaints.tables.extend(given.give(&mut kernel, program, limits));
        kernel.evaluate(limits, clock, &Cancel::new());
        let place = |rule: RuleId| place(&compiled, program, sources, rule);
        let model = kernel.model_mut();
        let mut asked = Asked { program, compiled: &compiled, model, clock, place: &place };
        let cells = self.format == Layout::Csv;
        let (others, text) = (self.others, self.budget());
        ask(&mut asked, atom, Wish { why: self.why, others, why_not: self.why_not, cells, text })
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

    fn write(&self, answers: &[Answer], out: &mut Output) -> Result<()> {
        match self.format {
            Layout::Json => out.write(&(serde_json::to_string_pretty(answers)? + "\n"))?,
            Layout::Csv => out.write(&answers_csv(answers, self.csv_formulas))?,
            Layout::Text => answers.iter().try_for_each(|answer| self.write_text(answer, out))?,
        }
        Ok(())
    }

    fn write_text(&self, answer: &Answer, out: &mut Output) -> Result<()> {
        if self.reading == Some(Semantics::Both) {
            out.write(match answer.reading {
                Reading::Go => "# as the engine reads it\n",
                Reading::Written => "# as it is written\n",
            })?;
        }
        for fact in &answer.facts {
            match fact.proof() {
                Some(proof) => {
                    out.write(proof)?;
                    fact.others().iter().try_for_each(|other| out.write(&format!("or {other}")))?;
                }
                None => out.write(&format!("{}\n", fact.text))?,
            }
        }
        if answer.omitted > 0 {
            out.write(&format!("# {}\n", self.left_out(answer.omitted)))?;
        }
        out.write(&answer.obstacles)?;
        Ok(())
    }

    /// That there are facts which the answer does not show.
    fn left_out(&self, count: usize) -> String {
        let facts = if count == 1 { "fact is" } else { "facts are" };
        let most = self.budget().left >> 20;
        format!("{count} more {facts} left out: the answer would be longer than {most} MiB")
    }
}

/// What could not be done.
#[derive(Debug, Default)]
struct Complaints {
    /// About the question, one a program.
    questions: Vec<String>,
    /// About tables of facts, again for each program and reading.
    tables: Vec<String>,
}

impl Complaints {
    /// Says what there is to say. Gives whether all facts are in the answers. Of several programs it is enough that
    /// one knows the predicate of the question.
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

/// `policy.mg:12`
fn place(compiled: &Compiled, program: &Program, sources: &Sources, rule: RuleId) -> String {
    let found = compiled.rule(rule).and_then(|rule| {
        let file = program.file(rule.file)?;
        let item = file.items.get(rule.item as usize)?;
        Some(format!("{}:{}", sources.name(rule.file), sources.place(rule.file, item.start).line))
    });
    found.unwrap_or_else(|| if rule == RuleId::ASSERTED { "--facts" } else { "?" }.to_owned())
}
