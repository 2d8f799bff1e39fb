//! `init`: creates a starter project with a policy, tests, a sample, a configuration and a CI file.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, ColorChoice, ValueEnum};

use super::output::{self, Medium, Output};
use super::{ExitStatus, surroundings};
use mangle_host::disk;
use mangle_report::sink;

/// Write a starter project: a small policy with tests, a sample, a configuration and a CI file
///
/// The project passes `check` and `test`. `init` never overwrites files; it completes a project
/// that an interrupted `init` began. On a terminal, `init` prompts for the kind of CI unless you
/// use `--ci`. Exit status: 0, or 2 if nothing was written.
#[derive(Debug, Args)]
pub(super) struct Init {
    /// The folder of the project, created if it does not exist
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The CI file to write [default: prompt on a terminal, otherwise `github`]
    #[arg(long, value_enum, value_name = "KIND")]
    ci: Option<Ci>,
}

pub(super) struct Template {
    /// The path relative to the project folder, with `/`.
    pub(super) path: &'static str,
    /// A short description.
    about: &'static str,
    pub(super) text: &'static str,
}

/// The files in recommended reading order.
pub(super) const TEMPLATES: &[Template] = &[
    template("README.md", "the files and the commands", include_str!("../../examples/starter/README.md")),
    template("schemas.gl", "declares the predicates", include_str!("../../examples/starter/schemas.gl")),
    template(
        "constitution.mg",
        "permits and denies actions",
        include_str!("../../examples/starter/constitution.mg"),
    ),
    template(
        "prompt.mg",
        "gives lines of the system prompt",
        include_str!("../../examples/starter/prompt.mg"),
    ),
    template(
        "constitution_test.mg",
        "tests both",
        include_str!("../../examples/starter/constitution_test.mg"),
    ),
    template("coder.kernel.mg", "a sample of facts", include_str!("../../examples/starter/coder.kernel.mg")),
    template("mangle-ls.toml", "the configuration", include_str!("../../examples/starter/mangle-ls.toml")),
];

const fn template(path: &'static str, about: &'static str, text: &'static str) -> Template {
    Template { path, about, text }
}

/// A file to write.
struct OutputFile {
    path: PathBuf,
    /// The folder that symbolic links in the path must not leave.
    root: PathBuf,
    about: &'static str,
    text: String,
}

impl Init {
    /// Runs the command.
    ///
    /// # Errors
    /// If the answer cannot be read, a file already exists, or a file cannot be written.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let folder = mangle_host::absolute(&working, &self.folder);
        let ci = match self.ci {
            Some(ci) => ci,
            None if io::stdin().is_terminal() && io::stdout().is_terminal() => asked()?,
            None => Ci::Github,
        };
        let planned = missing(planned(&folder, ci), &working)?;
        planned.iter().try_for_each(|file| refuse_links_outside(file, &working))?;
        for file in &planned {
            write(file, &working)?;
        }
        let mut out = Output::stdout(Medium::Text, color);
        out.write(&self.summary(&planned, ci, &working))?;
        out.flush()?;
        Ok(ExitStatus::Clean)
    }

    fn summary(&self, planned: &[OutputFile], ci: Ci, working: &Path) -> String {
        let shown: Vec<String> = planned.iter().map(|file| shown(&file.path, working)).collect();
        let width = shown.iter().map(|path| path.chars().count()).max().unwrap_or_default();
        let mut text = match planned.len() {
            0 => "All files of the project exist already.\n".to_owned(),
            1 => "Wrote 1 file:\n".to_owned(),
            count => format!("Wrote {count} files:\n"),
        };
        for (file, path) in planned.iter().zip(&shown) {
            text += &format!("  {path:<width$}  {}\n", file.about);
        }
        text += "\nNext:\n";
        if self.folder != Path::new(".") {
            text += &format!("  cd {}\n", sink::line(&self.folder.to_string_lossy()));
        }
        text += "  mangle-ls check\n  mangle-ls test\n";
        if ci != Ci::None {
            text += "\nIn the CI file, replace the words in capitals: they name the place where mangle-ls is kept.\n";
        }
        text
    }
}

/// Asks the user for the CI system.
fn asked() -> Result<Ci> {
    output::note("CI file: github, gitlab or none? [github] ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("cannot read the answer")?;
    match answer.trim() {
        "" => Ok(Ci::Github),
        word => Ci::from_str(word, true).map_err(|_| anyhow!("`{word}` is not one of github, gitlab, none")),
    }
}

fn planned(folder: &Path, ci: Ci) -> Vec<OutputFile> {
    let file = |template: &Template| OutputFile {
        path: folder.join(template.path),
        root: folder.to_path_buf(),
        about: template.about,
        text: template.text.to_owned(),
    };
    let mut planned: Vec<OutputFile> = TEMPLATES.iter().map(file).collect();
    // CI systems only search the root of the repository.
    let root = mangle_host::repository(folder).unwrap_or(folder);
    if let Some((path, text)) = path_and_text(ci, folder.strip_prefix(root).unwrap_or(Path::new(""))) {
        planned.push(OutputFile { path: root.join(path), root: root.into(), about: ABOUT, text });
    }
    planned
}

/// The planned files that do not exist. Identical files from an earlier run are skipped.
///
/// # Errors
/// If another file exists at a planned path. In this case, nothing is written.
fn missing(planned: Vec<OutputFile>, working: &Path) -> Result<Vec<OutputFile>> {
    let (present, missing): (Vec<_>, Vec<_>) =
        planned.into_iter().partition(|file| file.path.symlink_metadata().is_ok());
    let is_ours = |file: &OutputFile| {
        let is_file = file.path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        is_file && mangle_host::read_to_string(&file.path).is_ok_and(|text| *text == *file.text)
    };
    let existing: Vec<&OutputFile> = present.iter().filter(|file| !is_ours(file)).collect();
    if existing.is_empty() {
        return Ok(missing);
    }
    let names: Vec<String> =
        existing.iter().map(|file| format!("`{}`", shown(&file.path, working))).collect();
    let (verb, advice) = match existing.as_slice() {
        [only] if only.about == ABOUT => ("exists", "`--ci none` leaves the CI file out"),
        [_] => ("exists", "name another folder"),
        _ => ("exist", "name another folder"),
    };
    Err(anyhow!("{} {verb} already, nothing was written; {advice}", names.join(", ")))
}

/// Rejects a path with a symbolic link that leads out of the project folder. Otherwise a malicious
/// repository could make `init` write to any path.
fn refuse_links_outside(file: &OutputFile, working: &Path) -> Result<()> {
    let exists = |path: &&Path| path.symlink_metadata().is_ok();
    let below = file.path.ancestors().skip(1).take_while(|folder| folder.starts_with(&file.root));
    let Some(folder) = { below }.find(exists) else { return Ok(()) };
    let (real, root) = (folder.canonicalize(), file.root.canonicalize());
    if real.is_ok_and(|real| root.is_ok_and(|root| real.starts_with(root))) {
        return Ok(());
    }
    let (folder, path) = (shown(folder, working), shown(&file.path, working));
    Err(anyhow!("`{folder}` leads out of the project, so `{path}` cannot be written; nothing was written"))
}

fn write(file: &OutputFile, working: &Path) -> Result<()> {
    let failed = || format!("cannot write {}", shown(&file.path, working));
    if let Some(folder) = file.path.parent() {
        disk::create_folder(folder).with_context(failed)?;
    }
    disk::write(&file.path, file.text.as_bytes()).with_context(failed)
}

/// The path for output.
fn shown(path: &Path, working: &Path) -> String {
    sink::line(&path.strip_prefix(working).unwrap_or(path).to_string_lossy())
}

/// A short description of the file.
const ABOUT: &str = "checks and tests every change";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ci {
    /// GitHub Actions: `.github/workflows/policy.yml`
    Github,
    /// GitLab: `.gitlab-ci.yml`
    Gitlab,
    /// No CI file
    None,
}

/// The path of the file in the repository, and its text. `folder` is the policy folder relative to
/// the repository root.
fn path_and_text(ci: Ci, folder: &Path) -> Option<(&'static str, String)> {
    let folder = folder.to_string_lossy().replace('\\', "/");
    match ci {
        Ci::Github => Some((".github/workflows/policy.yml", github(&folder))),
        Ci::Gitlab => Some((".gitlab-ci.yml", gitlab(&folder))),
        Ci::None => None,
    }
}

fn github(folder: &str) -> String {
    let mut text = String::from(
        "name: policy
on: [push, pull_request]
jobs:
  policy:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      # Checks the policy and runs its tests. Replace the words in capitals.
      - uses: OWNER/mangle-ls@REVISION
",
    );
    if !folder.is_empty() {
        text += &format!("        with:\n          working-directory: {}\n", quoted(folder));
    }
    text
}

fn gitlab(folder: &str) -> String {
    let mut text = String::from(
        "policy:
  image: rust:latest
  script:
    # Replace the words in capitals.
    - cargo install --locked --git ADDRESS/mangle-ls
",
    );
    if !folder.is_empty() {
        text += &format!("    - cd {}\n", quoted(folder));
    }
    text += "    - mangle-ls check --format junit > mangle-ls.xml
    - mangle-ls test --format junit > tests.xml
  artifacts:
    when: always
    reports:
      junit:
";
    for report in ["mangle-ls.xml", "tests.xml"] {
        let path = if folder.is_empty() { report.to_owned() } else { format!("{folder}/{report}") };
        text += &format!("        - {}\n", quoted(&path));
    }
    text
}

/// Quotes a text with arbitrary characters for YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
