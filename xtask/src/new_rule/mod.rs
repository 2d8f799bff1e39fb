//! `cargo xtask new-rule FAMILY CODE NAME`: a rule that compiles, passes its tests and has a page; what it looks
//! for is left to be written.

mod family;
mod skeleton;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A folder below crates/mangle-check/src/analysis: declarations, safety, predicates, …
    family: String,
    /// The code, never used before: MG299
    code: String,
    /// The name in kebab-case: variable-of-two-minds
    name: String,
}

impl Options {
    /// The name of the rule's module.
    fn module(&self) -> String {
        self.name.replace('-', "_")
    }
}

/// Writes `NAME.md` and its code in `crates/mangle-check/src/analysis/FAMILY`, enters it into the family, and generates its page.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let folder = root.join("crates/mangle-check/src/analysis").join(&options.family);
    let entry = folder.join("mod.rs");
    ensure!(
        entry.is_file(),
        "{} is no folder of rules; these are in crates/mangle-check/src/analysis",
        folder.display()
    );
    ensure!(is_kebab_case(&options.name), "a name is words of small letters with `-` between them");
    for word in [format!("({})", options.code), format!("# {} (", options.name)] {
        let is_taken = uses_word(&root.join("crates"), &word)? || uses_word(&root.join("src"), &word)?;
        ensure!(!is_taken, "there is a rule `{word}` already");
    }
    let path = folder.join(format!("{}.rs", options.module()));
    ensure!(!path.exists(), "{} exists", path.display());
    let text = fs::read_to_string(&entry).with_context(|| format!("cannot read {}", entry.display()))?;
    let entered = family::enter(&text, &options.module())?;
    let document = folder.join(format!("{}.md", options.name));
    for (path, text) in [(&document, skeleton::document(options)?), (&path, skeleton::code(options))] {
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    fs::write(&entry, entered).with_context(|| format!("cannot write {}", entry.display()))?;
    format(root, &[&path, &entry])?;
    crate::generate::run()?;
    println!("wrote {} and entered it in {}", path.display(), entry.display());
    println!("now say what is wrong, and find it; then");
    println!(
        "  cargo test --workspace --lib {} registry   # its own tests, and its two examples",
        options.module()
    );
    println!("  cargo xtask generate   # its page, after each change of its texts");
    println!("and show it in tests/language.");
    Ok(ExitCode::SUCCESS)
}

fn format(root: &Path, files: &[&Path]) -> Result<()> {
    let status = Command::new("rustfmt").current_dir(root).args(["--edition", "2024"]).args(files).status();
    if !status.context("cannot start rustfmt")?.success() {
        bail!("rustfmt failed");
    }
    Ok(())
}

fn is_kebab_case(name: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.split('-').all(is_word)
}

/// Whether a document of a rule below a folder has a word.
fn uses_word(folder: &Path, word: &str) -> Result<bool> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        let is_document = path.extension().is_some_and(|end| end == "md");
        let found = match path.is_dir() {
            true => uses_word(&path, word)?,
            false => is_document && fs::read_to_string(&path).is_ok_and(|text| text.contains(word)),
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}
