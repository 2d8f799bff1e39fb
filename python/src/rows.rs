//! Findings, verdicts, replies and figures as columns.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow_schema::{ArrowError, Field, Schema};
use mangle_ls::sessions::{
    COLUMNS, Figure, PolicyAnswer, Session, SessionFinding, SessionReply, SessionVerdict,
};

/// Rows that become a batch.
type Batch = Result<RecordBatch, ArrowError>;

/// Columns with their names.
#[derive(Default)]
struct Columns(Vec<(String, ArrayRef)>);

impl Columns {
    fn texts<'t>(mut self, name: &str, values: impl Iterator<Item = Option<&'t str>>) -> Self {
        self.0.push((name.to_owned(), Arc::new(values.collect::<StringArray>())));
        self
    }

    fn text<'t>(self, name: &str, values: impl Iterator<Item = &'t str>) -> Self {
        self.texts(name, values.map(Some))
    }

    fn integers(mut self, name: &str, values: impl Iterator<Item = Option<i64>>) -> Self {
        self.0.push((name.to_owned(), Arc::new(values.collect::<Int64Array>())));
        self
    }

    fn numbers(mut self, name: &str, values: impl Iterator<Item = Option<f64>>) -> Self {
        self.0.push((name.to_owned(), Arc::new(values.collect::<Float64Array>())));
        self
    }

    fn flags(mut self, name: &str, values: impl Iterator<Item = Option<bool>>) -> Self {
        self.0.push((name.to_owned(), Arc::new(values.collect::<BooleanArray>())));
        self
    }

    fn lists<'t>(mut self, name: &str, values: impl Iterator<Item = &'t Vec<String>>) -> Self {
        let mut list = ListBuilder::new(StringBuilder::new());
        for all in values {
            all.iter().for_each(|one| list.values().append_value(one));
            list.append(true);
        }
        self.0.push((name.to_owned(), Arc::new(list.finish())));
        self
    }

    fn finish(self) -> Batch {
        let rows = self.0.first().map(|(_, column)| column.len());
        self.finish_with(rows.unwrap_or_default())
    }

    /// So many rows, also where there is no column.
    fn finish_with(self, rows: usize) -> Batch {
        let field = |(name, column): &(String, ArrayRef)| Field::new(name, column.data_type().clone(), true);
        let schema = Schema::new(self.0.iter().map(field).collect::<Vec<_>>());
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let columns = self.0.into_iter().map(|(_, column)| column).collect();
        RecordBatch::try_new_with_options(Arc::new(schema), columns, &options)
    }
}

/// The ids of the sessions of rows.
fn ids<'s, R>(
    sessions: &'s [Session<'_>],
    rows: &'s [R],
    session: impl Fn(&R) -> usize + 's,
) -> impl Iterator<Item = Option<&'s str>> + 's {
    rows.iter().map(move |row| sessions.get(session(row)).map(|session| session.id.as_str()))
}

fn offset(value: Option<u64>) -> Option<i64> {
    value.and_then(|value| i64::try_from(value).ok())
}

pub(crate) fn findings(sessions: &[Session<'_>], rows: &[SessionFinding]) -> Batch {
    Columns::default()
        .texts("session_id", ids(sessions, rows, |row| row.session))
        .integers("turn", rows.iter().map(|row| row.turn))
        .text("code", rows.iter().map(|row| row.code.as_str()))
        .text("rule", rows.iter().map(|row| row.rule.as_str()))
        .text("severity", rows.iter().map(|row| row.severity.as_str()))
        .text("headline", rows.iter().map(|row| row.headline.as_str()))
        .lists("notes", rows.iter().map(|row| &row.notes))
        .integers("start", rows.iter().map(|row| offset(row.start)))
        .integers("end", rows.iter().map(|row| offset(row.end)))
        .lists("path", rows.iter().map(|row| &row.path))
        .texts("suggestion", rows.iter().map(|row| row.suggestion.as_deref()))
        .finish()
}

pub(crate) fn verdicts(sessions: &[Session<'_>], rows: &[SessionVerdict]) -> Batch {
    Columns::default()
        .texts("session_id", ids(sessions, rows, |row| row.session))
        .integers("turn", rows.iter().map(|row| Some(row.turn)))
        .text("request", rows.iter().map(|row| row.request.as_str()))
        .text("action", rows.iter().map(|row| row.action.as_str()))
        .text("target", rows.iter().map(|row| row.target.as_str()))
        .text("payload", rows.iter().map(|row| row.payload.as_str()))
        .text("verdict", rows.iter().map(|row| row.verdict.as_str()))
        .text("why", rows.iter().map(|row| row.why.as_str()))
        .texts("rule", rows.iter().map(|row| row.rule.as_deref()))
        .text("proof", rows.iter().map(|row| row.proof.as_str()))
        .finish()
}

pub(crate) fn replies(sessions: &[Session<'_>], rows: &[SessionReply]) -> Batch {
    Columns::default()
        .texts("session_id", ids(sessions, rows, |row| row.session))
        .integers("turn", rows.iter().map(|row| Some(row.turn)))
        .texts("stage", rows.iter().map(|row| row.stage.as_deref()))
        .texts("error", rows.iter().map(|row| row.error.as_deref()))
        .texts("surface_response", rows.iter().map(|row| row.surface.as_deref()))
        .texts("intent_category", rows.iter().map(|row| row.category.as_deref()))
        .texts("intent_verb", rows.iter().map(|row| row.verb.as_deref()))
        .texts("intent_target", rows.iter().map(|row| row.target.as_deref()))
        .texts("intent_constraint", rows.iter().map(|row| row.constraint.as_deref()))
        .numbers("intent_confidence", rows.iter().map(|row| row.confidence))
        .lists("updates_kept", rows.iter().map(|row| &row.updates_kept))
        .lists("updates_dropped", rows.iter().map(|row| &row.updates_dropped))
        .lists("updates_blocked", rows.iter().map(|row| &row.updates_blocked))
        .lists("memory_operations", rows.iter().map(|row| &row.memory_operations))
        .lists("tool_requests", rows.iter().map(|row| &row.tool_requests))
        .flags("self_correction", rows.iter().map(|row| row.self_correction))
        .texts("hypothesis", rows.iter().map(|row| row.hypothesis.as_deref()))
        .finish()
}

pub(crate) fn figures(sessions: &[Session<'_>], rows: &[Figure]) -> Batch {
    let mut columns = Columns::default().texts("session_id", ids(sessions, rows, |row| row.session));
    for (at, (name, _)) in COLUMNS.iter().enumerate() {
        columns = columns.numbers(name, rows.iter().map(|row| row.values.get(at).copied().flatten()));
    }
    columns.finish()
}

pub(crate) fn answer(answer: &PolicyAnswer) -> Batch {
    let mut columns = Columns::default();
    for (at, name) in answer.columns.iter().enumerate() {
        columns = columns.texts(name, answer.rows.iter().map(|row| row.get(at).map(String::as_str)));
    }
    columns.finish_with(answer.rows.len())
}
