//! `Checker`: sessions by the batch.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use mangle_engine::kernel::Clock;
use mangle_ls::sessions::{self, Session};
use mangle_settings::{Container, FILE_NAME};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatch;
use pyo3_arrow::input::AnyRecordBatch;

use crate::columns::{SessionColumns, sessions_of};
use crate::errors::{detached, of_loading};
use crate::rows;

/// What makes a checker again, and its arguments: files, whether turns may be missing, the container, the time.
type Pickled<'py> = (Bound<'py, PyAny>, (Bound<'py, PyDict>, bool, Option<String>, i64));

/// The container that is found out for each session.
const AUTO: &str = "auto";

/// Checks, reads and replays sessions of agents. Files are read when it is made, and not afterwards.
#[pyclass(frozen, module = "mangle_ls")]
pub(crate) struct Checker {
    checker: sessions::Checker,
    /// The files that it was made of, for a checker elsewhere.
    files: Vec<(String, String)>,
    gaps: bool,
    container: Option<String>,
}

#[pymethods]
impl Checker {
    #[new]
    #[pyo3(signature = (config=None, policies=Vec::new(), *, gaps=false, container=None))]
    fn new(
        py: Python<'_>,
        config: Option<PathBuf>,
        policies: Vec<PathBuf>,
        gaps: bool,
        container: Option<String>,
    ) -> PyResult<Self> {
        let loaded = detached(py, || sessions::Checker::load(config.as_deref(), &policies, None))?;
        Self::of(loaded.map_err(of_loading)?, gaps, container)
    }

    /// What is found in the sessions of a batch.
    fn check<'py>(&self, py: Python<'py>, batch: AnyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, batch, |sessions| rows::findings(sessions, &self.checker.check(sessions)))
    }

    /// What the runtime makes of the replies of a batch.
    fn parse<'py>(&self, py: Python<'py>, batch: AnyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, batch, |sessions| rows::replies(sessions, &self.checker.parse(sessions)))
    }

    /// What the policies say of the requests in the sessions of a batch.
    fn replay<'py>(&self, py: Python<'py>, batch: AnyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, batch, |sessions| rows::verdicts(sessions, &self.checker.replay(sessions)))
    }

    /// Figures about the sessions of a batch, a row each.
    fn stats<'py>(&self, py: Python<'py>, batch: AnyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, batch, |sessions| rows::figures(sessions, &self.checker.stats(sessions)))
    }

    /// A page about the sessions of a batch.
    #[pyo3(signature = (batch, /, *, title=None))]
    fn report(&self, py: Python<'_>, batch: AnyRecordBatch, title: Option<&str>) -> PyResult<String> {
        let batches = batches(batch)?;
        let columns =
            batches.iter().map(|batch| SessionColumns::with_labels(batch, self.container.is_some()));
        let columns: Vec<_> = columns.collect::<PyResult<_>>()?;
        let sessions = sessions_of(&columns, self.gaps)?;
        detached(py, || self.checker.report(&sessions, title))
    }

    /// A checker is pickled with the contents of its files and with its time, so that every worker gives the same.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py>> {
        let py = slf.py();
        let this = slf.get();
        let files = PyDict::new(py);
        for (path, text) in &this.files {
            files.set_item(path, text)?;
        }
        Ok((
            slf.get_type().getattr("_of_files")?,
            (files, this.gaps, this.container.clone(), this.checker.now_ns()),
        ))
    }

    /// The checker of files that were read elsewhere.
    #[staticmethod]
    fn _of_files(
        py: Python<'_>,
        files: BTreeMap<String, String>,
        gaps: bool,
        container: Option<String>,
        now_ns: i64,
    ) -> PyResult<Self> {
        let folder = tempfile::tempdir()?;
        let root = written(&files, folder.path())?;
        let config = files.contains_key(FILE_NAME).then_some(root.as_path());
        let is_policy = |path: &&String| path.ends_with(".mg") || path.ends_with(".gl");
        let policies: Vec<PathBuf> = files.keys().filter(is_policy).map(|path| place(&root, path)).collect();
        let loaded = detached(py, || sessions::Checker::load(config, &policies, Some(Clock { now_ns })))?;
        Self::of(loaded.map_err(of_loading)?, gaps, container)
    }
}

/// The batches of a frame, with an empty one that has its columns.
fn batches(batch: AnyRecordBatch) -> PyResult<Vec<RecordBatch>> {
    let reader = batch.into_reader()?;
    let mut batches = vec![RecordBatch::new_empty(reader.schema())];
    for batch in reader {
        batches.push(batch.map_err(|error| PyValueError::new_err(error.to_string()))?);
    }
    Ok(batches)
}

/// Writes files below a folder. Gives the folder in it that their paths count from: so deep that files beside it have a place, too.
fn written(files: &BTreeMap<String, String>, below: &Path) -> PyResult<PathBuf> {
    let ups = |path: &String| path.split('/').take_while(|part| *part == "..").count();
    let depth = files.keys().map(ups).max().unwrap_or_default();
    let root = (0..depth).fold(below.to_path_buf(), |folder, _| folder.join("in"));
    for (path, text) in files {
        let path = place(&root, path);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, text)?;
    }
    std::fs::create_dir_all(&root)?;
    Ok(root)
}

/// Where a file is whose path counts from a folder.
fn place(root: &Path, path: &str) -> PathBuf {
    let mut place = root.to_path_buf();
    for part in path.split('/') {
        match part {
            ".." => _ = place.pop(),
            part => place.push(part),
        }
    }
    place
}

impl Checker {
    /// # Errors
    /// `ValueError` for a container that there is not, or that does not have a record a line.
    fn of(checker: sessions::Checker, gaps: bool, container: Option<String>) -> PyResult<Self> {
        let files = checker.files().into_iter().map(|(path, text)| (path, text.to_string())).collect();
        let Some(word) = container else { return Ok(Self { checker, files, gaps, container }) };
        let known = if word == AUTO { Some(None) } else { Container::parse(&word).map(Some) };
        let checker = known.and_then(|known| checker.of_records(known)).ok_or_else(|| {
            let words = sessions::LINE_CONTAINERS.map(|container| format!("`{}`", container.as_str()));
            let words = words.join(", ");
            PyValueError::new_err(format!(
                "`{word}` is no container with a record a line; those are `{AUTO}`, {words}"
            ))
        })?;
        Ok(Self { checker, files, gaps, container: Some(word) })
    }

    /// What `of` makes of the sessions of a batch.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        batch: AnyRecordBatch,
        of: impl Fn(&[Session<'_>]) -> Result<RecordBatch, ArrowError> + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batches = batches(batch)?;
        let columns = batches.iter().map(|batch| SessionColumns::of(batch, self.container.is_some()));
        let columns: Vec<SessionColumns> = columns.collect::<PyResult<_>>()?;
        let sessions = sessions_of(&columns, self.gaps)?;
        let rows = detached(py, || of(&sessions))?;
        let rows = rows.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyRecordBatch::new(rows).into_pyarrow(py)
    }
}
