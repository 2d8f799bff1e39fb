//! `query`: which facts follow from a program, why, and why not.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::{Args, ColorChoice, ValueEnum};

use super::Outcome;
use super::form::Form;
use super::output::{self, Output};
use super::programs::Programs;
use crate::ide::query::{Asked, Wish, ask};
use crate::kernel::{Clock, Compiled, Limits, Reading, RuleId, compile, run};
use crate::program::Program;
use crate::report::{Answer, Sources, answers_json};
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
    /// How the program is read
    #[arg(long, value_enum, default_value_t)]
    reading: Semantics,
    /// Show for each fact what it follows from
    #[arg(long, conflicts_with = "dump")]
    why: bool,
    /// Where there is no such fact, show what each rule lacks
    #[arg(long, conflicts_with = "dump")]
    why_not: bool,
    /// For whom the answer is
    #[arg(long, value_enum, default_value_t)]
    format: Form,
}

/// How a program is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Semantics {
    /// As the engine does it, bug for bug
    #[default]
    Go,
    /// As it is written: no negation is dropped
    Written,
    /// One after the other
    Both,
}

impl Semantics {
    fn readings(self) -> &'static [Reading] {
        match self {
            Self::Go => &[Reading::Go],
            Self::Written => &[Reading::Written],
            Self::Both => &[Reading::Go, Reading::Written],
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
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        let programs = Programs::load(&paths, &working);
        let (mut answers, mut complaints) = (Vec::new(), Vec::new());
        for joined in &programs.all {
            for &reading in self.reading.readings() {
                match self.answer(&joined.program, reading, atom, &programs.sources) {
                    Ok(answer) => answers.push(answer),
                    Err(why) => complaints.push(why),
                }
            }
        }
        let mut out = Output::new(color);
        out.write(&self.written(&answers))?;
        out.flush()?;
        programs.complain(&working, color);
        answers.iter().flat_map(|answer| &answer.lost).for_each(|why| output::warn(color, why));
        // Of several programs it is enough that one knows the predicate.
        if answers.is_empty() {
            complaints.dedup();
            complaints.iter().for_each(|why| output::complain(color, why));
        }
        let stopped: Vec<_> = answers.iter().filter_map(|answer| answer.stopped.as_deref()).collect();
        stopped.iter().for_each(|why| output::complain(color, why));
        Ok(if answers.is_empty() || !programs.problems.is_empty() || !stopped.is_empty() {
            Outcome::Failure
        } else if answers.iter().all(|answer| answer.facts.is_empty()) {
            Outcome::Findings
        } else {
            Outcome::Clean
        })
    }

    fn answer(
        &self,
        program: &Program,
        reading: Reading,
        atom: Option<&str>,
        sources: &Sources,
    ) -> Result<Answer, String> {
        let compiled = compile(program, reading);
        let clock = now();
        let mut model = run(&compiled, Limits::default(), clock, &Cancel::new());
        let place = |rule: RuleId| place(&compiled, program, sources, rule);
        let mut asked = Asked { program, compiled: &compiled, model: &mut model, clock, place: &place };
        ask(&mut asked, atom, Wish { why: self.why, why_not: self.why_not })
    }

    fn written(&self, answers: &[Answer]) -> String {
        if self.format == Form::Json {
            return serde_json::to_string_pretty(&answers_json(answers)).unwrap_or_default() + "\n";
        }
        let mut out = String::new();
        for answer in answers {
            if self.reading == Semantics::Both {
                out.push_str(match answer.reading {
                    Reading::Go => "# as the engine reads it\n",
                    Reading::Written => "# as it is written\n",
                });
            }
            for fact in &answer.facts {
                match &fact.proof {
                    Some(proof) => out.push_str(proof),
                    None => out.push_str(&format!("{}\n", fact.text)),
                }
            }
            out.push_str(&answer.obstacles);
        }
        out
    }
}

/// `policy.mg:12`
fn place(compiled: &Compiled, program: &Program, sources: &Sources, rule: RuleId) -> String {
    let found = compiled.rule(rule).and_then(|rule| {
        let file = program.file(rule.file)?;
        let item = file.items.get(rule.item as usize)?;
        Some(format!("{}:{}", sources.name(rule.file), sources.place(rule.file, item.start).line))
    });
    found.unwrap_or_else(|| "?".to_owned())
}

fn now() -> Clock {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Clock { now_ns: i64::try_from(since.as_nanos()).unwrap_or(i64::MAX) }
}
