"""Tests of what the helpers rely on in `mangle_ls._native`."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from conftest import make_turns, sorted_rows

import mangle_ls

FINDINGS = {
    "session_id": pa.string(),
    "turn": pa.int64(),
    "code": pa.string(),
    "rule": pa.string(),
    "severity": pa.string(),
    "headline": pa.string(),
    "notes": pa.list_(pa.string()),
    "start": pa.int64(),
    "end": pa.int64(),
    "path": pa.list_(pa.string()),
    "suggestion": pa.string(),
}


def whole(table: pa.Table) -> pa.RecordBatch:
    return table.combine_chunks().to_batches()[0]


def plain(type_: pa.DataType) -> bool:
    """Whether Spark and Daft can take a column of this type from Python: no views, no large lists."""
    if pa.types.is_struct(type_):
        return all(plain(field.type) for field in type_)
    if pa.types.is_list(type_):
        return plain(type_.value_type)
    return (
        pa.types.is_integer(type_)
        or pa.types.is_floating(type_)
        or pa.types.is_boolean(type_)
        or pa.types.is_string(type_)
        or pa.types.is_large_string(type_)
    )


def test_findings_have_their_columns(checker, turns: pa.Table) -> None:
    schema = pa.record_batch(checker.check(whole(turns))).schema
    assert {field.name: field.type for field in schema} == FINDINGS


@pytest.mark.parametrize("method", ["check", "parse", "replay", "stats"])
def test_results_have_types_that_all_engines_take(checker, turns: pa.Table, method: str) -> None:
    schema = pa.record_batch(getattr(checker, method)(whole(turns))).schema
    assert [field for field in schema if not plain(field.type)] == []
    assert schema.field("session_id").type == pa.string()


@pytest.mark.parametrize("method", ["check", "parse", "replay", "stats"])
def test_no_rows_give_the_same_columns(checker, turns: pa.Table, method: str) -> None:
    empty = pa.RecordBatch.from_pylist([], turns.schema)
    result = pa.record_batch(getattr(checker, method)(empty))
    assert result.num_rows == 0
    assert result.schema.equals(pa.record_batch(getattr(checker, method)(whole(turns))).schema)


def test_slices_and_types_of_text_make_no_difference(checker, turns: pa.Table) -> None:
    second = turns.filter(pc.field("session_id") == "session-1")
    begin = turns.column("session_id").to_pylist().index("session-1")
    expected = sorted_rows(pa.table(checker.check(whole(second))))
    assert expected
    sliced = whole(turns).slice(begin, second.num_rows)
    assert sorted_rows(pa.table(checker.check(sliced))) == expected
    large = second.cast(pa.schema([(f.name, pa.large_string() if f.type == pa.string() else f.type) for f in second.schema]))
    assert sorted_rows(pa.table(checker.check(whole(large)))) == expected


def test_tables_and_frames_are_taken(checker, turns: pa.Table, expected) -> None:
    assert sorted_rows(pa.table(checker.check(turns))) == expected["check"]
    chunks = pa.Table.from_batches(whole(turns).slice(begin, 7) for begin in range(0, turns.num_rows, 7))
    assert sorted_rows(pa.table(checker.check(chunks))) == expected["check"]
    polars = pytest.importorskip("polars", reason="polars is not installed")
    assert sorted_rows(pa.table(checker.check(polars.from_arrow(turns)))) == expected["check"]


def test_unordered_and_incomplete_sessions_are_refused(checker, turns: pa.Table) -> None:
    three = make_turns(1, 1).slice(0, 0)
    rows = [{"session_id": id_, "turn": turn, "role": "user", "text": "x"} for id_, turn in (("a", 1), ("b", 1), ("a", 2))]
    two_places = pa.RecordBatch.from_pylist(rows, three.schema)
    with pytest.raises(ValueError, match="`a` .* do not follow each other"):
        checker.check(two_places)
    reasons = {(2, 1): "its first turn is 2", (1, 1): "turn 1 comes after turn 1", (1, 3): "turns between them are missing", (3, 4): "its first turn is 3"}
    for order, reason in reasons.items():
        rows = [{"session_id": "a", "turn": turn, "role": "user", "text": "x"} for turn in order]
        with pytest.raises(ValueError, match=reason):
            checker.check(pa.RecordBatch.from_pylist(rows, three.schema))


@pytest.mark.parametrize("column", ["session_id", "turn", "role", "text"])
def test_bad_columns_are_named(checker, turns: pa.Table, column: str) -> None:
    with pytest.raises(TypeError, match=column):
        checker.check(whole(turns.drop_columns([column])))
    wrong = pa.array([1.5] * turns.num_rows)
    with pytest.raises(TypeError, match=column):
        checker.check(whole(turns.set_column(turns.schema.get_field_index(column), column, wrong)))


def test_checker_can_be_pickled_and_shared_by_threads(checker, turns: pa.Table, expected) -> None:
    copy = pickle.loads(pickle.dumps(checker))
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(copy.check, [whole(turns)] * 4):
            assert sorted_rows(pa.table(result)) == expected["check"]


def test_text_that_is_not_utf8_is_no_crash(checker) -> None:
    """Spark hands on any bytes as a string: `cast(unhex('FF') AS string)`."""
    text = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\x04\0\0\0"), pa.py_buffer(b"\xffbad")])
    batch = pa.record_batch({"session_id": ["a"], "turn": [1], "role": ["assistant"], "text": text})
    for method in ("check", "parse", "replay", "stats"):
        pa.record_batch(getattr(checker, method)(batch)).validate(full=True)
    assert "record-invalid-utf8" in pa.table(checker.check(batch)).column("rule").to_pylist()


def test_pickle_keeps_policies_beside_the_configuration(turns: pa.Table, tmp_path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "mangle-ls.toml").write_text("")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "schemas.mg").write_text("Decl task_status(Task, Status).\n")
    checker = mangle_ls.Checker(tmp_path / "config", [tmp_path / "elsewhere"], gaps=True)
    copy = pickle.loads(pickle.dumps(checker))
    for method in ("check", "parse", "replay", "stats"):
        results = [getattr(one, method)(whole(turns)) for one in (checker, copy)]
        assert pa.table(results[0]).equals(pa.table(results[1]))
    assert pa.table(copy.check(whole(turns.filter(pc.field("turn") > 1)))).num_rows


def test_missing_files_raise() -> None:
    with pytest.raises(FileNotFoundError):
        mangle_ls.Checker("/nonexistent/mangle-ls.toml")
    with pytest.raises(FileNotFoundError):
        mangle_ls.Checker(policies=["/nonexistent"])


def test_policy_with_errors_raises_its_findings(tmp_path) -> None:
    (tmp_path / "broken.mg").write_text("p(X) :- q(Y).\nr(")
    with pytest.raises(mangle_ls.PolicyError, match="broken.mg"):
        mangle_ls.Checker(policies=[tmp_path])
    assert issubclass(mangle_ls.PolicyError, ValueError)


def test_a_text_that_is_too_long_is_one_finding(checker) -> None:
    import resource

    turns = pa.table({"session_id": ["a"], "turn": [1], "role": ["assistant"], "text": pa.array(["{" * (256 << 20)], pa.large_string())})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = pa.table(checker.check(turns)).to_pylist()
    assert [row["rule"] for row in found] == ["bad-record"]
    # The text is not copied: only what shows that it is too long is.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10


def test_chunks_of_a_table_are_one_batch(checker, turns: pa.Table) -> None:
    parts = [turns.slice(at, 7) for at in range(0, turns.num_rows, 7)]
    chunked = pa.concat_tables(parts)
    assert chunked.column("text").num_chunks > 10
    assert pa.table(checker.check(chunked)).equals(pa.table(checker.check(whole(turns))))
