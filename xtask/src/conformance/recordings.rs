//! Comparison with the replies and prompts of a folder that is shaped like `tests/conformance`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

/// Runs the comparisons, and shows how many agree.
pub(super) fn run(path: &Path) -> Result<ExitCode> {
    let folder = path.canonicalize();
    let folder = folder.with_context(|| format!("no folder {}", path.display()))?;
    let (mut agree, mut found) = (true, false);
    for (test, variable) in [("envelopes", "MANGLE_LS_ENVELOPES"), ("prompts", "MANGLE_LS_PROMPTS")] {
        let Some(cases) = of_test(&folder, test) else { continue };
        found = true;
        let status = crate::cargo()
            .args(["test", "--workspace", "--test", "all", "--", &format!("agents::{test}::"), "--nocapture"])
            .env(variable, cases)
            .envs(Some(folder.join("versions")).filter(|of| of.is_dir()).map(|of| ("MANGLE_LS_VERSIONS", of)))
            .status()
            .context("cannot run cargo")?;
        agree &= status.success();
    }
    anyhow::ensure!(found, "{} holds no cases of replies or prompts", folder.display());
    Ok(if agree { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The folder with the cases of a test: the one of its name, or the given one where that is of its kind.
fn of_test(folder: &Path, test: &str) -> Option<PathBuf> {
    let inner = folder.join(test);
    if inner.join("cases.jsonl").is_file() {
        return Some(inner);
    }
    let is_named = folder.file_name().is_some_and(|name| name == test);
    let is_of_replies = test == "envelopes" && folder.join("atoms.jsonl").is_file();
    (folder.join("cases.jsonl").is_file() && (is_named || is_of_replies)).then(|| folder.to_owned())
}
