"""Tests of the cutting of streams into whole sessions."""

from __future__ import annotations

import pickle
import random
import threading
import time

import pyarrow as pa
import pytest
from conftest import make_turns, sorted_rows

from mangle_ls import Checker, _sessions


def random_cuts(table: pa.Table, choose: random.Random, most: int) -> list[pa.RecordBatch]:
    """The table in batches of random lengths, some of them empty."""
    batches, begin = [], 0
    whole = table.combine_chunks().to_batches()[0]
    while begin < table.num_rows:
        length = choose.randint(0, most)
        batches.append(whole.slice(begin, length))
        begin += length
    return batches


def ids(batch: pa.RecordBatch) -> set:
    return set(batch.column("session_id").to_pylist())


@pytest.mark.parametrize("seed", range(40))
def test_batches_hold_whole_sessions(seed: int) -> None:
    choose = random.Random(seed)
    table = make_turns(choose.randint(1, 30), choose.randint(1, 20), seed)
    table = _sessions.rename_columns(table, _sessions.COLUMNS)
    if seed % 3 == 0:  # integer ids
        numbers = pa.array([int(id_.split("-")[1]) for id_ in table.column("session_id").to_pylist()])
        table = table.set_column(0, "session_id", numbers)
    rows = choose.choice([1, 2, 7, 50, 10_000])
    size = choose.choice([1, 500, 1 << 30])
    result = list(_sessions.whole_sessions(random_cuts(table, choose, choose.choice([1, 3, 25, 1000])), rows, size))

    assert pa.Table.from_batches(result, table.schema).equals(table)
    for earlier, later in zip(result, result[1:]):
        assert not ids(earlier) & ids(later)
    for batch in result:
        sessions = batch.column("session_id").to_pylist()
        before_last = [i for i, id_ in enumerate(sessions) if id_ != sessions[-1]]
        text = batch.column("text").slice(0, len(before_last)).to_pylist()
        assert len(before_last) < rows, "the batch goes on after its limit"
        assert sum(len((t or "").encode()) for t in text) < size or not before_last
    if rows == 10_000 and size == 1 << 30:
        assert len(result) == 1


def test_cuts_do_not_depend_on_the_batches_of_the_input(turns: pa.Table) -> None:
    table = _sessions.rename_columns(turns, _sessions.COLUMNS)
    lengths = set()
    for seed in range(10):
        cuts = random_cuts(table, random.Random(seed), 60)
        lengths.add(tuple(batch.num_rows for batch in _sessions.whole_sessions(cuts, 100)))
    assert len(lengths) == 1


def test_no_batch_comes_from_no_rows() -> None:
    empty = make_turns(1, 1).slice(0, 0).to_batches()
    assert list(_sessions.whole_sessions([])) == []
    assert list(_sessions.whole_sessions(empty)) == []


def test_input_is_read_only_as_far_as_needed(turns: pa.Table) -> None:
    table = _sessions.rename_columns(turns, _sessions.COLUMNS)
    read = 0

    def source():
        nonlocal read
        for batch in table.combine_chunks().to_batches(max_chunksize=5):
            read += batch.num_rows
            yield batch

    first = next(_sessions.whole_sessions(source(), 50))
    assert read <= first.num_rows + 5


def test_columns_are_renamed_and_decoded() -> None:
    table = pa.table(
        {
            "chat": pa.array(["a", "a"]).dictionary_encode(),
            "n": [1, 2],
            "who": pa.array(["user", "assistant"]).dictionary_encode(),
            "said": ["x", None],
            "model": ["m", "m"],
        }
    )
    renamed = _sessions.rename_columns(table, ("chat", "n", "who", "said"))
    assert renamed.schema.names == list(_sessions.COLUMNS)
    assert renamed.schema.types == [pa.large_string(), pa.int64(), pa.large_string(), pa.large_string()]
    assert renamed.to_pylist()[1] == {"session_id": "a", "turn": 2, "role": "assistant", "text": None}


def test_missing_column_is_named() -> None:
    with pytest.raises(TypeError, match="no column `said` for `text`"):
        _sessions.rename_columns(make_turns(1, 1), ("session_id", "turn", "role", "said"))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("rows", [1, 30, 10_000])
def test_results_do_not_depend_on_cuts_and_threads(checker, turns, expected, rows, threads) -> None:
    table = _sessions.rename_columns(turns, _sessions.COLUMNS)
    cuts = random_cuts(table, random.Random(rows), 17)
    results = list(_sessions.run(cuts, checker, "check", rows=rows, threads=threads))
    result = pa.Table.from_batches(results)
    assert sorted_rows(result) == expected["check"]
    assert result.column("session_id").to_pylist() == sorted(result.column("session_id").to_pylist())


def test_a_part_of_a_session_is_refused(turns, checker) -> None:
    with pytest.raises(ValueError, match="not whole and in order"):
        checker.check(turns.slice(1, 3))


def test_errors_of_threads_are_raised(turns: pa.Table) -> None:
    class Broken:
        def check(self, batch):
            raise ValueError("session `x` has turn 3 where 2 is due")

    table = _sessions.rename_columns(turns, _sessions.COLUMNS)
    with pytest.raises(ValueError, match="is due"):
        list(_sessions.run(table.to_batches(), Broken(), "check", rows=5, threads=3))


def test_threads_read_only_a_few_batches_ahead() -> None:
    running = threading.Semaphore(2)
    read = []

    def source():
        for number in range(100):
            read.append(number)
            yield number

    def call(number):
        with running:
            time.sleep(0.001)
        return number

    results = _sessions._map(source(), call, 2)
    assert next(results) == 0
    assert len(read) <= 4
    results.close()
    assert len(read) <= 4
    assert list(_sessions._map(range(20), call, 3)) == list(range(20))


def test_shared_checker_is_loaded_once_a_process(checker: Checker, turns: pa.Table, expected) -> None:
    shared = _sessions.SharedChecker(checker)
    other = pickle.loads(pickle.dumps(shared))
    assert other.get() is shared.get()
    assert sorted_rows(pa.table(other.get().check(turns.combine_chunks().to_batches()[0]))) == expected["check"]
