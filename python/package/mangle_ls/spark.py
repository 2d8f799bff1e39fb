"""Checks the sessions of a Spark data frame (PySpark 4 or later, classic or Connect).

    from mangle_ls import Checker, spark

    findings = spark.check(session.read.parquet("turns"), Checker("mangle-ls.toml"))

The frame has one row a turn, in any order. It is partitioned by session and sorted within
each partition, so that a task has whole sessions. Batches are cut between sessions, so a
task needs memory for one batch and its largest session. The checker travels with the query:
workers need this package, but no policy files.

Results have the columns that the method of `mangle_ls.Checker` has, in no order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.pandas.types import from_arrow_schema

from . import _sessions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ._native import Checker

__all__ = ["check", "parse", "replay", "stats"]


def check(
    df: DataFrame,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    partitions: int | None = None,
    rows: int = _sessions.ROWS,
) -> DataFrame:
    """Returns the findings of all sessions.

    session, turn, role, text: the names of these columns in the frame.
    partitions: the number of partitions to check; Spark's setting without it.
    rows: about how many turns are checked at a time.
    Raises `TypeError` if a column is missing or has a wrong type.
    """
    return _apply(df, checker, "check", (session, turn, role, text), partitions, rows)


def parse(
    df: DataFrame,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    partitions: int | None = None,
    rows: int = _sessions.ROWS,
) -> DataFrame:
    """Returns the envelopes of all replies. The parameters are those of `check`."""
    return _apply(df, checker, "parse", (session, turn, role, text), partitions, rows)


def replay(
    df: DataFrame,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    partitions: int | None = None,
    rows: int = _sessions.ROWS,
) -> DataFrame:
    """Returns the verdict of each request. The parameters are those of `check`."""
    return _apply(df, checker, "replay", (session, turn, role, text), partitions, rows)


def stats(
    df: DataFrame,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    partitions: int | None = None,
    rows: int = _sessions.ROWS,
) -> DataFrame:
    """Returns figures, a row a session. The parameters are those of `check`."""
    return _apply(df, checker, "stats", (session, turn, role, text), partitions, rows)


def _apply(
    df: DataFrame,
    checker: Checker,
    method: str,
    names: tuple[str, str, str, str],
    partitions: int | None,
    rows: int,
) -> DataFrame:
    _sessions.require_columns(df.columns, names)
    turns = df.select(*(df[name].alias(column) for column, name in zip(_sessions.COLUMNS, names, strict=True)))
    empty = _sessions.rename_columns(turns.limit(0).toArrow(), _sessions.COLUMNS)
    result = _sessions.result_schema(checker, method, empty.schema)
    schema = from_arrow_schema(result)
    by_session = turns.repartition(partitions, "session_id") if partitions else turns.repartition("session_id")
    return by_session.sortWithinPartitions("session_id", "turn").mapInArrow(_task(checker, method, rows), schema)


def _task(checker: Checker, method: str, rows: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    shared = _sessions.SharedChecker(checker)

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        turns = (_sessions.rename_columns(batch, _sessions.COLUMNS) for batch in batches)
        return _sessions.run(turns, shared.get(), method, rows=rows)

    return task
