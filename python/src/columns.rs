//! The columns of sessions: `session_id`, `turn`, `role` and `text`; for a report, `time`, `model`, `version` and `shard`.

use std::borrow::Cow;
use std::collections::HashSet;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, LargeBinaryArray, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, TimeUnit};
use mangle_ls::sessions::{Session, SessionTurn, TurnLabels, TurnTime};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::{PyErr, PyResult};

/// Rows as sessions are read from them.
pub(crate) struct SessionColumns {
    ids: LargeBinaryArray,
    turns: ArrayRef,
    /// None where the texts are records, which say it themselves.
    roles: Option<LargeBinaryArray>,
    texts: LargeBinaryArray,
    labels: LabelColumns,
}

/// What a report counts turns under, as far as there are columns for it.
#[derive(Default)]
struct LabelColumns {
    /// The time of each row.
    times: Vec<TurnTime>,
    models: Option<LargeBinaryArray>,
    versions: Option<LargeBinaryArray>,
    shards: Option<LargeBinaryArray>,
}

impl LabelColumns {
    fn row(&self, row: usize) -> TurnLabels<'_> {
        TurnLabels {
            time: self.times.get(row).copied().unwrap_or_default(),
            model: word(self.models.as_ref(), row),
            version: word(self.versions.as_ref(), row),
            shard: word(self.shards.as_ref(), row),
        }
    }
}

/// A text of a column that may be missing; what is empty or not UTF-8 says nothing.
fn word(column: Option<&LargeBinaryArray>, row: usize) -> Option<&str> {
    let column = column.filter(|column| column.is_valid(row))?;
    std::str::from_utf8(column.value(row)).ok().filter(|word| !word.is_empty())
}

impl SessionColumns {
    /// The columns of a batch.
    ///
    /// # Errors
    /// `TypeError` for a column that is missing or has another type, `ValueError` for a row without a session, a turn or a role.
    pub(crate) fn of(batch: &RecordBatch, of_records: bool) -> PyResult<Self> {
        let ids = text(batch, "session_id", true)?;
        let turns = column(batch, "turn")?;
        if !turns.data_type().is_integer() {
            return Err(wrong_type("turn", "integers", turns.data_type()));
        }
        let turns = cast(turns, &DataType::Int64).map_err(|error| PyTypeError::new_err(error.to_string()))?;
        let roles = if of_records { None } else { Some(text(batch, "role", false)?) };
        let texts = text(batch, "text", false)?;
        let roles_too = roles.as_ref().map(|roles| ("role", roles as &dyn Array));
        for (name, column) in
            [("session_id", &ids as &dyn Array), ("turn", &turns)].into_iter().chain(roles_too)
        {
            if let Some(row) = (0..column.len()).find(|row| column.is_null(*row)) {
                return Err(PyValueError::new_err(format!("row {row} has no `{name}`")));
            }
        }
        Ok(Self { ids, turns, roles, texts, labels: LabelColumns::default() })
    }

    /// [`SessionColumns::of`], with the columns that only a report reads.
    ///
    /// # Errors
    /// As there, and `TypeError` where one of these columns has another type.
    pub(crate) fn with_labels(batch: &RecordBatch, of_records: bool) -> PyResult<Self> {
        let words = |name| batch.column_by_name(name).map(|_| text(batch, name, true)).transpose();
        let labels = LabelColumns {
            times: times(batch)?,
            models: words("model")?,
            versions: words("version")?,
            shards: words("shard")?,
        };
        Ok(Self { labels, ..Self::of(batch, of_records)? })
    }

    fn row(&self, row: usize) -> (Cow<'_, str>, SessionTurn<'_>) {
        let text: &[u8] = if self.texts.is_null(row) { &[] } else { self.texts.value(row) };
        // A role that is not a text is one that nothing is known of.
        let role = self.roles.as_ref().map_or(&b""[..], |roles| roles.value(row));
        let role = std::str::from_utf8(role).unwrap_or_default();
        let turn = self.turns.as_primitive::<Int64Type>().value(row);
        (
            String::from_utf8_lossy(self.ids.value(row)),
            SessionTurn { turn, role, text, labels: self.labels.row(row) },
        )
    }
}

/// The sessions of some batches, each of the rows that follow each other with its id.
///
/// # Errors
/// `ValueError` when the rows of a session do not follow each other, or its turns do not ascend; with `gaps` turns may be missing.
pub(crate) fn sessions_of(batches: &[SessionColumns], gaps: bool) -> PyResult<Vec<Session<'_>>> {
    let mut sessions: Vec<Session<'_>> = Vec::new();
    let mut seen = HashSet::new();
    let rows = batches.iter().flat_map(|batch| (0..batch.ids.len()).map(|row| batch.row(row)));
    for (id, turn) in rows {
        if sessions.last().is_none_or(|last| last.id != id) {
            if !seen.insert(id.to_string()) {
                return Err(unordered(&id, "its rows do not follow each other"));
            }
            sessions.push(Session { id: id.to_string(), turns: Vec::new() });
        }
        let Some(session) = sessions.last_mut() else { continue };
        follows(session, turn.turn, gaps).map_err(|why| unordered(&id, &why))?;
        session.turns.push(turn);
    }
    Ok(sessions)
}

/// Whether a turn follows those of a session; else why not.
fn follows(session: &Session<'_>, turn: i64, gaps: bool) -> Result<(), String> {
    match session.turns.last().map(|last| last.turn) {
        Some(last) if turn <= last => Err(format!("turn {turn} comes after turn {last}")),
        Some(last) if !gaps && turn != last + 1 => {
            Err(format!("turn {turn} comes after turn {last}, so that turns between them are missing"))
        }
        None if !gaps && turn > 1 => Err(format!("its first turn is {turn} and not 0 or 1")),
        _ => Ok(()),
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
fn text(batch: &RecordBatch, name: &str, numbers: bool) -> PyResult<LargeBinaryArray> {
    let column = column(batch, name)?;
    let is_taken = match column.data_type() {
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Dictionary(..)
        | DataType::Null => true,
        other => numbers && other.is_integer(),
    };
    if !is_taken {
        return Err(wrong_type(name, "texts", column.data_type()));
    }
    let wrong = |error: arrow_schema::ArrowError| PyTypeError::new_err(error.to_string());
    let is_plain = matches!(column.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let column = if is_plain { column.clone() } else { cast(column, &DataType::LargeUtf8).map_err(wrong)? };
    let bytes = cast(&column, &DataType::LargeBinary).map_err(wrong)?;
    Ok(bytes.as_binary::<i64>().clone())
}

/// The times of a batch: timestamps, days, numbers since 1970, or texts; empty where there is no such column.
fn times(batch: &RecordBatch) -> PyResult<Vec<TurnTime>> {
    let Some(column) = batch.column_by_name("time") else { return Ok(Vec::new()) };
    let wrong = |error: arrow_schema::ArrowError| PyTypeError::new_err(error.to_string());
    match column.data_type() {
        DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 => {
            let zone = match column.data_type() {
                DataType::Timestamp(_, zone) => zone.clone(),
                _ => None,
            };
            let seconds = cast(column, &DataType::Timestamp(TimeUnit::Second, zone)).map_err(wrong)?;
            let seconds = cast(&seconds, &DataType::Int64).map_err(wrong)?;
            let seconds = seconds.as_primitive::<Int64Type>().clone();
            Ok(seconds.iter().map(|second| second.map_or(TurnTime::Absent, TurnTime::of_second)).collect())
        }
        _ => {
            let texts = text(batch, "time", true)?;
            let of = |text: Option<&[u8]>| {
                text.map_or(TurnTime::Absent, |text| TurnTime::of_text(&String::from_utf8_lossy(text)))
            };
            Ok(texts.iter().map(of).collect())
        }
    }
}

fn wrong_type(name: &str, wanted: &str, found: &DataType) -> PyErr {
    PyTypeError::new_err(format!("the column `{name}` has to hold {wanted}, and its type is {found}"))
}

fn unordered(id: &str, why: &str) -> PyErr {
    PyValueError::new_err(format!(
        "session `{id}` is not whole and in order: {why}. Sort by session and turn, and give all turns of a session in one batch"
    ))
}
