//! The Python module `mangle_ls._native`: sessions and facts come as Arrow, findings and answers go as Arrow.
//!
//! What is found is the business of `mangle_ls::sessions`; here are columns, exceptions, and the lock of the interpreter, which is released
//! while something is computed.

mod checker;
mod columns;
mod errors;
mod facts;
mod policy;
mod rows;

use std::ffi::OsString;

use pyo3::prelude::*;

/// That of the program: checks and evaluations allocate many small values on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The native part of `mangle_ls`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("PolicyError", module.py().get_type::<errors::PolicyError>())?;
    module.add_class::<checker::Checker>()?;
    module.add_class::<policy::Policy>()?;
    module.add_function(wrap_pyfunction!(run, module)?)
}

/// Runs a command of the program; the first argument is the name of the program. Gives the exit status.
#[pyfunction]
fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| mangle_ls::cli::main(&arguments))
}
