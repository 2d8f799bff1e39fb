//! The columns of sessions: `session_id`, `turn`, `role` and `text`.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use mangle_ls::sessions::{Session, SessionTurn};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::{PyErr, PyResult};

/// Rows as sessions are read from them.
pub(crate) struct SessionColumns {
    ids: BinaryArray,
    turns: ArrayRef,
    roles: BinaryArray,
    texts: BinaryArray,
}

impl SessionColumns {
    /// The columns of a batch.
    ///
    /// # Errors
    /// `TypeError` for a column that is missing or has another type, `ValueError` for a row without a session, a turn or a role.
    pub(crate) fn of(batch: &RecordBatch) -> PyResult<Self> {
        let ids = text(batch, "session_id", true)?;
        let turns = column(batch, "turn")?;
        if !turns.data_type().is_integer() {
            return Err(wrong_type("turn", "integers", turns.data_type()));
        }
        let turns = cast(turns, &DataType::Int64).map_err(|error| PyTypeError::new_err(error.to_string()))?;
        let (roles, texts) = (text(batch, "role", false)?, text(batch, "text", false)?);
        for (name, column) in [("session_id", &ids as &dyn Array), ("turn", &turns), ("role", &roles)] {
            if let Some(row) = (0..column.len()).find(|row| column.is_null(*row)) {
                return Err(PyValueError::new_err(format!("row {row} has no `{name}`")));
            }
        }
        Ok(Self { ids, turns, roles, texts })
    }

    /// The sessions, each of the rows that follow each other with its id.
    ///
    /// # Errors
    /// `ValueError` when the rows of a session do not follow each other, or its turns do not ascend; with `gaps` turns may be missing.
    pub(crate) fn sessions(&self, gaps: bool) -> PyResult<Vec<Session<'_>>> {
        let mut sessions: Vec<Session<'_>> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let turns = self.turns.as_primitive::<Int64Type>();
        for row in 0..self.ids.len() {
            let (id, turn) = (String::from_utf8_lossy(self.ids.value(row)), turns.value(row));
            let id = &*id;
            if sessions.last().is_none_or(|last| last.id != id) {
                if !seen.insert(id.to_owned()) {
                    return Err(unordered(id, "its rows do not follow each other"));
                }
                sessions.push(Session { id: id.to_owned(), turns: Vec::new() });
            }
            let Some(session) = sessions.last_mut() else { continue };
            match session.turns.last().map(|last| last.turn) {
                Some(last) if turn <= last => {
                    return Err(unordered(id, &format!("turn {turn} comes after turn {last}")));
                }
                Some(last) if !gaps && turn != last + 1 => {
                    let why = format!(
                        "turn {turn} comes after turn {last}, so that turns between them are missing"
                    );
                    return Err(unordered(id, &why));
                }
                None if !gaps && turn > 1 => {
                    return Err(unordered(id, &format!("its first turn is {turn} and not 0 or 1")));
                }
                _ => {}
            }
            let text: &[u8] = if self.texts.is_null(row) { &[] } else { self.texts.value(row) };
            // A role that is no word is one that nobody knows.
            let role = std::str::from_utf8(self.roles.value(row)).unwrap_or_default();
            session.turns.push(SessionTurn { turn, role, text });
        }
        Ok(sessions)
    }
}

fn column<'b>(batch: &'b RecordBatch, name: &str) -> PyResult<&'b ArrayRef> {
    batch.column_by_name(name).ok_or_else(|| {
        let names: Vec<_> =
            batch.schema().fields().iter().map(|field| format!("`{}`", field.name())).collect();
        PyTypeError::new_err(format!("there is no column `{name}`; the columns are {}", names.join(", ")))
    })
}

/// The bytes of a column of texts, which need not be UTF-8: not every engine looks. Where `numbers` are allowed, these as texts.
fn text(batch: &RecordBatch, name: &str, numbers: bool) -> PyResult<BinaryArray> {
    let column = column(batch, name)?;
    let is_text = matches!(
        column.data_type(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Dictionary(..) | DataType::Null
    );
    if !is_text && !(numbers && column.data_type().is_integer()) {
        return Err(wrong_type(name, "texts", column.data_type()));
    }
    let wrong = |error: arrow_schema::ArrowError| PyTypeError::new_err(error.to_string());
    let is_plain = matches!(column.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let column = if is_plain { column.clone() } else { cast(column, &DataType::Utf8).map_err(wrong)? };
    let bytes = cast(&column, &DataType::Binary).map_err(wrong)?;
    Ok(bytes.as_binary::<i32>().clone())
}

fn wrong_type(name: &str, wanted: &str, found: &DataType) -> PyErr {
    PyTypeError::new_err(format!("the column `{name}` has to hold {wanted}, and its type is {found}"))
}

fn unordered(id: &str, why: &str) -> PyErr {
    PyValueError::new_err(format!(
        "session `{id}` is not whole and in order: {why}. Sort by session and turn, and give all turns of a session in one batch"
    ))
}
