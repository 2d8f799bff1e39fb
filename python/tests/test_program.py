"""The package finds what the program `mangle-ls` finds in the same sessions."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from sessions_on_disk import CONFIG, POLICY, findings_of_program, of_package, write_sessions

import mangle_ls

PROGRAM = os.environ.get("MANGLE_LS")
EXAMPLES = Path(__file__).parent.parent.parent / "examples/transcripts/clean"


@pytest.mark.skipif(PROGRAM is None, reason="MANGLE_LS names no program to compare with")
def test_findings_are_those_of_the_program(turns: pa.Table, tmp_path: Path) -> None:
    write_sessions(turns, tmp_path)
    found = of_package(pa.table(mangle_ls.Checker(tmp_path).check(turns)))
    assert len(found) > 100
    assert found == findings_of_program(str(PROGRAM), tmp_path)


@pytest.mark.parametrize("arguments", [["check", "--help"], ["explain", "MG955"], ["check", "missing.mg"], ["no-such-command"]])
@pytest.mark.skipif(PROGRAM is None, reason="MANGLE_LS names no program to compare with")
def test_the_package_is_the_program(arguments: list[str], tmp_path: Path) -> None:
    run = lambda *command: subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)  # noqa: E731
    expected = run(str(PROGRAM), *arguments)
    given = run(sys.executable, "-m", "mangle_ls", *arguments)
    assert (given.returncode, given.stdout, given.stderr) == (expected.returncode, expected.stdout, expected.stderr)


def test_the_program_needs_no_pyarrow(tmp_path: Path) -> None:
    (tmp_path / "broken.mg").write_text("p(X) :- q(X), !r(X, _).\nq(1).\nr(1, 2).\n")
    without = "import sys; sys.modules['pyarrow'] = None; from mangle_ls.__main__ import main; sys.argv[1:] = ['check', 'broken.mg']; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", without], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "negation-wildcard" in done.stdout, done.stderr


def test_a_range_is_a_part_of_the_text(turns: pa.Table, checker: mangle_ls.Checker) -> None:
    texts = {(row["session_id"], row["turn"]): (row["text"] or "").encode() for row in turns.to_pylist()}
    for row in pa.table(checker.check(turns)).to_pylist():
        if row["turn"] is not None:
            text = texts[row["session_id"], row["turn"]]
            assert 0 <= row["start"] <= row["end"] <= len(text)
            text[row["start"] : row["end"]].decode()


def test_a_policy_is_asked_with_facts_of_a_frame(tmp_path: Path) -> None:
    (tmp_path / "schemas.mg").write_text(POLICY)
    policy = mangle_ls.Policy(tmp_path)
    rows = {"Id": ["a", "b"], "Action": ["/read_file", "/rm"], "Target": ["x", "y"], "Payload": ["", ""], "Time": [1, 2]}
    answer = pa.table(policy.evaluate({"pending_action": pa.table(rows)}, "permitted(Action, Target, _)"))
    assert answer.num_rows == 1
    assert "pending_action" in policy.why("permitted(_, _, _)", facts={"pending_action": pa.table(rows)})
    with pytest.raises(ValueError, match="pending_action"):
        policy.query("permitted(_, _, _)", facts={"pending_action": pa.table({"Id": ["a"]})})


def test_columns_of_all_types_are_facts(tmp_path: Path) -> None:
    (tmp_path / "seen.mg").write_text("row(/w, 0, 1.5, /true, [0], 0).\nseen(A, B, C, D, E, F) :- row(A, B, C, D, E, F), A != /w .\n")
    policy = mangle_ls.Policy(tmp_path)
    columns = {
        "a": pa.array(["/x", "y"], pa.string()).dictionary_encode(),
        "b": pa.array([-1, 200], pa.int16()),
        "c": pa.array([0.1, 2.0], pa.float32()),
        "d": pa.array([True, False]),
        "e": pa.array([[1, 2], []], pa.list_(pa.int64())),
        "f": pa.array([2**63 - 1, 0], pa.uint64()),
    }
    expected = [("/x", "-1", "0.1", "/true", "[1,2]", str(2**63 - 1)), ("y", "200", "2.0", "/false", "[]", "0")]
    facts = pa.table(columns)
    for parts in (facts, pa.concat_tables([facts.slice(0, 1), facts.slice(1)])):
        rows = pa.table(policy.evaluate({"row": parts}, "seen(A, B, C, D, E, F)")).to_pylist()
        assert sorted(tuple(row.values()) for row in rows) == sorted(expected)
    columns["b"] = pa.array([1, None], pa.int16())
    with pytest.raises(ValueError, match="facts of `row`, row 2: `null` is not a value"):
        policy.evaluate({"row": pa.table(columns)}, "seen(A, B, C, D, E, F)")


def test_an_atom_without_arguments_has_rows_and_no_columns(tmp_path: Path) -> None:
    (tmp_path / "schemas.mg").write_text("halted() :- switch(/off).\nswitch(/off).\nshown(X, X) :- switch(X).\n")
    policy = mangle_ls.Policy(tmp_path)
    answer = policy.query("halted()")
    assert (answer.num_rows, answer.num_columns) == (1, 0)
    assert len(set(pa.table(policy.query("shown(X, X)")).column_names)) == 2


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        mangle_ls.Checker(tmp_path / "mangle-ls.toml")
    with pytest.raises(FileNotFoundError):
        mangle_ls.Checker(policies=[tmp_path])
    with pytest.raises(ValueError, match="policy"):
        mangle_ls.Policy()


@pytest.mark.skipif(PROGRAM is None, reason="MANGLE_LS names no program to compare with")
@pytest.mark.parametrize("name", ["langsmith", "openinference", "chat", "traces", "envelopes"])
def test_records_are_read_in_their_own_format(name: str, tmp_path: Path) -> None:
    lines = (EXAMPLES / f"{name}.jsonl").read_text().replace("task_status(", "task_statuz(").splitlines()
    count = len(lines)
    records = pa.table({"session_id": [name] * count, "turn": range(1, count + 1), "text": lines})
    (tmp_path / "mangle-ls.toml").write_text(CONFIG)
    (tmp_path / "schemas.mg").write_text(POLICY)
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    found = of_package(pa.table(mangle_ls.Checker(tmp_path, container="auto").check(records)))
    assert found
    assert found == findings_of_program(str(PROGRAM), tmp_path)


def test_a_container_without_lines_is_refused(tmp_path: Path) -> None:
    for word in ("markdown", "nonsense"):
        with pytest.raises(ValueError, match="no container with a record a line"):
            mangle_ls.Checker(container=word)


def test_a_checker_of_records_can_be_pickled(checker) -> None:
    copy = pickle.loads(pickle.dumps(mangle_ls.Checker(container="auto")))
    records = pa.table({"session_id": ["a"], "turn": [1], "text": ['{"role": "assistant", "content": "No envelope."}']})
    assert pa.table(copy.check(records)).num_rows > 0
    with pytest.raises(TypeError, match="role"):
        checker.check(records)
