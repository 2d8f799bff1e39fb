//! What is in the archive of a release, as a folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::output;

const TEXTS: &[&str] = &["README.md", "CHANGELOG.md", "LICENSE"];

/// The shells and how their completion scripts are called where those are looked for.
const SHELLS: &[(&str, &str)] = &[
    ("bash", "mangle-ls.bash"),
    ("elvish", "mangle-ls.elv"),
    ("fish", "mangle-ls.fish"),
    ("powershell", "_mangle-ls.ps1"),
    ("zsh", "_mangle-ls"),
];

/// Clients that are used from a folder, beside the packaged one.
const CLIENTS: &[&str] = &["editors/neovim", "editors/emacs", "editors/helix", "editors/zed"];

/// Puts all of it into the new folder `to`.
pub(super) fn stage(program: &Path, to: &Path) -> Result<()> {
    let (completions, man) = (to.join("completions"), to.join("man"));
    fs::create_dir_all(&completions)?;
    let name = program.file_name().unwrap_or_default();
    fs::copy(program, to.join(name))?;
    for text in TEXTS {
        fs::copy(crate::root().join(text), to.join(text))?;
    }
    for (shell, file) in SHELLS {
        let script = output(Command::new(program).args(["generate", "completions", shell]))?;
        fs::write(completions.join(file), script)?;
    }
    output(Command::new(program).args(["generate", "man"]).arg(man))?;
    tracked("tree-sitter-mangle", &to.join("tree-sitter-mangle"))?;
    for client in CLIENTS {
        tracked(client, &to.join(client))?;
    }
    Ok(())
}

/// Copies what git keeps of a folder: what was built there is not for others.
fn tracked(folder: &str, to: &Path) -> Result<()> {
    let from = crate::root().join(folder);
    let list = output(Command::new("git").args(["ls-files", "-z"]).current_dir(&from))?;
    let files: Vec<&str> = list.split_terminator('\0').collect();
    ensure!(!files.is_empty(), "git keeps nothing of {folder}");
    for file in files {
        let target = to.join(file);
        fs::create_dir_all(target.parent().unwrap_or(to))?;
        fs::copy(from.join(file), target)?;
    }
    Ok(())
}
