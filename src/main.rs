//! The program `mangle-ls`; see the library for everything else.

use std::process::ExitCode;

/// Analysis allocates many small values on several threads; the system's allocator is slow at that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mangle_ls::host::disk::survive_file_size_limit();
    let arguments: Vec<_> = std::env::args_os().collect();
    ExitCode::from(mangle_ls::cli::main(&arguments))
}
