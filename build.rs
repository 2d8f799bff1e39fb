//! Tells the program which revision it is built from, where that can be known: not from a package, whose
//! folder may lie in a repository of something else, and not in debug builds, which would be built anew
//! after every commit.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is_release = env::var_os("PROFILE").is_some_and(|profile| profile == "release");
    if !is_release || !is_our_repository() {
        return;
    }
    // Grows with every commit and checkout.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    if let Some(revision) = git(&["show", "--no-patch", "--abbrev=12", "--format=%h, %cs", "HEAD"]) {
        println!("cargo:rustc-env=MANGLE_LS_REVISION={revision}");
    }
}

fn is_our_repository() -> bool {
    let here = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let top = git(&["rev-parse", "--show-toplevel"]);
    let absolute = |path: &Path| path.canonicalize().ok();
    top.and_then(|top| absolute(Path::new(&top)))
        .is_some_and(|top| Some(top) == here.and_then(|it| absolute(&it)))
}

/// What git says; nothing where there is no git, or no repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
