//! The program `mangle-ls`; see the library for everything else.

use std::process::ExitCode;

fn main() -> ExitCode {
    mangle_ls::cli::main()
}
