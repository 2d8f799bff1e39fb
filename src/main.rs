//! The `mangle-ls` executable. The library contains everything except the setup of the process.

use std::process::ExitCode;

/// Analysis allocates many small values on several threads, and the system allocator is slow for
/// this pattern.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// In bytes: with less remaining stack, the program continues on a newly allocated one. The stack
/// limit of a shell may be too small for nested lists.
const MIN_STACK: usize = 4 << 20;

/// The size of the allocated stack, in bytes.
const STACK: usize = 16 << 20;

fn main() -> ExitCode {
    mangle_host::disk::survive_file_size_limit();
    if closed_output::is_closed() {
        return ExitCode::from(mangle_ls::cli::refuse_closed_output());
    }
    let arguments: Vec<_> = std::env::args_os().collect();
    ExitCode::from(stacker::maybe_grow(MIN_STACK, STACK, || mangle_ls::cli::main(&arguments)))
}

/// Detection of a standard output that was closed at process start (`>&-`). The standard library
/// opens `/dev/null` in its place before `main`, so that all output would be lost.
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod closed_output {
    #![allow(unsafe_code, reason = "the section decides when the function runs; there is no unsafe block")]

    use std::sync::atomic::{AtomicBool, Ordering};

    static IS_CLOSED: AtomicBool = AtomicBool::new(false);

    #[used]
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
    static BEFORE_MAIN: extern "C" fn() = look;

    extern "C" fn look() {
        let is_open = rustix::io::fcntl_getfd(std::io::stdout()).is_ok();
        IS_CLOSED.store(!is_open, Ordering::Relaxed);
    }

    pub(super) fn is_closed() -> bool {
        IS_CLOSED.load(Ordering::Relaxed)
    }
}

/// Other systems report an error on writing to a closed output.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod closed_output {
    pub(super) fn is_closed() -> bool {
        false
    }
}
