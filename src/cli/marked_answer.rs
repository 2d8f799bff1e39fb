//! Output about the project of the working directory, marked if its settings are invalid.

use anyhow::Result;
use clap::ColorChoice;
use serde::Serialize;

use super::ExitStatus;
use super::load_args::refuses_settings;
use super::output::{self, Output};
use super::output_form::OutputForm;
use mangle_host::SettingsProblems;

/// Writes an answer, and reports invalid settings.
///
/// # Errors
/// If standard output fails.
pub(super) fn write_marked(
    form: OutputForm,
    color: ColorChoice,
    settings: &SettingsProblems,
    value: &impl Serialize,
    text: &str,
) -> Result<ExitStatus> {
    let mut out = Output::stdout(form.medium(), color);
    out.write(&match form {
        OutputForm::Text => settings.errors.comment("#") + text,
        OutputForm::Json => {
            let mut value = serde_json::to_value(value)?;
            settings.errors.mark_json(&mut value);
            serde_json::to_string_pretty(&value)? + "\n"
        }
    })?;
    out.flush()?;
    output::warn_ignored(settings, color);
    let is_refused = refuses_settings(&settings.errors, color);
    Ok(if is_refused { ExitStatus::Failure } else { ExitStatus::Clean })
}
