//! `--anyway`: continues with programs that do not load.

use clap::{Args, ColorChoice};

use super::output;
use mangle_report::LoadErrors;

/// The option of all commands that evaluate programs.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct LoadArgs {
    /// Evaluate the readable part of a program that does not load, and mark all output
    #[arg(long)]
    pub(super) anyway: bool,
}

impl LoadArgs {
    /// Returns the mark for all output. `None` if a program does not load and the option is
    /// missing. In this case, the first errors are reported, and the command ends with exit status
    /// 2.
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

/// Reports the errors that prevent a program from loading.
pub(super) fn refuse(errors: &LoadErrors, color: ColorChoice) {
    output::complain(color, "the program does not load");
    errors.lines().iter().for_each(|line| output::note(&format!("  {line}\n")));
}

/// Reports the errors that invalidate settings. Returns true if there are any.
pub(super) fn refuses_settings(errors: &LoadErrors, color: ColorChoice) -> bool {
    if !errors.is_empty() {
        output::complain(color, "the settings cannot be used");
        errors.lines().iter().for_each(|line| output::note(&format!("  {line}\n")));
    }
    !errors.is_empty()
}
