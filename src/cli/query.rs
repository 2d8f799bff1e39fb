//! `query`: which facts follow from a program, why, and why not.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::{Args, ColorChoice, ValueEnum};
use serde_json::{Value, json};

use super::Outcome;
use super::form::Form;
use super::output::{self, Output};
use super::programs::Programs;
use crate::ide::query::Query;
use crate::kernel::{Clock, Compiled, Limits, Model, Reading, RuleId, compile, run};
use crate::program::Program;
use crate::report::{Sources, proof};
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

/// What one program says in one reading.
struct Answer {
    reading: Reading,
    facts: Vec<Fact>,
    obstacles: String,
    stopped: Option<String>,
    /// Rules that are not evaluated, and rows that were lost.
    lost: Vec<String>,
}

struct Fact {
    text: String,
    proof: Option<String>,
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
        let stopped = model.stopped.as_ref().map(|stop| {
            let place = stop.rule.map_or_else(|| "?".to_owned(), &place);
            format!("the evaluation stopped at {place}: {}", stop.reason)
        });
        let faults = compiled.faults.iter().map(|fault| (fault.rule, &fault.failure));
        let errors = model.errors.iter().map(|error| (error.rule, &error.failure));
        let say = |(rule, failure)| format!("nothing comes of {}: {failure}", place(rule));
        let lost: Vec<String> = faults.chain(errors).map(say).collect();
        let Some(atom) = atom else {
            let facts =
                model.dump(&compiled).into_iter().map(|text| Fact { text: format!("{text} ."), proof: None });
            return Ok(Answer { reading, facts: facts.collect(), obstacles: String::new(), stopped, lost });
        };
        let query = Query::read(atom, program, &mut model)?;
        let numbers = query.answers(&model, &compiled);
        let obstacles = match numbers.is_empty() && self.why_not {
            true => {
                proof::obstacles(&model.why_not(&compiled, clock, query.predicate, &query.wanted), &place)
            }
            false => String::new(),
        };
        let facts =
            numbers.into_iter().map(|number| self.fact(&compiled, &mut model, clock, &query, number, &place));
        Ok(Answer { reading, facts: facts.collect(), obstacles, stopped, lost })
    }

    fn fact(
        &self,
        compiled: &Compiled,
        model: &mut Model,
        clock: Clock,
        query: &Query,
        number: u32,
        place: &dyn Fn(RuleId) -> String,
    ) -> Fact {
        let tuple = model.relation(query.predicate).map(|relation| relation.tuple(number));
        let text = tuple.map_or_else(String::new, |tuple| model.fact(compiled, query.predicate, tuple));
        let proof = self.why.then(|| {
            let explained = model.explain(compiled, clock, query.predicate, number);
            proof::proof(&explained, place)
        });
        Fact { text, proof }
    }

    fn written(&self, answers: &[Answer]) -> String {
        if self.format == Form::Json {
            let all: Vec<Value> = answers.iter().map(json_of).collect();
            return serde_json::to_string_pretty(&Value::from(all)).unwrap_or_default() + "\n";
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

fn json_of(answer: &Answer) -> Value {
    json!({
        "reading": match answer.reading {
            Reading::Go => "go",
            Reading::Written => "written",
        },
        "facts": answer.facts.iter().map(|fact| &fact.text).collect::<Vec<_>>(),
        "proofs": answer.facts.iter().filter_map(|fact| fact.proof.as_ref()).collect::<Vec<_>>(),
        "why_not": answer.obstacles,
        "stopped": answer.stopped,
        "lost": answer.lost,
    })
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
