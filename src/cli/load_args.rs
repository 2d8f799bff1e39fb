//! `--anyway`: the one option about programs that do not load, and the one refusal.

use clap::{Args, ColorChoice};

use super::output;
use crate::report::LoadErrors;

/// The option of all commands that evaluate programs.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct LoadArgs {
    /// Evaluate the readable part of a program that does not load, and mark all output
    #[arg(long)]
    pub(super) anyway: bool,
}

impl LoadArgs {
    /// Returns the mark of all output. `None` if a program does not load and the option is missing: that is reported with the
    /// first errors, and the command ends with exit status 2.
    pub(super) fn admit(self, errors: LoadErrors, color: ColorChoice) -> Option<LoadErrors> {
        match errors.mark() {
            None => Some(errors),
            Some(mark) if self.anyway => {
                output::warn(color, &mark);
                Some(errors)
            }
            Some(_) => {
                refuse(&errors, color);
                output::note("  `--anyway` evaluates the rest of it\n");
                None
            }
        }
    }
}

/// Reports the errors because of which a program does not load.
pub(super) fn refuse(errors: &LoadErrors, color: ColorChoice) {
    output::complain(color, "the program does not load");
    errors.lines().iter().for_each(|line| output::note(&format!("  {line}\n")));
}

/// Reports the errors because of which settings do not hold. Returns true if there is one.
pub(super) fn refuses_settings(errors: &LoadErrors, color: ColorChoice) -> bool {
    if !errors.is_empty() {
        output::complain(color, "the settings cannot be used");
        errors.lines().iter().for_each(|line| output::note(&format!("  {line}\n")));
    }
    !errors.is_empty()
}
