//! `Policy`: what follows from a policy and from facts of any data frame.

use std::ffi::CString;
use std::path::PathBuf;

use mangle_ls::sessions::{self, PolicyAnswer};
use mangle_settings::Reading;
use pyo3::exceptions::{PyRuntimeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use pyo3_arrow::input::AnyRecordBatch;

use crate::errors::{detached, of_loading};
use crate::facts::FactBatch;
use crate::rows;

/// A policy that can be asked. Files are read when it is made, and not afterwards.
#[pyclass(frozen, module = "mangle_ls")]
pub(crate) struct Policy(sessions::PolicyProgram);

/// Facts by their predicate.
type Facts = std::collections::BTreeMap<String, AnyRecordBatch>;

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(signature = (*paths))]
    fn new(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<Self> {
        if paths.is_empty() {
            return Err(PyValueError::new_err("name the files or folders of a policy"));
        }
        let loaded = detached(py, || sessions::PolicyProgram::load(&paths))?;
        loaded.map(Self).map_err(of_loading)
    }

    /// The facts that fit an atom.
    #[pyo3(signature = (atom, *, facts=None, reading="engine"))]
    fn query<'py>(
        &self,
        py: Python<'py>,
        atom: &str,
        facts: Option<Facts>,
        reading: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (tables, reading) = (tables(facts)?, parsed(reading)?);
        let answer: Result<PolicyAnswer, String> = detached(py, || self.0.query(atom, &tables, reading))?;
        let answer = answer.map_err(PyValueError::new_err)?;
        for warning in &answer.warnings {
            let message = CString::new(warning.replace('\0', " ")).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)?;
        }
        let batch = rows::answer(&answer);
        let batch = batch.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyRecordBatch::new(batch).into_pyarrow(py)
    }

    /// The facts that fit an atom once given facts are added.
    #[pyo3(signature = (facts, atom, *, reading="engine"))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        facts: Facts,
        atom: &str,
        reading: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.query(py, atom, Some(facts), reading)
    }

    /// Why the facts that fit an atom hold; where there is none, what each rule lacks.
    #[pyo3(signature = (atom, *, facts=None, reading="engine"))]
    fn why(&self, py: Python<'_>, atom: &str, facts: Option<Facts>, reading: &str) -> PyResult<String> {
        let (tables, reading) = (tables(facts)?, parsed(reading)?);
        detached(py, || self.0.why(atom, &tables, reading))?.map_err(PyValueError::new_err)
    }
}

fn parsed(reading: &str) -> PyResult<Reading> {
    let unknown = || PyValueError::new_err(format!("`{reading}` is not a reading; it is `engine` or `intended`"));
    Reading::parse(reading).ok_or_else(unknown)
}

/// The rows of tables, which the declarations say the types of.
fn tables(facts: Option<Facts>) -> PyResult<Vec<(String, Vec<FactBatch>)>> {
    let wrong = |error: arrow_schema::ArrowError| PyValueError::new_err(error.to_string());
    let mut tables = Vec::new();
    for (name, table) in facts.unwrap_or_default() {
        let batches = table.into_reader()?.map(|batch| FactBatch::new(&batch?));
        tables.push((name, batches.collect::<Result<_, _>>().map_err(wrong)?));
    }
    Ok(tables)
}
