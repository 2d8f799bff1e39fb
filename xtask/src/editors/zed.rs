//! The Zed extension: compiled for WebAssembly, as Zed does it. There is no Zed here to run it in.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use super::drive::{check, limited};
use crate::tally::Tally;

const TARGET: &str = "wasm32-wasip2";

/// Compiles it; what its queries ask for is held against the grammar by the Rust tests.
pub(super) fn run() -> Result<Tally> {
    Tally::with("the Zed extension", standard_library(), |()| {
        let mut command = limited(Path::new(crate::cargo().get_program()));
        command.args(["build", "--quiet", "--locked", "--target", TARGET]);
        command.env("CARGO_TARGET_DIR", crate::root().join("target/zed"));
        check("the Zed extension compiles", command.current_dir(crate::root().join("editors/zed")))
    })
}

/// The standard library for WebAssembly; fetched by rustup if it is not there.
fn standard_library() -> Result<()> {
    let sysroot = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output()?;
    if Path::new(String::from_utf8_lossy(&sysroot.stdout).trim()).exists() {
        return Ok(());
    }
    println!("installing the standard library for {TARGET} …");
    let status = Command::new("timeout").args(["120", "rustup", "target", "add", TARGET]).status();
    if !status.is_ok_and(|status| status.success()) {
        bail!("there is no standard library for {TARGET}: rustup target add {TARGET}");
    }
    Ok(())
}
