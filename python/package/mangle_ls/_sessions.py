"""Cuts streams of turns into batches that hold whole sessions, and runs a checker over them."""

from __future__ import annotations

import hashlib
import os
import pickle
import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from ._native import Checker

COLUMNS = ("session_id", "turn", "role", "text")
"""The columns that a checker reads."""

ROWS = 4096
"""Rows after which a batch ends with the session it is in."""

BYTES = 32 << 20
"""Bytes of text after which a batch ends with the session it is in."""


def require_columns(existing: Iterable[str], names: Sequence[str]) -> None:
    """Raises `TypeError` for the first of `names` that a frame does not have."""
    existing = list(existing)
    for column, name in zip(COLUMNS, names, strict=True):
        if name not in existing:
            raise TypeError(f"no column `{name}` for `{column}`; the columns are: {', '.join(existing)}")


def rename_columns(batch: Any, names: Sequence[str]) -> Any:
    """Returns the four columns of a record batch or table under the names in `COLUMNS`.

    `names` has the name of each in the input. Texts become `large_string`, so that
    batches of more than 2 GiB can be joined. Dictionaries are decoded.
    """
    require_columns(batch.schema.names, names)
    arrays = [_plain(batch.column(name)) for name in names]
    return type(batch).from_arrays(arrays, names=list(COLUMNS))


def _plain(array: Any) -> Any:
    type_ = array.type
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    if pa.types.is_string(type_) or _is_string_view(type_):
        type_ = pa.large_string()
    return array if type_ == array.type else array.cast(type_)


def _is_string_view(type_: Any) -> bool:
    is_view = getattr(pa.types, "is_string_view", None)  # pyarrow 16
    return bool(is_view and is_view(type_))


def whole_sessions(batches: Iterable[Any], rows: int = ROWS, size: int = BYTES) -> Iterator[Any]:
    """Yields record batches that hold whole sessions, wherever the input is cut.

    The input is ordered by session and has the columns in `COLUMNS`. A batch ends with the
    session in which it reaches `rows` rows or `size` bytes of text. Memory is bounded by that,
    one session, and two batches of the input.
    """
    pending: list[Any] = []  # begins with a session; its last session may go on
    pending_rows = pending_bytes = 0
    last = None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        sessions = batch.column("session_id")
        # Offsets at which a session begins or ends, and the bytes of text before each.
        borders = [0, *pc.run_end_encode(sessions).run_ends.to_pylist()]
        weights = [0, *_bytes_before(batch.column("text"), borders[1:])]
        first = 1 if pending and sessions[0].as_py() == last else 0
        begin, begin_bytes = 0, 0
        # The session at the last border may go on in the next batch.
        while True:
            index = max(
                first,
                min(
                    bisect_left(borders, rows - pending_rows + begin),
                    bisect_left(weights, size - pending_bytes + begin_bytes),
                ),
            )
            if index >= len(borders) - 1:
                break
            end = borders[index]
            if end > begin:
                pending.append(batch.slice(begin, end - begin))
            if pending:
                yield _concat(pending)
            pending, pending_rows, pending_bytes = [], 0, 0
            begin, begin_bytes, first = end, weights[index], index + 1
        pending.append(batch.slice(begin))
        pending_rows += batch.num_rows - begin
        pending_bytes += weights[-1] - begin_bytes
        last = sessions[-1].as_py()
    if pending:
        yield _concat(pending)


def _bytes_before(text: Any, borders: list[int]) -> list[int]:
    try:
        lengths = pc.fill_null(pc.binary_length(text), 0).cast(pa.int64())
    except pa.ArrowNotImplementedError:  # not a text: the checker refuses it
        return [0] * len(borders)
    sums = pc.cumulative_sum(lengths)
    return sums.take(pa.array([border - 1 for border in borders], pa.int64())).to_pylist()  # type: ignore[no-any-return]


def _concat(batches: list[Any]) -> Any:
    if len(batches) == 1:
        return batches[0]
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def run(
    batches: Iterable[Any],
    checker: Checker,
    method: str,
    *,
    rows: int = ROWS,
    threads: int = 1,
) -> Iterator[Any]:
    """Calls a method of the checker for batches of whole sessions and yields its results in order.

    The input is ordered by session and turn. `threads` calls are made at a time.
    """

    def call(batch: Any) -> Any:
        return pa.record_batch(getattr(checker, method)(batch))

    return _map(whole_sessions(batches, rows), call, threads)


def _map(batches: Iterable[Any], call: Callable[[Any], Any], threads: int) -> Iterator[Any]:
    if threads <= 1:
        yield from map(call, batches)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="mangle-ls")
    pending: deque[Future[Any]] = deque()
    try:
        for batch in batches:
            pending.append(pool.submit(call, batch))
            if len(pending) > threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def run_table(
    table: Any,
    names: Sequence[str],
    checker: Checker,
    method: str,
    *,
    rows: int = ROWS,
) -> Any:
    """Sorts a table that holds whole sessions and returns the results as one table."""
    turns = rename_columns(table, names)
    schema = result_schema(checker, method, turns.schema)
    turns = turns.sort_by([("session_id", "ascending"), ("turn", "ascending")])
    return pa.Table.from_batches(run(turns.to_batches(), checker, method, rows=rows), schema)


def result_schema(checker: Checker, method: str, turns: Any) -> Any:
    """The schema of what a method returns for turns with the given schema.

    Raises `TypeError`, as the checker does, if a column has a wrong type.
    """
    empty = pa.RecordBatch.from_arrays([pa.array([], field.type) for field in turns], schema=turns)
    return pa.record_batch(getattr(checker, method)(empty)).schema


def thread_count(threads: int | None) -> int:
    """The given number, or one for each core that the process may use."""
    return threads if threads is not None else len(os.sched_getaffinity(0))


_checkers: dict[str, Checker] = {}
_checkers_lock = threading.Lock()


class SharedChecker:
    """A checker for the tasks of a cluster: a worker process unpickles it once, not once a task."""

    def __init__(self, checker: Checker) -> None:
        self._pickle = pickle.dumps(checker)
        self._key = hashlib.sha256(self._pickle).hexdigest()

    def get(self) -> Checker:
        """Returns the checker of this process."""
        with _checkers_lock:
            checker = _checkers.get(self._key)
            if checker is None:
                if len(_checkers) >= 4:
                    del _checkers[next(iter(_checkers))]
                checker = _checkers[self._key] = pickle.loads(self._pickle)
            return checker
