//! `explain`: the list of rules, and the documentation of one rule.

use anyhow::Result;
use clap::{Args, ColorChoice};

use super::ExitStatus;
use super::output::{self, Medium, Output, OutputForm};
use mangle_ide::registry;
use mangle_report::rules;
use mangle_syntax::lint::Rule;

/// Explain a rule, or list all rules
///
/// Exit status: 0, or 2 if the rule does not exist.
#[derive(Debug, Args)]
pub(super) struct ExplainCommand {
    /// The code or the name of a rule, for example MG210 or negation-wildcard [default: list all rules]
    rule: Option<String>,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: OutputForm,
}

impl ExplainCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let all: Vec<&'static Rule> = registry::rules().collect();
        let chosen = match &self.rule {
            None => None,
            Some(word) => match registry::find(word) {
                Some(rule) => Some(rule),
                None => {
                    output::complain(color, &unknown(word));
                    return Ok(ExitStatus::Failure);
                }
            },
        };
        let text = match (self.format, chosen) {
            (OutputForm::Text, None) => rules::list(&all),
            (OutputForm::Text, Some(rule)) => rules::single(rule),
            (OutputForm::Json, None) => rules::json(&all),
            (OutputForm::Json, Some(rule)) => rules::json(&[rule]),
        };
        let mut out = Output::stdout(Medium::Own, color);
        out.write(&text)?;
        out.flush()?;
        Ok(ExitStatus::Clean)
    }
}

/// The message about an unknown rule.
fn unknown(word: &str) -> String {
    match registry::similar(word) {
        Some(near) => format!("there is no rule `{word}`; did you mean `{near}`?"),
        None => format!("there is no rule `{word}`; `mangle-ls explain` lists the rules"),
    }
}
