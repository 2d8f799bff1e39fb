//! Runs one test program under a time limit and counts what it prints.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::tally::Tally;

/// Seconds that one check may take before it is ended; a warm run of all takes half of it.
const LIMIT: u32 = 240;

/// A command that is ended when it hangs, with what it has started.
pub(crate) fn limited(program: &Path) -> Command {
    limited_to(LIMIT, program)
}

/// The same with another limit, in seconds.
pub(crate) fn limited_to(seconds: u32, program: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", &seconds.to_string()]).arg(program);
    command
}

/// Runs one test program. Lines `ok …` and `not ok …` of its output are counted (the Test Anything
/// Protocol), those with `# SKIP reason` as skipped, those with `# UNSTEADY reason` as passed the second time; without any, its exit status
/// is the one check.
pub(crate) fn check(name: &str, command: &mut Command) -> Result<Tally> {
    println!("--- {name}");
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().with_context(|| name.to_owned())?;
    let mut tally = Tally::default();
    for line in BufReader::new(child.stdout.take().context("no output")?).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        match verdict(&line) {
            Some(Verdict::Passed) => tally.add(Tally::passed()),
            Some(Verdict::Failed(what)) => tally.add(Tally::failed(format!("{name}: {what}"))),
            Some(Verdict::Skipped(what)) => tally.add(Tally::skip(format!("{name}: {what}"))),
            Some(Verdict::Unsteady(what)) => tally.add(Tally::unsteady(format!("{name}: {what}"))),
            None => {}
        }
    }
    let success = child.wait()?.success();
    let silent = tally == Tally::default();
    if silent || (!success && tally.failed.is_empty()) {
        println!("{} - {name}", if success { "ok" } else { "not ok" });
        tally.add(Tally::one(name, success));
    }
    Ok(tally)
}

/// What a line says of one check.
#[derive(Debug, PartialEq, Eq)]
enum Verdict<'a> {
    Passed,
    /// With the check's name and the reason.
    Failed(&'a str),
    /// With the check's name and the reason.
    Skipped(&'a str),
    /// It failed the first time; with its name and how.
    Unsteady(&'a str),
}

fn verdict(line: &str) -> Option<Verdict<'_>> {
    let line = line.trim_end();
    let after = |word: &str| {
        let rest = line.strip_prefix(word).filter(|rest| rest.is_empty() || rest.starts_with(' '))?;
        Some(rest.trim_start_matches([' ', '-']))
    };
    if let Some(what) = after("not ok") {
        return Some(Verdict::Failed(what));
    }
    let what = after("ok")?;
    Some(if what.contains("# SKIP") {
        Verdict::Skipped(what)
    } else if what.contains("# UNSTEADY") {
        Verdict::Unsteady(what)
    } else {
        Verdict::Passed
    })
}

#[cfg(test)]
mod tests {
    use super::{Verdict, verdict};

    #[test]
    fn reads_verdicts() {
        assert_eq!(verdict("ok 1 - opens"), Some(Verdict::Passed));
        assert_eq!(verdict("not ok - opens: in vain"), Some(Verdict::Failed("opens: in vain")));
        assert_eq!(verdict("    ok 2 - part of another"), None);
        assert_eq!(verdict("okay"), None);
        assert_eq!(verdict("nothing"), None);
    }

    #[test]
    fn a_skip_is_no_pass() {
        let line = "ok - colours # SKIP no compiler";
        assert_eq!(verdict(line), Some(Verdict::Skipped("colours # SKIP no compiler")));
    }

    #[test]
    fn what_passed_the_second_time_is_told_apart() {
        let line = "ok - a lens # UNSTEADY waited in vain for it";
        assert_eq!(verdict(line), Some(Verdict::Unsteady("a lens # UNSTEADY waited in vain for it")));
    }
}
