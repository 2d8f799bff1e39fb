//! The program `mangle-ls`; see the library for everything else.

use std::process::ExitCode;

/// Analysis allocates many small values on several threads; the system's allocator is slow at that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The bytes of stack below which the program takes a larger one: a shell may allow too little for nested lists.
const LEAST_STACK: usize = 4 << 20;

/// The bytes of the larger stack.
const STACK: usize = 16 << 20;

fn main() -> ExitCode {
    mangle_ls::host::disk::survive_file_size_limit();
    if closed_output::is_closed() {
        return ExitCode::from(mangle_ls::cli::refuse_closed_output());
    }
    let arguments: Vec<_> = std::env::args_os().collect();
    ExitCode::from(stacker::maybe_grow(LEAST_STACK, STACK, || mangle_ls::cli::main(&arguments)))
}

/// A standard output that was closed when the process began (`>&-`). The standard library opens `/dev/null` in its place before
/// `main`, so that everything that is written would be lost.
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

/// Other systems report an error when a closed output is written.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod closed_output {
    pub(super) fn is_closed() -> bool {
        false
    }
}
