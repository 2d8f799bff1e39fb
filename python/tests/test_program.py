"""The package finds what the program `mangle-ls` finds in the same sessions."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest

import mangle_ls

PROGRAM = os.environ.get("MANGLE_LS")
POLICY = (
    "Decl task_status(Task, Status).\n"
    "Decl pending_action(Id, Action, Target, Payload, Time).\n"
    "Decl permitted(Action, Target, Payload).\n"
    "permitted(/read_file, Target, Payload) :- pending_action(_, /read_file, Target, Payload, _).\n"
)
CONFIG = '[[program]]\nname = "tasks"\n\n[transcripts]\ninclude = ["sessions/*.jsonl"]\n'


@pytest.mark.skipif(PROGRAM is None, reason="MANGLE_LS names no program to compare with")
def test_findings_are_those_of_the_program(turns: pa.Table, tmp_path: Path) -> None:
    (tmp_path / "mangle-ls.toml").write_text(CONFIG)
    (tmp_path / "schemas.mg").write_text(POLICY)
    (tmp_path / "sessions").mkdir()
    lines: dict[str, list[str]] = {}
    for row in turns.to_pylist():
        lines.setdefault(row["session_id"], []).append(json.dumps({"role": row["role"], "content": row["text"] or ""}))
    for session, records in lines.items():
        (tmp_path / "sessions" / f"{session}.jsonl").write_text("\n".join(records) + "\n")
    arguments = [str(PROGRAM), "check", "--format", "json", "--max-findings", "0", "sessions", "--transcripts", "sessions/*.jsonl"]
    output = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True).stdout
    found = [line for line in map(json.loads, output.splitlines()) if "code" in line and line["file"].startswith("sessions/")]
    members = ("code", "rule", "severity", "message", "notes")
    of_program = [
        [Path(line["file"]).stem, None if line["start"] == line["end"] == 0 else line["line"], *(line[member] for member in members)]
        for line in found
    ]
    checker = mangle_ls.Checker(tmp_path)
    columns = ("session_id", "turn", "code", "rule", "severity", "headline", "notes")
    of_package = [[row[column] for column in columns] for row in pa.table(checker.check(turns)).to_pylist()]
    assert len(of_package) > 100
    assert sorted(map(repr, of_package)) == sorted(map(repr, of_program))


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
