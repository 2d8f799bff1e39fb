"""A page with charts about many sessions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from ._native import ArrowArray, ArrowStream, Checker


def report(
    table: ArrowArray | ArrowStream,
    checker: Checker,
    path: str | PathLike[str] | None = None,
    *,
    title: str | None = None,
) -> str:
    """Returns a page about the sessions of a table, and writes it to a file where one is named.

    The table has one row a turn, in any order, with the columns of `Checker.report`. It is
    sorted in memory.
    path: the file to write; one that exists is replaced.
    title: the heading of the page.
    Raises `TypeError` if a column is missing or has a wrong type, and `OSError` if the
    file cannot be written.
    """
    import pyarrow as pa  # The program in this package needs none.

    turns = pa.table(table)
    if {"session_id", "turn"} <= set(turns.column_names):
        turns = turns.sort_by([("session_id", "ascending"), ("turn", "ascending")])
    page = checker.report(turns, title=title)
    if path is not None:
        Path(path).write_text(page, encoding="utf-8")
    return page
