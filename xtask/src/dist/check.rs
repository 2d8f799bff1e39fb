//! A release, unpacked and used as somebody does who has nothing but the archive.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::output;
use crate::tally::Tally;

type Check = (&'static str, fn(&Path) -> Result<()>);

const CHECKS: &[Check] = &[
    ("the checksums are those of the files", checksums),
    ("the program says its version, ABI and revision", version),
    ("the program checks a policy away from the repository", policy),
    ("every shell has a completion script that names the commands", completions),
    ("every command has a manual page", manual),
    ("the grammar is whole: what editors build it from, and its queries", grammar),
];

/// Tries an archive.
pub(super) fn check_archive(archive: &Path) -> Result<Tally> {
    let folder = tempfile::tempdir()?;
    // The tar of Windows and macOS also reads .zip.
    output(Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(folder.path()))?;
    let entry = fs::read_dir(folder.path())?.next().context("the archive is empty")??;
    let mut tally = Tally::default();
    for (name, check) in CHECKS {
        tally.add(super::checked(name, || check(&entry.path())));
    }
    Ok(tally)
}

fn checksums(_: &Path) -> Result<()> {
    let folder = crate::root().join(super::FOLDER);
    let text = fs::read_to_string(folder.join("SHA256SUMS"))?;
    ensure!(!text.is_empty(), "SHA256SUMS is empty");
    for line in text.lines() {
        let (sum, name) = line.split_once("  ").with_context(|| format!("the line is {line:?}"))?;
        ensure!(super::checksums::sha256(&folder.join(name))? == sum, "{name} has another checksum");
    }
    Ok(())
}

fn version(unpacked: &Path) -> Result<()> {
    let said = output(Command::new(unpacked.join("mangle-ls")).arg("--version"))?;
    let starts = ["mangle-ls ", "grammar ABI ", "revision "];
    let fits = said.lines().count() == starts.len()
        && said
            .lines()
            .zip(starts)
            .all(|(line, start)| line.strip_prefix(start).is_some_and(|it| !it.is_empty()));
    ensure!(fits, "it says {said:?}");
    Ok(())
}

fn policy(unpacked: &Path) -> Result<()> {
    finds_a_fault(&unpacked.join("mangle-ls"), unpacked)
}

/// A program finds the fault of a policy in `folder`, and says so with its exit status; it needs nothing of its surroundings.
pub(super) fn finds_a_fault(program: &Path, folder: &Path) -> Result<()> {
    fs::write(folder.join("broken.mg"), "p(X) :- q(X), !r(X, _).\nq(1).\nr(1, 2).\n")?;
    let found =
        Command::new(program).args(["check", "broken.mg"]).current_dir(folder).env_clear().output()?;
    let said = String::from_utf8(found.stdout)?;
    ensure!(found.status.code() == Some(1) && said.contains("negation-wildcard"), "it says {said:?}");
    Ok(())
}

fn completions(unpacked: &Path) -> Result<()> {
    let folder = unpacked.join("completions");
    for entry in fs::read_dir(&folder)? {
        let script = fs::read_to_string(entry?.path())?;
        for command in ["check", "preview", "replay"] {
            ensure!(script.contains(command), "{command} is missing");
        }
    }
    // The one shell that is everywhere reads its script.
    let load = "source completions/mangle-ls.bash && complete -p mangle-ls";
    output(Command::new("bash").args(["--norc", "-c", load]).current_dir(unpacked))?;
    Ok(())
}

fn manual(unpacked: &Path) -> Result<()> {
    let help = output(Command::new(unpacked.join("mangle-ls")).arg("--help"))?;
    // The commands stand in groups, indented, before the options.
    let names: Vec<&str> = help
        .lines()
        .take_while(|line| *line != "Options:")
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty())
        .collect();
    ensure!(names.len() > 10, "the help names {names:?}");
    for name in names {
        let page = unpacked.join("man").join(format!("mangle-ls-{name}.1"));
        let text = fs::read_to_string(&page).with_context(|| format!("no page for {name}"))?;
        ensure!(
            text.contains(".TH ") && text.contains(".SH OPTIONS"),
            "the page for {name} is no manual page"
        );
    }
    Ok(())
}

fn grammar(unpacked: &Path) -> Result<()> {
    let folder = unpacked.join("tree-sitter-mangle");
    for file in
        ["grammar.js", "src/parser.c", "src/scanner.c", "src/tree_sitter/parser.h", "queries/highlights.scm"]
    {
        ensure!(folder.join(file).is_file(), "{file} is missing");
    }
    Ok(())
}
