"""Checks the sessions of a Ray data set.

    import ray
    from mangle_ls import Checker
    from mangle_ls.ray import check

    findings = check(ray.data.read_parquet("turns"), Checker("mangle-ls.toml"))

The data set has one row a turn, in any order. Sessions are put into groups by the hash of
their id, and a task sorts and checks one group. A task needs memory for one group: raise
`groups` for large data. Workers need this package, but no policy files.

Results have the columns that the method of `mangle_ls.Checker` has, in no order.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from . import _sessions

if TYPE_CHECKING:
    from ray.data import Dataset

    from ._native import Checker

__all__ = ["check", "parse", "replay", "stats"]

_GROUP = "mangle_ls_group"


def check(
    dataset: Dataset,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    groups: int = 64,
) -> Dataset:
    """Returns the findings of all sessions.

    session, turn, role, text: the names of these columns in the data set.
    groups: the number of groups that sessions are put into.
    Raises `TypeError` if a column is missing or has a wrong type.
    """
    return _apply(dataset, checker, "check", (session, turn, role, text), groups)


def parse(
    dataset: Dataset,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    groups: int = 64,
) -> Dataset:
    """Returns the envelopes of all replies. The parameters are those of `check`."""
    return _apply(dataset, checker, "parse", (session, turn, role, text), groups)


def replay(
    dataset: Dataset,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    groups: int = 64,
) -> Dataset:
    """Returns the verdict of each request. The parameters are those of `check`."""
    return _apply(dataset, checker, "replay", (session, turn, role, text), groups)


def stats(
    dataset: Dataset,
    checker: Checker,
    *,
    session: str = "session_id",
    turn: str = "turn",
    role: str = "role",
    text: str = "text",
    groups: int = 64,
) -> Dataset:
    """Returns figures, a row a session. The parameters are those of `check`."""
    return _apply(dataset, checker, "stats", (session, turn, role, text), groups)


def _apply(
    dataset: Dataset,
    checker: Checker,
    method: str,
    names: tuple[str, str, str, str],
    groups: int,
) -> Dataset:
    schema = dataset.schema()
    _sessions.require_columns(schema.names if schema else [], names)
    if schema and isinstance(schema.base_schema, pa.Schema):
        empty = _sessions.rename_columns(schema.base_schema.empty_table(), names)
        _sessions.result_schema(checker, method, empty.schema)  # raises for a wrong type
    shared = _sessions.SharedChecker(checker)

    def with_group(table: Any) -> Any:
        turns = _sessions.rename_columns(table, names)
        return turns.append_column(_GROUP, _group_numbers(turns.column("session_id"), groups))

    def task(table: Any) -> Any:
        return _sessions.run_table(table, _sessions.COLUMNS, shared.get(), method)

    turns = dataset.map_batches(with_group, batch_format="pyarrow")
    return turns.groupby(_GROUP).map_groups(task, batch_format="pyarrow")


def _group_numbers(sessions: Any, groups: int) -> Any:
    """The group of each session id, the same in every process."""
    encoded = sessions.combine_chunks().dictionary_encode()
    hashes = [zlib.crc32(str(id_).encode("utf-8", "surrogatepass")) % groups for id_ in encoded.dictionary.to_pylist()]
    return pa.array(hashes, pa.int64()).take(encoded.indices)
