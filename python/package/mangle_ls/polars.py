"""Checks the sessions of a polars frame, on one machine.

    import polars as pl
    from mangle_ls import Checker
    from mangle_ls.polars import check

    findings = check(pl.scan_parquet("turns/*.parquet"), Checker("mangle-ls.toml"))

The frame has one row a turn, in any order. It is sorted in memory: use `mangle_ls.duckdb`
for texts that do not fit. Results are a `polars.DataFrame` with the columns that the method
of `mangle_ls.Checker` has, ordered by session and turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa

from . import _sessions

if TYPE_CHECKING:
    from ._native import Checker

__all__ = ["check", "parse", "replay", "stats"]


def check(
    frame: pl.DataFrame | pl.LazyFrame,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    rows: int = _sessions.ROWS,
    threads: int | None = None,
) -> pl.DataFrame:
    """Returns the findings of all sessions.

    session, turn, role, text: the names of these columns in the frame.
    rows: about how many turns are checked at a time.
    threads: how many batches are checked at a time; one for each core without it.
    Raises `TypeError` if a column is missing or has a wrong type.
    """
    return _apply(frame, checker, "check", (session, turn, role, text), rows, threads)


def parse(
    frame: pl.DataFrame | pl.LazyFrame,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    rows: int = _sessions.ROWS,
    threads: int | None = None,
) -> pl.DataFrame:
    """Returns the envelopes of all replies. The parameters are those of `check`."""
    return _apply(frame, checker, "parse", (session, turn, role, text), rows, threads)


def replay(
    frame: pl.DataFrame | pl.LazyFrame,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    rows: int = _sessions.ROWS,
    threads: int | None = None,
) -> pl.DataFrame:
    """Returns the verdict of each request. The parameters are those of `check`."""
    return _apply(frame, checker, "replay", (session, turn, role, text), rows, threads)


def stats(
    frame: pl.DataFrame | pl.LazyFrame,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    rows: int = _sessions.ROWS,
    threads: int | None = None,
) -> pl.DataFrame:
    """Returns figures, a row a session. The parameters are those of `check`."""
    return _apply(frame, checker, "stats", (session, turn, role, text), rows, threads)


def _apply(
    frame: pl.DataFrame | pl.LazyFrame,
    checker: Checker,
    method: str,
    names: tuple[str, str, str, str],
    rows: int,
    threads: int | None,
) -> pl.DataFrame:
    lazy = frame.lazy()
    _sessions.require_columns(lazy.collect_schema().names(), names)
    columns = {column: pl.col(name) for column, name in zip(_sessions.COLUMNS, names, strict=True)}
    table = lazy.select(**columns).sort("session_id", "turn").collect().to_arrow()
    empty = _sessions.rename_columns(table.schema.empty_table(), _sessions.COLUMNS)
    schema = _sessions.result_schema(checker, method, empty.schema)
    turns = (_sessions.rename_columns(batch, _sessions.COLUMNS) for batch in table.to_batches())
    results = _sessions.run(turns, checker, method, rows=rows, threads=_sessions.thread_count(threads))
    return pl.DataFrame(pl.from_arrow(pa.Table.from_batches(results, schema)))
