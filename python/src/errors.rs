//! Errors as exceptions.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mangle_ls::sessions::LoadError;
use pyo3::exceptions::{PyFileNotFoundError, PyRuntimeError, PyValueError};
use pyo3::{PyErr, PyResult, Python, create_exception};

create_exception!(
    mangle_ls,
    PolicyError,
    PyValueError,
    "The policies have errors; the message is what `mangle-ls check` says of them."
);

/// Why policies cannot be loaded.
pub(crate) fn of_loading(error: LoadError) -> PyErr {
    match error {
        LoadError::Unreadable(why) => PyFileNotFoundError::new_err(why),
        LoadError::Errors(_) => PolicyError::new_err(error.to_string()),
    }
}

/// Computes without the lock of the interpreter. A panic becomes an exception: it ends a call and not the process.
pub(crate) fn detached<T: Send>(py: Python<'_>, compute: impl FnOnce() -> T + Send) -> PyResult<T> {
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(compute)));
    result.map_err(|panic| PyRuntimeError::new_err(format!("the checker failed: {}", message(&*panic))))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason is known".to_owned())
}
