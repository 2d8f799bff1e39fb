//! The compiler with coverage counters, for the project's own crates: Cargo calls this program in place of `rustc` for them
//! (`RUSTC_WORKSPACE_WRAPPER`). So dependencies are those of the tests, and need not be built again.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// Set where Cargo calls this program as the compiler.
pub(super) const VARIABLE: &str = "MANGLE_LS_FUZZ_RUSTC";

/// What makes the compiler count edges and comparisons, as libFuzzer wants it, and the program fast enough to find something.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Copt-level=1",
];

/// Compiles, if that is what this program was called for.
pub(crate) fn wrapped() -> Option<ExitCode> {
    std::env::var_os(VARIABLE)?;
    let mut arguments = std::env::args_os().skip(1);
    let (rustc, rest): (_, Vec<OsString>) = (arguments.next()?, arguments.collect());
    let flags = if is_counted(&rest) { FLAGS } else { &[] };
    let status = Command::new(rustc).args(&rest).args(flags).status();
    let code = status.ok().and_then(|status| status.code()).and_then(|code| u8::try_from(code).ok());
    Some(ExitCode::from(code.unwrap_or(1)))
}

/// Whether what is compiled gets counters: everything but build scripts, which are linked without libFuzzer.
fn is_counted(arguments: &[OsString]) -> bool {
    let name = arguments.iter().position(|word| word == "--crate-name").and_then(|at| arguments.get(at + 1));
    name.is_some_and(|name| !name.to_string_lossy().starts_with("build_script_"))
}

#[cfg(test)]
mod tests {
    use super::is_counted;

    #[test]
    fn build_scripts_have_no_counters() {
        let words = |text: &str| text.split(' ').map(Into::into).collect::<Vec<_>>();
        assert!(is_counted(&words("--crate-name mangle_ls --edition=2024 src/lib.rs")));
        assert!(is_counted(&words("--crate-name piggyback --edition=2024 crates/piggyback/src/lib.rs")));
        assert!(!is_counted(&words("--crate-name build_script_build build.rs")));
        assert!(!is_counted(&words("-vV")));
    }
}
