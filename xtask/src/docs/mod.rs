//! `cargo xtask docs`: builds the book of `docs` in `target/book` with mdBook, and checks it.
//!
//! The pages are the files of the repository; the playground goes beside them. `preprocess` is the part that mdBook starts while it builds.

mod check;
pub(crate) mod preprocess;

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::editors::{copy, install};
use crate::tally::Tally;

/// Builds and checks the book. Where mdBook cannot be had, that is a skip.
pub(crate) fn run() -> Result<Tally> {
    Tally::with("the book of the documentation", install::mdbook(), |mdbook| {
        let output = crate::root().join("target/book");
        if output.exists() {
            std::fs::remove_dir_all(&output)?;
        }
        let (mut tally, playground) = crate::playground::build()?;
        let status = Command::new(&mdbook)
            .env("MDBOOK_LOG", "warn")
            .envs(playground.as_ref().map(|_| (preprocess::WITH_PLAYGROUND, "1")))
            .arg("build")
            .arg(crate::root().join("docs"))
            .status()
            .context("cannot start mdbook")?;
        ensure!(status.success(), "mdbook: {status}");
        if let Some(playground) = playground {
            copy(&playground, &output.join("playground"))?;
        }
        let book = check::Book::read(&output)?;
        println!("{} pages, {} words, {} links in {}", book.pages, book.words, book.links, output.display());
        for problem in &book.problems {
            eprintln!("not ok - {problem}");
        }
        tally.add(Tally::one("the book of the documentation", book.problems.is_empty()));
        Ok(tally)
    })
}

/// As a command of its own: with a closing line.
pub(crate) fn command() -> Result<ExitCode> {
    run().map(Tally::close)
}
