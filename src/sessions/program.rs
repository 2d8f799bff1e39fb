//! Queries and explanations for a policy with additional facts, for use as a library.

use std::path::PathBuf;
use std::sync::Arc;

use mangle_engine::kernel::facts::FactColumns;
use mangle_engine::kernel::{Kernel, Limits, Reading, RuleId, TextBudget, compile};
use mangle_engine::program::Program;
use mangle_settings::Settings;
use mangle_syntax::text::Cancel;

use super::{Checker, LoadError};
use mangle_ide::facts::add_columns;
use mangle_ide::query::{AnswerOptions, EvaluatedProgram, ask, place};
use mangle_report::QueryAnswer;

/// A policy that can be queried.
#[derive(Debug)]
pub struct PolicyProgram {
    program: Arc<Program>,
    settings: Arc<Settings>,
    checker: Checker,
}

/// The facts that match an atom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyAnswer {
    /// The column names: the argument names of the declaration, or numbers.
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Limitations of the answer, one sentence each: rules that cannot be evaluated, and failed
    /// rows.
    pub warnings: Vec<String>,
}

impl PolicyProgram {
    /// Loads a policy from files and folders.
    ///
    /// # Errors
    /// Returns the errors of [`Checker::load`].
    pub fn load(paths: &[PathBuf]) -> Result<Self, LoadError> {
        let checker = Checker::load(None, paths, None)?;
        mangle_host::only(&checker.resolution.programs, &|program| &program.name, "here")
            .map_err(LoadError::Unreadable)?;
        let program = checker.knowledges.get(&checker.template).programs.first().map(Arc::clone);
        let program = program.ok_or_else(|| LoadError::Unreadable("there is no policy here".to_owned()))?;
        let settings = Arc::clone(&checker.settings);
        Ok(Self { program, settings, checker })
    }

    /// Returns the facts that match an atom.
    ///
    /// `tables` adds facts: the name of a predicate, and its rows in chunks.
    ///
    /// # Errors
    /// Returns an error if the atom is invalid, a row is not a fact, or the evaluation stops.
    pub fn query<C: FactColumns>(
        &self,
        atom: &str,
        tables: &[(String, Vec<C>)],
        reading: Reading,
    ) -> Result<PolicyAnswer, String> {
        let wish = AnswerOptions { cells: true, text: WHOLE, ..AnswerOptions::default() };
        let answer = self.answer(atom, tables, reading, wish)?;
        let rows = answer.facts.iter().map(|fact| fact.cells().to_vec()).collect();
        Ok(PolicyAnswer { columns: unique(answer.columns), rows, warnings: answer.lost })
    }

    /// Explains the facts that match an atom.
    ///
    /// If no fact matches, the result contains the unsatisfied premises of each rule.
    ///
    /// # Errors
    /// Returns the errors of [`PolicyProgram::query`].
    pub fn why<C: FactColumns>(
        &self,
        atom: &str,
        tables: &[(String, Vec<C>)],
        reading: Reading,
    ) -> Result<String, String> {
        let wish = AnswerOptions {
            why: true,
            why_not: true,
            text: TextBudget::EXPLAINED,
            ..AnswerOptions::default()
        };
        let answer = self.answer(atom, tables, reading, wish)?;
        let mut why: String = answer.facts.iter().filter_map(|fact| fact.proof()).collect();
        if why.is_empty() {
            why = answer.obstacles;
        }
        if answer.omitted > 0 {
            why.push_str(&format!("{} more facts are left out\n", answer.omitted));
        }
        answer.lost.iter().for_each(|lost| why.push_str(&format!("not taken into account: {lost}\n")));
        Ok(why)
    }

    fn answer<C: FactColumns>(
        &self,
        atom: &str,
        tables: &[(String, Vec<C>)],
        reading: Reading,
        wish: AnswerOptions,
    ) -> Result<QueryAnswer, String> {
        let (limits, clock) = (Limits::from_settings(&self.settings.kernel), self.checker.clock);
        let compiled = compile(&self.program, reading);
        let mut kernel = Kernel::new(Arc::clone(&compiled));
        for (name, rows) in tables {
            let given = add_columns(&mut kernel, &self.program, name, rows, limits.facts);
            let report = given.map_err(|why| format!("facts of `{name}`: {why}"))?;
            if let Some(bad) = report.bad.first() {
                return Err(format!("facts of `{name}`, row {}: {}", bad.line, bad.why));
            }
        }
        kernel.evaluate(limits, clock, &Cancel::new());
        let sources = self.checker.sources();
        let unknown = |rule| if rule == RuleId::ASSERTED { "given" } else { "?" };
        let place = |rule: RuleId| {
            place(&compiled, &self.program, &sources, rule).unwrap_or_else(|| unknown(rule).to_owned())
        };
        let model = kernel.model_mut();
        let mut asked =
            EvaluatedProgram { program: &self.program, compiled: &compiled, model, clock, place: &place };
        let answer = ask(&mut asked, Some(atom), wish)?;
        match answer.stopped {
            Some(why) => Err(why),
            None => Ok(answer),
        }
    }
}

/// Makes column names unique by appending numbers.
fn unique(names: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let mut free = (2..).map(|number| format!("{name}_{number}"));
        let is_taken = |name: &String| all.contains(name);
        let name = if is_taken(&name) { free.find(|name| !is_taken(name)).unwrap_or(name) } else { name };
        all.push(name);
    }
    all
}

/// No limit, because a program accepts all facts.
const WHOLE: TextBudget = TextBudget { each: usize::MAX, left: usize::MAX };
