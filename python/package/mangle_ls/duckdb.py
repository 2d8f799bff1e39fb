"""Checks the sessions of a DuckDB relation, on one machine.

    import duckdb
    from mangle_ls import Checker
    from mangle_ls.duckdb import check

    findings = check(duckdb.sql("FROM 'turns/*.parquet'"), Checker("mangle-ls.toml"))
    duckdb.sql("SELECT code, count(*) FROM findings GROUP BY code").show()

The relation has one row a turn, in any order. DuckDB sorts it, on disk if it must, and
hands it over in batches, so memory holds a few batches and the results. Results are a
table of pyarrow, which DuckDB reads by the name of its variable. They have the columns
that the method of `mangle_ls.Checker` has, ordered by session and turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from . import _sessions

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

    from ._native import Checker

__all__ = ["check", "parse", "replay", "stats"]


def check(
    relation: DuckDBPyRelation,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    rows: int = _sessions.ROWS,
    threads: int | None = None,
) -> pa.Table:
    """Returns the findings of all sessions.

    session, turn, role, text: the names of these columns in the relation.
    rows: about how many turns are checked at a time.
    threads: how many batches are checked at a time; one for each core without it.
    Raises `TypeError` if a column is missing or has a wrong type.
    """
    return _apply(relation, checker, "check", (session, turn, role, text), rows, threads)


def parse(
    relation: DuckDBPyRelation,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    rows: int = _sessions.ROWS,
    threads: int | None = None,
) -> pa.Table:
    """Returns the envelopes of all replies. The parameters are those of `check`."""
    return _apply(relation, checker, "parse", (session, turn, role, text), rows, threads)


def replay(
    relation: DuckDBPyRelation,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    rows: int = _sessions.ROWS,
    threads: int | None = None,
) -> pa.Table:
    """Returns the verdict of each request. The parameters are those of `check`."""
    return _apply(relation, checker, "replay", (session, turn, role, text), rows, threads)


def stats(
    relation: DuckDBPyRelation,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    rows: int = _sessions.ROWS,
    threads: int | None = None,
) -> pa.Table:
    """Returns figures, a row a session. The parameters are those of `check`."""
    return _apply(relation, checker, "stats", (session, turn, role, text), rows, threads)


def _apply(
    relation: DuckDBPyRelation,
    checker: Checker,
    method: str,
    names: tuple[str, str, str, str],
    rows: int,
    threads: int | None,
) -> pa.Table:
    _sessions.require_columns(relation.columns, names)
    columns = (f"{_quote(name)} AS {column}" for column, name in zip(_sessions.COLUMNS, names, strict=True))
    reader = _reader(relation.project(", ".join(columns)).order("session_id, turn"))
    empty = _sessions.rename_columns(reader.schema.empty_table(), _sessions.COLUMNS)
    schema = _sessions.result_schema(checker, method, empty.schema)
    turns = (_sessions.rename_columns(batch, _sessions.COLUMNS) for batch in reader)
    results = _sessions.run(turns, checker, method, rows=rows, threads=_sessions.thread_count(threads))
    return pa.Table.from_batches(results, schema)


def _reader(relation: DuckDBPyRelation) -> Any:
    """A reader of small batches: DuckDB's default of a million rows could be gigabytes of text."""
    if hasattr(relation, "to_arrow_reader"):  # DuckDB 1.4
        return relation.to_arrow_reader(2048)
    return relation.fetch_record_batch(2048)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
