//! `rule`: what the rules are, and the page of one of them.

use anyhow::Result;
use clap::{Args, ColorChoice};

use super::Outcome;
use super::output::{self, Medium, Output};
use super::output_form::Form;
use crate::ide::registry;
use crate::report::rules;
use mangle_syntax::lint::Rule;

/// List the rules, or show what one of them is about
///
/// Exit status: 0, or 2 if there is no such rule.
#[derive(Debug, Args)]
pub(super) struct RuleCommand {
    /// The code or the name of a rule, as `MG210` or `negation-wildcard` [default: list them all]
    rule: Option<String>,
    /// How it is written
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Form,
}

impl RuleCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// When standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<Outcome> {
        let all: Vec<&'static Rule> = registry::rules().collect();
        let chosen = match &self.rule {
            None => None,
            Some(word) => match registry::find(word) {
                Some(rule) => Some(rule),
                None => {
                    output::complain(color, &unknown(word));
                    return Ok(Outcome::Failure);
                }
            },
        };
        let text = match (self.format, chosen) {
            (Form::Text, None) => rules::list(&all),
            (Form::Text, Some(rule)) => rules::single(rule),
            (Form::Json, None) => rules::json(&all),
            (Form::Json, Some(rule)) => rules::json(&[rule]),
        };
        let mut out = Output::of(Medium::Own, color);
        out.write(&text)?;
        out.flush()?;
        Ok(Outcome::Clean)
    }
}

/// What is said of a rule that does not exist.
fn unknown(word: &str) -> String {
    match registry::similar(word) {
        Some(near) => format!("there is no rule `{word}`; did you mean `{near}`?"),
        None => format!("there is no rule `{word}`; `mangle-ls rule` lists them"),
    }
}
