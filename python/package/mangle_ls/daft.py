"""Checks the sessions of a Daft data frame.

    import daft
    from mangle_ls import Checker
    from mangle_ls.daft import check

    findings = check(daft.read_parquet("turns"), Checker("mangle-ls.toml"))

The frame has one row a turn, in any order. Sessions are put into groups by the hash of
their id, and a task sorts and checks one group. A task needs memory for one group: raise
`groups` for large data. Workers need this package, but no policy files.

Results have the columns that the method of `mangle_ls.Checker` has, in no order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import daft
import pyarrow as pa

from . import _sessions

if TYPE_CHECKING:
    from ._native import Checker

__all__ = ["check", "parse", "replay", "stats"]

_GROUP = "mangle_ls_group"


def check(
    df: daft.DataFrame,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    groups: int = 64,
) -> daft.DataFrame:
    """Returns the findings of all sessions.

    session, turn, role, text: the names of these columns in the frame.
    groups: the number of groups that sessions are put into.
    Raises `TypeError` if a column is missing or has a wrong type.
    """
    return _apply(df, checker, "check", (session, turn, role, text), groups)


def parse(
    df: daft.DataFrame,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    groups: int = 64,
) -> daft.DataFrame:
    """Returns the envelopes of all replies. The parameters are those of `check`."""
    return _apply(df, checker, "parse", (session, turn, role, text), groups)


def replay(
    df: daft.DataFrame,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    groups: int = 64,
) -> daft.DataFrame:
    """Returns the verdict of each request. The parameters are those of `check`."""
    return _apply(df, checker, "replay", (session, turn, role, text), groups)


def stats(
    df: daft.DataFrame,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    groups: int = 64,
) -> daft.DataFrame:
    """Returns figures, a row a session. The parameters are those of `check`."""
    return _apply(df, checker, "stats", (session, turn, role, text), groups)


def _apply(
    df: daft.DataFrame,
    checker: Checker,
    method: str,
    names: tuple[str, str, str, str],
    groups: int,
) -> daft.DataFrame:
    _sessions.require_columns(df.column_names, names)
    turns = df.select(*(daft.col(name).alias(column) for column, name in zip(_sessions.COLUMNS, names, strict=True)))
    empty = _sessions.rename_columns(turns.schema().to_pyarrow_schema().empty_table(), _sessions.COLUMNS)
    result = _sessions.result_schema(checker, method, empty.schema)
    shared = _sessions.SharedChecker(checker)

    @daft.func.batch(return_dtype=daft.DataType.from_arrow_type(pa.struct(list(result))))  # type: ignore[untyped-decorator]
    def task(session_id: Any, turn: Any, role: Any, text: Any) -> Any:
        arrays = [column.to_arrow() for column in (session_id, turn, role, text)]
        table = pa.Table.from_arrays(arrays, names=list(_sessions.COLUMNS))
        results = _sessions.run_table(table, _sessions.COLUMNS, shared.get(), method)
        return daft.Series.from_arrow(results.to_struct_array(), "result")

    grouped = turns.with_column(_GROUP, turns["session_id"].hash() % groups).groupby(_GROUP)
    columns = (daft.col(column) for column in _sessions.COLUMNS)
    return grouped.map_groups(task(*columns).alias("result")).select(daft.col("result").unnest())
